//! The published methods, one file or folder each, behind two traits: a [`Method`] learns a
//! [`LearnedTemplate`]. `registry.rs` lists them.
//!
//! # Which method should you use?
//!
//! | method | sees | strong at | weak at |
//! |---|---|---|---|
//! | [`ChunkFrequency`] | runs of text, wherever they occur | moved blocks, broken markup, any layout | content values that repeat; surroundings that differ from page to page |
//! | [`Alignment`] | the order of tags and texts | optional blocks; repeated texts that are template in one place only | blocks that change places |
//! | [`TreeMapping`] | elements and texts in their place | values that repeat in different places; streams of pages | moved blocks; wrappers that only some pages have |
//! | [`PathTemplates`](crate::cluster::PathTemplates) | texts with the names of the elements around them | kinds of page that differ; human-readable templates; no settings | what fewer than half of a cluster's pages have; few pages of a kind |
//! | [`TreePattern`] | texts, images and links at their place in a pattern with lists, options and alternatives | lists of any length; sections; describing the structure of a page | small samples; pages without a common layout |
//!
//! `unmold-lab eval` prints how each one scores on labelled pages; `docs/benchmarks.md` keeps dated
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

use crate::cluster::Assigner;
use crate::page::Page;

/// A published method for learning a site's template.
///
/// The implementing type holds the settings: `Default` has our best values, `paper()` the paper's.
/// The [`LearnedTemplate`] it returns marks the template on other pages.
pub trait Method {
    /// The type that `learn` returns and the template file stores.
    type Template: LearnedTemplate;

    /// Learns the template that the pages of `sample` share.
    ///
    /// # Errors
    /// The sample has fewer than two different pages.
    fn learn(&self, sample: &Sample) -> Result<Self::Template, LearnError>;

    /// Like [`Method::learn`], but hands independent pieces of work to `runner`.
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

    /// [`Method::learn_with`] for the pages of a cluster; `site` knows the paths of the whole site.
    ///
    /// # Errors
    /// As [`Method::learn`].
    fn learn_cluster(
        &self,
        sample: &Sample,
        _site: &Assigner,
        runner: &dyn Runner,
    ) -> Result<Self::Template, LearnError> {
        self.learn_with(sample, runner)
    }

    /// A learner that takes the pages of a site one at a time, if the method has one. It can learn
    /// from whole sites that do not fit into memory.
    fn page_by_page(&self) -> Option<Box<dyn PageByPage<Self::Template>>> {
        None
    }
}

/// Learns a template from pages that are given one at a time.
pub trait PageByPage<T> {
    /// Adds the next page.
    fn add(&mut self, page: &Page);

    /// The template shared by the pages so far.
    ///
    /// # Errors
    /// Fewer than two different pages were added.
    fn finish(self: Box<Self>) -> Result<T, LearnError>;

    /// How the template developed, for diagnostics.
    fn history(&self) -> Option<String> {
        None
    }
}

/// Why no template could be learned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// A template is what several pages share: one page has none.
    #[error(
        "a template needs at least 2 different pages, and there are {found}: add pages of the same site"
    )]
    NotEnoughPages {
        /// Pages left after duplicates were removed.
        found: usize,
    },
}
