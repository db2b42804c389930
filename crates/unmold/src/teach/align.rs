//! Finds the blocks of a page that a wanted text is made of.
//!
//! The text comes from a person, a language model or another extractor: it may leave words out, put
//! them in another order, stop in the middle, or be Markdown. So runs of words that both have are
//! laid onto the page, the longest first, each word once (greedy string tiling). Short lines go to
//! the heading or the only block with just these words: the title of a page is also in its menu.
//! What is left of the text goes to words next to runs that are placed. time: about linear in both
//! texts.

use std::collections::BinaryHeap;
use std::ops::Range;

use unmold_html::hash::KeyedMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::page::word_key;

/// What a wanted text says about the blocks of a page.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Aligned {
    /// For each block whether it is content, as far as known.
    pub blocks: Vec<Option<f32>>,
    /// Share of the text's words that are not on the page.
    pub missing: f32,
    /// The text stops in the middle: nothing is known about what follows.
    pub is_cut: bool,
}

/// Runs of at least this many words are looked for anywhere.
const SEED: usize = 3;
/// A run that begins at more places than this says little about where it is from.
const MAX_PLACES: usize = 32;
/// Shorter runs are looked for among this many words next to what is placed.
const NEAR: usize = 40;
/// A block with this share of its words in the text is content, one with less than the other
/// template; in between the text says nothing.
const CONTENT: f32 = 0.5;
const TEMPLATE: f32 = 0.25;
/// Words of a block behind the end of the text that make it a cut.
const CUT_WORDS: usize = 3;

/// The text of a block.
pub(crate) struct BlockText {
    pub text: String,
    pub is_heading: bool,
}

/// Lays a text onto the blocks of a page.
pub(crate) fn align(blocks: &[BlockText], text: &str) -> Aligned {
    let text = without_targets(text);
    let (wanted, lines) = joined_words(text.lines());
    let (page, ranges) = joined_words(blocks.iter().map(|block| block.text.as_str()));
    let mut placing = Placing {
        page: &page,
        text: &wanted,
        used: vec![false; page.len()],
        placed: vec![None; wanted.len()],
    };
    placing.runs();
    placing.lines(&lines, &ranges, blocks);
    placing.neighbours();
    let placed = placing.placed;
    let mut used = vec![false; page.len()];
    placed.iter().flatten().for_each(|&at| used[at] = true);
    let last = placed.iter().rev().take(1).flatten().copied().next();
    let cut_block = last.and_then(|last| {
        let range = ranges.iter().position(|range| range.contains(&last))?;
        let behind = ranges[range].end - last > CUT_WORDS && !used[last + 1];
        (behind || text.trim_end().ends_with("...") || text.trim_end().ends_with('…'))
            .then_some(range)
    });
    let of_block = |(at, range): (usize, &Range<usize>)| {
        if range.is_empty() {
            return None;
        }
        let share =
            used[range.clone()].iter().filter(|&&used| used).count() as f32 / range.len() as f32;
        match share {
            _ if share >= CONTENT => Some(1.0),
            _ if share >= TEMPLATE || cut_block.is_some_and(|cut| at >= cut) => None,
            _ => Some(0.0),
        }
    };
    let missing = placed.iter().filter(|place| place.is_none()).count();
    Aligned {
        blocks: ranges.iter().enumerate().map(of_block).collect(),
        missing: missing as f32 / wanted.len().max(1) as f32,
        is_cut: cut_block.is_some(),
    }
}

/// Hashes of the words of a text, in the form in which texts are compared. Scripts without spaces
/// give a word for each character.
fn words_of(text: &str) -> Vec<u64> {
    let mut words = Vec::new();
    for word in word_key(text).split(' ') {
        let word = word.trim_matches('_');
        if word.chars().any(|c| c >= '\u{2e80}') {
            let mut bytes = [0; 4];
            words.extend(word.chars().map(|c| xxh3_64(c.encode_utf8(&mut bytes).as_bytes())));
        } else if !word.is_empty() {
            words.push(xxh3_64(word.as_bytes()));
        }
    }
    words
}

/// The words of some texts, and which are those of each.
fn joined_words<'a>(texts: impl Iterator<Item = &'a str>) -> (Vec<u64>, Vec<Range<usize>>) {
    let mut words = Vec::new();
    let ranges = texts
        .map(|text| {
            let start = words.len();
            words.extend(words_of(text));
            start..words.len()
        })
        .collect();
    (words, ranges)
}

