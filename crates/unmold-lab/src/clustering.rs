//! Flat clusterings of texts: K-means and furthest point first, on sparse vectors of length 1.
//!
//! K-means from chosen texts as first centres: time O(iterations · k · terms in all texts), space
//! O(k · terms). Furthest point first (Gonzalez 1985): time O(k · terms in all texts), space
//! O(terms in all texts).

use crate::chance::Chance;
use crate::terms::{Sparse, dot};

/// K-means stops when nothing moves, at the latest after so many rounds.
const MAX_ROUNDS: usize = 100;

/// `k` different texts drawn as first centres.
pub fn draw_centres(texts: usize, k: usize, seed: u64) -> Vec<usize> {
    let mut order = Chance::new(seed).permutation(texts);
    order.truncate(k);
    order
}

/// The cluster of each text, after Lloyd's rounds from the texts `centres`.
///
/// Squared Euclidean distance; a tie goes to the first centre; a cluster that lost all its texts
/// keeps its centre.
pub fn k_means(texts: &[Sparse], terms: usize, centres: &[usize]) -> Vec<usize> {
    if centres.is_empty() {
        return vec![0; texts.len()];
    }
    let mut means = Means::of_texts(texts, terms, centres);
    let mut clusters = means.assign(texts);
    for _ in 1..MAX_ROUNDS {
        means.update(texts, &clusters);
        let moved = means.assign(texts);
        if moved == clusters {
            break;
        }
        clusters = moved;
    }
    clusters
}

/// Centres as a matrix with a row for each term: a text reads only the rows of its terms, each in
/// one go.
struct Means {
    k: usize,
    weights: Vec<f64>,
    squares: Vec<f64>,
}

impl Means {
    fn of_texts(texts: &[Sparse], terms: usize, centres: &[usize]) -> Means {
        let k = centres.len();
        let mut means = Means { k, weights: vec![0.0; terms * k], squares: vec![0.0; k] };
        for (cluster, &centre) in centres.iter().enumerate() {
            for &(term, weight) in &texts[centre] {
                means.weights[term as usize * k + cluster] = weight;
            }
        }
        means.measure();
        means
    }

    fn measure(&mut self) {
        self.squares.fill(0.0);
        for row in self.weights.chunks_exact(self.k) {
            for (square, weight) in self.squares.iter_mut().zip(row) {
                *square += weight * weight;
            }
        }
    }

    fn assign(&self, texts: &[Sparse]) -> Vec<usize> {
        let mut products = vec![0.0; self.k];
        texts
            .iter()
            .map(|text| {
                products.fill(0.0);
                for &(term, weight) in text {
                    let row = &self.weights[term as usize * self.k..][..self.k];
                    for (product, mean) in products.iter_mut().zip(row) {
                        *product += weight * mean;
                    }
                }
                let distances = self
                    .squares
                    .iter()
                    .zip(&products)
                    .map(|(square, product)| square - 2.0 * product);
                least(distances)
            })
            .collect()
    }

    fn update(&mut self, texts: &[Sparse], clusters: &[usize]) {
        let mut sizes = vec![0usize; self.k];
        for &cluster in clusters {
            sizes[cluster] += 1;
        }
        for row in self.weights.chunks_exact_mut(self.k) {
            for (weight, &size) in row.iter_mut().zip(&sizes) {
                if size > 0 {
                    *weight = 0.0;
                }
            }
        }
        for (text, &cluster) in texts.iter().zip(clusters) {
            let share = 1.0 / sizes[cluster] as f64;
            for &(term, weight) in text {
                self.weights[term as usize * self.k + cluster] += weight * share;
            }
        }
        self.measure();
    }
}

/// Position of the first of the smallest values.
fn least(values: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::INFINITY);
    for (index, value) in values.enumerate() {
        if value < best.1 {
            best = (index, value);
        }
    }
    best.0
}

