//! Where a page is cut into what stays and what goes.
//!
//! The trees give each block a probability of being content. A fixed threshold of one half makes
//! the fewest mistakes, but on a page where little is certain (a list, a product) it keeps nothing
//! or next to nothing. The threshold that maximises the expected F1 of what stays is half of that
//! F1: one half on pages that are clear, less on others. It has no parameter.

/// The threshold at which the expected F1 of the blocks that stay is greatest.
///
/// Found by the iteration of Dinkelbach: with the F1 of the last threshold the next is half of it,
/// which never makes it worse.
pub(super) fn threshold(probabilities: &[f32], words: impl Fn(usize) -> f32) -> f32 {
    let mut expected = 0.0;
    for (at, &probability) in probabilities.iter().enumerate() {
        expected += f64::from(probability) * f64::from(words(at));
    }
    let mut threshold = 0.5f32;
    for _ in 0..MAX_STEPS {
        let (mut right, mut kept) = (0.0, 0.0);
        for (at, &probability) in probabilities.iter().enumerate() {
            if probability >= threshold {
                right += f64::from(probability) * f64::from(words(at));
                kept += f64::from(words(at));
            }
        }
        let next = if kept + expected > 0.0 { (right / (kept + expected)) as f32 } else { 0.5 };
        if next == threshold {
            break;
        }
        threshold = next;
    }
    threshold
}

/// A few steps are enough; this many are never needed.
const MAX_STEPS: usize = 16;

/// A probability on a scale on which the threshold is one half.
pub(super) fn rescaled(probability: f32, threshold: f32) -> f32 {
    if probability >= threshold {
        0.5 + 0.5 * (probability - threshold) / (1.0 - threshold).max(1e-6)
    } else {
        0.5 * probability / threshold
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn expected_f1(probabilities: &[f32], words: &[f32], threshold: f32) -> f32 {
        let all: f32 = probabilities.iter().zip(words).map(|(p, w)| p * w).sum();
        let kept = || probabilities.iter().zip(words).filter(|(p, _)| **p >= threshold);
        2.0 * kept().map(|(p, w)| p * w).sum::<f32>() / (kept().map(|(_, w)| w).sum::<f32>() + all)
    }

    #[test]
    fn clear_pages_are_cut_in_the_middle_and_others_below() {
        assert!((threshold(&[0.99, 0.98, 0.02], |_| 10.0) - 0.49).abs() < 0.02);
        assert!(threshold(&[0.3, 0.3, 0.3, 0.01], |_| 10.0) < 0.3, "something stays");
    }

    proptest! {
        #[test]
        fn no_other_threshold_is_better(pairs in proptest::collection::vec((0.01f32..0.99, 1f32..50.0), 1..20)) {
            let (probabilities, words): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let found = expected_f1(&probabilities, &words, threshold(&probabilities, |at| words[at]));
            for &other in &probabilities {
                prop_assert!(expected_f1(&probabilities, &words, other) <= found + 1e-4);
            }
        }

        #[test]
        fn the_threshold_becomes_one_half(probability in 0f32..=1.0, threshold in 0.01f32..0.99) {
            let scaled = rescaled(probability, threshold);
            prop_assert!((0.0..=1.0).contains(&scaled));
            prop_assert_eq!(scaled >= 0.5, probability >= threshold);
        }
    }
}
