"""Steps for datatrove pipelines.

A step sees only the files of its rank, so templates are learned by two pipelines before a third
strips the pages; the first and the third read the same input:

1. `[reader, UnmoldSampler(samples)]`: each task draws a sample of what it reads.
2. `[UnmoldLearner(samples, templates)]`: each task learns its share of the sites.
3. `[reader, UnmoldExtractor(templates), writer]`, or `UnmoldRecords(templates)` for tables, if the
   learner had `records=True`.

Each can have any number of tasks. The text of the documents is HTML, and their metadata has `url`.
The result does not depend on the number of tasks and is that of `unmold clean` on the same pages.
Folders can be anything that datatrove can open.
"""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow
from datatrove.io import DataFolderLike, get_datafolder
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.extractors.base import BaseExtractor
from datatrove.utils.typeshelper import StatHints

from unmold import _unmold
from unmold.api import RECORD_FIELDS, Settings, Templates, options_of, strip_with
from unmold.batches import STEP

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.11 and later

    from datatrove.data import Document, DocumentsPipeline

METADATA = [name for name, _ in RECORD_FIELDS if name not in ("id", "url", "text", "error")]
"""Fields of a record that become metadata of a document."""


def page_of(document: Document) -> _unmold.Page:
    """The page in a document."""
    url, site = document.metadata.get("url"), document.metadata.get("site")
    return _unmold.Page(document.text, url, id=document.id, site=site)


class UnmoldSampler(PipelineStep):  # type: ignore[misc]
    """Draws a sample of each site and writes it to `samples`, one file for each rank.

    A file holds twice the sample, so that the learner can draw the sample of all ranks from the
    files. Documents are passed on.
    """

    type = "🛢 - EXTRAC"
    name = "unmold sampler"

    def __init__(self, samples: DataFolderLike, **settings: Unpack[Settings]) -> None:
        super().__init__()
        self.samples = get_datafolder(samples)
        self.settings = settings

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        sampler = _unmold.Sampler(options_of(self.settings), True)
        for document in data:
            with self.track_time():
                sampler.add_pages([page_of(document)])
            self.stat_update(StatHints.total)
            yield document
        held = sampler.held()
        with (
            self.samples.open(f"{rank:05d}.arrows", "wb") as file,
            pyarrow.ipc.new_stream(file, held.schema) as stream,
        ):
            for start in range(0, held.num_rows, STEP):
                stream.write_batch(held.slice(start, STEP))
        self.stat_update("sampled", value=held.num_rows)


class UnmoldLearner(PipelineStep):  # type: ignore[misc]
    """Learns the templates of its rank's share of the sites from the samples of all ranks."""

    type = "🛢 - EXTRAC"
    name = "unmold learner"

    def __init__(
        self, samples: DataFolderLike, templates: DataFolderLike, **settings: Unpack[Settings]
    ) -> None:
        super().__init__()
        self.samples = get_datafolder(samples)
        self.templates = get_datafolder(templates)
        self.settings = settings

    def run(
        self, data: DocumentsPipeline = None, rank: int = 0, world_size: int = 1
    ) -> DocumentsPipeline:
        sampler = _unmold.Sampler(options_of(self.settings), True)
        for name in self.samples.list_files(glob_pattern="*.arrows"):
            with self.samples.open(name, "rb") as file:
                for batch in pyarrow.ipc.open_stream(file):
                    is_ours = _share(batch.column("site"), rank, world_size)
                    sampler.add_batch(batch.filter(is_ours))
        with self.track_time():
            learned, without = sampler.learn()
        self.stat_update("templates", value=len(learned))
        self.stat_update("without_template", value=len(without))
        with self.templates.open(f"{rank:05d}.json", "wb") as file:
            file.write(learned.to_json().encode())
        yield from data or ()


def _share(sites: Any, rank: int, world_size: int) -> Any:
    """Whether each of the sites belongs to a rank."""
    ranks = (zlib.crc32(site.encode()) % world_size for site in sites.to_pylist())
    return pyarrow.array([of == rank for of in ranks])


def load_templates(folder: Any) -> Templates:
    """The templates that the learners of all ranks wrote."""
    sites: list[Any] = []
    for name in folder.list_files(glob_pattern="*.json"):
        with folder.open(name, "rb") as file:
            sites.extend(Templates.from_json(file.read()).values())
    return Templates(sites)


class UnmoldExtractor(BaseExtractor):  # type: ignore[misc]
    """Replaces the HTML of each document with what is left of the page without its template.

    The other fields of the record become metadata (`METADATA`).

    There is neither a timeout nor a subprocess: limits on bytes, nodes and depth bound the work on
    a page.
    """

    name = "unmold"

    def __init__(self, templates: DataFolderLike, **settings: Unpack[Settings]) -> None:
        super().__init__()
        self.templates = get_datafolder(templates)
        self.settings = settings

    def load(self) -> Templates:
        """The templates of all ranks."""
        return load_templates(self.templates)

    def extract(self, text: str) -> str:
        """The text of a single page of no known site."""
        return strip_with(Templates(), _unmold.Page(text), options_of(self.settings)).text

    def run(
        self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        templates, options = self.load(), options_of(self.settings)
        for document in data:
            self.stat_update(StatHints.total)
            with self.track_time():
                clean = strip_with(templates, page_of(document), options)
            for flag in clean.flags:
                self.stat_update(flag)
            if clean.error is not None:
                self.stat_update("clean_error")
            document.text = clean.text
            for field in METADATA:
                document.metadata[field] = getattr(clean, field)
            if not document.text:
                self.stat_update(StatHints.dropped)
                continue
            self.stat_update("extracted", StatHints.forwarded)
            self.update_doc_stats(document)
            yield document


class UnmoldRecords(PipelineStep):  # type: ignore[misc]
    """Reads the row of each document's page into its metadata: `kind` and `record`.

    The templates are those of an `UnmoldLearner` with `records=True`. Documents of no table pass
    without a row. The rows are those of `unmold.records`.
    """

    type = "🛢 - EXTRAC"
    name = "unmold records"

    def __init__(
        self,
        templates: DataFolderLike,
        *,
        columns: int | None = 30,
        raw: bool = False,
        structured: bool = False,
        want: Sequence[str] = (),
        **settings: Unpack[Settings],
    ) -> None:
        super().__init__()
        self.templates = get_datafolder(templates)
        self.columns = (columns, raw, structured, list(want))
        self.settings = settings

    def run(
        self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        templates, options = load_templates(self.templates), options_of(self.settings)
        columns = _unmold.Columns(*self.columns)
        for documents in _chunks(data, STEP):
            with self.track_time():
                pages = [page_of(document) for document in documents]
                rows = templates._inner.rows(pages, options, columns)
            for document, row in zip(documents, rows, strict=True):
                self.stat_update(StatHints.total)
                if row is not None:
                    document.metadata["kind"] = row[0]
                    document.metadata["record"] = json.loads(row[1])
                    self.stat_update("records")
                yield document


def _chunks(data: DocumentsPipeline, size: int) -> Iterator[list[Document]]:
    rest = iter(data)
    while chunk := list(itertools.islice(rest, size)):
        yield chunk
