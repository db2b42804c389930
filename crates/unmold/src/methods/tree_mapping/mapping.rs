//! Finds a cheapest restricted top-down mapping between two trees (RTDM-TD), and thereby the nodes
//! they share.
//!
//! Paper: `docs/methods/tree-mapping.md`. Two nodes may be mapped if their parents are; nothing is
//! mapped below nodes with different labels. Identical subtrees are mapped at once (the paper's
//! equivalence classes), differing labels end the descent, and for each remaining pair of nodes the
//! two lists of children are aligned.
//!
//! time: at worst the product of the trees, near linear for pages of one site. space: two bits per
//! cell of an alignment that must be walked back, and a row of scores per open alignment.
//!
//! Departures:
//!
//! - Among the cheapest mappings, one with the most equal nodes is chosen, because unit costs leave
//!   the choice open and the template should not depend on it.
//! - Alignments that cannot be part of a cheapest mapping are not computed.
//! - If a pair of trees exceeds the cell budget, the mapping of the module `greedy` is used, and
//!   the result is flagged as approximate.

use unmold_html::hash::KeyedMap;

use super::greedy::{Greedy, Repeats};
use super::tree::{Index, Run, Tree, Window};
use crate::page::Interner;

/// The costs of editing a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Costs {
    delete: u8,
    insert: u8,
    replace: u8,
}

impl Costs {
    /// 1 for each edit, as in the paper.
    pub const UNIT: Costs = Costs { delete: 1, insert: 1, replace: 1 };
    /// A replacement costs as much as a deletion and an insertion, so the cheapest mapping has the
    /// largest common part.
    pub const COMMON_PART: Costs = Costs { delete: 1, insert: 1, replace: 2 };

    /// Costs of deleting, inserting and replacing a node. `None` unless `0 < replace <= delete +
    /// insert`: otherwise a mapping that pairs the roots would not be the cheapest.
    pub fn new(delete: u8, insert: u8, replace: u8) -> Option<Costs> {
        let fits = replace > 0 && u16::from(replace) <= u16::from(delete) + u16::from(insert);
        fits.then_some(Costs { delete, insert, replace })
    }

    /// Costs of deleting, inserting and replacing a node.
    pub fn get(self) -> (u8, u8, u8) {
        (self.delete, self.insert, self.replace)
    }

    fn delete(self, nodes: u32) -> Score {
        score(u64::from(self.delete) * u64::from(nodes), 0)
    }

    fn insert(self, nodes: u32) -> Score {
        score(u64::from(self.insert) * u64::from(nodes), 0)
    }

    fn replace(self) -> Score {
        score(u64::from(self.replace), 0)
    }

    /// Whether the cheapest mapping is the one with the most equal nodes.
    fn is_common_part(self) -> bool {
        u16::from(self.replace) == u16::from(self.delete) + u16::from(self.insert)
    }

    /// The cost of a mapping with `matched` equal pairs and no replacement.
    pub(super) fn of_matches(self, a: &Tree, b: &Tree, matched: u32) -> u64 {
        cost_of(self.delete(a.len() - matched)) + cost_of(self.insert(b.len() - matched))
    }
}

/// Cost and number of equal pairs in one number. A smaller score is better: first lower cost, then
/// more pairs. The score of a sum is the sum of the scores. 200 000 nodes at a cost of 255 stay far
/// below the limit of 2^31 for either.
type Score = i64;

const fn score(cost: u64, matched: u32) -> Score {
    ((cost as i64) << 32) - matched as i64
}

fn cost_of(score: Score) -> u64 {
    ((score + i64::from(u32::MAX)) >> 32) as u64
}

fn matched_of(score: Score) -> u32 {
    (((cost_of(score) as i64) << 32) - score) as u32
}

/// The nodes that two trees share, and the cost of turning one into the other.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Mapping {
    /// Pairs of nodes with equal labels, in document order.
    pub(super) runs: Vec<Run>,
    pub(super) cost: u64,
    /// Number of pairs in `runs`.
    pub(super) matched: u32,
    /// Set if the trees exceeded the budget: the mapping is valid, but a cheaper one may exist.
    pub(super) approximate: bool,
}

/// Maps pairs of trees; reuses its memory from one pair to the next.
#[derive(Clone, Debug)]
pub(super) struct Mapper {
    costs: Costs,
    /// Maximum number of alignment cells for a pair of trees.
    budget: u64,
    used: u64,
    open: Vec<Alignment>,
    /// The current row of each open alignment.
    rows: Vec<Score>,
    steps: Steps,
    /// Where the steps of a pair of nodes begin.
    recorded: KeyedMap<(u32, u32), u64>,
    greedy: Greedy,
    common: Common,
}

