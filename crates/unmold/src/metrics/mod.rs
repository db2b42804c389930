//! Scores for the quality of results, over words and over clusters; `docs/evaluation.md` defines
//! them.

mod partition;

pub use partition::Contingency;

use unmold_html::hash::KeyedMap;

/// A multiset of words.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Bag {
    counts: KeyedMap<String, usize>,
    total: usize,
}

impl Bag {
    /// Collects the words of a text, in lower case.
    #[must_use]
    pub fn of(text: &str) -> Bag {
        let mut bag = Bag::default();
        for word in crate::page::words(&text.to_lowercase()) {
            *bag.counts.entry(word.to_owned()).or_default() += 1;
            bag.total += 1;
        }
        bag
    }

    /// Number of words, with repetitions.
    pub fn len(&self) -> usize {
        self.total
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Number of common words, with repetitions.
    #[must_use]
    pub fn common(&self, other: &Bag) -> usize {
        // The order of the terms does not matter for a sum.
        self.counts.iter().map(|(word, &count)| count.min(other.count(word))).sum()
    }

    fn count(&self, word: &str) -> usize {
        self.counts.get(word).copied().unwrap_or(0)
    }

    /// Number of distinct words.
    pub fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// Number of distinct words in both bags.
    pub fn distinct_common(&self, other: &Bag) -> usize {
        self.counts.keys().filter(|word| other.counts.contains_key(*word)).count()
    }

    /// Removes the words of `other`, each as often as it occurs there.
    #[must_use]
    pub fn minus(mut self, other: &Bag) -> Bag {
        self.counts.retain(|word, count| {
            *count = count.saturating_sub(other.count(word));
            *count > 0
        });
        self.total = self.counts.values().sum();
        self
    }
}

/// Precision and recall of a result against the truth.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Agreement {
    /// Share of the found items that are true.
    pub precision: f64,
    /// Share of the true items that were found.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
}

impl Agreement {
    /// From counts. Two empty sides agree fully; one empty side does not agree at all.
    #[must_use]
    pub fn of(common: usize, found: usize, truth: usize) -> Agreement {
        if found == 0 || truth == 0 {
            let value = if found == truth { 1.0 } else { 0.0 };
            return Agreement { precision: value, recall: value, f1: value };
        }
        let (precision, recall) = (common as f64 / found as f64, common as f64 / truth as f64);
        let f1 = if common == 0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
        Agreement { precision, recall, f1 }
    }

    /// From two bags of words.
    #[must_use]
    pub fn of_bags(found: &Bag, truth: &Bag) -> Agreement {
        Agreement::of(found.common(truth), found.len(), truth.len())
    }

    /// From the sets of distinct words of two bags: the term F of the tree mapping paper.
    #[must_use]
    pub fn of_terms(found: &Bag, truth: &Bag) -> Agreement {
        Agreement::of(found.distinct_common(truth), found.distinct(), truth.distinct())
    }
}

/// Template chunks found against true ones, as counted in the chunk frequency paper. Misses and
/// false alarms cancel out in `ttdr`, so precision and recall are given as well.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct ChunkDetection {
    /// Number of chunks found, divided by the number of true ones.
    pub ttdr: f64,
    /// Precision and recall of the same chunks.
    pub agreement: Agreement,
}

impl ChunkDetection {
    /// From counts of chunks.
    #[must_use]
    pub fn of(common: usize, found: usize, truth: usize) -> ChunkDetection {
        let ttdr = if truth == 0 {
            if found == 0 { 1.0 } else { 0.0 }
        } else {
            found as f64 / truth as f64
        };
        ChunkDetection { ttdr, agreement: Agreement::of(common, found, truth) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bags_count_words() {
        let found = Bag::of("Tea, tea and cake");
        let truth = Bag::of("tea and and sugar");
        assert_eq!(
            (found.len(), found.common(&truth), found.clone().minus(&truth).len()),
            (4, 2, 2)
        );
        assert_eq!((found.distinct(), truth.distinct(), found.distinct_common(&truth)), (3, 3, 2));
        assert_eq!(Agreement::of_terms(&found, &truth).f1, 2.0 / 3.0);
    }

    #[test]
    fn empty_sides_have_defined_scores() {
        assert_eq!(Agreement::of(0, 0, 0).f1, 1.0);
        assert_eq!(Agreement::of(0, 3, 0).f1, 0.0);
        assert_eq!(Agreement::of(0, 0, 3).f1, 0.0);
        assert_eq!(
            Agreement::of(2, 4, 2),
            Agreement { precision: 0.5, recall: 1.0, f1: 2.0 / 3.0 }
        );
    }
}
