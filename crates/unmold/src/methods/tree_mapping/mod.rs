//! Finds the tree of elements and texts that the pages of a site have in common.
//!
//! Paper: *a fast and robust method for web page template detection and removal*
//! (`docs/methods/tree-mapping.md`). Pages are mapped to each other from the root down
//! ([`mapping`]); nodes that are mapped to an equal node are template.
//!
//! time: learning takes one mapping per page and reference, each near linear for pages of one site
//! and at worst the product of both; marking is linear. space: the sample while learning; the
//! template afterwards.
//!
//! Departures, all measured (`docs/methods/tree-mapping.md`):
//!
//! - Support is counted on a few reference pages. The paper intersects all pages, but one foreign
//!   page empties an intersection.
//! - Replacing a node costs as much as deleting one and inserting another, because unit costs
//!   prefer two replacements to one real match.
//! - Link targets and image sources are part of a label. Otherwise two different images would be
//!   equal nodes.
//!
//! Thresholds: 25 pages is the paper's; the other values are ours, from the same document.

mod find;
mod greedy;
mod mapping;
mod removal;
mod template;
#[cfg(test)]
mod tests;
mod tree;

pub use mapping::Costs;
pub use template::{Hex64, Hex128, TemplateNode, TemplateTree, TreeTemplate};

use unmold_html::hash::KeyedSet;

use self::find::{Intersection, Learn, Specimen, Support, SupportSettings};
use self::mapping::Mapper;
use self::template::StoredTrees;
use super::{LearnError, LearnedTemplate, Method, PageByPage, Part, Sample};
use crate::marks::Marks;
use crate::page::{Flag, Interner, LabelProfile, Page, subtree_hashes};

/// Settings of the method.
#[derive(Clone, PartialEq, Debug)]
pub struct TreeMapping {
    /// The cost of each edit.
    pub costs: Costs,
    /// What makes two nodes equal.
    pub labels: LabelProfile,
    /// Maximum number of pages to learn from.
    pub max_pages: usize,
    /// How mappings are combined into a template.
    pub combination: Combination,
    /// Learning stops once the template has not changed for this many pages; 0 means it always goes
    /// on to the last page.
    pub patience: u32,
    /// Maximum number of alignment cells for a pair of pages. Pairs that need more are mapped
    /// greedily.
    pub cell_budget: u64,
    /// Recognise whole subtrees of the template wherever they occur on a page.
    pub allow_moved: bool,
    /// Allow a list to have more entries than in the template: each further entry is mapped to an
    /// entry of the template with the same label.
    pub repeats: bool,
    /// Seed for the order of the pages.
    pub seed: u64,
}

/// How mappings between pairs of pages are combined into a template.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Combination {
    /// The template is what all pages share.
    Intersection {
        /// A page that would leave less than this share of the template is foreign and is skipped.
        min_keep: f64,
        /// Start with the median of this many pairs of pages.
        starting_pairs: usize,
    },
    /// The template is what enough pages share with a reference page.
    Support {
        /// Number of reference pages.
        references: usize,
        /// The share of the pages on which a node must be found.
        share: f64,
        /// Pages whose layouts are at least this similar are of one kind; the nodes of a reference
        /// are counted on the pages of its kind.
        same_kind: f64,
        /// A page less similar than this to every reference is foreign and is skipped.
        foreign: f64,
    },
}

impl Default for TreeMapping {
    fn default() -> TreeMapping {
        TreeMapping {
            costs: Costs::COMMON_PART,
            labels: LabelProfile::TagShown,
            max_pages: 25,
            combination: Combination::Support {
                references: 8,
                share: 0.3,
                same_kind: 0.7,
                foreign: 0.1,
            },
            patience: 8,
            cell_budget: 1 << 18,
            allow_moved: true,
            repeats: true,
            seed: 0,
        }
    }
}

impl TreeMapping {
    /// The paper's values: unit costs, names and texts as labels, the strict intersection of 25
    /// pages.
    pub fn paper() -> TreeMapping {
        TreeMapping {
            costs: Costs::UNIT,
            labels: LabelProfile::Tag,
            max_pages: 25,
            combination: Combination::Intersection { min_keep: 0.0, starting_pairs: 1 },
            patience: 0,
            cell_budget: EXACT_BUDGET,
            allow_moved: false,
            repeats: false,
            ..TreeMapping::default()
        }
    }

