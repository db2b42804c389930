//! Which alignment of two sequences is best? Chooses the cheapest way that is exact, as far as
//! memory allows.
//!
//! 1. The suffix that the two share is aligned with itself, as the rule for ties would.
//! 2. What is left is solved exactly if its matrix is below [`CELLS`].
//! 3. Of a larger one the shared prefix is aligned with itself: some best alignment does, but among
//!    equals it need not be the one that the rule for ties chooses. The rest is halved by
//!    Hirschberg's rule until it is small enough: exact, linear memory, twice the time.
//! 4. One that would take more than [`CELLS`] steps is first cut at tokens that stand exactly once
//!    in each part (the longest chain of them in order): a heuristic.
//!
//! time: n·m / 64 for `lcs` scoring, n·m for the paper's. space: at most a quarter of a byte for
//! each of [`CELLS`].

use std::ops::Range;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::needleman::{FORBIDDEN, Weights};
use super::{lcs, needleman};

/// The largest matrix that is kept at once: 8 MB of trace for `lcs` scoring, 16 MB for the paper's.
pub(super) const CELLS: usize = 1 << 26;

/// What an alignment earns for two equal tokens, two different ones, and a token without a partner.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    /// 1, forbidden, 0: the most equal tokens. A block that moves costs nothing but itself.
    Lcs,
    /// 1, 0, −1, as in the paper: pages that differ in length lose matches to the diagonal.
    Paper,
}

impl Scoring {
    pub(super) fn weights(self) -> Weights {
        match self {
            Scoring::Lcs => Weights { matching: 1, mismatch: FORBIDDEN, gap: 0 },
            Scoring::Paper => Weights { matching: 1, mismatch: 0, gap: -1 },
        }
    }

    /// Cells that are computed by one step.
    fn cells_at_once(self) -> usize {
        match self {
            Scoring::Lcs => 64,
            Scoring::Paper => 1,
        }
    }

    fn trace(self, first: &[u32], second: &[u32]) -> Vec<Step> {
        match self {
            Scoring::Lcs => lcs::trace(first, second),
            Scoring::Paper => needleman::trace(first, second, self.weights()),
        }
    }

    fn last_row(self, first: &[u32], second: &[u32]) -> Vec<i32> {
        match self {
            Scoring::Lcs => lcs::last_row(first, second),
            Scoring::Paper => needleman::last_row(first, second, self.weights()),
        }
    }
}

/// One column of an alignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// A token of each, equal or (only with the paper's scores) not.
    Both(usize, usize),
    /// A token of the first sequence alone.
    First(usize),
    /// A token of the second sequence alone.
    Second(usize),
}

/// Aligns two sequences.
pub(super) fn align(first: &[u32], second: &[u32], scoring: Scoring) -> Vec<Step> {
    align_within(first, second, scoring, CELLS)
}

/// [`align`] with another limit on the cells of a matrix.
pub(super) fn align_within(
    first: &[u32],
    second: &[u32],
    scoring: Scoring,
    cells: usize,
) -> Vec<Step> {
    let mut aligner = Aligner { first, second, scoring, cells: cells.max(4), steps: Vec::new() };
    let whole = Piece { first: 0..first.len(), second: 0..second.len() };
    aligner.without_suffix(whole, Aligner::exact_or_anchored);
    aligner.steps
}

/// A range of each sequence, to be aligned with each other.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Piece {
    first: Range<usize>,
    second: Range<usize>,
}

impl Piece {
    fn cells(&self) -> usize {
        (self.first.len() + 1).saturating_mul(self.second.len() + 1)
    }
}

struct Aligner<'a> {
    first: &'a [u32],
    second: &'a [u32],
    scoring: Scoring,
    cells: usize,
    /// The alignment so far. Pieces are aligned from left to right.
    steps: Vec<Step>,
}

