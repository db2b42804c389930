"""Pages in memory: learn, strip, mark, cluster, sections, store."""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, TypedDict, Unpack, cast

from unmold import _unmold
from unmold._unmold import Page as Page

PageLike = Page | str | bytes | bytearray | Mapping[str, Any]
"""A `Page`, HTML as text or bytes, or a mapping with `html` and perhaps `url`, `id`, `site`, `charset`."""


class Settings(TypedDict, total=False):
    """What may be set, as keywords of every function; the flags of the command of the same names."""

    method: str
    """`auto` (the default), `chunk-frequency`, `alignment`, `tree-mapping`, `tree-pattern` or `page-clusters`."""
    keep: str
    """What `auto` keeps of a page: `all-unique`, `main` (the default) or `article`."""
    paper: bool
    """Use the settings of the method's paper."""
    sample: int
    """Pages of each site to learn from; 100."""
    seed: int
    """Draws another sample; 0."""
    cluster: bool | None
    """Learn a template for each cluster of pages; `None`: as is best for the method."""
    threshold: float | None
    """`chunk-frequency`: a chunk on more pages than this is template; a number of pages, or a share below 1."""
    format: str
    """`text` (the default), `markdown` or `html`."""
    least_importance: float | None
    """Strip whole sections less important than this instead of single texts."""
    keep_hidden: bool
    """Keep elements that are hidden by an attribute."""
    max_page_bytes: int | None
    """Read at most this many bytes of a page."""
    max_nodes: int | None
    """Take a page with more nodes as plain text."""
    max_depth: int | None
    """Take a page that is nested deeper as plain text."""


DEFAULTS: Settings = {
    "method": "auto",
    "keep": "main",
    "paper": False,
    "sample": 100,
    "seed": 0,
    "cluster": None,
    "threshold": None,
    "format": "text",
    "least_importance": None,
    "keep_hidden": False,
    "max_page_bytes": None,
    "max_nodes": None,
    "max_depth": None,
}


class AllSettings(Settings, total=True):
    """Settings, none left out."""


def with_defaults(settings: Settings) -> AllSettings:
    """The settings, and the defaults for those that are not given."""
    return cast(AllSettings, {**DEFAULTS, **settings})


def options_of(settings: Settings) -> _unmold.Options:
    """Checks settings.

    >>> options_of({"method": "magic"})
    Traceback (most recent call last):
    ValueError: there is no method "magic": give auto, chunk-frequency, alignment, tree-mapping, tree-pattern or page-clusters
    """
    unknown = sorted(set(settings) - set(DEFAULTS))
    if unknown:
        raise TypeError(f"there is no setting {', '.join(unknown)}: there are {', '.join(DEFAULTS)}")
    return _unmold.Options(**with_defaults(settings))


def page_of(page: PageLike) -> Page:
    """A `Page` of whatever may stand for one.

    >>> page_of({"html": "<p>Tea", "url": "https://www.example.org/tea"}).site
    'example.org'
    """
    if isinstance(page, Page):
        return page
    if isinstance(page, Mapping):
        return Page(
            page["html"],
            page.get("url"),
            id=page.get("id"),
            site=page.get("site"),
            charset=page.get("charset"),
        )
    return Page(page)


@dataclass(frozen=True, slots=True)
class CleanPage:
    """A page without its template: a record of `unmold clean`."""

    id: str
    """The page's own id, else its URL."""
    url: str | None
    site: str
    template: str | None
    """Name of the template, `site#1`."""
    title: str | None
    text: str
    content_share: float
    """Share of the page's visible text that is left."""
    template_match: float | None
    """Share of the template found on the page: when it falls, the site was redesigned."""
    flags: list[str] = field(default_factory=list)
    """What is unusual about the page."""
    error: str | None = None
    """Why the page could not be read, if it could not."""

    def to_dict(self) -> dict[str, Any]:
        """As a line of the command's JSONL output has it: `error` only where there is one."""
        record = dataclasses.asdict(self)
        if self.error is None:
            del record["error"]
        return record

    def to_json(self) -> str:
        """The line itself, byte for byte."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Mark:
    """What a template says of one text of a page."""

    path: str
    """Where it stands: `/html/body/div[2]/p/text()`."""
    text: str
    value: float
    """0 = content, 1 = template."""
    is_template: bool
    why: str | None
    """The part of the template that explains it, in words."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: a record of `unmold sections`."""

    path: str
    nodes: int
    kind: str
    importance: float
    """From 0 = template throughout to 1 = content by all signs."""
    noisy: bool
    area_share: float
    text_share: float
    link_share: float
    text: str
    """The beginning of its text."""