    /// A learner for pages that arrive one at a time.
    pub fn learner(&self) -> TreeLearner {
        let warm_up = match self.combination {
            Combination::Intersection { starting_pairs, .. } => starting_pairs + 1,
            Combination::Support { .. } => WARM_UP,
        };
        TreeLearner {
            settings: self.clone(),
            learn: Learn {
                mapper: Mapper::new(self.costs, self.cell_budget),
                numbers: Interner::default(),
                approximate: 0,
            },
            seen: KeyedSet::default(),
            warm_up: warm_up.max(2),
            waiting: Vec::new(),
            state: None,
            trace: Vec::new(),
            unchanged: 0,
        }
    }
}

/// Cell budget for a pair of pages where exactness matters more than time.
const EXACT_BUDGET: u64 = 1 << 22;

/// Number of pages to choose the references from when pages arrive one at a time.
const WARM_UP: usize = 8;

impl Method for TreeMapping {
    type Template = TreeTemplate;

    fn learn(&self, sample: &Sample) -> Result<TreeTemplate, LearnError> {
        let mut learner = self.learner();
        // All pages are available, so the references can be chosen among all of them.
        learner.warm_up = usize::MAX;
        for &page in sample.shuffled(self.seed).iter() {
            learner.add(page);
        }
        learner.finish()
    }

    fn page_by_page(&self) -> Option<Box<dyn PageByPage<TreeTemplate>>> {
        Some(Box::new(self.learner()))
    }
}

impl PageByPage<TreeTemplate> for TreeLearner {
    fn add(&mut self, page: &Page) {
        TreeLearner::add(self, page);
    }

    fn finish(self: Box<Self>) -> Result<TreeTemplate, LearnError> {
        TreeLearner::finish(*self)
    }

    fn history(&self) -> Option<String> {
        let size = |size: &Option<u32>| match size {
            Some(nodes) => nodes.to_string(),
            None => "foreign".to_owned(),
        };
        let sizes: Vec<String> = self.trace.iter().map(size).collect();
        Some(format!("nodes of the template after each page: {}", sizes.join(" ")))
    }
}

impl LearnedTemplate for TreeTemplate {
    fn mark(&self, page: &Page) -> Marks {
        removal::mark_linear(self, page)
    }

    fn pages(&self) -> u32 {
        self.stored.pages
    }

    fn parts(&self) -> Vec<Part> {
        let trees = self.trees().iter();
        let nodes = trees.flat_map(|tree| tree.nodes.iter().map(|node| (tree.pages, node)));
        let part = |(number, (of, node)): (u32, (u32, &TemplateNode))| {
            Part::new(Some(number), node.display_label(), node.pages, of).at_depth(node.depth)
        };
        (0..).zip(nodes).map(part).collect()
    }

    fn describe(&self, part: u32) -> Option<String> {
        self.describe_node(part)
    }

    fn text(&self) -> String {
        let mut seen = KeyedSet::default();
        let texts = self.trees().iter().flat_map(|tree| &tree.nodes).map(|node| node.text.as_str());
        texts.filter(|text| !text.is_empty() && seen.insert(*text)).collect::<Vec<_>>().join("\n")
    }

    /// The trees, indented by depth.
    fn show(&self) -> String {
        let mut out = format!("learned from {} pages\n", self.pages());
        for (number, tree) in (1..).zip(self.trees()) {
            let (threshold, of) = (tree.threshold, tree.pages);
            out.push_str(&format!(
                "tree {number}, template on at least {threshold} of {of} pages\n"
            ));
            for node in &tree.nodes {
                let part =
                    Part::new(None, node.display_label(), node.pages, of).at_depth(node.depth);
                out.push_str(&part.line());
            }
        }
        out
    }
}

/// Learns a template page by page, for example while crawling.
#[derive(Clone, Debug)]
pub struct TreeLearner {
    settings: TreeMapping,
    learn: Learn,
    /// Root classes of the pages so far.
    seen: KeyedSet<u32>,
    /// Number of pages to wait for before the first template.
    warm_up: usize,
    waiting: Vec<Specimen>,
    state: Option<State>,
    trace: Vec<Option<u32>>,
    unchanged: u32,
}

#[derive(Clone, Debug)]
enum State {
    Intersection(Intersection),
    Support(Support),
}

impl TreeLearner {
    /// Learns from a page. Skips duplicates of earlier pages, pages that were parsed without a
    /// tree, and all pages once learning [is done](TreeLearner::is_done).
    pub fn add(&mut self, page: &Page) {
        if self.is_done()
            || page.flags().iter().any(|flag| matches!(flag, Flag::TooLarge | Flag::Binary))
        {
            return;
        }
        let specimen = Specimen::new(page, self.settings.labels, &mut self.learn.numbers);
        if !self.seen.insert(specimen.tree.class(0)) {
            return;
        }
        if self.state.is_some() {
            self.count(&specimen);
            return;
        }
        self.waiting.push(specimen);
        if self.waiting.len() >= self.warm_up {
            self.begin();
        }
    }

