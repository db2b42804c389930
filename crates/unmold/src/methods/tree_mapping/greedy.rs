//! Finds the nodes that a page shares with a template, in linear time (R2).
//!
//! The paper says that removal is a linear search but does not describe it. This one descends both
//! trees at once. Among the children of two mapped nodes, identical ones at both ends are mapped
//! first, then those that occur exactly once on each side (the longest chain in the same order),
//! then, from left to right, whatever is identical or at least has the same label.
//!
//! time: linear in the second tree, except for sorting the children of a node. space: a few buffers
//! as long as the longest list of children; nothing is allocated per node. The mapping is
//! restricted and top-down, but not always a cheapest one: among equal siblings it may choose a
//! different one.
//!
//! Departure: a list on a page may have more entries than in the template. With
//! [`Repeats::Mapped`], a child that is left over is mapped to a sibling with the same label that
//! is already mapped, and the mapping is no longer one to one.

use std::ops::Range;

use super::tree::{Index, Run, Tree, Window};

/// What happens to children for which the first tree has no counterpart left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Repeats {
    Unmapped,
    Mapped,
}

/// Maps pairs of trees greedily; reuses its buffers from one mapping to the next.
#[derive(Clone, Default, Debug)]
pub(super) struct Greedy {
    /// Pairs of nodes with equal labels whose children are still to be mapped.
    pairs: Vec<(u32, u32)>,
    /// Class and position of the children in the second tree, sorted.
    second_classes: Vec<(u32, u32)>,
    anchors: Anchors,
    /// Children in the second tree that are left over.
    left_over: Vec<u32>,
}

/// The trees of one mapping.
#[derive(Clone, Copy)]
struct Trees<'t> {
    a: &'t Tree,
    index: &'t Index,
    b: &'t Tree,
}

impl Greedy {
    /// Maps `a` to `b`; calls `found` with pairs of equal labels, parents before children.
    pub(super) fn map(
        &mut self,
        a: &Tree,
        index: &Index,
        b: &Tree,
        repeats: Repeats,
        mut found: impl FnMut(Run),
    ) {
        let trees = Trees { a, index, b };
        self.pairs.clear();
        if a.label(0) == b.label(0) {
            self.visit(trees, 0, 0, &mut found);
        }
        while let Some((u, v)) = self.pairs.pop() {
            self.left_over.clear();
            self.map_children(trees, u, v, &mut found);
            if repeats == Repeats::Mapped {
                self.map_repeats(trees, u, &mut found);
            }
        }
    }

    /// Maps two nodes with equal labels, together with their subtrees if those are identical.
    fn visit(&mut self, Trees { a, b, .. }: Trees, u: u32, v: u32, found: &mut impl FnMut(Run)) {
        if a.class(u) == b.class(v) {
            found(Run { first: u, second: v, nodes: a.size(u) });
            return;
        }
        found(Run { first: u, second: v, nodes: 1 });
        if a.size(u) > 1 && b.size(v) > 1 {
            self.pairs.push((u, v));
        }
    }

    fn map_children(&mut self, trees: Trees, u: u32, v: u32, found: &mut impl FnMut(Run)) {
        let Trees { a, index, b } = trees;
        let (x, y) = (a.children(u), b.children(v));
        let window = Window::between(a, x, b, y);
        for (u, v) in window.leading(x, y).chain(window.trailing(x, y)) {
            found(Run { first: u, second: v, nodes: a.size(u) });
        }
        let (mut from_x, mut from_y) = (window.start, window.start);
        if from_y == window.second_end {
            return;
        }
        self.find_anchors(index.by_class(a, u), window, b, y);
        for number in 0..self.anchors.chosen.len() {
            let (i, j) = self.anchors.chosen[number];
            self.map_gap(trees, u, from_x..i, &y[from_y as usize..j as usize], found);
            let (u, v) = (x[i as usize], y[j as usize]);
            found(Run { first: u, second: v, nodes: a.size(u) });
            (from_x, from_y) = (i + 1, j + 1);
        }
        self.map_gap(
            trees,
            u,
            from_x..window.first_end,
            &y[from_y as usize..window.second_end as usize],
            found,
        );
    }

