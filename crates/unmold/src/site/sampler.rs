//! Sampling: the pages of a site that its template is learned from.
//!
//! A random sample may miss rare kinds of page: of a shop with 95 % product pages it has product
//! pages. So pages are told apart by the pattern of their address, and each further page of a
//! pattern is less likely to be drawn: rare patterns get in, frequent ones still have the most.
//!
//! In each pattern the pages are ordered by rank, a hash. The `i`-th has the *weight* `(i + 8) ·
//! rank`, and the pages with the smallest weights are drawn. Of `n` ranks drawn at random from 0..1
//! the `i`-th is about `i / n`, so its weight is below `t` up to `i (i + 8) = t n`. The number
//! drawn grows with the square root of `n`, but with `n` itself while it is small: the first pages
//! of a kind tell the most, and a small sample has none to spare. A site with one pattern, or with
//! a pattern for each page, gives the pages with the smallest ranks.
//!
//! **Samplers merge.** Sampling the samples of the parts of a site, in any order, gives the sample
//! of the whole site: a page rejected in a part is rejected in the whole. Wherever a page was in
//! its pattern, there now is one with a rank no larger, so with a weight no larger, and the index
//! of the rejected page can only have grown. Weights grow within a pattern, so what is dropped is
//! the last of its pattern, and no index moves.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::pattern::url_pattern;

/// What decides whether a page is drawn.
///
/// It depends on the page alone, so a sample depends neither on the order of the pages nor on how
/// they are spread over machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SampleKey {
    /// The pattern of its address.
    pub pattern: u64,
    /// The hash of its bytes: a copy of a page has the rank of the page.
    pub rank: u64,
}

impl SampleKey {
    /// The key of a page. `address` is its URL, or its id if it has none. Another `seed` draws
    /// another sample.
    pub fn new(bytes: &[u8], address: &str, seed: u64) -> SampleKey {
        SampleKey { pattern: url_pattern(address), rank: xxh3_64_with_seed(bytes, seed) }
    }
}

/// Up to about this many pages of a pattern are drawn as often as any other page: that many show
/// its template (`docs/methods/auto.md`).
const ENOUGH: usize = 8;

/// `(index + 8) · rank`; then rank and pattern, so that no two are equal.
type Weight = (u128, u64, u64);

fn weight(index: usize, key: SampleKey) -> Weight {
    ((index + ENOUGH) as u128 * u128::from(key.rank), key.rank, key.pattern)
}

/// Draws a sample of the pages of one site while they pass by.
///
/// Copies of a page under addresses of other patterns take up room, so twice as many pages are held
/// as are wanted; of several copies the one with the smallest id is drawn. The sample is smaller
/// than it could be only if more than half of what is held are copies.
#[derive(Clone, Debug)]
pub struct Sampler<T> {
    max_pages: usize,
    /// Pattern, then rank.
    patterns: BTreeMap<u64, BTreeMap<u64, (String, T)>>,
    held: usize,
    /// The largest weight, once there is no more room.
    largest: Option<Weight>,
}

impl<T> Sampler<T> {
    /// A sampler that draws at most `max_pages` pages.
    pub fn new(max_pages: usize) -> Sampler<T> {
        Sampler { max_pages, patterns: BTreeMap::new(), held: 0, largest: None }
    }

    fn room(&self) -> usize {
        self.max_pages.saturating_mul(2)
    }

    /// Whether a page with this key and id would be held.
    pub fn takes(&self, key: SampleKey, id: &str) -> bool {
        if let Some((copy, _)) =
            self.patterns.get(&key.pattern).and_then(|pages| pages.get(&key.rank))
        {
            return id < copy.as_str();
        }
        // A weight above the largest would be the last of its pattern: nothing else would move.
        self.held < self.room()
            || self.largest.is_some_and(|largest| self.new_weight(key) < largest)
    }

    /// The weight that a page would have if it were held.
    fn new_weight(&self, key: SampleKey) -> Weight {
        let before =
            self.patterns.get(&key.pattern).map_or(0, |pages| match pages.last_key_value() {
                // By far the most pages come after all that are held.
                Some((&last, _)) if last < key.rank => pages.len(),
                _ => pages.range(..key.rank).count(),
            });
        weight(before + 1, key)
    }

    /// Holds the page if its key is small enough.
    pub fn insert(&mut self, key: SampleKey, id: &str, page: T) {
        if !self.takes(key, id) {
            return;
        }
        let pages = self.patterns.entry(key.pattern).or_default();
        if pages.insert(key.rank, (id.to_owned(), page)).is_none() {
            self.held += 1;
        }
        if self.held > self.room() {
            self.drop_largest();
        }
        self.largest = if self.held == self.room() { self.find_largest() } else { None };
    }

    fn drop_largest(&mut self) {
        let Some((_, _, pattern)) = self.find_largest() else { return };
        if let Entry::Occupied(mut pages) = self.patterns.entry(pattern) {
            pages.get_mut().pop_last();
            self.held -= 1;
            if pages.get().is_empty() {
                pages.remove();
            }
        }
    }

    fn find_largest(&self) -> Option<Weight> {
        let last = |(&pattern, pages): (&u64, &BTreeMap<u64, _>)| {
            let (&rank, _) = pages.last_key_value()?;
            Some(weight(pages.len(), SampleKey { pattern, rank }))
        };
        self.patterns.iter().filter_map(last).max()
    }

