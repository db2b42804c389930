"""A real Spark cluster: the rows are those of the command, even if a worker dies."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

if shutil.which("java") is None:
    pytest.skip("skipped: no java, so no Spark", allow_module_level=True)

import doctest

import pyarrow as pa
import pyarrow.parquet
import unmold.spark
from cluster import HOST, Cluster
from conftest import Pages, run_clean
from pyspark.sql import SparkSession
from test_batches import response

BUNDLED = ("blog", "forum", "gazette", "manual", "market", "shop", "wiki")


def test_examples_in_the_documentation() -> None:
    result = doctest.testmod(unmold.spark)
    assert result.attempted > 0 and result.failed == 0


@pytest.fixture(scope="module")
def crawl(pages: Pages, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl in the layout of Common Crawl.

    One page has copies under many addresses, and one site has a single page.
    """
    copy, only = pages[3]["html"], "<nav>Home</nav><p>The only page of this site."
    copies = [{"url": f"http://www.blog.example/copy/{n}", "html": copy} for n in range(30)]
    everything = [*pages, *copies, {"url": "http://single.example/", "html": only}]
    folder = tmp_path_factory.mktemp("crawl")
    segment = folder / "crawl-data/CC-TEST-1/segments/1/warc"
    segment.mkdir(parents=True)
    for number in range(4):
        records = [gzip.compress(response(page)) for page in everything[number::4]]
        (segment / f"CC-{number:05d}.warc.gz").write_bytes(b"".join(records))
    listing = "".join(f"{path.relative_to(folder)}\n" for path in sorted(segment.iterdir()))
    (folder / "warc.paths.gz").write_bytes(gzip.compress(listing.encode()))
    return folder


@pytest.fixture(scope="module")
def expected(command: str, crawl: Path) -> list[str]:
    return sorted(run_clean(command, *sorted(crawl.rglob("*.warc.gz")), "--sample", "12"))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("spark")) as running:
        os.environ.update(running.environment)
        yield running


@pytest.fixture(scope="module")
def spark(cluster: Cluster) -> Iterator[SparkSession]:
    session = (
        SparkSession.builder.master(cluster.master)
        .config("spark.driver.host", HOST)
        .config("spark.driver.bindAddress", HOST)
        .config("spark.ui.enabled", "false")
        .config("spark.executor.memory", "700m")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "200")
        .getOrCreate()
    )
    yield session
    session.stop()


def records(folder: Path) -> list[str]:
    rows = pa.parquet.read_table(folder / "pages").to_pylist()
    return sorted(unmold.CleanPage(**row).to_json() for row in rows)


def test_the_program_gives_the_rows_of_the_command(
    cluster: Cluster, crawl: Path, expected: list[str], tmp_path: Path
) -> None:
    program = [sys.executable, "-m", "unmold.spark", f"{crawl}/warc.paths.gz", "--base"]
    program += [f"{crawl}/", "-o", str(tmp_path / "out"), "--sample", "12"]
    conf = {
        "spark.driver.host": HOST,
        "spark.driver.bindAddress": HOST,
        "spark.executor.memory": "700m",
        "spark.sql.shuffle.partitions": "4",
    }
    given = " ".join(f"--conf {name}={value}" for name, value in conf.items())
    submit = f"--master {cluster.master} {given} pyspark-shell"
    environment = {**cluster.environment, "PYSPARK_SUBMIT_ARGS": submit}
    first = subprocess.run(program, env=environment, capture_output=True, text=True)
    assert first.returncode == 0, first.stderr
    assert records(tmp_path / "out") == expected
    counters = json.loads(first.stdout)
    counted = (counters["pages"], counters["sites"], counters["failed"])
    assert counted == (len(expected), len(BUNDLED) + 1, 0)
    assert counters["flags"]["single_page"] == 1


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("out") / "out"


def files(out: Path) -> list[Path]:
    return sorted((out / "pages").iterdir())


