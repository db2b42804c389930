"""Compares the speed of the Python package with the command's, and measures learning and stripping.

    python python/benches/speed.py [--runs 5] [--pages 3000] FOLDER…

Each FOLDER is a site. Times are CPU seconds on one core, user and system together, the minimum of
all runs: other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

import unmold

ROOT = Path(__file__).resolve().parents[2]


def spent() -> float:
    """CPU seconds of this process and of those it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def cheapest(runs: int, works: list[Callable[[], object]]) -> list[float]:
    """CPU seconds of the cheapest run of each, taken in turns, so that all see the same load."""

    def once(work: Callable[[], object]) -> float:
        before = spent()
        work()
        return spent() - before

    rounds = [[once(work) for work in works] for _ in range(runs)]
    return [min(times) for times in zip(*rounds, strict=True)]


def read(folders: list[Path], max_pages: int) -> list[dict[str, str]]:
    """Pages of all folders, evenly thinned out or repeated to the number wanted."""
    pages = []
    for folder in folders:
        name = folder.parent.name if folder.name == "pages" else folder.name
        site = f"{name.replace('_', '-').lower()}.example"
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".html", ".htm"):
                html = path.read_bytes().decode("utf-8", "replace")
                pages.append({"url": f"http://{site}/{path.name}", "html": html})
    if len(pages) < max_pages:
        return [pages[n % len(pages)] for n in range(max_pages)]
    return pages[:: len(pages) // max_pages][:max_pages]


def response(page: dict[str, str]) -> bytes:
    """A page as a WARC record."""
    body = page["html"].encode()
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {page['url']}\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pages", type=int, default=3000)
    given = os.environ.get("UNMOLD", str(ROOT / "target/release/unmold"))
    parser.add_argument("--command", default=given, help="the command [default: %(default)s]")
    parser.add_argument("folders", nargs="*", type=Path)
    args = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    folders = args.folders or sorted(ROOT.glob("fixtures/*/pages"))
    pages = read(folders, args.pages)
    count, megabytes = len(pages), sum(len(page["html"].encode()) for page in pages) / 1e6
    print(
        f"{count} pages, {megabytes:.0f} MB, {1e3 * megabytes / count:.1f} kB a page, one core, "
        f"minimum of {args.runs} runs"
    )

    with tempfile.TemporaryDirectory() as folder:
        names = ("pages.jsonl", "pages.warc.gz", "templates.json", "out.jsonl", "python.jsonl")
        file, warc, templates_file, out, python_out = (f"{folder}/{name}" for name in names)
        with open(file, "w", encoding="utf-8") as lines:
            lines.writelines(json.dumps(page, ensure_ascii=False) + "\n" for page in pages)
        (learn,) = cheapest(1, [lambda: unmold.learn_sites(pages)])
        templates = unmold.learn_sites(pages)
        templates.save(templates_file)
        strip = [args.command, "strip", "--quiet", "--threads", "1", "-t", templates_file]

        def of_command() -> None:
            done = subprocess.run([*strip, file, "-o", out], stderr=subprocess.DEVNULL)
            # 1: a page could not be read, and its record says so.
            assert done.returncode in (0, 1)

        def of_batches() -> None:
            for _ in unmold.clean_batches(unmold.read_batches(file), templates):
                pass

        def of_batches_written() -> None:
            with open(python_out, "w", encoding="utf-8") as lines:
                for batch in unmold.clean_batches(unmold.read_batches(file), templates):
                    records = (unmold.CleanPage(**row) for row in batch.to_pylist())
                    lines.writelines(record.to_json() + "\n" for record in records)

        def of_pages() -> None:
            for page in pages:
                templates.strip(page)

        works = [of_command, of_batches, of_batches_written, of_pages]
        reference, *others = cheapest(args.runs, works)
        print(f"{'unmold strip --threads 1, JSONL to JSONL':50} {count / reference:7.0f} pages/s")
        names = [
            "clean_batches(read_batches(…)), JSONL to Arrow",
            "the same, written as JSONL by Python",
            "Templates.strip(page), page by page in memory",
        ]
        for name, seconds in zip(names, others, strict=True):
            print(f"{name:50} {count / seconds:7.0f} pages/s  ratio {reference / seconds:.2f}")
        assert Path(out).read_bytes() == Path(python_out).read_bytes()

        Path(warc).write_bytes(b"".join(gzip.compress(response(page), 6) for page in pages))
        packed_pages = os.path.getsize(warc)
        (reading,) = cheapest(args.runs, [lambda: sum(1 for _ in unmold.read_batches(warc))])
        print(
            f"reading gzipped WARC: {1e3 * reading / count:.2f} ms a page of "
            f"{packed_pages / count / 1e3:.1f} kB on disk"
        )
        sampled = sum(template.pages for template in templates.values())
        files = [template.to_json().encode() for template in templates.values()]
        written = os.path.getsize(out)
        packed = sum(len(zlib.compress(file)) for file in files) / len(files)
        print(
            f"learning: {len(files)} sites, {sampled} sampled pages, "
            f"{1e3 * learn / sampled:.2f} ms a sampled page"
        )
        print(
            f"stripping: {1e3 * reference / count:.2f} ms a page; "
            f"{written / count / 1e3:.1f} kB of records a page"
        )
        print(
            f"a template: {sum(map(len, files)) / len(files) / 1e3:.0f} kB as JSON, "
            f"{packed / 1e3:.1f} kB compressed"
        )


if __name__ == "__main__":
    main()
