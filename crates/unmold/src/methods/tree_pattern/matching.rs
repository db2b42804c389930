//! How a page fits a pattern, and which part each of its nodes belongs to.
//!
//! Tolerant: leaving out a part of the pattern costs its nodes, passing over a part of the page
//! costs its nodes; the mapping costs least. Cost 0 means that the pattern stands for the page.
//!
//! For a node and an element of the pattern the children are read by the element's automaton. The
//! search goes through (children read, state) in the order of the cost so far and of the least that
//! the children not yet read will cost (A*), and asks what a child below a state costs only when
//! nothing cheaper is left to try: a page that fits is read nearly without trying anything else.
//! Costs depend on shapes only, so they are kept for each pair of an element's class and a
//! subtree's class. A page that fits badly would take long: when the steps it is allowed are used
//! up, searches hurry to the end by the best way they know.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::pattern::{Part, Pattern, bit};
use super::tree::Tree;

/// Steps that the search for one page may take before it hurries; after four times as many it
/// compares no more children, and passes over them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Effort {
    steps: u64,
    steps_per_node: u64,
}

impl Effort {
    /// For the few pages that are learned from.
    pub(super) const LEARNING: Effort = Effort { steps: 1 << 20, steps_per_node: 256 };
    /// For all pages: a few times as long as it takes to parse one.
    pub(super) const MARKING: Effort = Effort { steps: 1 << 14, steps_per_node: 16 };
}

/// With more parts that might take a child, what it costs at least is not worth knowing.
const MANY_TAKERS: usize = 16;

/// A page mapped to a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fit {
    /// Nodes left out on either side.
    pub(super) cost: u32,
    /// The part of the pattern each node belongs to.
    pub(super) parts: Vec<Option<u32>>,
}

/// Children that a part was found for: where the part stands below its element, and which child it
/// is.
type Taken = Vec<(u32, u32)>;