/// Markdown without the targets of links and images, and without backslashes.
fn without_targets(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        out.push_str(&rest[..at + 1]);
        let target = &rest[at + 2..];
        // A target has no line breaks: what looks like one otherwise is text.
        match target.find([')', '\n']).filter(|&end| target[end..].starts_with(')')) {
            Some(end) => rest = &target[end + 1..],
            None => rest = target,
        }
    }
    out.push_str(rest);
    out.retain(|c| c != '\\');
    out
}

/// A run of words that both have.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    length: usize,
    page: std::cmp::Reverse<usize>,
    text: std::cmp::Reverse<usize>,
}

/// Finds for each word of the text the word of the page that it is.
struct Placing<'a> {
    page: &'a [u64],
    text: &'a [u64],
    /// Words of the page that are taken.
    used: Vec<bool>,
    placed: Vec<Option<usize>>,
}

impl Placing<'_> {
    fn is_free(&self, page: usize, text: usize) -> bool {
        !self.used[page] && self.placed[text].is_none()
    }

    fn put(&mut self, page: usize, text: usize) {
        self.used[page] = true;
        self.placed[text] = Some(page);
    }

    /// Places the runs that both have, the longest first.
    fn runs(&mut self) {
        let mut runs = common_runs(self.page, self.text);
        while let Some(run) = runs.pop() {
            let (from, to) = (run.page.0, run.text.0);
            if (0..run.length).all(|at| self.is_free(from + at, to + at)) {
                (0..run.length).for_each(|at| self.put(from + at, to + at));
                continue;
            }
            let mut start = 0;
            while start < run.length {
                let length =
                    (start..run.length).take_while(|at| self.is_free(from + at, to + at)).count();
                if length >= SEED {
                    let (page, text) = (from + start, to + start);
                    runs.push(Run {
                        length,
                        page: std::cmp::Reverse(page),
                        text: std::cmp::Reverse(text),
                    });
                }
                start += length.max(1);
            }
        }
    }

    /// Places lines that are whole blocks: headings, or the only block with these words.
    fn lines(&mut self, lines: &[Range<usize>], ranges: &[Range<usize>], blocks: &[BlockText]) {
        let mut same: KeyedMap<&[u64], Vec<usize>> = KeyedMap::default();
        for (at, range) in ranges.iter().enumerate().filter(|(_, range)| !range.is_empty()) {
            let places = same.entry(&self.page[range.clone()]).or_default();
            if places.len() < MAX_PLACES {
                places.push(at);
            }
        }
        for line in lines.iter().filter(|line| !line.is_empty()) {
            if line.clone().any(|at| self.placed[at].is_some()) {
                continue;
            }
            let is_free = |&&at: &&usize| ranges[at].clone().all(|word| !self.used[word]);
            let places = same.get(&self.text[line.clone()]).map_or(&[][..], Vec::as_slice);
            let free: Vec<usize> = places.iter().filter(is_free).copied().collect();
            let heading = free.iter().copied().find(|&at| blocks[at].is_heading);
            let only = (free.len() == 1).then(|| free[0]);
            if let Some(block) = heading.or(only) {
                ranges[block].clone().zip(line.clone()).for_each(|(page, at)| self.put(page, at));
            }
        }
    }

    /// Places words between and beside runs: forwards from the run before, then backwards from the
    /// run after. A text of few words has no runs: it is looked for from the start of the page.
    fn neighbours(&mut self) {
        if self.placed.iter().all(Option::is_none) {
            let found = self.page.windows(self.text.len().max(1)).position(|run| run == self.text);
            if let Some(from) = found {
                (0..self.text.len()).for_each(|at| self.put(from + at, at));
            }
            return;
        }
        let mut next: Option<usize> = None;
        for at in 0..self.text.len() {
            if let Some(place) = self.placed[at] {
                next = Some(place + 1);
            } else if let Some(from) = next {
                let found = (from..(from + NEAR).min(self.page.len())).find(|&i| self.fits(i, at));
                found.into_iter().for_each(|found| self.put(found, at));
                next = found.map(|found| found + 1).or(next);
            }
        }
        let mut next: Option<usize> = None;
        for at in (0..self.text.len()).rev() {
            if let Some(place) = self.placed[at] {
                next = Some(place);
            } else if let Some(from) = next {
                let found = (from.saturating_sub(NEAR)..from).rev().find(|&i| self.fits(i, at));
                found.into_iter().for_each(|found| self.put(found, at));
                next = found.or(next);
            }
        }
    }

    fn fits(&self, page: usize, text: usize) -> bool {
        self.is_free(page, text) && self.page[page] == self.text[text]
    }
}