    /// Whether further pages would change nothing: enough were seen, or the template has settled.
    pub fn is_done(&self) -> bool {
        self.has_settled() || self.seen.len() >= self.settings.max_pages
    }

    /// Number of nodes of the template after each page, from the first template on; `None` for a
    /// foreign page.
    pub fn trace(&self) -> &[Option<u32>] {
        &self.trace
    }

    fn begin(&mut self) {
        let pages = std::mem::take(&mut self.waiting);
        match self.settings.combination {
            Combination::Intersection { min_keep, starting_pairs } => {
                let started =
                    Intersection::begin(&pages, starting_pairs, &mut self.learn, min_keep);
                let Some((intersection, pair)) = started else { return };
                self.trace.push(Some(intersection.len()));
                self.state = Some(State::Intersection(intersection));
                for (number, page) in pages.iter().enumerate() {
                    if number != pair.0 && number != pair.1 && !self.has_settled() {
                        self.count(page);
                    }
                }
            }
            Combination::Support { references, share, same_kind, foreign } => {
                let settings = SupportSettings { references, share, same_kind, foreign };
                let support = Support::begin(&pages, settings, &mut self.learn);
                self.state = Some(State::Support(support));
                for page in &pages {
                    if !self.has_settled() {
                        self.count(page);
                    }
                }
            }
        }
    }

    fn has_settled(&self) -> bool {
        self.settings.patience > 0 && self.unchanged >= self.settings.patience
    }

    fn count(&mut self, page: &Specimen) {
        let (before, fits, after) = match &mut self.state {
            Some(State::Intersection(state)) => {
                (state.len(), state.add(page, &mut self.learn), state.len())
            }
            Some(State::Support(state)) => {
                (state.len(), state.add(page, &mut self.learn), state.len())
            }
            None => return,
        };
        if fits {
            self.unchanged = if before == after { self.unchanged + 1 } else { 0 };
        }
        self.trace.push(fits.then_some(after));
    }

    /// The template shared by the pages.
    ///
    /// # Errors
    /// Fewer than two different pages were added.
    pub fn finish(mut self) -> Result<TreeTemplate, LearnError> {
        if self.state.is_none() && self.waiting.len() >= 2 {
            self.begin();
        }
        let found = self.seen.len();
        match self.state.take() {
            Some(State::Intersection(state)) => Ok(self.intersection_template(&state)),
            Some(State::Support(state)) => Ok(self.support_template(&state)),
            None => Err(LearnError::NotEnoughPages { found }),
        }
    }

    fn intersection_template(self, state: &Intersection) -> TreeTemplate {
        let kept = &state.template;
        let hashes = subtree_hashes(&kept.labels, |id| kept.tree.size(id));
        let nodes =
            template::nodes_of(kept, |_| state.pages, |id| state.whole[id as usize], &hashes);
        self.template(vec![TemplateTree { pages: state.pages, threshold: state.pages, nodes }])
    }

    fn support_template(mut self, state: &Support) -> TreeTemplate {
        let mut trees = Vec::new();
        for reference in &state.references {
            let min_pages = reference.min_pages(state.share());
            let keep: Vec<bool> =
                reference.counts.iter().map(|&count| count >= min_pages).collect();
            if !keep.contains(&true) {
                continue;
            }
            let ids: Vec<usize> = (0..keep.len()).filter(|&id| keep[id]).collect();
            let kept = reference.specimen.restricted(&keep, &mut self.learn.numbers);
            let hashes = subtree_hashes(&kept.labels, |id| kept.tree.size(id));
            let is_whole = |id: u32| reference.whole[ids[id as usize]] >= min_pages;
            let nodes = template::nodes_of(
                &kept,
                |id| reference.counts[ids[id as usize]],
                is_whole,
                &hashes,
            );
            trees.push(TemplateTree { pages: reference.pages, threshold: min_pages, nodes });
        }
        self.template(template::without_repeated(trees))
    }

    fn template(self, trees: Vec<TemplateTree>) -> TreeTemplate {
        let stored = StoredTrees {
            labels: self.settings.labels,
            costs: self.settings.costs.get(),
            pages: self.seen.len() as u32,
            allow_moved: self.settings.allow_moved,
            repeats: self.settings.repeats,
            approximate_pairs: self.learn.approximate,
            trees,
        };
        TreeTemplate::try_from(stored).expect("learned trees are valid")
    }
}

impl TreeTemplate {
    /// Marks by an exact mapping, which [`LearnedTemplate::mark`] approximates in linear time. Only
    /// for comparison: it takes many times as long.
    pub fn mark_exactly(&self, page: &Page) -> Marks {
        removal::mark_exact(self, page, EXACT_BUDGET)
    }
}
