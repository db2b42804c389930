"""Fixtures: the bundled sites, and the command to compare with."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
Pages = list[dict[str, Any]]


@pytest.fixture(scope="session")
def command() -> str:
    """The command `unmold`, built from this checkout unless `UNMOLD` names one."""
    given = os.environ.get("UNMOLD")
    if given:
        return given
    build = ["cargo", "build", "--quiet", "--release", "--package", "unmold-cli"]
    done = subprocess.run(
        [*build, "--message-format=json"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    built = [json.loads(line).get("executable") for line in done.stdout.splitlines()]
    return next(path for path in reversed(built) if path)


@pytest.fixture(scope="session")
def pages() -> Pages:
    """Pages of all bundled sites and of the market, as mappings with `url` and `html`."""
    found = []
    for path in sorted(ROOT.glob("fixtures/*/pages/**/*.html")):
        site, _, name = path.relative_to(ROOT / "fixtures").as_posix().partition("/pages/")
        html = path.read_text("utf-8", "replace")
        found.append({"url": f"http://www.{site}.example/{name}", "html": html})
    assert len(found) > 50
    return found + market()


def market() -> Pages:
    """A site whose template depends on the sample.

    Nearly all pages are of one kind, each line of offers is on a few pages only, and one page has
    copies under addresses of all kinds.
    """
    shapes = {"product/{}": 60, "blog/2024/{}.html": 8, "help/{}": 3, "list.php?page={}": 3}
    found = []
    for shape, number in shapes.items():
        url, kind = f"http://www.market.example/{shape}", shape[:4]
        for n in range(number):
            html = (
                f"<ul><li>The market<li>All about {kind}<li>Basket</ul>"
                f"<p>Offer {n % 7} of the week</p>"
                f"<div>{kind.title()} number {n} is unlike any other, "
                f"as its {n * n} friends say.</div>"
            )
            found.append({"url": url.format(n), "html": html})
        found.append({"url": url.format(1000), "html": "<p>Please log in first."})
    return found


@pytest.fixture(scope="session")
def jsonl(pages: Pages, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same pages as a file."""
    return write_jsonl(pages, tmp_path_factory.mktemp("pages") / "pages.jsonl")


def write_jsonl(pages: Pages, path: Path) -> Path:
    """Writes pages as JSONL."""
    path.write_text("".join(json.dumps(page) + "\n" for page in pages), "utf-8")
    return path


def run_clean(command: str, *args: str | Path) -> list[str]:
    """The lines that `unmold clean` writes."""
    program = [command, "clean", "--quiet", *map(str, args)]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.splitlines()
