"""Fits the weights of unmold's default from labelled blocks.

    unmold-lab eval CORPUS --curve 1,2,4,8,24 --export blocks.bin
    python fit.py blocks.bin crates/unmold/src/pipeline/model.json crates/unmold-lab/src/eval/folds.json

Writes the model fitted on all sites, and one model for each of five parts of the sites that was fitted without them:
`unmold-lab eval` scores a site with the model that has not seen it. Sites of the same publisher are in the same part.
Prints what the models reach on the sites they have not seen (block by block: `unmold-lab eval` has the exact scores).
Needs numpy and lightgbm.
"""
import json
import sys
import zlib
from collections import defaultdict
from itertools import chain

import lightgbm as lgb
import numpy as np

FOLDS = 5
ROUNDS = 50
# Blocks a model is fitted on, drawn by their weights.
ROWS = 300_000
# Their mean is less a matter of chance than one model with as many trees as all of them.
VARIANTS = [dict(feature_fraction=0.5), dict(feature_fraction=0.3, path_smooth=20), dict(feature_fraction=0.4, path_smooth=5)]
# How much each set counts. Sites in a set, types in a site, pages of a type count the same.
SET_WEIGHT = {"sites": 1, "sites-neutral": 1, "docs": 0.8, "docs-neutral": 0.8, "big9": 1.2, "dragnet": 2, "cleanportaleval": 0.6}
# How much the set counts whose values are labelled, and the first of the seeds: the trees for most sites, and those for
# sites of records.
FORESTS = {"usual": (0.12, 4), "careful": (1, 1)}
# Small samples teach what to do with few pages; most users have more.
SAMPLE_WEIGHT = {None: 1, 24: 0.3, 8: 0.3, 4: 0.25, 2: 0.25, 1: 0.25}
PARAMETERS = dict(
    objective="cross_entropy", num_leaves=31, max_depth=6, learning_rate=0.22, min_data_in_leaf=60, bagging_fraction=0.7,
    bagging_freq=1, lambda_l2=5, max_bin=63, deterministic=True, force_row_wise=True, num_threads=1, verbose=-1,
)
# Parts of host names that say nothing about the publisher.
COMMON_NAMES = set("com co uk org net www gov in au go blogs blogspot typepad news online posterous tv".split())


def publisher(set_name, site):
    if set_name == "big9":
        return site.split("-")[1]
    if set_name in ("dragnet", "cleanportaleval"):
        parts = [part for part in site.split("_")[0].split(".") if part not in COMMON_NAMES]
        return parts[-1] if parts else site
    return site


def fold_of(page):
    return zlib.crc32(publisher(page["set"], page["site"]).encode()) % FOLDS


class Blocks:
    def __init__(self, path):
        head = json.load(open(path + ".json"))
        table = np.memmap(path, dtype="<f4", mode="r").reshape(-1, len(head["names"]))
        self.names = head["names"][6:]
        self.pages = head["pages"]
        self.page = np.repeat(np.arange(len(self.pages)), [page["blocks"] for page in self.pages])
        self.label = np.array(table[:, 0])
        self.tokens = np.array(table[:, 1])
        self.place, self.outer = (np.array(table[:, at]).astype("i8") * (1 << 21) + np.array(table[:, at + 1]).astype("i8") for at in (2, 4))
        self.features = table[:, 6:]
        self.fold = np.array([fold_of(page) for page in self.pages])[self.page]
        self.values_only = np.array([page["gold"] is None for page in self.pages])[self.page]

    def column(self, name):
        return np.array(self.features[:, self.names.index(name)])


def targets(blocks, of_values):
    """Labels and weights. Where only values are labelled, what repeats in its place on most pages is no content."""
    label = blocks.label.copy()
    repeated = (blocks.column("text on others") >= 0.5) & (blocks.column("slotted of slot") > 0.5)
    template = blocks.values_only & (label < 0) & repeated
    label[template] = 0
    weight = page_weights(blocks, of_values)[blocks.page] * share_of_page(blocks)
    weight[template] *= 0.3
    weight[blocks.values_only & (label == 1)] *= 2
    weight[label < 0] = 0
    return np.maximum(label, 0), weight / weight.sum() * (weight > 0).sum()


