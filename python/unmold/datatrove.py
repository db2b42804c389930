"""Steps for datatrove pipelines. A step sees only the files of its rank, so templates are learned in two steps before the
pages are stripped; all three pipelines read the same input:

1. `[reader, UnmoldSampler(samples)]`, any number of tasks: each draws a sample of what it reads.
2. `[UnmoldLearner(samples, templates)]`, any number of tasks: each learns its share of the sites.
3. `[reader, UnmoldExtractor(templates), writer]`, any number of tasks.

The documents' text is HTML, their metadata has `url`. The result does not depend on the numbers of tasks, and is that of
`unmold clean` on the same pages. Folders may be anything that datatrove can open.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Unpack

import pyarrow
from datatrove.io import DataFolderLike, get_datafolder
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.extractors.base import BaseExtractor
from datatrove.utils.typeshelper import StatHints

from unmold import _unmold
from unmold.api import Settings, Templates, options_of, strip_with
from unmold.batches import STEP

if TYPE_CHECKING:
    from datatrove.data import Document, DocumentsPipeline


def page_of(document: Document) -> _unmold.Page:
    """The page that a document holds."""
    metadata = document.metadata
    return _unmold.Page(document.text, metadata.get("url"), id=document.id, site=metadata.get("site"))


class UnmoldSampler(PipelineStep):  # type: ignore[misc]
    """Draws from each site and keeps what its sample may need (twice the sample) in `samples`, a file for each rank. Documents are passed on."""

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
        with self.samples.open(f"{rank:05d}.arrows", "wb") as file, pyarrow.ipc.new_stream(file, held.schema) as stream:
            for start in range(0, held.num_rows, STEP):
                stream.write_batch(held.slice(start, STEP))
        self.stat_update("sampled", value=held.num_rows)


class UnmoldLearner(PipelineStep):  # type: ignore[misc]
    """Learns the templates of the sites that fall to its rank from the samples of all ranks."""

    type = "🛢 - EXTRAC"
    name = "unmold learner"

    def __init__(self, samples: DataFolderLike, templates: DataFolderLike, **settings: Unpack[Settings]) -> None:
        super().__init__()
        self.samples = get_datafolder(samples)
        self.templates = get_datafolder(templates)
        self.settings = settings

    def run(self, data: DocumentsPipeline = None, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        sampler = _unmold.Sampler(options_of(self.settings), True)
        for name in self.samples.list_files(glob_pattern="*.arrows"):
            with self.samples.open(name, "rb") as file:
                for batch in pyarrow.ipc.open_stream(file):
                    sampler.add_batch(batch.filter(_share(batch.column("site"), rank, world_size)))
        with self.track_time():
            learned, without = sampler.learn()
        self.stat_update("templates", value=len(learned))
        self.stat_update("without_template", value=len(without))
        with self.templates.open(f"{rank:05d}.json", "wb") as file:
            file.write(learned.to_json().encode())
        yield from data or ()


def _share(sites: Any, rank: int, world_size: int) -> Any:
    """Which of the sites fall to a rank."""
    return pyarrow.array([zlib.crc32(site.encode()) % world_size == rank for site in sites.to_pylist()])


class UnmoldExtractor(BaseExtractor):  # type: ignore[misc]
    """Replaces the HTML of each document by what is left of the page without its template. What the command's record says
    beside the text goes into the metadata: `site`, `template`, `title`, `content_share`, `template_match`, `flags`.

    There is no time limit and no process of its own for it: limits on bytes, nodes and depth bound the work on a page.
    """

    name = "unmold"

    def __init__(self, templates: DataFolderLike, **settings: Unpack[Settings]) -> None:
        super().__init__()
        self.templates = get_datafolder(templates)
        self.settings = settings

    def load(self) -> Templates:
        """The templates of all ranks."""
        sites: list[Any] = []
        for name in self.templates.list_files(glob_pattern="*.json"):
            with self.templates.open(name, "rb") as file:
                sites.extend(Templates.from_json(file.read()).values())
        return Templates(sites)

    def extract(self, text: str) -> str:
        """A page by itself, of no known site."""
        return strip_with(Templates(), _unmold.Page(text), options_of(self.settings)).text

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
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
            for field in ("site", "template", "title", "content_share", "template_match", "flags"):
                document.metadata[field] = getattr(clean, field)
            if not document.text:
                self.stat_update(StatHints.dropped)
                continue
            self.stat_update("extracted", StatHints.forwarded)
            self.update_doc_stats(document)
            yield document
