//! Clusters texts, as sparse vectors of length 1, by K-means and by furthest point first.
//!
//! K-means starts from chosen texts as centres: time O(iterations · k · terms in all texts), space
//! O(k · terms). Furthest point first (Gonzalez 1985): time O(k · terms in all texts), space
//! O(terms in all texts).

use crate::chance::Chance;
use crate::terms::{Sparse, dot};

/// K-means stops when no text moves, or after this many rounds.
const MAX_ROUNDS: usize = 100;

/// Draws `k` different texts as initial centres.
pub fn draw_centres(texts: usize, k: usize, seed: u64) -> Vec<usize> {
    let mut order = Chance::new(seed).permutation(texts);
    order.truncate(k);
    order
}

/// K-means by Lloyd's algorithm from the texts `centres`. Returns the cluster of each text.
///
/// Distance is squared Euclidean, ties go to the first centre, and an empty cluster keeps its
/// centre.
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

/// Centres as a matrix with a row for each term: a text reads only the rows of its terms, each of
/// them contiguous.
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
                first_min(distances)
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

/// Position of the first minimum.
fn first_min(values: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::INFINITY);
    for (index, value) in values.enumerate() {
        if value < best.1 {
            best = (index, value);
        }
    }
    best.0
}

/// Furthest point first: the first centre is `first`, each of the next `k` − 1 is the text furthest
/// from all centres so far. Returns the nearest centre of each text, the earliest on a tie.
pub fn furthest_point_first(texts: &[Sparse], k: usize, first: usize) -> Vec<usize> {
    let mut clusters = vec![0; texts.len()];
    if texts.is_empty() {
        return clusters;
    }
    let squares: Vec<f64> = texts.iter().map(|text| dot(text, text)).collect();
    let mut spread = Spread::new(texts);
    let mut nearest: Vec<f64> = spread.distances(texts, &squares, first);
    for cluster in 1..k.min(texts.len()) {
        let centre = first_min(nearest.iter().map(|distance| -distance));
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

/// A text as a dense vector: another text is compared with it in one pass over its own terms.
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

    /// The definition, with every distance computed from scratch.
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
            centres.push(first_min(texts.iter().map(|text| -to_centres(text, &centres))));
        }
        texts
            .iter()
            .map(|text| first_min(centres.iter().map(|&centre| distance(text, &texts[centre]))))
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

    /// Lloyd's algorithm with dense vectors, as in the textbook.
    fn plain_k_means(texts: &[Vec<f64>], centres: &[usize]) -> Vec<usize> {
        let mut means: Vec<Vec<f64>> =
            centres.iter().map(|&centre| texts[centre].clone()).collect();
        let distance =
            |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum() };
        let mut clusters: Vec<usize> = Vec::new();
        for _ in 0..MAX_ROUNDS {
            let assigned: Vec<usize> = texts
                .iter()
                .map(|text| first_min(means.iter().map(|mean| distance(text, mean))))
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
            weights in prop::collection::vec(prop::collection::vec(0u8..4, 5), 3..20),
            seed in 0u64..50,
        ) {
            // Irrational scales avoid ties, which rounding could break either way.
            let scaled = |n: usize, &w: &u8| f64::from(w) * (1.0 + (n as f64).sin() * 0.1);
            let dense: Vec<Vec<f64>> = (0..)
                .zip(&weights)
                .map(|(i, text)| (i * 7..).zip(text).map(|(n, w)| scaled(n, w)).collect())
                .collect();
            let sparse: Vec<Sparse> = dense
                .iter()
                .map(|text| (0..).zip(text.iter().copied()).filter(|(_, w)| *w != 0.0).collect())
                .collect();
            let centres = draw_centres(dense.len(), 3, seed);
            let (fast, plain) = (k_means(&sparse, 5, &centres), plain_k_means(&dense, &centres));
            prop_assert!((cost(&dense, &fast, 3) - cost(&dense, &plain, 3)).abs() < 1e-6);
        }

        #[test]
        fn no_text_is_further_from_its_centre_than_centres_from_each_other(
            texts in prop::collection::vec("[abc]( [abc]){0,4}", 2..15),
            first in 0usize..2,
            k in 1usize..5,
        ) {
            let vectors = TermCounts::of(&texts).tf_idf();
            let clusters = furthest_point_first(&vectors, k, first);
            prop_assert_eq!(clusters[first], 0);
            prop_assert!(clusters.iter().all(|&cluster| cluster < k));
        }
    }
}
