//! Finds: the nodes that a page shares with a template, in linear time (R2).
//!
//! The paper says that removal is a linear search and omits it. This one goes down both trees at once. Among the
//! children of two mapped nodes, identical ones at both ends are mapped first, then those that occur once on either
//! side (as many as keep their order), then from left to right whatever is identical or at least has the same label.
//!
//! time: linear in the nodes, but for sorting the children of a node. space: a few buffers as long as the longest
//! list of children; nothing is allocated for a node. The mapping is restricted and top-down, but not always a
//! cheapest one: it may take another of several equal siblings.

use super::mapping::Run;
use super::tree::{Tree, Window};

/// Buffers that one mapping after another uses.
#[derive(Clone, Default, Debug)]
pub(super) struct Greedy {
    /// Pairs of nodes with equal labels whose children are still to be mapped.
    pairs: Vec<(u32, u32)>,
    /// Class and position of the children, sorted.
    first_classes: Vec<(u32, u32)>,
    second_classes: Vec<(u32, u32)>,
    first_labels: Vec<(u32, u32)>,
    anchors: Anchors,
}

impl Greedy {
    /// Maps `a` to `b`; `found` gets pairs with equal labels, parents before children.
    pub(super) fn map(&mut self, a: &Tree, b: &Tree, mut found: impl FnMut(Run)) {
        self.pairs.clear();
        if a.label(0) == b.label(0) {
            self.visit(a, 0, b, 0, &mut found);
        }
        while let Some((u, v)) = self.pairs.pop() {
            self.map_children(a, a.children(u), b, b.children(v), &mut found);
        }
    }

    /// Maps two nodes with equal labels, at once with all below them if that is identical.
    fn visit(&mut self, a: &Tree, u: u32, b: &Tree, v: u32, found: &mut impl FnMut(Run)) {
        if a.class(u) == b.class(v) {
            found(Run { first: u, second: v, nodes: a.size(u) });
            return;
        }
        found(Run { first: u, second: v, nodes: 1 });
        if a.size(u) > 1 && b.size(v) > 1 {
            self.pairs.push((u, v));
        }
    }

    fn map_children(&mut self, a: &Tree, x: &[u32], b: &Tree, y: &[u32], found: &mut impl FnMut(Run)) {
        let window = Window::between(a, x, b, y);
        for (u, v) in window.leading(x, y).chain(window.trailing(x, y)) {
            found(Run { first: u, second: v, nodes: a.size(u) });
        }
        let (x, y) = (window.first(x), window.second(y));
        if x.is_empty() || y.is_empty() {
            return;
        }
        sort_by_key(&mut self.first_classes, x, |u| a.class(u));
        sort_by_key(&mut self.first_labels, x, |u| a.label(u));
        if x.len() > 1 && y.len() > 1 {
            sort_by_key(&mut self.second_classes, y, |v| b.class(v));
            self.anchors.find(&self.first_classes, &self.second_classes);
        } else {
            self.anchors.chosen.clear();
        }
        let (mut from_x, mut from_y) = (0, 0);
        for number in 0..self.anchors.chosen.len() {
            let (i, j) = self.anchors.chosen[number];
            self.map_gap(a, x, from_x..i, b, &y[from_y as usize..j as usize], found);
            let (u, v) = (x[i as usize], y[j as usize]);
            found(Run { first: u, second: v, nodes: a.size(u) });
            (from_x, from_y) = (i + 1, j + 1);
        }
        self.map_gap(a, x, from_x..x.len() as u32, b, &y[from_y as usize..], found);
    }

    /// Maps each of `y` to the next of `x` inside `range` that is identical to it, or else has its label.
    fn map_gap(
        &mut self,
        a: &Tree,
        x: &[u32],
        range: std::ops::Range<u32>,
        b: &Tree,
        y: &[u32],
        found: &mut impl FnMut(Run),
    ) {
        let mut from = range.start;
        for &v in y {
            if from >= range.end {
                break;
            }
            let identical = next_with(&self.first_classes, b.class(v), from..range.end);
            let Some(at) = identical.or_else(|| next_with(&self.first_labels, b.label(v), from..range.end)) else {
                continue;
            };
            self.visit(a, x[at as usize], b, v, found);
            from = at + 1;
        }
    }
}

fn sort_by_key(sorted: &mut Vec<(u32, u32)>, nodes: &[u32], key: impl Fn(u32) -> u32) {
    sorted.clear();
    sorted.extend(nodes.iter().zip(0..).map(|(&id, position)| (key(id), position)));
    sorted.sort_unstable();
}

/// The first position inside `range` with this key.
fn next_with(sorted: &[(u32, u32)], key: u32, range: std::ops::Range<u32>) -> Option<u32> {
    let at = sorted.partition_point(|&entry| entry < (key, range.start));
    sorted.get(at).filter(|entry| entry.0 == key && entry.1 < range.end).map(|entry| entry.1)
}

/// Children that occur once on both sides, as many as stand in the same order.
#[derive(Clone, Default, Debug)]
struct Anchors {
    candidates: Vec<(u32, u32)>,
    /// Candidate at the end of the best chain of each length.
    ends: Vec<u32>,
    /// Candidate before each candidate in its chain.
    before: Vec<Option<u32>>,
    chosen: Vec<(u32, u32)>,
}

impl Anchors {
    /// Sets `chosen` to positions in the first and in the second list, rising in both.
    fn find(&mut self, first: &[(u32, u32)], second: &[(u32, u32)]) {
        self.candidates.clear();
        unique_in_both(first, second, &mut self.candidates);
        self.candidates.sort_unstable_by_key(|&(_, position)| position);
        self.choose_longest_chain();
    }

    /// A longest increasing subsequence, by patience.
    fn choose_longest_chain(&mut self) {
        self.ends.clear();
        self.before.clear();
        self.chosen.clear();
        for (number, &(position, _)) in (0..).zip(&self.candidates) {
            let length = self.ends.partition_point(|&end| self.candidates[end as usize].0 < position);
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

/// Positions of the keys that occur once in each of two sorted lists.
fn unique_in_both(first: &[(u32, u32)], second: &[(u32, u32)], found: &mut Vec<(u32, u32)>) {
    let mut first = first.chunk_by(|a, b| a.0 == b.0).peekable();
    for group in second.chunk_by(|a, b| a.0 == b.0) {
        let key = group[0].0;
        while first.next_if(|other| other[0].0 < key).is_some() {}
        if let (Some(&&[(other, i)]), &[(_, j)]) = (first.peek(), group)
            && other == key
        {
            found.push((i, j));
        }
    }
}
