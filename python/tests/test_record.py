"""The record of a page is defined once, in the library: all schemas are derived from it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import get_type_hints

import pyarrow as pa
import unmold
import unmold.spark
from conftest import run_clean, write_jsonl

NAMES = [name for name, _ in unmold.RECORD_FIELDS]
# Fields that many pages do not have.
OPTIONAL = {
    "author", "published", "modified", "site_name", "description", "language", "canonical", "image",
    "detected_language", "comments", "error", "duplicate_of", "kind",
}  # fmt: skip


def test_fields_have_known_types() -> None:
    assert {kind for _, kind in unmold.RECORD_FIELDS} == {"text", "number", "texts"}
    assert len(set(NAMES)) == len(NAMES)


def test_the_dataclass() -> None:
    types = {"text": (str, str | None), "number": (float, float | None), "texts": (list[str],)}
    hints = get_type_hints(unmold.CleanPage)
    assert [field.name for field in dataclasses.fields(unmold.CleanPage)] == NAMES
    for name, kind in unmold.RECORD_FIELDS:
        assert hints[name] in types[kind], name


def test_values_have_the_types_of_the_dataclass() -> None:
    (page,) = unmold.clean(
        [{"html": "<title>Tea</title><p>All about tea.", "url": "http://a.org/"}]
    )
    types = {"text": str, "number": float, "texts": list}
    for name, kind in unmold.RECORD_FIELDS:
        value = getattr(page, name)
        assert isinstance(value, types[kind]) or (name in OPTIONAL and value is None), name
    (failed,) = unmold.clean([b"%PDF-1.4"])
    assert failed.error == "not a text file" and failed.url is None and failed.title is None


def test_arrow() -> None:
    types = {"text": pa.string(), "number": pa.float64(), "texts": pa.list_(pa.string())}
    (batch,) = unmold.clean_batches(pa.table({"html": ["<p>Tea"]}))
    found = [(field.name, field.type, field.nullable) for field in batch.schema]
    assert found == [(name, types[kind], True) for name, kind in unmold.RECORD_FIELDS]


def test_spark() -> None:
    types = {"text": "string", "number": "double", "texts": "array<string>"}
    columns = [column.split(" ") for column in unmold.spark.RECORDS.split(", ")]
    assert columns == [[name, types[kind]] for name, kind in unmold.RECORD_FIELDS]


def test_json_of_the_command(command: str, tmp_path: Path) -> None:
    html = ["<title>Tea</title><p>All about tea.", "%PDF-1.4 is not a page"]
    path = write_jsonl([{"html": text} for text in html], tmp_path / "two.jsonl")
    good, failed = (json.loads(line) for line in run_clean(command, path))
    # Fields that are written only if they were asked for.
    names = [name for name in NAMES if name not in ("comments", "duplicate_of")]
    assert list(failed) == names
    assert list(good) == [name for name in names if name != "error"]
    types = {"text": str, "number": float, "texts": list}
    for name, kind in unmold.RECORD_FIELDS:
        values = [value for record in (good, failed) if (value := record.get(name)) is not None]
        assert all(isinstance(value, types[kind]) for value in values), name


def test_padding_is_not_part_of_a_page() -> None:
    html = "<title>Tea</title><p>All about tea.".encode()
    (plain,), (padded,) = unmold.clean([html]), unmold.clean([html + bytes(5000)])
    assert (padded.text, padded.flags, padded.error) == (plain.text, plain.flags, None)
