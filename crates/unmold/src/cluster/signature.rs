//! Extended MinHash: a short signature of a cluster from which its cost and its likeness to others
//! are estimated.
//!
//! Each of L hash functions ranks all paths. For each the signature keeps the least rank that any
//! page of the cluster has, and how many of the pages have it. Signatures of two clusters give that
//! of their union.

/// A signature: for each hash function the least rank and the number of pages that have it.
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

    /// The signature of `pages` pages that have the same paths; `None` if they have none.
    pub(crate) fn signature(&self, paths: &[u64], pages: u32) -> Option<Signature> {
        if paths.is_empty() {
            return None;
        }
        // Paths outside, functions inside: the inner loop runs over two arrays and becomes vector
        // instructions.
        let mut ranks = vec![u64::MAX; self.seeds.len()];
        for &path in paths {
            for (least, &seed) in ranks.iter_mut().zip(&self.seeds) {
                *least = (*least).min(rank(path, seed));
            }
        }
        Some(Signature { pages: vec![pages; ranks.len()], ranks })
    }
}

/// One round of a mixer: paths are hashes already, so that a product and a shift suffice to order
/// them anew.
#[inline]
fn rank(path: u64, seed: u64) -> u64 {
    let mixed = (path ^ seed).wrapping_mul(seed | 1);
    (mixed ^ (mixed >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

impl Signature {
    /// From ranks given by hand, each with its number of pages.
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

    /// Numbers of pages of the merged signature, without building it.
    fn merged_pages<'a>(&'a self, other: &'a Signature) -> impl Iterator<Item = u32> + 'a {
        let own = self.ranks.iter().zip(&self.pages);
        own.zip(other.ranks.iter().zip(&other.pages)).map(
            |((&rank_a, &pages_a), (&rank_b, &pages_b))| {
                // Without branches: which of the two is less cannot be foretold.
                u32::from(rank_a <= rank_b) * pages_a + u32::from(rank_b <= rank_a) * pages_b
            },
        )
    }

    /// Estimated cost of a cluster of `pages` pages with `paths` paths in all (each as often as a
    /// page has it).
    pub(crate) fn cost(&self, pages: u32, paths: u64) -> f64 {
        estimate(self.pages.iter().copied(), pages, paths)
    }

    /// Estimated cost of the union of two clusters; the numbers are those of the union.
    pub(crate) fn merged_cost(&self, other: &Signature, pages: u32, paths: u64) -> f64 {
        estimate(self.merged_pages(other), pages, paths)
    }

    /// Sum of the numbers of pages: with it the number of different paths is estimated.
    pub(crate) fn total_pages(&self) -> u64 {
        self.pages.iter().map(|&pages| u64::from(pages)).sum()
    }

    pub(crate) fn merged_total_pages(&self, other: &Signature) -> u64 {
        self.merged_pages(other).map(u64::from).sum()
    }

    /// Positions whose least rank all `pages` pages of the cluster have.
    pub(crate) fn full(&self, pages: u32) -> impl Iterator<Item = usize> + '_ {
        self.pages.iter().enumerate().filter(move |&(_, &number)| number == pages).map(|(at, _)| at)
    }

    /// Share of the union's paths that exactly `k` pages have, estimated, for `k` from 1 to
    /// `pages`.
    #[cfg(test)]
    pub(crate) fn shares(&self, pages: u32) -> Vec<f64> {
        let mut shares = vec![0.0; pages as usize];
        for &number in &self.pages {
            shares[number as usize - 1] += 1.0 / self.pages.len() as f64;
        }
        shares
    }
}

/// Equations 2, 3, 4 of the paper in one sum. Its numbers of paths n(k) = x(k) S / (sum of l x(l))
/// all have the same divisor, and x(k) counts positions: so the cost is the mean price of a
/// position, scaled to the paths there are.
fn estimate(numbers: impl Iterator<Item = u32>, pages: u32, paths: u64) -> f64 {
    let (mut price, mut total) = (0u64, 0u64);
    for number in numbers {
        price += u64::from(number.min(pages + 1 - number));
        total += u64::from(number);
    }
    if total == 0 { 0.0 } else { paths as f64 * price as f64 / total as f64 }
}
