//! Which pages of a site is its template learned from?
//!
//! A sample by chance alone has perhaps no page of a rare kind: of a shop with 95 % product pages
//! it has product pages. So pages are told apart by the pattern of their address, and the more
//! pages of a pattern are drawn, the harder it is for the next: rare patterns come in, frequent
//! ones still have the most.
//!
//! In each pattern the pages are ordered by rank; the `i`-th has the *key* `(i + 8) · rank`, and
//! pages with the smallest keys are drawn. Of `n` ranks by chance out of 0..1 the `i`-th is about
//! `i / n`: a key is below `t` up to `i (i + 8) = t n`. So the number drawn goes with the square
//! root of `n`, but with `n` itself while it is small: the first pages of a kind are those that
//! tell the most, and a small sample has none to spare. A site of one pattern, or of a pattern for
//! each page, gets the pages with the smallest ranks.
//!
//! **Parts.** The draws of parts of a site can be drawn from again, in any order: the result is
//! that of the whole site. A page that is beaten in its part is beaten in the whole by as many:
//! wherever a page stood in its pattern, there now stands one with a rank no larger, so with a key
//! no larger, while the index of the beaten page can only have grown. And keys grow within a
//! pattern, so what is taken out is the last of its pattern, and no index moves.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::url_pattern;

/// What decides whether a page is drawn.
///
/// It depends on the page alone, so a sample depends neither on the order of the pages nor on how
/// they are spread over machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lot {
    /// The pattern of its address.
    pub pattern: u64,
    /// The hash of its bytes: a copy of a page has the rank of the page.
    pub rank: u64,
}

impl Lot {
    /// The lot of a page. `address`: its URL, or its id if it has none. Another `seed` draws
    /// another sample.
    pub fn new(bytes: &[u8], address: &str, seed: u64) -> Lot {
        Lot { pattern: url_pattern(address), rank: xxh3_64_with_seed(bytes, seed) }
    }
}

/// About as many pages of a kind tell its template (`docs/methods/auto.md`); fewer are drawn by
/// chance.
const ENOUGH: usize = 8;

/// `(index + 8) · rank`; then rank and pattern, so that no two are equal.
type Key = (u128, u64, u64);

fn key(index: usize, lot: Lot) -> Key {
    ((index + ENOUGH) as u128 * u128::from(lot.rank), lot.rank, lot.pattern)
}

/// The pages of one site that are drawn so far, each with its id.
///
/// Copies of a page under addresses of other patterns take up room. Therefore twice as many pages
/// are held as are wanted; of the copies that are drawn the one with the smallest id is given. Only
/// if more than half of what is held are such copies, the sample is smaller than it could be.
#[derive(Clone, Debug)]
pub struct Draw<T> {
    most: usize,
    /// Pattern, then rank.
    patterns: BTreeMap<u64, BTreeMap<u64, (String, T)>>,
    held: usize,
    /// The largest key, once there is no more room.
    largest: Option<Key>,
}

impl<T> Draw<T> {
    /// A draw of at most `most` pages.
    pub fn new(most: usize) -> Draw<T> {
        Draw { most, patterns: BTreeMap::new(), held: 0, largest: None }
    }

    fn room(&self) -> usize {
        self.most.saturating_mul(2)
    }

    /// Whether a page of this lot and id would be held now.
    pub fn takes(&self, lot: Lot, id: &str) -> bool {
        if let Some((copy, _)) =
            self.patterns.get(&lot.pattern).and_then(|pages| pages.get(&lot.rank))
        {
            return id < copy.as_str();
        }
        // A key above the largest would be the last of its pattern: nothing else would move.
        self.held < self.room() || self.largest.is_some_and(|largest| self.new_key(lot) < largest)
    }

    /// The key that a page which is not held would have.
    fn new_key(&self, lot: Lot) -> Key {
        let before =
            self.patterns.get(&lot.pattern).map_or(0, |pages| match pages.last_key_value() {
                // By far the most pages come after all that are held.
                Some((&last, _)) if last < lot.rank => pages.len(),
                _ => pages.range(..lot.rank).count(),
            });
        key(before + 1, lot)
    }

    /// Holds a page if it is to be held.
    pub fn insert(&mut self, lot: Lot, id: &str, page: T) {
        if !self.takes(lot, id) {
            return;
        }
        let pages = self.patterns.entry(lot.pattern).or_default();
        if pages.insert(lot.rank, (id.to_owned(), page)).is_none() {
            self.held += 1;
        }
        if self.held > self.room() {
            self.take_out_largest();
        }
        self.largest = if self.held == self.room() { self.find_largest() } else { None };
    }