/// The children of two nodes being aligned.
#[derive(Clone, Debug)]
struct Alignment {
    u: u32,
    v: u32,
    window: Window,
    /// Number of equal pairs known without aligning: the two nodes and their identical outer
    /// children.
    matched: u32,
    /// Next cell.
    row: u32,
    column: u32,
    /// Score of the cell diagonally before it.
    diagonal: Score,
    row_start: u32,
    steps_start: u64,
    /// Whether any cell needed an alignment of its own.
    nested: bool,
}

/// Result of advancing an alignment.
enum Next {
    Align(Alignment),
    Finished(Score),
}

/// The score of a pair of nodes, or the alignment needed to compute it.
enum Pair {
    Known(Score),
    /// The labels are equal, the subtrees are not, and both have children of their own.
    Open(Alignment),
}

/// The budget is used up.
struct TooLarge;

/// Memory taken by the record of an alignment, in cells.
const CELLS_PER_RECORD: u64 = 64;

impl Mapper {
    pub(super) fn new(costs: Costs, budget: u64) -> Mapper {
        Mapper {
            costs,
            budget,
            used: 0,
            open: Vec::new(),
            rows: Vec::new(),
            steps: Steps::default(),
            recorded: KeyedMap::default(),
            greedy: Greedy::default(),
            common: Common::default(),
        }
    }

    /// A cheapest mapping from `a` to `b`, or a greedy one if the budget does not suffice.
    pub(super) fn map(&mut self, a: &Tree, b: &Tree) -> Mapping {
        self.used = 0;
        self.steps.clear();
        self.recorded.clear();
        self.open.clear();
        self.rows.clear();
        self.common.count(a, b);
        match self.map_exactly(a, b) {
            Ok(mapping) => mapping,
            Err(TooLarge) => self.map_greedily(a, b),
        }
    }

    fn map_exactly(&mut self, a: &Tree, b: &Tree) -> Result<Mapping, TooLarge> {
        let best = self.score(a, 0, b, 0)?;
        let runs = self.walk_back(a, b)?;
        Ok(Mapping { runs, cost: cost_of(best), matched: matched_of(best), approximate: false })
    }

    fn map_greedily(&mut self, a: &Tree, b: &Tree) -> Mapping {
        let mut runs = Vec::new();
        self.greedy.map(a, &Index::of(a, |_| 1), b, Repeats::Unmapped, |run| runs.push(run));
        runs.sort_unstable_by_key(|run| run.first);
        let matched = runs.iter().map(|run| run.nodes).sum();
        Mapping { runs, cost: self.costs.of_matches(a, b, matched), matched, approximate: true }
    }

    /// The score of mapping the subtree of `u` to the subtree of `v`.
    fn score(&mut self, a: &Tree, u: u32, b: &Tree, v: u32) -> Result<Score, TooLarge> {
        match self.pair(a, u, b, v) {
            Pair::Known(score) => return Ok(score),
            Pair::Open(alignment) => self.begin(b, alignment)?,
        }
        let mut below = None;
        loop {
            match self.advance(a, b, below.take()) {
                Next::Align(alignment) => self.begin(b, alignment)?,
                Next::Finished(score) => {
                    self.end();
                    if self.open.is_empty() {
                        return Ok(score);
                    }
                    below = Some(score);
                }
            }
        }
    }

    fn pair(&self, a: &Tree, u: u32, b: &Tree, v: u32) -> Pair {
        if a.class(u) == b.class(v) {
            return Pair::Known(score(0, a.size(u)));
        }
        let costs = self.costs;
        if a.label(u) != b.label(v) {
            return Pair::Known(
                costs.replace() + costs.delete(a.size(u) - 1) + costs.insert(b.size(v) - 1),
            );
        }
        if costs.is_common_part() && self.common.max_pairs(u, v) == 1 {
            // No nodes below can be equal, and replacing costs as much as deleting and inserting.
            return Pair::Known(
                costs.delete(a.size(u) - 1) + costs.insert(b.size(v) - 1) + score(0, 1),
            );
        }
        let (x, y) = (a.children(u), b.children(v));
        let window = Window::between(a, x, b, y);
        let identical =
            window.leading(x, y).chain(window.trailing(x, y)).map(|(u, _)| a.size(u)).sum::<u32>();
        let (x, y) = (window.first(x), window.second(y));
        let matched = 1 + identical;
        if x.is_empty() || y.is_empty() {
            let (deleted, inserted) = (a.size(u) - matched, b.size(v) - matched);
            return Pair::Known(costs.delete(deleted) + costs.insert(inserted) + score(0, matched));
        }
        Pair::Open(Alignment {
            u,
            v,
            window,
            matched,
            row: 0,
            column: 0,
            diagonal: 0,
            row_start: 0,
            steps_start: 0,
            nested: false,
        })
    }

