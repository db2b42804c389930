#!/usr/bin/env python3
"""Checks that ARCHITECTURE.md names only what exists, and that only the command line knows clap.

    tools/check_architecture.py

Every `path/to/file.rs` must be a file under version control (the end of its path is enough), and
every `name_with_underscores` must occur in a source file. So a test cannot be renamed or deleted
while the document still says that it holds an invariant. No file below `commands/` may use clap.
Exits with 1 if something is wrong.
"""
import pathlib
import re
import subprocess
import sys

DOCUMENT = "ARCHITECTURE.md"
NAME = re.compile(r"`(?:\w+::)?(\w+_\w+)`")
FILE = re.compile(r"`([\w./-]+\.(?:rs|py|toml|json|md))`")
CLAP = re.compile(r"\bclap::|\buse clap\b")
MAY_USE_CLAP = re.compile(r"crates/[\w-]+/src/(?:main\.rs|args/.*|commands/.*)")
SOURCES = (".rs", ".py", ".toml")


def main():
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True, text=True)
    files = [name for name in listed.stdout.split("\0") if name]
    text = pathlib.Path(DOCUMENT).read_text("utf-8")
    known, problems = set(), []
    for name in files:
        if name.endswith(SOURCES):
            source = pathlib.Path(name).read_text("utf-8")
            known.update(re.findall(r"\w+", source))
            if name.endswith(".rs") and CLAP.search(source) and not MAY_USE_CLAP.fullmatch(name):
                problems.append(f"{name}: uses clap, which belongs in args/ or commands/")
    missing = [name for name in sorted(set(NAME.findall(text))) if name not in known]
    for path in sorted(set(FILE.findall(text))):
        if not any(f"/{name}".endswith(f"/{path}") for name in files):
            missing.append(path)
    problems += [f"{DOCUMENT}: `{name}` does not exist" for name in missing]
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
