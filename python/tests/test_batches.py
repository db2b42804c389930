"""Tables: the same records, whatever library holds them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest
import unmold
from conftest import Pages, run_clean
from unmold import _unmold
from unmold.api import options_of


def records(batches: Any) -> list[dict[str, Any]]:
    return [unmold.CleanPage(**row).to_dict() for batch in batches for row in batch.to_pylist()]


@pytest.fixture(scope="module")
def expected(pages: Pages) -> list[dict[str, Any]]:
    return [page.to_dict() for page in unmold.clean(pages)]


def test_every_kind_of_table(pages: Pages, expected: list[dict[str, Any]]) -> None:
    table = pa.Table.from_pylist(pages)
    as_bytes = table.set_column(1, "html", table["html"].cast(pa.binary())).append_column(
        "charset", pa.array(["utf-8"] * len(pages))
    )
    sources = {
        "table": table,
        "small batches": pa.Table.from_batches(table.to_batches(max_chunksize=7)),
        "batch": table.combine_chunks().to_batches()[0],
        "list of batches": table.to_batches(max_chunksize=10),
        "large": table.cast(pa.schema([("url", pa.large_string()), ("html", pa.large_string())])),
        "views": table.cast(pa.schema([("url", pa.string_view()), ("html", pa.string_view())])),
        "bytes": as_bytes,
        "large bytes": as_bytes.set_column(1, "html", as_bytes["html"].cast(pa.large_binary())),
        "pandas": pandas.DataFrame(pages),
        "polars": polars.DataFrame(pages),
        "a function": lambda: pa.RecordBatchReader.from_batches(table.schema, table.to_batches()),
    }
    for name, source in sources.items():
        assert records(unmold.clean_batches(source)) == expected, name


def test_a_reader_needs_templates(pages: Pages, expected: list[dict[str, Any]]) -> None:
    table = pa.Table.from_pylist(pages)
    with pytest.raises(ValueError, match="read only once"):
        unmold.clean_batches(table.to_reader())
    templates = unmold.learn_batches(table.to_reader(max_chunksize=3))
    assert records(unmold.clean_batches(table.to_reader(), templates)) == expected


def test_samples_of_parts_give_the_sample_of_all(pages: Pages) -> None:
    table = pa.Table.from_pylist([page for page in pages if "market" in page["url"]])
    options = options_of({"sample": 12})

    def sampler_of(parts: list[pa.Table]) -> _unmold.Sampler:
        sampler = _unmold.Sampler(options, True)
        for part in parts:
            for batch in part.to_batches():
                sampler.add_batch(batch)
        return sampler

    whole = sampler_of([table])
    parts = [sampler_of([table.take(list(range(start, len(table), 3)))]) for start in range(3)]
    again = sampler_of([pa.Table.from_batches([part.held()]) for part in reversed(parts)])
    assert again.held() == whole.held() and again.cuts() == whole.cuts()
    keys = _unmold.Sampler(options, False)
    for part in parts:
        keys.add_keys(part.keys())
    assert keys.keys() == whole.keys() and keys.cuts() == whole.cuts()
    kinds = {
        url.removeprefix("http://www.market.example/")[:4]
        for url in whole.held()["url"].to_pylist()
    }
    assert kinds == {"prod", "blog", "help", "list"}, "pages of all kinds are in the sample"
    few = sampler_of([table.slice(0, 12)])
    assert few.cuts().num_rows == 0, "no cuts where all pages are in the sample"
    with pytest.raises(ValueError, match="keys only: make it with keep_pages=True"):
        keys.learn()
    with pytest.raises(ValueError, match="site, pattern and rank"):
        keys.add_keys(table.to_batches()[0])


def test_wrong_tables_say_so() -> None:
    with pytest.raises(ValueError, match='no column "html" among'):
        list(unmold.clean_batches(pa.table({"text": ["a"]})))
    with pytest.raises(ValueError, match='"html" holds Int64: give it as strings or bytes'):
        list(unmold.clean_batches(pa.table({"html": [1]})))
    with pytest.raises(ValueError, match='"url" holds Int64: give it as strings'):
        list(unmold.clean_batches(pa.table({"html": ["a"], "url": [1]})))
    nothing = list(unmold.clean_batches(pa.table({"html": pa.array([], pa.string())})))
    assert sum(batch.num_rows for batch in nothing) == 0
    null = pa.table({"html": pa.array([None], pa.string()), "id": ["a"]})
    (row,) = records(unmold.clean_batches(null))
    assert row["error"] == '"html" is null' and row["id"] == "a"


def test_files_are_read_as_the_command_reads_them(
    command: str, pages: Pages, jsonl: Path, tmp_path: Path
) -> None:
    packed = tmp_path / "pages.jsonl.gz"
    packed.write_bytes(gzip.compress(jsonl.read_bytes()))
    table = pa.Table.from_pylist(pages)
    pyarrow.parquet.write_table(table, tmp_path / "pages.parquet")
    folder = tmp_path / "site"
    folder.mkdir()
    for number, page in enumerate(pages[:12]):
        (folder / f"{number}.html").write_text(page["html"], "utf-8")
    warc = tmp_path / "pages.warc.gz"
    warc.write_bytes(b"".join(gzip.compress(response(page)) for page in pages))
    lines = run_clean(command, jsonl)
    for path in (jsonl, packed, tmp_path / "pages.parquet", warc):
        batches = unmold.clean_batches(lambda path=path: unmold.read_batches(path))
        rows = [row for batch in batches for row in batch.to_pylist()]
        assert [unmold.CleanPage(**row).to_json() for row in rows] == lines, path
    found = records(unmold.clean_batches(lambda: unmold.read_batches(folder)))
    assert found == [json.loads(line) for line in run_clean(command, folder)]


def response(page: dict[str, Any]) -> bytes:
    """A page as a WARC record."""
    body = page["html"].encode()
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {page['url']}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"
