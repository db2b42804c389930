//! I-Match: two documents are duplicates if the sets of their telling words are equal.
//!
//! Paper: the pre-processing step of chunk frequency (`docs/methods/chunk-frequency.md`). Words on
//! many documents tell nothing; the others, sorted, are hashed. time: linear in the words, plus the
//! sort. space: the words.
//!
//! Departure: a document with too few telling words has no signature. Otherwise all pages that are
//! nothing but template would be duplicates of each other.

use rustc_hash::{FxHashMap, FxHashSet};
use sha1_smol::Sha1;

/// SHA-1 of a document's telling words.
pub type Signature = [u8; 20];

/// Settings.
#[derive(Clone, PartialEq, Debug)]
pub struct IMatch {
    /// Words on more than this share of the documents tell nothing.
    pub most_share: f64,
    /// With fewer documents than this every word counts: shares of a handful mean little.
    pub share_from: usize,
    /// Words on fewer documents than this tell nothing.
    pub least_documents: usize,
    /// A document with fewer telling words has no signature.
    pub least_words: usize,
}

impl Default for IMatch {
    fn default() -> IMatch {
        IMatch { most_share: 0.5, share_from: 10, least_documents: 1, least_words: 5 }
    }
}

impl IMatch {
    /// The words of each document that tell it from others, sorted by code point.
    pub fn telling_words<'a>(&self, documents: &[Vec<&'a str>]) -> Vec<Vec<&'a str>> {
        let sets: Vec<FxHashSet<&str>> =
            documents.iter().map(|words| words.iter().copied().collect()).collect();
        let mut frequency: FxHashMap<&str, usize> = FxHashMap::default();
        for &word in sets.iter().flatten() {
            *frequency.entry(word).or_default() += 1;
        }
        let most = if documents.len() < self.share_from { 1.0 } else { self.most_share };
        let most = most * documents.len() as f64;
        sets.into_iter()
            .map(|set| {
                let tells = |word: &&str| {
                    frequency[word] >= self.least_documents && frequency[word] as f64 <= most
                };
                let mut words: Vec<&str> = set.into_iter().filter(tells).collect();
                words.sort_unstable();
                words
            })
            .collect()
    }

    /// The signature of each document, given as its words in comparison form.
    pub fn signatures(&self, documents: &[Vec<&str>]) -> Vec<Option<Signature>> {
        let hash = |words: Vec<&str>| {
            (words.len() >= self.least_words).then(|| Sha1::from(words.join("\n")).digest().bytes())
        };
        self.telling_words(documents).into_iter().map(hash).collect()
    }
}
