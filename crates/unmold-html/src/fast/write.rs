//! Writes the finished tree into the arena, in document order.

use super::name::Name;
use super::parser::FastParser;
use super::raw::{DOCUMENT, NONE, RawNode};
use super::text::{Context, push_decoded};
use crate::arena::Arena;
use crate::tag::Tag;

impl FastParser<'_> {
    /// Writes the tree in document order, without what no reader sees.
    pub(super) fn write(mut self, keep_hidden: bool) -> Arena {
        let mut at = self.tree.node(DOCUMENT).first;
        while at != NONE {
            let node = *self.tree.node(at);
            at = if self.enter(&node, keep_hidden) { node.first } else { self.after(at) };
        }
        self.writer.finish()
    }

    /// Writes one node; returns whether its children follow.
    fn enter(&mut self, node: &RawNode, keep_hidden: bool) -> bool {
        if node.name == Name::TEXT {
            self.write_text(node);
            return false;
        }
        let tag = node.name.tag();
        let hidden = node.flag && !matches!(tag, Tag::HTML | Tag::BODY);
        if tag.is_never_shown() || hidden && !keep_hidden {
            return false;
        }
        self.writer.open_with(tag, !node.name.is_html(), node.start..node.end);
        let descends = node.first != NONE && tag != Tag::IFRAME;
        if !descends {
            self.writer.close();
        }
        descends
    }

    /// The next node in document order after the subtree of `at`. Closes the elements that end
    /// before it.
    fn after(&mut self, mut at: u32) -> u32 {
        loop {
            let node = self.tree.node(at);
            if node.next != NONE {
                return node.next;
            }
            at = node.parent;
            if at == DOCUMENT {
                return NONE;
            }
            self.writer.close();
        }
    }

    fn write_text(&mut self, node: &RawNode) {
        let raw = &self.html[node.start as usize..node.end as usize];
        let bytes = raw.as_bytes();
        let decode = !node.flag && memchr::memchr(b'&', bytes).is_some()
            || self.writer.is_preformatted() && memchr::memchr(b'\r', bytes).is_some();
        if !decode {
            self.writer.text(raw);
            return;
        }
        self.scratch.clear();
        push_decoded(&mut self.scratch, raw, if node.flag { Context::Raw } else { Context::Text });
        self.writer.text(&self.scratch);
    }
}
