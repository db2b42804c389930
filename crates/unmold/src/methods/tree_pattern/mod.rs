//! Finds the pattern that the pages of a site follow, and the content that repeats at its parts.
//!
//! Paper: *web page sectioning using regex-based template* (`docs/methods/tree-pattern.md`). A
//! pattern is a tree of element names with `*` (once or more), `?` (once or not at all) and `|`
//! (one of several). It starts as a single page and is generalised page by page; pages that are too
//! different are left out. Then each page is matched with the pattern, and its texts, images and
//! links are counted at the parts they match. Content that most pages with the part share is
//! template.
//!
//! time: learning aligns each page with the pattern, at worst the product of both, near linear for
//! pages of one site because equal subtrees are compared once; marking is near linear for pages
//! that fit. Both are bounded. space: the sample while learning; the template afterwards.
//!
//! Departures, measured in `docs/methods/tree-pattern.md`: pages left out of one pattern form
//! another (the paper has only one); a feature found on a single page counts for nothing
//! (`smooth`). The paper only cites its learner; ours is specified in the same document.
//!
//! Thresholds: 15 pages, 20 % and 25 % are the paper's; the similarities are ours.

mod features;
mod fold;
mod items;
mod lists;
mod matching;
mod merge;
mod pattern;
mod template;
#[cfg(test)]
mod tests;
mod tree;

pub use features::{Combine, FeatureKind};
pub use lists::ListPlace;
pub use template::{PatternTemplate, StoredPattern, TemplateFeature, TemplatePart};

use unmold_html::hash::KeyedSet;

use self::features::Supports;
use self::items::{Budget, ItemId, Items, Names};
use self::lists::list_places;
use self::matching::{Effort, fit};
use self::merge::{Generaliser, Thresholds};
use self::pattern::Pattern;
use self::template::{StoredPatternFile, stored_pattern};
use self::tree::Tree;
use super::{LearnError, LearnedTemplate, Method, Part, Sample};
use crate::marks::Marks;
use crate::page::{Flag, LabelProfile, Page};

/// Settings of the method.
#[derive(Clone, PartialEq, Debug)]
pub struct TreePattern {
    /// Maximum number of pages to learn from.
    pub max_pages: usize,
    /// Maximum number of patterns. Pages that follow none of the earlier ones form the next.
    pub max_patterns: usize,
    /// Siblings at least this similar are entries of one list.
    pub fold_similarity: f64,
    /// Items at least this similar are the same item.
    pub align_similarity: f64,
    /// A page less similar than this to the pattern is left out.
    pub page_similarity: f64,
    /// Whether patterns may have alternatives; otherwise both sides of a difference are optional.
    pub alternatives: bool,
    /// Parts on no more than this share of the pages are ignored.
    pub node_support: f64,
    /// A feature on n pages counts for `(n - 1) / (pages - 1)`: 0 if only one page has it, 1 if all
    /// pages do.
    pub smooth: bool,
    /// Features on fewer pages than this are not stored. With `smooth`, a feature on one page
    /// counts for nothing anyway.
    pub min_feature_pages: u32,
    /// Recognise texts of at least two words that are template at a different part.
    pub elsewhere: bool,
    /// How the values of a leaf's features are combined.
    pub combine: Combine,
    /// A leaf with at least this value is template.
    pub threshold: f64,
    /// Pages with more nodes than this are skipped when learning.
    pub max_nodes: u32,
    /// Maximum number of alignment cells for all pages together. Pages that come later are skipped.
    pub cell_budget: u64,
    /// Seed for the order of the pages.
    pub seed: u64,
}

impl Default for TreePattern {
    fn default() -> TreePattern {
        TreePattern {
            max_pages: 24,
            max_patterns: 4,
            fold_similarity: 0.5,
            align_similarity: 0.3,
            page_similarity: 0.3,
            alternatives: true,
            node_support: 0.2,
            smooth: true,
            min_feature_pages: 2,
            elsewhere: true,
            combine: Combine::Max,
            threshold: 0.5,
            max_nodes: 20_000,
            cell_budget: 1 << 26,
            seed: 0,
        }
    }
}

