//! The names under which labels are kept and found again: where a block stands, and what it says.
//!
//! Labels say something about a block, and so about other blocks at the same place. How far "the
//! same place" reaches is not known beforehand: on one site all of an element is content, on
//! another only its second table row. So each block has a chain of places, from the body down to
//! the element that holds it, by names and classes and again by positions, and some keys of its
//! own.

use unmold_html::hash::{KeyedMap, map_with_room};

use crate::pipeline::Seen;

/// The places and blocks of a page.
pub(crate) struct Keys {
    /// The block-level elements, in document order; parents come first.
    pub elements: Vec<ElementKeys>,
    pub blocks: Vec<BlockKeys>,
}

pub(crate) struct ElementKeys {
    pub parent: u32,
    /// Names, ids and classes from the body down.
    pub path: u64,
    /// The same with positions among siblings of the same shape.
    pub slot: u64,
}

pub(crate) struct BlockKeys {
    pub element: u32,
    pub words: f32,
    /// One for each of [`OWN`]; 0 for none. A text of this page alone is no key: it is on no other.
    pub own: [u64; OWN],
}

/// Keys of a block besides its chains: its text at its path, its text anywhere, its kind at its
/// path, its path after the common text before, its position, its path under its heading.
pub(crate) const OWN: usize = 6;

impl Keys {
    pub fn of(seen: &Seen) -> Keys {
        let elements = elements(seen);
        let (mut common, mut heading) = (0u64, 0u64);
        let block = |block: crate::pipeline::SeenBlock| {
            let path = elements[block.element as usize].path;
            let repeated = seen.is_repeated(block.text);
            if seen.is_heading(&block) {
                heading = if repeated { block.text } else { 0 };
            }
            let length = [4.0, 15.0].iter().filter(|&&min| block.words >= min).count() as u64;
            let linked = u64::from(block.link_words * 2.0 > block.words);
            let kind = length * 4 + linked * 2 + u64::from(repeated);
            let known =
                |holds: bool, sort: u64, key: u64| if holds { tagged(sort, key) } else { 0 };
            let own = [
                known(repeated, 3, mix(path, block.text)),
                known(repeated, 4, block.text),
                tagged(5, mix(path, kind)),
                known(common != 0, 6, mix(path, common)),
                tagged(7, block.slot),
                known(heading != 0, 8, mix(path, heading)),
            ];
            if repeated && seen.is_common(block.text) {
                common = block.text;
            }
            BlockKeys { element: block.element, words: block.words, own }
        };
        let blocks = seen.blocks().map(block).collect();
        Keys { elements, blocks }
    }
}

fn elements(seen: &Seen) -> Vec<ElementKeys> {
    let all = seen.elements();
    let mut siblings: KeyedMap<u64, u64> = map_with_room(all.len());
    let mut elements: Vec<ElementKeys> = Vec::with_capacity(all.len());
    for (at, (parent, shape)) in all.enumerate() {
        let (path, slot) = match elements.get(parent as usize) {
            Some(above) if at > 0 => (above.path, above.slot),
            _ => (0, 0),
        };
        let number = siblings.entry(mix(slot, shape)).or_default();
        *number += 1;
        let (path, slot) = (mix(path, shape), mix(mix(slot, shape), *number));
        elements.push(ElementKeys { parent, path: tagged(1, path), slot: tagged(2, slot) });
    }
    elements
}

/// One hash of two.
fn mix(above: u64, name: u64) -> u64 {
    let mixed = (above ^ name.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

/// So that one map holds keys of all sorts.
fn tagged(sort: u64, key: u64) -> u64 {
    (key ^ sort).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
