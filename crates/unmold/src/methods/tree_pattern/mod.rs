//! Finds: the pattern that the pages of a site follow, and what stands again and again at one place
//! of it.
//!
//! Paper: *web page sectioning using regex-based template* (`docs/methods/tree-pattern.md`). A
//! pattern is a tree of element names with `*` (once or more), `?` (once or not at all) and `|`
//! (one of several). It begins as one page and is generalised page by page; pages too unlike it are
//! left out. Then each page is matched with it, and texts, pictures and links are counted at the
//! part they stand at: what most pages with the part have there is template.
//!
//! time: learning aligns each page with the pattern, at worst the product of both, near linear for
//! pages of one site because equal subtrees are compared once; marking is near linear for pages
//! that fit. Both are bounded. space: the sample while learning; the template afterwards.
//!
//! Departures, measured in `docs/methods/tree-pattern.md`: pages left out of one pattern make
//! another (the paper has one); a feature found on a single page counts for nothing (`smooth`). The
//! paper only cites its learner; ours is specified in the same document. Thresholds: 15 pages, 20 %
//! and 25 % are the paper's; similarities are ours.

mod features;
mod fold;
mod items;
mod matching;
mod merge;
mod pattern;
mod template;
#[cfg(test)]
mod tests;
mod tree;

pub use features::FeatureKind;
pub use template::{PatternTemplate, StoredPattern, TemplateFeature, TemplatePart};

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use self::features::Supports;
use self::items::{ItemId, Items, Names};
use self::matching::{Effort, Fit, fit};
use self::merge::{Generaliser, Thresholds};
use self::pattern::Pattern;
use self::template::{Stored, stored_pattern};
use self::tree::Tree;
use super::{LearnError, LearnedTemplate, Method, Part, Sample};
use crate::marks::Marks;
use crate::page::{Flag, LabelProfile, Page};

/// Settings of the method.
#[derive(Clone, PartialEq, Debug)]
pub struct TreePattern {
    /// Most pages to learn from.
    pub max_pages: usize,
    /// Most patterns; pages that follow none of the earlier ones make the next.
    pub max_patterns: usize,
    /// Siblings at least this similar are entries of one list.
    pub fold_similarity: f64,
    /// Items at least this similar are the same item.
    pub align_similarity: f64,
    /// A page less similar to the pattern is left out.
    pub page_similarity: f64,
    /// Whether patterns may hold alternatives; otherwise both sides of a difference are optional.
    pub alternatives: bool,
    /// Parts on no more than this share of the pages say nothing.
    pub node_support: f64,
    /// A feature found on one page of many counts for nothing, on all for 1: `(n - 1) / (pages -
    /// 1)`.
    pub smooth: bool,
    /// Recognise texts of at least two words that are template at another part than their own.
    pub elsewhere: bool,
    /// How the features of a leaf become one value.
    pub combine: Combine,
    /// Value from which on a leaf is template.
    pub threshold: f64,
    /// Pages with more nodes are not learned from.
    pub max_nodes: u32,
    /// Alignment cells for all pages together; pages that come later are not learned from.
    pub cell_budget: u64,
    /// Of the order in which pages are taken.
    pub seed: u64,
}

/// How the features of a leaf become one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combine {
    /// Their mean.
    Mean,
    /// The least sure.
    Least,
    /// The surest.
    Most,
}

impl Combine {
    /// The value of a leaf; `None` if there are no features.
    fn of(self, values: &[f32]) -> Option<f32> {
        match self {
            _ if values.is_empty() => None,
            Combine::Mean => Some(values.iter().sum::<f32>() / values.len() as f32),
            Combine::Least => values.iter().copied().reduce(f32::min),
            Combine::Most => values.iter().copied().reduce(f32::max),
        }
    }
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
            elsewhere: true,
            combine: Combine::Most,
            threshold: 0.5,
            max_nodes: 20_000,
            cell_budget: 1 << 26,
            seed: 0,
        }
    }
}

impl TreePattern {
    /// The paper's values: 15 pages, one pattern, parts on more than 20 % of the pages, plain
    /// ratios.
    pub fn paper() -> TreePattern {
        TreePattern {
            max_pages: 15,
            max_patterns: 1,
            smooth: false,
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

    /// The pages to learn from, each different from the others.
    fn choose<'a>(&self, sample: &Sample<'a>) -> Vec<&'a Page> {
        let mut seen = FxHashSet::default();
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
        let mut learner = Learner::new(self.thresholds(), self.page_similarity, self.cell_budget);
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
            patterns.push(stored_pattern(&pattern, &learner.names, &supports, self.node_support));
        }
        let used: u32 = patterns.iter().map(|pattern| pattern.pages).sum();
        let stored = Stored {
            pages: used,
            foreign_pages: pages.len() as u32 - used,
            combine: self.combine,
            smooth: self.smooth,
            elsewhere: self.elsewhere,
            threshold: (self.threshold * 100.0).round() as u32,
            patterns,
        };
        Ok(PatternTemplate::try_from(stored).expect("a pattern that was just written can be read"))
    }
}

impl LearnedTemplate for PatternTemplate {
    fn mark(&self, page: &Page) -> Marks {
        self.mark_by_pattern(page)
    }

    fn mark_with_lists(&self, page: &Page) -> (Marks, Vec<Option<ListPlace>>) {
        // A page over a limit has no tree that could be matched.
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
            // Only what is found at a part marks a page.
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

    /// Each pattern, then what is found at its parts.
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
                for TemplateFeature { value, pages, .. } in &part.features {
                    out.push_str(&format!("{pages:>6} of {}  {value}\n", part.pages));
                }
            }
            first += pattern.parts.len() as u32;
        }
        out
    }
}

/// Where a node stands in a list: the list, and the part of an entry it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListPlace {
    /// Number of the list: siblings with one number repeat each other.
    pub list: u32,
    /// Number of the part: siblings with one number are the same part of different entries.
    pub part: u32,
}

/// Where each node of the page stands in a list, as the page alone shows it.
pub(crate) fn lists_of_page(page: &Page) -> Vec<Option<ListPlace>> {
    if page.flags().contains(&Flag::TooLarge) {
        return vec![None; page.len() as usize];
    }
    let settings = TreePattern::default();
    let mut learner =
        Learner::new(settings.thresholds(), settings.page_similarity, settings.cell_budget);
    let tree = Tree::numbered(page, &mut learner.names);
    let root = learner.generaliser.pattern_of(&tree);
    let pattern = Pattern::of_item(&learner.generaliser.items, root);
    list_places(&pattern.lists(), &fit(&pattern, &tree, Effort::MARKING))
}

/// The place of each node, from the list of the part it belongs to.
fn list_places(lists: &[Option<u32>], fit: &Fit) -> Vec<Option<ListPlace>> {
    let place = |part: u32| lists[part as usize].map(|list| ListPlace { list, part });
    fit.parts.iter().map(|part| part.and_then(place)).collect()
}

/// The pages in their order, but the one of median size first: what a pattern begins with shapes it
/// most.
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
    fn new(settings: Thresholds, page_similarity: f64, cell_budget: u64) -> Learner {
        let mut names = Names::default();
        let always = ["html", "head", "body"].map(|name| names.number(name)).to_vec();
        let generaliser = Generaliser { items: Items::default(), settings, always, cell_budget };
        Learner { names, generaliser, page_similarity }
    }

    /// The pattern of the pages in the order given, and those it was made from. Pages that do not
    /// fit when their turn comes have a second one at the end.
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

    /// The pattern that also stands for the page; `None` if the page is too unlike it.
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
