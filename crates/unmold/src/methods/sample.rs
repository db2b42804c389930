//! The pages that a method learns from.

use crate::dedup::{self, IMatch};
use crate::page::Page;

/// Pages of one site to learn from, each different from the others.
#[derive(Clone, Debug)]
pub struct Sample<'a> {
    pages: Vec<&'a Page>,
}

impl<'a> Sample<'a> {
    /// All of `pages`, duplicates included.
    pub fn new(pages: impl IntoIterator<Item = &'a Page>) -> Sample<'a> {
        Sample { pages: pages.into_iter().collect() }
    }

    /// The pages without duplicates: what two copies of one page share is no template.
    pub fn without_duplicates(pages: impl IntoIterator<Item = &'a Page>) -> Sample<'a> {
        let pages: Vec<&Page> = pages.into_iter().collect();
        let originals = dedup::originals(&pages, &IMatch::default());
        Sample { pages: originals.into_iter().map(|index| pages[index]).collect() }
    }

    /// The pages in an order that depends on the seed and on nothing else.
    pub(crate) fn shuffled(&self, seed: u64) -> Vec<&'a Page> {
        let mut pages = self.pages.clone();
        let mut state = seed;
        for last in (1..pages.len()).rev() {
            pages.swap(last, (split_mix(&mut state) % (last as u64 + 1)) as usize);
        }
        pages
    }

    /// The pages, in the order given.
    pub fn pages(&self) -> &[&'a Page] {
        &self.pages
    }
}

/// The next number of the SplitMix64 generator (Steele, Lea and Flood 2014): small, and the same on
/// every machine.
pub(crate) fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
