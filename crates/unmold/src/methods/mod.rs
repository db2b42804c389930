//! The published methods, one file or folder each, behind two traits: a [`Method`] learns, and what
//! it learned is a [`LearnedTemplate`]. `registry.rs` lists them.
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
mod explain;
mod learned;
mod runner;
mod sample;
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

pub use explain::{Explanation, Verdict};
pub use learned::{LearnedTemplate, OtherModel, Part};
pub use runner::{Runner, Serial};
pub use sample::Sample;

pub(crate) use explain::{manual_override, text_on_pages};
pub(crate) use sample::split_mix;
pub(crate) use tree_pattern::lists_of_page;

use crate::page::Page;

/// One published way to learn a site's template.
///
/// The implementing type holds the settings: `Default` has our best values, `paper()` the paper's.
/// What it learns recognises itself on other pages: [`LearnedTemplate`].
pub trait Method {
    /// What `learn` produces and the template file stores.
    type Template: LearnedTemplate;

    /// Learns the template that the pages of `sample` share.
    ///
    /// # Errors
    /// Fewer than two different pages have nothing to share.
    fn learn(&self, sample: &Sample) -> Result<Self::Template, LearnError>;

    /// The same, with work that falls into independent pieces given to `runner`.
    ///
    /// # Errors
    /// As [`Method::learn`].
    fn learn_with(
        &self,
        sample: &Sample,
        _runner: &dyn Runner,
    ) -> Result<Self::Template, LearnError> {
        self.learn(sample)
    }

    /// A learner that is given the pages of a site one at a time, if the method has one: it can
    /// learn from whole sites that do not fit into memory.
    fn page_by_page(&self) -> Option<Box<dyn PageByPage<Self::Template>>> {
        None
    }
}

/// Learns a template from pages that are given one at a time.
pub trait PageByPage<T> {
    /// Takes the next page.
    fn add(&mut self, page: &Page);

    /// The template shared by the pages so far.
    ///
    /// # Errors
    /// Fewer than two different pages have nothing to share.
    fn finish(self: Box<Self>) -> Result<T, LearnError>;

    /// How the template developed, for the curious.
    fn history(&self) -> Option<String> {
        None
    }
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