/// The cluster of each text: centres are `first` and then, `k` − 1 times, the text furthest from
/// all centres so far; each text belongs to its nearest centre, the earliest of equals.
pub fn furthest_point_first(texts: &[Sparse], k: usize, first: usize) -> Vec<usize> {
    let mut clusters = vec![0; texts.len()];
    if texts.is_empty() {
        return clusters;
    }
    let squares: Vec<f64> = texts.iter().map(|text| dot(text, text)).collect();
    let mut spread = Spread::new(texts);
    let mut nearest: Vec<f64> = spread.distances(texts, &squares, first);
    for cluster in 1..k.min(texts.len()) {
        let centre = least(nearest.iter().map(|distance| -distance));
        let to_centre = spread.distances(texts, &squares, centre);
        for (index, distance) in to_centre.into_iter().enumerate() {
            if distance < nearest[index] {
                nearest[index] = distance;
                clusters[index] = cluster;
            }
        }
    }
    clusters
}

/// A text with a place for every term: others are compared with it in one pass over their own
/// terms.
struct Spread(Vec<f64>);

impl Spread {
    fn new(texts: &[Sparse]) -> Spread {
        let terms = texts.iter().flatten().map(|&(term, _)| term as usize + 1).max().unwrap_or(0);
        Spread(vec![0.0; terms])
    }

    /// |a − b|² of each text and the centre.
    fn distances(&mut self, texts: &[Sparse], squares: &[f64], centre: usize) -> Vec<f64> {
        for &(term, weight) in &texts[centre] {
            self.0[term as usize] = weight;
        }
        let product = |text: &Sparse| {
            text.iter().map(|&(term, weight)| weight * self.0[term as usize]).sum::<f64>()
        };
        let distances = texts.iter().zip(squares);
        let distances = distances
            .map(|(text, square)| square + squares[centre] - 2.0 * product(text))
            .collect();
        for &(term, _) in &texts[centre] {
            self.0[term as usize] = 0.0;
        }
        distances
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::terms::TermCounts;

    const TEXTS: [&str; 6] =
        ["tea cup tea", "tea cup leaf", "leaf tea", "oil gear", "gear wheel oil", "wheel gear"];

    #[test]
    fn two_topics_are_told_apart_from_any_first_centres() {
        let counts = TermCounts::of(&TEXTS);
        let vectors = counts.tf_idf();
        for centres in [[0, 3], [2, 5], [4, 1]] {
            let clusters = k_means(&vectors, counts.terms, &centres);
            assert!(clusters[..3].iter().all(|&cluster| cluster == clusters[0]), "{clusters:?}");
            assert!(
                clusters[3..].iter().all(|&cluster| cluster == 1 - clusters[0]),
                "{clusters:?}"
            );
        }
        for first in 0..6 {
            let clusters = furthest_point_first(&vectors, 2, first);
            assert_ne!(clusters[0], clusters[3], "{clusters:?}");
        }
    }

    /// The definition, with every distance between two texts computed anew.
    fn plain_furthest_point_first(texts: &[Sparse], k: usize, first: usize) -> Vec<usize> {
        let distance = |a: &Sparse, b: &Sparse| dot(a, a) + dot(b, b) - 2.0 * dot(a, b);
        let mut centres = vec![first];
        let to_centres = |text: &Sparse, centres: &[usize]| {
            centres
                .iter()
                .map(|&centre| distance(text, &texts[centre]))
                .fold(f64::INFINITY, f64::min)
        };
        while centres.len() < k.min(texts.len()) {
            centres.push(least(texts.iter().map(|text| -to_centres(text, &centres))));
        }
        texts
            .iter()
            .map(|text| least(centres.iter().map(|&centre| distance(text, &texts[centre]))))
            .collect()
    }

    #[test]
    fn spread_texts_give_the_clusters_of_the_definition() {
        let words = ["tea", "cup", "leaf", "oil", "gear", "wheel", "milk"];
        let mut chance = Chance::new(3);
        for _ in 0..300 {
            let texts: Vec<String> = (0..1 + chance.below(12))
                .map(|_| {
                    (0..chance.below(9))
                        .map(|_| words[chance.below(7)])
                        .collect::<Vec<_>>()
                        .join(" ")
                })
                .collect();
            let vectors = TermCounts::of(&texts).tf_idf();
            let (k, first) = (1 + chance.below(6), chance.below(texts.len()));
            assert_eq!(
                furthest_point_first(&vectors, k, first),
                plain_furthest_point_first(&vectors, k, first),
                "{texts:?} {k} {first}"
            );
        }
    }

    #[test]
    fn empty_texts_and_more_clusters_than_texts() {
        let counts = TermCounts::of(&["", "", "tea"]);
        let vectors = counts.tf_idf();
        assert_eq!(k_means(&vectors, counts.terms, &[0, 1, 2]), [0, 0, 2]);
        assert_eq!(furthest_point_first(&vectors, 9, 0), [0, 0, 1]);
        assert_eq!(k_means(&[], 0, &[]), [0; 0]);
    }

    /// The same rounds with dense vectors, as the textbook has them.
    fn plain_k_means(texts: &[Vec<f64>], centres: &[usize]) -> Vec<usize> {
        let mut means: Vec<Vec<f64>> =
            centres.iter().map(|&centre| texts[centre].clone()).collect();
        let distance =
            |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum() };
        let mut clusters: Vec<usize> = Vec::new();
        for _ in 0..MAX_ROUNDS {
            let assigned: Vec<usize> = texts
                .iter()
                .map(|text| least(means.iter().map(|mean| distance(text, mean))))
                .collect();
            if assigned == clusters {
                break;
            }
            clusters = assigned;
            for (cluster, mean) in means.iter_mut().enumerate() {
                let members: Vec<&Vec<f64>> = texts
                    .iter()
                    .zip(&clusters)
                    .filter(|(_, c)| **c == cluster)
                    .map(|(text, _)| text)
                    .collect();
                if !members.is_empty() {
                    for (term, weight) in mean.iter_mut().enumerate() {
                        *weight = members.iter().map(|text| text[term]).sum::<f64>()
                            / members.len() as f64;
                    }
                }
            }
        }
        clusters
    }