/// Maps a page to a pattern.
pub(super) fn fit(pattern: &Pattern, tree: &Tree, effort: Effort) -> Fit {
    let mut parts = vec![None; tree.len() as usize];
    let root_fits =
        pattern.parts.first().is_some_and(|&part| part == Part::Element(tree.labels[0]));
    if !root_fits {
        let least = if pattern.len() == 0 { 0 } else { pattern.least_size(0) };
        return Fit { cost: least + tree.len(), parts };
    }
    let mut matcher = Matcher::new(pattern, tree, effort);
    let root = matcher.pair(pattern.classes[0], 0);
    matcher.solve(root, 0);
    let mut open = vec![(0u32, 0u32)];
    while let Some((part, node)) = open.pop() {
        parts[node as usize] = Some(part);
        let pair = matcher.pair(pattern.classes[part as usize], node);
        let children = tree.children(node);
        if let Some((_, taken)) = matcher.solved.get(&pair) {
            open.extend(
                taken.iter().map(|&(offset, child)| (part + offset, children[child as usize])),
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
    /// Subtrees of one class are equal.
    classes: Vec<u32>,
    /// Bits of the labels below each node.
    below: Vec<u64>,
    solved: FxHashMap<Pair, (u32, Taken)>,
    steps: u64,
    allowed: u64,
}

/// A place in the search: children read, state of the automaton.
type Place = (u32, u32);

/// How a place was reached.
#[derive(Clone, Copy)]
enum From {
    Start,
    /// From a state, without reading a child.
    State(u32),
    /// By passing over a child.
    Passed,
    /// By taking a child as the part at the offset.
    Taken {
        state: u32,
        offset: u32,
    },
}

/// Something to look at, in the order of its key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Todo {
    /// Cost with what the rest will cost at least, and children unread; in a hurry, the other way
    /// round.
    key: (u32, u32),
    cost: u32,
    unread: u32,
    state: u32,
    /// The edge to try, counted from 1; 0 = go on from this place.
    edge: u32,
    /// State before the edge.
    before: u32,
    /// Whether the cost of the edge is known and included.
    exact: bool,
}

/// A search that may wait for another.
struct Search {
    pair: Pair,
    node: u32,
    best: FxHashMap<Place, (u32, From)>,
    todo: BinaryHeap<Reverse<Todo>>,
    /// What the last so many children cost at least.
    rest: Vec<u32>,
    hurried: bool,
}

impl<'a> Matcher<'a> {
    fn new(pattern: &'a Pattern, tree: &'a Tree, effort: Effort) -> Matcher<'a> {
        let mut known: FxHashMap<(u32, Vec<u32>), u32> = FxHashMap::default();
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
        Matcher { pattern, tree, classes, below, solved: FxHashMap::default(), steps: 0, allowed }
    }

    fn pair(&self, class: u32, node: u32) -> Pair {
        (class, self.classes[node as usize])
    }

    /// The least cost there can be, from sizes and labels alone.
    fn bound(&self, class: u32, node: u32) -> u32 {
        let automaton = &self.pattern.automata[class as usize];
        let below = self.below[node as usize];
        let missing = (automaton.must & !below).count_ones();
        let foreign = (below & !automaton.may).count_ones();
        let too_small = automaton.least.saturating_sub(self.tree.size(node) - 1);
        foreign + missing.max(too_small)
    }

    /// Finds the cost of a pair and of all pairs it depends on.
    fn solve(&mut self, pair: Pair, node: u32) {
        let mut waiting = vec![self.search(pair, node)];
        while let Some(search) = waiting.last_mut() {
            match self.go_on(search) {
                Some((pair, node)) => {
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
            rest.push(rest[number] + self.least_cost(pair.0, child));
        }
        let (best, todo) = (FxHashMap::default(), BinaryHeap::new());
        let mut search = Search { pair, node, best, todo, rest, hurried: false };
        search.reach((0, 0), 0, children.len() as u32, From::Start);
        search
    }

    /// The least that a child costs below an element of the class: passed over, or taken by any
    /// part.
    fn least_cost(&self, class: u32, child: u32) -> u32 {
        let label = self.tree.labels[child as usize];
        let takers = &self.pattern.automata[class as usize].takers;
        let takers = &takers[takers.partition_point(|taker| taker.0 < label)..];
        let takers = &takers[..takers.partition_point(|taker| taker.0 == label)];
        if takers.len() > MANY_TAKERS {
            return 0;
        }
        let taken = takers.iter().map(|taker| self.bound(taker.1, child)).min();
        taken.map_or(self.tree.size(child), |cost| cost.min(self.tree.size(child)))
    }

    /// Searches until the end is reached, or until another pair has to be solved first.
    fn go_on(&mut self, search: &mut Search) -> Option<(Pair, u32)> {
        let (pattern, tree) = (self.pattern, self.tree);
        let automaton = &pattern.automata[search.pair.0 as usize];
        let children = tree.children(search.node);
        while let Some(&Reverse(todo)) = search.todo.peek() {
            if self.steps > self.allowed && !search.hurried {
                search.hurry();
                continue;
            }
            let read = children.len() as u32 - todo.unread;
            if todo.edge > 0 {
                let edge = automaton.taking[todo.before as usize][todo.edge as usize - 1];
                let child = children[read as usize - 1];
                if !todo.exact {
                    let pair = self.pair(edge.class, child);
                    match self.solved.get(&pair) {
                        Some(&(cost, _)) => {
                            search.todo.pop();
                            let bound = self.bound(edge.class, child);
                            search.push(Todo {
                                cost: todo.cost - bound + cost,
                                exact: true,
                                ..todo
                            });
                        }
                        None if self.steps < 4 * self.allowed => return Some((pair, child)),
                        None => {
                            search.todo.pop();
                        }
                    }
                    continue;
                }
                search.todo.pop();
                let from = From::Taken { state: todo.before, offset: edge.offset };
                search.reach((read, todo.state), todo.cost, todo.unread, from);
                continue;
            }
            let place = (read, todo.state);
            if todo.unread == 0 && todo.state == automaton.end {
                return None;
            }
            search.todo.pop();
            if search.best.get(&place).is_some_and(|&(cost, _)| cost < todo.cost) {
                continue;
            }
            self.steps += 1;
            self.leave(search, place, todo.cost, children);
        }
        None
    }

    /// Everything that can be done next.
    fn leave(&self, search: &mut Search, (read, state): Place, cost: u32, children: &[u32]) {
        let automaton = &self.pattern.automata[search.pair.0 as usize];
        let unread = children.len() as u32 - read;
        for &to in &automaton.free[state as usize] {
            search.reach((read, to), cost, unread, From::State(state));
        }
        let child = children.get(read as usize).copied();
        for (number, edge) in (1..).zip(&automaton.taking[state as usize]) {
            let least = self.pattern.automata[edge.class as usize].least + 1;
            search.reach((read, edge.to), cost + least, unread, From::State(state));
            let Some(child) = child.filter(|&child| self.tree.labels[child as usize] == edge.label)
            else {
                continue;
            };
            let cost = cost + self.bound(edge.class, child);
            if search.best.get(&(read + 1, edge.to)).is_none_or(|&(known, _)| cost < known) {
                search.push(Todo {
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
            search.reach((read + 1, state), cost, unread - 1, From::Passed);
        }
    }

    /// The cost, and the children taken on the way.
    fn solution(&self, search: &Search) -> (u32, Taken) {
        let automaton = &self.pattern.automata[search.pair.0 as usize];
        let mut place = (self.tree.children(search.node).len() as u32, automaton.end);
        let nothing_fits = automaton.least + self.tree.size(search.node) - 1;
        let cost = search.best.get(&place).map_or(nothing_fits, |&(cost, _)| cost);
        let mut taken = Taken::new();
        while let Some(&(_, from)) = search.best.get(&place) {
            match from {
                From::Start => break,
                From::State(state) => place.1 = state,
                From::Passed => place.0 -= 1,
                From::Taken { state, offset } => {
                    place = (place.0 - 1, state);
                    taken.push((offset, place.0));
                }
            }
        }
        taken.reverse();
        (cost, taken)
    }
}

impl Search {
    /// Notes a way to a place, if it is better than those known.
    fn reach(&mut self, place: Place, cost: u32, unread: u32, from: From) {
        if self.best.get(&place).is_some_and(|&(known, _)| known <= cost) {
            return;
        }
        self.best.insert(place, (cost, from));
        self.push(Todo {
            key: (0, 0),
            cost,
            unread,
            state: place.1,
            edge: 0,
            before: 0,
            exact: true,
        });
    }

    fn push(&mut self, todo: Todo) {
        let expected = todo.cost + self.rest[todo.unread as usize];
        let key = if self.hurried { (todo.unread, expected) } else { (expected, todo.unread) };
        self.todo.push(Reverse(Todo { key, ..todo }));
    }

    /// From now on the way that has read most is followed first.
    fn hurry(&mut self) {
        self.hurried = true;
        for Reverse(todo) in std::mem::take(&mut self.todo).into_vec() {
            self.push(todo);
        }
    }
}