    /// Makes `alignment` the innermost one.
    fn begin(&mut self, b: &Tree, mut alignment: Alignment) -> Result<(), TooLarge> {
        let window = alignment.window;
        let y = window.second(b.children(alignment.v));
        let cells = u64::from(window.first_end - window.start) * y.len() as u64;
        self.used += cells;
        if self.used > self.budget {
            return Err(TooLarge);
        }
        alignment.row_start = self.rows.len() as u32;
        alignment.steps_start = self.steps.reserve(cells);
        let mut sum = 0;
        self.rows.push(sum);
        for &v in y {
            sum += self.costs.insert(b.size(v));
            self.rows.push(sum);
        }
        self.open.push(alignment);
        Ok(())
    }

    /// Fills cells of the innermost alignment until one needs a nested alignment or all are filled.
    /// `below` is the score of the nested alignment that just finished.
    fn advance(&mut self, a: &Tree, b: &Tree, mut below: Option<Score>) -> Next {
        let Some(mut at) = self.open.pop() else { return Next::Finished(0) };
        let x = at.window.first(a.children(at.u));
        let y = at.window.second(b.children(at.v));
        while (at.row as usize) < x.len() {
            let u = x[at.row as usize];
            let delete = self.costs.delete(a.size(u));
            if at.column == 0 && below.is_none() {
                let first = &mut self.rows[at.row_start as usize];
                at.diagonal = *first;
                *first += delete;
            }
            while (at.column as usize) < y.len() {
                let v = y[at.column as usize];
                let above = at.row_start as usize + at.column as usize + 1;
                let deleted = self.rows[above] + delete;
                let inserted = self.rows[above - 1] + self.costs.insert(b.size(v));
                let other = deleted.min(inserted);
                let paired = match below.take() {
                    Some(score) => score,
                    None if at.diagonal + self.lower_bound(a, u, b, v) > other => Score::MAX / 2,
                    None => match self.pair(a, u, b, v) {
                        Pair::Known(score) => score,
                        Pair::Open(alignment) => {
                            at.nested = true;
                            self.open.push(at);
                            return Next::Align(alignment);
                        }
                    },
                };
                let mapped = at.diagonal + paired;
                let (best, step) = match () {
                    () if mapped <= other => (mapped, Step::Map),
                    () if deleted <= inserted => (deleted, Step::Delete),
                    () => (inserted, Step::Insert),
                };
                let cell = u64::from(at.row) * y.len() as u64 + u64::from(at.column);
                self.steps.set(at.steps_start, cell, step);
                at.diagonal = std::mem::replace(&mut self.rows[above], best);
                at.column += 1;
            }
            at.row += 1;
            at.column = 0;
        }
        let best = self.rows[at.row_start as usize + y.len()] + score(0, at.matched);
        self.open.push(at);
        Next::Finished(best)
    }

    /// A lower bound of the score of a pair, computed without looking at its children.
    fn lower_bound(&self, a: &Tree, u: u32, b: &Tree, v: u32) -> Score {
        if a.class(u) == b.class(v) {
            return score(0, a.size(u));
        }
        let (first, second) = (a.size(u), b.size(v));
        let smaller = first.min(second);
        // Different subtrees have at least one node that is not equal, and more if some labels do
        // not occur on the other side. At best each of these is replaced, and only the surplus of
        // the larger tree is deleted or inserted.
        let equal =
            self.common.max_pairs(u, v).min(if first == second { smaller - 1 } else { smaller });
        let replaced = score(u64::from(self.costs.replace) * u64::from(smaller - equal), equal);
        self.costs.delete(first - smaller) + self.costs.insert(second - smaller) + replaced
    }

    /// Closes the innermost alignment. Its steps are kept only if it has nested alignments. The
    /// others are cheaper to recompute, because the best mapping passes through only a few of them.
    fn end(&mut self) {
        let Some(at) = self.open.pop() else { return };
        self.rows.truncate(at.row_start as usize);
        if at.nested || self.open.is_empty() {
            self.used += CELLS_PER_RECORD;
            self.recorded.insert((at.u, at.v), at.steps_start);
        } else {
            self.steps.truncate(at.steps_start);
        }
    }

