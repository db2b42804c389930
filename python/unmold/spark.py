"""A crawl cleaned by a Spark cluster, in two phases: learn the template of each site from a bounded sample of its pages,
then strip all pages in place. Gives the rows that `unmold clean` gives on one machine, in any order.

    python -m unmold.spark crawl-data/*.warc.gz -o OUT       # or spark-submit with this file in place of the module

The sample of a site is drawn without a sort and without moving a page that is not in it (`sample`), so a host that has
nearly all of the crawl costs no more than any other. Stripping is a map; no page moves (`strip`). Every worker needs
this package installed, nothing else. `docs/scale.md` says what it costs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import os
import sys
import tempfile
import urllib.request
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from unmold import _unmold
from unmold.api import DEFAULTS, Settings, options_of, with_defaults
from unmold.batches import STEP, read_batches

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

PAGES = "id string, url string, site string, charset string, html binary"
"""Columns of a table of pages."""
TEMPLATES = "site string, template string, pages int"
"""Columns of a table of templates; `template` is a template file of that site."""
RECORDS = (
    "id string, url string, site string, template string, title string, text string, content_share double, "
    "template_match double, flags array<string>, error string"
)
"""Columns of a table of clean pages: the fields of the command's records."""
LOTS = "site string, pattern long, rank long"
"""Columns of a table of what decides which pages are drawn."""
PARSED = 512
"""Templates that a worker holds parsed."""

log = logging.getLogger("unmold.spark")
Batches = Iterator["pyarrow.RecordBatch"]


class Pages:
    """The pages of a crawl: rows of a table, and the function that makes batches of pages of them.

    What is done with pages is done in the process that reads them; a table of pages would cross to Java and back.
    """

    def __init__(self, rows: DataFrame, read: Callable[[Batches], Batches] = iter) -> None:
        self.rows = rows
        self.read = read

    @property
    def spark(self) -> SparkSession:
        """The session."""
        return self.rows.sparkSession

    def map(self, work: Callable[[Batches], Batches], schema: str) -> DataFrame:
        """What `work` makes of the batches of each partition."""
        read = self.read
        return self.rows.mapInArrow(lambda batches: work(read(batches)), schema)

    def table(self) -> DataFrame:
        """The pages as a table."""
        return self.map(iter, PAGES)


def read(spark: SparkSession, paths: Sequence[str], site: str | None = None, **settings: Unpack[Settings]) -> Pages:
    """Pages of WARC, JSONL, Parquet and HTML files, read as the command reads them; a task for each file.

    Paths must be readable by every worker: a shared folder, or `http(s)://`, which is fetched by the worker.
    """

    def pages_of(batches: Batches) -> Batches:
        for batch in batches:
            for path in batch.column("path").to_pylist():
                with local_file(path) as file:
                    yield from read_batches(file, site=site, problem=_tell, **settings)

    rows = spark.sparkContext.parallelize([(path,) for path in paths], max(len(paths), 1))
    return Pages(spark.createDataFrame(rows, "path string"), pages_of)


def _tell(place: str, what: str) -> None:
    log.warning("%s: %s", place, what)


