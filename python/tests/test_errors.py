"""Errors say what is wrong and what to do, in the words of the Python package."""

from __future__ import annotations

import json
import signal
import sqlite3
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import unmold
from conftest import Pages
from unmold import _unmold
from unmold.api import options_of

FUNCTIONS: list[Callable[..., Any]] = [
    unmold.clean,
    unmold.learn,
    unmold.learn_sites,
    unmold.cluster,
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    "page", ["<p>hi", b"<p>hi", bytearray(b"<p>hi"), {"html": "<p>hi"}, unmold.Page("<p>hi")]
)
def test_a_single_page_is_no_list_of_pages(function: Callable[..., Any], page: Any) -> None:
    with pytest.raises(TypeError, match=f"{type(page).__name__}.*give a list of pages"):
        function(page)


@pytest.mark.parametrize("source", ["pages.parquet", Path("pages.parquet"), {"html": ["<p>hi"]}])
def test_a_path_or_a_mapping_is_no_table(source: Any) -> None:
    with pytest.raises(TypeError, match="give a table.*read_batches reads files"):
        unmold.learn_batches(source)


def test_a_mapping_without_html() -> None:
    with pytest.raises(ValueError, match=r"""no key "html" among \['url', 'text'\]"""):
        unmold.clean([{"url": "http://a.org/", "text": "<p>hi"}])


