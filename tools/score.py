#!/usr/bin/env python3
"""An independent scorer: content F1, template F, retention and removed share of saved outputs.

    unmold-lab eval FOLDER --save-outputs DIR
    tools/score.py FOLDER DIR/METHOD.jsonl [...]           prints means as JSON, for each set and tool

Shares no code with unmold. Words are runs of letters, digits and underscores, lower-cased; counts are of multisets;
means over pages, then types, then sites. The text of the whole page is taken from the outputs (`body`).
"""
import collections
import json
import pathlib
import re
import sys

WORD = re.compile(r"\w+")


def words(text):
    return WORD.findall(text.lower())


def bag(text):
    return collections.Counter(words(text))


def agreement(found, truth):
    common = sum((found & truth).values())
    all_found, all_truth = sum(found.values()), sum(truth.values())
    if all_found == 0 or all_truth == 0:
        value = 1.0 if all_found == all_truth else 0.0
        return value, value, value
    precision, recall = common / all_found, common / all_truth
    return (2 * precision * recall / (precision + recall) if common else 0.0), precision, recall


def holds(sequence, part):
    return any(sequence[i:i + len(part)] == part for i in range(len(sequence) - len(part) + 1))


def score_page(gold, body, out):
    scores = {}
    all_words, kept = bag(body), bag(out)
    if all_words:
        scores["removed share"] = 1 - sum(kept.values()) / sum(all_words.values())
    if gold.get("content") is not None:
        content = bag(gold["content"])
        dont_care = bag("\n".join(gold.get("dont_care") or []))
        values = agreement(kept - dont_care, content - dont_care)
        scores.update(zip(("content F1", "content P", "content R"), values))
        values = agreement((all_words - kept) - dont_care, (all_words - content) - dont_care)
        scores.update(zip(("template F1", "template P", "template R"), values))
    sequence, left = words(body), words(out)
    values = [words(v) for vs in (gold.get("attributes") or {}).values() for v in vs]
    present = [v for v in values if v and holds(sequence, v)]
    if present:
        scores["retention"] = sum(holds(left, v) for v in present) / len(present)
    return scores


def mean(parts):
    sums = collections.defaultdict(list)
    for part in parts:
        for name, value in part.items():
            sums[name].append(value)
    return {name: sum(values) / len(values) for name, values in sums.items()}


def read_gold(folder):
    """Labels by (set, site, file), at most two levels down."""
    root = pathlib.Path(folder).resolve()
    labels = {}
    for pattern in ("gold.jsonl", "*/gold.jsonl", "*/*/gold.jsonl"):
        for path in sorted(root.glob(pattern)):
            site = path.parent
            for line in path.read_text(encoding="utf-8").split("\n"):
                if line.strip():
                    gold = json.loads(line)
                    labels[site.parent.name, site.name, gold["file"]] = gold
    return labels


def score(labels, path):
    with open(path, encoding="utf-8") as lines:
        tool = json.loads(next(lines))["tool"]
        sets = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
        for line in lines:
            page = json.loads(line)
            gold = labels[page["set"], page["site"], page["file"]]
            scores = score_page(gold, page["body"], page["text"])
            sets[page["set"]][page["site"]][gold.get("type") or ""].append(scores)
    for name, sites in sorted(sets.items()):
        means = mean(mean(mean(pages) for pages in types.values()) for types in sites.values())
        yield {"set": name, "tool": tool, "mean": means}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    labels = read_gold(sys.argv[1])
    print(json.dumps([row for path in sys.argv[2:] for row in score(labels, path)], indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