fn common_runs(page: &[u64], text: &[u64]) -> BinaryHeap<Run> {
    let mut seeds: KeyedMap<&[u64], Vec<usize>> = KeyedMap::default();
    for (at, seed) in text.windows(SEED).enumerate() {
        let places = seeds.entry(seed).or_default();
        if places.len() < MAX_PLACES {
            places.push(at);
        }
    }
    let mut runs = BinaryHeap::new();
    for (at, seed) in page.windows(SEED).enumerate() {
        for &to in seeds.get(seed).into_iter().flatten() {
            if at > 0 && to > 0 && page[at - 1] == text[to - 1] {
                continue;
            }
            let same = page[at..].iter().zip(&text[to..]).take_while(|(left, right)| left == right);
            let length = same.count();
            runs.push(Run { length, page: std::cmp::Reverse(at), text: std::cmp::Reverse(to) });
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: [&str; 8] = [
        "Home | Shop | Blue mug",
        "Blue mug",
        "12 €",
        "This mug is made of clay from the valley and fired twice in a wood kiln.",
        "It holds a quarter of a litre and does not mind the dishwasher at all.",
        "You may also like",
        "Green mug with a handle of wood",
        "Imprint",
    ];

    fn blocks(texts: &[&str]) -> Vec<BlockText> {
        let block =
            |text: &&str| BlockText { text: (*text).to_owned(), is_heading: text.starts_with('#') };
        texts.iter().map(block).collect()
    }

    fn check(text: &str, expected: &str) {
        check_on(&PAGE, text, expected);
    }

    /// Texts with a number sign are headings.
    fn check_on(page: &[&str], text: &str, expected: &str) {
        let found: String = align(&blocks(page), text)
            .blocks
            .iter()
            .map(|block| match block {
                Some(content) if *content > 0.5 => '+',
                Some(_) => '-',
                None => '?',
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn blocks_of_a_text_are_found() {
        let long = [PAGE[3], PAGE[4]];
        let whole = format!("Blue mug\n12 €\n{}\n{}", long[0], long[1]);
        check(&whole, "-++++---");
        check(&format!("{}\n\n{}", long[1], long[0]), "---++---");
        check(&format!("# Blue mug\n\n**12 €**\n\n* {}\n* {}", long[0], long[1]), "-++++---");
        let linked = PAGE[3].replace("the valley", "[the valley](https://x.example/valley 'v')");
        check(&format!("{linked}\n{}", long[1]), "---++---");
        let paraphrased = "The mug is made of clay from a valley, fired twice in the wood kiln. \
                           It holds a quarter of a litre and the dishwasher does no harm.";
        check(paraphrased, "---++---");
        check("nothing of this is on the page at all", "--------");
        check("Imprint", "-------+");
        check("", "--------");
    }

    #[test]
    fn titles_are_headings_and_not_entries_of_menus() {
        let page = ["Mugs", "# Mugs", "Mugs", "Cups", "A blue mug of clay", "9 €", "Bowls"];
        check_on(&page, "Mugs\nA blue mug of clay\n9 €", "-+--++-");
        check_on(&page, "9 €\nA blue mug of clay\nBowls", "----+++");
    }

    #[test]
    fn a_text_that_stops_says_nothing_about_the_rest() {
        check("Blue mug 12 € This mug is made of clay from the valley", "-+++????");
        check(&format!("{}…", PAGE[3]), "---+????");
    }

    #[test]
    fn what_is_not_on_the_page_is_reported() {
        let found = align(&blocks(&PAGE), &format!("{} Completely invented words here", PAGE[3]));
        assert!((found.missing - 0.2).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn scripts_without_spaces_are_aligned_by_character() {
        let page = blocks(&["首页", "这是关于茶的长篇文章内容", "版权"]);
        let found = align(&page, "这是关于茶的长篇文章");
        assert_eq!(found.blocks, [Some(0.0), Some(1.0), Some(0.0)]);
    }
}