impl TreePattern {
    /// The paper's values: 15 pages, one pattern, parts on more than 20 % of the pages, plain
    /// ratios, from the first page of a feature on.
    pub fn paper() -> TreePattern {
        TreePattern {
            max_pages: 15,
            max_patterns: 1,
            smooth: false,
            min_feature_pages: 1,
            elsewhere: false,
            combine: Combine::Mean,
            ..TreePattern::default()
        }
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds {
            fold_similarity: self.fold_similarity,
            align_similarity: self.align_similarity,
            alternatives: self.alternatives,
        }
    }

    /// The pages to learn from, without duplicates.
    fn choose<'a>(&self, sample: &Sample<'a>) -> Vec<&'a Page> {
        let mut seen = KeyedSet::default();
        let mut pages = sample.shuffled(self.seed);
        pages.retain(|page| {
            let readable =
                !page.flags().contains(&Flag::TooLarge) && !page.flags().contains(&Flag::Binary);
            readable && page.len() <= self.max_nodes && {
                let hashes = page.subtree_hashes(&page.labels(LabelProfile::TagContent));
                seen.insert(hashes[0])
            }
        });
        pages.truncate(self.max_pages);
        pages
    }
}

impl Method for TreePattern {
    type Template = PatternTemplate;

    fn learn(&self, sample: &Sample) -> Result<PatternTemplate, LearnError> {
        let pages = self.choose(sample);
        if pages.len() < 2 {
            return Err(LearnError::NotEnoughPages { found: pages.len() });
        }
        let limits = Budget { max_cells: self.cell_budget, max_kept: MAX_KEPT };
        let mut learner = Learner::new(self.thresholds(), self.page_similarity, limits);
        let trees: Vec<Tree> =
            pages.iter().map(|page| Tree::numbered(page, &mut learner.names)).collect();
        let mut left: Vec<usize> = (0..pages.len()).collect();
        let mut patterns = Vec::new();
        while patterns.len() < self.max_patterns && !left.is_empty() {
            let (root, used) = learner.generalise(&trees, &with_median_first(&left, &trees));
            left.retain(|page| !used.contains(page));
            if used.len() < 2 && !(patterns.is_empty() && left.is_empty()) {
                continue;
            }
            let pattern = Pattern::of_item(&learner.generaliser.items, root);
            let mut supports = Supports::new(pattern.len());
            for &page in &used {
                supports.add(pages[page], &fit(&pattern, &trees[page], Effort::LEARNING));
            }
            patterns.push(stored_pattern(&pattern, &learner.names, &supports, self));
        }
        let used: u32 = patterns.iter().map(|pattern| pattern.pages).sum();
        let stored = StoredPatternFile {
            pages: used,
            foreign_pages: pages.len() as u32 - used,
            combine: self.combine,
            smooth: self.smooth,
            elsewhere: self.elsewhere,
            threshold: (self.threshold * 100.0).round() as u32,
            patterns,
        };
        Ok(PatternTemplate::try_from(stored).expect("learned patterns are valid"))
    }
}

impl LearnedTemplate for PatternTemplate {
    fn mark(&self, page: &Page) -> Marks {
        self.mark_by_pattern(page)
    }

    fn mark_with_lists(&self, page: &Page) -> (Marks, Vec<Option<ListPlace>>) {
        // A page over the parser's limits has no tree to match.
        if page.flags().contains(&Flag::TooLarge) {
            return (self.mark(page), lists_of_page(page));
        }
        self.mark_with_known_lists(page)
    }

    fn pages(&self) -> u32 {
        self.stored().pages
    }

    fn parts(&self) -> Vec<Part> {
        let patterns = self.patterns().iter();
        let parts = patterns.flat_map(|pattern| pattern.parts.iter().map(|p| (pattern.pages, p)));
        let part = |(number, (of, part)): (u32, (u32, &TemplatePart))| {
            // A part without features never marks a node.
            let number = (!part.features.is_empty()).then_some(number);
            Part::new(number, part.label(), part.pages, of).at_depth(part.depth)
        };
        (0..).zip(parts).map(part).collect()
    }

    fn describe(&self, part: u32) -> Option<String> {
        self.describe_part(part)
    }

    fn text(&self) -> String {
        self.repeated_texts().join("\n")
    }

