"""Pages in memory: the same records as the command, in whatever form pages are given."""

from __future__ import annotations

import doctest
import importlib
import json
import multiprocessing
import pickle
import subprocess
import sys
import types
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import unmold
from conftest import ROOT, Pages, run_clean, write_jsonl


@pytest.mark.parametrize("name", ["unmold", "unmold.api", "unmold.batches", "unmold.teach"])
def test_examples_in_the_documentation(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


def test_examples_in_the_manual() -> None:
    result = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False)
    assert result.attempted > 10
    assert result.failed == 0


def test_five_lines_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    lines = readme.partition("python - <<'END'\n")[2].partition("\nEND\n")[0]
    done = subprocess.run(
        [sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "callow-lighthouse.html\n" in done.stdout
    assert "Vennpedia, the encyclopedia" not in done.stdout


def blocks_of(document: str) -> list[str]:
    """The Python of a document that is not shown as a dialogue with the interpreter."""
    parts = (ROOT / document).read_text("utf-8").split("```python\n")[1:]
    blocks = [part.partition("```")[0] for part in parts]
    return [block for block in blocks if not block.startswith(">>>")]


# Those about Spark and datatrove need a cluster and readers: test_spark.py and test_datatrove.py.
@pytest.mark.parametrize("document", ["docs/python.md", "docs/records.md", "docs/teaching.md"])
def test_blocks_without_a_dialogue(
    document: str, pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.chdir(tmp_path)
    shop = [page for page in pages if "www.shop." in page["url"]]
    pq.write_table(pa.Table.from_pylist(shop), "pages.parquet")
    # Any function from HTML to text is a teacher.
    teacher = types.SimpleNamespace(extract=lambda html: unmold.clean([html])[0].text)
    monkeypatch.setitem(sys.modules, "trafilatura", teacher)
    names = {"unmold": unmold, "pq": pq, "pages": shop, "others": shop[:4], "page": shop[0]}
    blocks = blocks_of(document)
    assert blocks
    for block in blocks:
        if "unmold.spark" not in block and "unmold.datatrove" not in block:
            exec(compile(block, document, "exec"), dict(names))


def test_stubs_say_what_the_module_has() -> None:
    check = [sys.executable, "-m", "mypy.stubtest", "unmold._unmold", "--ignore-missing-stub"]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types() -> None:
    check = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml"]
    done = subprocess.run([*check, ROOT / "python/unmold"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("method", unmold.METHODS)
def test_clean_is_the_command(command: str, pages: Pages, jsonl: Path, method: str) -> None:
    lines = [page.to_json() for page in unmold.clean(pages, method=method, sample=12, seed=3)]
    assert lines == run_clean(command, jsonl, "--method", method, "--sample", "12", "--seed", "3")


@pytest.mark.parametrize(
    "settings, flags",
    [
        ({"keep": "all-unique", "keep_hidden": True}, ["--keep", "all-unique", "--keep-hidden"]),
        ({"min_importance": 0.3}, ["--min-importance", "0.3"]),
        (
            {"method": "chunk-frequency", "threshold": 0.4, "cluster": True},
            ["--method", "chunk-frequency", "--threshold", "40%", "--cluster"],
        ),
        ({"method": "tree-mapping", "paper": True}, ["--method", "tree-mapping", "--paper"]),
        ({"max_page_bytes": 2000}, ["--max-page-bytes", "2000"]),
        ({"max_nodes": 50, "max_depth": 9}, ["--max-nodes", "50", "--max-depth", "9"]),
    ],
)
def test_settings_are_the_flags(
    command: str, pages: Pages, jsonl: Path, settings: dict[str, Any], flags: list[str]
) -> None:
    found = [page.to_json() for page in unmold.clean(pages, **settings)]
    # Errors name the setting, in the command as a flag.
    expected = [
        line.replace("--max-page-bytes", "max_page_bytes")
        for line in run_clean(command, jsonl, *flags)
    ]
    assert found == expected


def test_strange_pages_are_those_of_the_command(command: str, tmp_path: Path) -> None:
    html = [
        "",
        "\x00\x01\x02" * 50,
        "<p>half a pair \ud800 of surrogates",
        "<div>" * 3000 + "deep",
        "é" * 10,
        "<p>a\u2028b\x7f",
    ]
    pages = [{"url": f"http://odd.example/{n}", "html": text} for n, text in enumerate(html)]
    path = write_jsonl(pages, tmp_path / "odd.jsonl")
    assert [page.to_json() for page in unmold.clean(pages)] == run_clean(command, path)


def test_templates_are_files_of_the_command(
    command: str, pages: Pages, jsonl: Path, tmp_path: Path
) -> None:
    templates = unmold.learn_sites(pages, method="tree-mapping")
    templates.save(tmp_path / "ours.json")
    learn = [command, "learn", "--quiet", "--method", "tree-mapping", jsonl, "-t"]
    subprocess.run([*learn, tmp_path / "theirs.json"], check=True)
    assert (tmp_path / "ours.json").read_bytes() == (tmp_path / "theirs.json").read_bytes()
    loaded = unmold.Templates.load(tmp_path / "theirs.json")
    assert list(loaded) == list(templates)
    assert loaded.strip(pages[0]) == templates.strip(pages[0])


def test_a_page_can_be_given_in_any_form(pages: Pages) -> None:
    html, url = pages[0]["html"], pages[0]["url"]
    template = unmold.learn(page for page in pages if page["url"].startswith("http://www.blog."))
    forms: list[unmold.PageLike] = [
        pages[0],
        unmold.Page(html, url),
        unmold.Page(html.encode(), url, charset="utf-8"),
        unmold.Page(bytearray(html.encode()), url),
    ]
    assert len({template.strip(form).to_json() for form in forms}) == 1
    assert template.strip(html).text == template.strip(pages[0]).text


def without_spaces(texts: Iterable[str]) -> str:
    return "".join("".join(texts).split())


@pytest.mark.parametrize("method", unmold.METHODS)
def test_verdicts_agree_with_the_stripped_text(pages: Pages, method: str) -> None:
    site = [page for page in pages if ".wiki." in page["url"]]
    template = unmold.learn(site, method=method)
    for page in site:
        marks, verdicts = template.mark(page), template.explain(page)
        kept = without_spaces(mark.text for mark in marks if not mark.is_template)
        # Edit links of headings, and a caption that repeats the title, are removed unmarked.
        clean = template.strip(page)
        title = without_spaces(clean.title or "")
        shown = kept.replace("[edit]", "").replace(title * 2, title)
        assert shown == without_spaces(clean.text)
        assert kept == without_spaces(
            verdict.text for verdict in verdicts if not verdict.is_template
        )
        assert without_spaces(mark.text for mark in marks) == without_spaces(
            verdict.text for verdict in verdicts
        )
        assert all(0 <= verdict.value <= 1 and verdict.why for verdict in marks + verdicts)


def test_marks_are_those_of_the_explanation(pages: Pages) -> None:
    site = [page for page in pages if ".wiki." in page["url"]]
    template = unmold.learn(site)
    marks = {mark.xpath: mark for mark in template.mark(site[0])}
    verdicts = template.explain(site[0])
    assert len(verdicts) < len(marks), "the default judges blocks of several texts"
    for verdict in verdicts:
        first = marks[verdict.xpath]
        assert verdict.text.startswith(first.text)
        assert (verdict.value, verdict.why) == (first.value, first.why)


def test_templates_can_be_pickled(pages: Pages) -> None:
    template = unmold.learn(page for page in pages if ".wiki." in page["url"])
    again = pickle.loads(pickle.dumps(template))
    assert again.to_json() == template.to_json()
    templates = pickle.loads(pickle.dumps(unmold.Templates([template])))
    assert templates["wiki.example"].to_json() == template.to_json()


def _texts(pages: Pages) -> list[str]:
    return [page.text for page in unmold.clean(pages)]


def test_forked_workers_and_threads_give_the_same(pages: Pages) -> None:
    expected = _texts(pages)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_texts, [pages] * 3) == [expected] * 3
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(_texts, [pages] * 4)) == [expected] * 4


def test_clusters_and_sections_are_those_of_the_command(
    command: str, pages: Pages, jsonl: Path
) -> None:
    def records(*args: str) -> dict[str, Any]:
        program = [command, *args, "--quiet", jsonl, "-o", "-"]
        done = subprocess.run(program, capture_output=True, check=True)
        return {record["id"]: record for record in map(json.loads, done.stdout.splitlines())}

    clusters = records("cluster")
    assert unmold.cluster(pages) == [clusters[page["url"]]["cluster"] for page in pages]
    assert len(set(unmold.cluster(pages))) > 6
    templates = unmold.learn_sites(pages)
    sections = records("sections", "--format", "jsonl")
    for page in pages[::5]:
        found = unmold.sections(page, templates[unmold.Page(**page).site])
        expected = [unmold.Section(**section) for section in sections[page["url"]]["sections"]]
        assert found == expected


def test_a_store_keeps_versions(pages: Pages, tmp_path: Path) -> None:
    store = unmold.Store(tmp_path / "templates.db")
    wiki = [page for page in pages if ".wiki." in page["url"]]
    first = unmold.learn(wiki[:5])
    second = unmold.learn(wiki)
    assert store.put(first) == [("wiki.example", 1, True)]
    assert store.put(first) == [("wiki.example", 1, False)]
    assert store.put(unmold.Templates([second])) == [("wiki.example", 2, True)]
    newest, old = store.get("wiki.example"), store.get("wiki.example", version=1)
    assert newest is not None and newest.to_json() == second.to_json()
    assert old is not None and old.to_json() == first.to_json()
    versions = [(entry.version, entry.pages) for entry in store.versions()]
    assert versions == [(1, first.pages), (2, second.pages)]


def test_kinds_of_pages() -> None:
    pages = [path.read_bytes() for path in sorted((ROOT / "fixtures/shop/pages").rglob("*.html"))]
    assert {page.kind for page in unmold.clean(pages)} == {"list", "product"}
    assert {page.kind for page in unmold.clean(pages, kind="forum")} == {"forum"}
    assert unmold.clean(pages, method="alignment")[0].kind is None
    with pytest.raises(ValueError, match='kind is "shop": use one of article, list'):
        unmold.clean(pages, kind="shop")
