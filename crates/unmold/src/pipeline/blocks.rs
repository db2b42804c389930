//! Cuts a page into blocks: the text between two borders of block-level elements, shown as one
//! line.

use std::ops::Range;

use unmold_html::hash::KeyedMap;
use xxhash_rust::xxh3::xxh3_64;

use super::names::Names;
use super::roles::Roles;
use crate::page::{Flow, NodeId, NodeRange, Page, Tag, number_of_words};

/// One block of a page with what can be counted in it.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// From its first to its last text.
    pub nodes: NodeRange,
    /// The innermost block-level element around it.
    pub holder: NodeId,
    /// Number of words. Scripts without spaces count two characters as a word.
    pub words: f32,
    /// Words inside links.
    pub link_words: f32,
    /// Number of links that begin in it.
    pub links: u32,
    /// Hash of its text; those of several texts are mixed.
    pub key: u64,
    /// Hash of names, ids and classes from the body to its holder.
    pub path: u64,
    /// Path of the block-level element around its holder.
    pub outer: u64,
    /// Hash of the names only.
    pub trail: u64,
    /// The trail with ids and classes of the holder and its parent: where the path is the page's
    /// own, since an element further up has the subjects of the page as classes, this is not.
    pub corner: u64,
    /// Hash of names and positions among siblings of the same name: its position on the page.
    pub slot: u64,
    /// Hash of the target of its first link; 0 without one.
    pub target: u64,
    /// The link with that target.
    pub first_link: Option<NodeId>,
    /// What the names of the elements around it say.
    pub roles: Roles,
    /// Levels up to the nearest element with a role that contents have, and with one that they do
    /// not have; [`NO_ROLE`] without one.
    pub role_levels: [u8; 2],
    /// Images before it.
    pub images: u32,
    /// The innermost of [`Blocks::elements`] around it.
    pub element: u32,
    /// Where its texts are in [`Blocks::texts`].
    texts: Range<u32>,
}

/// More levels than are counted.
pub(super) const NO_ROLE: u8 = 30;

/// A block-level element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub id: NodeId,
    /// The next one around it; itself for the outermost.
    pub parent: u32,
    /// Hash of its name, id and classes.
    pub shape: u64,
}

/// One text of a block of several.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    pub id: NodeId,
    /// Hash of its bytes.
    pub key: u64,
    pub words: f32,
}

/// A page cut into blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    pub list: Vec<Block>,
    /// Number of blocks that begin before each node; one more entry than there are nodes.
    pub before: Vec<u32>,
    /// The block-level elements, in document order.
    pub elements: Vec<Element>,
    /// Images of the page.
    pub images: u32,
    /// Texts of the blocks that have several.
    texts: Vec<Text>,
}

impl Blocks {
    /// The blocks inside the subtree of `id`.
    pub fn within(&self, page: &Page, id: NodeId) -> Range<usize> {
        let subtree = page.subtree(id);
        self.before[subtree.start.index()] as usize..self.before[subtree.end.index()] as usize
    }

    /// The texts of a block, if it has several.
    pub fn texts_of(&self, block: &Block) -> &[Text] {
        &self.texts[block.texts.start as usize..block.texts.end as usize]
    }

    /// The elements around a block from the innermost on, without the body.
    pub fn around(&self, block: &Block) -> impl Iterator<Item = usize> + use<'_> {
        let up = |&at: &usize| Some(self.elements[at].parent as usize);
        let first = Some(block.element as usize);
        std::iter::successors(first, up).take_while(|&at| at != 0)
    }

    pub fn of(page: &Page, names: &Names) -> Blocks {
        let mut cutter = Cutter::new(page, names);
        for id in page.body() {
            cutter.enter(id);
        }
        cutter.cut();
        let Cutter { list, texts, elements, images, .. } = cutter;
        let mut before = Vec::with_capacity(page.len() as usize + 1);
        let mut next = 0;
        for position in 0..=page.len() {
            while next < list.len() && list[next].nodes.start.position() < position {
                next += 1;
            }
            before.push(next as u32);
        }
        Blocks { list, before, elements, images, texts }
    }
}