    fn take_out_largest(&mut self) {
        let Some((_, _, pattern)) = self.find_largest() else { return };
        if let Entry::Occupied(mut pages) = self.patterns.entry(pattern) {
            pages.get_mut().pop_last();
            self.held -= 1;
            if pages.get().is_empty() {
                pages.remove();
            }
        }
    }

    fn find_largest(&self) -> Option<Key> {
        let last = |(&pattern, pages): (&u64, &BTreeMap<u64, _>)| {
            let (&rank, _) = pages.last_key_value()?;
            Some(key(pages.len(), Lot { pattern, rank }))
        };
        self.patterns.iter().filter_map(last).max()
    }

    /// All that is held, for a draw from several draws.
    pub fn held(&self) -> impl Iterator<Item = (Lot, &T)> + '_ {
        self.patterns.iter().flat_map(|(&pattern, pages)| {
            pages.iter().map(move |(&rank, (_, page))| (Lot { pattern, rank }, page))
        })
    }

    /// For each pattern the largest rank that is drawn. `None`: all pages that were seen are drawn.
    pub fn cuts(&self) -> Option<BTreeMap<u64, u64>> {
        let drawn = self.drawn();
        let all_are = drawn.len() == self.held && self.held < self.room();
        // Within a pattern ranks grow with keys: the last is the largest.
        (!all_are).then(|| drawn.into_iter().map(|lot| (lot.pattern, lot.rank)).collect())
    }

    /// The lots that are drawn, smallest key first: until there are enough different pages.
    fn drawn(&self) -> Vec<Lot> {
        let in_pattern = |(&pattern, pages): (&u64, &BTreeMap<u64, _>)| {
            let ranks: Vec<u64> = pages.keys().copied().collect();
            ranks.into_iter().enumerate().map(move |(at, rank)| key(at + 1, Lot { pattern, rank }))
        };
        let mut keys: Vec<Key> = self.patterns.iter().flat_map(in_pattern).collect();
        keys.sort_unstable();
        let mut ranks = BTreeSet::new();
        let is_drawn = |&(_, rank, _): &Key| {
            ranks.contains(&rank) || (ranks.len() < self.most && ranks.insert(rank))
        };
        keys.into_iter()
            .take_while(is_drawn)
            .map(|(_, rank, pattern)| Lot { pattern, rank })
            .collect()
    }

    /// The pages drawn, smallest rank first.
    pub fn into_pages(mut self) -> impl Iterator<Item = T> {
        let mut of_rank: BTreeMap<u64, (String, T)> = BTreeMap::new();
        for lot in self.drawn() {
            let Some(page) =
                self.patterns.get_mut(&lot.pattern).and_then(|pages| pages.remove(&lot.rank))
            else {
                continue;
            };
            if of_rank.get(&lot.rank).is_none_or(|copy| page.0 < copy.0) {
                of_rank.insert(lot.rank, page);
            }
        }
        of_rank.into_values().map(|(_, page)| page)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pattern, rank, id.
    type Page = (u64, u64, String);

    fn draw_of(most: usize, pages: &[Page]) -> Draw<Page> {
        let mut draw = Draw::new(most);
        for page in pages {
            let lot = Lot { pattern: page.0, rank: page.1 };
            draw.insert(lot, &page.2, page.clone());
        }
        draw
    }

    fn drawn(most: usize, pages: &[Page]) -> Vec<Page> {
        draw_of(most, pages).into_pages().collect()
    }

    fn held(most: usize, pages: &[Page]) -> Vec<Page> {
        draw_of(most, pages).held().map(|(_, page)| page.clone()).collect()
    }

    /// The same by sorting everything.
    fn plainly_drawn(most: usize, pages: &[Page]) -> Vec<Page> {
        let mut pages = pages.to_vec();
        pages.sort();
        pages.dedup_by_key(|page| (page.0, page.1));
        let index = |page: &Page| {
            pages.iter().filter(|other| other.0 == page.0 && other.1 <= page.1).count()
        };
        let mut keyed: Vec<(u128, u64, u64, String)> = pages
            .iter()
            .map(|page| {
                ((index(page) + 8) as u128 * u128::from(page.1), page.1, page.0, page.2.clone())
            })
            .collect();
        keyed.sort();
        keyed.truncate(2 * most);
        let different = |keyed: &[(u128, u64, u64, String)]| {
            keyed.iter().map(|page| page.1).collect::<BTreeSet<_>>().len()
        };
        while different(&keyed) > most {
            keyed.pop();
        }
        let mut drawn: Vec<(u64, String, u64)> =
            keyed.into_iter().map(|(_, rank, pattern, id)| (rank, id, pattern)).collect();
        drawn.sort();
        drawn.dedup_by_key(|page| page.0);
        drawn.into_iter().map(|(rank, id, pattern)| (pattern, rank, id)).collect()
    }

    /// Few patterns, ranks and ids, so that there are many copies; ids tell patterns apart, as
    /// addresses do.
    fn pages() -> impl Strategy<Value = Vec<Page>> {
        let page = (0u64..5, 0u64..40, "[a-c]{0,2}")
            .prop_map(|(pattern, rank, id)| (pattern, rank, format!("{id}{pattern}")));
        prop::collection::vec(page, 0..60)
    }

    proptest! {
        #[test]
        fn a_draw_is_the_plain_one(pages in pages(), most in 0usize..12) {
            prop_assert_eq!(drawn(most, &pages), plainly_drawn(most, &pages));
        }

        #[test]
        fn what_a_draw_takes_it_holds(pages in pages(), most in 0usize..12) {
            let (last, others) = pages.split_last().map_or((None, &[][..]), |(last, others)| (Some(last), others));
            let before = draw_of(most, others);
            let takes = last.is_some_and(|page| before.takes(Lot { pattern: page.0, rank: page.1 }, &page.2));
            prop_assert_eq!(held(most, others) != held(most, &pages), takes);
        }

        #[test]
        fn draws_of_parts_give_the_draw_of_all(pages in pages(), cut in 0usize..60, most in 0usize..12) {
            let (left, right) = pages.split_at(cut.min(pages.len()));
            let parts = [held(most, right), held(most, left)].concat();
            prop_assert_eq!(held(most, &parts), held(most, &pages));
            prop_assert_eq!(drawn(most, &parts), drawn(most, &pages));
        }

        #[test]
        fn pages_within_the_cuts_give_the_draw_of_all(mut pages in pages(), most in 0usize..12) {
            let all = draw_of(most, &pages);
            if let Some(cuts) = all.cuts() {
                pages.retain(|page| cuts.get(&page.0).is_some_and(|&cut| page.1 <= cut));
            }
            prop_assert_eq!(drawn(most, &pages), all.into_pages().collect::<Vec<_>>());
        }

        #[test]
        fn patterns_that_say_nothing_change_nothing(ranks in prop::collection::btree_set(0u64..1000, 0..40), most in 0usize..12) {
            let smallest: Vec<u64> = ranks.iter().copied().take(most).collect();
            let one = ranks.iter().rev().map(|&rank| (7, rank, rank.to_string())).collect::<Vec<_>>();
            let each_its_own = ranks.iter().rev().map(|&rank| (rank, rank, rank.to_string())).collect::<Vec<_>>();
            for pages in [one, each_its_own] {
                let drawn = drawn(most, &pages);
                prop_assert!(drawn.iter().map(|page| page.1).eq(smallest.iter().copied()));
            }
        }
    }

    /// Pages of a pattern, with ranks by chance.
    fn of_pattern(pattern: &str, number: usize) -> Vec<Page> {
        let page = |at: usize| {
            let address = format!("/{pattern}/{at}");
            let lot = Lot::new(address.as_bytes(), &address, 0);
            (lot.pattern, lot.rank, address)
        };
        (0..number).map(page).collect()
    }

    #[test]
    fn of_a_pattern_somewhat_less_than_its_share_is_drawn_the_larger_it_is() {
        let pages = [of_pattern("product", 9500), of_pattern("blog", 400), of_pattern("help", 100)]
            .concat();
        let counts = ["/p", "/b", "/h"].map(|start| {
            drawn(100, &pages).iter().filter(|page| page.2.starts_with(start)).count()
        });
        // i (i + 8) = 0.75 n, where n is 9500, 400 and 100: 80, 14 and 6. By chance: 95, 4 and 1.
        assert!(
            (66..=86).contains(&counts[0])
                && (10..=22).contains(&counts[1])
                && (4..=12).contains(&counts[2]),
            "{counts:?}"
        );
    }

    #[test]
    fn copies_under_addresses_of_many_patterns_leave_room() {
        let mut pages = of_pattern("product", 300);
        pages.extend((0..40).map(|at| (at, 0, format!("/login/{at:02}"))));
        let drawn = drawn(50, &pages);
        assert_eq!(drawn.len(), 50);
        assert_eq!(drawn.iter().filter(|page| page.2.starts_with("/login")).count(), 1);
    }
}
