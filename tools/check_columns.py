#!/usr/bin/env python3
"""Checks that the Rust and Markdown files under version control have at most 100 columns.

    tools/check_columns.py [--count]

Prints file:line of each line that is too long, and exits with 1 if there are any. `--count` prints
how many there are of each rule instead.

Markdown: table rows, code blocks, lines whose only long part is a link, and docs/results.md, which
is generated, are exempt.

Rust: a line may be longer if it holds more than 40 characters of a string literal, which rustfmt
does not break, or if it is inside the braces of `proptest!` or `html!`, which rustfmt does not
format. Of comments only table rows of documentation are exempt.
"""
import pathlib
import re
import subprocess
import sys

COLUMNS = 100
LONG_STRING = 40
GENERATED = {"docs/results.md"}

LINK = re.compile(r"\[[^\]]*\]\([^)]*\)|<?https?://\S+")
TOKEN = re.compile(r"""//.*|\bb?r(?P<hashes>\#*)"|"|'(?:\\.[^']*|[^'\\])'""")
TABLE_ROW = re.compile(r"\s*//[/!] \|")
MACRO = re.compile(r"^(\s*).*\b(?:proptest|html)! \{$")


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


def strings_of_rust(lines):
    """For each line, the length of the longest piece of a string literal in it."""
    end = None
    for line in lines:
        at, longest = 0, 0
        while True:
            if end is not None:
                found = end.search(line, at)
                longest = max(longest, (found.start() if found else len(line)) - at)
                if not found:
                    break
                at, end = found.end(), None
            token = TOKEN.search(line, at)
            if token is None or token.group().startswith("//"):
                break
            at = token.end()
            if token.group("hashes") is not None:
                end = re.compile('"' + token.group("hashes"))
            elif token.group() == '"':
                end = re.compile(r'(?<!\\)(?:\\\\)*"')
        yield longest


def long_lines_of_rust(lines):
    macro_end = None
    for number, (line, longest) in enumerate(zip(lines, strings_of_rust(lines)), 1):
        if macro_end is None:
            macro = MACRO.match(line)
            macro_end = macro and macro.group(1) + "}"
        elif line.startswith(macro_end):
            macro_end = None
        if len(line) > COLUMNS:
            if line.lstrip().startswith("//"):
                if not TABLE_ROW.match(line):
                    yield number, "rust comment"
            elif longest <= LONG_STRING and macro_end is None:
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
