//! Locality-sensitive hashing: finds clusters that may be similar without comparing all pairs.
//!
//! A signature is split into bands; two clusters that agree in all rows of a band are candidates.
//! With 32 bands of 4 rows, pages with a Jaccard coefficient of 0.5 become candidates with
//! probability 0.87, those with 0.7 with probability 0.9998.

use unmold_html::hash::KeyedMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::signature::Signature;

/// How signatures are split into bands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bands {
    /// Number of bands.
    pub bands: usize,
    /// Ranks per band; the first `bands * rows` ranks of a signature are used.
    pub rows: usize,
}

impl Default for Bands {
    fn default() -> Bands {
        Bands { bands: 32, rows: 4 }
    }
}

impl Bands {
    /// Probability that two pages with this Jaccard coefficient are candidates.
    #[must_use]
    pub fn probability(&self, jaccard: f64) -> f64 {
        1.0 - (1.0 - jaccard.powi(self.rows as i32)).powi(self.bands as i32)
    }

    /// Indices connected by candidates: each group is sorted, and groups are ordered by their first
    /// index.
    pub(super) fn components(&self, signatures: &[Option<Signature>]) -> Vec<Vec<u32>> {
        let mut joined = Forest((0..signatures.len() as u32).collect());
        let mut buckets: KeyedMap<(usize, u64), u32> = KeyedMap::default();
        for (at, signature) in signatures.iter().enumerate() {
            let Some(signature) = signature else { continue };
            for (band, rows) in
                signature.ranks.chunks_exact(self.rows.max(1)).take(self.bands).enumerate()
            {
                let bytes: Vec<u8> = rows.iter().flat_map(|rank| rank.to_le_bytes()).collect();
                let bucket = (band, xxh3_64_with_seed(&bytes, band as u64));
                let first = *buckets.entry(bucket).or_insert(at as u32);
                joined.join(first, at as u32);
            }
        }
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); signatures.len()];
        for at in 0..signatures.len() as u32 {
            groups[joined.root(at) as usize].push(at);
        }
        groups.retain(|group| !group.is_empty());
        groups
    }
}

/// Union-find whose roots are the smallest members.
struct Forest(Vec<u32>);

impl Forest {
    fn root(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            let parent = self.0[at as usize];
            self.0[at as usize] = self.0[parent as usize];
            at = parent;
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
