#!/usr/bin/env python3
"""Checks that the Rust and Markdown files under version control have at most 100 columns.

    tools/check_columns.py [--count]

Prints file:line of each line that is too long, and exits with 1 if there are any. `--count` prints
how many there are of each rule instead.

Markdown: table rows, code blocks, lines whose only long part is a link, and docs/results.md, which
is generated, are exempt.

Rust: a line may be longer if it holds (a part of) a string literal of more than 40 characters, which
rustfmt does not break. Raw strings over several lines are exempt as a whole.
"""
import pathlib
import re
import subprocess
import sys

COLUMNS = 100
LONG_STRING = 40
GENERATED = {"docs/results.md"}

LINK = re.compile(r"\[[^\]]*\]\([^)]*\)|<?https?://\S+")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"?')
RAW_STRING = re.compile(r'\br(#*)"')


def tracked(*patterns):
    files = subprocess.run(
        ["git", "ls-files", "-z", *patterns], capture_output=True, check=True, text=True
    )
    return [name for name in files.stdout.split("\0") if name]


def long_lines_of_markdown(lines):
    in_code = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code and len(line) > COLUMNS and not line.lstrip().startswith("|"):
            if not any(len(link) > COLUMNS // 2 for link in LINK.findall(line)):
                yield number, "markdown"


def long_lines_of_rust(lines):
    raw_end = None
    for number, line in enumerate(lines, 1):
        starts_in_raw = raw_end is not None
        rest = line
        while True:
            if raw_end is not None:
                _, found, rest = rest.partition(raw_end)
                if not found:
                    break
                raw_end = None
            begin = None if rest.lstrip().startswith("//") else RAW_STRING.search(rest)
            if begin is None:
                break
            raw_end, rest = '"' + begin.group(1), rest[begin.end():]
        if len(line) <= COLUMNS or starts_in_raw or raw_end is not None:
            continue
        if line.lstrip().startswith("//"):
            yield number, "rust comment"
        elif not any(len(text) > LONG_STRING for text in STRING.findall(line)):
            yield number, "rust code"


def main():
    counts = {}
    count_only = "--count" in sys.argv[1:]
    for name in tracked("*.rs", "*.md"):
        if name in GENERATED:
            continue
        lines = pathlib.Path(name).read_text("utf-8").splitlines()
        check = long_lines_of_markdown if name.endswith(".md") else long_lines_of_rust
        for number, rule in check(lines):
            counts[rule] = counts.get(rule, 0) + 1
            if not count_only:
                print(f"{name}:{number}: more than {COLUMNS} columns ({rule})")
    for rule, count in sorted(counts.items()):
        print(f"{rule}: {count}", file=sys.stdout if count_only else sys.stderr)
    sys.exit(1 if counts else 0)


if __name__ == "__main__":
    main()
