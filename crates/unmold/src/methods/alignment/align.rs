//! Aligns two sequences: exactly as long as time and memory allow, otherwise with a heuristic.
//!
//! 1. The common suffix is aligned with itself, which agrees with the tie-breaking rule.
//! 2. The rest is solved exactly in one matrix if that has at most [`CELLS`] cells.
//! 3. If the matrix is larger, the common prefix is aligned with itself. Some best alignment does
//!    so too, but not necessarily the one that the tie-breaking rule prefers. The rest is halved
//!    with Hirschberg's algorithm until it is small enough: exact, linear memory, twice the time.
//! 4. If that would take more than [`CELLS`] steps, the sequences are first cut at tokens that
//!    occur exactly once in each (the longest chain of them in order): a heuristic.
//!
//! time: n·m / 64 for `lcs` scoring, n·m for the paper's. space: at most a quarter of a byte for
//! each of the [`CELLS`].

use std::ops::Range;

use serde::{Deserialize, Serialize};
use unmold_html::hash::KeyedMap;

use super::needleman::{FORBIDDEN, Weights};
use super::step::Step;
use super::{lcs, needleman};

/// The largest matrix kept in memory: 8 MB of trace for `lcs` scoring, 16 MB for the paper's.
pub(super) const CELLS: usize = 1 << 26;

/// The scores of two equal tokens, of two different ones, and of a token without a partner.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    /// 1, forbidden, 0: maximises the number of equal tokens. A block that moved costs no more than
    /// its own matches.
    Lcs,
    /// 1, 0, −1, as in the paper: when pages differ in length, mismatches along the diagonal can
    /// outscore real matches.
    Paper,
}

impl Scoring {
    pub(super) fn weights(self) -> Weights {
        match self {
            Scoring::Lcs => Weights { matching: 1, mismatch: FORBIDDEN, gap: 0 },
            Scoring::Paper => Weights { matching: 1, mismatch: 0, gap: -1 },
        }
    }

    /// Number of cells computed in one step.
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

/// Aligns two sequences.
pub(super) fn align(first: &[u32], second: &[u32], scoring: Scoring) -> Vec<Step> {
    align_within(first, second, scoring, CELLS)
}

/// [`align`] with a given limit on the cells of a matrix.
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

/// A range of each sequence; the two are to be aligned with each other.
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
    /// Aligns the common suffix with itself, after `inner` has aligned the rest.
    fn without_suffix(&mut self, piece: Piece, inner: impl FnOnce(&mut Self, Piece)) {
        let Piece { first, second } = piece;
        let pairs =
            self.first[first.clone()].iter().rev().zip(self.second[second.clone()].iter().rev());
        let length = pairs.take_while(|(a, b)| a == b).count();
        let (first_end, second_end) = (first.end - length, second.end - length);
        inner(self, Piece { first: first.start..first_end, second: second.start..second_end });
        self.steps.extend((0..length).map(|k| Step::Both(first_end + k, second_end + k)));
    }

    /// Aligns the common prefix with itself and returns the rest.
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
        // Anchors lose matches, so they are used only if an exact alignment would be slow.
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
            // A single row cannot be halved, and its matrix is no larger than the other sequence.
            if piece.cells() <= self.cells || piece.first.len() < 2 {
                self.exact(piece);
                continue;
            }
            let (left, right) = self.halve(piece);
            waiting.push(right);
            waiting.push(left);
        }
    }

    /// Cuts the first sequence in the middle, and the second where a best alignment crosses that
    /// point.
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

    /// The longest chain of tokens that occur exactly once in each range.
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

/// The position of each token of a range, or `None` if it occurs more than once.
fn once(sequence: &[u32], range: Range<usize>) -> KeyedMap<u32, Option<usize>> {
    let mut positions: KeyedMap<u32, Option<usize>> = KeyedMap::default();
    for at in range {
        positions.entry(sequence[at]).and_modify(|position| *position = None).or_insert(Some(at));
    }
    positions
}

/// The longest subsequence of `pairs` with increasing second numbers. `pairs` is sorted by first
/// number.
fn longest_chain(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends[k]` is the pair with the smallest second number that ends a chain of k + 1 pairs.
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