def page_weights(blocks, of_values):
    groups = defaultdict(list)
    for at, page in enumerate(blocks.pages):
        groups[page["set"], page["site"], page["sample"], page["kind"]].append(at)
    sites, types = defaultdict(set), defaultdict(set)
    for set_name, site, sample, kind in groups:
        sites[set_name].add(site)
        types[set_name, site, sample].add(kind)
    weight = np.zeros(len(blocks.pages))
    for (set_name, site, sample, kind), members in groups.items():
        whole = (SET_WEIGHT | {"swde": of_values}).get(set_name, 1) * SAMPLE_WEIGHT.get(sample, 0.25)
        weight[members] = whole / len(sites[set_name]) / len(types[set_name, site, sample]) / len(members)
    return weight


def share_of_page(blocks):
    """A page counts by its words, whether much or little of it is content."""
    number = len(blocks.pages)
    content = np.bincount(blocks.page, np.where(blocks.label > 0, blocks.label * blocks.tokens, 0), number)
    words = np.bincount(blocks.page, blocks.tokens, number)
    size = np.sqrt(np.maximum(content, 30) * np.maximum(words, 60))
    of_values = np.minimum(blocks.tokens, 8) / 40
    return np.where(blocks.values_only, of_values, np.minimum(blocks.tokens, 400) / size[blocks.page])


def drawn(weight, number, seed):
    """About so many rows, drawn by weight, with the weights that make up for those left out."""
    low, high = 1e-9, 1e9
    for _ in range(60):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if np.minimum(1, weight / middle).sum() > number else (low, middle)
    chance = np.minimum(1, weight / high)
    rows = np.flatnonzero(np.random.default_rng(seed).random(len(weight)) < chance)
    return rows, weight[rows] / chance[rows]


def fit(blocks, label, weight, rows, first_seed):
    """One model for each variant."""
    models = []
    for seed, variant in enumerate(VARIANTS, first_seed):
        chosen, weights = drawn(np.where(rows, weight, 0), ROWS, seed)
        data = lgb.Dataset(np.ascontiguousarray(blocks.features[chosen]), label[chosen], weight=weights)
        models.append(lgb.train(PARAMETERS | variant | dict(seed=seed), data, ROUNDS))
    return models


def squash(raw):
    return 0.5 + 0.5 * raw / (1 + np.abs(raw))


def raw_scores(models, features, step=200_000):
    def mean(part):
        return np.mean([model.predict(part, raw_score=True, num_threads=1) for model in models], axis=0)

    parts = [mean(features[at : at + step]) for at in range(0, len(features), step)]
    return np.concatenate(parts) if parts else np.zeros(0)


def with_places(blocks, content, of_place=0.4, of_region=0.2):
    site = np.array([zlib.crc32(f"{p['set']}/{p['site']}/{p['sample']}".encode()) for p in blocks.pages])[blocks.page]
    words = np.maximum(blocks.tokens, 0.5)

    def mean(path):
        _, key = np.unique(site.astype("i8") * 1_000_003 ^ path, return_inverse=True)
        return (np.bincount(key, content * words) / np.bincount(key, words))[key]

    return (1 - of_place - of_region) * content + of_place * mean(blocks.place) + of_region * mean(blocks.outer)


