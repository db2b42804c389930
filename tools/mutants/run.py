#!/usr/bin/env python3
"""Which changes of the code does no test notice?

tools/mutants/run.py [FILE…] [--work DIR] [--results FILE]

Builds the tests once with all mutants of the given files (default: those that hold the papers'
rules), each behind a switch; finds out which tests reach which mutant; and runs for each mutant
the tests that reach it, the fastest first, until one fails or takes too long. Prints a line for
each mutant that no test notices, and a table. `--results` keeps the outcome of each mutant as
tab-separated text.

The repository is copied to DIR first, which also has the build: nothing in it is changed.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools/mutants"
CARGO = os.environ.get("CARGO", "cargo")

# For each package: the tests that are run, and the files that hold the papers' rules.
PACKAGES = {
    "unmold": (
        ["--lib", "--test", "papers", "--test", "vectors"],
        "cluster/assign cluster/cost cluster/greedy cluster/lsh cluster/mod cluster/nearest "
        "cluster/paths cluster/signature cluster/stream cluster/template dedup/imatch dedup/mod "
        "methods/chunk_frequency methods/alignment/align methods/alignment/consensus "
        "methods/alignment/lcs methods/alignment/mod methods/alignment/needleman "
        "methods/alignment/tokens methods/tree_mapping/find methods/tree_mapping/greedy "
        "methods/tree_mapping/mapping methods/tree_mapping/mod methods/tree_mapping/removal "
        "methods/tree_mapping/template methods/tree_mapping/tree methods/tree_pattern/features "
        "methods/tree_pattern/fold methods/tree_pattern/items methods/tree_pattern/lists "
        "methods/tree_pattern/matching methods/tree_pattern/merge methods/tree_pattern/mod "
        "methods/tree_pattern/pattern methods/tree_pattern/template methods/tree_pattern/tree "
        "metrics/mod metrics/partition sections/area sections/boxes sections/describe "
        "sections/mod sections/region sections/segment sections/settings switching",
    ),
    "unmold-lab": (
        ["--lib"],
        "bm25 classification clustering naive_bayes search terms eval/clusters "
        "eval/gold_template eval/means eval/score eval/sections eval/truth",
    ),
}
# The tests of a binary that are run, by the beginnings of their names; of others, all are.
FILTERS = {
    "unmold": ["cluster::", "dedup::", "methods::", "metrics::", "sections::", "switching::"],
}
# Seconds that a batch of tests takes at most, beyond ten times what it takes without a mutant.
PATIENCE = 5.0


def default_files():
    for package, (_, names) in PACKAGES.items():
        yield from (f"crates/{package}/src/{name}.rs" for name in names.split())


def run(arguments, **more):
    return subprocess.run([str(a) for a in arguments], text=True, capture_output=True, **more)


class Tree:
    """A copy of the repository with all mutants in it."""

    def __init__(self, work, files):
        self.path, self.files = work / "tree", files
        tracked = run(["git", "ls-files"], cwd=ROOT, check=True).stdout.splitlines()
        for name in tracked:
            self.copy(name)
        build = [CARGO, "build", "--quiet", "--release", "--manifest-path", TOOL / "Cargo.toml"]
        subprocess.run([*build, "--target-dir", work / "tool"], check=True)
        self.tool = work / "tool/release/mutants"
        self.target = work / "target"
        self.skipped = set()
        self.mutants = {}

    def copy(self, name):
        source, target = ROOT / name, self.path / name
        if not source.is_file():
            return
        data = source.read_bytes()
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    def instrument(self):
        """Puts the mutants into the files. Each file has 10,000 numbers of its own."""
        self.mutants = {}
        for number, name in enumerate(self.files, 1):
            self.copy(name)
            skipped = ",".join(map(str, sorted(self.skipped))) or "0"
            arguments = [self.tool, "instrument", self.path / name, number * 10_000, skipped]
            for line in run(arguments, check=True).stdout.splitlines():
                mutant, row, function, change = line.split("\t", 3)
                self.mutants[int(mutant)] = (name, int(row), function, change)

    def build(self):
        """Builds all tests and returns them; leaves out mutants that do not compile."""
        while True:
            self.instrument()
            binaries, errors = self.build_once()
            if not errors:
                return binaries
            blamed = set()
            for place in errors:
                found = run([self.tool, "blame", *place]).stdout.split()
                blamed.update(map(int, found))
            print(f"{len(blamed)} mutants do not compile", file=sys.stderr)
            if not blamed - self.skipped:
                sys.exit("the code does not compile: " + str(errors[:5]))
            self.skipped |= blamed

    def build_once(self):
        binaries, errors = [], []
        packages = {name.split("/")[1] for name in self.files}
        for package, (tests, _) in PACKAGES.items():
            if package not in packages:
                continue
            arguments = [CARGO, "test", "--no-run", "--message-format=json", "-p", package]
            done = run(
                [*arguments, *tests],
                cwd=self.path,
                env={**os.environ, "CARGO_TARGET_DIR": str(self.target)},
            )
            for line in done.stdout.splitlines():
                message = json.loads(line)
                if message.get("executable") and message["profile"]["test"]:
                    binaries.append((message["executable"], self.path / "crates" / package))
                if message["reason"] == "compiler-message":
                    errors += self.places(message["message"])
            if done.returncode and not errors:
                sys.exit(done.stderr)
            if errors:
                break
        return binaries, errors

    def places(self, message):
        if message["level"] != "error":
            return []
        spans = [span for span in message["spans"] if span["is_primary"]]
        return [
            (self.path / span["file_name"], span["line_start"], span["column_start"])
            for span in spans
        ]


class Tests:
    """The tests of all binaries: how long they take, and which mutants they reach."""

    def __init__(self, work, binaries):
        self.seconds, self.folder, self.reach = {}, {}, defaultdict(set)
        for binary, folder in binaries:
            self.folder[binary] = folder
            trace = work / "trace.tsv"
            trace.unlink(missing_ok=True)
            self.measure(binary, trace)
            self.read(binary, trace)

    def measure(self, binary, trace):
        """Runs all tests, with a trace. It names them by their threads, so there must be some."""
        timed = ["-Zunstable-options", "--report-time", "--test-threads=2"]
        filters = FILTERS.get(Path(binary).name.rsplit("-", 1)[0], [])
        env = {**os.environ, "RUSTC_BOOTSTRAP": "1", "MUTANT_TRACE": str(trace)}
        out = run([binary, *timed, *filters], cwd=self.folder[binary], env=env).stdout
        pattern = r"^test (\S+).*? \.\.\. (\w+).*?<([\d.]+)s>"
        for name, result, seconds in re.findall(pattern, out, re.M):
            if result == "ok":
                self.seconds[binary, name] = float(seconds)
            else:
                print(f"{name} fails without any mutant: left out", file=sys.stderr)

    def read(self, binary, trace):
        if not trace.exists():
            return
        known = {name for (own, name) in self.seconds if own == binary}
        for line in trace.read_text().splitlines():
            thread, mutant = line.split("\t")
            for name in [thread] if thread in known else known:
                self.reach[int(mutant)].add((binary, name))

    def batches(self, mutant):
        """The tests that reach a mutant, fastest first, in runs of about a second."""
        by_binary = defaultdict(list)
        for binary, name in self.reach[mutant]:
            by_binary[binary].append((self.seconds.get((binary, name), 60.0), name))
        batches = []
        for binary, tests in by_binary.items():
            batch, total = [], 0.0
            for seconds, name in sorted(tests):
                if batch and total + seconds > 1.0:
                    batches.append((total, binary, batch))
                    batch, total = [], 0.0
                batch.append(name)
                total += seconds
            batches.append((total, binary, batch))
        return sorted(batches)

    def outcome(self, mutant):
        if not self.reach[mutant]:
            return "not reached"
        for seconds, binary, names in self.batches(mutant):
            try:
                done = run(
                    [binary, "--exact", "--test-threads=1", *names],
                    cwd=self.folder[binary],
                    env={**os.environ, "MUTANT": str(mutant)},
                    timeout=PATIENCE + 10 * seconds,
                )
            except subprocess.TimeoutExpired:
                return "timeout"
            if done.returncode:
                return "caught"
        return "survived"


def report(mutants, outcomes):
    counts = defaultdict(Counter)
    for mutant, outcome in outcomes.items():
        counts[mutants[mutant][0]][outcome] += 1
    print("\n| file | mutants | noticed | not noticed | not reached |\n|---|---|---|---|---|")
    total = Counter()
    for name, found in [*counts.items(), ("all", total)]:
        noticed = found["caught"] + found["timeout"]
        row = (name, found.total(), noticed, found["survived"], found["not reached"])
        print("| " + " | ".join(map(str, row)) + " |")
        if found is not total:
            total += found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--work", type=Path, default=ROOT / "out/mutants")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--build", action="store_true", help="build the tests and stop")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    tree = Tree(work, arguments.files or list(default_files()))
    binaries = tree.build()
    if arguments.build:
        return
    tests = Tests(work, binaries)
    outcomes, start = {}, time.monotonic()
    for mutant, (name, line, function, change) in tree.mutants.items():
        outcome = outcomes[mutant] = tests.outcome(mutant)
        row = f"{outcome}\t{name}:{line}\t{function}\t{change}"
        if outcome in ("survived", "not reached"):
            print(row, flush=True)
        if arguments.results:
            with arguments.results.open("a") as out:
                out.write(f"{mutant}\t{row}\n")
    report(tree.mutants, outcomes)
    print(f"{time.monotonic() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
