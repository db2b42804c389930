"""Fits the weights of unmold's default from labelled blocks.

    unmold-lab eval CORPUS --curve 1,2,4,8,24 --export blocks.bin
    python fit.py blocks.bin crates/unmold/src/pipeline/model.json crates/unmold-lab/src/eval/folds.json

Writes the model fitted on all sites, and for each part of the sites (`split.py`) one model fitted
without it: `unmold-lab eval` scores a site with the model that has not seen it. Prints what the models
reach on the sites they have not seen, apart for the parts that choices were made on and the part
that is only reported on (block by block: `unmold-lab eval` has the exact scores). The same blocks give
the same trees. Needs numpy and lightgbm.
"""
import json
import sys
import zlib
from collections import defaultdict

import lightgbm as lgb
import numpy as np

from page_kinds import FIRST_FEATURE as FIRST_KIND
from page_kinds import KINDS, PageKinds
from split import PARTS, REPORTED, part_of
from words import FIRST_FEATURES, Words

THREADS = 2
ROUNDS = 150
RATE = 0.09
# Blocks a model is fitted on, drawn by their weights.
ROWS = 600_000
PARAMETERS = dict(
    objective="cross_entropy", learning_rate=RATE, feature_fraction=0.4, path_smooth=5, num_leaves=31, max_depth=6, min_data_in_leaf=60, bagging_fraction=0.7,
    bagging_freq=1, lambda_l2=5, max_bin=63, deterministic=True, force_row_wise=True, num_threads=THREADS, verbose=-1,
)
# Weight of each set. Sites of a set, types of a site and pages of a type weigh the same.
SITE_SETS = {
    "sites": 1, "sites-neutral": 1, "sites2": 2, "sites2-neutral": 2, "docs": 0.8, "docs-neutral": 0.8, "big9": 1.2,
    "dragnet": 2, "cleanportaleval": 0.6, "wcxb": 0.3,
}
PAGE_SETS = {
    "wcxb": 8, "zyte": 1.5, "cleaneval": 0.6, "cleaneval-zh": 0.6, "harvest-forum": 0.8, "handmade": 0.3,
    "sites": 0.5, "sites-neutral": 0.5, "sites2": 1, "sites2-neutral": 1, "docs": 0.4, "docs-neutral": 0.4,
    "big9": 0.6, "dragnet": 1, "cleanportaleval": 0.3,
}
# The first feature of names and addresses, which only the trees for a page alone see, and the first
# after them.
NAMES, AFTER_NAMES = "name weighs 1", FIRST_KIND
# The features before kinds, sections, groups and roles.
OLD_FEATURES = 113


def without_names(names):
    return names[: names.index(NAMES)] + names[names.index(AFTER_NAMES) :]


# A forest for most sites, one for sites of records, one for a page without a site: the sets it is
# fitted on, the weight of the set whose values are labelled, the seed, its features, and what is
# added to the sum of its trees.
FORESTS = {
    "usual": dict(sets=SITE_SETS, values=0.25, seed=4, alone=False, features=without_names, base=-0.3),
    "alone": dict(sets=PAGE_SETS, values=0.15, seed=7, alone=True, features=lambda names: names, base=0),
    "records": dict(sets=SITE_SETS, values=1, seed=1, alone=False, features=lambda names: names[:OLD_FEATURES], base=0),
}
# Small samples teach what to do with few pages; most users have more.
SAMPLE_WEIGHT = {None: 1, 24: 0.3, 8: 0.4, 4: 0.25, 2: 0.25}


class Blocks:
    def __init__(self, path):
        head = json.load(open(path + ".json"))
        table = np.memmap(path, dtype="<f4", mode="r").reshape(-1, len(head["names"]))
        self.names = head["names"][6:]
        self.kinds = PageKinds(head)
        self.pages = head["pages"]
        self.page = np.repeat(np.arange(len(self.pages)), [page["blocks"] for page in self.pages])
        self.label = np.array(table[:, 0])
        self.tokens = np.array(table[:, 1])
        self.place, self.outer = (np.array(table[:, at]).astype("i8") * (1 << 21) + np.array(table[:, at + 1]).astype("i8") for at in (2, 4))
        self.features = table[:, 6:]
        self.part = self.of_pages(part_of)
        self.values_only = self.of_pages(lambda page: page["gold"] is None)
        self.alone = self.of_pages(is_alone)

    def of_pages(self, value):
        return np.array([value(page) for page in self.pages])[self.page]

    def column(self, name):
        return np.array(self.features[:, self.names.index(name)])


def is_alone(page):
    return page["single"] or page["sample"] == 1


