//! How well does a clustering agree with known classes?
//!
//! The alignment paper prints purity and NCE with errors (their values leave 0..=1); these are the corrected forms.

use std::collections::BTreeMap;

/// How many items each pair of cluster and class shares.
#[derive(Clone, Debug)]
struct Overlaps {
    items: f64,
    pairs: BTreeMap<(usize, usize), f64>,
    clusters: BTreeMap<usize, f64>,
    classes: BTreeMap<usize, f64>,
}

impl Overlaps {
    fn of(clusters: &[usize], classes: &[usize]) -> Overlaps {
        assert_eq!(clusters.len(), classes.len(), "a cluster and a class for each item");
        let mut overlaps = Overlaps {
            items: clusters.len() as f64,
            pairs: BTreeMap::new(),
            clusters: BTreeMap::new(),
            classes: BTreeMap::new(),
        };
        for (&cluster, &class) in clusters.iter().zip(classes) {
            *overlaps.pairs.entry((cluster, class)).or_default() += 1.0;
            *overlaps.clusters.entry(cluster).or_default() += 1.0;
            *overlaps.classes.entry(class).or_default() += 1.0;
        }
        overlaps
    }
}

/// Share of the items that belong to the largest class of their cluster: (1/n) Σ_c max_g |c ∩ g|.
pub fn purity(clusters: &[usize], classes: &[usize]) -> f64 {
    let overlaps = Overlaps::of(clusters, classes);
    let mut largest: BTreeMap<usize, f64> = BTreeMap::new();
    for (&(cluster, _), &shared) in &overlaps.pairs {
        let most = largest.entry(cluster).or_default();
        *most = most.max(shared);
    }
    if overlaps.items == 0.0 { 1.0 } else { largest.values().sum::<f64>() / overlaps.items }
}

/// For each class the best F of any cluster, weighted by the size of the class.
pub fn cluster_f(clusters: &[usize], classes: &[usize]) -> f64 {
    let overlaps = Overlaps::of(clusters, classes);
    let mut best: BTreeMap<usize, f64> = BTreeMap::new();
    for (&(cluster, class), &shared) in &overlaps.pairs {
        let f = 2.0 * shared / (overlaps.clusters[&cluster] + overlaps.classes[&class]);
        let most = best.entry(class).or_default();
        *most = most.max(f);
    }
    let weighted = best.iter().map(|(class, f)| f * overlaps.classes[class]).sum::<f64>();
    if overlaps.items == 0.0 { 1.0 } else { weighted / overlaps.items }
}

/// Mutual information times 2 / log(number of clusters · number of classes), as the alignment paper normalises it.
pub fn nmi(clusters: &[usize], classes: &[usize]) -> f64 {
    let overlaps = Overlaps::of(clusters, classes);
    let scale = ((overlaps.clusters.len() * overlaps.classes.len()) as f64).ln();
    if overlaps.items == 0.0 || scale == 0.0 {
        return 1.0;
    }
    let information: f64 = overlaps
        .pairs
        .iter()
        .map(|((cluster, class), shared)| {
            let expected = overlaps.clusters[cluster] * overlaps.classes[class] / overlaps.items;
            shared / overlaps.items * (shared / expected).ln()
        })
        .sum();
    2.0 * information / scale
}

/// One minus the entropy of the classes in a cluster, mean over the items, in units of log(number of classes).
pub fn nce(clusters: &[usize], classes: &[usize]) -> f64 {
    let overlaps = Overlaps::of(clusters, classes);
    let scale = (overlaps.classes.len() as f64).ln();
    if overlaps.items == 0.0 || scale == 0.0 {
        return 1.0;
    }
    let entropy: f64 = overlaps
        .pairs
        .iter()
        .map(|((cluster, _), shared)| -shared / overlaps.items * (shared / overlaps.clusters[cluster]).ln())
        .sum();
    1.0 - entropy / scale
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(clusters: &[usize], classes: &[usize], expected: [f64; 4]) {
        let found = [
            cluster_f(clusters, classes),
            purity(clusters, classes),
            nmi(clusters, classes),
            nce(clusters, classes),
        ];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        }
    }

    #[test]
    fn known_values() {
        check(&[0, 0, 1, 1], &[5, 5, 7, 7], [1.0; 4]);
        check(&[0, 0, 0, 0], &[0, 0, 1, 1], [2.0 / 3.0, 0.5, 0.0, 0.0]);
        // Two clusters of two and three; the second mixes. Worked by hand.
        let entropy =
            -(3.0 / 5.0) * ((1.0f64 / 3.0) * (1.0f64 / 3.0).ln() + (2.0 / 3.0) * (2.0f64 / 3.0).ln());
        let information = 2.0 / 5.0 * (2.0f64 / (2.0 * 3.0 / 5.0)).ln()
            + 1.0 / 5.0 * (1.0f64 / (3.0 * 3.0 / 5.0)).ln()
            + 2.0 / 5.0 * (2.0f64 / (3.0 * 2.0 / 5.0)).ln();
        check(
            &[0, 0, 1, 1, 1],
            &[0, 0, 0, 1, 1],
            [0.6 * 0.8 + 0.4 * 0.8, 0.8, 2.0 * information / 4f64.ln(), 1.0 - entropy / 2f64.ln()],
        );
    }

    #[test]
    fn nothing_to_tell_apart() {
        check(&[], &[], [1.0; 4]);
        check(&[3], &[4], [1.0; 4]);
    }

    proptest! {
        #[test]
        fn all_stay_between_0_and_1(pairs in prop::collection::vec((0usize..4, 0usize..3), 1..40)) {
            let (clusters, classes): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
            for value in [
                purity(&clusters, &classes), cluster_f(&clusters, &classes), nmi(&clusters, &classes), nce(&clusters, &classes),
            ] {
                prop_assert!((-1e-9..=1.0 + 1e-9).contains(&value), "{}", value);
            }
        }

        #[test]
        fn names_of_clusters_do_not_matter(pairs in prop::collection::vec((0usize..4, 0usize..3), 1..40)) {
            let (clusters, classes): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
            let renamed: Vec<usize> = clusters.iter().map(|cluster| 9 - cluster).collect();
            for score in [purity, cluster_f, nmi, nce] {
                prop_assert!((score(&clusters, &classes) - score(&renamed, &classes)).abs() < 1e-12);
            }
        }
    }
}
