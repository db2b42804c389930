"""Turns the pages of a kind into a table."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from unmold import _unmold
from unmold.api import PageLike, Settings, options_of, pages_of

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True)
class Records:
    """The table that the pages of one kind make up."""

    kind: str
    """Name of the kind, such as `shop#1`."""
    schema: list[dict[str, Any]]
    """What is known about each column: id, name, label, type, cover, examples, XPath, CSS."""
    rows: list[dict[str, Any]]
    """One row for each page, as Python values."""
    _fields: list[list[Any]]

    @property
    def table(self) -> pyarrow.Table:
        """The rows as an Arrow table; lists of records are columns of structs."""
        import pyarrow

        text = pyarrow.string()
        fields = [("id", text), ("url", text)]
        fields += [(name, _arrow_type(kind)) for name, kind in self._fields]
        return pyarrow.Table.from_pylist(self.rows, schema=pyarrow.schema(fields))

    @property
    def nested(self) -> dict[str, pyarrow.Table]:
        """The lists of records, each as a table of its own with the page and the position."""
        import pyarrow

        tables = {}
        for name, kind in self._fields:
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


def records(
    pages: Iterable[PageLike],
    *,
    columns: int | None = 30,
    raw: bool = False,
    **settings: Unpack[Settings],
) -> list[Records]:
    """The tables of pages, one for each kind of page of each site, without labels.

    `columns` is the number of columns, the most likely wanted first; `None` is all. `raw` adds the
    text of numbers, dates and amounts.

    >>> def page(name, price):
    ...     return {"id": name, "html": f"<h1>{name}</h1><p><b>Price:</b> {price}</p>"}
    >>> pages = [page("Tea", "$4"), page("Cake", "$12"), page("Jam", "$7"), page("Bread", "$3")]
    >>> [table] = records(pages)
    >>> table.rows[1]["price"]
    {'amount': 12.0, 'currency': 'USD'}
    """
    tables = _unmold.records(pages_of(pages), options_of(settings), columns, raw)
    return [
        Records(kind, json.loads(schema), [json.loads(row) for row in rows], json.loads(fields))
        for kind, schema, fields, rows in tables
    ]


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
