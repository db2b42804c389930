"""The steps in real datatrove pipelines, on any number of tasks: the texts are those of the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("datatrove")

from conftest import run_clean
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter
from unmold.datatrove import UnmoldExtractor, UnmoldLearner, UnmoldSampler

Pages = list[dict[str, Any]]


@pytest.mark.parametrize("tasks", [1, 3])
def test_three_pipelines_give_the_rows_of_the_command(
    command: str, pages: Pages, jsonl: Path, tmp_path: Path, tasks: int
) -> None:
    crawl = tmp_path / "crawl"
    crawl.mkdir()
    for number in range(4):
        lines = [json.dumps(page) + "\n" for page in pages[number::4]]
        (crawl / f"{number}.jsonl").write_text("".join(lines), "utf-8")
    samples, templates, out = (str(tmp_path / name) for name in ("samples", "templates", "out"))

    def reader() -> JsonlReader:
        def adapter(self: Any, data: dict[str, Any], path: str, number: int) -> dict[str, Any]:
            return {"text": data["html"], "id": data["url"], "metadata": {"url": data["url"]}}

        return JsonlReader(str(crawl), text_key="html", adapter=adapter)

    steps = {
        "sample": [reader(), UnmoldSampler(samples, sample=12)],
        "learn": [UnmoldLearner(samples, templates, sample=12)],
        "extract": [reader(), UnmoldExtractor(templates, sample=12), JsonlWriter(out, compression=None)],
    }
    for name, pipeline in steps.items():
        executor = LocalPipelineExecutor(pipeline, tasks=tasks, workers=1, logging_dir=str(tmp_path / "logs" / name))
        executor.run()
    found = {}
    for file in Path(out).rglob("*.jsonl"):
        for line in file.read_text("utf-8").splitlines():
            document = json.loads(line)
            found[document["id"]] = (document["text"], document["metadata"]["template"], document["metadata"]["flags"])
    expected = [json.loads(line) for line in run_clean(command, jsonl, "--sample", "12")]
    assert found == {page["id"]: (page["text"], page["template"], page["flags"]) for page in expected if page["text"]}


def test_a_page_by_itself() -> None:
    assert "Tea" in UnmoldExtractor("templates").extract("<p>Tea is a drink.")
