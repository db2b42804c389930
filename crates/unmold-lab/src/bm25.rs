//! BM25 ranking over whole texts, the baseline of search engines.
//!
//! Score of a text: Σ idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / mean length)), idf =
//! ln(1 + (N − df + ½) / (df + ½)). The time of a query is linear in the number of texts that
//! contain its terms.

use crate::terms::TermCounts;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// An in-memory index.
#[derive(Clone, Debug)]
pub struct Bm25 {
    counts: TermCounts,
    lengths: Vec<f64>,
    mean_length: f64,
    /// For each term, the texts that contain it and its count in each.
    postings: Vec<Vec<(u32, f64)>>,
}

impl Bm25 {
    /// Indexes texts.
    pub fn of<T: AsRef<str>>(texts: &[T]) -> Bm25 {
        let counts = TermCounts::of(texts);
        let lengths: Vec<f64> =
            counts.texts.iter().map(|text| text.iter().map(|(_, count)| count).sum()).collect();
        let mut postings = vec![Vec::new(); counts.terms];
        for (index, text) in counts.texts.iter().enumerate() {
            for &(term, count) in text {
                postings[term as usize].push((index as u32, count));
            }
        }
        let mean_length = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Bm25 { counts, lengths, mean_length, postings }
    }

    /// The texts that contain any of the words (in lower case), best first. Ties keep the order
    /// of the texts.
    pub fn search(&self, query: &[String]) -> Vec<usize> {
        let scores = self.scores(query);
        let mut found: Vec<usize> = (0..scores.len()).filter(|&text| scores[text] > 0.0).collect();
        found
            .sort_by(|&left, &right| scores[right].total_cmp(&scores[left]).then(left.cmp(&right)));
        found
    }

    /// The score of each text.
    fn scores(&self, query: &[String]) -> Vec<f64> {
        let mut scores = vec![0.0; self.lengths.len()];
        for word in query {
            let Some(term) = self.counts.number(word) else { continue };
            let postings = &self.postings[term as usize];
            let (all, df) = (self.lengths.len() as f64, postings.len() as f64);
            let idf = (1.0 + (all - df + 0.5) / (df + 0.5)).ln();
            for &(text, tf) in postings {
                let length = self.lengths[text as usize] / self.mean_length;
                scores[text as usize] += idf * tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * length));
            }
        }
        scores
    }

    /// The texts that contain all of the words, in order.
    pub fn holding_all(&self, query: &[String]) -> Vec<usize> {
        let mut held = vec![0; self.lengths.len()];
        let mut words: Vec<&String> = query.iter().collect();
        words.sort_unstable();
        words.dedup();
        for word in &words {
            for &(text, _) in
                self.counts.number(word).map_or(&[][..], |term| &self.postings[term as usize])
            {
                held[text as usize] += 1;
            }
        }
        (0..held.len()).filter(|&text| held[text] == words.len()).collect()
    }
}

/// Scores of a ranking.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ranking {
    /// Share of relevant texts among the first 1, 5 and 10.
    pub precision_at: [f64; 3],
    /// Average precision: the mean over the relevant texts of the precision at their rank, 0 for
    /// those not found.
    pub average_precision: f64,
}

/// The depths of [`Ranking::precision_at`].
pub const DEPTHS: [usize; 3] = [1, 5, 10];

impl Ranking {
    /// Scores the texts found, best first; `relevant` says for each text whether it should be
    /// found.
    pub fn of(found: &[usize], relevant: &[bool]) -> Ranking {
        let mut hits = 0.0;
        let mut sum = 0.0;
        let mut precision_at = [0.0; 3];
        for (rank, &text) in found.iter().enumerate() {
            if relevant[text] {
                hits += 1.0;
                sum += hits / (rank + 1) as f64;
                for (precision, depth) in precision_at.iter_mut().zip(DEPTHS) {
                    if rank < depth {
                        *precision += 1.0 / depth as f64;
                    }
                }
            }
        }
        let all = relevant.iter().filter(|&&relevant| relevant).count();
        Ranking { precision_at, average_precision: if all == 0 { 0.0 } else { sum / all as f64 } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(query: &str) -> Vec<String> {
        query.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn more_often_and_shorter_is_better() {
        let index = Bm25::of(&["tea and cake and jam", "tea", "tea tea cake", "oil"]);
        assert_eq!(index.search(&words("tea")), [1, 2, 0]);
        assert_eq!(index.search(&words("cake tea"))[0], 2);
        assert!(index.search(&words("gear")).is_empty());
        assert_eq!(index.holding_all(&words("tea cake tea")), [0, 2]);
        assert!(index.holding_all(&words("tea gear")).is_empty());
    }

    #[test]
    fn the_formula_worked_by_hand() {
        // Lengths 2, 4 and 6 words, mean 4. With k1 = 1.2 and b = 0.75 a text of length l has the
        // norm K = 1.2 (0.25 + 0.75 l / 4): 0.75, 1.2, 1.65.
        let index = Bm25::of(&["a b", "b c c d", "d d d e f g"]);
        let scores = |query: &str| index.scores(&words(query));
        let close = |found: Vec<f64>, expected: [f64; 3]| {
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
            }
        };
        // idf: in one of three texts ln(1 + 2.5 / 1.5) = 0.980829, in two ln(1 + 1.5 / 2.5) =
        // 0.470004. Scores: idf · tf · 2.2 / (tf + K).
        let (once, twice) = (0.980_829_253_011_726_2, 0.470_003_629_245_735_6);
        close(scores("a"), [once * 2.2 / 1.75, 0.0, 0.0]);
        close(scores("b"), [twice * 2.2 / 1.75, twice * 2.2 / 2.2, 0.0]);
        close(scores("c"), [0.0, once * 2.0 * 2.2 / 3.2, 0.0]);
        close(scores("d"), [0.0, twice * 2.2 / 2.2, twice * 3.0 * 2.2 / 4.65]);
        // A query is a sum over its words, and a word that no text has adds nothing.
        close(scores("a c x"), [once * 2.2 / 1.75, once * 2.0 * 2.2 / 3.2, 0.0]);
        assert_eq!(index.search(&words("b d")), [1, 2, 0]);
    }

    #[test]
    fn rankings_are_scored() {
        let ranking = Ranking::of(&[3, 0, 2], &[true, true, false, true]);
        assert_eq!(ranking.precision_at, [1.0, 0.4, 0.2]);
        assert!((ranking.average_precision - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(Ranking::of(&[], &[false]).average_precision, 0.0);
    }
}