def pages(table: DataFrame) -> Pages:
    """Pages of a table with `html` (text or bytes) and perhaps `url`, `id`, `site`, `charset`."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import StringType

    known = set(table.columns)
    is_text = isinstance(table.schema["html"].dataType, StringType)
    text = {name: f.col(name) if name in known else f.lit(None) for name in ("url", "id", "site", "charset")}
    host = f.udf(lambda url: _unmold.host_of(url) if url is not None else None, "string")
    columns = [
        f.coalesce(text["id"], text["url"]).cast("string").alias("id"),
        text["url"].cast("string").alias("url"),
        f.coalesce(text["site"], host(text["url"]), f.lit("")).cast("string").alias("site"),
        (f.lit("utf-8") if is_text else text["charset"]).cast("string").alias("charset"),
        f.col("html").cast("binary").alias("html"),
    ]
    return Pages(table.select(*columns))


def cuts(pages: Pages, **settings: Unpack[Settings]) -> dict[str, dict[int, int]]:
    """For each site with pages that are not drawn, and each pattern of address: the largest rank that is drawn.

    Each partition draws for itself, keeping patterns and ranks alone, and hands over at most two samples of them for a
    site; what is drawn from these draws is the draw of the whole site. So neither the shuffle nor any task grows with a site.
    """

    def lots_of(batches: Batches) -> Batches:
        sampler = _unmold.Sampler(options_of(settings), False)
        for batch in batches:
            sampler.add_batch(batch)
        yield sampler.lots()

    def cuts_of(site: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        sampler = _unmold.Sampler(options_of(settings), False)
        for batch in site.to_batches():
            sampler.add_lots(batch)
        return pyarrow.Table.from_batches([sampler.cuts()])

    rows = pages.map(lots_of, LOTS).groupBy("site").applyInArrow(cuts_of, LOTS)
    found: dict[str, dict[int, int]] = {}
    for site, pattern, rank in rows.collect():
        found.setdefault(site, {})[pattern] = rank
    return found


def sample(pages: Pages, **settings: Unpack[Settings]) -> DataFrame:
    """The pages that templates are learned from: of each site those that `unmold clean` would draw, and few copies."""
    drawn = pages.spark.sparkContext.broadcast(cuts(pages, **settings))

    def pages_of(batches: Batches) -> Batches:
        import pyarrow

        options, limits = options_of(settings), drawn.value
        first: dict[tuple[str, int, int], str] = {}
        for batch in batches:
            kept = []
            patterns, ranks = (column.to_pylist() for column in _unmold.lots(batch, options).columns)
            sites, ids = batch.column("site").to_pylist(), batch.column("id").to_pylist()
            for row, lot in enumerate(zip(sites, patterns, ranks, strict=True)):
                site, pattern, rank = lot
                if rank is None or (site in limits and rank > limits[site].get(pattern, rank - 1)):
                    continue
                # A page may have a million copies; of those of a pattern the one with the smallest id is drawn.
                id = ids[row] or ""
                if lot not in first or id < first[lot]:
                    first[lot] = id
                    kept.append(row)
            if kept:
                yield batch.take(pyarrow.array(kept))

    return pages.map(pages_of, PAGES)


def learn(pages: Pages, **settings: Unpack[Settings]) -> DataFrame:
    """The templates of all sites, as a table. Sites without a template are not in it."""

    def template_of(group: pandas.DataFrame) -> pandas.DataFrame:
        import pandas

        sampler = _unmold.Sampler(options_of(settings), True)
        sampler.add_pages([_page(row) for row in group.to_dict("records")])
        templates, without = sampler.learn()
        for site, why in without:
            _tell(f"site {site}", f"{why}; its pages are passed through")
        rows = [(site, templates[site].to_json(), templates[site].pages) for site in templates.sites()]
        return pandas.DataFrame(rows, columns=["site", "template", "pages"])

    return sample(pages, **settings).groupBy("site").applyInPandas(template_of, TEMPLATES)


def _page(row: dict[str, Any]) -> _unmold.Page:
    return _unmold.Page(row["html"], row["url"], id=row["id"], site=row["site"], charset=row["charset"])


def strip(pages: Pages, templates: DataFrame, *, join: bool = False, **settings: Unpack[Settings]) -> DataFrame:
    """All pages without the templates of their sites.

    Templates are sent to every worker as a whole; with `join` each page gets its own by a join instead, which moves the
    pages: for when templates do not fit into a worker's memory.
    """
    if join:
        own = templates.withColumnRenamed("template", "template_file").select("site", "template_file")
        joined = pages.table().join(own, "site", "left")
        return joined.mapInArrow(_stripper(_templates_in_batch, settings), RECORDS)
    rows = templates.select("site", "template").collect()
    # Every Python process of a worker has them all in memory.
    packed = {row["site"]: zlib.compress(row["template"].encode()) for row in rows}
    known = pages.spark.sparkContext.broadcast(packed)

    def file_of(site: str) -> bytes | None:
        file = known.value.get(site)
        return zlib.decompress(file) if file is not None else None

    return pages.map(_stripper(lambda _: file_of, settings), RECORDS)


def _templates_in_batch(batch: pyarrow.RecordBatch) -> Callable[[str], bytes | None]:
    sites = batch.column("site").to_pylist()
    first = {site: row for row, site in reversed(list(enumerate(sites)))}
    files = batch.column("template_file").cast("binary")
    return lambda site: files[first[site]].as_py()


def _stripper(
    files_for: Callable[[pyarrow.RecordBatch], Callable[[str], bytes | None]], settings: Settings
) -> Callable[[Batches], Batches]:
    """Strips batches; `files_for` a batch gives a function from a site to its template file."""

    def records_of(batches: Batches) -> Batches:
        options = options_of(settings)
        parsed: dict[str, _unmold.Template | None] = {}
        for whole in batches:
            for start in range(0, whole.num_rows, STEP):
                batch = whole.slice(start, STEP)
                find = files_for(batch)
                if len(parsed) > PARSED:
                    parsed.clear()
                sites = set(batch.column("site").to_pylist())
                for site in sites - parsed.keys():
                    file = find(site)
                    parsed[site] = _unmold.Templates.from_json(file)[site] if file is not None else None
                templates = [template for site in sites if (template := parsed[site]) is not None]
                yield _unmold.Templates.of(templates).strip_batch(batch, options)

    return records_of


def clean(
    pages: Pages, output: str, *, of: Any = None, join: bool = False, force: bool = False, **settings: Unpack[Settings]
) -> dict[str, Any]:
    """Both phases: templates to `output`/templates, clean pages to `output`/pages, as Parquet. Gives the counters.

    A phase that was finished before, of the same input (`of`, anything that JSON can hold and that tells it from
    others) and settings, is not done again, unless `force`; one that was not finished is done anew.
    """
    spark = pages.spark
    wanted = json.dumps({"of": of, **with_defaults(settings)}, sort_keys=True)
    places = {phase: f"{output}/{phase}" for phase in ("templates", "pages")}
    done = {phase: not force and _finished(spark, place) == wanted for phase, place in places.items()}
    if not done["templates"]:
        _unfinish(spark, places["pages"])
        _write(learn(pages, **settings), places["templates"], wanted)
    if not (done["templates"] and done["pages"]):
        templates = spark.read.schema(TEMPLATES).parquet(places["templates"])
        _write(strip(pages, templates, join=join, **settings), places["pages"], wanted)
    return counters(spark, output)


def _write(table: DataFrame, place: str, wanted: str) -> None:
    spark = table.sparkSession
    _unfinish(spark, place)
    table.write.mode("overwrite").option("compression", "zstd").parquet(place)
    _note(spark, place, wanted)


def _file(spark: SparkSession, place: str) -> tuple[Any, Any]:
    """The file that says of what a phase was made once it is finished, on whatever file system Spark has there."""
    path = spark._jvm.org.apache.hadoop.fs.Path(f"{place}.done")
    return path.getFileSystem(spark._jsc.hadoopConfiguration()), path


def _note(spark: SparkSession, place: str, made_of: str) -> None:
    files, path = _file(spark, place)
    stream = files.create(path, True)
    stream.writeBytes(made_of)
    stream.close()


def _unfinish(spark: SparkSession, place: str) -> None:
    files, path = _file(spark, place)
    files.delete(path, False)


def _finished(spark: SparkSession, place: str) -> str | None:
    """Of what a phase was made, if it is finished."""
    files, path = _file(spark, place)
    if not files.exists(path):
        return None
    stream = files.open(path)
    text = bytes(spark._jvm.org.apache.hadoop.io.IOUtils.readFullyToByteArray(stream)).decode()
    stream.close()
    return text


def counters(spark: SparkSession, output: str) -> dict[str, Any]:
    """Counted in what was written: counters kept while tasks run would count a repeated task twice."""
    from pyspark.sql import functions as f

    records = spark.read.schema(RECORDS).parquet(f"{output}/pages")
    row = records.agg(
        f.count("*").alias("pages"),
        f.count("error").alias("failed"),
        f.count("template").alias("with_template"),
        f.countDistinct("site").alias("sites"),
        f.coalesce(f.sum(f.length("text")), f.lit(0)).alias("characters"),
    ).first()
    flags = records.select(f.explode("flags").alias("flag")).groupBy("flag").count().orderBy("flag").collect()
    templates = spark.read.schema(TEMPLATES).parquet(f"{output}/templates").count()
    return {**row.asDict(), "templates": templates, "flags": {row["flag"]: row["count"] for row in flags}}


@contextmanager
def local_file(path: str) -> Iterator[str]:
    """The path itself; of `http(s)://` a copy that lives as long as it is used."""
    if not path.startswith(("http://", "https://")):
        yield path.removeprefix("file://")
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, path.rpartition("/")[2])
        urllib.request.urlretrieve(path, copy)
        yield copy


SUFFIXES = tuple(
    f".{kind}{packed}" for kind in ("warc", "jsonl") for packed in ("", ".gz", ".zst")
) + (".parquet", ".html", ".htm")


def expand(inputs: Iterable[str], base: str = "") -> list[str]:
    """Files of the inputs: folders are walked; a `.paths` or `.paths.gz` file, as Common Crawl lists its archives, stands
    for the files it lists, each after `base`.

    >>> import tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(folder + "/warc.paths", "w") as listing:
    ...         _ = listing.write("crawl-data/CC-1/a.warc.gz\\ncrawl-data/CC-1/b.warc.gz\\n")
    ...     expand([folder + "/warc.paths"], base="/mnt/crawl/")
    ['/mnt/crawl/crawl-data/CC-1/a.warc.gz', '/mnt/crawl/crawl-data/CC-1/b.warc.gz']
    """
    files: list[str] = []
    for name in inputs:
        if name.endswith((".paths", ".paths.gz")):
            with local_file(name) as listing:
                bytes = Path(listing).read_bytes()
            lines = (gzip.decompress(bytes) if name.endswith(".gz") else bytes).decode().split()
            files.extend(base + line for line in lines)
        elif os.path.isdir(name):
            files.extend(sorted(str(file) for file in Path(name).rglob("*") if file.name.endswith(SUFFIXES)))
        else:
            files.append(name)
    return files


def main(args: Sequence[str] | None = None) -> int:
    """The command line."""
    from pyspark.sql import SparkSession

    parser = argparse.ArgumentParser("python -m unmold.spark", description=(__doc__ or "").partition("\n\n")[0])
    add = parser.add_argument
    add("inputs", nargs="*", help=".warc[.gz], .jsonl[.gz|.zst], .parquet, folders of these, or a listing .paths[.gz]")
    add("-o", "--output", required=True, help="folder for templates/ and pages/, as Parquet")
    add("--base", default="", help="what stands before each path of a listing: a folder with / at its end, or a URL")
    add("--table", help="instead of inputs: a Parquet table with html and url, read by Spark from wherever it can")
    add("--site", help="treat all pages as one site of this name")
    add("--join", action="store_true", help="join pages with templates instead of sending all templates to all workers")
    add("--force", action="store_true", help="do again what was finished before")
    add("--method", default=DEFAULTS["method"])
    add("--keep", default=DEFAULTS["keep"])
    add("--sample", type=int, default=DEFAULTS["sample"])
    add("--seed", type=int, default=DEFAULTS["seed"])
    add("--format", default=DEFAULTS["format"])
    typed = parser.parse_args(args)
    if bool(typed.inputs) == bool(typed.table):
        parser.error("give inputs, or --table")
    settings: Settings = {
        "method": typed.method,
        "keep": typed.keep,
        "sample": typed.sample,
        "seed": typed.seed,
        "format": typed.format,
    }
    try:
        options_of(settings)
    except ValueError as error:
        parser.error(str(error))
    spark = SparkSession.builder.appName("unmold").getOrCreate()
    # Pages are large: a batch of the default 10 000 would not fit.
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 200)
    files = expand(typed.inputs, typed.base)
    table = pages(spark.read.parquet(typed.table)) if typed.table else read(spark, files, typed.site, **settings)
    of = [typed.table, files, typed.site]
    print(json.dumps(clean(table, typed.output, of=of, join=typed.join, force=typed.force, **settings)))
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
