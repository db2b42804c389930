//! Seeded pseudo-random numbers: the same seed always gives the same numbers.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A stream of numbers that depends only on its seed.
#[derive(Clone, Debug)]
pub struct Chance {
    seed: u64,
    drawn: u64,
}

impl Chance {
    /// Starts the stream of this seed.
    pub fn new(seed: u64) -> Chance {
        Chance { seed, drawn: 0 }
    }

    fn next(&mut self) -> u64 {
        self.drawn += 1;
        xxh3_64_with_seed(&self.drawn.to_le_bytes(), self.seed)
    }

    /// A number below `end`, which must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        // The high half of the product: the bias is negligible for ends far below 2^64.
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// The numbers below `end` in random order.
    pub fn permutation(&mut self, end: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..end).collect();
        for last in (1..end).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_three_comes_up_about_as_often() {
        let mut counts = std::collections::BTreeMap::new();
        let mut chance = Chance::new(7);
        for _ in 0..6000 {
            *counts.entry(chance.permutation(3)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_seed_gives_the_same_stream() {
        let draw = |seed| -> Vec<usize> {
            let mut chance = Chance::new(seed);
            (0..20).map(|_| chance.below(1000)).collect()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
