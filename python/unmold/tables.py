"""Turns the pages of a kind into a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unmold import _unmold
from unmold.api import PageLike, Settings, Templates, options_of, pages_of
from unmold.batches import STEP, Source, batches_of, can_be_read_twice, learn_batches

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.11 and later

    import pyarrow


@dataclass(frozen=True)
class Records:
    """The table that the pages of one kind make up."""

    kind: str
    """Name of the kind, such as `shop#1`."""
    site: str
    """The site."""
    schema: list[dict[str, Any]]
    """What is known about each column: id, name, label, type, cover, examples, XPath, CSS."""
    rows: list[dict[str, Any]]
    """One row for each page, as Python values."""
    fields: list[list[Any]]
    """Names and types of the columns that the rows have."""

    @property
    def table(self) -> pyarrow.Table:
        """The rows as an Arrow table; lists of records are columns of structs."""
        import pyarrow

        return pyarrow.Table.from_pylist(self.rows, schema=arrow_schema(self.fields))

    @property
    def nested(self) -> dict[str, pyarrow.Table]:
        """The lists of records, each as a table of its own with the page and the position."""
        import pyarrow

        tables = {}
        for name, kind in self.fields:
            if not _is_records(kind):
                continue
            fields = [("page", pyarrow.string()), ("position", pyarrow.int64())]
            fields += [(inner, _arrow_type(of)) for inner, of in kind]
            rows = [
                {"page": row["id"], "position": position, **record}
                for row in self.rows
                for position, record in enumerate(row[name] or [])
            ]
            tables[name] = pyarrow.Table.from_pylist(rows, schema=pyarrow.schema(fields))
        return tables


class Tables(list[Records]):
    """The tables of some pages, one for each kind; the one with most rows is the main one."""

    @property
    def main(self) -> Records:
        """The table with most rows."""
        if not self:
            raise ValueError("the pages have no values in common, so there is no table")
        return max(self, key=lambda table: len(table.rows))

    @property
    def table(self) -> pyarrow.Table:
        """The main table as Arrow."""
        return self.main.table

    @property
    def schema(self) -> list[dict[str, Any]]:
        """The columns of the main table."""
        return self.main.schema

    @property
    def nested(self) -> dict[str, pyarrow.Table]:
        """The lists of records of the main table, as tables of their own."""
        return self.main.nested


def records(
    pages: Iterable[PageLike],
    templates: Templates | None = None,
    *,
    columns: int | None = 30,
    raw: bool = False,
    structured: bool = False,
    want: Sequence[str] = (),
    **settings: Unpack[Settings],
) -> Tables:
    """The tables of pages, one for each kind of page of each site, without labels.

    `columns` is the number of columns, the most likely wanted first; `None` is all. `want` names
    columns by words instead (`"price|msrp"`). `raw` adds the text of numbers, dates and amounts.
    `structured` takes values from JSON-LD, Open Graph and microdata where pages have them.

    Without `templates`, they are learned from the pages; `learn_sites(pages, records=True)` learns
    them for later.

    >>> def page(name, price):
    ...     return {"id": name, "html": f"<h1>{name}</h1><p><b>Price:</b> {price}</p>"}
    >>> pages = [page("Tea", "$4"), page("Cake", "$12"), page("Jam", "$7"), page("Bread", "$3")]
    >>> found = records(pages)
    >>> found.main.rows[1]["price"]
    {'amount': 12.0, 'currency': 'USD'}
    """
    known = pages_of(pages)
    chosen = _unmold.Columns(columns, raw, structured, list(want))
    if templates is None:
        sampler = _unmold.Sampler(_with_records(settings), True)
        sampler.add_pages(known)
        # Sites without a template have no table.
        templates = Templates(sampler.learn()[0])
    rows = templates._inner.rows(known, options_of(settings), chosen)
    return tables_of(templates, chosen, (row for row in rows if row is not None))


def records_batches(
    source: Source,
    templates: Templates | None = None,
    *,
    columns: int | None = 30,
    raw: bool = False,
    structured: bool = False,
    want: Sequence[str] = (),
    **settings: Unpack[Settings],
) -> Iterator[tuple[str, pyarrow.RecordBatch]]:
    """The same for tables of pages: yields the kind and the rows of its pages, while it reads.

    Without `templates`, it learns them first and so reads `source` twice, as `clean_batches` does.

    >>> import pyarrow as pa
    >>> html = [f"<h1>T{n}</h1><p><b>Price:</b> ${n}</p>" for n in range(1, 6)]
    >>> [(kind, batch)] = records_batches(pa.table({"html": html}))
    >>> batch.column("price").to_pylist()[0]
    {'amount': 1.0, 'currency': 'USD'}
    """
    chosen = _unmold.Columns(columns, raw, structured, list(want))
    if templates is None:
        if not can_be_read_twice(source):
            raise ValueError(
                "a reader can be read only once, and pages are read twice: give a table, a "
                "function that opens a new reader, or templates that were learned before"
            )
        with_records: Any = {**settings, "records": True}
        templates = learn_batches(source, **with_records)
    return _record_batches(batches_of(source), templates, chosen, options_of(settings))


def _record_batches(
    batches: Iterable[pyarrow.RecordBatch],
    templates: Templates,
    chosen: _unmold.Columns,
    options: _unmold.Options,
) -> Iterator[tuple[str, pyarrow.RecordBatch]]:
    import pyarrow

    schemas = {
        kind: arrow_schema(json.loads(fields))
        for kind, _, _, fields in templates._inner.tables(chosen)
    }
    for batch in batches:
        for start in range(0, batch.num_rows, STEP):
            rows = templates._inner.rows_of_batch(batch.slice(start, STEP), options, chosen)
            by_kind: dict[str, list[dict[str, Any]]] = {}
            for row in rows:
                if row is not None:
                    by_kind.setdefault(row[0], []).append(json.loads(row[1]))
            for kind, of_kind in by_kind.items():
                yield kind, pyarrow.RecordBatch.from_pylist(of_kind, schema=schemas[kind])


def tables_of(
    templates: Templates, chosen: _unmold.Columns, rows: Iterable[tuple[str, str]]
) -> Tables:
    """The tables with these rows, which are kinds and JSON."""
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for kind, row in rows:
        by_kind.setdefault(kind, []).append(json.loads(row))
    return Tables(
        Records(kind, site, json.loads(schema), by_kind.get(kind, []), json.loads(fields))
        for kind, site, schema, fields in templates._inner.tables(chosen)
    )


def _with_records(settings: Settings) -> _unmold.Options:
    return options_of({**settings, "records": True})


def arrow_schema(fields: list[list[Any]]) -> pyarrow.Schema:
    """The Arrow schema of a table: `id`, `url` and its fields."""
    import pyarrow

    text = pyarrow.string()
    own = [(name, _arrow_type(kind)) for name, kind in fields]
    return pyarrow.schema([("id", text), ("url", text), *own])


def _is_records(kind: Any) -> bool:
    return isinstance(kind, list) and isinstance(kind[0], list)


def _arrow_type(kind: Any) -> pyarrow.DataType:
    import pyarrow

    if _is_records(kind):
        return pyarrow.list_(pyarrow.struct([(name, _arrow_type(of)) for name, of in kind]))
    if isinstance(kind, list):
        return pyarrow.list_(_arrow_type(kind[0]))
    number, text = pyarrow.float64(), pyarrow.string()
    types = {
        "int": pyarrow.int64(),
        "float": number,
        "percent": number,
        "money": pyarrow.struct([("amount", number), ("currency", text)]),
        "quantity": pyarrow.struct([("value", number), ("unit", text)]),
    }
    return types.get(kind, text)


SPARK_TYPES = {
    "int": "bigint",
    "float": "double",
    "percent": "double",
    "money": "struct<amount: double, currency: string>",
    "quantity": "struct<value: double, unit: string>",
}
"""Names of types in Spark; others are strings."""


def spark_schema(fields: list[list[Any]]) -> str:
    """The same schema in the words of Spark."""
    own = (f"`{name}` {_spark_type(kind)}" for name, kind in fields)
    return ", ".join(["id string", "url string", *own])


def _spark_type(kind: Any) -> str:
    if _is_records(kind):
        inner = ", ".join(f"`{name}`: {_spark_type(of)}" for name, of in kind)
        return f"array<struct<{inner}>>"
    if isinstance(kind, list):
        return f"array<{_spark_type(kind[0])}>"
    return SPARK_TYPES.get(kind, "string")
