//! Finds pages that are copies of others.

mod imatch;

pub use imatch::{IMatch, Signature};

use unmold_html::hash::KeyedMap;
use xxhash_rust::xxh3::xxh3_128;

use crate::page::{Page, comparison_form, words};

/// Positions of the pages that are not copies of an earlier one, by text or by I-Match signature.
#[must_use]
pub fn originals(pages: &[&Page], settings: &IMatch) -> Vec<usize> {
    let texts: Vec<String> = pages
        .iter()
        .map(|page| comparison_form(&page.joined_text(page.body())).into_owned())
        .collect();
    let mut by_text: KeyedMap<u128, usize> = KeyedMap::default();
    let distinct: Vec<usize> = (0..texts.len())
        .filter(|&i| *by_text.entry(xxh3_128(texts[i].as_bytes())).or_insert(i) == i)
        .collect();
    let documents: Vec<Vec<&str>> = distinct.iter().map(|&i| words(&texts[i]).collect()).collect();
    originals_of_words(&documents, settings).into_iter().map(|i| distinct[i]).collect()
}

/// Positions of the documents, given as their words, that have not the I-Match signature of an
/// earlier one.
pub(crate) fn originals_of_words(documents: &[Vec<&str>], settings: &IMatch) -> Vec<usize> {
    let mut by_signature: KeyedMap<Signature, usize> = KeyedMap::default();
    let signatures = settings.signatures(documents);
    let mut is_original = |(i, signature): &(usize, Option<Signature>)| {
        signature.is_none_or(|signature| *by_signature.entry(signature).or_insert(*i) == *i)
    };
    let all = signatures.into_iter().enumerate();
    all.filter(|signature| is_original(signature)).map(|(i, _)| i).collect()
}
