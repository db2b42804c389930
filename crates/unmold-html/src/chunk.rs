//! Cuts the visible text of a page into chunks at delimiter tags.

use serde::{Deserialize, Serialize};

use crate::arena::Gap;
use crate::node::{NodeId, NodeRange};
use crate::page::Page;
use crate::tag::{Flow, Tag};
use crate::words::word_key;

/// The tags that cut the text of a page into chunks. Both start tags and end tags cut.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Delimiters {
    /// `table` and `map`, as in the paper: suits pages laid out with tables.
    Paper,
    /// Also sections, lists, forms, headings and table cells.
    Extended,
    /// Every border of a block and every line break: a chunk is one line of text.
    Blocks,
    /// Every tag: a chunk is one text.
    Texts,
}

impl Delimiters {
    fn cuts_at(self, tag: Tag) -> bool {
        match self {
            Delimiters::Paper => matches!(tag, Tag::TABLE | Tag::MAP),
            Delimiters::Extended => is_extended_delimiter(tag),
            Delimiters::Blocks => tag.flow() == Flow::Block,
            Delimiters::Texts => true,
        }
    }
}

#[rustfmt::skip]
fn is_extended_delimiter(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::TABLE | Tag::MAP | Tag::DIV | Tag::SECTION | Tag::NAV | Tag::HEADER | Tag::FOOTER
            | Tag::ASIDE | Tag::ARTICLE | Tag::MAIN | Tag::UL | Tag::OL | Tag::DL | Tag::FORM
            | Tag::FIELDSET | Tag::TD | Tag::TH | Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5
            | Tag::H6 | Tag::HR
    )
}

/// A maximal run of visible text between two delimiters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// The nodes from its first to its last text. All visible texts in this range belong to it.
    pub nodes: NodeRange,
    /// Its words in comparison form, separated by one space. Empty for a chunk of punctuation.
    pub key: String,
}

impl Page {
    /// The chunks of the page, in document order.
    pub fn chunks(&self, delimiters: Delimiters) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        let mut ends: Vec<NodeId> = Vec::new();
        let mut current: Option<NodeRange> = None;
        for id in self.body() {
            let mut cut = false;
            while ends.last().is_some_and(|&end| end <= id) {
                ends.pop();
                cut = true;
            }
            if delimiters.cuts_at(self.tag(id)) {
                ends.push(self.subtree(id).end);
                cut = true;
            }
            if cut {
                chunks.extend(current.take().map(|nodes| self.chunk(nodes)));
            }
            if self.is_text(id) {
                let start = current.map_or(id, |nodes| nodes.start);
                current = Some(NodeRange::new(start, id.next()));
            }
        }
        chunks.extend(current.map(|nodes| self.chunk(nodes)));
        chunks
    }

    fn chunk(&self, nodes: NodeRange) -> Chunk {
        let key = match nodes.len() {
            1 => word_key(self.text(nodes.start)),
            _ => word_key(&self.joined_text(nodes.clone())),
        };
        Chunk { nodes, key }
    }

    /// The texts of a range of nodes, separated by a space where the page has white space or the
    /// border of a block.
    pub fn joined_text(&self, nodes: NodeRange) -> String {
        let mut text = String::new();
        for id in nodes.filter(|&id| self.is_text(id)) {
            if !text.is_empty() && self.gap(id) != Gap::None {
                text.push(' ');
            }
            text.push_str(self.text(id));
        }
        text
    }
}
