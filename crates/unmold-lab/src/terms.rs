//! Turns texts into sparse vectors of terms.

use rustc_hash::FxHashMap;
use unmold::page::words;

/// One text: its terms and their weights, sorted by term.
pub type Sparse = Vec<(u32, f64)>;

/// Term counts of texts. Terms are numbered in the order of their first occurrence.
#[derive(Clone, Debug)]
pub struct TermCounts {
    /// Number of different terms.
    pub terms: usize,
    /// Count of each term in each text.
    pub texts: Vec<Sparse>,
    numbers: FxHashMap<String, u32>,
}

impl TermCounts {
    /// Counts the lower-cased words of the texts.
    pub fn of<T: AsRef<str>>(texts: &[T]) -> TermCounts {
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let counted = texts
            .iter()
            .map(|text| {
                let lower = text.as_ref().to_lowercase();
                let terms = words(&lower).map(|word| match numbers.get(word) {
                    Some(&number) => number,
                    None => {
                        let number = numbers.len() as u32;
                        numbers.insert(word.to_owned(), number);
                        number
                    }
                });
                count(terms.collect())
            })
            .collect();
        TermCounts { terms: numbers.len(), texts: counted, numbers }
    }

    /// The number of a lower-case term.
    pub fn number(&self, term: &str) -> Option<u32> {
        self.numbers.get(term).copied()
    }

    /// Number of texts that contain each term.
    pub fn document_frequencies(&self) -> Vec<usize> {
        let mut frequencies = vec![0; self.terms];
        for &(term, _) in self.texts.iter().flatten() {
            frequencies[term as usize] += 1;
        }
        frequencies
    }

    /// TF-IDF: counts times the smoothed inverse document frequency ln((1 + n) / (1 + df)) + 1,
    /// each text scaled to length 1.
    pub fn tf_idf(&self) -> Vec<Sparse> {
        let all = 1.0 + self.texts.len() as f64;
        let idf: Vec<f64> = self
            .document_frequencies()
            .iter()
            .map(|&df| (all / (1.0 + df as f64)).ln() + 1.0)
            .collect();
        let weigh = |text: &Sparse| -> Sparse {
            let weighted: Sparse =
                text.iter().map(|&(term, count)| (term, count * idf[term as usize])).collect();
            let length = weighted.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
            weighted.into_iter().map(|(term, weight)| (term, weight / length)).collect()
        };
        self.texts.iter().map(weigh).collect()
    }
}

fn count(mut terms: Vec<u32>) -> Sparse {
    terms.sort_unstable();
    let mut counts: Sparse = Vec::new();
    for term in terms {
        match counts.last_mut() {
            Some((last, count)) if *last == term => *count += 1.0,
            _ => counts.push((term, 1.0)),
        }
    }
    counts
}

/// Dot product.
pub fn dot(left: &Sparse, right: &Sparse) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < left.len() && j < right.len() {
        match left[i].0.cmp(&right[j].0) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                sum += left[i].1 * right[j].1;
                i += 1;
                j += 1;
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_counted_and_weighed() {
        let counts = TermCounts::of(&["Tea, tea and cake", "and jam", ""]);
        assert_eq!(counts.terms, 4);
        assert_eq!(counts.texts[0], [(0, 2.0), (1, 1.0), (2, 1.0)]);
        assert_eq!(counts.document_frequencies(), [1, 2, 1, 1]);
        let weights = counts.tf_idf();
        assert!((dot(&weights[0], &weights[0]) - 1.0).abs() < 1e-12);
        assert_eq!((dot(&weights[0], &weights[2]), weights[2].len()), (0.0, 0));
        // "and" is in two of three texts: ln(4 / 3) + 1, against ln(4 / 2) + 1 for the other.
        let ratio = weights[1][0].1 / weights[1][1].1;
        assert!((ratio - ((4f64 / 3.0).ln() + 1.0) / (2f64.ln() + 1.0)).abs() < 1e-12);
    }
}
