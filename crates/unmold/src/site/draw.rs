//! Which pages of a site is its template learned from?

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The rank of a page in the sample of its site: the hash of its bytes. The pages with the smallest ranks are drawn.
///
/// So a sample depends neither on the order of the pages nor on how they are spread over machines, and a copy of a
/// page has the rank of the page.
pub fn sample_rank(bytes: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(bytes, seed)
}

/// The pages of one site that are drawn so far: at most so many, those with the smallest ranks, no copies.
///
/// Draws of parts of a site can be drawn from again: the result is that of the whole site.
#[derive(Clone, Debug)]
pub struct Draw<T> {
    most: usize,
    pages: BTreeMap<u64, T>,
}

impl<T> Draw<T> {
    /// A draw of at most `most` pages.
    pub fn new(most: usize) -> Draw<T> {
        Draw { most, pages: BTreeMap::new() }
    }

    /// Whether a page of this rank would be drawn now.
    pub fn takes(&self, rank: u64) -> bool {
        let has_room = self.pages.len() < self.most;
        let is_smaller = || self.pages.last_key_value().is_some_and(|(&last, _)| rank < last);
        (has_room || is_smaller()) && !self.pages.contains_key(&rank)
    }

    /// Draws a page if its rank is small enough. Of copies the first stays.
    pub fn insert(&mut self, rank: u64, page: T) {
        if self.takes(rank) {
            self.pages.insert(rank, page);
            if self.pages.len() > self.most {
                self.pages.pop_last();
            }
        }
    }

    /// The ranks drawn, smallest first.
    pub fn ranks(&self) -> impl Iterator<Item = u64> + '_ {
        self.pages.keys().copied()
    }

    /// The pages drawn, smallest rank first.
    pub fn into_pages(self) -> impl Iterator<Item = T> {
        self.pages.into_values()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drawn(most: usize, ranks: &[u64]) -> Vec<u64> {
        let mut draw = Draw::new(most);
        ranks.iter().for_each(|&rank| draw.insert(rank, rank));
        assert!(draw.ranks().eq(draw.pages.values().copied()));
        draw.into_pages().collect()
    }

    proptest! {
        #[test]
        fn a_draw_is_the_smallest_different_ranks(ranks in prop::collection::vec(0u64..40, 0..60), most in 0usize..12) {
            let mut expected = ranks.clone();
            expected.sort_unstable();
            expected.dedup();
            expected.truncate(most);
            prop_assert_eq!(drawn(most, &ranks), expected);
        }

        #[test]
        fn draws_of_parts_give_the_draw_of_all(
            ranks in prop::collection::vec(any::<u64>(), 0..60), cut in 0usize..60, most in 0usize..12,
        ) {
            let (left, right) = ranks.split_at(cut.min(ranks.len()));
            let parts = [drawn(most, left), drawn(most, right)].concat();
            prop_assert_eq!(drawn(most, &parts), drawn(most, &ranks));
        }
    }
}
