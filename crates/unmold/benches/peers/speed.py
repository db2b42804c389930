"""Pages per CPU second of `unmold strip` and of two extractors, on the same pages in one run.

    python3 -m venv VENV && VENV/bin/pip install resiliparse trafilatura
    cargo build --release -p unmold-cli
    VENV/bin/python crates/unmold/benches/peers/speed.py target/release/unmold FOLDER...

All read files and write text; all use one thread; times are CPU times of user and system. `unmold learn` runs
before and is not counted, as it runs once for a site and not once for a page. The best of ROUNDS rounds counts, as a
busy machine makes all of them slower; trafilatura is slow: it gets each TENTH page only.
"""

import pathlib
import resource
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version

import trafilatura
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding

TENTH = 10
ROUNDS = 3


def children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(files, extract, out):
    start = time.process_time()
    with open(out, "w") as sink:
        for file in files:
            sink.write(extract(file.read_bytes()) or "")
    return len(files) / (time.process_time() - start)


def unmold(binary, folder, files, out):
    template = out + ".json"
    common = ["--quiet", "--threads", "1"]
    subprocess.run([binary, "learn", *common, folder, "-t", template], check=True)
    before = children()
    with open(out, "w") as sink:
        done = subprocess.run([binary, "strip", *common, "--format", "text", folder, "-t", template], stdout=sink)
    # 1: some pages are no text at all, and have been reported.
    if done.returncode not in (0, 1):
        sys.exit(f"{binary} failed on {folder}")
    return len(files) / (children() - before)


def resiliparse_text(data):
    return extract_plain_text(bytes_to_str(data, detect_encoding(data)), main_content=True)


def main():
    binary, folders = sys.argv[1], sys.argv[2:]
    print("resiliparse", version("resiliparse"), "trafilatura", version("trafilatura"))
    print(f"{'':12} {'pages':>6} {'unmold':>9} {'resiliparse':>12} {'trafilatura':>12}   pages per CPU second, ratios")
    with tempfile.TemporaryDirectory() as work:
        out = work + "/out"
        for folder in folders:
            files = sorted(pathlib.Path(folder).rglob("*.html"))
            ours, theirs, slow = 0, 0, 0
            for _ in range(ROUNDS):
                ours = max(ours, unmold(binary, folder, files, out))
                theirs = max(theirs, timed(files, resiliparse_text, out))
                slow = max(slow, timed(files[::TENTH], trafilatura.extract, out))
            print(
                f"{pathlib.Path(folder).name:12} {len(files):6} {ours:9.0f} {theirs:12.0f} {slow:12.1f}"
                f"   {ours / theirs:.1f}x {ours / slow:.0f}x",
                flush=True,
            )


main()