    fn cost(texts: &[Vec<f64>], clusters: &[usize], k: usize) -> f64 {
        (0..k)
            .map(|cluster| {
                let members: Vec<&Vec<f64>> = texts
                    .iter()
                    .zip(clusters)
                    .filter(|(_, c)| **c == cluster)
                    .map(|(text, _)| text)
                    .collect();
                let terms = texts.first().map_or(0, Vec::len);
                (0..terms)
                    .map(|term| {
                        let mean = members.iter().map(|text| text[term]).sum::<f64>()
                            / members.len().max(1) as f64;
                        members
                            .iter()
                            .map(|text| (text[term] - mean) * (text[term] - mean))
                            .sum::<f64>()
                    })
                    .sum::<f64>()
            })
            .sum()
    }

    proptest! {
        #[test]
        fn sparse_rounds_end_where_plain_ones_do(
            weights in prop::collection::vec(prop::collection::vec(0u8..4, 5), 3..20), seed in 0u64..50,
        ) {
            // Irrational scales keep ties, which rounding could break either way, out of the test.
            let dense: Vec<Vec<f64>> = weights
                .iter()
                .enumerate()
                .map(|(i, text)| {
                    text.iter().enumerate().map(|(j, &w)| f64::from(w) * (1.0 + ((i * 7 + j) as f64).sin() * 0.1)).collect()
                })
                .collect();
            let sparse: Vec<Sparse> = dense
                .iter()
                .map(|text| text.iter().enumerate().filter(|(_, w)| **w != 0.0).map(|(t, &w)| (t as u32, w)).collect())
                .collect();
            let centres = draw_centres(dense.len(), 3, seed);
            let (fast, plain) = (k_means(&sparse, 5, &centres), plain_k_means(&dense, &centres));
            prop_assert!((cost(&dense, &fast, 3) - cost(&dense, &plain, 3)).abs() < 1e-6);
        }

        #[test]
        fn no_text_is_further_from_its_centre_than_centres_from_each_other(
            texts in prop::collection::vec("[abc]( [abc]){0,4}", 2..15), first in 0usize..2, k in 1usize..5,
        ) {
            let vectors = TermCounts::of(&texts).tf_idf();
            let clusters = furthest_point_first(&vectors, k, first);
            prop_assert_eq!(clusters[first], 0);
            prop_assert!(clusters.iter().all(|&cluster| cluster < k));
        }
    }
}