def test_tables_joined_templates_and_repetition(
    spark: SparkSession, crawl: Path, expected: list[str], tmp_path: Path, out: Path
) -> None:
    paths = [str(path) for path in sorted(crawl.rglob("*.warc.gz"))]
    unmold.spark.read(spark, paths).table().write.parquet(str(tmp_path / "table"))
    read = spark.read.parquet(str(tmp_path / "table"))
    table = unmold.spark.pages(read.select("url", "html", "charset"))
    counters = unmold.spark.clean(table, str(out), of="table", join=True, sample=12)
    assert records(out) == expected
    types = {"text": "string", "number": "double", "texts": "array<string>"}
    schema = spark.read.parquet(str(out / "pages")).schema
    columns = [(field.name, field.dataType.simpleString()) for field in schema]
    assert columns == [(name, types[kind]) for name, kind in unmold.RECORD_FIELDS]
    before = files(out)
    assert unmold.spark.clean(table, str(out), of="table", sample=12) == counters
    assert files(out) == before, "a finished phase is not repeated"
    (out / "pages.done").unlink()
    assert unmold.spark.clean(table, str(out), of="table", sample=12) == counters
    assert records(out) == expected and files(out) != before, "an unfinished phase is"


def test_tables_have_the_rows_of_one_machine(spark: SparkSession, pages: Pages) -> None:
    rows = [(page["url"], page["html"]) for page in pages]
    table = unmold.spark.pages(spark.createDataFrame(rows, "url string, html string"))
    templates = unmold.spark.learn(table, sample=12, records=True).cache()
    expected = unmold.records(pages, sample=12)
    assert unmold.spark.kinds(templates) == sorted(found.kind for found in expected)
    largest = expected.main
    found = unmold.spark.records(table, templates, largest.kind).toArrow().to_pylist()
    assert sorted(found, key=lambda row: row["id"]) == sorted(
        largest.table.to_pylist(), key=lambda row: row["id"]
    )
    with pytest.raises(ValueError, match="kinds"):
        unmold.spark.records(table, templates, "nowhere.example#1")


def test_the_sample_is_the_same_on_any_partitions(spark: SparkSession, crawl: Path) -> None:
    pages = unmold.spark.read(spark, [str(path) for path in sorted(crawl.rglob("*.warc.gz"))])
    samples = []
    for some in (pages, unmold.spark.pages(pages.table().coalesce(1))):
        rows = unmold.spark.sample(some, sample=4).select("site", "html", "id").collect()
        first = {}
        for row in sorted(rows, key=lambda row: row["id"]):
            first.setdefault((row["site"], bytes(row["html"])), row["id"])
        samples.append(sorted((site, id) for (site, _), id in first.items()))
    assert samples[0] == samples[1]
    sizes = Counter(site for site, _ in samples[0])
    assert sizes == {"single.example": 1, **{f"{name}.example": 4 for name in BUNDLED}}


def test_unreadable_records_are_counted(spark: SparkSession, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    lines = [json.dumps({"url": f"http://a.org/{n}", "html": f"<p>Tea {n}"}) for n in range(4)]
    broken.write_text("\n".join([*lines[:2], '{"html": ', *lines[2:]]))
    pages = unmold.spark.read(spark, [str(broken)])
    counters = unmold.spark.clean(pages, str(tmp_path / "out"))
    assert (counters["pages"], counters["failed"]) == (5, 1)
    rows = pa.parquet.read_table(tmp_path / "out" / "pages").to_pylist()
    (failed,) = [row for row in rows if row["error"] is not None]
    assert failed["id"].endswith("broken.jsonl:3") and "not a JSON object" in failed["error"]


def test_a_worker_that_is_killed_changes_nothing(
    spark: SparkSession, cluster: Cluster, crawl: Path, expected: list[str], out: Path
) -> None:
    """Comes last, because the cluster is left with one worker.

    Overwrites what was written for another input.
    """
    paths = [str(path) for path in sorted(crawl.rglob("*.warc.gz"))]

    def slowly(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            time.sleep(1.5)
            yield batch

    table = unmold.spark.read(spark, paths).table()
    pages = unmold.spark.pages(table.mapInArrow(slowly, unmold.spark.PAGES))
    doomed = cluster.processes[1]
    killed = []

    def kill() -> None:
        time.sleep(4)
        executor = cluster.executors().get(doomed.pid)
        for pid in (doomed.pid, executor):
            if pid is not None:
                os.kill(pid, 9)
                killed.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    before = files(out)
    unmold.spark.clean(pages, str(out), of="slowly", sample=12)
    thread.join()
    assert len(killed) == 2, "a worker and its executor were running"
    assert records(out) == expected and files(out) != before
