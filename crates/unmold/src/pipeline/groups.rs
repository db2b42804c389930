//! Repeated parts of a page: rows of a table, cards of a list, posts of a thread.
//!
//! Siblings with the same name, id and classes that hold text form a group if there are at least
//! three. time: linear in the number of block-level elements.

use unmold_html::hash::KeyedMap;

use super::blocks::{Block, Blocks, mix};
use super::features::{Sums, between};
use crate::page::Page;

/// The groups of a page, and the innermost and outermost that each element is in.
pub(super) struct Groups {
    list: Vec<Group>,
    /// For each element the innermost and the outermost member of a group around it, or itself.
    around: Vec<[Option<Member>; 2]>,
    /// The group with the most words of the page's own.
    largest: Option<u32>,
}

#[derive(Clone, Copy)]
struct Member {
    group: u32,
    /// Number among the members.
    number: u32,
    /// Blocks before its first, and in it.
    first: u32,
    blocks: u32,
}

/// Sums over the members.
#[derive(Clone, Copy, Default)]
struct Group {
    members: u32,
    words: f32,
    link_words: f32,
    repeated: f32,
    own: f32,
    blocks: u32,
    linked: u32,
    images: u32,
}

/// Fewer siblings are no group.
const MIN_MEMBERS: u32 = 3;

impl Groups {
    pub fn of(page: &Page, blocks: &Blocks, sums: &Sums) -> Groups {
        let elements = &blocks.elements;
        let mut counts: KeyedMap<u64, u32> = KeyedMap::default();
        let key = |at: usize| mix(elements[at].shape, elements[at].parent.into());
        let ranges: Vec<_> =
            elements.iter().map(|element| blocks.within(page, element.id)).collect();
        for (at, _) in ranges.iter().enumerate().skip(1).filter(|(_, range)| !range.is_empty()) {
            *counts.entry(key(at)).or_default() += 1;
        }
        counts.retain(|_, count| *count >= MIN_MEMBERS);
        let mut groups = Groups { list: Vec::new(), around: Vec::new(), largest: None };
        let mut numbers: KeyedMap<u64, u32> = KeyedMap::default();
        let images = |at: usize| blocks.list.get(at).map_or(blocks.images, |block| block.images);
        for (at, range) in ranges.iter().enumerate() {
            let mut around =
                if at == 0 { [None; 2] } else { groups.around[elements[at].parent as usize] };
            if at > 0 && !range.is_empty() && counts.contains_key(&key(at)) {
                let number = *numbers.entry(key(at)).or_insert(groups.list.len() as u32);
                if number as usize == groups.list.len() {
                    groups.list.push(Group::default());
                }
                let group = &mut groups.list[number as usize];
                let member = Member {
                    group: number,
                    number: group.members,
                    first: range.start as u32,
                    blocks: range.len() as u32,
                };
                let link_words = between(&sums.link_words, range);
                group.members += 1;
                group.words += between(&sums.words, range);
                group.link_words += link_words;
                group.repeated += between(&sums.repeated, range);
                group.own += between(&sums.own, range);
                group.blocks += range.len() as u32;
                group.linked += u32::from(link_words > 0.0);
                group.images += images(range.end) - images(range.start);
                around = [Some(member), around[1].or(Some(member))];
            }
            groups.around.push(around);
        }
        groups.largest = (0..groups.list.len() as u32).reduce(|best, at| {
            let own = |at: u32| groups.list[at as usize].own;
            if own(at) > own(best) { at } else { best }
        });
        groups
    }

    /// Words, share of linked and images of the members of the innermost group around a block.
    pub fn around(&self, block: &Block) -> Option<[f32; 3]> {
        let [inner, _] = self.around[block.element as usize];
        let group = self.list[inner?.group as usize];
        let members = group.members as f32;
        Some([group.words, group.linked as f32, group.images as f32].map(|sum| sum / members))
    }

    /// Words of the page's own in the largest group, and the number of groups.
    pub fn summary(&self) -> (f32, usize) {
        let largest = self.largest.map(|at| self.list[at as usize]).unwrap_or_default();
        (largest.own, self.list.len())
    }

    /// Appends what the groups around a block say about it.
    pub fn write(&self, at: usize, block: &Block, sums: &Sums, row: &mut Vec<f32>) {
        let own = sums.own.last().copied().unwrap_or(0.0).max(1.0);
        let [inner, outer] = self.around[block.element as usize];
        match inner.map(|member| (member, self.list[member.group as usize])) {
            Some((member, group)) => {
                let members = group.members as f32;
                let range = member.first as usize..(member.first + member.blocks) as usize;
                row.extend([
                    members,
                    group.words / members,
                    group.link_words / group.words.max(1.0),
                    group.repeated / group.words.max(1.0),
                    group.own / own,
                    group.blocks as f32 / members,
                    between(&sums.words, &range) * members / group.words.max(1.0),
                    (at - member.first as usize) as f32,
                    group.linked as f32 / members,
                    member.number as f32 / members,
                    group.images as f32 / members,
                ]);
            }
            None => row.extend([0.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]),
        }
        match outer.map(|member| self.list[member.group as usize]) {
            Some(group) => row.extend([
                group.members as f32,
                group.words / group.members as f32,
                group.link_words / group.words.max(1.0),
                group.own / own,
            ]),
            None => row.extend([0.0, -1.0, -1.0, -1.0]),
        }
        let largest = self.largest.map(|at| self.list[at as usize]).unwrap_or_default();
        let is_in = |member: Option<Member>| member.is_some_and(|m| Some(m.group) == self.largest);
        row.extend([
            f32::from(u8::from(is_in(inner) || is_in(outer))),
            largest.own / own,
            self.list.len() as f32,
        ]);
    }
}
