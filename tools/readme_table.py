#!/usr/bin/env python3
"""Writes the results table of the README from a report.

    tools/readme_table.py RESULTS.json README.md

The table has content F1 for the sets with labelled content, and the share of values kept for swde.
The best value of each column is bold.
"""
import json
import pathlib
import re
import sys

SETS = {
    "sites": "sites",
    "docs": "manuals",
    "big9": "news, 18 sites",
    "dragnet": "news and blogs, 61 sites",
    "cleanportaleval": "portals",
}
OURS = {
    "unmold auto": "unmold, default",
    "unmold auto-all-unique": "unmold `--keep all-unique`",
    "unmold line-frequency": "line frequency",
}
NOTES = {"resiliparse": ", main content"}
BEGIN, END = "<!-- results: written by make results -->\n", "<!-- /results -->"


def short(value, digits=3):
    return f"{value:.{digits}f}".removeprefix("0")


def label(tool):
    return OURS.get(tool) or tool + NOTES.get(tool.split()[0], "")


def bold(texts, values):
    best = max(values)
    return [f"**{text}**" if value == best else text for text, value in zip(texts, values)]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    results, readme = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
    peers = next((e for e in results["experiments"] if e["experiment"] == "peers"), None)
    if peers is None:
        sys.exit("README.md not changed: the report lacks the experiment `peers`")
    table = peers["tables"][0]
    rows = {(row[0], row[1]): dict(zip(table["columns"], row)) for row in table["rows"]}
    missing = [name for name in [*SETS, "swde"] if not any(key[0] == name for key in rows)]
    if missing:
        sys.exit(f"README.md not changed: the report lacks the sets {', '.join(missing)}")
    others = [tool for name, tool in rows if name == "sites" and not tool.startswith("unmold ")]
    if not others:
        sys.exit("README.md not changed: the report lacks other tools (run make peers)")
    tools = [*OURS, *others]
    columns = []
    for name in SETS:
        values = [round(rows[name, tool]["content F1"], 3) for tool in tools]
        columns.append(bold([short(value) for value in values], values))
    swde = [rows["swde", tool] for tool in tools]
    kept = [(row["retention"], row["retention, worst site"]) for row in swde]
    texts = [f"{short(mean)}, {short(worst, 2)}" for mean, worst in kept]
    columns.append(bold(texts, [round(mean, 3) for mean, _ in kept]))
    lines = ["| | " + " | ".join([*SETS.values(), "data-rich: values kept, worst site"]) + " |",
             "|" + "---|" * (len(SETS) + 2)]
    for tool, *cells in zip(tools, *columns):
        lines.append(f"| {label(tool)} | " + " | ".join(cells) + " |")
    text = readme.read_text(encoding="utf-8")
    new, found = re.subn(re.escape(BEGIN) + ".*?" + re.escape(END),
                         lambda _: BEGIN + "\n".join(lines) + "\n" + END, text, flags=re.S)
    if found != 1:
        sys.exit(f"{readme}: the lines {BEGIN.strip()} and {END} are missing")
    readme.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
