//! What the words of short texts say: `Related`, `Share`, `Specifications`.
//!
//! Each word has a weight: positive if short texts with it are content more often than others, on
//! pages of many publishers. The weights are fitted (`tools/fit`); a word that few publishers use
//! has none.

use rustc_hash::FxHashMap;

use super::blocks::Block;
use crate::page::{Page, for_each_word_hash};

/// Weights of words by hash.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Lexicon(FxHashMap<u32, f32>);

/// Texts with more words are judged by other evidence.
const MAX_WORDS: f32 = 8.0;

/// What the words of a text weigh.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct Weights {
    /// Mean over the words, 0 for unknown ones.
    pub mean: f32,
    pub min: f32,
    pub max: f32,
}

impl Lexicon {
    pub fn new(words: impl Iterator<Item = (u32, f32)>) -> Lexicon {
        Lexicon(words.collect())
    }

    /// Weighs the words of a block; all 0 if it is long.
    pub fn weigh(&self, page: &Page, block: &Block) -> Weights {
        let mut weights = Weights::default();
        let mut number = 0.0;
        for_each_word(page, block, |word| {
            let weight = self.0.get(&word).copied().unwrap_or(0.0);
            weights.mean += weight;
            weights.min = weights.min.min(weight);
            weights.max = weights.max.max(weight);
            number += 1.0;
        });
        weights.mean /= f32::max(number, 1.0);
        weights
    }
}

/// Calls `take` with the hash of each word of a short block.
pub(super) fn for_each_word(page: &Page, block: &Block, mut take: impl FnMut(u32)) {
    if block.words > MAX_WORDS {
        return;
    }
    for id in block.text_nodes(page) {
        for_each_word_hash(page.text(id), |hash| take((hash >> 32) as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Limits;
    use crate::pipeline::blocks::Blocks;
    use crate::pipeline::names::Names;

    #[test]
    fn words_weigh_whatever_their_case_and_punctuation() {
        let page = Page::parse(
            b"<p>Related products:<p>RELATED<p>A long text about related things of all kinds \
              that nobody would take for a heading",
            &Limits::default(),
        );
        let blocks = Blocks::of(&page, &Names::default()).list;
        let mut words = Vec::new();
        for_each_word(&page, &blocks[1], |word| words.push((word, -2.0)));
        let lexicon = Lexicon::new(words.into_iter());
        let weights: Vec<Weights> =
            blocks.iter().map(|block| lexicon.weigh(&page, block)).collect();
        assert_eq!(weights[0], Weights { mean: -1.0, min: -2.0, max: 0.0 });
        assert_eq!(weights[1], Weights { mean: -2.0, min: -2.0, max: 0.0 });
        assert_eq!(weights[2], Weights::default(), "too long");
    }
}
