//! What words say: those of short texts (`Related`, `Share`, `Specifications`), the first words of
//! long ones, those of names (`class=entry-content`) and of addresses (`/tag/…`).
//!
//! Each word has a weight: positive if blocks with it are content more often than others, on pages
//! of many publishers. The weights are fitted (`tools/fit`); a word that few publishers use has
//! none. The same word has different weights as a text, a name and an address.

use unmold_html::hash::KeyedMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::blocks::Block;
use crate::page::{NodeId, Page, for_each_word_hash};

/// Weights of words by hash.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Lexicon(KeyedMap<u32, f32>);

/// Texts with more words are long.
const MAX_WORDS: f32 = 8.0;
/// So many words of a text, of an element's names and of an address count.
pub const TEXT_WORDS: usize = 8;
pub const NAME_WORDS: usize = 8;
pub const ADDRESS_WORDS: usize = 6;

/// Tell words of one place from the same words elsewhere.
const NAME_SEED: u64 = 1;
const ADDRESS_SEED: u64 = 2;
const LONG_SEED: u32 = 0x9e37_79b9;

/// What some words weigh.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct Weights {
    /// Mean over the words that have a weight.
    pub mean: f32,
    pub min: f32,
    pub max: f32,
}

impl Lexicon {
    pub fn new(words: impl Iterator<Item = (u32, f32)>) -> Lexicon {
        Lexicon(words.collect())
    }

    /// Weighs words; unknown ones are left out.
    pub fn weigh(&self, words: impl IntoIterator<Item = u32>) -> Weights {
        let mut weights = Weights::default();
        let mut known = 0.0;
        for weight in words.into_iter().filter_map(|word| self.0.get(&word)) {
            weights.mean += weight;
            weights.min = weights.min.min(*weight);
            weights.max = weights.max.max(*weight);
            known += 1.0;
        }
        weights.mean /= f32::max(known, 1.0);
        weights
    }
}

/// Some hashes of words, 0 after the last.
pub(super) struct Words<const N: usize> {
    pub list: [u32; N],
    number: usize,
}

impl<const N: usize> Words<N> {
    fn new() -> Words<N> {
        Words { list: [0; N], number: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.number == 0
    }

    fn add(&mut self, hash: u32) {
        if let Some(room) = self.list.get_mut(self.number) {
            *room = hash.max(1);
            self.number += 1;
        }
    }
}

impl<const N: usize> IntoIterator for Words<N> {
    type Item = u32;
    type IntoIter = std::iter::Take<std::array::IntoIter<u32, N>>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter().take(self.number)
    }
}

/// Whether the words of a block are those of a short text.
pub(super) fn is_short(block: &Block) -> bool {
    block.words <= MAX_WORDS
}

/// The first words of a block.
pub(super) fn text_words(page: &Page, block: &Block) -> Words<TEXT_WORDS> {
    let mut words = Words::new();
    let seed = if is_short(block) { 0 } else { LONG_SEED };
    for id in block.text_nodes(page) {
        if words.number == TEXT_WORDS {
            break;
        }
        let text = first_part(page.text(id));
        for_each_word_hash(text, |hash| words.add((hash >> 32) as u32 ^ seed));
    }
    words
}

/// The first words of a text are within its first bytes.
fn first_part(text: &str) -> &str {
    const BYTES: usize = 160;
    &text[..text.floor_char_boundary(BYTES)]
}

/// The words of the class and id of an element: as they are written and, where they consist of
/// several, one by one. Digits number the page or the entry and do not count.
pub(super) fn name_words(page: &Page, id: NodeId) -> Words<NAME_WORDS> {
    let mut words = Words::new();
    for value in page.class_and_id(id) {
        for name in value.split_ascii_whitespace() {
            add_name(name, &mut words);
        }
    }
    words
}

fn add_name(name: &str, words: &mut Words<NAME_WORDS>) {
    if words.number == NAME_WORDS {
        return;
    }
    let mut whole = Hashed::default();
    let mut part = Hashed::default();
    let mut parts = [0; NAME_WORDS];
    let mut number = 0;
    let mut end_part = |part: &mut Hashed| {
        if part.length > 1 && number < NAME_WORDS {
            parts[number] = part.hash(NAME_SEED);
            number += 1;
        }
        *part = Hashed::default();
    };
    let mut was_lower = false;
    for &byte in name.as_bytes() {
        if byte.is_ascii_digit() {
            end_part(&mut part);
            continue;
        }
        whole.add(byte.to_ascii_lowercase());
        if !byte.is_ascii_alphabetic() {
            end_part(&mut part);
        } else {
            // `siteHeader` is two words.
            if byte.is_ascii_uppercase() && was_lower {
                end_part(&mut part);
            }
            part.add(byte.to_ascii_lowercase());
        }
        was_lower = byte.is_ascii_lowercase();
    }
    end_part(&mut part);
    let whole = whole.hash(NAME_SEED);
    words.add(whole);
    parts[..number].iter().filter(|&&part| part != whole).for_each(|&part| words.add(part));
}

