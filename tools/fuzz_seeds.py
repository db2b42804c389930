#!/usr/bin/env python3
"""Writes the first inputs of the fuzz targets, made from the bundled sites.

    tools/fuzz_seeds.py COMMAND fuzz/corpus

COMMAND is a built `unmold`, which makes templates and stores. Parquet needs pyarrow and is left out
without it.
"""

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITES = ["blog", "forum", "gazette", "manual", "shop", "wiki"]
MAX_BYTES = 16 << 10
"""Larger pages are cut: targets that are slow find less."""
QUERIES = [
    "lighthouse tea",
    '"a phrase"~2',
    "+bread -tea",
    "title:tea AND (site:site1.example OR NOT über)",
    "[a TO z]",
    "id: IN [page-1 page-2]",
    "tea^2.5 li*",
    "content:/t.a/",
]


def pages(site: str) -> list[bytes]:
    found = sorted((ROOT / "fixtures" / site / "pages").rglob("*.html"))
    return [path.read_bytes()[:MAX_BYTES] for path in found]


def warc_record(url: str, html: bytes) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def seeds(site: str, command: str, folder: Path) -> dict[str, list[bytes]]:
    """The inputs of each target."""
    found = pages(site)
    few = [page[:2000] for page in found[:4]]
    urls = [f"http://{site}.example/{n}" for n in range(len(few))]
    lines = [
        json.dumps({"url": url, "html": page.decode("utf-8", "replace")}).encode() + b"\n"
        for url, page in zip(urls, few, strict=True)
    ]
    records = [warc_record(url, page) for url, page in zip(urls, few, strict=True)]
    templates = {}
    for name in ("t.json", "t.db"):
        learn = [command, "learn", "--quiet", "--site", site, "-t", str(folder / name)]
        subprocess.run([*learn, str(ROOT / "fixtures" / site / "pages")], check=True)
        templates[name] = (folder / name).read_bytes()
        (folder / name).unlink()
    return {
        **{target: found for target in ("parse", "parsers", "sections", "markdown")},
        "learn_strip": [b"\xff".join(few), b"\xff".join(few[:2])],
        "warc": [b"".join(records), b"".join(gzip.compress(record) for record in records)],
        "jsonl": [b"".join(lines), b"".join(gzip.compress(line) for line in lines)],
        "template": [templates["t.json"]],
        # The target writes the first bytes of the header itself.
        "store": [templates["t.db"].removeprefix(b"SQLite format 3\0")],
        "parquet": parquet(urls, few),
        "search": [query.encode() for query in QUERIES],
    }


def parquet(urls: list[str], html: list[bytes]) -> list[bytes]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return []
    made = []
    for compression in ("none", "zstd"):
        sink = pyarrow.BufferOutputStream()
        table = pyarrow.table({"url": urls, "html": html})
        pyarrow.parquet.write_table(table, sink, compression=compression, row_group_size=2)
        made.append(sink.getvalue().to_pybytes())
    return made


def main() -> None:
    command, out = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        for site in SITES:
            for target, inputs in seeds(site, command, Path(folder)).items():
                (out / target).mkdir(parents=True, exist_ok=True)
                for number, data in enumerate(inputs):
                    (out / target / f"{site}-{number}").write_bytes(data)


if __name__ == "__main__":
    main()
