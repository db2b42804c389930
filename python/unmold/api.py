"""Learns templates and cleans pages in memory."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any, TypedDict, cast

from unmold import _unmold
from unmold._unmold import METHODS as METHODS
from unmold._unmold import RECORD_FIELDS as RECORD_FIELDS
from unmold._unmold import Page as Page

if TYPE_CHECKING:  # in Python 3.11 and later
    from typing import Unpack

PageLike = Page | str | bytes | bytearray | Mapping[str, Any]
"""A `Page`, HTML as text or bytes, or a mapping with `html` and optionally `url`, `id`, `site`,
`charset`."""


class Settings(TypedDict, total=False):
    """Keyword arguments of every function, named like the flags of the command."""

    method: str
    """The method; see `unmold.METHODS`, the default first."""
    keep: str
    """What the default method keeps of a page: `all-unique`, `main` (the default) or `article`."""
    kind: str | None
    """What kind of pages they are, for the default method: `article`, `list`, `product`, `forum`,
    `manual` or `landing`; `None` finds it for each page."""
    paper: bool
    """Use the settings of the method's paper."""
    sample: int
    """Number of pages of each site to learn from; 100."""
    seed: int
    """Seed of the sample: another one draws other pages; 0."""
    cluster: bool | None
    """Learn a template for each cluster of pages; `None` does what suits the method."""
    threshold: float | None
    """`chunk-frequency`: chunks on more pages than this are template. A number of pages, or a share
    below 1."""
    format: str
    """`text` (the default), `markdown` or `html`."""
    comments: str
    """What happens to the comments of readers: `keep` (the default), `drop`, or `separate`, which
    puts them into the field `comments`."""
    min_importance: float | None
    """Remove whole sections less important than this instead of single texts."""
    keep_hidden: bool
    """Keep elements that an attribute hides."""
    records: bool
    """Also learn the table of each kind of page, for `unmold.records`; clusters pages."""
    max_page_bytes: int | None
    """Read at most this many bytes of a page."""
    max_nodes: int | None
    """Read a page with more nodes as plain text."""
    max_depth: int | None
    """Read a page with deeper nesting as plain text."""


DEFAULTS: Settings = {
    "method": METHODS[0],
    "keep": "main",
    "kind": None,
    "paper": False,
    "sample": 100,
    "seed": 0,
    "cluster": None,
    "threshold": None,
    "format": "text",
    "comments": "keep",
    "min_importance": None,
    "keep_hidden": False,
    "records": False,
    "max_page_bytes": None,
    "max_nodes": None,
    "max_depth": None,
}


class AllSettings(Settings, total=True):
    """Settings, none left out."""


def with_defaults(settings: Settings) -> AllSettings:
    """The settings, with defaults for those that are missing."""
    return cast(AllSettings, {**DEFAULTS, **settings})


def options_of(settings: Settings) -> _unmold.Options:
    """Checks settings.

    >>> options_of({"keep": "everything"})
    Traceback (most recent call last):
    ValueError: keep is "everything": use "all-unique", "main" or "article"
    """
    unknown = sorted(set(settings) - set(DEFAULTS))
    if unknown:
        raise TypeError(f"unknown setting {', '.join(unknown)}: use {', '.join(DEFAULTS)}")
    return _unmold.Options(**with_defaults(settings))


def page_of(page: PageLike) -> Page:
    """The `Page` of a page in any form.

    >>> page_of({"html": "<p>Tea", "url": "https://www.example.org/tea"}).site
    'example.org'
    """
    if isinstance(page, Page):
        return page
    if isinstance(page, Mapping):
        if "html" not in page:
            raise ValueError(f'no key "html" among {list(page)}: rename the one with the page')
        return Page(
            page["html"],
            page.get("url"),
            id=page.get("id"),
            site=page.get("site"),
            charset=page.get("charset"),
        )
    return Page(page)


def pages_of(pages: Iterable[PageLike]) -> list[Page]:
    """The pages of an iterable.

    >>> pages_of("<p>Tea")
    Traceback (most recent call last):
    TypeError: pages is a single page (str): give a list of pages
    """
    if isinstance(pages, (Page, str, bytes, bytearray, Mapping)):
        kind = type(pages).__name__
        raise TypeError(f"pages is a single page ({kind}): give a list of pages")
    return [page_of(page) for page in pages]