    fn find_anchors(&mut self, first: &[(u32, u32)], window: Window, b: &Tree, y: &[u32]) {
        let first_range = window.start..window.first_end;
        let second = window.second(y);
        self.anchors.chosen.clear();
        if first_range.len() < 2 || second.len() < 2 {
            // `map_gap` finds these pairs too.
            return;
        }
        self.second_classes.clear();
        self.second_classes
            .extend(second.iter().zip(window.start..).map(|(&v, position)| (b.class(v), position)));
        self.second_classes.sort_unstable();
        self.anchors.find(first, first_range, &self.second_classes);
    }

    /// Maps each of `y` to the next child of `u` inside `range` that is identical, or failing that
    /// to the next one with the same label.
    fn map_gap(
        &mut self,
        trees: Trees,
        u: u32,
        range: Range<u32>,
        y: &[u32],
        found: &mut impl FnMut(Run),
    ) {
        let Trees { a, index, b } = trees;
        let (x, by_class, by_label) = (a.children(u), index.by_class(a, u), index.by_label(a, u));
        let mut from = range.start;
        for &v in y {
            let range = from..range.end;
            let identical = next_with(by_class, b.class(v), range.clone());
            match identical.or_else(|| next_with(by_label, b.label(v), range)) {
                Some(at) => {
                    self.visit(trees, x[at as usize], v, found);
                    from = at + 1;
                }
                None => self.left_over.push(v),
            }
        }
    }

    /// Maps what is left over to children of `u` that may be mapped already.
    fn map_repeats(&mut self, trees: Trees, u: u32, found: &mut impl FnMut(Run)) {
        let Trees { a, index, b } = trees;
        let (x, by_class, by_label) = (a.children(u), index.by_class(a, u), index.by_label(a, u));
        for number in 0..self.left_over.len() {
            let v = self.left_over[number];
            let anywhere = 0..x.len() as u32;
            if let Some(at) = next_with(by_class, b.class(v), anywhere.clone()) {
                self.visit(trees, x[at as usize], v, found);
            } else if let Some(at) = next_with(by_label, b.label(v), anywhere) {
                self.visit(trees, index.twin(x[at as usize]), v, found);
            }
        }
    }
}

/// The first position inside `range` with this key.
fn next_with(sorted: &[(u32, u32)], key: u32, range: Range<u32>) -> Option<u32> {
    let at = sorted.partition_point(|&entry| entry < (key, range.start));
    sorted.get(at).filter(|entry| entry.0 == key && entry.1 < range.end).map(|entry| entry.1)
}

/// The longest chain of children that occur exactly once on each side, in the same order.
#[derive(Clone, Default, Debug)]
struct Anchors {
    candidates: Vec<(u32, u32)>,
    /// The last candidate of the best chain of each length.
    ends: Vec<u32>,
    /// The predecessor of each candidate in its chain.
    before: Vec<Option<u32>>,
    chosen: Vec<(u32, u32)>,
}

impl Anchors {
    /// Sets `chosen` to pairs of positions in the first list (inside `range`) and in the second,
    /// increasing in both.
    fn find(&mut self, first: &[(u32, u32)], range: Range<u32>, second: &[(u32, u32)]) {
        self.candidates.clear();
        for group in second.chunk_by(|a, b| a.0 == b.0) {
            if let &[(class, j)] = group
                && let Some(i) = next_with(first, class, range.clone())
                && next_with(first, class, i + 1..range.end).is_none()
            {
                self.candidates.push((i, j));
            }
        }
        self.candidates.sort_unstable_by_key(|&(_, position)| position);
        self.choose_longest_chain();
    }

    /// Finds a longest increasing subsequence by patience sorting.
    fn choose_longest_chain(&mut self) {
        self.ends.clear();
        self.before.clear();
        for (number, &(position, _)) in (0..).zip(&self.candidates) {
            let length =
                self.ends.partition_point(|&end| self.candidates[end as usize].0 < position);
            self.before.push(length.checked_sub(1).map(|shorter| self.ends[shorter]));
            if length == self.ends.len() {
                self.ends.push(number);
            } else {
                self.ends[length] = number;
            }
        }
        let mut next = self.ends.last().copied();
        while let Some(number) = next {
            self.chosen.push(self.candidates[number as usize]);
            next = self.before[number as usize];
        }
        self.chosen.reverse();
    }
}
