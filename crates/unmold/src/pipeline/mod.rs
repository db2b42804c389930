//! The default method: site evidence and page evidence in one verdict per block.
//!
//! What it finds: blocks of text that a reader of the page came for, whether they repeat or not.
//! How: a sample of the site's pages says how common each text, slot and place is (`evidence.rs`);
//! together with what the page itself shows (length, links, neighbours, position: `features.rs`) a
//! small fixed sum of decision trees (`model.rs`) judges each block. Verdicts on blocks at the same
//! place on other pages count too: what is a teaser on most pages is one on this page. Learning is
//! counting; applying is one pass over the page with look-ups. time: linear in the page; space:
//! what is on at least two pages of the sample. Where the weights come from: fitted on labelled
//! sites by `tools/fit`; `unmold-lab eval` scores every site with weights fitted without it.

mod blocks;
mod cut;
mod details;
mod evidence;
mod features;
mod groups;
mod kinds;
mod learned;
mod lexicon;
mod model;
mod names;
mod page_kind;
mod roles;
mod seen;
mod teaching;
mod template;
#[cfg(test)]
mod tests;
mod together;

use model::Trees;
pub(crate) use model::probability;
pub use model::{Model, ModelError};
pub use page_kind::PageKind;
pub(crate) use seen::{Seen, SeenBlock};
pub(crate) use teaching::{block_ranges, kept};
pub use template::{AutoTemplate, TemplateText};

use blocks::{Block, Blocks};
use evidence::{Agreement, Evidence};
use features::Features;
use lexicon::Lexicon;
use names::Names;
use serde::{Deserialize, Serialize};
use unmold_html::hash::KeyedMap;

use crate::methods::{LearnError, Method, Sample};
use crate::page::{NodeRange, Page};
use crate::teach::{Keys, Taught, Weighed};

/// What of a page is to be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// Everything but the template: nothing that is unique is lost. For search and for extracting
    /// data.
    AllUnique,
    /// The main content, comments included.
    #[default]
    Main,
    /// The main content without what is uncertain.
    Article,
}

/// The default method. Works from one page on: without a site, page evidence decides.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Auto {
    /// What of a page is to be kept.
    pub keep: Keep,
    /// What kind of pages they are; found for each page if not given.
    pub kind: Option<PageKind>,
}

/// What is content by so much stays, even as an article.
const STAYS: f32 = 0.66;

impl Auto {
    /// [`Method::learn`] with other weights than those of the library.
    ///
    /// # Errors
    /// A sample without pages.
    pub fn learn_with_model(
        &self,
        sample: &Sample,
        model: &Model,
    ) -> Result<AutoTemplate, LearnError> {
        if sample.pages().is_empty() {
            return Err(LearnError::NotEnoughPages { found: 0 });
        }
        let names = Names::learn(sample.pages());
        let cut: Vec<Blocks> = sample.pages().iter().map(|page| Blocks::of(page, &names)).collect();
        let mut evidence = Evidence::learn(names, sample.pages(), &cut);
        let pages = sample.pages().iter().zip(&cut);
        let verdicts: Vec<Vec<f32>> =
            pages.map(|(page, blocks)| self.judge_alone(page, blocks, &evidence, model)).collect();
        evidence.remember(&cut, &verdicts);
        let verdicts: Vec<Vec<f32>> = cut
            .iter()
            .zip(&verdicts)
            .map(|(blocks, alone)| with_places(blocks, &evidence, alone))
            .collect();
        evidence.settle(&cut, &verdicts);
        Ok(AutoTemplate::new(self, evidence, sample, &cut, model))
    }

    /// The probability that each block is content, from what it and its site show.
    fn judge_alone(
        &self,
        page: &Page,
        blocks: &Blocks,
        evidence: &Evidence,
        model: &Model,
    ) -> Vec<f32> {
        let features =
            Features::new(page, blocks, evidence, model.lexicon()).with_kind(model, self.kind);
        let mut row = Vec::with_capacity(features::NAMES.len());
        let trees = model.with(evidence.forest(features.page_kind()));
        (0..blocks.list.len()).map(|at| content(&features, at, trees, &mut row)).collect()
    }
}

impl Method for Auto {
    type Template = AutoTemplate;

    fn learn(&self, sample: &Sample) -> Result<AutoTemplate, LearnError> {
        self.learn_with_model(sample, Model::shipped())
    }
}

/// The probability that a block is content; `row` is room for its features.
fn content(features: &Features, at: usize, trees: Trees, row: &mut Vec<f32>) -> f32 {
    row.clear();
    features.write(at, row);
    trees.content(row)
}

/// The verdicts with those on the same places of the sample's pages.
fn with_places(blocks: &Blocks, evidence: &Evidence, alone: &[f32]) -> Vec<f32> {
    blocks
        .list
        .iter()
        .zip(alone)
        .map(|(block, &content)| evidence.with_place(block, content))
        .collect()
}

/// The probability that each block is content. What the sample agrees on, and what this page has
/// agreed on so far, is not judged again: most blocks of most pages are such.
fn contents(features: &Features, evidence: &Evidence, model: &Model) -> Vec<f32> {
    let mut row = Vec::with_capacity(features::NAMES.len());
    let trees = model.with(evidence.forest(features.page_kind()));
    let mut seen: KeyedMap<u64, Agreement> = KeyedMap::default();
    let mut judge = |at: usize, block: &Block| {
        if let Some(content) = evidence.settled(block) {
            return content;
        }
        let alike = seen.entry(evidence.kind_at(block.path, block)).or_default();
        alike.verdict(SETTLING_BLOCKS).unwrap_or_else(|| {
            let content = evidence.with_place(block, content(features, at, trees, &mut row));
            alike.add(at, content);
            content
        })
    };
    features.blocks.list.iter().enumerate().map(|(at, block)| judge(at, block)).collect()
}