@dataclass(frozen=True, slots=True)
class CleanPage:
    """A page without its template: a record of `unmold clean`. Its fields are `RECORD_FIELDS`."""

    id: str
    """The page's own id, else its URL."""
    url: str | None
    site: str
    template: str | None
    """Name of its template, such as `site#1`; `None` if its site has none."""
    kind: str | None
    """What kind of page it is: `article`, `list`, `product`, `forum`, `manual` or `landing`; `None`
    for methods that do not ask."""
    title: str | None
    author: str | None
    """What the page says about itself, as are the fields that follow."""
    published: str | None
    """An ISO date, with the time if the page names it."""
    modified: str | None
    site_name: str | None
    description: str | None
    language: str | None
    """The language that the page declares."""
    detected_language: str | None
    """The language of its clean text, such as `en`; `None` if it cannot be told."""
    canonical: str | None
    image: str | None
    categories: list[str]
    text: str
    comments: str | None
    """Set by `comments="separate"`."""
    content_share: float
    """Share of the page's visible text that is left."""
    template_match: float | None
    """Share of the template that is on the page: when it falls, the site was redesigned."""
    flags: list[str] = field(default_factory=list)
    """What is unusual about the page."""
    error: str | None = None
    """Why the page could not be read."""
    duplicate_of: str | None = None
    """Set by the command if it looks for copies."""

    def to_dict(self) -> dict[str, Any]:
        """The record as in a line of JSONL: `comments`, `error` and `duplicate_of` only if there
        are some."""
        record = dataclasses.asdict(self)
        for name in ("comments", "error", "duplicate_of"):
            if record[name] is None:
                del record[name]
        return record

    def to_json(self) -> str:
        """The line that the command would write, byte for byte."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a template says about a text or a run of texts, and why."""

    xpath: str
    """Where its first text is, such as `/html/body/div[2]/p/text()`."""
    text: str
    value: float
    """From 0 for content to 1 for template."""
    is_template: bool
    why: str
    """The reasons in words."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: a record of `unmold sections`."""

    path: str
    nodes: int
    kind: str
    importance: float
    """From 0 for template to 1 for content."""
    noisy: bool
    area_share: float
    text_share: float
    link_share: float
    text: str
    """The beginning of its text."""


