//! The labelled ordered tree that represents pages and templates when they are compared.
//!
//! Labels and subtrees are numbers: two nodes are equal if their labels are, and two subtrees are
//! identical if their classes are equal. Only trees numbered by the same [`Interner`] can be
//! compared.
//!
//! time and space: linear in the nodes.

use crate::page::{Interner, LabelProfile, NodeId, Page, subtree_hashes};

/// A tree in document order; the subtree of `id` is `id..id + size`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Where the children of each node begin in `children`, and the end of the last.
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

    /// A tree from label hashes and sizes. New labels and subtrees get new numbers.
    pub(super) fn interned(
        labels: &[u64],
        size: impl Fn(u32) -> u32,
        numbers: &mut Interner,
    ) -> Tree {
        let classes = numbers.classes(&subtree_hashes(labels, &size));
        Tree::new(&numbers.labels(labels), &classes, size)
    }

    /// The tree of a page. Labels and subtrees without a number stay unknown.
    pub(super) fn of_page(page: &Page, profile: LabelProfile, numbers: &Interner) -> Tree {
        let labels = page.labels(profile);
        let classes = numbers.known_classes(&page.subtree_hashes(&labels));
        Tree::new(&numbers.known_labels(&labels), &classes, |id| page.size(NodeId::new(id)))
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

    /// Number of nodes of the subtree, the node itself included.
    pub(super) fn size(&self, id: u32) -> u32 {
        self.nodes[id as usize].size
    }

    pub(super) fn children(&self, id: u32) -> &[u32] {
        &self.children[self.child_range(id)]
    }

    fn child_range(&self, id: u32) -> std::ops::Range<usize> {
        let id = id as usize;
        self.starts[id] as usize..self.starts[id + 1] as usize
    }
}

/// Looks up the children of every node of a tree by class and by label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Index {
    /// Class and position of each child among its siblings, sorted within each list of children.
    by_class: Vec<(u32, u32)>,
    /// Label and position, likewise.
    by_label: Vec<(u32, u32)>,
    /// For each node, the heaviest sibling with the same label.
    twins: Vec<u32>,
}

impl Index {
    /// The index of `tree`. `weight` gives the weight of a node.
    pub(super) fn of(tree: &Tree, weight: impl Fn(u32) -> u64) -> Index {
        let mut sums: Vec<u64> = (0..tree.len()).map(weight).collect();
        for id in (0..tree.len()).rev() {
            sums[id as usize] +=
                tree.children(id).iter().map(|&child| sums[child as usize]).sum::<u64>();
        }
        let mut index =
            Index { by_class: Vec::new(), by_label: Vec::new(), twins: (0..tree.len()).collect() };
        for id in 0..tree.len() {
            let children = tree.children(id);
            let start = index.by_class.len();
            index.by_class.extend(
                children.iter().zip(0..).map(|(&child, position)| (tree.class(child), position)),
            );
            index.by_label.extend(
                children.iter().zip(0..).map(|(&child, position)| (tree.label(child), position)),
            );
            index.by_class[start..].sort_unstable();
            index.by_label[start..].sort_unstable();
            for group in index.by_label[start..].chunk_by(|a, b| a.0 == b.0) {
                let same_label = || group.iter().map(|&(_, position)| children[position as usize]);
                let heaviest = same_label().rev().max_by_key(|&child| sums[child as usize]);
                for child in same_label() {
                    index.twins[child as usize] = heaviest.unwrap_or(child);
                }
            }
        }
        index
    }

    /// Classes and positions of the children of `id`, sorted.
    pub(super) fn by_class(&self, tree: &Tree, id: u32) -> &[(u32, u32)] {
        &self.by_class[tree.child_range(id)]
    }

    /// Labels and positions of the children of `id`, sorted.
    pub(super) fn by_label(&self, tree: &Tree, id: u32) -> &[(u32, u32)] {
        &self.by_label[tree.child_range(id)]
    }

    /// The heaviest sibling with the same label.
    pub(super) fn twin(&self, id: u32) -> u32 {
        self.twins[id as usize]
    }
}

/// Consecutive nodes that are mapped to consecutive nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) second: u32,
    pub(super) nodes: u32,
}

/// The rest of two lists of children without their identical leading and trailing pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Number of identical children at the beginning.
    pub(super) start: u32,
    /// End of the rest in the first list.
    pub(super) first_end: u32,
    /// End of the rest in the second list.
    pub(super) second_end: u32,
}

impl Window {
    /// The window of the children `x` of a node of `a` and the children `y` of a node of `b`.
    pub(super) fn between(a: &Tree, x: &[u32], b: &Tree, y: &[u32]) -> Window {
        let same = |&(&u, &v): &(&u32, &u32)| a.class(u) == b.class(v);
        let start = x.iter().zip(y).take_while(same).count();
        let end = x[start..].iter().rev().zip(y[start..].iter().rev()).take_while(same).count();
        Window {
            start: start as u32,
            first_end: (x.len() - end) as u32,
            second_end: (y.len() - end) as u32,
        }
    }

    /// The rest of the first list.
    pub(super) fn first<'x>(&self, x: &'x [u32]) -> &'x [u32] {
        &x[self.start as usize..self.first_end as usize]
    }

    /// The rest of the second list.
    pub(super) fn second<'y>(&self, y: &'y [u32]) -> &'y [u32] {
        &y[self.start as usize..self.second_end as usize]
    }

    /// The identical pairs at the beginning.
    pub(super) fn leading<'x>(
        &self,
        x: &'x [u32],
        y: &'x [u32],
    ) -> impl DoubleEndedIterator<Item = (u32, u32)> + 'x {
        let start = self.start as usize;
        x[..start].iter().copied().zip(y[..start].iter().copied())
    }

    /// The identical pairs at the end.
    pub(super) fn trailing<'x>(
        &self,
        x: &'x [u32],
        y: &'x [u32],
    ) -> impl DoubleEndedIterator<Item = (u32, u32)> + 'x {
        x[self.first_end as usize..]
            .iter()
            .copied()
            .zip(y[self.second_end as usize..].iter().copied())
    }
}
