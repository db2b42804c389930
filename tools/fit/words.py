"""Weighs the words of short blocks: how much more often than others are texts with them content?

A word counts once for each publisher, however often its pages have it, so that a weight never
comes from one site. In a fit, the blocks of each part are weighed with the words of the other parts
only: the trees would trust weights too much that were made from the labels they are to predict.
"""
import numpy as np

from split import PARTS, publisher

# As `EXPORTED_WORDS` in the library.
WORDS = 8
# The features they become: mean, lightest and heaviest of the block, mean and lightest of the
# heading over it, mean of the block before.
FIRST_FEATURE, FEATURES = "words weigh", 6
# Fewer publishers are no evidence.
MIN_PUBLISHERS = 5
# As if so many more publishers had used the word as texts are on average.
PRIOR = 4


class Words:
    def __init__(self, blocks, path):
        table = np.fromfile(path + ".words", dtype="<u4").reshape(-1, WORDS + 1)
        start = np.searchsorted(blocks.page, np.arange(len(blocks.pages)))[blocks.page]
        self.part = blocks.part
        self.words = table[:, :WORDS]
        heading = table[:, WORDS].astype("i8")
        self.heading = np.where(heading > 0, start + heading - 1, -1)
        rows = np.arange(len(table))
        self.before = np.where(rows > start, rows - 1, -1)
        self.count(blocks)

    def count(self, blocks):
        """Publishers of each part that use each word, and the sum of the shares that is content."""
        numbers = {}
        of_publisher = blocks.of_pages(lambda page: numbers.setdefault(publisher(page), len(numbers)))
        rows = np.flatnonzero(blocks.of_pages(is_counted) & (blocks.label >= 0) & (self.words[:, 0] > 0))
        words = self.words[rows].ravel()
        is_word = words > 0
        spread = lambda values: np.repeat(values[rows], WORDS)[is_word]
        keys = words[is_word].astype("u8") << np.uint64(16) | spread(of_publisher).astype("u8")
        keys, at = np.unique(keys, return_inverse=True)
        share = np.bincount(at, spread(blocks.label)) / np.bincount(at)
        part = np.zeros(len(keys), int)
        part[at] = spread(self.part)
        self.known, at = np.unique((keys >> np.uint64(16)).astype("u4"), return_inverse=True)
        self.publishers, self.content = np.zeros((2, len(self.known), PARTS))
        np.add.at(self.publishers, (at, part), 1)
        np.add.at(self.content, (at, part), share)
        self.mean = self.content.sum() / self.publishers.sum()

    def weights(self, without=()):
        """The weight of each known word, from all parts but some; 0 for words of few publishers."""
        parts = [part for part in range(PARTS) if part not in without]
        publishers = self.publishers[:, parts].sum(axis=1)
        share = (self.content[:, parts].sum(axis=1) + PRIOR * self.mean) / (publishers + PRIOR)
        weight = np.log(share / (1 - share)) - np.log(self.mean / (1 - self.mean))
        return np.where(publishers >= MIN_PUBLISHERS, np.round(weight, 2), 0).astype("f4")

    def features(self, without=None):
        """The features of all blocks, those of each part from the words of the others."""
        table = np.zeros((len(self.words), FEATURES), "f4")
        for part in range(PARTS):
            rows = np.flatnonzero(self.part == part)
            weights = self.weights({part, without})
            for chunk in np.array_split(rows, len(rows) // 500_000 + 1):
                table[chunk] = self.features_of(chunk, weights)
        return table

    def features_of(self, rows, weights):
        block, heading, before = (self.weigh(at, weights) for at in (rows, self.heading[rows], self.before[rows]))
        return np.concatenate([block, heading[:, :2], before[:, :1]], axis=1)

    def weigh(self, rows, weights):
        """Mean, lightest and heaviest; 0 where there is no row."""
        words = self.words[np.maximum(rows, 0)]
        at = np.minimum(np.searchsorted(self.known, words), len(self.known) - 1)
        found = np.where((self.known[at] == words) & (words > 0), weights[at], 0)
        number = np.maximum((words > 0).sum(axis=1), 1)
        lightest, heaviest = np.minimum(found.min(axis=1), 0), np.maximum(found.max(axis=1), 0)
        return np.where((rows >= 0)[:, None], np.stack([found.sum(axis=1) / number, lightest, heaviest], axis=1), 0)

    def to_json(self, without=()):
        weights = self.weights(without)
        used = np.flatnonzero(weights)
        return dict(words=self.known[used].tolist(), weights=[float(f"{weight:.2f}") for weight in weights[used]])


def is_counted(page):
    """Each labelled page once. Neutral sets have the same texts."""
    is_whole = page["single"] or page["sample"] is None
    return is_whole and page["gold"] is not None and not page["set"].endswith("neutral")