class Template:
    """The template of one site; several where its pages fall into clusters. Can be pickled."""

    __slots__ = ("_inner",)

    def __init__(self, inner: _unmold.Template) -> None:
        self._inner = inner

    @property
    def site(self) -> str:
        """The site it belongs to."""
        return self._inner.site

    @property
    def names(self) -> list[str]:
        """Its name, or those of the templates of its clusters."""
        return self._inner.names

    @property
    def pages(self) -> int:
        """Pages it was learned from."""
        return self._inner.pages

    @property
    def text(self) -> str:
        """The text of the template itself."""
        return self._inner.text

    def strip(self, page: PageLike, **settings: Unpack[Settings]) -> CleanPage:
        """The page without the template; the page is taken to be of the template's site."""
        page = page_of(page)
        row = self._inner.strip(page, options_of(settings))
        return CleanPage(page.id, page.url, self.site, *row)

    def mark(self, page: PageLike, **settings: Unpack[Settings]) -> list[Mark]:
        """What the template says of each visible text of the page, in its order.

        >>> site = [f"<nav>Home Shop</nav><p>All about {word}.</p>" for word in ("tea", "cake", "jam")]
        >>> [(mark.text, mark.is_template) for mark in learn(site, method="chunk-frequency").mark(site[0])]
        [('Home Shop', True), ('All about tea.', False)]
        """
        return [Mark(*row) for row in self._inner.mark(page_of(page), options_of(settings))]

    def to_json(self) -> str:
        """As a template file of this site alone, which the command reads too."""
        return self._inner.to_json()

    @staticmethod
    def from_json(text: str | bytes) -> Template:
        """Reads what `to_json` wrote.

        >>> Template.from_json("{}")
        Traceback (most recent call last):
        ValueError: this is not a template file: give the file that `unmold learn` wrote
        """
        templates = Templates.from_json(text)
        if len(templates) != 1:
            raise ValueError(f"the file holds templates of {len(templates)} sites: read it with Templates.from_json")
        return next(iter(templates.values()))

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Template.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        return f"Template({', '.join(self.names)}, learned from {self.pages} pages)"


class Templates(Mapping[str, Template]):
    """Templates by site. Can be pickled."""

    __slots__ = ("_inner",)

    def __init__(self, templates: Iterable[Template] | _unmold.Templates = ()) -> None:
        if not isinstance(templates, _unmold.Templates):
            templates = _unmold.Templates.of([template._inner for template in templates])
        self._inner = templates

    def strip(self, page: PageLike, **settings: Unpack[Settings]) -> CleanPage:
        """The page without the template of its site."""
        return strip_with(self, page_of(page), options_of(settings))

    def to_json(self) -> str:
        """A template file's text."""
        return self._inner.to_json()

    @staticmethod
    def from_json(text: str | bytes) -> Templates:
        """Reads a template file's text."""
        return Templates(_unmold.Templates.from_json(text.encode() if isinstance(text, str) else text))

    @staticmethod
    def load(path: str | PathLike[str]) -> Templates:
        """Reads a template file that `save` or `unmold learn` wrote, not compressed."""
        with open(path, "rb") as file:
            return Templates.from_json(file.read())

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a template file, which `unmold strip -t` reads."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.to_json())

    def __getitem__(self, site: str) -> Template:
        return Template(self._inner[site])

    def __iter__(self) -> Iterator[str]:
        return iter(self._inner.sites())

    def __len__(self) -> int:
        return len(self._inner)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Templates.from_json, (self.to_json(),)


def strip_with(templates: Templates, page: Page, options: _unmold.Options) -> CleanPage:
    """`Templates.strip` with settings checked before."""
    return CleanPage(page.id, page.url, page.site, *templates._inner.strip(page, options))


def learned_by(sampler: _unmold.Sampler) -> Templates:
    """What a sampler learns; sites without a template are told of as a warning."""
    templates, without = sampler.learn()
    for site, why in without:
        warnings.warn(f"site {site}: {why}; its pages are passed through", stacklevel=3)
    return Templates(templates)


def learn_sites(pages: Iterable[PageLike], **settings: Unpack[Settings]) -> Templates:
    """Learns the template of each site from a sample of its pages.

    A page belongs to the site it names, else to the host of its URL, else to the site of the name "".

    >>> pages = [{"html": f"<nav>Home Shop</nav><p>All about {word}.", "url": f"http://{host}.org/{word}"}
    ...          for host in ("a", "b") for word in ("tea", "cake", "jam")]
    >>> list(learn_sites(pages))
    ['a.org', 'b.org']
    """
    sampler = _unmold.Sampler(options_of(settings), True)
    sampler.add_pages([page_of(page) for page in pages])
    return learned_by(sampler)


