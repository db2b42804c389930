//! Formatting elements such as `<b>`, which pages open and close in any order.

use super::name::{Name, Sets};
use super::parser::{FastParser, Formatting, TagToken};
use super::raw::NONE;
use crate::fallback::FallbackReason;
use crate::tag::Tag;

/// Maximum number of attributes of a formatting element. Attributes of formatting elements are
/// compared with each other, which is quadratic in their number.
const MAX_COMPARED: u32 = 64;

impl FastParser<'_> {
    fn is_marker_or_open(&self, entry: &Formatting) -> bool {
        entry.is_marker() || self.tree.node(entry.node).is_open
    }

    /// Reopens the formatting elements that were closed with an element around them.
    #[inline]
    pub(super) fn reconstruct(&mut self) -> Result<(), FallbackReason> {
        match self.formatting.last() {
            Some(last) if !self.is_marker_or_open(last) => self.reconstruct_closed(),
            _ => Ok(()),
        }
    }

    fn reconstruct_closed(&mut self) -> Result<(), FallbackReason> {
        let open = self.formatting.iter().rposition(|entry| self.is_marker_or_open(entry));
        for index in open.map_or(0, |index| index + 1)..self.formatting.len() {
            let entry = self.formatting[index];
            self.formatting[index].node = self.insert_again(&entry)?;
        }
        Ok(())
    }

    fn insert_again(&mut self, entry: &Formatting) -> Result<u32, FallbackReason> {
        let name = Name::html(entry.tag);
        let node = self.insert_named(name, entry.attrs, entry.hidden)?;
        self.push(node, name);
        Ok(node)
    }

    pub(super) fn insert_formatting(&mut self, token: &TagToken) -> Result<(), FallbackReason> {
        if token.attrs.1 - token.attrs.0 > MAX_COMPARED {
            return Err(FallbackReason::Limit);
        }
        self.forget_fourth_copy(token);
        let node = self.insert(token)?;
        let TagToken { tag, attrs, hidden, .. } = *token;
        self.formatting.push(Formatting { node, tag, attrs, hidden });
        Ok(())
    }

    /// Keeps at most three equal formatting elements since the last marker.
    fn forget_fourth_copy(&mut self, token: &TagToken) {
        let mut copies = 0;
        let mut earliest = 0;
        for (index, entry) in self.formatting.iter().enumerate().rev() {
            if entry.is_marker() {
                break;
            }
            if entry.tag == token.tag && self.has_same_attributes(entry.attrs, token.attrs) {
                copies += 1;
                earliest = index;
            }
        }
        if copies >= 3 {
            self.formatting.remove(earliest);
        }
    }

    /// Whether two tags have the same attributes, in any order.
    fn has_same_attributes(&self, one: (u32, u32), other: (u32, u32)) -> bool {
        let arena = &self.writer.arena;
        let one = &arena.attrs[one.0 as usize..one.1 as usize];
        let other = &arena.attrs[other.0 as usize..other.1 as usize];
        one.len() == other.len()
            && one.iter().zip(other).all(|(a, beside)| {
                let same_name = if a.name == beside.name {
                    Some(beside)
                } else {
                    other.iter().find(|b| b.name == a.name)
                };
                same_name.is_some_and(|b| arena.attribute(a).1 == arena.attribute(b).1)
            })
    }

    pub(super) fn clear_formatting_to_marker(&mut self) {
        while let Some(entry) = self.formatting.pop()
            && !entry.is_marker()
        {}
    }

    /// Ends the outer link at a link inside a link.
    pub(super) fn close_misnested_a(&mut self) -> Result<(), FallbackReason> {
        let entries = self.formatting.iter().rev().take_while(|entry| !entry.is_marker());
        let Some(node) = entries.clone().find(|entry| entry.tag == Tag::A).map(|entry| entry.node)
        else {
            return Ok(());
        };
        self.adoption_agency(Tag::A)?;
        self.formatting.retain(|entry| entry.node != node);
        self.remove_from_stack(node);
        Ok(())
    }

    fn formatting_index(&self, node: u32) -> Option<usize> {
        self.formatting.iter().position(|entry| entry.node == node)
    }

    /// The adoption agency algorithm (13.2.6.4.7), for the end tag of a formatting element.
    pub(super) fn adoption_agency(&mut self, subject: Tag) -> Result<(), FallbackReason> {
        let current = self.current();
        if current.name == Name::html(subject) {
            // Nearly always it is the end tag of the element opened last.
            match self.formatting.last() {
                Some(last) if last.node == current.node => {
                    self.formatting.pop();
                    self.pop();
                    return Ok(());
                }
                _ if self.formatting_index(current.node).is_none() => {
                    self.pop();
                    return Ok(());
                }
                _ => {}
            }
        }
        for _ in 0..8 {
            if !self.adopt(subject)? {
                break;
            }
        }
        Ok(())
    }

    /// One round of the algorithm; returns false when there is nothing left to do.
    fn adopt(&mut self, subject: Tag) -> Result<bool, FallbackReason> {
        let found =
            self.formatting.iter().rposition(|entry| entry.is_marker() || entry.tag == subject);
        let Some(index) = found.filter(|&index| !self.formatting[index].is_marker()) else {
            self.any_other_end(subject);
            return Ok(false);
        };
        let entry = self.formatting[index];
        let Some(position) = self.stack.iter().rposition(|open| open.node == entry.node) else {
            self.formatting.remove(index);
            return Ok(false);
        };
        if !self.is_node_in_scope(entry.node) {
            return Ok(false);
        }
        let block =
            self.stack[position..].iter().position(|open| open.sets.intersects(Sets::SPECIAL));
        let Some(block) = block.map(|offset| position + offset) else {
            self.truncate(position);
            self.formatting.remove(index);
            return Ok(false);
        };
        self.move_block_out(entry, position, block)?;
        Ok(true)
    }

    /// Moves the block out of the formatting element, and a copy of that element into the block.
    /// `position` and `block` are indices into the stack.
    fn move_block_out(
        &mut self,
        entry: Formatting,
        position: usize,
        block: usize,
    ) -> Result<(), FallbackReason> {
        let common_ancestor = self.stack[position - 1];
        let furthest = self.stack[block];
        let (last, bookmark) = self.copy_between(entry.node, furthest.node, block)?;
        self.tree.unlink(last);
        let (parent, before) = self.insertion_point(common_ancestor);
        self.tree.link(parent, before, last);

        let copy = self.copy(&entry)?;
        self.tree.move_children(furthest.node, copy);
        self.tree.link(furthest.node, NONE, copy);

        let new_entry = Formatting { node: copy, ..entry };
        match bookmark {
            None => {
                if let Some(index) = self.formatting_index(entry.node) {
                    self.formatting[index] = new_entry;
                }
            }
            Some(after) => {
                if let Some(index) = self.formatting_index(after) {
                    self.formatting.insert(index + 1, new_entry);
                }
                self.formatting.retain(|old| old.node != entry.node);
            }
        }
        self.remove_from_stack(entry.node);
        let below = self
            .stack
            .iter()
            .position(|open| open.node == furthest.node)
            .map_or(self.stack.len(), |at| at + 1);
        self.push(copy, Name::html(entry.tag));
        self.stack[below..].rotate_right(1);
        Ok(())
    }

    /// Replaces the elements between the formatting element and the block with copies, nested in
    /// each other, with the block in the innermost. Returns the outermost copy, and the copy after
    /// which the new entry goes.
    fn copy_between(
        &mut self,
        element: u32,
        block: u32,
        index: usize,
    ) -> Result<(u32, Option<u32>), FallbackReason> {
        let mut last = block;
        let mut bookmark = None;
        let mut index = index;
        let mut rounds = 0;
        loop {
            rounds += 1;
            index -= 1;
            let node = self.stack[index].node;
            if node == element {
                return Ok((last, bookmark));
            }
            let listed = self.formatting_index(node);
            if rounds > 3 {
                if let Some(listed) = listed {
                    self.formatting.remove(listed);
                }
                self.remove_at(index);
                continue;
            }
            let Some(listed) = listed else {
                self.remove_at(index);
                continue;
            };
            let entry = self.formatting[listed];
            let copy = self.copy(&entry)?;
            self.formatting[listed].node = copy;
            self.tree.node_mut(node).is_open = false;
            self.tree.node_mut(copy).is_open = true;
            self.stack[index].node = copy;
            if last == block {
                bookmark = Some(copy);
            }
            self.tree.unlink(last);
            self.tree.link(copy, NONE, last);
            last = copy;
        }
    }

    /// A copy of a formatting element that is not in the tree yet.
    fn copy(&mut self, entry: &Formatting) -> Result<u32, FallbackReason> {
        self.note_event(self.at)?;
        Ok(self.tree.create(Name::html(entry.tag), entry.attrs.0, entry.attrs.1, entry.hidden))
    }
}
