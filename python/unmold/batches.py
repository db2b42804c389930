"""Cleans tables of pages: pyarrow, pandas, polars, or anything with Arrow's C interface.

A table has a column `html` (text or bytes) and optionally `url`, `id`, `site` and, for bytes,
`charset`. Its buffers are read in place; no page becomes a Python object. Needs pyarrow.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from unmold import _unmold
from unmold.api import Settings, Templates, learned_by, options_of

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.11 and later

    import pyarrow

STEP = 64
"""Rows that are stripped at a time: bounds the memory of a batch, however large the input's are."""

Source = Any
"""A table, a data frame, a reader or batches; or a function that returns one of these, each time it
is called."""


def batches_of(source: Source) -> Iterator[pyarrow.RecordBatch]:
    """The batches of a table in any form."""
    import pyarrow

    if callable(source) and not hasattr(source, "__arrow_c_stream__"):
        source = source()
    if isinstance(source, (str, bytes, PathLike, Mapping)):
        raise TypeError(
            f"the pages are given as {type(source).__name__}: give a table, a data frame or "
            "batches; read_batches reads files"
        )
    if hasattr(source, "to_batches"):
        yield from source.to_batches()
    elif hasattr(source, "__arrow_c_stream__"):
        yield from pyarrow.RecordBatchReader.from_stream(source)
    elif hasattr(source, "__arrow_c_array__"):
        yield pyarrow.record_batch(source)
    else:
        yield from source


def can_be_read_twice(source: Source) -> bool:
    """Whether the source is still full after it was read once: readers and generators are not."""
    is_stream = hasattr(source, "read_next_batch") or isinstance(source, (Iterator, _unmold.Reader))
    return not is_stream


def learn_batches(source: Source, **settings: Unpack[Settings]) -> Templates:
    """Learns the template of each site from a sample of its pages, which bounds the memory."""
    sampler = _unmold.Sampler(options_of(settings), True)
    for batch in batches_of(source):
        sampler.add_batch(batch)
    return learned_by(sampler)


def clean_batches(
    source: Source, templates: Templates | None = None, **settings: Unpack[Settings]
) -> Iterator[pyarrow.RecordBatch]:
    """Strips all pages of a table. Yields batches of records, in order, while it reads.

    Without `templates`, it learns them first and so reads `source` twice: give a table, a data
    frame, or a function that opens a new reader each time it is called.

    >>> import pyarrow as pa
    >>> html = [f"<p>Home Shop</p><p>All about {word}.</p>" for word in ("tea", "cake", "jam")]
    >>> table = pa.table({"html": html, "url": [f"http://a.org/{n}" for n in range(3)]})
    >>> out = pa.Table.from_batches(clean_batches(table, method="chunk-frequency"))
    >>> out["text"].to_pylist()
    ['All about tea.', 'All about cake.', 'All about jam.']
    """
    options = options_of(settings)
    if templates is None:
        if not can_be_read_twice(source):
            raise ValueError(
                "a reader can be read only once, and pages are read twice: give a table, a "
                "function that opens a new reader, or templates that were learned before"
            )
        templates = learn_batches(source, **settings)
    return _strip_batches(batches_of(source), templates, options)


def _strip_batches(
    batches: Iterable[pyarrow.RecordBatch], templates: Templates, options: _unmold.Options
) -> Iterator[pyarrow.RecordBatch]:
    for batch in batches:
        # An empty batch is passed on for its columns.
        for start in range(0, max(batch.num_rows, 1), STEP):
            yield templates._inner.strip_batch(batch.slice(start, STEP), options)


def read_batches(
    *paths: str | PathLike[str],
    site: str | None = None,
    rows: int = STEP,
    problem: Callable[[str, str], None] | None = None,
    **settings: Unpack[Settings],
) -> Iterator[pyarrow.RecordBatch]:
    """Reads folders, HTML files, WARC, JSONL and Parquet as the command does.

    Yields batches of `id`, `url`, `site`, `charset`, `html`. What cannot be read is skipped, and
    `problem` is called with its place and the reason; without `problem`, there is a warning.

    `clean_batches(lambda: read_batches("crawl.warc.gz"))` is `unmold clean crawl.warc.gz`.
    """
    reader = _unmold.Reader(list(paths), site, rows, options_of(settings))
    tell = problem if problem is not None else _warn
    return _read(reader, tell)


def _read(
    reader: _unmold.Reader, tell: Callable[[str, str], None]
) -> Iterator[pyarrow.RecordBatch]:
    # `None` after the last batch: what comes after it may be unreadable, too.
    for batch in itertools.chain(reader, [None]):
        for place, what in reader.take_problems():
            tell(place, what)
        if batch is not None:
            yield batch


def _warn(place: str, what: str) -> None:
    # Attributed to this line, so that a source that is read twice warns once.
    warnings.warn(f"{place}: {what}", stacklevel=1)
