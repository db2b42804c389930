//! Matches a page with a pattern, and finds the part of the pattern each node belongs to.
//!
//! Matching is tolerant: leaving out a part of the pattern or skipping a part of the page costs as
//! many nodes as it has, and the cheapest mapping is chosen. A cost of 0 means that the pattern
//! matches the page exactly.
//!
//! For a node and an element of the pattern, the element's automaton reads the node's children. An
//! A* search visits pairs (children read, state), ordered by the cost so far plus a lower bound for
//! the unread children. The exact cost of a child is computed only when nothing cheaper is left to
//! try, so a page that fits is read with hardly any detours. Costs depend only on shape, so they
//! are cached for each pair of an element's class and a subtree's class. A page that fits badly
//! would take long: once its steps are used up, searches go greedily to the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use unmold_html::hash::KeyedMap;

use super::pattern::{Part, Pattern, bit};
use super::tree::Tree;

/// The number of steps that the search for one page may take before it becomes greedy. After four
/// times as many it no longer compares children but skips them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Effort {
    steps: u64,
    steps_per_node: u64,
}

impl Effort {
    /// For the few pages to learn from.
    pub(super) const LEARNING: Effort = Effort { steps: 1 << 20, steps_per_node: 256 };
    /// For every page: takes a few times as long as parsing.
    pub(super) const MARKING: Effort = Effort { steps: 1 << 14, steps_per_node: 16 };
}

/// If more parts than this could read a child, a lower bound of its cost is not worth computing.
const MAX_READERS: usize = 16;

/// Edges of a state, and children of a node, that together take as long as a step.
const EDGES_PER_STEP: usize = 32;
const CHILDREN_PER_STEP: usize = 64;

/// A page mapped to a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fit {
    /// Number of nodes left out on either side.
    pub(super) cost: u32,
    /// The part of the pattern each node belongs to.
    pub(super) parts: Vec<Option<u32>>,
}

/// The children that match a part: the part's offset from its element, and the child's index.
type Matched = Vec<(u32, u32)>;

/// Maps a page to a pattern.
pub(super) fn fit(pattern: &Pattern, tree: &Tree, effort: Effort) -> Fit {
    let mut parts = vec![None; tree.len() as usize];
    let root_fits =
        pattern.parts.first().is_some_and(|&part| part == Part::Element(tree.labels[0]));
    if !root_fits {
        let min_size = if pattern.len() == 0 { 0 } else { pattern.min_size(0) };
        return Fit { cost: min_size + tree.len(), parts };
    }
    let mut matcher = Matcher::new(pattern, tree, effort);
    let root = matcher.pair(pattern.classes[0], 0);
    matcher.solve(root, 0);
    let mut open = vec![(0u32, 0u32)];
    while let Some((part, node)) = open.pop() {
        parts[node as usize] = Some(part);
        let pair = matcher.pair(pattern.classes[part as usize], node);
        let children = tree.children(node);
        if let Some((_, matched)) = matcher.solved.get(&pair) {
            open.extend(
                matched.iter().map(|&(offset, child)| (part + offset, children[child as usize])),
            );
        }
    }
    Fit { cost: matcher.solved[&root].0, parts }
}

/// A class of elements and a class of subtrees.
type Pair = (u32, u32);

struct Matcher<'a> {
    pattern: &'a Pattern,
    tree: &'a Tree,
    /// Class of each subtree: subtrees of one class are equal.
    classes: Vec<u32>,
    /// Bits of the labels below each node.
    below: Vec<u64>,
    solved: KeyedMap<Pair, (u32, Matched)>,
    steps: u64,
    allowed: u64,
}

/// A position in the search: number of children read, and state of the automaton.
type Position = (u32, u32);

/// How a position was reached.
#[derive(Clone, Copy)]
enum Origin {
    Start,
    /// From a state, without reading a child.
    State(u32),
    /// By skipping a child.
    Skipped,
    /// By matching a child with the part at the offset.
    Matched {
        state: u32,
        offset: u32,
    },
}

/// A position to visit or an edge to try, in the order of its key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Cost plus a lower bound for the rest, then unread children; the other way round if the
    /// search is greedy.
    key: (u32, u32),
    cost: u32,
    unread: u32,
    state: u32,
    /// The edge to try, counted from 1; 0 = continue from this position.
    edge: u32,
    /// State before the edge.
    before: u32,
    /// Whether the cost of the edge is known and included.
    exact: bool,
}

