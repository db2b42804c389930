//! The pages of a kind, prepared for counting: keys and texts are numbers.

use unmold_html::hash::{KeyedMap, KeyedSet};
use xxhash_rust::xxh3::Xxh3;

use super::view::{self, LayoutNames, has_word, inline_label};
use crate::page::{NodeId, Page};

/// Most texts of a subtree that are looked at.
const MAX_LEAVES: usize = 400;

/// Strings as numbers, in order of appearance.
#[derive(Default)]
pub(super) struct Strings {
    numbers: KeyedMap<String, u32>,
    strings: Vec<String>,
}

impl Strings {
    pub fn number(&mut self, string: &str) -> u32 {
        if let Some(&number) = self.numbers.get(string) {
            return number;
        }
        let number = self.strings.len() as u32;
        self.numbers.insert(string.to_owned(), number);
        self.strings.push(string.to_owned());
        number
    }

    pub fn get(&self, number: u32) -> &str {
        &self.strings[number as usize]
    }
}

/// A text of a page, or one half of a text with label and value.
#[derive(Clone, Copy)]
pub(super) struct Leaf {
    pub node: u32,
    pub parent_key: u32,
    pub depth: u32,
    pub text: u32,
    /// The value of an inline label.
    pub is_value: bool,
}

/// The label and the value in one text.
#[derive(Clone, Copy)]
pub(super) struct Split {
    /// Number of the label, with a colon.
    pub label: u32,
    /// Byte at which the value starts.
    pub start: u32,
}

/// One page.
pub(super) struct View<'a> {
    pub page: &'a Page,
    /// Key of each node.
    pub keys: Vec<u32>,
    kid_starts: Vec<u32>,
    kids: Vec<NodeId>,
    pub leaves: Vec<Leaf>,
    /// Number of leaves before each node.
    first_leaf: Vec<u32>,
    pub splits: KeyedMap<u32, Split>,
    /// Amounts whose currency sign is in an element of its own, with the sign.
    signed: KeyedMap<u32, String>,
}

impl View<'_> {
    pub fn kids(&self, node: u32) -> &[NodeId] {
        let node = node as usize;
        &self.kids[self.kid_starts[node] as usize..self.kid_starts[node + 1] as usize]
    }

    pub fn end(&self, node: u32) -> u32 {
        node + self.page.size(NodeId::new(node))
    }

    /// The texts below a node, or the text itself.
    pub fn leaves(&self, node: u32) -> &[Leaf] {
        let start = self.first_leaf[node as usize] as usize;
        let end = self.first_leaf[self.end(node) as usize] as usize;
        &self.leaves[start..end.min(start + MAX_LEAVES)]
    }

    pub fn text(&self, node: u32) -> &str {
        self.page.text(NodeId::new(node))
    }

    /// What a column gets of a text.
    pub fn value(&self, node: u32) -> &str {
        if let Some(signed) = self.signed.get(&node) {
            return signed;
        }
        let text = self.text(node);
        self.splits.get(&node).map_or(text, |split| &text[split.start as usize..])
    }

    pub fn depth(&self, node: u32) -> u32 {
        self.page.depth(NodeId::new(node))
    }

    pub fn parent(&self, node: u32) -> Option<u32> {
        self.page.parent(NodeId::new(node)).map(NodeId::position)
    }

    /// The marked descendants: keys and depths below the node.
    pub fn shape(&self, node: u32, limit: u32) -> Vec<(u32, u32)> {
        let depth = self.depth(node);
        let below = node + 1..self.end(node).min(node.saturating_add(limit));
        let mut shape: Vec<(u32, u32)> =
            below.map(|id| (self.keys[id as usize], self.depth(id) - depth)).collect();
        shape.sort_unstable();
        shape.dedup();
        shape
    }
}

/// The pages of a kind.
pub(super) struct Pages<'a> {
    pub views: Vec<View<'a>>,
    pub keys: Strings,
    pub texts: Strings,
    pub names: LayoutNames,
    /// Parent key, depth and label of texts with label and value.
    pub inline: KeyedSet<(u32, u32, u32)>,
}

/// Key of texts.
pub(super) const TEXT: u32 = 0;