/// Where the walk is, and the block it is in.
struct Cutter<'a> {
    page: &'a Page,
    names: &'a Names,
    open: Vec<Open>,
    list: Vec<Block>,
    texts: Vec<Text>,
    current: Option<Block>,
    /// The values of `class` and `id` seen last with what they are in a path, by hash: most come
    /// many times.
    values: [(u64, u64, Roles); VALUES],
    elements: Vec<Element>,
    images: u32,
    /// Children of each name that each open element has had so far, those of the innermost last.
    siblings: Vec<(Tag, u64)>,
    /// The same for names beyond the first [`FEW_NAMES`] of an element, by its node.
    more_siblings: KeyedMap<(NodeId, Tag), u64>,
}

/// Names among the children of an element that are searched one by one.
const FEW_NAMES: usize = 64;

struct Open {
    id: NodeId,
    end: NodeId,
    /// Hash of its id and classes.
    names: u64,
    path: u64,
    trail: u64,
    corner: u64,
    slot: u64,
    block: bool,
    /// The link it is or is inside of.
    link: Option<NodeId>,
    roles: Roles,
    role_levels: [u8; 2],
    element: u32,
    /// Where its children begin among the siblings.
    children: usize,
    /// Lines of text in it so far.
    lines: u64,
}

impl<'a> Cutter<'a> {
    fn new(page: &'a Page, names: &'a Names) -> Cutter<'a> {
        Cutter {
            page,
            names,
            open: Vec::new(),
            list: Vec::new(),
            texts: Vec::new(),
            current: None,
            values: [(0, 0, Roles::default()); VALUES],
            elements: Vec::new(),
            images: 0,
            siblings: Vec::new(),
            more_siblings: KeyedMap::default(),
        }
    }

    fn enter(&mut self, id: NodeId) {
        let mut cut = false;
        while let Some(top) = self.open.last().filter(|open| open.end <= id) {
            cut |= top.block;
            self.siblings.truncate(top.children);
            self.open.pop();
        }
        if self.page.is_text(id) {
            if cut {
                self.cut();
            }
            self.add_text(id);
            return;
        }
        let tag = self.page.tag(id);
        let block = tag.flow() == Flow::Block;
        if cut || block {
            self.cut();
        }
        let name = self.page.tag_hash(id);
        let (above, path, trail) =
            self.open.last().map_or((0, 0, 0), |open| (open.names, open.path, open.trail));
        // The body's classes say which page it is, not where on the page we are.
        let (names, own_roles) =
            if self.open.is_empty() { (0, Roles::default()) } else { self.names_of(id) };
        let (path, trail) = (mix(path.wrapping_add(names), name), mix(trail, name));
        let corner = mix(trail ^ names, above);
        let slot = self.slot(tag, name);
        let link =
            if tag == Tag::A { Some(id) } else { self.open.last().and_then(|open| open.link) };
        let (end, children) = (self.page.subtree(id).end, self.siblings.len());
        self.images += u32::from(tag == Tag::IMG);
        let own_roles = own_roles.with(Roles::of_tag(tag));
        let (roles, levels, above_element) =
            self.open.last().map_or((Roles::default(), [NO_ROLE; 2], 0), |open| {
                (open.roles, open.role_levels, open.element)
            });
        let level =
            |has: bool, above: u8| if has { 0 } else { above.saturating_add(1).min(NO_ROLE) };
        let role_levels =
            [level(own_roles.is_inside(), levels[0]), level(own_roles.is_outside(), levels[1])];
        let roles = roles.with(own_roles);
        let mut element = above_element;
        if block || self.open.is_empty() {
            element = self.elements.len() as u32;
            let parent = if self.open.is_empty() { element } else { above_element };
            self.elements.push(Element { id, parent, shape: mix(names, name) });
        }
        self.open.push(Open {
            id,
            end,
            names,
            path,
            trail,
            corner,
            slot,
            block,
            link,
            roles,
            role_levels,
            element,
            children,
            lines: 0,
        });
    }

    fn slot(&mut self, tag: Tag, name: u64) -> u64 {
        let (children, above) = self.open.last().map_or((0, 0), |open| (open.children, open.slot));
        let few = &mut self.siblings[children..];
        let has_room = few.len() < FEW_NAMES;
        let number = match few.iter_mut().find(|(name, _)| *name == tag) {
            Some((_, number)) => {
                *number += 1;
                *number
            }
            None if has_room => {
                self.siblings.push((tag, 1));
                1
            }
            None => {
                let parent = self.open.last().map_or(NodeId::ROOT, |open| open.id);
                let number = self.more_siblings.entry((parent, tag)).or_default();
                *number += 1;
                *number
            }
        };
        mix(above.wrapping_mul(31).wrapping_add(number), name)
    }

    /// Hash of the words of id and class that count, in any order, and the roles they name.
    fn names_of(&mut self, id: NodeId) -> (u64, Roles) {
        let (mut sum, mut roles) = (0u64, Roles::default());
        for value in self.page.class_and_id(id) {
            let hash = xxh3_64(value.as_bytes());
            let seen = &mut self.values[hash as usize % VALUES];
            if seen.0 != hash {
                *seen = (hash, self.names.of(value), Roles::of_name(value));
            }
            sum = sum.wrapping_add(seen.1);
            roles = roles.with(seen.2);
        }
        (sum, roles)
    }

    fn add_text(&mut self, id: NodeId) {
        let Some(link) = self.open.last().map(|open| open.link) else { return };
        let block = match &mut self.current {
            Some(block) => block,
            None => {
                let holder = self.open.iter().rposition(|open| open.block).unwrap_or(0);
                self.open[holder].lines += 1;
                let outer = self.open[..holder]
                    .iter()
                    .rev()
                    .find(|open| open.block)
                    .map_or(0, |open| open.path);
                let mut block = Block::at(id, &self.open[holder], outer, self.texts.len());
                block.images = self.images;
                self.current.insert(block)
            }
        };
        let text = self.page.text(id);
        let (key, words) = (xxh3_64(text.as_bytes()), number_of_words(text));
        block.key = if block.nodes.is_empty() { key } else { mix(block.key, key) };
        block.words += words;
        if let Some(link) = link {
            block.link_words += words;
            block.add_link(self.page, link);
        }
        self.texts.push(Text { id, key, words });
        block.nodes.end = id.next();
    }

    fn cut(&mut self) {
        let Some(mut block) = self.current.take() else { return };
        let first = block.texts.start as usize;
        if self.texts.len() == first + 1 {
            self.texts.truncate(first);
        }
        block.texts.end = self.texts.len() as u32;
        self.list.push(block);
    }
}

