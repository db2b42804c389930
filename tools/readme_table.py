#!/usr/bin/env python3
"""Writes the table of the README from a report.

    tools/readme_table.py RESULTS.json README.md

Content F1 on the sets that have it, and the share of values kept on swde; the best of each column in bold.
"""
import json
import pathlib
import re
import sys

SETS = {"sites": "sites", "docs": "manuals", "big9": "news, 18 sites", "dragnet": "news and blogs, 61 sites",
        "cleanportaleval": "portals"}
OURS = {"unmold auto": "unmold, default", "unmold auto-all-unique": "unmold `--keep all-unique`",
        "unmold line-frequency": "line frequency"}
BEGIN, END = "<!-- results: written by make results -->\n", "<!-- /results -->"


NOTES = {"resiliparse": ", main content"}


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
        sys.exit("the report has no experiment `peers`")
    table = peers["tables"][0]
    rows = {(row[0], row[1]): dict(zip(table["columns"], row)) for row in table["rows"]}
    missing = [name for name in [*SETS, "swde"] if not any(key[0] == name for key in rows)]
    if missing:
        sys.exit(f"README.md stays as it is: the report lacks the sets {', '.join(missing)}")
    others = [tool for name, tool in rows if name == "sites" and not tool.startswith("unmold ")]
    if not others:
        sys.exit("README.md stays as it is: the report has no outputs of other tools (make peers)")
    tools = [*OURS, *others]
    columns = []
    for name in SETS:
        values = [round(rows[name, tool]["content F1"], 3) for tool in tools]
        columns.append(bold([short(value) for value in values], values))
    kept = [(rows["swde", tool]["retention"], rows["swde", tool]["retention, worst site"]) for tool in tools]
    columns.append(bold([f"{short(mean)}, {short(worst, 2)}" for mean, worst in kept], [round(k[0], 3) for k in kept]))
    lines = ["| | " + " | ".join([*SETS.values(), "data-rich: values kept, worst site"]) + " |",
             "|" + "---|" * (len(SETS) + 2)]
    for tool, *cells in zip(tools, *columns):
        lines.append(f"| {label(tool)} | " + " | ".join(cells) + " |")
    text = readme.read_text(encoding="utf-8")
    new, found = re.subn(re.escape(BEGIN) + ".*?" + re.escape(END),
                         lambda _: BEGIN + "\n".join(lines) + "\n" + END, text, flags=re.S)
    if found != 1:
        sys.exit(f"{readme}: no place for the table, which is between {BEGIN.strip()} and {END}")
    readme.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
