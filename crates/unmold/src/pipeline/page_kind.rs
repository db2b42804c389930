//! What kind of page it is: an article, a list, a product. What is content depends on it.
//!
//! A small forest for each kind (`tools/fit`) looks at the page as a whole: its length, prose,
//! repeated parts, names, and what it says it is. Their verdicts are evidence for each block. No
//! kind is a rule: a page between two kinds has a bit of both.

use serde::{Deserialize, Serialize};

use super::blocks::{Block, Blocks};
use super::details::Details;
use super::features::Features;
use super::roles::ROLES;
use crate::page::{Page, Tag};

/// What kind of page it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PageKind {
    /// A text with a beginning and an end: news, a post, a recipe.
    Article,
    /// Entries that lead to other pages: a category, an archive, the results of a search.
    List,
    /// One thing and its properties: a product, a film, a player.
    Product,
    /// What several people say: a thread of a forum.
    Forum,
    /// A part of a manual or a reference.
    Manual,
    /// A page that presents a service, a firm or a whole site.
    Landing,
}

impl PageKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [PageKind; KINDS] = [
        PageKind::Article,
        PageKind::List,
        PageKind::Product,
        PageKind::Forum,
        PageKind::Manual,
        PageKind::Landing,
    ];

    /// Its name, as in records and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            PageKind::Article => "article",
            PageKind::List => "list",
            PageKind::Product => "product",
            PageKind::Forum => "forum",
            PageKind::Manual => "manual",
            PageKind::Landing => "landing",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<PageKind> {
        PageKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Number of kinds.
pub(super) const KINDS: usize = 6;

/// How far a page is of each kind; together 1.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct KindShares(pub [f32; KINDS]);

impl KindShares {
    /// From the probability of each kind by itself.
    pub fn of(probabilities: [f32; KINDS]) -> KindShares {
        let sum = probabilities.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        KindShares(probabilities.map(|probability| probability / sum))
    }

    /// What a person says about the page.
    pub fn only(kind: PageKind) -> KindShares {
        KindShares(PageKind::ALL.map(|other| f32::from(u8::from(other == kind))))
    }

    /// The kind that it is most; the first of several.
    pub fn most(&self) -> PageKind {
        let better = |best: usize, at: usize| if self.0[at] > self.0[best] { at } else { best };
        PageKind::ALL[(0..KINDS).fold(0, better)]
    }
}

/// Sums over the blocks of a page, by the words that are its own.
struct Sums {
    own: f32,
    roles: [f32; ROLES],
    holders: [f32; HOLDERS],
    shapes: [f32; 6],
    prices: f32,
    labels: f32,
}

/// Kinds of elements that hold a block, as [`Features::tags`] numbers them.
const HOLDERS: usize = 12;

/// Blocks with more words are neither prices nor labels.
const SHORT: f32 = 8.0;

impl Sums {
    fn of(features: &Features) -> Sums {
        let mut sums = Sums {
            own: f32::MIN_POSITIVE,
            roles: [0.0; ROLES],
            holders: [0.0; HOLDERS],
            shapes: [0.0; 6],
            prices: 0.0,
            labels: 0.0,
        };
        for (block, &common) in features.blocks.list.iter().zip(&features.common) {
            sums.add(features, block, block.words.max(0.5) * (1.0 - common).max(0.0));
        }
        sums
    }

    fn add(&mut self, features: &Features, block: &Block, own: f32) {
        self.own += own;
        for (sum, flag) in self.roles.iter_mut().zip(block.roles.flags()) {
            *sum += own * flag;
        }
        self.holders[features.holder(block) as usize] += own;
        let group = features.groups.around(block);
        let is = |wanted: fn(f32, f32, f32) -> bool| {
            group.is_some_and(|[words, linked, images]| wanted(words, linked, images))
        };
        let shapes = [
            block.link_density() > 0.5,
            block.words >= 15.0,
            group.is_some(),
            is(|_, _, images| images >= 0.5),
            is(|words, _, _| words >= 40.0),
            is(|_, linked, _| linked > 0.8),
        ];
        for (sum, has) in self.shapes.iter_mut().zip(shapes) {
            *sum += if has { own } else { 0.0 };
        }
        if block.words <= SHORT {
            let details = Details::of(features.page, block);
            self.prices += f32::from(u8::from(details.currencies > 0));
            self.labels += f32::from(u8::from(details.ends_with_colon));
        }
    }
}

/// What the page shows as a whole, in the order of [`NAMES`].
pub(super) fn row(features: &Features) -> Vec<f32> {
    let mut row = Vec::with_capacity(NAMES.len());
    features.whole_page(&mut row);
    features.summary(&mut row);
    row.extend(schema_types(features.page));
    row.extend(elements(features.page, features.blocks));
    let sums = Sums::of(features);
    let shares = sums.roles.iter().chain(&sums.holders).chain(&sums.shapes);
    row.extend(shares.map(|share| share / sums.own));
    row.extend([sums.prices, sums.labels]);
    debug_assert_eq!(row.len(), NAMES.len());
    row
}

/// Types of schema.org that name a kind of page.
const TYPES: [&[&str]; 5] = [
    &["Article", "NewsArticle", "BlogPosting", "Recipe", "Report"],
    &["CollectionPage", "ItemList", "SearchResultsPage", "OfferCatalog"],
    &["Product", "Movie", "Book", "Offer", "AggregateOffer", "Vehicle"],
    &["DiscussionForumPosting", "QAPage", "Question", "Comment"],
    &["TechArticle", "APIReference", "HowTo"],
];

/// Which of [`TYPES`] the page names, in JSON-LD or microdata.
fn schema_types(page: &Page) -> [f32; TYPES.len()] {
    let mut found = [0.0; TYPES.len()];
    let mut add = |name: &str| {
        for (found, names) in found.iter_mut().zip(TYPES) {
            if names.contains(&name) {
                *found = 1.0;
            }
        }
    };
    for block in page.linked_data() {
        for part in block.split("\"@type\"").skip(1) {
            let value = part.trim_start_matches([':', ' ', '[', '\n', '\t']);
            add(value.strip_prefix('"').and_then(|v| v.split('"').next()).unwrap_or_default());
        }
    }
    let microdata = page.nodes().filter_map(|id| page.attribute(id, "itemtype"));
    microdata.for_each(|address| add(address.rsplit('/').next().unwrap_or_default()));
    found
}

/// How many of some elements the page has: what it is told by, whatever its names are.
fn elements(page: &Page, blocks: &Blocks) -> [f32; 5] {
    let mut counts = [0.0; 5];
    for element in &blocks.elements {
        match page.tag(element.id) {
            Tag::PRE => counts[0] += 1.0,
            Tag::TABLE => counts[1] += 1.0,
            Tag::FORM => counts[2] += 1.0,
            Tag::H1 => counts[3] += 1.0,
            Tag::BLOCKQUOTE => counts[4] += 1.0,
            _ => {}
        }
    }
    counts
}

/// Names of what [`row`] has.
#[rustfmt::skip]
pub(super) const NAMES: &[&str] = &[
    "page blocks", "page words", "page links", "page common", "page own", "page prose",
    "page prose share", "longest prose", "site prose share", "site own", "sample pages",
    "kind pages", "page images", "page headings", "largest group", "page groups", "page inside",
    "page type", "body product", "body content", "body message", "body tags", "page articles",
    "article type", "list type", "product type", "forum type", "manual type", "code", "tables",
    "forms", "main headings", "quotes", "role navigation", "role footer", "role header",
    "role sidebar", "role related", "role comments", "role share", "role breadcrumb",
    "role dialog", "role content", "role product", "role details", "role paging", "role tags",
    "role advert", "role filter", "role hidden", "role message", "role main", "role item",
    "held by others", "held by p", "held by li", "held by td", "held by h1", "held by h2",
    "held by h3", "held by dt", "held by pre", "held by blockquote", "held by caption",
    "held by body", "linked", "long", "grouped", "in cards", "in posts", "in linked groups",
    "prices", "labels",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_sum_up_and_the_greatest_wins() {
        let shares = KindShares::of([0.2, 0.6, 0.1, 0.05, 0.05, 0.2]);
        assert!((shares.0.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(shares.most(), PageKind::List);
        assert_eq!(KindShares::only(PageKind::Forum).most(), PageKind::Forum);
        assert_eq!(KindShares::of([0.0; KINDS]).most(), PageKind::Article);
    }

    #[test]
    fn kinds_have_names() {
        for kind in PageKind::ALL {
            assert_eq!(PageKind::named(kind.name()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        assert_eq!(PageKind::named("blog"), None);
    }

    #[test]
    fn types_are_found_in_linked_data_and_microdata() {
        let types = |html: &str| schema_types(&Page::parse(html.as_bytes(), &Default::default()));
        let json = |types: &str| {
            format!("<script type=application/ld+json>{{\"@type\": {types}}}</script><p>x")
        };
        assert_eq!(types(&json("\"Product\"")), [0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(types(&json("[\"BlogPosting\"]")), [1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(types(&json("\"Person\"")), [0.0; 5]);
        assert_eq!(types(&json("{}")), [0.0; 5]);
        let microdata = "<div itemscope itemtype='https://schema.org/QAPage'>x</div>";
        assert_eq!(types(microdata), [0.0, 0.0, 0.0, 1.0, 0.0]);
    }
}
