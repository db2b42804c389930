"""Cleans a crawl on a Spark cluster.

    python -m unmold.spark crawl-data/*.warc.gz -o OUT    # or spark-submit with this file

The first phase learns the template of each site from a bounded sample of its pages, the second
strips all pages. The rows are those of `unmold clean` on one machine, in any order.

The sample of a site is drawn without sorting, and only pages in the sample move (`sample`), so a
host with nearly all pages of the crawl costs no more than any other. Stripping is a map: no page
moves (`strip`). Workers need this package and nothing else. `docs/scale.md` has the costs.
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
from typing import TYPE_CHECKING, Any

from unmold import _unmold
from unmold.api import DEFAULTS, METHODS, RECORD_FIELDS, Settings, options_of, with_defaults
from unmold.batches import STEP, read_batches
from unmold.tables import arrow_schema, spark_schema

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.11 and later

    import pandas
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

PAGES = "id string, url string, site string, charset string, html binary, error string"
"""Columns of a table of pages."""
TEMPLATES = "site string, template string, pages int"
"""Columns of a table of templates; `template` is the text of a template file of the site."""
TYPES = {"text": "string", "number": "double", "texts": "array<string>"}
"""Spark's names of the types in `RECORD_FIELDS`."""
_PAGE_COLUMNS = [column.split()[0] for column in PAGES.split(", ")]
RECORDS = ", ".join(f"{name} {TYPES[kind]}" for name, kind in RECORD_FIELDS)
"""Columns of a table of clean pages: the fields of a record."""
SAMPLE_KEYS = "site string, pattern long, rank long"
"""Columns of a table of sample keys, which decide which pages are drawn."""
PARSED = 512
"""Number of parsed templates that a worker holds."""

log = logging.getLogger("unmold.spark")
Batches = Iterator["pyarrow.RecordBatch"]


class Pages:
    """The pages of a crawl: rows of a table, and a function that turns them into batches of pages.

    Pages are processed by the process that reads them; a table of pages would cross to Java and
    back.
    """

    def __init__(self, rows: DataFrame, read: Callable[[Batches], Batches] = iter) -> None:
        self.rows = rows
        self.read = read

    @property
    def spark(self) -> SparkSession:
        """The session."""
        return self.rows.sparkSession

    def map(self, work: Callable[[Batches], Batches], schema: str) -> DataFrame:
        """Applies `work` to the batches of each partition."""
        read = self.read
        return self.rows.mapInArrow(lambda batches: work(read(batches)), schema)

    def table(self) -> DataFrame:
        """The pages as a table."""
        return self.map(iter, PAGES)


def read(
    spark: SparkSession,
    paths: Sequence[str],
    site: str | None = None,
    **settings: Unpack[Settings],
) -> Pages:
    """Pages of WARC, JSONL, Parquet and HTML files, read as the command does, one task per file.

    Every worker must be able to read the paths: a shared folder, or `http(s)://`, which the worker
    downloads.
    """

    def pages_of(batches: Batches) -> Batches:
        for batch in batches:
            for path in batch.column("path").to_pylist():
                with local_file(path) as file:
                    yield from _with_failures(file, site, settings)

    rows = spark.sparkContext.parallelize([(path,) for path in paths], max(len(paths), 1))
    return Pages(spark.createDataFrame(rows, "path string"), pages_of)


def _with_failures(file: str, site: str | None, settings: Settings) -> Batches:
    """The pages of a file. What cannot be read is a row without a page, so that it is counted."""
    import pyarrow

    failed: list[tuple[str, str]] = []

    def tell(place: str, what: str) -> None:
        _tell(place, what)
        failed.append((place, what))

    def failures() -> pyarrow.RecordBatch:
        places, reasons = zip(*failed, strict=True)
        failed.clear()
        nothing = pyarrow.nulls(len(places), "string")
        columns = [places, nothing, [""] * len(places), nothing, nothing.cast("binary"), reasons]
        return pyarrow.record_batch(dict(zip(_PAGE_COLUMNS, columns, strict=True)))

    for batch in read_batches(file, site=site, problem=tell, **settings):
        columns = [batch.column(name) for name in _PAGE_COLUMNS[:-1]]
        columns[-1] = columns[-1].cast("binary")
        columns.append(pyarrow.nulls(batch.num_rows, "string"))
        yield pyarrow.record_batch(dict(zip(_PAGE_COLUMNS, columns, strict=True)))
        if failed:
            yield failures()
    if failed:
        yield failures()


def _tell(place: str, what: str) -> None:
    log.warning("%s: %s", place, what)


