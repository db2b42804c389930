"""Calls the package with values that nobody should pass.

Whatever comes in, the answer is a result or one of the errors that the documentation names. Run as
a program, it goes on for some seconds and prints how many calls it made:

    python python/tests/boundary.py 60
"""

from __future__ import annotations

import random
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import unmold

EXPECTED = (TypeError, ValueError, OSError, KeyError)
"""What may be raised. `OverflowError` and `UnicodeError` are none of the caller's business."""
UNEXPECTED = (UnicodeError,)

PIECES = [
    "<p>", "</p>", "<ul><li>", "</ul>", "<b><i>", "</b>", "<table><td>", "<!--", "-->", "&amp;",
    "&#xd800;", "\x00", "\ud800", "\udcff", "\U0001f375", "\u202e", "Tea ", "Home Shop ", "<a href=",
    "<script>", "</script>", "<svg>", "<template>", "]]>", "=\"'", "<meta charset=utf-16>", "\x1b[2J",
]  # fmt: skip


class Chance:
    """Draws values of all kinds; the same seed draws the same ones."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self) -> str:
        return "".join(self.random.choices(PIECES, k=self.random.randrange(30)))

    def html(self) -> Any:
        data = self.text().encode("utf-8", "surrogatepass")
        return self.random.choice([self.text(), data, bytearray(data), memoryview(data)])

    def odd(self) -> Any:
        """Something that is no page, no setting and no table."""
        odd = [None, 0, -1, 1 << 70, 0.5, float("nan"), "", b"", [], {}, (), object(), self.text()]
        return self.random.choice([*odd, [self.text()], {"html": None}, {"url": 3}, range(3)])

    def page(self) -> Any:
        if self.random.random() < 0.1:
            return self.odd()
        if self.random.random() < 0.5:
            return self.html()
        page: dict[str, Any] = {"html": self.html()}
        for name in ("url", "id", "site", "charset"):
            if self.random.random() < 0.3:
                page[name] = self.random.choice([self.text(), f"http://{self.text()}/", self.odd()])
        return page

    def pages(self) -> Any:
        if self.random.random() < 0.05:
            return self.odd()
        return [self.page() for _ in range(self.random.randrange(5))]

    def settings(self) -> dict[str, Any]:
        usual: dict[str, Any] = {
            "method": self.random.choice(unmold.METHODS),
            "format": self.random.choice(["text", "plain", "markdown", "html"]),
            "keep": self.random.choice(["all-unique", "main", "article"]),
            "sample": self.random.randrange(2, 9),
            "min_importance": self.random.random(),
            "max_nodes": self.random.randrange(1, 99),
            "cluster": self.random.choice([True, False, None]),
        }
        chosen = self.random.sample(sorted(usual), self.random.randrange(3))
        settings = {name: usual[name] for name in chosen}
        if self.random.random() < 0.1:
            settings[self.random.choice([*usual, "seed", "threshold", "colour"])] = self.odd()
        return settings

    def table(self) -> Any:
        if self.random.random() < 0.1:
            return self.odd()
        rows = self.random.randrange(5)
        kinds = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary_view()]
        columns = {}
        for name in ("html", "url", "id", "site", "charset", "error"):
            if name == "html" or self.random.random() < 0.3:
                data = [self.text().encode("utf-8", "replace") for _ in range(rows)]
                values = [None if self.random.random() < 0.2 else value for value in data]
                columns[name] = pa.array(values, pa.binary()).cast(self.random.choice(kinds))
        if self.random.random() < 0.1:
            columns["url"] = pa.array(range(rows))
        return pa.table(columns)


def calls(chance: Chance) -> list[Callable[[], Any]]:
    """Calls of everything that takes values of others."""
    page, pages, settings = chance.page(), chance.pages(), chance.settings()

    def learned() -> Any:
        template = unmold.learn(pages, **settings)
        template.strip(page, **settings)
        template.explain(page, **settings)
        return unmold.Template.from_json(template.to_json())

    return [
        lambda: unmold.clean(pages, **settings),
        lambda: unmold.learn_sites(pages, **settings),
        learned,
        lambda: unmold.cluster(pages, **settings),
        lambda: unmold.sections(page, **settings),
        lambda: unmold.records(pages, **settings),
        lambda: unmold.Templates.from_json(chance.html()),
        lambda: list(unmold.clean_batches(chance.table(), **settings)),
        lambda: [repr(clean.to_json()) for clean in unmold.clean(pages, **settings)],
    ]


def run(seed: int) -> int:
    """Makes the calls of a seed and returns their number."""
    chance = Chance(seed)
    made = calls(chance)
    for call in made:
        try:
            call()
        except UNEXPECTED:
            raise
        except EXPECTED:
            pass
    return len(made)


def main() -> None:
    warnings.simplefilter("ignore")
    end = time.monotonic() + float(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
    executions = 0
    while time.monotonic() < end:
        try:
            executions += run(seed)
        except BaseException:
            print(f"seed {seed}", file=sys.stderr)
            raise
        seed += 1
    print(f"Done {executions} runs in {sys.argv[1]} second(s)")


if __name__ == "__main__":
    main()
