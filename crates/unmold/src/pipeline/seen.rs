//! A page as teaching sees it: its blocks with their keys, and what the default says of each.

use super::blocks::Blocks;
use super::evidence::{Evidence, Kind};
use crate::page::{NodeId, NodeRange, Page, Tag};

/// A page cut into blocks, with what the site's sample says about them.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub page: &'a Page,
    pub(super) blocks: &'a Blocks,
    pub(super) evidence: &'a Evidence,
}

/// A block as teaching sees it.
#[derive(Clone, Debug)]
pub(crate) struct SeenBlock {
    /// From its first to its last text.
    pub nodes: NodeRange,
    pub holder: NodeId,
    /// The innermost block-level element around it, a position in [`Seen::elements`].
    pub element: u32,
    /// Hash of its text.
    pub text: u64,
    /// Hash of its position on the page.
    pub slot: u64,
    pub words: f32,
    pub link_words: f32,
}

/// A text on this share of the other pages divides a page into stretches.
const COMMON: f32 = 0.3;

impl Seen<'_> {
    /// The blocks of the page, in document order.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = SeenBlock> + '_ {
        self.blocks.list.iter().map(|block| SeenBlock {
            nodes: block.nodes.clone(),
            holder: block.holder,
            element: block.element,
            text: block.key,
            slot: block.slot,
            words: block.words,
            link_words: block.link_words,
        })
    }

    /// For each block-level element in document order the one around it, itself for the outermost,
    /// and a hash of its name, id and classes.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = (u32, u64)> + '_ {
        self.blocks.elements.iter().map(|element| (element.parent, element.shape))
    }

    /// Whether many other pages have this text.
    pub fn is_common(&self, text: u64) -> bool {
        self.evidence.on_others(Kind::Text, text) >= COMMON
    }

    /// Whether another page of the sample has this text.
    pub fn is_repeated(&self, text: u64) -> bool {
        self.evidence.count(Kind::Text, text) > 1
    }

    /// The kind of page it is, if its site has several.
    pub fn kind(&self) -> Option<usize> {
        self.evidence.kinds.of(self.blocks)
    }

    pub fn is_heading(&self, block: &SeenBlock) -> bool {
        matches!(
            self.page.tag(block.holder),
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6
        )
    }
}
