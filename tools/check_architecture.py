#!/usr/bin/env python3
"""Checks that ARCHITECTURE.md names only what exists.

    tools/check_architecture.py

Every `path/to/file.rs` must be a file under version control (the end of its path is enough), and
every `name_with_underscores` must occur in a source file. So a test cannot be renamed or deleted
while the document still says that it holds an invariant. Exits with 1 if something is missing.
"""
import pathlib
import re
import subprocess
import sys

DOCUMENT = "ARCHITECTURE.md"
NAME = re.compile(r"`(?:\w+::)?(\w+_\w+)`")
FILE = re.compile(r"`([\w./-]+\.(?:rs|py|toml|json|md))`")
SOURCES = (".rs", ".py", ".toml")


def main():
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True, text=True)
    files = [name for name in listed.stdout.split("\0") if name]
    text = pathlib.Path(DOCUMENT).read_text("utf-8")
    known = set()
    for name in files:
        if name.endswith(SOURCES):
            known.update(re.findall(r"\w+", pathlib.Path(name).read_text("utf-8")))
    missing = [name for name in sorted(set(NAME.findall(text))) if name not in known]
    for path in sorted(set(FILE.findall(text))):
        if not any(f"/{name}".endswith(f"/{path}") for name in files):
            missing.append(path)
    for name in missing:
        print(f"{DOCUMENT}: `{name}` does not exist")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