impl<'a> Pages<'a> {
    /// Prepares pages, in an order of their own, so that the order they come in does not matter.
    /// Copies count once. Also the position that each had.
    pub fn new(pages: &[&'a Page]) -> (Pages<'a>, Vec<usize>) {
        let mut order: Vec<(u128, usize)> =
            pages.iter().enumerate().map(|(at, page)| (fingerprint(page), at)).collect();
        order.sort_unstable();
        order.dedup_by_key(|&mut (print, _)| print);
        let order: Vec<usize> = order.into_iter().map(|(_, at)| at).collect();
        let sorted: Vec<&'a Page> = order.iter().map(|&at| pages[at]).collect();
        let mut prepared = Pages {
            views: Vec::new(),
            keys: Strings::default(),
            texts: Strings::default(),
            names: LayoutNames::learn(&sorted),
            inline: KeyedSet::default(),
        };
        prepared.keys.number("#text");
        for page in &sorted {
            let view = prepared.view(page);
            prepared.views.push(view);
        }
        prepared.split_inline();
        for at in 0..prepared.views.len() {
            prepared.find_leaves(at);
        }
        (prepared, order)
    }

    fn view(&mut self, page: &'a Page) -> View<'a> {
        let mut keys = Vec::with_capacity(page.len() as usize);
        let mut kid_starts = Vec::with_capacity(page.len() as usize + 1);
        let (mut kids, mut of_node, mut key) = (Vec::new(), Vec::new(), String::new());
        for id in page.nodes() {
            key.clear();
            self.names.push_key(page, id, &mut key);
            keys.push(self.keys.number(&key));
            kid_starts.push(kids.len() as u32);
            view::kids(page, id, &mut of_node);
            kids.extend_from_slice(&of_node);
        }
        kid_starts.push(kids.len() as u32);
        View {
            page,
            keys,
            kid_starts,
            kids,
            leaves: Vec::new(),
            first_leaf: Vec::new(),
            splits: KeyedMap::default(),
            signed: signed(page),
        }
    }

    /// Splits texts such as `Height: 7-0` whose label recurs with other values.
    fn split_inline(&mut self) {
        struct Found {
            page: usize,
            node: u32,
            key: (u32, u32, u32),
            split: Split,
        }
        let mut found: Vec<Found> = Vec::new();
        type PagesAndValues<'a> = (KeyedSet<usize>, KeyedSet<&'a str>);
        let mut seen: KeyedMap<(u32, u32, u32), PagesAndValues> = KeyedMap::default();
        for (at, view) in self.views.iter().enumerate() {
            for id in view.page.nodes().filter(|&id| view.page.is_text(id)) {
                let text = view.page.text(id);
                let Some((label, value)) = inline_label(text) else { continue };
                let number = self.texts.number(&format!("{label}:"));
                let parent = view.page.parent(id).map_or(0, |parent| view.keys[parent.index()]);
                let key = (parent, view.page.depth(id), number);
                let (pages, values) = seen.entry(key).or_default();
                pages.insert(at);
                values.insert(value);
                let start = (text.len() - value.len()) as u32;
                let split = Split { label: number, start };
                found.push(Found { page: at, node: id.position(), key, split });
            }
        }
        let min = super::tree::MIN_PAGES.max(self.views.len().div_ceil(20));
        let recurs: KeyedSet<(u32, u32, u32)> = seen
            .into_iter()
            .filter(|(_, (pages, values))| pages.len() >= min && values.len() >= 2)
            .map(|(key, _)| key)
            .collect();
        for Found { page, node, key, split } in found {
            if recurs.contains(&key) {
                self.views[page].splits.insert(node, split);
            }
        }
        self.inline = recurs;
    }

    fn find_leaves(&mut self, at: usize) {
        let view = &self.views[at];
        let page = view.page;
        let (mut leaves, mut first_leaf) = (Vec::new(), Vec::new());
        let mut skipped_to = 0;
        for id in page.nodes() {
            let node = id.position();
            first_leaf.push(leaves.len() as u32);
            if node < skipped_to {
                continue;
            }
            if !page.is_text(id) {
                if view::is_skipped(page, id) {
                    skipped_to = view.end(node);
                }
                continue;
            }
            let text = page.text(id);
            if !has_word(text) {
                continue;
            }
            let parent_key = page.parent(id).map_or(0, |parent| view.keys[parent.index()]);
            let leaf =
                |text, is_value| Leaf { node, parent_key, depth: page.depth(id), text, is_value };
            match view.splits.get(&node) {
                Some(split) => {
                    leaves.push(leaf(split.label, false));
                    let value = self.texts.number(&text[split.start as usize..]);
                    leaves.push(leaf(value, true));
                }
                None => leaves.push(leaf(self.texts.number(text), false)),
            }
        }
        first_leaf.push(leaves.len() as u32);
        let view = &mut self.views[at];
        (view.leaves, view.first_leaf) = (leaves, first_leaf);
    }

    /// The only text below a node, if it can be a label.
    pub fn single(&self, page: u32, node: u32) -> Option<u32> {
        match self.views[page as usize].leaves(node) {
            [leaf] if self.texts.get(leaf.text).len() <= view::MAX_LABEL => Some(leaf.text),
            _ => None,
        }
    }

    /// The first text below a node.
    pub fn first_text(&self, page: u32, node: u32) -> Option<u32> {
        self.views[page as usize].leaves(node).first().map(|leaf| leaf.text)
    }
}

/// The amounts of a page whose currency sign is in an element of its own.
fn signed(page: &Page) -> KeyedMap<u32, String> {
    let texts = page.nodes().filter(|&id| page.is_text(id));
    let signed = texts.filter_map(|id| {
        let sign = view::sign_beside(page, id)?;
        Some((id.position(), view::with_sign(page.text(id), sign)))
    });
    signed.collect()
}

/// What a page looks like to the tree; pages with the same fingerprint are the same to it.
fn fingerprint(page: &Page) -> u128 {
    let mut hasher = Xxh3::new();
    for id in page.nodes() {
        hasher.update(page.tag_name(id).as_bytes());
        hasher.update(&page.size(id).to_le_bytes());
        hasher.update(page.text(id).as_bytes());
        for (name, value) in page.attributes(id) {
            hasher.update(name.as_bytes());
            hasher.update(&(value.len() as u32).to_le_bytes());
            hasher.update(value.as_bytes());
        }
    }
    hasher.digest128()
}