def targets(blocks, forest):
    """Labels and weights. Where only values are labelled, what repeats in its place on most pages is no content."""
    label = blocks.label.copy()
    repeated = (blocks.column("text on others") >= 0.5) & (blocks.column("slotted of slot") > 0.5)
    template = blocks.values_only & (label < 0) & repeated
    label[template] = 0
    weight = page_weights(blocks, forest)[blocks.page] * share_of_page(blocks)
    weight[template] *= 0.3
    weight[blocks.values_only & (label == 1)] *= 2
    weight[label < 0] = 0
    weight[blocks.alone != forest["alone"]] = 0
    return np.maximum(label, 0), weight / weight.sum() * (weight > 0).sum()


def site_of(page):
    """Pages judged alone belong to no site."""
    return "" if page["single"] else page["site"]


def page_weights(blocks, forest):
    groups = defaultdict(list)
    for at, page in enumerate(blocks.pages):
        if is_alone(page) == forest["alone"]:
            groups[page["set"], site_of(page), page["sample"], page["kind"]].append(at)
    sites = defaultdict(set)
    for set_name, site, _, _ in groups:
        sites[set_name].add(site)
    weight = np.zeros(len(blocks.pages))
    # Of pages judged alone the most common type weighs more, by the square root of its pages.
    share = lambda site, members: 1 if site else len(members) ** 0.5
    whole = defaultdict(float)
    for (set_name, site, sample, kind), members in groups.items():
        whole[set_name, site, sample] += share(site, members)
    for (set_name, site, sample, kind), members in groups.items():
        of_set = (forest["sets"] | {"swde": forest["values"]}).get(set_name, 0)
        of_sample = 1 if forest["alone"] else SAMPLE_WEIGHT[sample]
        of_type = share(site, members) / whole[set_name, site, sample]
        of_sites = 1 / len(sites[set_name])
        weight[members] = of_set * of_sample * of_sites * of_type / len(members)
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


class Table:
    """The features of blocks, with what their words weigh and what kind of page they are on, in a fit without a part."""

    def __init__(self, blocks, words, part, names):
        self.blocks, self.words, self.part = blocks, words, part
        self.columns = [blocks.names.index(name) for name in names]
        self.kinds = blocks.kinds.shares(part)

    def rows(self, rows):
        features = np.array(self.blocks.features[rows])
        of_words, at = self.words.features(rows, self.part), 0
        for name, number in FIRST_FEATURES.items():
            first = self.blocks.names.index(name)
            features[:, first : first + number] = of_words[:, at : at + number]
            at += number
        first = self.blocks.names.index(FIRST_KIND)
        features[:, first : first + len(KINDS)] = self.kinds[self.blocks.page[rows]]
        return np.ascontiguousarray(features[:, self.columns])


def fit(table, label, weight, rows, forest):
    chosen, weights = drawn(np.where(rows, weight, 0), ROWS, forest["seed"])
    data = lgb.Dataset(table.rows(chosen), label[chosen], weight=weights)
    return lgb.train(PARAMETERS | dict(seed=forest["seed"]), data, ROUNDS)


def probability(raw):
    return 1 / (1 + np.exp(-np.clip(raw, -30, 30)))


def kept(blocks, content):
    """Which blocks stay: those above the threshold with the greatest expected F1 of their page."""
    number = len(blocks.pages)
    words = np.maximum(blocks.tokens, 0.5)
    expected = np.bincount(blocks.page, content * words, number)
    threshold = np.full(number, 0.5)
    for _ in range(16):
        keep = content >= threshold[blocks.page]
        right = np.bincount(blocks.page, keep * content * words, number)
        threshold = right / np.maximum(np.bincount(blocks.page, keep * words, number) + expected, 1e-9)
    return content >= threshold[blocks.page]


