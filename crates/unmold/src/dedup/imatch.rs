//! I-Match: two documents are duplicates if they have the same set of distinctive words.
//!
//! Paper: the pre-processing step of chunk frequency (`docs/methods/chunk-frequency.md`). Words on
//! many documents are ignored; the rest are sorted and hashed. time: linear in the words, plus the
//! sort. space: the words.
//!
//! Departure: a document with too few distinctive words has no signature. Otherwise all pages that
//! are nothing but template would be duplicates of each other.

use sha1_smol::Sha1;
use unmold_html::hash::{KeyedMap, KeyedSet};

/// SHA-1 of a document's distinctive words.
pub type Signature = [u8; 20];

/// Settings of I-Match.
#[derive(Clone, PartialEq, Debug)]
pub struct IMatch {
    /// Words on more than this share of the documents are not distinctive.
    pub max_share: f64,
    /// [`IMatch::max_share`] applies from this many documents on: shares of a handful mean little.
    pub share_from: usize,
    /// Words on fewer documents than this are not distinctive.
    pub min_documents: usize,
    /// A document with fewer distinctive words has no signature.
    pub min_words: usize,
}

impl Default for IMatch {
    fn default() -> IMatch {
        IMatch { max_share: 0.5, share_from: 10, min_documents: 1, min_words: 5 }
    }
}

impl IMatch {
    /// The distinctive words of each document, sorted by code point.
    #[must_use]
    pub fn distinctive_words<'a>(&self, documents: &[Vec<&'a str>]) -> Vec<Vec<&'a str>> {
        let sets: Vec<KeyedSet<&str>> =
            documents.iter().map(|words| words.iter().copied().collect()).collect();
        let mut frequency: KeyedMap<&str, usize> = KeyedMap::default();
        for &word in sets.iter().flatten() {
            *frequency.entry(word).or_default() += 1;
        }
        let max_share = if documents.len() < self.share_from { 1.0 } else { self.max_share };
        let max_documents = max_share * documents.len() as f64;
        sets.into_iter()
            .map(|set| {
                let is_distinctive = |word: &&str| {
                    frequency[word] >= self.min_documents && frequency[word] as f64 <= max_documents
                };
                let mut words: Vec<&str> = set.into_iter().filter(is_distinctive).collect();
                words.sort_unstable();
                words
            })
            .collect()
    }

    /// The signature of each document, given as its words in comparison form.
    #[must_use]
    pub fn signatures(&self, documents: &[Vec<&str>]) -> Vec<Option<Signature>> {
        let hash = |words: Vec<&str>| {
            (words.len() >= self.min_words).then(|| Sha1::from(words.join("\n")).digest().bytes())
        };
        self.distinctive_words(documents).into_iter().map(hash).collect()
    }
}
