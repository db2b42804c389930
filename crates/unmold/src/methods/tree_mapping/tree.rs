//! The labelled ordered tree that pages and templates are compared as.
//!
//! Labels and subtrees are numbers: two nodes are alike if their labels are equal, two subtrees are identical if
//! their classes are. Trees whose numbers come from one [`Interner`] can be compared.
//!
//! time and space: linear in the nodes.

use crate::page::{Interner, LabelProfile, Page, subtree_hashes};

/// A tree in document order; the subtree of `id` is `id..id + size`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Where the children of each node begin in `children`; one entry more than nodes.
    starts: Vec<u32>,
    children: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Node {
    label: u32,
    class: u32,
    size: u32,
}

impl Tree {
    /// A tree from the labels, classes and sizes of its nodes.
    pub(super) fn new(labels: &[u32], classes: &[u32], size: impl Fn(u32) -> u32) -> Tree {
        let length = labels.len();
        let mut nodes = Vec::with_capacity(length);
        let mut starts = Vec::with_capacity(length + 1);
        let mut children = Vec::with_capacity(length.saturating_sub(1));
        for (id, (&label, &class)) in (0..).zip(labels.iter().zip(classes)) {
            let node = Node { label, class, size: size(id) };
            starts.push(children.len() as u32);
            let mut child = id + 1;
            while child < id + node.size {
                children.push(child);
                child += size(child);
            }
            nodes.push(node);
        }
        starts.push(children.len() as u32);
        Tree { nodes, starts, children }
    }

    /// A tree from label hashes and sizes, with new numbers where needed.
    pub(super) fn interned(labels: &[u64], size: impl Fn(u32) -> u32, numbers: &mut Interner) -> Tree {
        let classes = numbers.classes(&subtree_hashes(labels, &size));
        Tree::new(&numbers.labels(labels), &classes, size)
    }

    /// A page seen with the numbers that are there already.
    pub(super) fn of_page(page: &Page, profile: LabelProfile, numbers: &Interner) -> Tree {
        let labels = page.labels(profile);
        let classes = numbers.known_classes(&page.subtree_hashes(&labels));
        Tree::new(&numbers.known_labels(&labels), &classes, |id| page.size(id))
    }

    pub(super) fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    pub(super) fn label(&self, id: u32) -> u32 {
        self.nodes[id as usize].label
    }

    pub(super) fn class(&self, id: u32) -> u32 {
        self.nodes[id as usize].class
    }

    /// Nodes of the subtree, the node itself included.
    pub(super) fn size(&self, id: u32) -> u32 {
        self.nodes[id as usize].size
    }

    pub(super) fn children(&self, id: u32) -> &[u32] {
        let id = id as usize;
        &self.children[self.starts[id] as usize..self.starts[id + 1] as usize]
    }
}

/// What is left of two lists of children when identical leading and trailing pairs are taken off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Identical children at the beginning.
    pub(super) start: u32,
    /// End of the rest in the first list.
    pub(super) first_end: u32,
    /// End of the rest in the second list.
    pub(super) second_end: u32,
}

impl Window {
    /// Between the children `x` of a node of `a` and the children `y` of one of `b`.
    pub(super) fn between(a: &Tree, x: &[u32], b: &Tree, y: &[u32]) -> Window {
        let same = |&(&u, &v): &(&u32, &u32)| a.class(u) == b.class(v);
        let start = x.iter().zip(y).take_while(same).count();
        let end = x[start..].iter().rev().zip(y[start..].iter().rev()).take_while(same).count();
        Window { start: start as u32, first_end: (x.len() - end) as u32, second_end: (y.len() - end) as u32 }
    }

    /// The rest of the first list.
    pub(super) fn first<'x>(&self, x: &'x [u32]) -> &'x [u32] {
        &x[self.start as usize..self.first_end as usize]
    }

    /// The rest of the second list.
    pub(super) fn second<'y>(&self, y: &'y [u32]) -> &'y [u32] {
        &y[self.start as usize..self.second_end as usize]
    }

    /// The pairs taken off at the beginning.
    pub(super) fn leading<'x>(&self, x: &'x [u32], y: &'x [u32]) -> impl DoubleEndedIterator<Item = (u32, u32)> + 'x {
        let start = self.start as usize;
        x[..start].iter().copied().zip(y[..start].iter().copied())
    }

    /// The pairs taken off at the end.
    pub(super) fn trailing<'x>(&self, x: &'x [u32], y: &'x [u32]) -> impl DoubleEndedIterator<Item = (u32, u32)> + 'x {
        x[self.first_end as usize..].iter().copied().zip(y[self.second_end as usize..].iter().copied())
    }
}