    /// All pages held, from which another sampler can draw.
    pub fn held(&self) -> impl Iterator<Item = (SampleKey, &T)> + '_ {
        self.patterns.iter().flat_map(|(&pattern, pages)| {
            pages.iter().map(move |(&rank, (_, page))| (SampleKey { pattern, rank }, page))
        })
    }

    /// The largest rank drawn for each pattern; `None` if all pages so far are drawn.
    pub fn cuts(&self) -> Option<BTreeMap<u64, u64>> {
        let drawn = self.drawn();
        let all_are = drawn.len() == self.held && self.held < self.room();
        // Within a pattern ranks grow with weights: the last is the largest.
        (!all_are).then(|| drawn.into_iter().map(|key| (key.pattern, key.rank)).collect())
    }

    /// The keys drawn, smallest weight first, until there are enough different pages.
    fn drawn(&self) -> Vec<SampleKey> {
        let in_pattern = |(&pattern, pages): (&u64, &BTreeMap<u64, _>)| {
            let ranks: Vec<u64> = pages.keys().copied().collect();
            ranks
                .into_iter()
                .enumerate()
                .map(move |(at, rank)| weight(at + 1, SampleKey { pattern, rank }))
        };
        let mut weights: Vec<Weight> = self.patterns.iter().flat_map(in_pattern).collect();
        weights.sort_unstable();
        let mut ranks = BTreeSet::new();
        let is_drawn = |&(_, rank, _): &Weight| {
            ranks.contains(&rank) || (ranks.len() < self.max_pages && ranks.insert(rank))
        };
        weights
            .into_iter()
            .take_while(is_drawn)
            .map(|(_, rank, pattern)| SampleKey { pattern, rank })
            .collect()
    }

    /// The pages drawn, smallest rank first.
    pub fn into_pages(mut self) -> impl Iterator<Item = T> {
        let mut of_rank: BTreeMap<u64, (String, T)> = BTreeMap::new();
        for key in self.drawn() {
            let Some(page) =
                self.patterns.get_mut(&key.pattern).and_then(|pages| pages.remove(&key.rank))
            else {
                continue;
            };
            if of_rank.get(&key.rank).is_none_or(|copy| page.0 < copy.0) {
                of_rank.insert(key.rank, page);
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

    fn draw_of(max_pages: usize, pages: &[Page]) -> Sampler<Page> {
        let mut draw = Sampler::new(max_pages);
        for page in pages {
            let key = SampleKey { pattern: page.0, rank: page.1 };
            draw.insert(key, &page.2, page.clone());
        }
        draw
    }

    fn drawn(max_pages: usize, pages: &[Page]) -> Vec<Page> {
        draw_of(max_pages, pages).into_pages().collect()
    }

    fn held(max_pages: usize, pages: &[Page]) -> Vec<Page> {
        draw_of(max_pages, pages).held().map(|(_, page)| page.clone()).collect()
    }

    /// The same by sorting everything.
    fn plainly_drawn(max_pages: usize, pages: &[Page]) -> Vec<Page> {
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
        keyed.truncate(2 * max_pages);
        let different = |keyed: &[(u128, u64, u64, String)]| {
            keyed.iter().map(|page| page.1).collect::<BTreeSet<_>>().len()
        };
        while different(&keyed) > max_pages {
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
        fn a_sample_is_the_plain_one(pages in pages(), max_pages in 0usize..12) {
            prop_assert_eq!(drawn(max_pages, &pages), plainly_drawn(max_pages, &pages));
        }

        #[test]
        fn what_a_sampler_takes_it_holds(pages in pages(), max_pages in 0usize..12) {
            let (last, others) = pages.split_last().map_or((None, &[][..]), |(last, others)| (Some(last), others));
            let before = draw_of(max_pages, others);
            let takes = last.is_some_and(|page| before.takes(SampleKey { pattern: page.0, rank: page.1 }, &page.2));
            prop_assert_eq!(held(max_pages, others) != held(max_pages, &pages), takes);
        }

        #[test]
        fn samplers_merge(pages in pages(), cut in 0usize..60, max_pages in 0usize..12) {
            let (left, right) = pages.split_at(cut.min(pages.len()));
            let parts = [held(max_pages, right), held(max_pages, left)].concat();
            prop_assert_eq!(held(max_pages, &parts), held(max_pages, &pages));
            prop_assert_eq!(drawn(max_pages, &parts), drawn(max_pages, &pages));
        }

        #[test]
        fn pages_within_the_cuts_give_the_sample_of_all(mut pages in pages(), max_pages in 0usize..12) {
            let all = draw_of(max_pages, &pages);
            if let Some(cuts) = all.cuts() {
                pages.retain(|page| cuts.get(&page.0).is_some_and(|&cut| page.1 <= cut));
            }
            prop_assert_eq!(drawn(max_pages, &pages), all.into_pages().collect::<Vec<_>>());
        }

        #[test]
        fn patterns_that_say_nothing_change_nothing(ranks in prop::collection::btree_set(0u64..1000, 0..40), max_pages in 0usize..12) {
            let smallest: Vec<u64> = ranks.iter().copied().take(max_pages).collect();
            let one = ranks.iter().rev().map(|&rank| (7, rank, rank.to_string())).collect::<Vec<_>>();
            let each_its_own = ranks.iter().rev().map(|&rank| (rank, rank, rank.to_string())).collect::<Vec<_>>();
            for pages in [one, each_its_own] {
                let drawn = drawn(max_pages, &pages);
                prop_assert!(drawn.iter().map(|page| page.1).eq(smallest.iter().copied()));
            }
        }
    }

    /// Pages of a pattern, with ranks by chance.
    fn of_pattern(pattern: &str, number: usize) -> Vec<Page> {
        let page = |at: usize| {
            let address = format!("/{pattern}/{at}");
            let key = SampleKey::new(address.as_bytes(), &address, 0);
            (key.pattern, key.rank, address)
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