class Template:
    """The template of one site. Can be pickled."""

    __slots__ = ("_inner",)

    def __init__(self, inner: _unmold.Template) -> None:
        self._inner = inner

    @property
    def site(self) -> str:
        """The site."""
        return self._inner.site

    @property
    def names(self) -> list[str]:
        """Names of the templates of its kinds of page: one, unless pages were clustered."""
        return self._inner.names

    @property
    def pages(self) -> int:
        """Number of pages it was learned from."""
        return self._inner.pages

    @property
    def text(self) -> str:
        """The text of the template itself."""
        return self._inner.text

    def strip(self, page: PageLike, **settings: Unpack[Settings]) -> CleanPage:
        """The page without the template. The page is taken to be of the template's site."""
        return CleanPage(*self._inner.strip(page_of(page), options_of(settings)))

    def mark(self, page: PageLike, **settings: Unpack[Settings]) -> list[Verdict]:
        """A verdict on each visible text of the page, in document order.

        >>> pages = [f"<p>Home Shop</p><p>All about {word}.</p>" for word in ("tea", "cake", "jam")]
        >>> template = learn(pages, method="chunk-frequency")
        >>> [(verdict.text, verdict.is_template) for verdict in template.mark(pages[0])]
        [('Home Shop', True), ('All about tea.', False)]
        """
        return [Verdict(*row) for row in self._inner.mark(page_of(page), options_of(settings))]

    def explain(self, page: PageLike, **settings: Unpack[Settings]) -> list[Verdict]:
        """Why each part of the page stays or goes, in document order.

        The default method judges blocks, so a verdict may cover several texts of `mark`.

        >>> pages = [f"<p>Home Shop</p><p>All about {word}.</p>" for word in ("tea", "cake", "jam")]
        >>> template = learn(pages, method="chunk-frequency")
        >>> for verdict in template.explain(pages[0]):
        ...     print(verdict.text, "|", verdict.why)
        Home Shop | chunk on 3 of 3 pages: home shop
        All about tea. | no part of the template matches it
        """
        return [Verdict(*row) for row in self._inner.explain(page_of(page), options_of(settings))]

    def to_json(self) -> str:
        """The text of a template file of this site alone. The command reads it too."""
        return self._inner.to_json()

    @staticmethod
    def from_json(text: str | bytes) -> Template:
        """Reads what `to_json` wrote.

        >>> Template.from_json("{}")
        Traceback (most recent call last):
        ValueError: this is not a template file: give what `to_json` or `save` wrote
        """
        templates = Templates.from_json(text)
        if len(templates) != 1:
            raise ValueError(
                f"the file holds templates of {len(templates)} sites: "
                "read it with Templates.from_json"
            )
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
        """The text of a template file."""
        return self._inner.to_json()

    @staticmethod
    def from_json(text: str | bytes) -> Templates:
        """Reads the text of a template file."""
        encoded = text.encode(errors="replace") if isinstance(text, str) else text
        return Templates(_unmold.Templates.from_json(encoded))

    @staticmethod
    def load(path: str | PathLike[str]) -> Templates:
        """Reads a template file that `save` or `unmold learn` wrote. It must not be compressed."""
        with open(path, "rb") as file:
            return Templates.from_json(file.read())

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Writes a template file, which `unmold strip` reads too. The write is atomic.

        Corrections in a template file of that name are kept. A file that is no template file is
        replaced only with `force`.
        """
        templates = self._inner
        try:
            with open(path, "rb") as file:
                older = file.read()
            templates = templates.with_corrections_in(older) if older else templates
        except FileNotFoundError:
            pass
        except ValueError as error:
            if not force:
                message = f"{os.fspath(path)!r} is not a template file; force=True replaces it"
                raise FileExistsError(message) from error
        folder, name = os.path.split(os.path.abspath(path))
        partial = os.path.join(folder, f".{name}.{os.getpid()}.partial")
        try:
            with open(partial, "w", encoding="utf-8", newline="\n") as file:
                file.write(templates.to_json())
            os.replace(partial, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.remove(partial)
            raise

    def __getitem__(self, site: str) -> Template:
        return Template(self._inner[site])

    def __iter__(self) -> Iterator[str]:
        return iter(self._inner.sites())

    def __len__(self) -> int:
        return len(self._inner)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Templates.from_json, (self.to_json(),)


def strip_with(templates: Templates, page: Page, options: _unmold.Options) -> CleanPage:
    """`Templates.strip` with checked settings."""
    return CleanPage(*templates._inner.strip(page, options))


def learned_by(sampler: _unmold.Sampler) -> Templates:
    """What a sampler learns. Warns about sites without a template."""
    templates, without = sampler.learn()
    for site, why in without:
        warnings.warn(f"site {site}: {why}; its pages are passed through", stacklevel=3)
    return Templates(templates)


def learn_sites(pages: Iterable[PageLike], **settings: Unpack[Settings]) -> Templates:
    """Learns the template of each site from a sample of its pages.

    A page belongs to the site it names, else to the host of its URL, else to the site "".

    >>> pages = [
    ...     {"html": f"<p>Home Shop</p><p>All about {word}.", "url": f"http://{host}.org/{word}"}
    ...     for host in ("a", "b") for word in ("tea", "cake", "jam")
    ... ]
    >>> list(learn_sites(pages))
    ['a.org', 'b.org']
    """
    sampler = _unmold.Sampler(options_of(settings), True)
    sampler.add_pages(pages_of(pages))
    return learned_by(sampler)


def taught(
    template: Template,
    pages: list[Page],
    labels: Iterable[Mapping[str, Any]],
    options: _unmold.Options,
) -> tuple[Template, dict[str, Any]]:
    """A template with what labels say, and what became of them."""
    lines = [json.dumps(dict(label), ensure_ascii=False) for label in labels]
    inner, report = template._inner.teach(pages, lines, options)
    return Template(inner), json.loads(report)


def learn(
    pages: Iterable[PageLike],
    *,
    labels: Iterable[Mapping[str, Any]] | None = None,
    **settings: Unpack[Settings],
) -> Template:
    """Learns the template of one site from a sample of its pages, and from labels of some of them;
    see `unmold.teach`.

    >>> learn(f"<p>Home Shop</p><p>All about {word}.</p>" for word in ("tea", "cake", "jam"))
    Template(#1, learned from 3 pages)
    """
    known = pages_of(pages)
    options = options_of(settings)
    sampler = _unmold.Sampler(options, True)
    sampler.add_pages(known)
    templates, without = sampler.learn()
    if len(templates) + len(without) > 1:
        sites = sorted([*templates.sites(), *(site for site, _ in without)])
        raise ValueError(
            f"pages of {len(sites)} sites ({', '.join(sites[:3])}…): "
            "use learn_sites, or give all pages the same site"
        )
    if without:
        raise ValueError(without[0][1])
    if not templates:
        raise ValueError("there is no page to learn from: give pages of one site")
    template = Template(templates[templates.sites()[0]])
    if labels is None:
        return template
    template, report = taught(template, known, labels, options)
    for page in report["pages"]:
        if "error" in page:
            warnings.warn(f"label of {page['id']} not used: {page['error']}", stacklevel=2)
    return template


def clean(pages: Iterable[PageLike], **settings: Unpack[Settings]) -> list[CleanPage]:
    """Learns the template of each site and strips it from all its pages, as `unmold clean` does.

    >>> menu = '<ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul>'
    >>> pages = [f"{menu}<p>All about {word}, and how it is made in our kitchen.</p>"
    ...          for word in ("tea", "cake", "jam", "bread")]
    >>> clean(pages)[0].text
    'All about tea, and how it is made in our kitchen.'
    """
    options = options_of(settings)
    known = pages_of(pages)
    sampler = _unmold.Sampler(options, True)
    sampler.add_pages(known)
    templates = learned_by(sampler)
    return [strip_with(templates, page, options) for page in known]


def cluster(pages: Iterable[PageLike], **settings: Unpack[Settings]) -> list[str | None]:
    """Name of the cluster of each page among the pages of its site; `site#1` is the largest.

    `None` for a page that fits none.
    """
    return _unmold.cluster(pages_of(pages), options_of(settings))


def sections(
    page: PageLike,
    template: Template | None = None,
    *,
    noisy_below: float | None = None,
    **settings: Unpack[Settings],
) -> list[Section]:
    """The sections of a page in document order, with their importance.

    Without a template, the page alone decides.

    >>> [section.kind for section in sections("<div>One text</div><hr><ul><li>a<li>b<li>c</ul>")]
    ['block', 'repeated-list']
    """
    inner = template._inner if template is not None else None
    rows = _unmold.sections(page_of(page), inner, options_of(settings), noisy_below)
    return [Section(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """A version of a site's template in a store."""

    site: str
    version: int
    stored_at: str
    method: str
    templates: int
    pages: int
    bytes: int


class Store:
    """A file with the templates of many sites and their history.

    Each call opens the file, so threads and forked processes can share a store.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder + "/templates.db")
    ...     pages = [f"<p>Home Shop</p><p>All about {word}." for word in ("tea", "cake", "jam")]
    ...     store.put(learn({"html": html, "site": "shop"} for html in pages))
    ...     store.sites(), store.get("shop"), store.get("other")
    [('shop', 1, True)]
    (['shop'], Template(shop#1, learned from 3 pages), None)
    """

    __slots__ = ("_inner",)

    def __init__(self, path: str | PathLike[str]) -> None:
        self._inner = _unmold.Store(path)

    def put(self, templates: Template | Templates) -> list[tuple[str, int, bool]]:
        """Adds a version for each site whose template changed.

        Returns each site with its newest version, and whether that version is new.
        """
        if isinstance(templates, Template):
            templates = Templates([templates])
        return self._inner.put(templates._inner)

    def get(self, site: str, version: int | None = None) -> Template | None:
        """The newest template of a site, or the given version of it."""
        found = self._inner.get(site, version)
        return Template(found) if found is not None else None

    def sites(self) -> list[str]:
        """The sites, sorted."""
        return self._inner.sites()

    def versions(self) -> list[StoredVersion]:
        """All versions of all sites, sorted."""
        return [StoredVersion(*row) for row in self._inner.versions()]
