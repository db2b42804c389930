//! The longest common subsequence, 64 cells at a time.
//!
//! With the scores match 1, gap 0 and no mismatches, neighbouring cells of a row differ by 0 or 1,
//! so a row is a string of bits and the next row follows from it by one addition (Crochemore,
//! Iliopoulos, Pinzon and Reid 2001; Hyyrö 2004). One bit of trace a cell. Gives the very alignment
//! that [`super::needleman`] gives.

use rustc_hash::FxHashMap;

use super::align::Step;

/// The best alignment, ties broken as in [`super::needleman::trace`].
pub(super) fn trace(first: &[u32], second: &[u32]) -> Vec<Step> {
    // Bits run along `first`, so that they say whether the first sequence alone may be consumed.
    let mut rows = Rows::new(first);
    let width = rows.row.len();
    let mut trace: Vec<u64> = Vec::with_capacity(width * second.len());
    for &token in second {
        rows.advance(token);
        trace.extend_from_slice(&rows.row);
    }
    let mut steps = Vec::with_capacity(first.len().max(second.len()));
    let (mut i, mut j) = (first.len(), second.len());
    while i > 0 && j > 0 {
        if first[i - 1] == second[j - 1] {
            (i, j) = (i - 1, j - 1);
            steps.push(Step::Both(i, j));
        } else if trace[(j - 1) * width + (i - 1) / 64] >> ((i - 1) % 64) & 1 == 1 {
            i -= 1;
            steps.push(Step::First(i));
        } else {
            j -= 1;
            steps.push(Step::Second(j));
        }
    }
    steps.extend((0..i).rev().map(Step::First));
    steps.extend((0..j).rev().map(Step::Second));
    steps.reverse();
    steps
}

/// The scores of `first` aligned with each prefix of `second`.
pub(super) fn last_row(first: &[u32], second: &[u32]) -> Vec<i32> {
    let mut rows = Rows::new(second);
    for &token in first {
        rows.advance(token);
    }
    let mut score = 0;
    let mut scores = vec![0];
    scores.extend((0..second.len()).map(|at| {
        score += i32::from(rows.row[at / 64] >> (at % 64) & 1 == 0);
        score
    }));
    scores
}

/// One row of the matrix as bits along `sequence`: 0 where the score grows by one, 1 where it
/// stays.
struct Rows {
    row: Vec<u64>,
    places: Places,
    /// Where the current token stands in the sequence; all 0 between two rows.
    mask: Vec<u64>,
}

impl Rows {
    fn new(sequence: &[u32]) -> Rows {
        let width = sequence.len().div_ceil(64);
        Rows { row: vec![u64::MAX; width], places: Places::of(sequence), mask: vec![0; width] }
    }

    fn advance(&mut self, token: u32) {
        match self.places.find(token) {
            Found::Nowhere => {}
            Found::Dense(mask) => add(&mut self.row, mask),
            Found::Sparse(places) => {
                for &at in places {
                    self.mask[at as usize / 64] |= 1 << (at % 64);
                }
                add(&mut self.row, &self.mask);
                for &at in places {
                    self.mask[at as usize / 64] = 0;
                }
            }
        }
    }
}

fn add(row: &mut [u64], mask: &[u64]) {
    let mut carry = false;
    for (bits, &mask) in row.iter_mut().zip(mask) {
        let (sum, over) = bits.overflowing_add(*bits & mask);
        let (sum, over_again) = sum.overflowing_add(u64::from(carry));
        carry = over || over_again;
        *bits = sum | (*bits & !mask);
    }
}

/// Where each token stands in a sequence.
///
/// Tokens that stand in more places than a row has words have their mask ready. There are at most
/// 64 of them, so the masks together are no longer than the sequence, and no row costs more than
/// its words.
struct Places {
    tokens: FxHashMap<u32, Kept>,
    places: Vec<u32>,
    masks: Vec<u64>,
    width: usize,
}

/// Where to look for the places of a token.
#[derive(Clone, Copy)]
enum Kept {
    Mask(usize),
    List(usize, usize),
}

enum Found<'a> {
    Nowhere,
    Dense(&'a [u64]),
    Sparse(&'a [u32]),
}

impl Places {
    fn of(sequence: &[u32]) -> Places {
        let width = sequence.len().div_ceil(64);
        let mut places: Vec<u32> = (0..sequence.len() as u32).collect();
        places.sort_by_key(|&at| sequence[at as usize]);
        let mut tokens = FxHashMap::default();
        let mut masks: Vec<u64> = Vec::new();
        let mut start = 0;
        for run in places.chunk_by(|&a, &b| sequence[a as usize] == sequence[b as usize]) {
            let kept = if run.len() > width {
                let mask = masks.len();
                masks.resize(mask + width, 0);
                for &at in run {
                    masks[mask + at as usize / 64] |= 1 << (at % 64);
                }
                Kept::Mask(mask)
            } else {
                Kept::List(start, start + run.len())
            };
            tokens.insert(sequence[run[0] as usize], kept);
            start += run.len();
        }
        Places { tokens, places, masks, width }
    }

    fn find(&self, token: u32) -> Found<'_> {
        match self.tokens.get(&token) {
            None => Found::Nowhere,
            Some(&Kept::Mask(start)) => Found::Dense(&self.masks[start..start + self.width]),
            Some(&Kept::List(start, end)) => Found::Sparse(&self.places[start..end]),
        }
    }
}