/// How many values are remembered.
const VALUES: usize = 64;

impl Block {
    fn at(id: NodeId, holder: &Open, outer: u64, first_text: usize) -> Block {
        Block {
            nodes: NodeRange::new(id, id),
            holder: holder.id,
            words: 0.0,
            link_words: 0.0,
            links: 0,
            key: 0,
            path: holder.path,
            outer,
            trail: holder.trail,
            corner: holder.corner,
            slot: holder.slot.rotate_left(7).wrapping_add(holder.lines),
            target: 0,
            first_link: None,
            roles: holder.roles,
            role_levels: holder.role_levels,
            images: 0,
            element: holder.element,
            texts: first_text as u32..first_text as u32,
        }
    }

    fn add_link(&mut self, page: &Page, link: NodeId) {
        self.links += 1;
        if self.target == 0
            && let Some(target) = page.attribute(link, "href")
        {
            self.target = xxh3_64(target.as_bytes()) | 1;
            self.first_link = Some(link);
        }
    }

    /// The nodes of its texts.
    pub fn text_nodes<'a>(&self, page: &'a Page) -> impl Iterator<Item = NodeId> + use<'a> {
        self.nodes.clone().filter(|&id| page.is_text(id))
    }

    pub fn link_density(&self) -> f32 {
        self.link_words / self.words.max(0.5)
    }
}

/// One hash of two.
pub(super) fn mix(above: u64, name: u64) -> u64 {
    let mixed = (above ^ name.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Limits;

    #[test]
    fn slots_count_siblings_of_a_name_and_lines() {
        let html = "<ul><li>a<li>b</ul><p>c<p>d<div>e<p>f</p>g<p>h</p></div>";
        let page = Page::parse(html.as_bytes(), &Limits::default());
        let slots: Vec<u64> =
            Blocks::of(&page, &Names::default()).list.iter().map(|b| b.slot).collect();
        let mut different = slots.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!((slots.len(), different.len()), (8, 8));
    }
}
