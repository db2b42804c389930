"""Labels of a few pages."""

from __future__ import annotations

import json
from typing import Any

import pytest
import unmold
from conftest import ROOT

FIXTURES = ROOT / "fixtures"


def wiki() -> list[dict[str, Any]]:
    folder = FIXTURES / "wiki"
    return [
        {"html": path.read_bytes(), "id": path.name, "site": "wiki"}
        for path in sorted((folder / "pages").glob("*.html"))
    ]


def gold() -> dict[str, str]:
    lines = (FIXTURES / "wiki" / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    return {page["file"]: page["content"] for page in map(json.loads, lines)}


LABELS = [
    {"id": name, "drop": [".infobox"], "partial": True}
    for name in ("callow-lighthouse.html", "brindle-canal.html", "ada-merrowby.html")
]


def test_siblings_follow_labels() -> None:
    pages = wiki()
    page = next(page for page in pages if page["id"] == "quillon-pass.html")
    assert "Mule track" in unmold.learn(pages).strip(page).text
    template = unmold.learn(pages, labels=LABELS)
    assert "Mule track" not in template.strip(page).text
    assert "labelled on 3 pages" in " ".join(v.why for v in template.explain(page))
    again = unmold.Template.from_json(template.to_json())
    assert again.strip(page) == template.strip(page)


def test_a_plan_is_answered_by_any_function() -> None:
    pages = wiki()
    questions = unmold.teach.plan(pages, per_kind=2)
    assert questions[0].page.startswith("1 ")
    assert 0 < questions[0].covers <= questions[-1].covered <= 1
    assert len(unmold.teach.plan(pages, budget=1)) == 1
    texts = gold()
    by_html = {page["html"].decode(): texts[page["id"]] for page in pages}
    labels = unmold.teach.ask(by_html.get, pages, questions)
    assert {label["id"] for label in labels} == {question.id for question in questions}
    template, report = unmold.teach.teach(unmold.learn(pages), pages, labels)
    assert report["kinds"][0]["pages"] == len(labels)
    assert all(page["missing"] == 0 for page in report["pages"])
    assert len(unmold.teach.plan(pages, template=template)) < len(unmold.teach.plan(pages))


def test_trafilatura_teaches() -> None:
    trafilatura = pytest.importorskip("trafilatura")
    pages = wiki()
    labels = unmold.teach.ask(trafilatura.extract, pages, unmold.teach.plan(pages, per_kind=5))
    assert len(labels) >= 5
    template = unmold.learn(pages, labels=labels)
    assert all(template.strip(page).text for page in pages)


def test_labels_that_cannot_be_used() -> None:
    pages = wiki()
    with pytest.warns(UserWarning, match="not on the page"):
        unmold.learn(pages, labels=[{"id": pages[0]["id"], "text": "Words of another page"}])
    with pytest.raises(ValueError, match="no page has this id"):
        unmold.learn(pages, labels=[{"id": "gone.html", "text": "x"}])
    with pytest.raises(ValueError, match="unknown field"):
        unmold.learn(pages, labels=[{"id": pages[0]["id"], "wanted": "x"}])