/// A search, which may have to wait for another.
struct Search {
    pair: Pair,
    node: u32,
    best: KeyedMap<Position, (u32, Origin)>,
    queue: BinaryHeap<Reverse<Candidate>>,
    /// By number of unread children, the lower bound of their cost.
    rest: Vec<u32>,
    greedy: bool,
}

impl<'a> Matcher<'a> {
    fn new(pattern: &'a Pattern, tree: &'a Tree, effort: Effort) -> Matcher<'a> {
        let mut known: KeyedMap<(u32, Vec<u32>), u32> = KeyedMap::default();
        let mut classes = vec![0; tree.len() as usize];
        let mut below = vec![0; tree.len() as usize];
        for id in (0..tree.len()).rev() {
            let children = tree.children(id);
            let key = children.iter().map(|&child| classes[child as usize]).collect();
            let next = known.len() as u32;
            classes[id as usize] = *known.entry((tree.labels[id as usize], key)).or_insert(next);
            below[id as usize] = children.iter().fold(0, |bits, &child| {
                bits | below[child as usize] | bit(tree.labels[child as usize])
            });
        }
        let allowed = effort.steps + effort.steps_per_node * u64::from(tree.len());
        Matcher { pattern, tree, classes, below, solved: KeyedMap::default(), steps: 0, allowed }
    }

    fn pair(&self, class: u32, node: u32) -> Pair {
        (class, self.classes[node as usize])
    }

    /// A lower bound of the cost, from sizes and labels alone.
    fn bound(&self, class: u32, node: u32) -> u32 {
        let automaton = &self.pattern.automata[class as usize];
        let below = self.below[node as usize];
        let missing = (automaton.must & !below).count_ones();
        let foreign = (below & !automaton.may).count_ones();
        let too_small = automaton.min_nodes.saturating_sub(self.tree.size(node) - 1);
        foreign + missing.max(too_small)
    }

    /// Finds the cost of a pair and of all pairs it depends on.
    fn solve(&mut self, pair: Pair, node: u32) {
        let mut waiting = vec![self.search(pair, node)];
        while let Some(search) = waiting.last_mut() {
            match self.go_on(search) {
                Some((pair, node)) => {
                    // Setting up a search takes time, too, for a node with very many children.
                    self.steps += (self.tree.children(node).len() / CHILDREN_PER_STEP) as u64;
                    let search = self.search(pair, node);
                    waiting.push(search);
                }
                None => {
                    if let Some(search) = waiting.pop() {
                        let solution = self.solution(&search);
                        self.solved.insert(search.pair, solution);
                    }
                }
            }
        }
    }

    fn search(&self, pair: Pair, node: u32) -> Search {
        let children = self.tree.children(node);
        let mut rest = vec![0u32];
        for (number, &child) in children.iter().rev().enumerate() {
            rest.push(rest[number] + self.min_cost(pair.0, child));
        }
        let (best, queue) = (KeyedMap::default(), BinaryHeap::new());
        let mut search = Search { pair, node, best, queue, rest, greedy: false };
        search.reach((0, 0), 0, children.len() as u32, Origin::Start);
        search
    }

    /// A lower bound of the cost of a child below an element of the class, whether it is skipped or
    /// matched with any part.
    fn min_cost(&self, class: u32, child: u32) -> u32 {
        let label = self.tree.labels[child as usize];
        let readers = &self.pattern.automata[class as usize].readers;
        let readers = &readers[readers.partition_point(|reader| reader.0 < label)..];
        let readers = &readers[..readers.partition_point(|reader| reader.0 == label)];
        if readers.len() > MAX_READERS {
            return 0;
        }
        let matched = readers.iter().map(|reader| self.bound(reader.1, child)).min();
        matched.map_or(self.tree.size(child), |cost| cost.min(self.tree.size(child)))
    }

    /// Searches until the end is reached, or returns a pair that has to be solved first.
    fn go_on(&mut self, search: &mut Search) -> Option<(Pair, u32)> {
        let (pattern, tree) = (self.pattern, self.tree);
        let automaton = &pattern.automata[search.pair.0 as usize];
        let children = tree.children(search.node);
        while let Some(&Reverse(candidate)) = search.queue.peek() {
            if self.steps > self.allowed && !search.greedy {
                search.make_greedy();
                continue;
            }
            let read = children.len() as u32 - candidate.unread;
            if candidate.edge > 0 {
                let edge =
                    automaton.reading[candidate.before as usize][candidate.edge as usize - 1];
                let child = children[read as usize - 1];
                if !candidate.exact {
                    let pair = self.pair(edge.class, child);
                    match self.solved.get(&pair) {
                        Some(&(cost, _)) => {
                            search.queue.pop();
                            let bound = self.bound(edge.class, child);
                            search.push(Candidate {
                                cost: candidate.cost - bound + cost,
                                exact: true,
                                ..candidate
                            });
                        }
                        None if self.steps < 4 * self.allowed => return Some((pair, child)),
                        None => {
                            search.queue.pop();
                        }
                    }
                    continue;
                }
                search.queue.pop();
                let origin = Origin::Matched { state: candidate.before, offset: edge.offset };
                search.reach((read, candidate.state), candidate.cost, candidate.unread, origin);
                continue;
            }
            let position = (read, candidate.state);
            if candidate.unread == 0 && candidate.state == automaton.end {
                return None;
            }
            search.queue.pop();
            if search.best.get(&position).is_some_and(|&(cost, _)| cost < candidate.cost) {
                continue;
            }
            self.steps += 1 + self.many_edges(search.pair.0, candidate.state);
            self.leave(search, position, candidate.cost, children);
        }
        None
    }

    /// Leaving a state costs a step; a state with very many edges costs more.
    fn many_edges(&self, class: u32, state: u32) -> u64 {
        let automaton = &self.pattern.automata[class as usize];
        let edges = automaton.free[state as usize].len() + automaton.reading[state as usize].len();
        (edges / EDGES_PER_STEP) as u64
    }

    /// Adds everything that can be done next to the queue.
    fn leave(&self, search: &mut Search, (read, state): Position, cost: u32, children: &[u32]) {
        let automaton = &self.pattern.automata[search.pair.0 as usize];
        let unread = children.len() as u32 - read;
        for &to in &automaton.free[state as usize] {
            search.reach((read, to), cost, unread, Origin::State(state));
        }
        let child = children.get(read as usize).copied();
        for (number, edge) in (1..).zip(&automaton.reading[state as usize]) {
            let min_size = self.pattern.automata[edge.class as usize].min_nodes + 1;
            search.reach((read, edge.to), cost + min_size, unread, Origin::State(state));
            let Some(child) = child.filter(|&child| self.tree.labels[child as usize] == edge.label)
            else {
                continue;
            };
            let cost = cost + self.bound(edge.class, child);
            if search.best.get(&(read + 1, edge.to)).is_none_or(|&(known, _)| cost < known) {
                search.push(Candidate {
                    key: (0, 0),
                    cost,
                    unread: unread - 1,
                    state: edge.to,
                    edge: number,
                    before: state,
                    exact: false,
                });
            }
        }
        if let Some(child) = child {
            let cost = cost + self.tree.size(child);
            search.reach((read + 1, state), cost, unread - 1, Origin::Skipped);
        }
    }

    /// The cost and the matched children of the best path.
    fn solution(&self, search: &Search) -> (u32, Matched) {
        let automaton = &self.pattern.automata[search.pair.0 as usize];
        let mut position = (self.tree.children(search.node).len() as u32, automaton.end);
        let nothing_fits = automaton.min_nodes + self.tree.size(search.node) - 1;
        let cost = search.best.get(&position).map_or(nothing_fits, |&(cost, _)| cost);
        let mut matched = Matched::new();
        while let Some(&(_, origin)) = search.best.get(&position) {
            match origin {
                Origin::Start => break,
                Origin::State(state) => position.1 = state,
                Origin::Skipped => position.0 -= 1,
                Origin::Matched { state, offset } => {
                    position = (position.0 - 1, state);
                    matched.push((offset, position.0));
                }
            }
        }
        matched.reverse();
        (cost, matched)
    }
}

impl Search {
    /// Records a path to a position if it is better than the best known.
    fn reach(&mut self, position: Position, cost: u32, unread: u32, origin: Origin) {
        if self.best.get(&position).is_some_and(|&(known, _)| known <= cost) {
            return;
        }
        self.best.insert(position, (cost, origin));
        self.push(Candidate {
            key: (0, 0),
            cost,
            unread,
            state: position.1,
            edge: 0,
            before: 0,
            exact: true,
        });
    }

    fn push(&mut self, candidate: Candidate) {
        let expected = candidate.cost + self.rest[candidate.unread as usize];
        let key =
            if self.greedy { (candidate.unread, expected) } else { (expected, candidate.unread) };
        self.queue.push(Reverse(Candidate { key, ..candidate }));
    }

    /// From now on, follows the path that has read the most children first.
    fn make_greedy(&mut self) {
        self.greedy = true;
        for Reverse(candidate) in std::mem::take(&mut self.queue).into_vec() {
            self.push(candidate);
        }
    }
}