def scores(blocks, keep, sample):
    """Mean content F1 and template F of each set; for values the share kept (mean, worst site)."""
    known = blocks.label >= 0
    count = lambda values: np.bincount(blocks.page, np.where(known, values, 0), len(blocks.pages))
    found, common = count(keep * blocks.tokens), count(keep * blocks.label * blocks.tokens)
    truth, words = count(blocks.label * blocks.tokens), count(blocks.tokens)
    sites = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for at, page in enumerate(blocks.pages):
        if page["gold"] is None or page["sample"] != sample:
            continue
        gold = truth[at] if page["set"].startswith(("sites", "docs")) else page["gold"]
        f1 = 2 * common[at] / (found[at] + gold) if found[at] + gold else 1
        removed, outside = words[at] - found[at], words[at] - truth[at]
        right = removed - (truth[at] - common[at])
        template = 2 * right / (removed + outside) if removed + outside else 1
        sites[page["set"]][page["site"]][page["kind"]].append((f1, template))
    result = {}
    for set_name, of_set in sites.items():
        means = [np.mean([np.mean(pages, axis=0) for pages in types.values()], axis=0) for types in of_set.values()]
        result[set_name] = np.mean(means, axis=0)
    kept = defaultdict(list)
    used = np.array([page["sample"] == sample for page in blocks.pages])[blocks.page]
    for at in np.flatnonzero(blocks.values_only & (blocks.label == 1) & used):
        kept[blocks.pages[blocks.page[at]]["site"]].append(keep[at])
    if kept:
        means = [np.mean(values) for values in kept.values()]
        result["values"] = (np.mean(means), min(means))
    return result


def to_json(blocks, models, base):
    """The mean of the models: their trees in turns, so that the first few say most."""

    def child(node, splits, values):
        if "leaf_value" in node:
            values.append(round(node["leaf_value"] / len(models), 4))
            return ~(len(values) - 1)
        at = len(splits)
        splits.append(None)
        low = child(node["left_child"], splits, values)
        high = child(node["right_child"], splits, values)
        splits[at] = (node["split_feature"], float(np.float32(node["threshold"])), low, high)
        return at

    trees = []
    for tree in chain(*zip(*(model.dump_model()["tree_info"] for model in models))):
        splits, values = [], []
        if child(tree["tree_structure"], splits, values) != 0:
            continue
        feature, threshold, low, high = zip(*splits)
        trees.append(dict(feature=feature, threshold=[float(f"{t:.6g}") for t in threshold], low=low, high=high, value=values))
    return dict(base=base, trees=trees)


def fit_folds(blocks, label, weight, first_seed, base):
    """A forest for each part of the sites, fitted without it; prints what they reach on it."""
    raw = np.zeros(len(label))
    forests = []
    for fold in range(FOLDS):
        models = fit(blocks, label, weight, blocks.fold != fold, first_seed)
        rows = np.flatnonzero(blocks.fold == fold)
        raw[rows] = raw_scores(models, blocks.features[rows])
        forests.append(to_json(blocks, models, base))
        print("fold", fold, flush=True)
    for sample in SAMPLE_WEIGHT:
        for shift in (0, -0.15, -0.3):
            keep = with_places(blocks, squash(raw + shift)) >= 0.5
            line = scores(blocks, keep, sample)
            print(sample, shift, " ".join(f"{name} {a:.3f}/{b:.3f}" for name, (a, b) in line.items()), flush=True)
    return forests


def write(path, content):
    json.dump(content, open(path, "w"), separators=(",", ":"))


def main():
    source, model_path, folds_path = sys.argv[1:4]
    base = float(sys.argv[4]) if len(sys.argv) > 4 else -0.3
    blocks = Blocks(source)
    shipped = dict(features=blocks.names)
    folds = [dict(features=blocks.names) for _ in range(FOLDS)]
    for name, (of_values, first_seed) in FORESTS.items():
        print(name)
        label, weight = targets(blocks, of_values)
        for model, forest in zip(folds, fit_folds(blocks, label, weight, first_seed, base)):
            model[name] = forest
        models = fit(blocks, label, weight, blocks.fold >= 0, first_seed)
        shipped[name] = to_json(blocks, models, base)
        gain = sum(model.feature_importance("gain") for model in models)
        print([(blocks.names[at], round(gain[at] / gain.sum(), 3)) for at in np.argsort(-gain)[:40]])
    sites = {f"{page['set']}/{page['site']}": fold_of(page) for page in blocks.pages}
    write(folds_path, dict(sites=sites, models=folds))
    write(model_path, shipped)


if __name__ == "__main__":
    main()
