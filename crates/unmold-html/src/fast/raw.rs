//! The tree under construction: a vector of linked nodes, since rules may move existing nodes.
//!
//! On nearly every page nodes are created in document order, so the walk that writes the arena
//! reads the vector from front to back.

use super::name::Name;

/// Marks the absence of a node.
pub(super) const NONE: u32 = u32::MAX;
/// The document node.
pub(super) const DOCUMENT: u32 = 0;

#[derive(Clone, Copy, Debug)]
pub(super) struct RawNode {
    pub(super) parent: u32,
    previous: u32,
    pub(super) next: u32,
    pub(super) first: u32,
    last: u32,
    /// Number of ancestors when the node was inserted, as the limit on depth counts it.
    depth: u32,
    pub(super) name: Name,
    /// Text: range of the page. Element: range of the arena's attributes.
    pub(super) start: u32,
    pub(super) end: u32,
    /// Element: hidden. Text: raw, without character references.
    pub(super) flag: bool,
    /// The element is on the stack of open elements.
    pub(super) is_open: bool,
}

pub(super) struct RawTree {
    pub(super) nodes: Vec<RawNode>,
    /// Maximum depth of any node so far.
    pub(super) deepest: u32,
}

impl RawTree {
    pub(super) fn new(expected: usize) -> RawTree {
        let mut nodes = Vec::with_capacity(expected);
        nodes.push(RawNode {
            parent: NONE,
            previous: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            depth: 0,
            name: Name::ROOT,
            start: 0,
            end: 0,
            flag: false,
            is_open: false,
        });
        RawTree { nodes, deepest: 0 }
    }

    pub(super) fn node(&self, id: u32) -> &RawNode {
        &self.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: u32) -> &mut RawNode {
        &mut self.nodes[id as usize]
    }

    /// Creates a node that is not in the tree yet.
    pub(super) fn create(&mut self, name: Name, start: u32, end: u32, flag: bool) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(RawNode {
            parent: NONE,
            previous: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            depth: 0,
            name,
            start,
            end,
            flag,
            is_open: false,
        });
        id
    }

    /// Creates a node as the last child of `parent`. Nearly every node is created this way.
    pub(super) fn append_new(
        &mut self,
        parent: u32,
        name: Name,
        start: u32,
        end: u32,
        flag: bool,
    ) -> u32 {
        let id = self.nodes.len() as u32;
        let above = &mut self.nodes[parent as usize];
        let (previous, depth) = (above.last, above.depth + 1);
        above.last = id;
        if previous == NONE {
            above.first = id;
        } else {
            self.nodes[previous as usize].next = id;
        }
        self.deepest = self.deepest.max(depth);
        self.nodes.push(RawNode {
            parent,
            previous,
            next: NONE,
            first: NONE,
            last: NONE,
            depth,
            name,
            start,
            end,
            flag,
            is_open: false,
        });
        id
    }

    /// Inserts `child` into `parent`: before the sibling `before`, or last if that is [`NONE`].
    pub(super) fn link(&mut self, parent: u32, before: u32, child: u32) {
        let previous = self.previous(parent, before);
        let depth = self.node(parent).depth + 1;
        self.deepest = self.deepest.max(depth);
        let node = self.node_mut(child);
        (node.parent, node.depth) = (parent, depth);
        self.join(parent, previous, child);
        self.join(parent, child, before);
    }

    /// Links two adjacent children of `parent`; [`NONE`] as `left` is the start of the children, as
    /// `right` their end.
    fn join(&mut self, parent: u32, left: u32, right: u32) {
        match left {
            NONE => self.node_mut(parent).first = right,
            _ => self.node_mut(left).next = right,
        }
        match right {
            NONE => self.node_mut(parent).last = left,
            _ => self.node_mut(right).previous = left,
        }
    }

    /// The node that precedes one inserted before `before`, or last if that is [`NONE`].
    pub(super) fn previous(&self, parent: u32, before: u32) -> u32 {
        if before == NONE { self.node(parent).last } else { self.node(before).previous }
    }

    pub(super) fn unlink(&mut self, child: u32) {
        let RawNode { parent, previous, next, .. } = *self.node(child);
        if parent == NONE {
            return;
        }
        self.join(parent, previous, next);
        let node = self.node_mut(child);
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    pub(super) fn move_children(&mut self, from: u32, to: u32) {
        loop {
            let child = self.node(from).first;
            if child == NONE {
                return;
            }
            self.unlink(child);
            self.link(to, NONE, child);
        }
    }

    pub(super) fn depth(&self, id: u32) -> u32 {
        self.node(id).depth
    }
}