/// The verdict on the blocks of a page.
struct Judged {
    /// How far each block is content, on a scale on which the cut is at one half.
    contents: Vec<f32>,
    /// Whether labels decided about each block; none without labels.
    is_taught: Vec<bool>,
    /// The share of the page that labels know, where pages of the site are labelled.
    coverage: Option<f32>,
    /// What kind of page it is.
    kind: PageKind,
}

/// Judges the blocks of a page, with what labels say where pages of the site are labelled.
fn judge(
    page: &Page,
    blocks: &Blocks,
    evidence: &Evidence,
    model: &Model,
    kind: Option<PageKind>,
    taught: Option<&Taught>,
) -> Judged {
    let features = Features::new(page, blocks, evidence, model.lexicon()).with_kind(model, kind);
    let kind = features.page_kind();
    let contents = contents(&features, evidence, model);
    let default = |coverage| Judged {
        contents: cut(page, blocks, evidence, &contents, |_| true),
        is_taught: Vec::new(),
        coverage,
        kind,
    };
    let Some(taught) = taught else { return default(None) };
    let keys = Keys::of(&Seen { page, blocks, evidence });
    match taught.weigh(&keys, &contents, None) {
        None => default(Some(0.0)),
        // Labels of other pages never empty a page: if they leave nothing, the default decides.
        Some(weighed) if weighed.contents.iter().all(|&content| content < 0.5) => {
            default(Some(weighed.coverage))
        }
        Some(Weighed { contents, is_known, coverage }) => Judged {
            contents: cut(page, blocks, evidence, &contents, |at| !is_known[at]),
            is_taught: is_known,
            coverage: Some(coverage),
            kind,
        },
    }
}

/// The probabilities on a scale on which the cut is at one half. Values of records stay, where they
/// may be.
fn cut(
    page: &Page,
    blocks: &Blocks,
    evidence: &Evidence,
    contents: &[f32],
    may_be_value: impl Fn(usize) -> bool,
) -> Vec<f32> {
    let threshold = cut::threshold(contents, |at| blocks.list[at].words.max(MIN_WORDS));
    let with_values = |(at, (block, &content)): (usize, (&Block, &f32))| {
        let content = cut::rescaled(content, threshold);
        let is_value = || may_be_value(at) && evidence.is_value_of_record(page, block);
        if content < STAYS && is_value() { STAYS } else { content }
    };
    blocks.list.iter().zip(contents).enumerate().map(with_values).collect()
}

/// A block without words counts as this many.
const MIN_WORDS: f32 = 0.5;

/// So many blocks of a kind at one path are judged, as rows of a long table are alike.
const SETTLING_BLOCKS: u32 = 5;

/// Features of a page's blocks, for fitting the model.
#[doc(hidden)]
#[derive(Debug)]
pub struct Table {
    /// From the first to the last text of each block.
    pub blocks: Vec<NodeRange>,
    /// Hashes of the path of each block and of the path around it.
    pub places: Vec<[u64; 2]>,
    /// What the weights of words are fitted from, for each block: the number of the heading over it
    /// (0 for none, the first block is 1), whether it is short, and the hashes of its first words,
    /// of the words of the address it leads to, and of the names of the elements around it.
    pub words: Vec<Vec<u32>>,
    /// The features of each block, one after the other, in the order of [`feature_names`]. Those of
    /// words are 0: what they weigh is to be fitted.
    pub rows: Vec<f32>,
    /// What the page shows as a whole, in the order of [`page_feature_names`].
    pub page_row: Vec<f32>,
}

/// So many numbers are exported for the words of a block.
#[doc(hidden)]
pub const EXPORTED_WORDS: usize =
    2 + lexicon::TEXT_WORDS + lexicon::ADDRESS_WORDS + features::NAMED_LEVELS * lexicon::NAME_WORDS;

/// Names of the features.
#[doc(hidden)]
pub fn feature_names() -> &'static [&'static str] {
    features::NAMES
}

/// Names of the features of a page as a whole.
#[doc(hidden)]
pub fn page_feature_names() -> &'static [&'static str] {
    page_kind::NAMES
}

/// The blocks of `pages` with their features, given what `sample` says about the site.
#[doc(hidden)]
pub fn tables(sample: &[&Page], pages: &[&Page]) -> Vec<Table> {
    let names = Names::learn(sample);
    let learned: Vec<Blocks> = sample.iter().map(|page| Blocks::of(page, &names)).collect();
    let evidence = Evidence::learn(names, sample, &learned);
    let no_words = Lexicon::default();
    let table = |page: &&Page| {
        let blocks = Blocks::of(page, &evidence.names);
        let features = Features::new(page, &blocks, &evidence, &no_words);
        let mut rows = Vec::new();
        for at in 0..blocks.list.len() {
            features.write(at, &mut rows);
        }
        let places = blocks.list.iter().map(|block| [block.path, block.outer]).collect();
        let words = (0..blocks.list.len()).map(|at| features.exported_words(at)).collect();
        let page_row = page_kind::row(&features);
        let blocks = blocks.list.iter().map(|block| block.nodes.clone()).collect();
        Table { page_row, blocks, places, words, rows }
    };
    pages.iter().map(table).collect()
}
