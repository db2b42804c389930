//! Scores for the agreement of clusters with hand-made classes.
//!
//! All scores are computed from the number of items of each class in each cluster. Two empty sides
//! agree fully.

use std::collections::BTreeMap;

/// Items counted by cluster and by class.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Contingency {
    cells: BTreeMap<(usize, usize), u64>,
    clusters: BTreeMap<usize, u64>,
    classes: BTreeMap<usize, u64>,
    total: u64,
}

impl Contingency {
    /// From pairs of a cluster and a class, one per item.
    pub fn of(items: impl IntoIterator<Item = (usize, usize)>) -> Contingency {
        let mut table = Contingency::default();
        for (cluster, class) in items {
            *table.cells.entry((cluster, class)).or_default() += 1;
            *table.clusters.entry(cluster).or_default() += 1;
            *table.classes.entry(class).or_default() += 1;
            table.total += 1;
        }
        table
    }

    /// Number of items.
    pub fn items(&self) -> u64 {
        self.total
    }

    /// Number of clusters.
    pub fn clusters(&self) -> usize {
        self.clusters.len()
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes.len()
    }

    /// Share of the items that belong to the most frequent class of their cluster.
    pub fn purity(&self) -> f64 {
        if self.total == 0 {
            return 1.0;
        }
        let mut largest: BTreeMap<usize, u64> = BTreeMap::new();
        for (&(cluster, _), &count) in &self.cells {
            let known = largest.entry(cluster).or_default();
            *known = (*known).max(count);
        }
        largest.values().sum::<u64>() as f64 / self.total as f64
    }

    /// The best F of any cluster for each class, weighted by the size of the class.
    pub fn best_f(&self) -> f64 {
        if self.total == 0 {
            return 1.0;
        }
        let mut best: BTreeMap<usize, f64> = BTreeMap::new();
        for (&(cluster, class), &count) in &self.cells {
            let f = 2.0 * count as f64 / (self.clusters[&cluster] + self.classes[&class]) as f64;
            let known = best.entry(class).or_default();
            *known = known.max(f);
        }
        best.iter().map(|(class, f)| f * self.classes[class] as f64).sum::<f64>()
            / self.total as f64
    }

    /// One minus the entropy of the classes in a cluster, averaged over the items and divided by
    /// the logarithm of the number of classes. This is the alignment paper's NCE, whose printed
    /// formula can leave 0..=1.
    pub fn nce(&self) -> f64 {
        let scale = (self.classes.len() as f64).ln();
        if scale <= 0.0 {
            return 1.0;
        }
        let cell = |(&(cluster, _), &count): (&(usize, usize), &u64)| {
            -(count as f64) / self.total as f64
                * (count as f64 / self.clusters[&cluster] as f64).ln()
        };
        1.0 - self.cells.iter().map(cell).sum::<f64>() / scale
    }

    /// Mutual information, normalised by the mean of the two entropies: 1 for the same partition, 0
    /// for independent ones.
    pub fn nmi(&self) -> f64 {
        let entropies = entropy(self.clusters.values(), self.total)
            + entropy(self.classes.values(), self.total);
        if entropies == 0.0 { 1.0 } else { 2.0 * self.mutual_information() / entropies }
    }

    /// Mutual information, normalised by the logarithms of the numbers of clusters and classes, as
    /// in the alignment paper. Below 1 even for the same partition, unless all classes have the
    /// same size.
    pub fn nmi_by_numbers(&self) -> f64 {
        let logarithms = (self.clusters.len() as f64).ln() + (self.classes.len() as f64).ln();
        if logarithms <= 0.0 { 1.0 } else { 2.0 * self.mutual_information() / logarithms }
    }

    fn mutual_information(&self) -> f64 {
        let total = self.total as f64;
        let cell = |(&(cluster, class), &count): (&(usize, usize), &u64)| {
            let expected = self.clusters[&cluster] as f64 * self.classes[&class] as f64 / total;
            count as f64 / total * (count as f64 / expected).ln()
        };
        self.cells.iter().map(cell).sum::<f64>().max(0.0)
    }

    /// Adjusted Rand index: the share of pairs on which both sides agree, corrected for chance; 1
    /// for the same partition.
    pub fn ari(&self) -> f64 {
        let pairs = |count: &u64| (count * count.saturating_sub(1)) as f64 / 2.0;
        let both: f64 = self.cells.values().map(pairs).sum();
        let by_cluster: f64 = self.clusters.values().map(pairs).sum();
        let by_class: f64 = self.classes.values().map(pairs).sum();
        let all = pairs(&self.total);
        if all == 0.0 {
            return 1.0;
        }
        let (expected, max) = (by_cluster * by_class / all, (by_cluster + by_class) / 2.0);
        // All items apart on both sides, or all together on both: no pair could disagree.
        if max == expected { 1.0 } else { (both - expected) / (max - expected) }
    }
}