def raw_scores(model, table, rows, step=200_000):
    parts = [
        model.predict(table.rows(rows[at : at + step]), raw_score=True, num_threads=THREADS)
        for at in range(0, len(rows), step)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def with_places(blocks, content, of_place=0.4, of_region=0.2):
    """Verdicts mixed with the mean verdict on blocks at the same path, and in the element around it."""
    site = blocks.of_pages(lambda p: zlib.crc32(f"{p['set']}/{p['site']}/{p['sample']}".encode()))
    words = np.maximum(blocks.tokens, 0.5)

    def mean(path):
        _, key = np.unique(site.astype("i8") * 1_000_003 ^ path, return_inverse=True)
        return (np.bincount(key, content * words) / np.bincount(key, words))[key]

    mixed = (1 - of_place - of_region) * content + of_place * mean(blocks.place) + of_region * mean(blocks.outer)
    return np.where(blocks.alone, content, mixed)


def scores(blocks, keep, is_scored):
    """Mean content F1 and template F of each set; for values the share kept (mean, worst site)."""
    known = blocks.label >= 0
    count = lambda values: np.bincount(blocks.page, np.where(known, values, 0), len(blocks.pages))
    found, common = count(keep * blocks.tokens), count(keep * blocks.label * blocks.tokens)
    truth, words = count(blocks.label * blocks.tokens), count(blocks.tokens)
    sites = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for at, page in enumerate(blocks.pages):
        if page["gold"] is None or not is_scored(page):
            continue
        gold = truth[at] if page["set"].startswith(("sites", "docs")) else page["gold"]
        f1 = 2 * common[at] / (found[at] + gold) if found[at] + gold else 1
        removed, outside = words[at] - found[at], words[at] - truth[at]
        right = removed - (truth[at] - common[at])
        template = 2 * right / (removed + outside) if removed + outside else 1
        single = page["single"]
        sites[page["set"]][page["file"] + page["site"] if single else page["site"]][page["kind"]].append((f1, template))
        if single and page["set"] == "wcxb":
            sites["wcxb " + page["kind"]][page["file"]][page["kind"]].append((f1, template))
    result = {}
    for set_name, of_set in sites.items():
        means = [np.mean([np.mean(pages, axis=0) for pages in types.values()], axis=0) for types in of_set.values()]
        result[set_name] = np.mean(means, axis=0)
    values = defaultdict(list)
    used = blocks.of_pages(is_scored)
    for at in np.flatnonzero(blocks.values_only & (blocks.label == 1) & used):
        values[blocks.pages[blocks.page[at]]["site"]].append(keep[at])
    if values:
        means = [np.mean(of_site) for of_site in values.values()]
        result["values"] = (np.mean(means), min(means))
    return result


def to_json(model, base, columns):
    def child(node, splits, values):
        if "leaf_value" in node:
            values.append(round(node["leaf_value"], 4))
            return ~(len(values) - 1)
        at = len(splits)
        splits.append(None)
        low = child(node["left_child"], splits, values)
        high = child(node["right_child"], splits, values)
        splits[at] = (columns[node["split_feature"]], float(np.float32(node["threshold"])), low, high)
        return at

    trees = []
    for tree in model.dump_model()["tree_info"]:
        splits, values = [], []
        if child(tree["tree_structure"], splits, values) != 0:
            continue
        feature, threshold, low, high = zip(*splits)
        trees.append(dict(feature=feature, threshold=[float(f"{t:.6g}") for t in threshold], low=low, high=high, value=values))
    return dict(base=base, trees=trees)


def fit_part(blocks, words, name, part):
    """The forest fitted without a part of the sites, and its raw scores on that part."""
    forest = FORESTS[name]
    table = Table(blocks, words, part, forest["features"](blocks.names))
    label, weight = targets(blocks, forest)
    model = fit(table, label, weight, blocks.part != part, forest)
    rows = np.flatnonzero((blocks.part == part) & (blocks.alone == forest["alone"]))
    gain = np.zeros(len(blocks.names))
    gain[table.columns] = model.feature_importance("gain")
    print(name, part, file=sys.stderr, flush=True)
    return to_json(model, forest["base"], table.columns), rows, raw_scores(model, table, rows), gain


def print_scores(blocks, raw, alone):
    keep = kept(blocks, with_places(blocks, probability(raw)))
    for title, is_in in (("chosen on", lambda part: part != REPORTED), ("reported on", lambda part: part == REPORTED)):
        for sample in [1] if alone else SAMPLE_WEIGHT:
            wanted = lambda page: is_in(part_of(page)) and is_alone(page) == alone and (alone or page["sample"] == sample)
            line = scores(blocks, keep, wanted)
            print(title, sample, " ".join(f"{name} {a:.3f}/{b:.3f}" for name, (a, b) in sorted(line.items())), flush=True)


def whole(blocks, words, without=()):
    """All of a model but its forests for blocks."""
    kinds = blocks.kinds
    columns = range(len(kinds.names))
    forests = {name: to_json(kinds.fit(at, frozenset(without)), 0, columns) for at, name in enumerate(KINDS)}
    return dict(features=blocks.names, page_features=kinds.names, kinds=forests) | words.to_json(without)


def write(path, content):
    json.dump(content, open(path, "w"), separators=(",", ":"))


def main():
    source, model_path, folds_path = sys.argv[1:4]
    blocks = Blocks(source)
    words = Words(blocks, source)
    blocks.kinds.print_scores()
    shipped = whole(blocks, words)
    models = [whole(blocks, words, [part]) for part in range(PARTS)]
    for name, forest in FORESTS.items():
        raw = np.zeros(len(blocks.label))
        for part in range(PARTS):
            models[part][name], rows, found, _ = fit_part(blocks, words, name, part)
            raw[rows] = found
        shipped[name], _, _, gain = fit_part(blocks, words, name, None)
        print(name)
        print_scores(blocks, raw + forest["base"], forest["alone"])
        print([(blocks.names[at], round(gain[at] / gain.sum(), 3)) for at in np.argsort(-gain)[:60]])
    sites = {f"{page['set']}/{page['site']}": part_of(page) for page in blocks.pages}
    write(folds_path, dict(sites=sites, models=models))
    write(model_path, shipped)


if __name__ == "__main__":
    main()