def pages(table: DataFrame) -> Pages:
    """Pages of a table with `html` (text or bytes), optionally `url`, `id`, `site`, `charset`.

    `error` says why a row has no `html`.
    """
    from pyspark.sql import functions as f
    from pyspark.sql.types import StringType

    known = set(table.columns)
    is_text = isinstance(table.schema["html"].dataType, StringType)
    optional = ("url", "id", "site", "charset", "error")
    text = {name: f.col(name) if name in known else f.lit(None) for name in optional}
    host = f.udf(lambda url: _unmold.host_of(url) if url is not None else None, "string")
    columns = [
        f.coalesce(text["id"], text["url"]).cast("string").alias("id"),
        text["url"].cast("string").alias("url"),
        f.coalesce(text["site"], host(text["url"]), f.lit("")).cast("string").alias("site"),
        (f.lit("utf-8") if is_text else text["charset"]).cast("string").alias("charset"),
        f.col("html").cast("binary").alias("html"),
        text["error"].cast("string").alias("error"),
    ]
    return Pages(table.select(*columns))


def cuts(pages: Pages, **settings: Unpack[Settings]) -> dict[str, dict[int, int]]:
    """The largest rank in the sample, for each site and each pattern of its addresses.

    Sites whose pages are all in the sample are left out.

    Each partition draws its own sample and hands over the keys that it holds, at most two samples
    for a site. Drawing from these gives the sample of the whole site, so neither the shuffle nor
    any task grows with a site.
    """

    def keys_of(batches: Batches) -> Batches:
        sampler = _unmold.Sampler(options_of(settings), False)
        for batch in batches:
            sampler.add_batch(batch)
        yield sampler.keys()

    def cuts_of(site: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        sampler = _unmold.Sampler(options_of(settings), False)
        for batch in site.to_batches():
            sampler.add_keys(batch)
        return pyarrow.Table.from_batches([sampler.cuts()])

    rows = pages.map(keys_of, SAMPLE_KEYS).groupBy("site").applyInArrow(cuts_of, SAMPLE_KEYS)
    found: dict[str, dict[int, int]] = {}
    for site, pattern, rank in rows.collect():
        found.setdefault(site, {})[pattern] = rank
    return found


def sample(pages: Pages, **settings: Unpack[Settings]) -> DataFrame:
    """The pages to learn from: those that `unmold clean` would draw, and a few copies of them."""
    drawn = pages.spark.sparkContext.broadcast(cuts(pages, **settings))

    def pages_of(batches: Batches) -> Batches:
        import pyarrow

        options, limits = options_of(settings), drawn.value
        first: dict[tuple[str, int, int], str] = {}
        for batch in batches:
            kept = []
            keys = _unmold.sample_keys(batch, options).columns
            patterns, ranks = (column.to_pylist() for column in keys)
            sites, ids = batch.column("site").to_pylist(), batch.column("id").to_pylist()
            for row, key in enumerate(zip(sites, patterns, ranks, strict=True)):
                site, pattern, rank = key
                if rank is None or (site in limits and rank > limits[site].get(pattern, rank - 1)):
                    continue
                # A page can have a million copies. Of the copies in one pattern, the one with the
                # smallest id is drawn.
                id = ids[row] or ""
                if key not in first or id < first[key]:
                    first[key] = id
                    kept.append(row)
            if kept:
                yield batch.take(pyarrow.array(kept))

    return pages.map(pages_of, PAGES)


def learn(pages: Pages, **settings: Unpack[Settings]) -> DataFrame:
    """The templates of all sites, as a table. Sites without a template are left out."""

    def template_of(group: pandas.DataFrame) -> pandas.DataFrame:
        import pandas

        sampler = _unmold.Sampler(options_of(settings), True)
        sampler.add_pages([_page(row) for row in group.to_dict("records")])
        templates, without = sampler.learn()
        for site, why in without:
            _tell(f"site {site}", f"{why}; its pages are passed through")
        learned = ((site, templates[site]) for site in templates.sites())
        rows = [(site, template.to_json(), template.pages) for site, template in learned]
        return pandas.DataFrame(rows, columns=["site", "template", "pages"])

    return sample(pages, **settings).groupBy("site").applyInPandas(template_of, TEMPLATES)


def _page(row: dict[str, Any]) -> _unmold.Page:
    identity = {name: row[name] for name in ("id", "site", "charset")}
    return _unmold.Page(row["html"], row["url"], **identity)


def strip(
    pages: Pages, templates: DataFrame, *, join: bool = False, **settings: Unpack[Settings]
) -> DataFrame:
    """All pages without the templates of their sites.

    All templates are sent to every worker. With `join`, each page gets its template by a join
    instead, which moves the pages: for templates that do not fit into a worker's memory.
    """
    if join:
        own = templates.withColumnRenamed("template", "template_file")
        joined = pages.table().join(own.select("site", "template_file"), "site", "left")
        return joined.mapInArrow(_stripper(_templates_in_batch, settings), RECORDS)
    rows = templates.select("site", "template").collect()
    # Compressed, because every Python process of a worker holds all of them.
    packed = {row["site"]: zlib.compress(row["template"].encode()) for row in rows}
    known = pages.spark.sparkContext.broadcast(packed)

    def file_of(site: str) -> bytes | None:
        file = known.value.get(site)
        return zlib.decompress(file) if file is not None else None

    return pages.map(_stripper(lambda _: file_of, settings), RECORDS)


def records(
    pages: Pages,
    templates: DataFrame,
    table: str,
    *,
    columns: int | None = 30,
    raw: bool = False,
    structured: bool = False,
    want: Sequence[str] = (),
    **settings: Unpack[Settings],
) -> DataFrame:
    """The table of one kind of page, named like `shop.example#1`, with the rows of `unmold.records`.

    `templates` is what `learn` gave with `records=True`; `kinds` lists those with a table.
    """
    own = templates.where(templates["site"] == table.rpartition("#")[0]).collect()
    if not own:
        raise ValueError(f"no site of the kind {table!r}: kinds(templates) lists them")
    file = own[0]["template"].encode()
    site = own[0]["site"]

    def chosen() -> _unmold.Columns:
        return _unmold.Columns(columns, raw, structured, list(want))

    tables = {found[0]: found[3] for found in _unmold.Templates.from_json(file).tables(chosen())}
    if table not in tables:
        raise ValueError(f"the kind {table!r} has no table: learn with records=True")
    fields = json.loads(tables[table])

    def rows_of(batches: Batches) -> Batches:
        import pyarrow

        templates, options = _unmold.Templates.from_json(file), options_of(settings)
        schema = arrow_schema(fields)
        for whole in batches:
            for start in range(0, whole.num_rows, STEP):
                batch = whole.slice(start, STEP)
                of_site = [found == site for found in batch.column("site").to_pylist()]
                batch = batch.filter(pyarrow.array(of_site, pyarrow.bool_()))
                found = templates.rows_of_batch(batch, options, chosen())
                rows = [json.loads(row[1]) for row in found if row and row[0] == table]
                yield pyarrow.RecordBatch.from_pylist(rows, schema=schema)

    return pages.map(rows_of, spark_schema(fields))


def kinds(templates: DataFrame) -> list[str]:
    """The kinds of page that have a table."""
    every = _unmold.Columns(None, False, False, [])
    files = (row["template"].encode() for row in templates.select("template").collect())
    found = (_unmold.Templates.from_json(file).tables(every) for file in files)
    return sorted(table[0] for tables in found for table in tables)


def _templates_in_batch(batch: pyarrow.RecordBatch) -> Callable[[str], bytes | None]:
    sites = batch.column("site").to_pylist()
    first = {site: row for row, site in reversed(list(enumerate(sites)))}
    files = batch.column("template_file").cast("binary")
    return lambda site: files[first[site]].as_py()


def _stripper(
    files_for: Callable[[pyarrow.RecordBatch], Callable[[str], bytes | None]], settings: Settings
) -> Callable[[Batches], Batches]:
    """Strips batches. `files_for` a batch is a function from a site to its template file."""

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
                    parsed[site] = _parsed(site, find(site))
                templates = [template for site in sites if (template := parsed[site]) is not None]
                yield _unmold.Templates.of(templates).strip_batch(batch, options)

    return records_of


def _parsed(site: str, file: bytes | None) -> _unmold.Template | None:
    return _unmold.Templates.from_json(file)[site] if file is not None else None


def clean(
    pages: Pages,
    output: str,
    *,
    of: Any = None,
    join: bool = False,
    force: bool = False,
    **settings: Unpack[Settings],
) -> dict[str, Any]:
    """Runs both phases and returns the counters.

    Templates go to `output`/templates, clean pages to `output`/pages, as Parquet.

    A phase that was finished before, with the same settings and the same input, is not repeated
    unless `force` is set; an unfinished one starts over. `of` identifies the input: anything that
    JSON can hold.
    """
    spark = pages.spark
    wanted = json.dumps({"of": of, **with_defaults(settings)}, sort_keys=True)
    places = {phase: f"{output}/{phase}" for phase in ("templates", "pages")}
    done = {
        phase: not force and _finished(spark, place) == wanted for phase, place in places.items()
    }
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
    _finish(spark, place, wanted)


def _marker(spark: SparkSession, place: str) -> tuple[Any, Any]:
    """The file that is written when a phase is finished, and its file system.

    It holds the input and the settings.
    """
    path = spark._jvm.org.apache.hadoop.fs.Path(f"{place}.done")
    return path.getFileSystem(spark._jsc.hadoopConfiguration()), path


def _finish(spark: SparkSession, place: str, made_of: str) -> None:
    files, path = _marker(spark, place)
    stream = files.create(path, True)
    stream.writeBytes(made_of)
    stream.close()


def _unfinish(spark: SparkSession, place: str) -> None:
    files, path = _marker(spark, place)
    files.delete(path, False)


def _finished(spark: SparkSession, place: str) -> str | None:
    """Input and settings of a phase that is finished."""
    files, path = _marker(spark, place)
    if not files.exists(path):
        return None
    stream = files.open(path)
    text = bytes(spark._jvm.org.apache.hadoop.io.IOUtils.readFullyToByteArray(stream)).decode()
    stream.close()
    return text


def counters(spark: SparkSession, output: str) -> dict[str, Any]:
    """Counts what was written: counters kept by tasks would count a repeated task twice."""
    from pyspark.sql import functions as f

    records = spark.read.schema(RECORDS).parquet(f"{output}/pages")
    row = records.agg(
        f.count("*").alias("pages"),
        f.count("error").alias("failed"),
        f.count("template").alias("with_template"),
        f.countDistinct("site").alias("sites"),
        f.coalesce(f.sum(f.length("text")), f.lit(0)).alias("characters"),
    ).first()
    by_flag = records.select(f.explode("flags").alias("flag")).groupBy("flag").count()
    flags = {row["flag"]: row["count"] for row in by_flag.orderBy("flag").collect()}
    templates = spark.read.schema(TEMPLATES).parquet(f"{output}/templates").count()
    return {**row.asDict(), "templates": templates, "flags": flags}


@contextmanager
def local_file(path: str) -> Iterator[str]:
    """The path itself, or for `http(s)://` a temporary copy."""
    if not path.startswith(("http://", "https://")):
        yield path.removeprefix("file://")
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, path.rpartition("/")[2])
        urllib.request.urlretrieve(path, copy)
        yield copy


