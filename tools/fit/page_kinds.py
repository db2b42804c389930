"""Fits what kind of page a page is: article, list, product, forum, manual, landing.

One small forest for each kind, over what pages show as a whole (`pipeline/page_kind.rs`). Their
shares are features of the blocks of a page. In a fit, the pages of each part are judged by trees of
the other parts only, as the words of `words.py` are.
"""
import lightgbm as lgb
import numpy as np

from split import PARTS, part_of

# As `PageKind::ALL` in the library.
KINDS = ["article", "list", "product", "forum", "manual", "landing"]
# The first of the features they become.
FIRST_FEATURE = "is article"
# The labelled types of pages that are of each kind. Types that may be several kinds are left out.
TYPES = {
    "article": "post article news blogpost breve_en article_en article_old recipe blog event",
    "list": "list category date tag author prodcat shop search sublist facet collection listing prodtag proplist "
    "rubrique rubrique_en postlist forumview",
    "product": "product movie show book game property course storenvy_product product_old teacher person",
    "forum": "topic thread_lite",
    "manual": "doc doc_zh docs reference documentation",
    "landing": "service",
}
KIND_OF_TYPE = {name: kind for kind, names in TYPES.items() for name in names.split()}
KIND_OF_SET = {
    "big9": "article", "dragnet": "article", "cleanportaleval": "article", "zyte": "article", "swde": "product",
    "harvest-forum": "forum",
}
# Articles of a wiki may be manuals, mails may be articles.
UNCERTAIN = {"blenderwiki", "openems", "socionwiki", "cfmail"}
# Pages of manuals that are lists.
NOT_MANUAL = {"other", "unlabelled", "package-tree", "class-use", "package-use"}
# Weight of each set; others have .2.
SETS = {
    "wcxb": 8, "sites": 1, "sites-neutral": 1, "sites2": 3, "sites2-neutral": 3, "docs": 0.5, "docs-neutral": 0.5,
    "swde": 0.7, "big9": 0.3, "dragnet": 0.5, "cleanportaleval": 0.1, "zyte": 0.3, "harvest-forum": 0.7,
}
ROUNDS = 40
PARAMETERS = dict(
    objective="cross_entropy", learning_rate=0.12, num_leaves=10, max_depth=5, min_data_in_leaf=40, feature_fraction=0.4,
    bagging_fraction=0.7, bagging_freq=1, lambda_l2=5, max_bin=63, seed=3, deterministic=True, force_row_wise=True,
    num_threads=2, verbose=-1,
)


def kind_of(page):
    """The kind of a labelled page, or None."""
    set_name, kind = page["set"], page["kind"]
    if set_name in KIND_OF_SET:
        return KIND_OF_SET[set_name]
    if set_name.startswith("docs"):
        return None if kind in NOT_MANUAL else "manual"
    if page["site"] in UNCERTAIN:
        return None
    if set_name.startswith("sites"):
        # The list of the threads of a forum; for other sets `forum` is a thread.
        return "list" if kind == "forum" else KIND_OF_TYPE.get(kind)
    return "forum" if kind == "forum" else KIND_OF_TYPE.get(kind)


class PageKinds:
    def __init__(self, head):
        pages = head["pages"]
        self.names = head["page_names"]
        self.rows = np.array([page.pop("whole") for page in pages], "f4")
        self.part = np.array([part_of(page) for page in pages])
        kinds = [kind_of(page) for page in pages]
        self.kind = np.array([KINDS.index(kind) if kind else -1 for kind in kinds])
        self.weight = weights(pages, self.kind)
        self.known = {}

    def fit(self, kind, without):
        """The trees of a kind, fitted without some parts."""
        key = kind, without
        if key not in self.known:
            used = (self.kind >= 0) & ~np.isin(self.part, list(without))
            data = lgb.Dataset(self.rows[used], self.kind[used] == kind, weight=self.weight[used])
            self.known[key] = lgb.train(PARAMETERS, data, ROUNDS)
        return self.known[key]

    def shares(self, without=None):
        """How far each page is of each kind, by trees of the other parts, also without a part."""
        shares = np.zeros((len(self.rows), len(KINDS)), "f4")
        for part in range(PARTS):
            of_part = self.part == part
            left_out = frozenset({part, without} - {None})
            for kind in range(len(KINDS)):
                shares[of_part, kind] = self.fit(kind, left_out).predict(self.rows[of_part])
        return shares / shares.sum(axis=1, keepdims=True)

    def print_scores(self):
        shares = self.shares().argmax(axis=1)
        table = np.zeros((len(KINDS), len(KINDS)), int)
        known = self.kind >= 0
        np.add.at(table, (self.kind[known], shares[known]), 1)
        print("kinds of pages: rows are labelled as, columns judged as", KINDS)
        print(table, flush=True)


def weights(pages, kinds):
    """Sites of a set and kinds of a site weigh about the same, and so do the kinds as a whole."""
    keys = [
        (page["set"], "" if page["single"] else page["site"], page["sample"], kind) for page, kind in zip(pages, kinds)
    ]
    numbers, sites = {}, {}
    for key in keys:
        numbers[key] = numbers.get(key, 0) + 1
        sites.setdefault((key[0], key[2]), set()).add(key[1])
    weight = np.array([SETS.get(key[0], 0.2) / len(sites[key[0], key[2]]) / numbers[key] ** 0.7 for key in keys])
    weight[kinds < 0] = 0
    for kind in range(len(KINDS)):
        weight[kinds == kind] /= weight[kinds == kind].sum() ** 0.3
    return weight / weight[weight > 0].mean()
