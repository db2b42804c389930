//! A section of a page.

use serde::Serialize;

use crate::page::{NodeId, Page};

/// The kind of a section.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SectionKind {
    /// A list of similar entries.
    RepeatedList,
    /// One element with its subtree.
    Block,
    /// Adjacent text and inline elements.
    InlineRun,
    /// The nodes between two rules.
    BetweenSeparators,
}

impl SectionKind {
    /// The name used in records.
    pub fn name(self) -> &'static str {
        match self {
            SectionKind::RepeatedList => "repeated-list",
            SectionKind::Block => "block",
            SectionKind::InlineRun => "inline-run",
            SectionKind::BetweenSeparators => "between-separators",
        }
    }
}

/// A part of a page.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Section {
    /// The kind of section.
    pub kind: SectionKind,
    /// Its top nodes in document order, all children of one node. The section contains their
    /// subtrees.
    pub nodes: Vec<NodeId>,
    /// From 0 (all template) to 1 (all content).
    pub importance: f64,
    /// The mean mark of its texts and pictures: the evidence of the template, without that of the
    /// page.
    pub noise: f64,
    /// Area of the leaves that the importance is based on. If 0, nothing is known and the
    /// importance is 1.
    pub weight: f64,
    /// Share of the page's area.
    pub area_share: f64,
    /// Share of the characters of the page's text.
    pub text_share: f64,
    /// Share of the section's characters in links.
    pub link_share: f64,
}

impl Section {
    /// The visible texts of the section.
    pub fn texts<'a>(&'a self, page: &'a Page) -> impl Iterator<Item = NodeId> + 'a {
        self.nodes.iter().flat_map(|&node| page.subtree(node)).filter(|&id| page.is_text(id))
    }
}