    /// The paper's retrieveTemplate: follows the recorded steps from the last cell of each
    /// alignment to its first.
    fn walk_back(&mut self, a: &Tree, b: &Tree) -> Result<Vec<Run>, TooLarge> {
        let mut runs = Vec::new();
        let mut pairs = vec![(0, 0)];
        while let Some((u, v)) = pairs.pop() {
            if a.class(u) == b.class(v) {
                runs.push(Run { first: u, second: v, nodes: a.size(u) });
                continue;
            }
            if a.label(u) != b.label(v) {
                continue;
            }
            runs.push(Run { first: u, second: v, nodes: 1 });
            let (x, y) = (a.children(u), b.children(v));
            let window = Window::between(a, x, b, y);
            // Push the last pair first, so that pairs are popped in document order.
            pairs.extend(window.trailing(x, y).rev());
            let (inner_x, inner_y) = (window.first(x), window.second(y));
            if matches!(self.pair(a, u, b, v), Pair::Open(_)) {
                let start = self.steps_of(a, u, b, v)?;
                self.steps.walk_back(start, inner_x, inner_y, &mut pairs);
            }
            pairs.extend(window.leading(x, y).rev());
        }
        Ok(runs)
    }

    fn steps_of(&mut self, a: &Tree, u: u32, b: &Tree, v: u32) -> Result<u64, TooLarge> {
        if let Some(&start) = self.recorded.get(&(u, v)) {
            return Ok(start);
        }
        self.score(a, u, b, v)?;
        Ok(self.recorded.get(&(u, v)).copied().unwrap_or_default())
    }
}

/// For each subtree, the number of nodes whose label occurs anywhere in the other tree.
#[derive(Clone, Default, Debug)]
struct Common {
    first: Vec<u32>,
    second: Vec<u32>,
    /// Indexed by label; bit 0 = in the first tree, bit 1 = in the second.
    sides: Vec<u8>,
}

impl Common {
    fn count(&mut self, a: &Tree, b: &Tree) {
        self.sides.clear();
        for (tree, side) in [(a, 1), (b, 2)] {
            for label in
                (0..tree.len()).map(|id| tree.label(id)).filter(|&label| label != Interner::UNKNOWN)
            {
                if self.sides.len() <= label as usize {
                    self.sides.resize(label as usize + 1, 0);
                }
                self.sides[label as usize] |= side;
            }
        }
        sum_common(a, &self.sides, &mut self.first);
        sum_common(b, &self.sides, &mut self.second);
    }

    /// Upper bound of the number of equal pairs in a mapping of the two subtrees.
    fn max_pairs(&self, u: u32, v: u32) -> u32 {
        self.first[u as usize].min(self.second[v as usize])
    }
}

fn sum_common(tree: &Tree, sides: &[u8], sums: &mut Vec<u32>) {
    sums.clear();
    sums.extend(
        (0..tree.len()).map(|id| u32::from(sides.get(tree.label(id) as usize) == Some(&3))),
    );
    for id in (0..tree.len()).rev() {
        sums[id as usize] +=
            tree.children(id).iter().map(|&child| sums[child as usize]).sum::<u32>();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Map = 0,
    Delete = 1,
    Insert = 2,
}

/// The steps of alignments, two bits each.
#[derive(Clone, Default, Debug)]
struct Steps(Vec<u8>);

impl Steps {
    fn clear(&mut self) {
        self.0.clear();
    }

    /// Makes room for the steps of an alignment and returns where they begin.
    fn reserve(&mut self, cells: u64) -> u64 {
        let start = self.0.len();
        self.0.resize(start + cells.div_ceil(4) as usize, 0);
        start as u64
    }

    fn truncate(&mut self, start: u64) {
        self.0.truncate(start as usize);
    }

    fn set(&mut self, start: u64, cell: u64, step: Step) {
        self.0[(start + cell / 4) as usize] |= (step as u8) << (cell % 4 * 2);
    }

    fn get(&self, start: u64, cell: u64) -> Step {
        match self.0[(start + cell / 4) as usize] >> (cell % 4 * 2) & 3 {
            0 => Step::Map,
            1 => Step::Delete,
            _ => Step::Insert,
        }
    }

    /// Pushes the mapped pairs of `x` and `y`, last one first.
    fn walk_back(&self, start: u64, x: &[u32], y: &[u32], pairs: &mut Vec<(u32, u32)>) {
        let (mut row, mut column) = (x.len(), y.len());
        while row > 0 && column > 0 {
            let cell = (row - 1) as u64 * y.len() as u64 + (column - 1) as u64;
            match self.get(start, cell) {
                Step::Map => {
                    row -= 1;
                    column -= 1;
                    pairs.push((x[row], y[column]));
                }
                Step::Delete => row -= 1,
                Step::Insert => column -= 1,
            }
        }
    }
}