/// The words of the address that the first link of a block leads to.
pub(super) fn address_words(page: &Page, block: &Block) -> Words<ADDRESS_WORDS> {
    let mut words = Words::new();
    let address = block.first_link.and_then(|id| page.attribute(id, "href")).unwrap_or_default();
    if address.starts_with('#') {
        words.add(xxh3_64_with_seed(b"#", ADDRESS_SEED) as u32);
    }
    for word in address.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 1) {
        let mut hashed = Hashed::default();
        word.bytes().for_each(|byte| hashed.add(byte.to_ascii_lowercase()));
        if !matches!(&hashed.bytes[..hashed.length], b"http" | b"https" | b"www" | b"com") {
            words.add(hashed.hash(ADDRESS_SEED));
        }
        if words.number == ADDRESS_WORDS {
            break;
        }
    }
    words
}

/// The bytes of a word, as far as they count.
struct Hashed {
    bytes: [u8; MAX_BYTES],
    length: usize,
}

const MAX_BYTES: usize = 40;

impl Default for Hashed {
    fn default() -> Hashed {
        Hashed { bytes: [0; MAX_BYTES], length: 0 }
    }
}

impl Hashed {
    fn add(&mut self, byte: u8) {
        if let Some(room) = self.bytes.get_mut(self.length) {
            *room = byte;
            self.length += 1;
        }
    }

    fn hash(&self, seed: u64) -> u32 {
        (xxh3_64_with_seed(&self.bytes[..self.length], seed) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Limits;
    use crate::pipeline::blocks::Blocks;
    use crate::pipeline::names::Names;

    fn parse(html: &str) -> (Page, Vec<Block>) {
        let page = Page::parse(html.as_bytes(), &Limits::default());
        let blocks = Blocks::of(&page, &Names::default()).list;
        (page, blocks)
    }

    #[test]
    fn words_weigh_whatever_their_case_and_punctuation() {
        let (page, blocks) = parse(
            "<p>Related products:<p>RELATED<p>A long text about related things of all kinds \
             that nobody would take for a heading",
        );
        let words = text_words(&page, &blocks[1]).into_iter().map(|word| (word, -2.0));
        let lexicon = Lexicon::new(words);
        let weights: Vec<Weights> =
            blocks.iter().map(|block| lexicon.weigh(text_words(&page, block))).collect();
        assert_eq!(weights[0], Weights { mean: -2.0, min: -2.0, max: 0.0 });
        assert_eq!(weights[1], Weights { mean: -2.0, min: -2.0, max: 0.0 });
        assert_eq!(weights[2], Weights::default(), "long texts have weights of their own");
    }

    #[test]
    fn names_are_whole_words_and_their_parts_without_digits() {
        let words = |class: &str| {
            let (page, blocks) = parse(&format!("<div class='{class}'>x</div>"));
            let words = name_words(&page, blocks[0].holder);
            words.into_iter().collect::<Vec<u32>>()
        };
        assert_eq!(words("entry-content").len(), 3);
        assert_eq!(words("Entry-Content-2"), [words("entry-content-").as_slice()].concat());
        assert_eq!(words("siteHeader")[1..], words("site header"));
        assert_eq!(words("post"), words("post42"));
        assert_eq!(words("a b c d e f g h i j").len(), NAME_WORDS);
    }

    #[test]
    fn addresses_count_without_scheme_and_digits() {
        let words = |address: &str| {
            let (page, blocks) = parse(&format!("<p><a href='{address}'>x</a>"));
            address_words(&page, &blocks[0]).into_iter().collect::<Vec<u32>>()
        };
        assert_eq!(words("https://www.example.com/tag/42"), words("/example/tag"));
        assert_eq!(words("#top").len(), 2);
        assert_eq!(words("/a/b/c/42"), [0; 0]);
    }
}
