//! How votes are weighed. Fitted by `tools/teach/fit.py`.

use super::number::log_odds;
use super::taught::FEATURES;
use crate::pipeline::probability;

/// How votes are weighed.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tuning {
    /// What is believed about the place around counts as so many pages.
    pub belief: f32,
    /// So many pages are added to both sides before a ratio is taken.
    pub smooth: f32,
    /// Similarities of pages are squared so often.
    pub squares: u32,
    /// Added to the sum.
    pub bias: f32,
    /// Weight of the default's log-odds.
    pub default: f32,
    /// Weights of what labels say.
    pub labels: [f32; FEATURES],
}

/// Weights fitted on parts 0 to 3, the other numbers chosen there.
pub(super) const CHOSEN: Tuning = Tuning {
    belief: 1.0,
    smooth: 0.3,
    squares: 2,
    bias: 0.905,
    default: 1.078,
    labels: [0.527, 0.004, -0.349, 0.193, 0.996, 0.360, 0.953, -0.140, -0.709, 0.506],
};

impl Default for Tuning {
    fn default() -> Tuning {
        CHOSEN
    }
}

impl Tuning {
    /// The numbers in thousandths.
    pub fn stored(&self) -> Vec<i32> {
        let numbers = [self.belief, self.smooth, self.squares as f32, self.bias, self.default];
        let numbers = numbers.into_iter().chain(self.labels);
        numbers.map(|number| (number * 1000.0).round() as i32).collect()
    }

    /// From numbers in thousandths; those that are missing are 0.
    pub fn from_stored(stored: &[i32]) -> Tuning {
        let number = |at: usize| stored.get(at).copied().unwrap_or(0) as f32 / 1000.0;
        Tuning {
            belief: number(0),
            smooth: number(1),
            squares: (number(2) as u32).min(8),
            bias: number(3),
            default: number(4),
            labels: std::array::from_fn(|at| number(5 + at)),
        }
    }

    /// The probability that a block is content, from what labels and the default say.
    pub(super) fn combined(&self, row: &[f32; FEATURES], content: f32, strength: f32) -> f32 {
        let default = log_odds(content);
        let mut sum = self.bias + self.default * default;
        for (value, weight) in row.iter().zip(self.labels) {
            sum += value * weight;
        }
        probability(default + strength * (sum - default))
    }
}