fn entropy<'a>(counts: impl Iterator<Item = &'a u64>, total: u64) -> f64 {
    let share = |&count: &u64| count as f64 / total as f64;
    counts.map(|count| -share(count) * share(count).ln()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "found {found}, expected {expected}");
    }

    #[test]
    fn the_same_partition_with_other_labels() {
        let table = Contingency::of([(7, 0), (7, 0), (3, 1), (5, 2), (5, 2)]);
        assert_close(table.purity(), 1.0);
        assert_close(table.nmi(), 1.0);
        assert_close(table.ari(), 1.0);
        assert!(table.nmi_by_numbers() < 1.0);
    }

    #[test]
    fn everything_in_one_cluster() {
        let table = Contingency::of([(0, 0), (0, 0), (0, 0), (0, 1)]);
        assert_close(table.purity(), 0.75);
        assert_close(table.nmi(), 0.0);
        assert_close(table.ari(), 0.0);
    }

    /// Computed by hand: 4 items, clusters {a, b}, {c, d}, classes {a, c}, {b, d}.
    #[test]
    fn independent_partitions() {
        let table = Contingency::of([(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_close(table.purity(), 0.5);
        assert_close(table.nmi(), 0.0);
        // No pair is together on both sides; chance would give 2/3: (0 - 2/3) / (2 - 2/3).
        assert_close(table.ari(), -0.5);
    }

    /// Computed by hand: clusters {a, a, b}, {b, b, b}.
    #[test]
    fn one_item_in_the_wrong_cluster() {
        let table = Contingency::of([(0, 0), (0, 0), (0, 1), (1, 1), (1, 1), (1, 1)]);
        assert_close(table.purity(), 5.0 / 6.0);
        // Pairs: both 1 + 3 = 4, clusters 3 + 3, classes 1 + 6, all 15; expected 42 / 15, maximum
        // 6.5.
        assert_close(table.ari(), (4.0 - 2.8) / (6.5 - 2.8));
        let information: f64 =
            2.0 / 6.0 * 2f64.ln() + 1.0 / 6.0 * 0.5f64.ln() + 3.0 / 6.0 * 1.5f64.ln();
        let entropies = 2f64.ln() - (1.0 / 3.0 * (1f64 / 3.0).ln() + 2.0 / 3.0 * (2f64 / 3.0).ln());
        assert_close(table.nmi(), 2.0 * information / entropies);
        assert_close(table.nmi_by_numbers(), 2.0 * information / (2.0 * 2f64.ln()));
    }

    #[test]
    fn empty_and_single_item_partitions() {
        for table in [Contingency::of([]), Contingency::of([(0, 0)])] {
            assert_close(table.purity(), 1.0);
            assert_close(table.nmi(), 1.0);
            assert_close(table.nmi_by_numbers(), 1.0);
            assert_close(table.ari(), 1.0);
        }
        assert_close(Contingency::of([(0, 0), (1, 1), (2, 2)]).ari(), 1.0);
    }

    /// Checks F, purity, NMI by numbers and NCE.
    fn check(clusters: &[usize], classes: &[usize], expected: [f64; 4]) {
        let table = Contingency::of(clusters.iter().copied().zip(classes.iter().copied()));
        let found = [table.best_f(), table.purity(), table.nmi_by_numbers(), table.nce()];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "found {found}, expected {expected}");
        }
    }

    #[test]
    fn known_values() {
        check(&[0, 0, 1, 1], &[5, 5, 7, 7], [1.0; 4]);
        check(&[0, 0, 0, 0], &[0, 0, 1, 1], [2.0 / 3.0, 0.5, 0.0, 0.0]);
        // Two clusters, of two and three items; the second is mixed. Computed by hand.
        let entropy = -(3.0 / 5.0)
            * ((1.0f64 / 3.0) * (1.0f64 / 3.0).ln() + (2.0 / 3.0) * (2.0f64 / 3.0).ln());
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
    fn partitions_without_choice_score_1() {
        check(&[], &[], [1.0; 4]);
        check(&[3], &[4], [1.0; 4]);
    }

    proptest! {
        #[test]
        fn scores_are_between_0_and_1(
            items in prop::collection::vec((0usize..4, 0usize..3), 1..40),
        ) {
            let table = Contingency::of(items);
            for value in [table.purity(), table.best_f(), table.nmi_by_numbers(), table.nce()] {
                prop_assert!((-1e-9..=1.0 + 1e-9).contains(&value), "{}", value);
            }
        }

        #[test]
        fn cluster_labels_do_not_matter(
            items in prop::collection::vec((0usize..4, 0usize..3), 1..40),
        ) {
            let renamed =
                Contingency::of(items.iter().map(|&(cluster, class)| (9 - cluster, class)));
            let table = Contingency::of(items);
            for score in [
                Contingency::purity,
                Contingency::best_f,
                Contingency::nmi_by_numbers,
                Contingency::nce,
            ] {
                prop_assert!((score(&table) - score(&renamed)).abs() < 1e-12);
            }
        }
    }
}
