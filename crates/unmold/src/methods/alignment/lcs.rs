//! The longest common subsequence, 64 cells at a time.
//!
//! With match 1, gap 0 and no mismatches, neighbouring cells of a row differ by 0 or 1, so a row is
//! a bit string, and one addition computes the next row from it (Crochemore, Iliopoulos, Pinzon and
//! Reid 2001; Hyyrö 2004). The trace takes one bit per cell. The result is the same alignment as
//! that of [`super::needleman`].

use unmold_html::hash::KeyedMap;

use super::step::Step;

/// The best alignment, ties broken as in [`super::needleman::trace`].
pub(super) fn trace(first: &[u32], second: &[u32]) -> Vec<Step> {
    // Bits run along `first`, so that each tells whether a token of `first` may be consumed alone.
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

/// One row of the matrix as bits along `sequence`: 0 where the score increases by one, 1 where it
/// stays the same.
struct Rows {
    row: Vec<u64>,
    positions: Positions,
    /// Scratch: the positions of the current token as bits. All 0 between rows.
    mask: Vec<u64>,
}

impl Rows {
    fn new(sequence: &[u32]) -> Rows {
        let width = sequence.len().div_ceil(64);
        Rows {
            row: vec![u64::MAX; width],
            positions: Positions::of(sequence),
            mask: vec![0; width],
        }
    }

    fn advance(&mut self, token: u32) {
        match self.positions.find(token) {
            PositionsOf::Absent => {}
            PositionsOf::Dense(mask) => add(&mut self.row, mask),
            PositionsOf::Sparse(positions) => {
                for &at in positions {
                    self.mask[at as usize / 64] |= 1 << (at % 64);
                }
                add(&mut self.row, &self.mask);
                for &at in positions {
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

/// The positions of each token in a sequence.
///
/// Tokens with more positions than a row has words are stored as masks. There are at most 64 of
/// them, so the masks together are no longer than the sequence, and advancing a row never takes
/// more steps than the row has words.
struct Positions {
    tokens: KeyedMap<u32, Storage>,
    positions: Vec<u32>,
    masks: Vec<u64>,
    width: usize,
}

/// How and where the positions of a token are stored.
#[derive(Clone, Copy)]
enum Storage {
    Mask(usize),
    List(usize, usize),
}

enum PositionsOf<'a> {
    Absent,
    Dense(&'a [u64]),
    Sparse(&'a [u32]),
}

impl Positions {
    fn of(sequence: &[u32]) -> Positions {
        let width = sequence.len().div_ceil(64);
        let mut positions: Vec<u32> = (0..sequence.len() as u32).collect();
        positions.sort_by_key(|&at| sequence[at as usize]);
        let mut tokens = KeyedMap::default();
        let mut masks: Vec<u64> = Vec::new();
        let mut start = 0;
        for run in positions.chunk_by(|&a, &b| sequence[a as usize] == sequence[b as usize]) {
            let storage = if run.len() > width {
                let mask = masks.len();
                masks.resize(mask + width, 0);
                for &at in run {
                    masks[mask + at as usize / 64] |= 1 << (at % 64);
                }
                Storage::Mask(mask)
            } else {
                Storage::List(start, start + run.len())
            };
            tokens.insert(sequence[run[0] as usize], storage);
            start += run.len();
        }
        Positions { tokens, positions, masks, width }
    }

    fn find(&self, token: u32) -> PositionsOf<'_> {
        match self.tokens.get(&token) {
            None => PositionsOf::Absent,
            Some(&Storage::Mask(start)) => {
                PositionsOf::Dense(&self.masks[start..start + self.width])
            }
            Some(&Storage::List(start, end)) => PositionsOf::Sparse(&self.positions[start..end]),
        }
    }
}
