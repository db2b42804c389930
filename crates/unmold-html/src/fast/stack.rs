//! The stack of open elements, and insertion of nodes.

use super::name::{Name, Sets};
use super::parser::{FastParser, Open, TagToken};
use super::raw::{DOCUMENT, NONE};
use crate::arena::Attr;
use crate::fallback::FallbackReason;
use crate::tag::Tag;

/// Maximum number of tags that add attributes to `html` and `body`; pages with more go to
/// html5ever.
const MAX_MERGES: u32 = 64;

/// The current element of an empty stack.
const NOTHING: Open = Open { node: DOCUMENT, name: Name::ROOT, sets: Sets::SCOPE };

impl FastParser<'_> {
    pub(super) fn current(&self) -> Open {
        self.stack.last().copied().unwrap_or(NOTHING)
    }

    pub(super) fn push(&mut self, node: u32, name: Name) {
        if let Some(number) = name.known() {
            self.open_count[number] += 1;
        } else if name.tag().keeps_white_space() {
            self.foreign_keeping_space += 1;
        }
        self.tree.node_mut(node).is_open = true;
        self.stack.push(Open { node, name, sets: name.sets() });
    }

    pub(super) fn pop(&mut self) {
        if let Some(open) = self.stack.pop() {
            self.closed(open);
        }
    }

    fn closed(&mut self, open: Open) {
        if let Some(number) = open.name.known() {
            self.open_count[number] -= 1;
        } else if open.name.tag().keeps_white_space() {
            self.foreign_keeping_space -= 1;
        }
        self.tree.node_mut(open.node).is_open = false;
    }

    pub(super) fn truncate(&mut self, length: usize) {
        while self.stack.len() > length {
            self.pop();
        }
    }

    pub(super) fn remove_at(&mut self, index: usize) {
        let open = self.stack.remove(index);
        self.closed(open);
    }

    pub(super) fn remove_from_stack(&mut self, node: u32) {
        if let Some(index) = self.stack.iter().rposition(|open| open.node == node) {
            self.remove_at(index);
        }
    }

    /// Pops elements up to and including the nearest with this name.
    pub(super) fn pop_through(&mut self, tag: Tag) {
        while let Some(open) = self.stack.pop() {
            self.closed(open);
            if open.name == Name::html(tag) {
                return;
            }
        }
    }

    pub(super) fn pop_through_set(&mut self, sets: Sets) {
        while let Some(open) = self.stack.pop() {
            self.closed(open);
            if open.sets.intersects(sets) {
                return;
            }
        }
    }

    /// Closes elements whose end tag may be omitted.
    pub(super) fn close_implied(&mut self, except: Option<Tag>) {
        while let Some(open) = self.stack.last()
            && open.sets.intersects(Sets::IMPLIED_END)
            && except.is_none_or(|tag| open.name != Name::html(tag))
        {
            self.pop();
        }
    }

    pub(super) fn is_in_scope(&self, tag: Tag, scope: Sets) -> bool {
        let name = Name::html(tag);
        if name.known().is_some_and(|number| self.open_count[number] == 0) {
            return false;
        }
        for open in self.stack.iter().rev() {
            if open.name == name {
                return true;
            }
            if open.sets.intersects(scope) {
                return false;
            }
        }
        false
    }

    pub(super) fn is_node_in_scope(&self, node: u32) -> bool {
        for open in self.stack.iter().rev() {
            if open.node == node {
                return true;
            }
            if open.sets.intersects(Sets::SCOPE) {
                return false;
            }
        }
        false
    }

    /// Whether an element of the sets `wanted` is in `scope`.
    pub(super) fn has_any_in_scope(&self, wanted: Sets, scope: Sets) -> bool {
        for open in self.stack.iter().rev() {
            if open.sets.intersects(wanted) {
                return true;
            }
            if open.sets.intersects(scope) {
                return false;
            }
        }
        false
    }

    pub(super) fn close_p_in_scope(&mut self) {
        if self.is_in_scope(Tag::P, Sets::BUTTON_SCOPE) {
            self.close_p();
        }
    }

    pub(super) fn close_p(&mut self) {
        self.close_implied(Some(Tag::P));
        self.pop_through(Tag::P);
    }

    /// Where the next node goes: its parent, and the sibling that will follow it or [`NONE`].
    pub(super) fn insertion_point(&self, target: Open) -> (u32, u32) {
        if !(self.foster && target.sets.intersects(Sets::FOSTERING)) {
            return (target.node, NONE);
        }
        let Some(index) = self.stack.iter().rposition(|open| open.name == Name::html(Tag::TABLE))
        else {
            return (self.stack.first().map_or(DOCUMENT, |root| root.node), NONE);
        };
        let table = self.stack[index].node;
        match self.tree.node(table).parent {
            NONE => (self.stack[index.saturating_sub(1)].node, NONE),
            parent => (parent, table),
        }
    }

    /// Inserts an element and leaves it open.
    pub(super) fn insert(&mut self, token: &TagToken) -> Result<u32, FallbackReason> {
        let name = Name::html(token.tag);
        let node = self.insert_named(name, token.attrs, token.hidden)?;
        self.push(node, name);
        Ok(node)
    }

    /// Inserts an element and closes it at once.
    pub(super) fn insert_void(&mut self, token: &TagToken) -> Result<u32, FallbackReason> {
        self.insert_named(Name::html(token.tag), token.attrs, token.hidden)
    }

    pub(super) fn insert_implied(&mut self, tag: Tag) -> Result<u32, FallbackReason> {
        let name = Name::html(tag);
        let node = self.insert_named(name, (0, 0), false)?;
        self.push(node, name);
        Ok(node)
    }

    pub(super) fn insert_named(
        &mut self,
        name: Name,
        attrs: (u32, u32),
        hidden: bool,
    ) -> Result<u32, FallbackReason> {
        self.note_event(self.at)?;
        let (parent, before) = self.insertion_point(self.current());
        if before == NONE {
            return Ok(self.tree.append_new(parent, name, attrs.0, attrs.1, hidden));
        }
        let node = self.tree.create(name, attrs.0, attrs.1, hidden);
        self.tree.link(parent, before, node);
        Ok(node)
    }

    pub(super) fn append_text(&mut self, start: usize, end: usize) -> Result<(), FallbackReason> {
        self.note_text_event(start, end)?;
        let (parent, before) = self.insertion_point(self.current());
        let (start, end) = (start as u32, end as u32);
        let neighbour = self.tree.previous(parent, before);
        if neighbour != NONE {
            let node = self.tree.node_mut(neighbour);
            if node.name == Name::TEXT && node.end == start && !node.flag {
                node.end = end;
                return Ok(());
            }
        }
        if before == NONE {
            self.tree.append_new(parent, Name::TEXT, start, end, false);
            return Ok(());
        }
        let node = self.tree.create(Name::TEXT, start, end, false);
        self.tree.link(parent, before, node);
        Ok(())
    }

    /// Adds the attributes of a second `<html>` or `<body>` that the first does not have.
    pub(super) fn add_attributes(
        &mut self,
        node: u32,
        attrs: (u32, u32),
    ) -> Result<(), FallbackReason> {
        let (start, end) = (self.tree.node(node).start as usize, self.tree.node(node).end as usize);
        let (new_start, new_end) = (attrs.0 as usize, attrs.1 as usize);
        let arena = &mut self.writer.arena;
        let is_new = |own: &[Attr], name: u32| own.iter().all(|old| old.name != name);
        if !arena.attrs[new_start..new_end]
            .iter()
            .any(|attr| is_new(&arena.attrs[start..end], attr.name))
        {
            return Ok(());
        }
        // Each such tag copies all attributes, so the cost is quadratic in their number.
        self.attribute_merges += 1;
        let first = arena.attrs.len();
        arena.attrs.extend_from_within(start..end);
        for index in new_start..new_end {
            let attr = arena.attrs[index];
            if is_new(&arena.attrs[first..], attr.name) {
                arena.attrs.push(attr);
            }
        }
        let end = arena.attrs.len();
        if end - first > self.limits.attributes || self.attribute_merges > MAX_MERGES {
            return Err(FallbackReason::Limit);
        }
        let node = self.tree.node_mut(node);
        (node.start, node.end) = (first as u32, end as u32);
        Ok(())
    }
}