@pytest.mark.parametrize("html", [None, 3, ["<p>hi"]])
def test_html_of_another_type(html: Any) -> None:
    with pytest.raises(TypeError, match=f"{type(html).__name__}: give str or bytes"):
        unmold.clean([{"html": html}])


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"sample": -1}, "sample is -1: use a whole number of at least 2"),
        ({"sample": 1}, "sample is 1: use a whole number of at least 2"),
        ({"sample": 1 << 70}, "sample is 1180591620717411303424: use less than 2^64"),
        ({"seed": -3}, "seed is -3: use a whole number of at least 0"),
        ({"max_page_bytes": 0}, "max_page_bytes is 0: use a whole number of at least 1"),
        ({"max_nodes": -1}, "max_nodes is -1: use a whole number of at least 1"),
        ({"max_depth": -1}, "max_depth is -1: use a whole number of at least 1"),
        ({"min_importance": 1.5}, "min_importance is 1.5: use a number from 0 to 1"),
        ({"min_importance": float("nan")}, "min_importance is NaN: use a number from 0 to 1"),
        ({"threshold": -0.5}, "threshold is -0.5: use a number of pages such as 4, or a share"),
        ({"threshold": 2.5}, "threshold is 2.5: use a number of pages such as 4, or a share"),
        ({"keep": "all"}, 'keep is "all": use "all-unique", "main" or "article"'),
        ({"format": "pdf"}, 'format is "pdf": use "text", "plain", "markdown" or "html"'),
        ({"method": "magic"}, 'unknown method "magic": use one of ' + ", ".join(unmold.METHODS)),
    ],
)
def test_settings_out_of_range(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as raised:
        unmold.clean([], **settings)
    assert str(raised.value).startswith(message)


def test_other_numbers_out_of_range(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="noisy_below is 2: use a number from 0 to 1"):
        unmold.sections("<p>hi", noisy_below=2)
    with pytest.raises(ValueError, match="rows is 0: use a whole number of at least 1"):
        unmold.read_batches(tmp_path, rows=0)
    store = unmold.Store(tmp_path / "templates.db")
    with pytest.raises(ValueError, match="version is 0: use a whole number of at least 1"):
        store.get("a.org", version=0)
    assert store.get("a.org", version=1 << 40) is None


def test_settings_of_another_type_or_name() -> None:
    with pytest.raises(TypeError, match="sample is 'many': use a whole number"):
        unmold.clean([], sample="many")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unknown setting colour: use method, keep,"):
        unmold.clean([], colour="red")  # type: ignore[call-arg]


def test_a_lone_surrogate_is_replaced() -> None:
    page = {"html": "<p>half \ud800 of a pair", "url": "http://a.org/\udcff", "id": "\udcff"}
    (clean,) = unmold.clean([page])
    assert "half" in clean.text and "\ufffd" in clean.text and clean.error is None
    assert clean.site == "a.org" and clean.id == "\ufffd" * 3
    assert json.loads(clean.to_json().encode()) == clean.to_dict()
    assert unmold.Page("", site="\ud800").site == "\ufffd" * 3
    with pytest.raises(ValueError, match="not a template file"):
        unmold.Templates.from_json("\ud800")


def test_a_page_over_the_limit() -> None:
    html = "<p>" + "All about tea. " * 100
    expected = "longer than 500 bytes, only the beginning was read: raise max_page_bytes"
    (page,) = unmold.clean([html], max_page_bytes=500)
    assert page.error == expected and "too_large" in page.flags and "All about tea." in page.text
    (batch,) = unmold.clean_batches(pa.table({"html": [html]}), max_page_bytes=500)
    assert batch["error"].to_pylist() == [expected]


def test_pages_that_cannot_be_learned_from() -> None:
    with pytest.raises(ValueError, match="use learn_sites"):
        unmold.learn([{"html": "a", "site": "a"}, {"html": "b", "site": "b"}])
    with pytest.raises(ValueError, match="no page to learn from"):
        unmold.learn([])
    with pytest.raises(ValueError, match="at least 2 different pages, and there are 1: add pages"):
        unmold.learn(["<p>All alone"], method="alignment")
    with pytest.warns(UserWarning, match="site a.org: .*; its pages are passed through"):
        unmold.clean([{"html": "a", "url": "http://a.org/"}], method="alignment")


OTHER_MODEL = (
    "the template of wiki.example was learned with model 0123456789abcdef, and this release has "
    "model .*: learn it again with `learn` or `learn_sites`$"
)


@pytest.fixture(scope="module")
def wiki(pages: Pages) -> unmold.Template:
    return unmold.learn(page for page in pages if ".wiki." in page["url"])


@pytest.fixture(scope="module")
def of_other_model(wiki: unmold.Template) -> str:
    """A template file of a release with other weights."""
    file = json.loads(wiki.to_json())
    file["templates"][0]["model"] = "0123456789abcdef"
    return json.dumps(file)


def test_template_files_that_cannot_be_used(wiki: unmold.Template, of_other_model: str) -> None:
    with pytest.raises(ValueError, match=OTHER_MODEL):
        unmold.Template.from_json(of_other_model)
    both = unmold.learn_sites([{"html": "a", "site": "a"}, {"html": "b", "site": "b"}])
    with pytest.raises(ValueError, match="2 sites: read it with Templates.from_json"):
        unmold.Template.from_json(both.to_json())
    with pytest.raises(ValueError, match="damaged .*: learn again"):
        unmold.Templates.from_json(wiki.to_json()[:1000])


def test_stored_templates_that_cannot_be_used(
    wiki: unmold.Template, of_other_model: str, tmp_path: Path
) -> None:
    path = tmp_path / "templates.db"
    store = unmold.Store(path)
    store.put(wiki)
    set_stored(path, pa.compress(of_other_model.encode(), "zstd", asbytes=True))
    for version in (None, 1):
        with pytest.raises(ValueError, match=OTHER_MODEL):
            store.get("wiki.example", version)
    set_stored(path, b"nothing that was ever compressed")
    with pytest.raises(OSError, match="version 1 of wiki.example is damaged .*: learn it again"):
        store.get("wiki.example")


def set_stored(path: Path, blob: bytes) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE template_set SET json_zstd = ?", [blob])


def test_stores_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="not a template store: give the path of one, or of a new file"):
        unmold.Store(__file__)
    with pytest.raises(OSError, match="cannot create the template store .*: No such file"):
        unmold.Store(tmp_path / "missing" / "templates.db")


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"html": "a"}\n{"html": \n{"html": "b"}\n{"url": 3}\n')
    with pytest.warns(UserWarning) as warned:
        pages = pa.Table.from_batches(unmold.read_batches(broken))
    assert pages["html"].to_pylist() == [b"a", b"b"]
    assert [":".join(str(warning.message).split(":")[:2]) for warning in warned] == [
        f"{broken}:2",
        f"{broken}:4",
    ]
    told: list[tuple[str, str]] = []
    with warnings.catch_warnings(action="error"):
        read = unmold.read_batches(broken, problem=lambda place, what: told.append((place, what)))
        assert len(list(read)) == 1
    assert [place for place, _ in told] == [f"{broken}:2", f"{broken}:4"]


def test_problems_are_told_as_they_come(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"html": \n{"html": "a"}\n{"html": "b"}\n')
    told: list[str] = []
    reader = unmold.read_batches(broken, rows=1, problem=lambda place, _: told.append(place))
    assert told == [] and next(reader).num_rows == 1
    assert told == [f"{broken}:1"]


def test_a_source_that_is_read_twice_warns_once(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"html": "a"}\n{"html": \n')
    with warnings.catch_warnings(record=True) as warned:
        warnings.resetwarnings()
        assert len(list(unmold.clean_batches(lambda: unmold.read_batches(broken)))) == 1
    assert len([warning for warning in warned if "broken.jsonl" in str(warning.message)]) == 1


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot read .*check the path"):
        unmold.read_batches(tmp_path / "missing.jsonl")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs signals")
def test_learning_is_interrupted() -> None:
    """Three alarms while one call learns: if it did not look at signals, there would be one."""
    alarms: list[int] = []

    def ring(number: int, _: object) -> None:
        alarms.append(number)
        if len(alarms) == 3:
            raise KeyboardInterrupt

    blocks = "".join(f"<div class=c{n}><p>Words of block {n}</p></div>" for n in range(20_000))
    pages = [f"<nav>Home Shop</nav>{blocks}<p>Story {n}" for n in range(40)]
    sampler = _unmold.Sampler(options_of({}), True)
    sampler.add_pages([unmold.Page(page) for page in pages])
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.15, 0.15)
    try:
        with pytest.raises(KeyboardInterrupt):
            sampler.learn()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_template_file_is_written_as_a_whole(wiki: unmold.Template, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    templates = unmold.Templates([wiki])
    templates.save(path)
    assert unmold.Templates.load(path).to_json() == templates.to_json()
    with pytest.raises(OSError):
        templates.save(tmp_path)
    assert list(tmp_path.iterdir()) == [path]


def test_saving_keeps_corrections_and_files_of_others(
    wiki: unmold.Template, tmp_path: Path
) -> None:
    path, page = tmp_path / "t.json", tmp_path / "page.html"
    templates = unmold.Templates([wiki])
    corrected = json.loads(templates.to_json())
    correction = {"serial": 1, "verdict": "template", "text": "only a correction"}
    corrected["templates"][0]["overrides"] = [correction]
    path.write_text(json.dumps(corrected), encoding="utf-8")
    templates.save(path)
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert saved["templates"][0]["overrides"] == [correction]
    page.write_text("<p>mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match="page.html"):
        templates.save(page)
    assert page.read_text(encoding="utf-8") == "<p>mine"
    templates.save(page, force=True)
    assert unmold.Templates.load(page).to_json() == templates.to_json()


def test_rows_without_a_page_say_why() -> None:
    pages = pa.table({"html": ["<p>x", None, None], "error": [None, "cut in two", None]})
    (batch,) = unmold.clean_batches(pages)
    assert batch["error"].to_pylist() == [None, "cut in two", '"html" is null']
