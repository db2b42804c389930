//! Selects the words of ids and classes that belong to the layout.
//!
//! Some say what the page is about: `post-42 tag-rust category-news` on an element far up gives
//! every page paths of its own, and nothing is known about any place. Such a word is on few pages,
//! one that belongs to the layout on many: only what a part of the sample has counts.

use unmold_html::hash::{KeyedMap, KeyedSet};
use xxhash_rust::xxh3::xxh3_64;

use super::blocks::mix;
use crate::page::Page;

/// A word counts that at least two pages of the sample have, and one in so many.
const ONE_IN: usize = 10;

/// The words that count.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Names {
    /// Hashes of words; `None`: all count.
    known: Option<KeyedSet<u64>>,
}

impl Names {
    /// The words that are on enough pages of the sample. A single page has no others to compare
    /// with: all count.
    pub fn learn(pages: &[&Page]) -> Names {
        if pages.len() < 2 {
            return Names::default();
        }
        let mut counts: KeyedMap<u64, usize> = KeyedMap::default();
        let mut seen: KeyedSet<u64> = KeyedSet::default();
        for page in pages {
            seen.clear();
            for id in page.body().filter(|&id| !page.is_text(id)) {
                for word in page.class_and_id(id).flat_map(words).filter(|&word| seen.insert(word))
                {
                    *counts.entry(word).or_default() += 1;
                }
            }
        }
        let min = pages.len().div_ceil(ONE_IN).max(2);
        let enough = counts.into_iter().filter(|&(_, count)| count >= min);
        Names { known: Some(enough.map(|(word, _)| word).collect()) }
    }

    /// The hashes of words that were kept, `None` where all count.
    pub fn from_known(known: Option<KeyedSet<u64>>) -> Names {
        Names { known }
    }

    /// What [`Names::from_known`] takes.
    pub fn into_known(self) -> Option<KeyedSet<u64>> {
        self.known
    }

    /// Hash of the words of a class or id that count; their order does not.
    pub fn of(&self, value: &str) -> u64 {
        let counts = |word: &u64| self.known.as_ref().is_none_or(|known| known.contains(word));
        words(value).filter(counts).fold(0, u64::wrapping_add)
    }
}

/// Hashes of the words of a class or id without their digits, which number the page or the entry.
fn words(value: &str) -> impl Iterator<Item = u64> + '_ {
    value.split_ascii_whitespace().map(|word| {
        let parts = word.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty());
        parts.map(|part| xxh3_64(part.as_bytes())).reduce(mix).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Limits;

    fn parse(class: &str) -> Page {
        Page::parse(
            format!("<body><div class='{class}'><p>x</p></div>").as_bytes(),
            &Limits::default(),
        )
    }

    #[test]
    fn words_of_one_page_or_of_few_do_not_count() {
        let pages: Vec<Page> = (0..30)
            .map(|n| {
                parse(&format!(
                    "post tag-{} {}",
                    ["a", "b", "c"][n % 3],
                    if n < 2 { "rare" } else { "" }
                ))
            })
            .collect();
        let sample: Vec<&Page> = pages.iter().collect();
        let learned = Names::learn(&sample);
        let same = |left: &str, right: &str| learned.of(left) == learned.of(right);
        assert!(same("post", "post rare"), "on 2 of 30 pages");
        assert!(same("post", "unseen post"));
        assert!(same("post-7 x1", "post-12 y"), "digits number the page");
        assert!(!same("post", "post tag-a"), "on 10 of 30 pages");
        assert!(!same("post", ""));
    }

    #[test]
    fn all_words_of_a_single_page_count() {
        let page = parse("post rare");
        let learned = Names::learn(&[&page]);
        assert_ne!(learned.of("post rare"), learned.of("post"));
    }
}
