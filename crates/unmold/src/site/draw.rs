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

/// The pages of one site that are drawn so far: at most so many, those with the smallest ranks; of copies of a page the
/// one with the smallest id, since their addresses differ.
///
/// Draws of parts of a site can be drawn from again: the result is that of the whole site.
#[derive(Clone, Debug)]
pub struct Draw<T> {
    most: usize,
    pages: BTreeMap<u64, (String, T)>,
}

impl<T> Draw<T> {
    /// A draw of at most `most` pages.
    pub fn new(most: usize) -> Draw<T> {
        Draw { most, pages: BTreeMap::new() }
    }

    /// Whether a page of this rank and id would be drawn now.
    pub fn takes(&self, rank: u64, id: &str) -> bool {
        let is_smaller = || self.pages.last_key_value().is_some_and(|(&last, _)| rank < last);
        match self.pages.get(&rank) {
            Some((copy, _)) => id < copy.as_str(),
            None => self.pages.len() < self.most || is_smaller(),
        }
    }

    /// Draws a page if it is to be drawn.
    pub fn insert(&mut self, rank: u64, id: &str, page: T) {
        if self.takes(rank, id) {
            self.pages.insert(rank, (id.to_owned(), page));
            if self.pages.len() > self.most {
                self.pages.pop_last();
            }
        }
    }

    /// The ranks drawn, smallest first.
    pub fn ranks(&self) -> impl Iterator<Item = u64> + '_ {
        self.pages.keys().copied()
    }

    /// The pages drawn so far, smallest rank first.
    pub fn pages(&self) -> impl Iterator<Item = &T> + '_ {
        self.pages.values().map(|(_, page)| page)
    }

    /// The pages drawn, smallest rank first.
    pub fn into_pages(self) -> impl Iterator<Item = T> {
        self.pages.into_values().map(|(_, page)| page)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Pages = Vec<(u64, String)>;

    fn drawn(most: usize, pages: &[(u64, String)]) -> Pages {
        let mut draw = Draw::new(most);
        pages.iter().for_each(|(rank, id)| draw.insert(*rank, id, (*rank, id.clone())));
        let ranks: Vec<u64> = draw.ranks().collect();
        let pages: Pages = draw.into_pages().collect();
        assert!(pages.iter().map(|(rank, _)| *rank).eq(ranks));
        pages
    }

    fn pages() -> impl Strategy<Value = Pages> {
        prop::collection::vec((0u64..40, "[a-c]{0,2}"), 0..60)
    }

    proptest! {
        #[test]
        fn a_draw_is_the_smallest_different_ranks(pages in pages(), most in 0usize..12) {
            let mut expected = pages.clone();
            expected.sort_unstable();
            expected.dedup_by_key(|(rank, _)| *rank);
            expected.truncate(most);
            prop_assert_eq!(drawn(most, &pages), expected);
        }

        #[test]
        fn draws_of_parts_give_the_draw_of_all(pages in pages(), cut in 0usize..60, most in 0usize..12) {
            let (left, right) = pages.split_at(cut.min(pages.len()));
            let parts = [drawn(most, left), drawn(most, right)].concat();
            prop_assert_eq!(drawn(most, &parts), drawn(most, &pages));
        }
    }
}