SUFFIXES = (
    *(f".{kind}{packed}" for kind in ("warc", "jsonl") for packed in ("", ".gz", ".zst")),
    ".parquet",
    ".html",
    ".htm",
)


def expand(inputs: Iterable[str], base: str = "") -> list[str]:
    """The files of the inputs.

    Folders are walked. A `.paths` or `.paths.gz` file, as Common Crawl lists its archives, is
    replaced by the files it lists, each prefixed with `base`.

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
            found = (str(file) for file in Path(name).rglob("*") if file.name.endswith(SUFFIXES))
            files.extend(sorted(found))
        else:
            files.append(name)
    return files


def parser() -> argparse.ArgumentParser:
    """The command line."""
    description = (__doc__ or "").partition("\n\n")[0]
    parser = argparse.ArgumentParser("python -m unmold.spark", description=description)
    add = parser.add_argument
    add(
        "inputs",
        nargs="*",
        help=".warc[.gz], .jsonl[.gz|.zst], .parquet, folders of these, or a listing .paths[.gz]",
    )
    add("-o", "--output", required=True, help="folder for templates/ and pages/, as Parquet")
    add("--base", default="", help="prefix of the paths in a listing: a folder with / or a URL")
    add("--table", help="a Parquet table with html and url instead of inputs, read by Spark")
    add("--site", help="treat all pages as one site with this name")
    add("--join", action="store_true", help="join pages with templates instead of broadcasting")
    add("--force", action="store_true", help="repeat finished phases")
    add("--method", default=DEFAULTS["method"], choices=METHODS)
    add("--keep", default=DEFAULTS["keep"])
    add("--kind", default=DEFAULTS["kind"])
    add("--sample", type=int, default=DEFAULTS["sample"])
    add("--seed", type=int, default=DEFAULTS["seed"])
    add("--format", default=DEFAULTS["format"])
    return parser


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command line."""
    from pyspark.sql import SparkSession

    command_line = parser()
    typed = command_line.parse_args(args)
    if bool(typed.inputs) == bool(typed.table):
        command_line.error("give either inputs or --table")
    settings: Settings = {
        "method": typed.method,
        "keep": typed.keep,
        "kind": typed.kind,
        "sample": typed.sample,
        "seed": typed.seed,
        "format": typed.format,
    }
    try:
        options_of(settings)
    except ValueError as error:
        command_line.error(str(error))
    spark = SparkSession.builder.appName("unmold").getOrCreate()
    # Pages are large: a batch of the default 10 000 would not fit into memory.
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 200)
    files = expand(typed.inputs, typed.base)
    if typed.table:
        table = pages(spark.read.parquet(typed.table))
    else:
        table = read(spark, files, typed.site, **settings)
    of = [typed.table, files, typed.site]
    counted = clean(table, typed.output, of=of, join=typed.join, force=typed.force, **settings)
    print(json.dumps(counted))
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