    /// The patterns, each followed by the content that repeats at its parts.
    fn show(&self) -> String {
        let mut out = format!(
            "learned from {} pages, {} left out\n",
            self.stored().pages,
            self.stored().foreign_pages
        );
        let mut first = 0;
        for (number, pattern) in self.patterns().iter().enumerate() {
            let min_pages = pattern.min_pages;
            out.push_str(&format!("pattern {}, of {} pages:\n", number + 1, pattern.pages));
            out.push_str(&self.outline(number, 100));
            out.push_str(&format!("repeated at parts on at least {min_pages} pages:\n"));
            for (id, part) in (first..).zip(&pattern.parts) {
                if part.pages < min_pages || part.features.is_empty() {
                    continue;
                }
                out.push_str(&format!("{}\n", self.describe(id).unwrap_or_default()));
                let repeated = part.features.iter().filter(|feature| feature.pages >= 2);
                for TemplateFeature { value, pages, .. } in repeated {
                    out.push_str(&format!("{pages:>6} of {}  {value}\n", part.pages));
                }
            }
            first += pattern.parts.len() as u32;
        }
        out
    }
}

/// Numbers that learning may keep: a few hundred megabytes.
const MAX_KEPT: u64 = 1 << 25;

/// What finding the lists of one page may take: linear in the page, and far more than any page
/// takes that was not made to.
fn effort_for_lists(page: &Page) -> Budget {
    let nodes = u64::from(page.len());
    Budget { max_cells: (1 << 21) + 256 * nodes, max_kept: (1 << 20) + 64 * nodes }
}

/// The place of each node in a list, as far as the page alone shows it.
pub(crate) fn lists_of_page(page: &Page) -> Vec<Option<ListPlace>> {
    if page.flags().contains(&Flag::TooLarge) {
        return vec![None; page.len() as usize];
    }
    let settings = TreePattern::default();
    let mut learner =
        Learner::new(settings.thresholds(), settings.page_similarity, effort_for_lists(page));
    let tree = Tree::numbered(page, &mut learner.names);
    let root = learner.generaliser.pattern_of(&tree);
    let pattern = Pattern::of_item(&learner.generaliser.items, root);
    list_places(&pattern.lists(), &fit(&pattern, &tree, Effort::MARKING))
}

/// Moves the page of median size to the front, because the first page shapes a pattern the most.
fn with_median_first(pages: &[usize], trees: &[Tree]) -> Vec<usize> {
    let mut by_size = pages.to_vec();
    by_size.sort_by_key(|&page| (trees[page].len(), page));
    let median = by_size[(by_size.len() - 1) / 2];
    std::iter::once(median).chain(pages.iter().copied().filter(|&page| page != median)).collect()
}

/// Generalises a pattern page by page.
#[derive(Clone, Debug)]
struct Learner {
    names: Names,
    generaliser: Generaliser,
    page_similarity: f64,
}

impl Learner {
    fn new(settings: Thresholds, page_similarity: f64, limits: Budget) -> Learner {
        let mut names = Names::default();
        let always = ["html", "head", "body"].map(|name| names.number(name)).to_vec();
        let generaliser = Generaliser { items: Items::within(limits), settings, always };
        Learner { names, generaliser, page_similarity }
    }

    /// The pattern of the pages in the given order, and the pages it was made from. Pages that do
    /// not fit at first are tried again at the end.
    fn generalise(&mut self, trees: &[Tree], order: &[usize]) -> (ItemId, Vec<usize>) {
        let mut pattern = self.generaliser.pattern_of(&trees[order[0]]);
        let mut used = vec![order[0]];
        let mut waiting = order[1..].to_vec();
        for _ in 0..2 {
            waiting.retain(|&page| match self.add(pattern, &trees[page]) {
                Some(wider) => {
                    pattern = wider;
                    used.push(page);
                    false
                }
                None => true,
            });
        }
        (pattern, used)
    }

    /// Generalises the pattern to cover the page too; `None` if the page is too different.
    fn add(&mut self, pattern: ItemId, page: &Tree) -> Option<ItemId> {
        if self.generaliser.is_spent() {
            return None;
        }
        let page = self.generaliser.pattern_of(page);
        let same_root =
            match (self.generaliser.items.get(pattern), self.generaliser.items.get(page)) {
                (items::Item::Element { label, .. }, items::Item::Element { label: other, .. }) => {
                    label == other
                }
                _ => false,
            };
        let fits =
            same_root && self.generaliser.items.is_similar(pattern, page, self.page_similarity);
        fits.then(|| self.generaliser.merge(pattern, page))
    }
}
