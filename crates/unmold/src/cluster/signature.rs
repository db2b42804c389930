//! Extended MinHash: short signatures of clusters, from which their cost and similarity are
//! estimated.
//!
//! Each of L hash functions ranks all paths. For each one, the signature keeps the minimum rank
//! over all pages of the cluster and the number of pages that have it. The signature of a union
//! follows from the signatures of its parts.

/// For each hash function, the minimum rank and the number of pages that have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Signature {
    pub(super) ranks: Vec<u64>,
    pub(super) pages: Vec<u32>,
}

/// Hash functions over paths.
#[derive(Clone, Debug)]
pub(crate) struct Ranking {
    seeds: Vec<u64>,
}

impl Ranking {
    pub(crate) fn new(functions: usize, seed: u64) -> Ranking {
        let mut state = seed;
        Ranking { seeds: (0..functions).map(|_| crate::methods::split_mix(&mut state)).collect() }
    }

    /// The signature of `pages` pages with the same paths; `None` if there are no paths.
    pub(crate) fn signature(&self, paths: &[u64], pages: u32) -> Option<Signature> {
        if paths.is_empty() {
            return None;
        }
        // With the functions in the inner loop, it runs over two arrays and can be vectorised.
        let mut ranks = vec![u64::MAX; self.seeds.len()];
        for &path in paths {
            for (min, &seed) in ranks.iter_mut().zip(&self.seeds) {
                *min = (*min).min(rank(path, seed));
            }
        }
        Some(Signature { pages: vec![pages; ranks.len()], ranks })
    }
}

/// One round of a mixer. Paths are hashes already, so a product and a shift are enough to reorder
/// them.
#[inline]
fn rank(path: u64, seed: u64) -> u64 {
    let mixed = (path ^ seed).wrapping_mul(seed | 1);
    (mixed ^ (mixed >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

impl Signature {
    /// From explicit ranks, each with its number of pages.
    #[cfg(test)]
    pub(crate) fn from_ranks(entries: &[(u64, u32)]) -> Signature {
        let (ranks, pages) = entries.iter().copied().unzip();
        Signature { ranks, pages }
    }

    pub(crate) fn merged(&self, other: &Signature) -> Signature {
        let (mut ranks, mut pages) = (self.ranks.clone(), self.pages.clone());
        for (at, (&rank, &number)) in other.ranks.iter().zip(&other.pages).enumerate() {
            if rank == ranks[at] {
                pages[at] += number;
            } else if rank < ranks[at] {
                (ranks[at], pages[at]) = (rank, number);
            }
        }
        Signature { ranks, pages }
    }

    /// The page counts of the merged signature, without building it.
    fn merged_pages<'a>(&'a self, other: &'a Signature) -> impl Iterator<Item = u32> + 'a {
        let own = self.ranks.iter().zip(&self.pages);
        own.zip(other.ranks.iter().zip(&other.pages)).map(
            |((&rank_a, &pages_a), (&rank_b, &pages_b))| {
                // Branchless, because the comparison is unpredictable.
                u32::from(rank_a <= rank_b) * pages_a + u32::from(rank_b <= rank_a) * pages_b
            },
        )
    }

    /// Estimated cost of a cluster of `pages` pages with `paths` paths in total, counted once per
    /// page.
    pub(crate) fn cost(&self, pages: u32, paths: u64) -> f64 {
        estimate(self.pages.iter().copied(), pages, paths)
    }

    /// Estimated cost of the union of two clusters; `pages` and `paths` are those of the union.
    pub(crate) fn merged_cost(&self, other: &Signature, pages: u32, paths: u64) -> f64 {
        estimate(self.merged_pages(other), pages, paths)
    }

    /// Sum of the page counts, used to estimate the number of distinct paths.
    pub(crate) fn total_pages(&self) -> u64 {
        self.pages.iter().map(|&pages| u64::from(pages)).sum()
    }

    pub(crate) fn merged_total_pages(&self, other: &Signature) -> u64 {
        self.merged_pages(other).map(u64::from).sum()
    }

    /// Positions whose minimum rank all `pages` pages of the cluster have.
    pub(crate) fn full(&self, pages: u32) -> impl Iterator<Item = usize> + '_ {
        self.pages.iter().enumerate().filter(move |&(_, &number)| number == pages).map(|(at, _)| at)
    }

    /// Estimated share of the paths that exactly `k` pages have, for `k` from 1 to `pages`.
    #[cfg(test)]
    pub(crate) fn shares(&self, pages: u32) -> Vec<f64> {
        let mut shares = vec![0.0; pages as usize];
        for &number in &self.pages {
            shares[number as usize - 1] += 1.0 / self.pages.len() as f64;
        }
        shares
    }
}

/// Equations 2, 3 and 4 of the paper in one sum. The numbers of paths n(k) = x(k) S / (sum of l
/// x(l)) all have the same divisor, and x(k) counts positions. So the cost is the mean cost of a
/// position, scaled to the actual number of paths.
fn estimate(numbers: impl Iterator<Item = u32>, pages: u32, paths: u64) -> f64 {
    let (mut cost, mut total) = (0u64, 0u64);
    for number in numbers {
        cost += u64::from(number.min(pages + 1 - number));
        total += u64::from(number);
    }
    if total == 0 { 0.0 } else { paths as f64 * cost as f64 / total as f64 }
}
