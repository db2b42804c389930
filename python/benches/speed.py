"""Speed of the Python package beside that of the command, on the same pages, and what learning and stripping cost.

    python python/benches/speed.py [--runs 5] [--pages 3000] FOLDER…

Each FOLDER is a site. Times are CPU seconds on one core, user and system together, the least of all runs: other work on
the machine does not count.
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
    """CPU seconds of this process and of those it has started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def least(runs: int, works: list[Callable[[], object]]) -> list[float]:
    """CPU seconds of the cheapest run of each; in turn, so that all meet the same neighbours."""

    def once(work: Callable[[], object]) -> float:
        before = spent()
        work()
        return spent() - before

    return [min(times) for times in zip(*[[once(work) for work in works] for _ in range(runs)], strict=True)]


def read(folders: list[Path], most: int) -> list[dict[str, str]]:
    """Pages of the folders in turn, until there are enough; then the same again."""
    sites = [sorted(path for path in folder.rglob("*") if path.suffix in (".html", ".htm")) for folder in folders]
    pages = []
    for folder, files in zip(folders, sites, strict=True):
        site = folder.parent.name if folder.name == "pages" else folder.name
        for path in files:
            html = path.read_bytes().decode("utf-8", "replace")
            pages.append({"url": f"http://{site.replace('_', '-').lower()}.example/{path.name}", "html": html})
    return [pages[at % len(pages)] for at in range(most)] if len(pages) < most else pages[:: len(pages) // most][:most]


def response(page: dict[str, str]) -> bytes:
    """A page as a record of a web archive."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page["html"].encode()
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {page['url']}\r\nContent-Length: {len(http)}\r\n\r\n"
    return head.encode() + http + b"\r\n\r\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--command", default=os.environ.get("UNMOLD"), help="the command [default: built from here]")
    parser.add_argument("folders", nargs="*", type=Path)
    args = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    folders = args.folders or sorted(ROOT.glob("fixtures/*/pages"))
    command = args.command or str(ROOT / "target/release/unmold")
    pages = read(folders, args.pages)
    count, megabytes = len(pages), sum(len(page["html"].encode()) for page in pages) / 1e6
    print(f"{count} pages, {megabytes:.0f} MB, {1e3 * megabytes / count:.1f} kB a page, one core, least of {args.runs} runs")

    with tempfile.TemporaryDirectory() as folder:
        file, templates_file, out = f"{folder}/pages.jsonl", f"{folder}/templates.json", f"{folder}/out.jsonl"
        with open(file, "w", encoding="utf-8") as lines:
            lines.writelines(json.dumps(page, ensure_ascii=False) + "\n" for page in pages)
        (learn,) = least(1, [lambda: unmold.learn_sites(pages)])
        templates = unmold.learn_sites(pages)
        templates.save(templates_file)
        strip = [command, "strip", "--quiet", "--threads", "1", "-t", templates_file, file, "-o"]

        def of_command() -> None:
            # 1: a page could not be read, and has a record that says so.
            assert subprocess.run([*strip, out], stderr=subprocess.DEVNULL).returncode in (0, 1)

        def of_batches() -> None:
            for _ in unmold.clean_batches(unmold.read_batches(file), templates):
                pass

        def of_batches_written() -> None:
            with open(f"{folder}/python.jsonl", "w", encoding="utf-8") as lines:
                for batch in unmold.clean_batches(unmold.read_batches(file), templates):
                    lines.writelines(unmold.CleanPage(**row).to_json() + "\n" for row in batch.to_pylist())

        def of_pages() -> None:
            for page in pages:
                templates.strip(page)

        reference, *others = least(args.runs, [of_command, of_batches, of_batches_written, of_pages])
        print(f"{'unmold strip --threads 1, JSONL to JSONL':50} {count / reference:7.0f} pages/s")
        names = [
            "clean_batches(read_batches(…)), JSONL to Arrow",
            "the same, written as JSONL by Python",
            "Templates.strip(page), page by page in memory",
        ]
        for name, seconds in zip(names, others, strict=True):
            print(f"{name:50} {count / seconds:7.0f} pages/s  ratio {reference / seconds:.2f}")
        assert Path(out).read_bytes() == Path(f"{folder}/python.jsonl").read_bytes()

        Path(f"{folder}/pages.warc.gz").write_bytes(b"".join(gzip.compress(response(page), 6) for page in pages))
        packed_pages = os.path.getsize(f"{folder}/pages.warc.gz")
        (read_warc,) = least(args.runs, [lambda: sum(1 for _ in unmold.read_batches(f"{folder}/pages.warc.gz"))])
        print(f"reading gzipped WARC: {1e3 * read_warc / count:.2f} ms a page of {packed_pages / count / 1e3:.1f} kB on disk")
        sampled = sum(template.pages for template in templates.values())
        files = [template.to_json().encode() for template in templates.values()]
        written = os.path.getsize(out)
        packed = sum(len(zlib.compress(file)) for file in files) / len(files)
        print(f"learning: {len(files)} sites, {sampled} sampled pages, {1e3 * learn / sampled:.2f} ms a sampled page")
        print(f"stripping: {1e3 * reference / count:.2f} ms a page; {written / count / 1e3:.1f} kB of records a page")
        print(f"a template: {sum(map(len, files)) / len(files) / 1e3:.0f} kB as JSON, {packed / 1e3:.1f} kB compressed")


if __name__ == "__main__":
    main()
