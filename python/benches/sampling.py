"""Measures sampling on Spark under skew: synthetic page records, nearly all of them on one host.

    python python/benches/sampling.py [--records 1000000] [--share 0.9] [--sites 2000]
                                      [--bytes 2000] [--plain]

Draws the sample that templates are learned from (`unmold.spark.sample`), checks its size, and
prints the seconds and, from Spark's event log, the bytes shuffled. `--plain` also draws with a rank
window, for which Spark sends the first pages of each partition and site to one task.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import shake_128
from pathlib import Path
from typing import Any

import pyarrow as pa
import unmold.spark
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as f
from unmold import _unmold
from unmold.api import options_of


def pages_of(
    spark: SparkSession, records: int, share: float, sites: int, size: int, parts: int
) -> unmold.spark.Pages:
    """Records that are generated when they are read."""

    def make(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            numbers = batch.column("id").to_pylist()
            on_one = share * records
            hosts = ["giant.example" if n < on_one else f"site{n % sites}.example" for n in numbers]
            # Every hundredth page is a copy of another, under its own address.
            originals = (n - 1 if n % 100 == 1 else n for n in numbers)
            # Hexadecimal digits compress to half, so that pages do not compress to nothing.
            html = [b"<p>" + shake_128(b"%d" % n).hexdigest(size // 2).encode() for n in originals]
            urls = [f"http://{host}/{n}" for host, n in zip(hosts, numbers, strict=True)]
            columns = {
                "id": pa.array(urls),
                "url": pa.array(urls),
                "site": pa.array(hosts),
                "charset": pa.nulls(len(numbers), pa.string()),
                "html": pa.array(html, pa.binary()),
            }
            yield pa.record_batch(columns)

    return unmold.spark.Pages(spark.range(0, records, 1, parts), make)


def by_window(pages: unmold.spark.Pages, max_pages: int) -> DataFrame:
    """The plain way: ranks all pages of a site."""
    ranked = pages.table().withColumn("rank", f.xxhash64("html"))
    order = Window.partitionBy("site").orderBy("rank")
    return ranked.withColumn("place", f.row_number().over(order)).where(f.col("place") <= max_pages)


def shuffled(log: Path) -> int:
    """Bytes that all tasks in an event log wrote to shuffles."""
    total = 0
    for file in filter(Path.is_file, log.rglob("*")):
        for line in file.read_text(errors="replace").splitlines():
            if '"SparkListenerTaskEnd"' in line:
                metrics: dict[str, Any] = json.loads(line).get("Task Metrics") or {}
                written = metrics.get("Shuffle Write Metrics", {})
                total += written.get("Shuffle Bytes Written", 0)
    return total


def run(args: argparse.Namespace, name: str) -> None:
    with tempfile.TemporaryDirectory() as log:
        spark = (
            SparkSession.builder.master(f"local[{args.cores}]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.memory", "3g")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "16")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "2000")
            .config("spark.eventLog.enabled", "true")
            .config("spark.eventLog.compress", "false")
            .config("spark.eventLog.dir", f"file://{log}")
            .getOrCreate()
        )
        spark.sparkContext.setLogLevel("ERROR")
        pages = pages_of(spark, args.records, args.share, args.sites, args.bytes, args.parts)
        if name == "unmold":
            own_costs(pages, args.sample)
        started = time.monotonic()
        if name == "unmold":
            drawn = unmold.spark.sample(pages, sample=args.sample)
        else:
            drawn = by_window(pages, args.sample)
        counted = drawn.groupBy("site").agg(f.countDistinct("html").alias("n"))
        counts = {row["site"]: row["n"] for row in counted.collect()}
        seconds = time.monotonic() - started
        spark.stop()
        print(
            f"{name}: {args.records} records, {args.share:.0%} on one host, {len(counts)} sites: "
            f"{seconds:.0f} s on {args.cores} cores; drawn {sum(counts.values())}, "
            f"of the giant {counts['giant.example']}; "
            f"shuffled {shuffled(Path(log)) / 1e6:.1f} MB of {args.records * args.bytes / 1e6:.0f}",
            flush=True,
        )
        assert name != "unmold" or counts["giant.example"] == args.sample


def own_costs(pages: unmold.spark.Pages, max_pages: int) -> None:
    """CPU time of the steps on records of the giant, without Spark.

    Most of a trial goes into making records.
    """
    numbers = [
        pa.record_batch({"id": pa.array(range(start, start + 2000))})
        for start in range(0, 100_000, 2000)
    ]
    options = options_of({"sample": max_pages})

    def spent(work: Callable[[], Any]) -> tuple[float, Any]:
        before = time.process_time()
        result = work()
        return 10 * (time.process_time() - before), result

    make, batches = spent(lambda: list(pages.read(iter(numbers))))
    sampler = _unmold.Sampler(options, False)
    rank, _ = spent(lambda: [sampler.add_batch(batch) for batch in batches])

    def keys_of(batch: pa.RecordBatch) -> list[list[int]]:
        return [column.to_pylist() for column in _unmold.sample_keys(batch, options).columns]

    choose, _ = spent(lambda: [keys_of(batch) for batch in batches])
    print(
        f"CPU seconds for a million records: made {make:.1f}, ranked and drawn {rank:.2f}, "
        f"ranked again {choose:.2f}"
    )


def main() -> None:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--share", type=float, default=0.9)
    parser.add_argument("--sites", type=int, default=2000)
    parser.add_argument("--bytes", type=int, default=2000)
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--parts", type=int, default=200)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--plain", action="store_true")
    args = parser.parse_args()
    run(args, "unmold")
    if args.plain:
        run(args, "rank window")


if __name__ == "__main__":
    main()
