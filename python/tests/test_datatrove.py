"""Real datatrove pipelines: the texts are those of the command, on any number of tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("datatrove")

import unmold
from conftest import Pages, run_clean, write_jsonl
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter
from unmold.datatrove import (
    METADATA,
    UnmoldExtractor,
    UnmoldLearner,
    UnmoldRecords,
    UnmoldSampler,
)


@pytest.mark.parametrize("tasks", [1, 3])
def test_three_pipelines_give_the_rows_of_the_command(
    command: str, pages: Pages, jsonl: Path, tmp_path: Path, tasks: int
) -> None:
    crawl = tmp_path / "crawl"
    crawl.mkdir()
    for number in range(4):
        write_jsonl(pages[number::4], crawl / f"{number}.jsonl")
    samples, templates, out = (str(tmp_path / name) for name in ("samples", "templates", "out"))

    def reader() -> JsonlReader:
        def adapter(self: Any, data: dict[str, Any], path: str, number: int) -> dict[str, Any]:
            return {"text": data["html"], "id": data["url"], "metadata": {"url": data["url"]}}

        return JsonlReader(str(crawl), text_key="html", adapter=adapter)

    extractor = UnmoldExtractor(templates, sample=12)
    pipelines = {
        "sample": [reader(), UnmoldSampler(samples, sample=12)],
        "learn": [UnmoldLearner(samples, templates, sample=12)],
        "extract": [reader(), extractor, JsonlWriter(out, compression=None)],
    }
    for name, pipeline in pipelines.items():
        logs = str(tmp_path / "logs" / name)
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=1, logging_dir=logs).run()
    found = {}
    for file in Path(out).rglob("*.jsonl"):
        for line in file.read_text("utf-8").splitlines():
            document = json.loads(line)
            metadata = {name: document["metadata"].get(name) for name in METADATA}
            found[document["id"]] = {"text": document["text"], **metadata}
    lines = run_clean(command, jsonl, "--sample", "12")
    expected = {record["id"]: record for record in map(json.loads, lines) if record["text"]}
    fields = ["text", *METADATA]
    assert found == {
        id: {name: page.get(name) for name in fields} for id, page in expected.items()
    }


@pytest.mark.parametrize("tasks", [1, 3])
def test_pipelines_give_the_rows_of_tables(
    pages: Pages, jsonl: Path, tmp_path: Path, tasks: int
) -> None:
    samples, templates, out = (str(tmp_path / name) for name in ("samples", "templates", "out"))

    def reader() -> JsonlReader:
        def adapter(self: Any, data: dict[str, Any], path: str, number: int) -> dict[str, Any]:
            return {"text": data["html"], "id": data["url"], "metadata": {"url": data["url"]}}

        return JsonlReader(str(jsonl.parent), text_key="html", adapter=adapter)

    pipelines = {
        "sample": [reader(), UnmoldSampler(samples, sample=12)],
        "learn": [UnmoldLearner(samples, templates, sample=12, records=True)],
        "records": [reader(), UnmoldRecords(templates), JsonlWriter(out, compression=None)],
    }
    for name, pipeline in pipelines.items():
        logs = str(tmp_path / "logs" / name)
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=1, logging_dir=logs).run()
    documents = [
        json.loads(line)["metadata"]
        for file in Path(out).rglob("*.jsonl")
        for line in file.read_text("utf-8").splitlines()
    ]
    found = {(page["kind"], page["record"]["id"]): page["record"] for page in documents
             if "record" in page}
    tables = unmold.records(pages, sample=12)
    assert found == {(table.kind, row["id"]): row for table in tables for row in table.rows}
    assert len(found) > 20


def test_a_single_page() -> None:
    assert "Tea" in UnmoldExtractor("templates").extract("<p>Tea is a drink.")
