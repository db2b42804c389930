"""What the tests share: the bundled sites, and the command to compare with."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def command() -> str:
    """The command `unmold`, built from this checkout."""
    given = os.environ.get("UNMOLD")
    if given:
        return given
    build = ["cargo", "build", "--quiet", "--release", "--package", "unmold-cli", "--message-format=json"]
    lines = subprocess.run(build, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    built = [json.loads(line).get("executable") for line in lines]
    return next(path for path in reversed(built) if path)


@pytest.fixture(scope="session")
def pages() -> list[dict[str, Any]]:
    """Pages of all bundled sites and of the market, as records with `url` and `html`."""
    found = []
    for path in sorted(ROOT.glob("fixtures/*/pages/**/*.html")):
        site, _, name = path.relative_to(ROOT / "fixtures").as_posix().partition("/pages/")
        found.append({"url": f"http://www.{site}.example/{name}", "html": path.read_text("utf-8", "replace")})
    assert len(found) > 50
    return found + market()


def market() -> list[dict[str, Any]]:
    """A site nearly all of whose pages are of one kind, with a page that has copies under addresses of all kinds. What
    its template is hangs on which pages are drawn: every line of offers is on a few pages only."""
    shapes = {"product/{}": 60, "blog/2024/{}.html": 8, "help/{}": 3, "list.php?page={}": 3}
    found = []
    for shape, number in shapes.items():
        kind = shape[:4]
        for n in range(number):
            html = (
                f"<ul><li>The market<li>All about {kind}<li>Basket</ul><p>Offer {n % 7} of the week</p>"
                f"<div>{kind.title()} number {n} is unlike any other, as its {n * n} friends say.</div>"
            )
            found.append({"url": "http://www.market.example/" + shape.format(n), "html": html})
        found.append({"url": "http://www.market.example/" + shape.format(1000), "html": "<p>Please log in first."})
    return found


@pytest.fixture(scope="session")
def jsonl(pages: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same pages as a file."""
    path = tmp_path_factory.mktemp("pages") / "pages.jsonl"
    path.write_text("".join(json.dumps(page) + "\n" for page in pages), "utf-8")
    return path


def run_clean(command: str, *args: str | Path) -> list[str]:
    """Lines that `unmold clean` writes."""
    done = subprocess.run([command, "clean", "--quiet", *map(str, args)], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.splitlines()
