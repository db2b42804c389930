#!/usr/bin/env python3
"""Runs other tools on labelled pages and writes a file of outputs for each tool.

    tools/peers.py FOLDER DIR [TOOL ...]

FOLDER contains SET/SITE/gold.jsonl and SET/SITE/pages. Tools run with their default settings. A
page on which a tool fails has an empty text; tools that are not installed are skipped.
`unmold-lab eval FOLDER --experiment peers --peers DIR` scores the files.
"""
import concurrent.futures
import importlib.metadata
import json
import pathlib
import sys


def trafilatura(html):
    from trafilatura import extract
    return extract(html)


def resiliparse(html):
    from resiliparse.extract.html2text import extract_plain_text
    return extract_plain_text(html, main_content=True)


def readability(html):
    from lxml.html import fromstring
    from readability import Document
    return "\n".join(fromstring(Document(html).summary()).itertext())


def justext(html):
    import justext as tool
    paragraphs = tool.justext(html, tool.get_stoplist("English"))
    return "\n".join(p.text for p in paragraphs if not p.is_boilerplate)


def trafilatura_title(html):
    from trafilatura import extract_metadata
    return extract_metadata(html).title


TITLES = {"trafilatura": trafilatura_title}  # tools that find titles, too

TOOLS = {  # name: (package, function)
    "trafilatura": ("trafilatura", trafilatura),
    "resiliparse": ("resiliparse", resiliparse),
    "readability-lxml": ("readability-lxml", readability),
    "justext": ("jusText", justext),
}


def pages(folder):
    root = pathlib.Path(folder).resolve()
    for gold in sorted(root.glob("*/*/gold.jsonl")) or sorted(root.glob("*/gold.jsonl")):
        site = gold.parent
        for line in gold.read_text(encoding="utf-8").split("\n"):
            if line.strip():
                file = json.loads(line)["file"]
                yield site.parent.name, site.name, file, site / "pages" / file


def run(task):
    name, place = task
    set_name, site, file, path = place
    html = path.read_bytes().decode("utf-8", "replace")
    try:
        text = TOOLS[name][1](html) or ""
    except Exception:  # a tool that fails has no output
        text = ""
    output = {"set": set_name, "site": site, "file": file, "text": text}
    if name in TITLES:
        try:
            output["title"] = TITLES[name](html) or ""
        except Exception:
            output["title"] = ""
    return json.dumps(output, ensure_ascii=False)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder, out = sys.argv[1], pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    places = list(pages(folder))
    with concurrent.futures.ProcessPoolExecutor() as workers:
        for name in sys.argv[3:] or TOOLS:
            try:
                version = importlib.metadata.version(TOOLS[name][0])
            except importlib.metadata.PackageNotFoundError:
                print(f"{name}: not installed, skipped (make peers)", file=sys.stderr)
                continue
            unfinished = out / f"{name}.unfinished"
            with open(unfinished, "w", encoding="utf-8") as file:
                file.write(json.dumps({"tool": name, "version": version}) + "\n")
                for line in workers.map(run, ((name, place) for place in places), chunksize=16):
                    file.write(line + "\n")
            unfinished.rename(out / f"{name}.jsonl")
            print(f"{name} {version}: {len(places)} pages", file=sys.stderr)


if __name__ == "__main__":
    main()
