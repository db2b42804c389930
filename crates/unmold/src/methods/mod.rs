//! How is a template learned, and recognised in a page? One trait, one file or folder per published
//! method.
//!
//! # Which method should you use?
//!
//! | method | sees | strong at | weak at |
//! |---|---|---|---|
//! | [`ChunkFrequency`] | runs of text, wherever they stand | moved blocks, broken mark-up, any layout | values that repeat but are content; surroundings that differ from page to page |
//! | [`Alignment`] | the order of tags and texts | optional blocks, repeated texts that are template in one place only | blocks that change places |
//! | [`TreeMapping`] | elements and texts in their place | values that repeat but stand elsewhere; streams of pages | moved blocks; wrappers that only some pages have |
//! | [`PathTemplates`](crate::cluster::PathTemplates) | texts with the names of the elements around them | kinds of page that differ; templates that a person can read; no settings | what fewer than half of the pages of a cluster have; few pages of a kind |
//! | [`TreePattern`] | texts, pictures and links at their place in a pattern with lists, options and alternatives | lists of any length; sections; saying what a page is made of | small samples; pages without a common layout |
//!
//! `unmold-lab eval` prints what each reaches on labelled pages; `docs/benchmarks.md` keeps dated
//! figures.

mod alignment;
mod chunk_frequency;
mod tree_mapping;
mod tree_pattern;

pub use alignment::{
    Alignment, AlignmentTemplate, Identity, Merge, Pruning, Scoring, TemplateToken,
};
pub use chunk_frequency::{ChunkCounter, ChunkFrequency, ChunkTemplate, TemplateChunk, Threshold};
pub use tree_mapping::{
    Combination, Costs, Hex64, Hex128, TemplateNode, TemplateTree, TreeLearner, TreeMapping,
    TreeTemplate,
};
pub use tree_pattern::{
    Combine, FeatureKind, ListPlace, PatternTemplate, StoredPattern, TemplateFeature, TemplatePart,
    TreePattern,
};

pub(crate) use tree_pattern::lists_of_page;

use crate::dedup::{self, IMatch};
use crate::marks::Marks;
use crate::page::Page;

/// One published way to learn a site's template and to recognise it in a page.
///
/// The implementing type holds the settings: `Default` = our best values, `paper()` = the paper's.
pub trait Method {
    /// What `learn` produces and the template file stores.
    type Template;

    /// Learns the template shared by the pages of `sample`.
    ///
    /// # Errors
    /// Fewer than two different pages have nothing to share.
    fn learn(&self, sample: &Sample) -> Result<Self::Template, LearnError>;

    /// Marks the nodes of `page` that `template` explains. Needs no settings.
    fn mark(template: &Self::Template, page: &Page) -> Marks;
}

/// Why no template could be learned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// A template is what several pages share.
    #[error(
        "a template needs at least 2 different pages, and there are {found}: add pages of the same site"
    )]
    NotEnoughPages {
        /// Pages left after duplicates were removed.
        found: usize,
    },
}

/// Pages to learn from: of one site, each different from the others.
#[derive(Clone, Debug)]
pub struct Sample<'a> {
    pages: Vec<&'a Page>,
}

impl<'a> Sample<'a> {
    /// All of `pages`, duplicates included.
    pub fn new(pages: impl IntoIterator<Item = &'a Page>) -> Sample<'a> {
        Sample { pages: pages.into_iter().collect() }
    }

    /// The pages without duplicates: what two copies of one page share is no template.
    pub fn without_duplicates(pages: impl IntoIterator<Item = &'a Page>) -> Sample<'a> {
        let pages: Vec<&Page> = pages.into_iter().collect();
        let originals = dedup::originals(&pages, &IMatch::default());
        Sample { pages: originals.into_iter().map(|index| pages[index]).collect() }
    }

    /// The pages in an order that depends on the seed and on nothing else.
    pub(crate) fn shuffled(&self, seed: u64) -> Vec<&'a Page> {
        let mut pages = self.pages.clone();
        let mut state = seed;
        for last in (1..pages.len()).rev() {
            pages.swap(last, (split_mix(&mut state) % (last as u64 + 1)) as usize);
        }
        pages
    }

    /// The pages, in the order given.
    pub fn pages(&self) -> &[&'a Page] {
        &self.pages
    }
}

/// The next number of the SplitMix64 generator (Steele, Lea and Flood 2014): small, and the same on
/// every machine.
pub(crate) fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
