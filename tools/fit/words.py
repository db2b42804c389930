"""Weighs words: how much more often than others are blocks with them content?

Words of short texts, first words of long ones, words of the address a block leads to, and names of
the elements around it (`crates/unmold/src/pipeline/lexicon.rs`). A word counts once for each
publisher, however often its pages have it, so that a weight never comes from one site. In a fit,
the blocks of each part are weighed with the words of the other parts only: the trees would trust
weights too much that were made from the labels they are to predict.
"""
import numpy as np

from split import PARTS, publisher

# The columns of `FILE.words`, as `exported_words` in the library writes them.
HEADING, SHORT, TEXT, ADDRESS, NAMES = 0, 1, slice(2, 10), slice(10, 16), slice(16, 56)
COLUMNS, LEVELS, LEVEL_NAMES = 56, 5, 8
# The features they become, where they begin: those of short texts, and all others.
FIRST_FEATURES = {"words weigh": 6, "name weighs 1": 15}
# Fewer publishers are no evidence.
MIN_PUBLISHERS = 5
# As if so many more publishers had used the word as blocks are on average.
PRIOR = 4
# Rows looked at together.
STEP = 500_000


class Words:
    def __init__(self, blocks, path):
        self.part = blocks.part
        self.table = np.memmap(path + ".words", dtype="<u4", mode="r").reshape(-1, COLUMNS)
        start = np.searchsorted(blocks.page, np.arange(len(blocks.pages)))[blocks.page]
        heading = np.array(self.table[:, HEADING]).astype("i8")
        self.short = np.array(self.table[:, SHORT]) > 0
        self.heading = np.where(heading > 0, start + heading - 1, -1)
        rows = np.arange(len(self.table))
        self.before = np.where(rows > start, rows - 1, -1)
        self.count(blocks)
        self.of_parts = {}

    def count(self, blocks):
        """Publishers of each part that use each word, and the sum of the shares that is content."""
        numbers = {}
        of_publisher = blocks.of_pages(lambda page: numbers.setdefault(publisher(page), len(numbers)))
        counted = np.flatnonzero(blocks.of_pages(is_counted) & (blocks.label >= 0))
        keys, sums = np.zeros(0, "u8"), np.zeros((2, 0))
        for rows in np.array_split(counted, len(counted) // STEP + 1):
            words = np.array(self.table[rows, 2:])
            # Names are around whole parts of the page: their words count, not their blocks.
            weight = np.ones(words.shape, "f4")
            weight[:, NAMES.start - 2 :] = np.maximum(blocks.tokens[rows], 0.5)[:, None]
            used = words > 0
            spread = lambda values: np.broadcast_to(values[rows][:, None], words.shape)[used]
            found = words[used].astype("u8") << np.uint64(16) | spread(of_publisher).astype("u8")
            keys, at = np.unique(np.concatenate([keys, found]), return_inverse=True)
            old, new = at[: sums.shape[1]], at[sums.shape[1] :]
            add = lambda sums, values: np.bincount(old, sums, len(keys)) + np.bincount(new, values, len(keys))
            sums = np.stack([add(sums[0], weight[used]), add(sums[1], weight[used] * spread(blocks.label))])
        part_of_publisher = np.zeros(len(numbers), int)
        part_of_publisher[of_publisher] = self.part
        part = part_of_publisher[(keys & np.uint64(0xFFFF)).astype(int)]
        known, at = np.unique((keys >> np.uint64(16)).astype("u4"), return_inverse=True)
        enough = np.bincount(at) >= MIN_PUBLISHERS
        self.known = known[enough]
        number = np.cumsum(enough) - 1
        used = enough[at]
        self.publishers, self.content = np.zeros((2, len(self.known), PARTS))
        np.add.at(self.publishers, (number[at[used]], part[used]), 1)
        np.add.at(self.content, (number[at[used]], part[used]), (sums[1] / sums[0])[used])
        self.mean = self.content.sum() / self.publishers.sum()

    def weights(self, without=()):
        """The weight of each known word, from all parts but some; 0 for words of few publishers."""
        parts = [part for part in range(PARTS) if part not in without]
        publishers = self.publishers[:, parts].sum(axis=1)
        share = (self.content[:, parts].sum(axis=1) + PRIOR * self.mean) / (publishers + PRIOR)
        weight = np.log(share / (1 - share)) - np.log(self.mean / (1 - self.mean))
        return np.where(publishers >= MIN_PUBLISHERS, np.round(weight, 2), 0).astype("f4")

    def features(self, rows, without=None):
        """The features of some blocks, those of each part from the words of the others."""
        table = np.zeros((len(rows), sum(FIRST_FEATURES.values())), "f4")
        for part in range(PARTS):
            of_part = np.flatnonzero(self.part[rows] == part)
            key = frozenset({part, without})
            if key not in self.of_parts:
                self.of_parts[key] = self.weights(key)
            for chunk in np.array_split(of_part, len(of_part) // STEP + 1):
                if len(chunk):
                    table[chunk] = self.features_of(rows[chunk], self.of_parts[key])
        return table

    def features_of(self, rows, weights):
        words = np.array(self.table[rows, 2:])
        at = np.minimum(np.searchsorted(self.known, words), len(self.known) - 1)
        found = np.where((self.known[at] == words) & (words > 0), weights[at], 0)
        text = summary(found[:, : TEXT.stop - 2])
        short = self.short[rows][:, None]
        heading, before = (self.short_texts(at[rows], weights) for at in (self.heading, self.before))
        of_texts = [np.where(short, text, 0), heading[:, :2], before[:, :1]]
        address = summary(found[:, ADDRESS.start - 2 : ADDRESS.stop - 2])[:, :2]
        return np.concatenate([*of_texts, self.of_names(words, found), np.where(short, 0, text), address], axis=1)

    def short_texts(self, rows, weights):
        """What the texts of other rows weigh; 0 where there is no row, or it is long."""
        words = np.array(self.table[np.maximum(rows, 0), TEXT])
        at = np.minimum(np.searchsorted(self.known, words), len(self.known) - 1)
        found = np.where((self.known[at] == words) & (words > 0), weights[at], 0)
        is_used = (rows >= 0) & self.short[np.maximum(rows, 0)]
        return np.where(is_used[:, None], summary(found), 0)

    def of_names(self, words, found):
        names = found[:, NAMES.start - 2 :].reshape(-1, LEVELS, LEVEL_NAMES)
        is_level = words[:, NAMES.start - 2 :: LEVEL_NAMES][:, :LEVELS] > 0
        levels = np.stack([summary(names[:, level]) for level in range(LEVELS)], axis=1)
        means = levels[:, :, 0]
        number = np.maximum(is_level.sum(axis=1), 1)
        whole = [np.minimum(means.min(axis=1), 0), np.maximum(means.max(axis=1), 0), means.sum(axis=1) / number]
        return np.concatenate([levels[:, 0], levels[:, 1], means[:, 2:3], np.stack(whole, axis=1)], axis=1)

    def to_json(self, without=()):
        weights = self.weights(without)
        used = np.flatnonzero(weights)
        return dict(words=self.known[used].tolist(), weights=[float(f"{weight:.2f}") for weight in weights[used]])


def summary(found):
    """Mean of the words that have a weight, the lightest and the heaviest."""
    known = np.maximum((found != 0).sum(axis=1), 1)
    return np.stack([found.sum(axis=1) / known, np.minimum(found.min(axis=1), 0), np.maximum(found.max(axis=1), 0)], axis=1)


def is_counted(page):
    """Each labelled page once. Neutral sets have the same texts."""
    is_whole = page["single"] or page["sample"] is None
    return is_whole and page["gold"] is not None and not page["set"].endswith("neutral")
