//! Needleman–Wunsch for arbitrary scores, with two bits of trace per cell.
//!
//! The matrix is filled along its anti-diagonals. The cells of an anti-diagonal are independent of
//! each other, so the compiler can vectorise the inner loop.

use super::step::Step;

/// The score of each kind of step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    pub matching: i32,
    pub mismatch: i32,
    pub gap: i32,
}

/// A mismatch score that rules mismatches out, yet cannot overflow when added to other scores.
pub(super) const FORBIDDEN: i32 = -(1 << 29);

const DIAGONAL: u8 = 0;
const FIRST: u8 = 1;
const SECOND: u8 = 2;

/// The best alignment. Ties are broken from the end: a step in both sequences before one in the
/// first alone before one in the second alone.
pub(super) fn trace(first: &[u32], second: &[u32], weights: Weights) -> Vec<Step> {
    let mut choices = Choices::with_capacity(first.len(), second.len());
    sweep(first, second, weights, |diagonal| choices.push(diagonal.choices));
    choices.walk_back(first.len(), second.len())
}

/// The scores of `first` aligned with each prefix of `second`.
pub(super) fn last_row(first: &[u32], second: &[u32], weights: Weights) -> Vec<i32> {
    let mut row = vec![first.len() as i32 * weights.gap];
    sweep(first, second, weights, |diagonal| {
        if let Some(&score) =
            diagonal.scores.get(first.len()).filter(|_| diagonal.number > first.len())
        {
            row.push(score);
        }
    });
    row
}

/// A finished anti-diagonal: the cells `(i, number − i)`.
struct Diagonal<'a> {
    number: usize,
    /// Indexed by `i`; only the entries inside the matrix are meaningful.
    scores: &'a [i32],
    /// Choices of the inner cells (`i > 0` and `number − i > 0`), by increasing `i`.
    choices: &'a [u8],
}

/// Fills the matrix one anti-diagonal at a time.
fn sweep(first: &[u32], second: &[u32], weights: Weights, mut visit: impl FnMut(Diagonal)) {
    let (n, m) = (first.len(), second.len());
    // Along an anti-diagonal `second` is read backwards.
    let reversed: Vec<u32> = second.iter().rev().copied().collect();
    let mut before_last = vec![0; n + 1];
    let mut last = vec![0; n + 1];
    let mut current = vec![0; n + 1];
    let mut choices = vec![0u8; n];
    for number in 1..=n + m {
        let inner = inner_rows(number, n, m);
        if number <= m {
            current[0] = number as i32 * weights.gap;
        }
        if number <= n {
            current[number] = number as i32 * weights.gap;
        }
        let length = inner.len();
        if length > 0 {
            let (start, above) = (inner.start, inner.start - 1);
            fill(
                &mut current[start..][..length],
                &mut choices[..length],
                &first[above..][..length],
                &reversed[m + start - number..][..length],
                &before_last[above..][..length],
                &last[above..][..length + 1],
                weights,
            );
        }
        visit(Diagonal { number, scores: &current, choices: &choices[..length] });
        (before_last, last, current) = (last, current, before_last);
    }
}

/// The rows of the inner cells of an anti-diagonal.
fn inner_rows(number: usize, n: usize, m: usize) -> std::ops::Range<usize> {
    let start = number.saturating_sub(m).max(1);
    start..(n + 1).min(number).max(start)
}

/// The inner loop over the cells of an anti-diagonal, written so that the compiler vectorises it.
///
/// Not inlined: the compiler knows that the slices do not overlap only if they are parameters.
#[inline(never)]
fn fill(
    scores: &mut [i32],
    choices: &mut [u8],
    first: &[u32],
    second: &[u32],
    corner: &[i32],
    neighbours: &[i32],
    weights: Weights,
) {
    let Weights { matching, mismatch, gap } = weights;
    let Some(beside) = neighbours.get(1..) else { return };
    let inputs = first.iter().zip(second).zip(corner).zip(neighbours.iter().zip(beside));
    for ((score, choice), (((a, b), corner), (above, beside))) in
        scores.iter_mut().zip(choices).zip(inputs)
    {
        let diagonal = corner + if a == b { matching } else { mismatch };
        let alone = above.max(beside) + gap;
        *score = diagonal.max(alone);
        let which_alone = if above >= beside { FIRST } else { SECOND };
        *choice = if diagonal >= alone { DIAGONAL } else { which_alone };
    }
}

/// The choice made in each inner cell, four to a byte.
struct Choices {
    packed: Vec<u8>,
    /// Where each anti-diagonal begins in `packed`.
    starts: Vec<usize>,
}

impl Choices {
    fn with_capacity(n: usize, m: usize) -> Choices {
        Choices { packed: Vec::with_capacity(n * m / 4 + n + m), starts: Vec::with_capacity(n + m) }
    }

    fn push(&mut self, choices: &[u8]) {
        self.starts.push(self.packed.len());
        let (fours, rest) = choices.as_chunks::<4>();
        self.packed.extend(fours.iter().map(|&[a, b, c, d]| a | b << 2 | c << 4 | d << 6));
        if !rest.is_empty() {
            self.packed.push(rest.iter().rev().fold(0, |byte, choice| byte << 2 | choice));
        }
    }

    fn walk_back(&self, n: usize, m: usize) -> Vec<Step> {
        let mut steps = Vec::with_capacity(n.max(m));
        let (mut i, mut j) = (n, m);
        while i > 0 && j > 0 {
            let number = i + j;
            let at = i - inner_rows(number, n, m).start;
            let choice = self.packed[self.starts[number - 1] + at / 4] >> (2 * (at % 4)) & 3;
            let step = match choice {
                DIAGONAL => Step::Both(i - 1, j - 1),
                FIRST => Step::First(i - 1),
                _ => Step::Second(j - 1),
            };
            i -= usize::from(choice != SECOND);
            j -= usize::from(choice != FIRST);
            steps.push(step);
        }
        steps.extend((0..i).rev().map(Step::First));
        steps.extend((0..j).rev().map(Step::Second));
        steps.reverse();
        steps
    }
}
