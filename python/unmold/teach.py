"""Teaching: label a few pages, and their siblings follow.

`plan` says which pages tell most when they are labelled; `unmold.learn(pages, labels=...)` learns
from labels. A label is a mapping with the `id` of a page and either `text`, the wanted text, or
`keep` and `drop`, numbers of blocks or selectors. The command reads and writes the same.

>>> import unmold
>>> def page(topic):
...     return {"id": topic, "html": f'''<ul><li><a href="/">Home</a> <li><a href="/shop">Shop</a>
...         </ul><h1>{topic}</h1><p>{topic} is made early in the morning, before the guests come.
...         <p class=hint>Ask for our {topic} at the counter, it is fresh every day.'''}
>>> pages = [page(topic) for topic in ("Tea", "Cake", "Jam", "Bread", "Milk", "Rye", "Oats")]
>>> questions = unmold.teach.plan(pages, per_kind=2)
>>> def teacher(html):
...     return html.split("<p>")[1].split("<p ")[0]
>>> labels = unmold.teach.ask(teacher, pages, questions)
>>> template = unmold.learn(pages, labels=labels)
>>> print(template.strip(page("Soup")).text)
Soup is made early in the morning, before the guests come.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from unmold.api import (
    PageLike,
    Settings,
    Template,
    learn_sites,
    options_of,
    pages_of,
    taught,
)

Label = Mapping[str, Any]
"""What is said about a page: `id`, and `text` or `keep` and `drop`; optionally `site`,
`partial`."""


@dataclass(frozen=True, slots=True)
class Question:
    """A page that is worth labelling: a line of `unmold teach plan`."""

    id: str
    site: str
    template: str
    kind: int
    """Pages with the same number are laid out alike; 0 if the page is like few others."""
    kind_pages: int
    """Number of pages of its kind."""
    covers: float
    """Share of the site's text at places of this page, but of no page asked about before."""
    covered: float
    """The same with all pages asked about before."""
    blocks: int
    """Number of its blocks."""
    page: str
    """The page as a list of its blocks with their numbers, for a prompt or a form."""


def plan(
    pages: Iterable[PageLike],
    *,
    template: Template | None = None,
    per_kind: int = 3,
    budget: int | None = None,
    **settings: Unpack[Settings],
) -> list[Question]:
    """The pages that tell most when they are labelled, `per_kind` of each kind of page, at most
    `budget` in all.

    With a template that has learned from labels, only pages that these do not cover are asked for.
    """
    known = pages_of(pages)
    options = options_of(settings)
    sites = {page.site for page in known}
    if template is None:
        templates = dict(learn_sites(known, **settings))
    elif len(sites) > 1:
        raise ValueError(f"pages of {len(sites)} sites: give those of the template's site")
    else:
        templates = {site: template for site in sites}
    questions: list[tuple[float, int, Question]] = []
    for site, of_site in sorted(templates.items()):
        pages_of_site = [page for page in known if page.site == site]
        for line in of_site._inner.questions(pages_of_site, options, per_kind):
            question = Question(**json.loads(line))
            worth = question.covers * len(pages_of_site)
            questions.append((-worth, len(questions), question))
    if budget is not None:
        questions = sorted(sorted(questions)[:budget], key=lambda entry: entry[1])
    return [question for _, _, question in questions]


def ask(
    teacher: Callable[[str], str | None],
    pages: Iterable[PageLike],
    questions: Iterable[Question],
) -> list[dict[str, str]]:
    """Labels by any function that turns HTML into the wanted text: another extractor, a language
    model. Pages for which it gives nothing are left out.
    """
    wanted = {(question.site, question.id) for question in questions}
    labels = []
    for page in pages_of(pages):
        if (page.site, page.id) in wanted:
            text = teacher(page.html.decode(page.charset or "utf-8", "replace"))
            if text:
                labels.append({"id": page.id, "site": page.site, "text": text})
    return labels


def teach(
    template: Template,
    pages: Iterable[PageLike],
    labels: Iterable[Label],
    **settings: Unpack[Settings],
) -> tuple[Template, dict[str, Any]]:
    """The template with what labels say, and a report: coverage, agreement, contradictions.

    `pages` has the labelled pages, and any number of siblings to measure coverage on.
    """
    return taught(template, pages_of(pages), labels, options_of(settings))
