//! Finds the blocks of a page that a wanted text is made of.
//!
//! The text comes from a person, a language model or another extractor: it may leave words out, put
//! them in another order, stop in the middle, or be Markdown. So runs of words that both have are
//! laid onto the page, the longest first, each word once (greedy string tiling); what is left of
//! the text goes to words next to runs that are placed. time: about linear in both texts.

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

/// Lays a text onto the blocks of a page.
pub(crate) fn align(blocks: &[String], text: &str) -> Aligned {
    let wanted = words_of(&without_targets(text));
    let mut page: Vec<u64> = Vec::new();
    let ranges: Vec<Range<usize>> = blocks
        .iter()
        .map(|block| {
            let start = page.len();
            page.extend(words_of(block));
            start..page.len()
        })
        .collect();
    let placed = place(&page, &wanted);
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

/// For each word of the text the word of the page that it is.
fn place(page: &[u64], text: &[u64]) -> Vec<Option<usize>> {
    let mut placed = vec![None; text.len()];
    let mut used = vec![false; page.len()];
    let mut runs = common_runs(page, text);
    while let Some(run) = runs.pop() {
        let (from, to) = (run.page.0, run.text.0);
        let is_free =
            |at: &usize, placed: &[Option<usize>]| !used[from + at] && placed[to + at].is_none();
        if (0..run.length).all(|at| is_free(&at, &placed)) {
            for at in 0..run.length {
                used[from + at] = true;
                placed[to + at] = Some(from + at);
            }
            continue;
        }
        let mut start = 0;
        while start < run.length {
            let length = (start..run.length).take_while(|at| is_free(at, &placed)).count();
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
    place_neighbours(page, text, &mut used, &mut placed);
    placed
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

/// Places words between and beside runs: forwards from the run before, then backwards from the run
/// after. A text of few words has no runs: it is looked for from the start of the page.
fn place_neighbours(page: &[u64], text: &[u64], used: &mut [bool], placed: &mut [Option<usize>]) {
    if placed.iter().all(Option::is_none) {
        let found = page.windows(text.len().max(1)).position(|window| window == text);
        if let Some(at) = found {
            placed.iter_mut().zip(at..).for_each(|(place, at)| *place = Some(at));
        }
        return;
    }
    let mut next: Option<usize> = None;
    for at in 0..text.len() {
        match (placed[at], next) {
            (Some(place), _) => next = Some(place + 1),
            (None, Some(from)) => {
                let window = from..(from + NEAR).min(page.len());
                if let Some(found) = window.into_iter().find(|&i| !used[i] && page[i] == text[at]) {
                    used[found] = true;
                    placed[at] = Some(found);
                    next = Some(found + 1);
                }
            }
            (None, None) => {}
        }
    }
    let mut next: Option<usize> = None;
    for at in (0..text.len()).rev() {
        match (placed[at], next) {
            (Some(place), _) => next = Some(place),
            (None, Some(from)) => {
                let mut window = (from.saturating_sub(NEAR)..from).rev();
                if let Some(found) = window.find(|&i| !used[i] && page[i] == text[at]) {
                    used[found] = true;
                    placed[at] = Some(found);
                    next = Some(found);
                }
            }
            (None, None) => {}
        }
    }
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

    fn check(text: &str, expected: &str) {
        let blocks: Vec<String> = PAGE.map(str::to_owned).into();
        let found: String = align(&blocks, text)
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
    fn a_text_that_stops_says_nothing_about_the_rest() {
        check("Blue mug 12 € This mug is made of clay from the valley", "-+++????");
        check(&format!("{}…", PAGE[3]), "---+????");
    }

    #[test]
    fn what_is_not_on_the_page_is_reported() {
        let blocks: Vec<String> = PAGE.map(str::to_owned).into();
        let found = align(&blocks, &format!("{} Completely invented words here", PAGE[3]));
        assert!((found.missing - 0.2).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn scripts_without_spaces_are_aligned_by_character() {
        let blocks = ["首页".to_owned(), "这是关于茶的长篇文章内容".to_owned(), "版权".to_owned()];
        let found = align(&blocks, "这是关于茶的长篇文章");
        assert_eq!(found.blocks, [Some(0.0), Some(1.0), Some(0.0)]);
    }
}