def learn(pages: Iterable[PageLike], **settings: Unpack[Settings]) -> Template:
    """Learns the template of one site from a sample of its pages.

    >>> learn([f"<nav>Home Shop</nav><p>All about {word}.</p>" for word in ("tea", "cake", "jam")])
    Template(#1, learned from 3 pages)
    >>> learn(["<p>All alone"], method="alignment")
    Traceback (most recent call last):
    ValueError: a template needs at least 2 different pages, and there are 1: add pages of the same site
    """
    sampler = _unmold.Sampler(options_of(settings), True)
    sampler.add_pages([page_of(page) for page in pages])
    templates, without = sampler.learn()
    if len(templates) + len(without) > 1:
        sites = sorted([*templates.sites(), *(site for site, _ in without)])
        raise ValueError(f"pages of {len(sites)} sites ({', '.join(sites[:3])}…): use learn_sites, or give them one site")
    if without:
        raise ValueError(without[0][1])
    if not templates:
        raise ValueError("there is no page to learn from: give pages of one site")
    return Template(templates[templates.sites()[0]])


def clean(pages: Iterable[PageLike], **settings: Unpack[Settings]) -> list[CleanPage]:
    """Learns the template of each site and strips it from all its pages: `unmold clean`.

    >>> pages = [f"<nav>Home Shop Contact</nav><p>All about {word}, and how it is made.</p>"
    ...          for word in ("tea", "cake", "jam", "bread")]
    >>> [page.text for page in clean(pages, method="chunk-frequency")][:2]
    ['All about tea, and how it is made.', 'All about cake, and how it is made.']
    """
    options = options_of(settings)
    known = [page_of(page) for page in pages]
    sampler = _unmold.Sampler(options, True)
    sampler.add_pages(known)
    templates = learned_by(sampler)
    return [strip_with(templates, page, options) for page in known]


def cluster(pages: Iterable[PageLike], **settings: Unpack[Settings]) -> list[str | None]:
    """Which pages share a template: the name of each page's cluster among the pages of its site, `site#1` the largest;
    `None` for a page that fits none."""
    return _unmold.cluster([page_of(page) for page in pages], options_of(settings))


def sections(
    page: PageLike,
    template: Template | None = None,
    *,
    noisy_below: float | None = None,
    **settings: Unpack[Settings],
) -> list[Section]:
    """The sections of a page in document order, with their importance; by the page alone without a template.

    >>> [section.kind for section in sections("<div>One text</div><hr><ul><li>a<li>b<li>c</ul>")]
    ['block', 'repeated-list']
    """
    inner = template._inner if template is not None else None
    return [Section(*row) for row in _unmold.sections(page_of(page), inner, options_of(settings), noisy_below)]


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """One version of a site's template in a store."""

    site: str
    version: int
    stored_at: str
    method: str
    templates: int
    pages: int
    bytes: int


class Store:
    """Templates of many sites in one file, with their history.

    The file is opened for each call, so a store may be used from threads and forked processes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder + "/templates.db")
    ...     site = [f"<nav>Home Shop</nav><p>All about {word}." for word in ("tea", "cake", "jam")]
    ...     store.put(learn({"html": html, "site": "shop"} for html in site))
    ...     store.sites(), store.get("shop"), store.get("other")
    [('shop', 1, True)]
    (['shop'], Template(shop#1, learned from 3 pages), None)
    """

    __slots__ = ("_inner",)

    def __init__(self, path: str | PathLike[str]) -> None:
        self._inner = _unmold.Store(path)

    def put(self, templates: Template | Templates) -> list[tuple[str, int, bool]]:
        """Adds a version for each site whose template changed: site, version in use, and whether it is new."""
        if isinstance(templates, Template):
            templates = Templates([templates])
        return self._inner.put(templates._inner)

    def get(self, site: str, version: int | None = None) -> Template | None:
        """The newest template of a site, or the given version."""
        found = self._inner.get(site, version)
        return Template(found) if found is not None else None

    def sites(self) -> list[str]:
        """The sites, sorted."""
        return self._inner.sites()

    def versions(self) -> list[StoredVersion]:
        """Every version of every site, sorted."""
        return [StoredVersion(*row) for row in self._inner.versions()]
