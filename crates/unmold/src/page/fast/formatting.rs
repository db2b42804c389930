//! Formatting elements: `<b>` and its like, which pages open and close in any order.

use super::name::{Name, Sets};
use super::raw::NONE;
use super::{Formatting, HandOver, Parser, TagToken};
use crate::page::tag::Tag;

/// Attributes of all formatting elements are compared with each other: no page needs more than
/// this.
const MOST_COMPARED: u32 = 64;

impl Parser<'_> {
    fn is_marker_or_open(&self, entry: &Formatting) -> bool {
        entry.is_marker() || self.tree.node(entry.node).is_open
    }

    /// Opens again the formatting elements that were closed with an element around them.
    #[inline]
    pub(super) fn reconstruct(&mut self) -> Result<(), HandOver> {
        match self.formatting.last() {
            Some(last) if !self.is_marker_or_open(last) => self.reconstruct_closed(),
            _ => Ok(()),
        }
    }

    fn reconstruct_closed(&mut self) -> Result<(), HandOver> {
        let open = self.formatting.iter().rposition(|entry| self.is_marker_or_open(entry));
        for index in open.map_or(0, |index| index + 1)..self.formatting.len() {
            let entry = self.formatting[index];
            self.formatting[index].node = self.insert_again(&entry)?;
        }
        Ok(())
    }

    fn insert_again(&mut self, entry: &Formatting) -> Result<u32, HandOver> {
        let name = Name::html(entry.tag);
        let node = self.insert_named(name, entry.attrs, entry.hidden)?;
        self.push(node, name);
        Ok(node)
    }

    pub(super) fn insert_formatting(&mut self, token: &TagToken) -> Result<(), HandOver> {
        if token.attrs.1 - token.attrs.0 > MOST_COMPARED {
            return Err(HandOver::Limit);
        }
        self.forget_fourth_copy(token);
        let node = self.insert(token)?;
        let TagToken { tag, attrs, hidden, .. } = *token;
        self.formatting.push(Formatting { node, tag, attrs, hidden });
        Ok(())
    }

    /// At most three equal formatting elements are kept since the last marker.
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

    /// Whether two tags have the same attributes in any order.
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

    /// A link inside a link ends the outer one.
    pub(super) fn close_misnested_a(&mut self) -> Result<(), HandOver> {
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

    /// 13.2.6.4.7: an end tag of a formatting element, however it is nested.
    pub(super) fn adoption_agency(&mut self, subject: Tag) -> Result<(), HandOver> {
        let current = self.current();
        if current.name == Name::html(subject) {
            // The end tag of the element opened last: no need to look any further.
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

    /// One round of the algorithm; false when there is nothing left to do.
    fn adopt(&mut self, subject: Tag) -> Result<bool, HandOver> {
        let found =
            self.formatting.iter().rposition(|entry| entry.is_marker() || entry.tag == subject);
        let Some(index) = found.filter(|&index| !self.formatting[index].is_marker()) else {
            self.any_other_end(subject);
            return Ok(false);
        };
        let entry = self.formatting[index];
        let Some(place) = self.stack.iter().rposition(|open| open.node == entry.node) else {
            self.formatting.remove(index);
            return Ok(false);
        };
        if !self.is_node_in_scope(entry.node) {
            return Ok(false);
        }
        let block = self.stack[place..].iter().position(|open| open.sets.meets(Sets::SPECIAL));
        let Some(block) = block.map(|offset| place + offset) else {
            self.truncate(place);
            self.formatting.remove(index);
            return Ok(false);
        };
        self.move_block_out(entry, place, block)?;
        Ok(true)
    }

    /// Takes the block at `block` of the stack out of the formatting element at `place`, and puts a
    /// copy of the element into the block.
    fn move_block_out(
        &mut self,
        entry: Formatting,
        place: usize,
        block: usize,
    ) -> Result<(), HandOver> {
        let common_ancestor = self.stack[place - 1];
        let furthest = self.stack[block];
        let (last, bookmark) = self.copy_between(entry.node, furthest.node, block)?;
        self.tree.unlink(last);
        let (parent, before) = self.place(common_ancestor);
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

    /// Replaces the elements between the formatting element and the block by copies, one inside the
    /// other, the block in the innermost. Returns the outermost, and the copy after which the new
    /// entry belongs.
    fn copy_between(
        &mut self,
        element: u32,
        block: u32,
        index: usize,
    ) -> Result<(u32, Option<u32>), HandOver> {
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

    /// A copy of a formatting element, not yet anywhere in the tree.
    fn copy(&mut self, entry: &Formatting) -> Result<u32, HandOver> {
        self.heard(self.at)?;
        Ok(self.tree.create(Name::html(entry.tag), entry.attrs.0, entry.attrs.1, entry.hidden))
    }
}
