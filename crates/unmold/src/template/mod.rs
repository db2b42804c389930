//! What was learned, and how it is kept: one named template per site, or per cluster of its pages.

mod clusters;
mod file;
mod node_path;
mod overrides;

pub use clusters::SiteClusters;
pub use file::{ReadError, TemplateSet, VERSION};
pub use node_path::{NodePath, PathError};
pub use overrides::{Override, OverrideVerdict, Overrides, Selector, text_key};

use serde::{Deserialize, Serialize};

use crate::cluster::{PathTemplate, PathTemplates};
use crate::marks::Marks;
use crate::methods::{
    Alignment, AlignmentTemplate, ChunkFrequency, ChunkTemplate, Method, PatternTemplate,
    TreeMapping, TreePattern, TreeTemplate,
};
use crate::page::Page;
use crate::pipeline::{Auto, AutoTemplate};

/// The template of one group of pages. Complete: marking a page needs nothing else.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Template {
    /// Its name, `site#1`.
    pub name: String,
    /// The site it belongs to.
    pub site: String,
    /// What the method learned.
    #[serde(flatten)]
    pub learned: Learned,
    /// The share of it that the pages it was learned from have, in thousandths, mean of the pages.
    /// A site whose pages have much less of it was redesigned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual_match: Option<u32>,
    /// What people said about it, which wins over what was learned.
    #[serde(default, skip_serializing_if = "Overrides::is_empty")]
    pub overrides: Overrides,
}

/// What a method learned, tagged with the method's name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Learned {
    /// By [`ChunkFrequency`].
    ChunkFrequency(ChunkTemplate),
    /// By [`Alignment`].
    Alignment(AlignmentTemplate),
    /// By [`TreeMapping`].
    TreeMapping(TreeTemplate),
    /// By [`Auto`], the default.
    Auto(AutoTemplate),
    /// By [`TreePattern`].
    TreePattern(PatternTemplate),
    /// By [`PathTemplates`].
    PageClusters(PathTemplate),
}

impl Template {
    /// A template of which nothing is known but what was learned, and that nobody has corrected.
    pub fn new(name: impl Into<String>, site: impl Into<String>, learned: Learned) -> Template {
        Template {
            name: name.into(),
            site: site.into(),
            learned,
            usual_match: None,
            overrides: Overrides::default(),
        }
    }

    /// Notes how much of it the pages have that it was learned from.
    pub fn fitted_to(mut self, pages: &[&Page]) -> Template {
        let found = pages.iter().map(|page| thousandths(self.mark(page).template_match()));
        self.usual_match =
            found.sum::<u64>().checked_div(pages.len() as u64).map(|mean| mean as u32);
        self
    }

    /// Marks the nodes of `page` that the template explains, as corrected by its [`Overrides`].
    pub fn mark(&self, page: &Page) -> Marks {
        let mut marks = self.learned.mark(page);
        self.overrides.apply(page, &mut marks);
        marks
    }

    /// Says in words what the part with the number [`Marks::source`] is.
    pub fn describe(&self, source: u32) -> String {
        self.learned.describe(source)
    }
}

/// A share as it is summed up: sums of whole numbers do not depend on their order.
pub(crate) fn thousandths(share: f32) -> u64 {
    (f64::from(share) * 1000.0).round() as u64
}

impl Learned {
    /// The name of the method, as it stands in the file.
    pub fn method(&self) -> &'static str {
        match self {
            Learned::ChunkFrequency(_) => "chunk-frequency",
            Learned::Alignment(_) => "alignment",
            Learned::TreeMapping(_) => "tree-mapping",
            Learned::Auto(_) => "auto",
            Learned::TreePattern(_) => "tree-pattern",
            Learned::PageClusters(_) => "page-clusters",
        }
    }

    /// Marks the nodes of `page` that the template explains, whatever people said.
    pub fn mark(&self, page: &Page) -> Marks {
        match self {
            Learned::ChunkFrequency(template) => ChunkFrequency::mark(template, page),
            Learned::Alignment(template) => Alignment::mark(template, page),
            Learned::TreeMapping(template) => TreeMapping::mark(template, page),
            Learned::Auto(template) => Auto::mark(template, page),
            Learned::TreePattern(template) => TreePattern::mark(template, page),
            Learned::PageClusters(template) => PathTemplates::mark(template, page),
        }
    }

    /// Says in words what the part with the number [`Marks::source`] is.
    pub fn describe(&self, source: u32) -> String {
        match self {
            Learned::ChunkFrequency(template) => template.describe(source),
            Learned::Alignment(template) => template.describe(source),
            Learned::Auto(template) => template.describe(source),
            Learned::PageClusters(template) => template.describe(source),
            Learned::TreeMapping(template) => template
                .describe(source)
                .unwrap_or_else(|| format!("node {source}, which the template does not have")),
            Learned::TreePattern(template) => template
                .describe(source)
                .unwrap_or_else(|| format!("part {source}, which the template does not have")),
        }
    }

    /// Number of pages it was learned from.
    pub fn pages(&self) -> u32 {
        match self {
            Learned::ChunkFrequency(template) => template.pages(),
            Learned::Alignment(template) => template.pages(),
            Learned::TreeMapping(template) => template.pages(),
            Learned::Auto(template) => template.pages(),
            Learned::TreePattern(template) => template.pages(),
            Learned::PageClusters(template) => template.pages(),
        }
    }

    /// Number of parts: chunks, tokens, nodes, as the method counts them.
    pub fn parts(&self) -> usize {
        match self {
            Learned::ChunkFrequency(template) => template.chunks().len(),
            Learned::Alignment(template) => template.tokens().len(),
            Learned::TreeMapping(template) => template.parts(),
            Learned::Auto(template) => template.parts().len(),
            Learned::TreePattern(template) => template.parts(),
            Learned::PageClusters(template) => template.paths().len(),
        }
    }

    /// The text of the template, a line for each part.
    pub fn text(&self) -> String {
        match self {
            Learned::ChunkFrequency(template) => template.text(),
            Learned::Alignment(template) => template.text(),
            Learned::TreeMapping(template) => template.text(),
            Learned::Auto(template) => template.text(),
            Learned::TreePattern(template) => template.text(),
            Learned::PageClusters(template) => template.text(),
        }
    }
}