impl Aligner<'_> {
    /// Aligns the suffix that the parts share with itself, after `inner` has aligned the rest.
    fn without_suffix(&mut self, piece: Piece, inner: impl FnOnce(&mut Self, Piece)) {
        let Piece { first, second } = piece;
        let pairs =
            self.first[first.clone()].iter().rev().zip(self.second[second.clone()].iter().rev());
        let length = pairs.take_while(|(a, b)| a == b).count();
        let (first_end, second_end) = (first.end - length, second.end - length);
        inner(self, Piece { first: first.start..first_end, second: second.start..second_end });
        self.steps.extend((0..length).map(|k| Step::Both(first_end + k, second_end + k)));
    }

    /// Aligns the prefix that the parts share with itself; what is left.
    fn without_prefix(&mut self, piece: Piece) -> Piece {
        let Piece { mut first, mut second } = piece;
        let pairs = self.first[first.clone()].iter().zip(&self.second[second.clone()]);
        let length = pairs.take_while(|(a, b)| a == b).count();
        self.steps.extend((0..length).map(|k| Step::Both(first.start + k, second.start + k)));
        first.start += length;
        second.start += length;
        Piece { first, second }
    }

    fn exact_or_anchored(&mut self, piece: Piece) {
        if piece.cells() <= self.cells {
            return self.exact(piece);
        }
        // Anchors lose matches: not as long as an exact alignment is fast.
        if piece.cells() / self.scoring.cells_at_once() <= self.cells {
            let rest = self.without_prefix(piece);
            return self.exact_or_halved(rest);
        }
        let mut rest = self.without_prefix(piece);
        for (i, j) in self.anchors(&rest) {
            let before = Piece { first: rest.first.start..i, second: rest.second.start..j };
            self.without_suffix(before, Aligner::exact_or_halved);
            self.steps.push(Step::Both(i, j));
            (rest.first.start, rest.second.start) = (i + 1, j + 1);
        }
        self.without_suffix(rest, Aligner::exact_or_halved);
    }

    fn exact(&mut self, piece: Piece) {
        let (first, second) =
            (&self.first[piece.first.clone()], &self.second[piece.second.clone()]);
        let (i, j) = (piece.first.start, piece.second.start);
        let steps = self.scoring.trace(first, second);
        self.steps.extend(steps.into_iter().map(|step| match step {
            Step::Both(a, b) => Step::Both(a + i, b + j),
            Step::First(a) => Step::First(a + i),
            Step::Second(b) => Step::Second(b + j),
        }));
    }

    /// Halves a piece until each part is small enough.
    fn exact_or_halved(&mut self, piece: Piece) {
        let mut waiting = vec![piece];
        while let Some(piece) = waiting.pop() {
            // A piece with one row cannot be halved, and needs no more memory than its own length.
            if piece.cells() <= self.cells || piece.first.len() < 2 {
                self.exact(piece);
                continue;
            }
            let (left, right) = self.halve(piece);
            waiting.push(right);
            waiting.push(left);
        }
    }

    /// Cuts the first sequence in the middle, and the second where a best alignment passes that
    /// middle.
    fn halve(&self, piece: Piece) -> (Piece, Piece) {
        let Piece { first, second } = piece;
        let middle = first.start + first.len() / 2;
        let reversed = |part: &[u32]| -> Vec<u32> { part.iter().rev().copied().collect() };
        let before =
            self.scoring.last_row(&self.first[first.start..middle], &self.second[second.clone()]);
        let after = self.scoring.last_row(
            &reversed(&self.first[middle..first.end]),
            &reversed(&self.second[second.clone()]),
        );
        let mut best = (0, i32::MIN);
        for (at, score) in before.iter().zip(after.iter().rev()).map(|(a, b)| a + b).enumerate() {
            if score > best.1 {
                best = (at, score);
            }
        }
        let cut = second.start + best.0;
        (
            Piece { first: first.start..middle, second: second.start..cut },
            Piece { first: middle..first.end, second: cut..second.end },
        )
    }

    /// The longest chain of tokens that stand exactly once in each part.
    fn anchors(&self, piece: &Piece) -> Vec<(usize, usize)> {
        let once_in_second = once(self.second, piece.second.clone());
        let once_in_first = once(self.first, piece.first.clone());
        let pairs: Vec<(usize, usize)> = piece
            .first
            .clone()
            .filter(|&i| once_in_first.get(&self.first[i]) == Some(&Some(i)))
            .filter_map(|i| once_in_second.get(&self.first[i]).copied().flatten().map(|j| (i, j)))
            .collect();
        longest_chain(&pairs)
    }
}

/// Where each token of a range stands if it stands there once.
fn once(sequence: &[u32], range: Range<usize>) -> FxHashMap<u32, Option<usize>> {
    let mut places: FxHashMap<u32, Option<usize>> = FxHashMap::default();
    for at in range {
        places.entry(sequence[at]).and_modify(|place| *place = None).or_insert(Some(at));
    }
    places
}

/// The longest part of `pairs`, which are sorted by their first number, whose second numbers grow.
fn longest_chain(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends[k]` is the pair with the least second number that ends a chain of k + 1 pairs.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < pair.1);
        before.push(length.checked_sub(1).map(|k| ends[k]));
        match ends.get_mut(length) {
            Some(end) => *end = number,
            None => ends.push(number),
        }
    }
    let last = ends.last().copied();
    let mut chain: Vec<(usize, usize)> =
        std::iter::successors(last, |&number| before[number]).map(|number| pairs[number]).collect();
    chain.reverse();
    chain
}
