//! Which blocks of a page are content, by its gold text.
//!
//! Gold texts come in two orders. Where people typed or copied them, they follow the page; where
//! selectors made them, all titles of a list may come before all of its prices. So words of the
//! page are matched with words of the gold text twice: in order, by a longest common subsequence,
//! and in any order, by the longest runs of words that both have. What matches more words is used,
//! the order of the page if it is about the same.

use std::collections::{BTreeMap, HashMap};

use unmold::page::words;

/// For each block, the share of its words that are content (-1 if unknown) and its number of words;
/// words that may stay or go are left out of both.
pub fn content_labels(content: &str, dont_care: &[String], blocks: &[Vec<&str>]) -> Vec<[f32; 2]> {
    let lower = content.to_lowercase();
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |word| {
        let next = numbers.len() as u32;
        *numbers.entry(word).or_insert(next)
    };
    let mut truth = Vec::new();
    let mut lines = Vec::new();
    for line in lower.lines() {
        let start = truth.len();
        truth.extend(words(line).map(&mut number));
        if truth.len() > start {
            lines.push(start..truth.len());
        }
    }
    let flat: Vec<u32> = blocks.iter().flatten().copied().map(&mut number).collect();
    let mut starts = vec![0];
    starts.extend(blocks.iter().scan(0, |sum, block| {
        *sum += block.len();
        Some(*sum)
    }));
    let in_order = common_subsequence(&flat, &truth);
    let any_order = Tiling::of(&flat, &truth).with_lines(&starts, &lines).page_matched;
    let count = |matched: &[bool]| matched.iter().filter(|&&matched| matched).count();
    let is_ordered =
        |found: &Vec<bool>| count(found) as f32 >= MIN_ORDERED * count(&any_order) as f32;
    let matched = in_order.filter(is_ordered).unwrap_or_else(|| any_order.clone());
    let ignored = Ignored::new(dont_care);
    let label = |(at, block): (usize, &Vec<&str>)| {
        let matched = &matched[starts[at]..starts[at + 1]];
        let known: Vec<bool> = ignored.of(block).into_iter().map(|ignored| !ignored).collect();
        let all = known.iter().filter(|&&known| known).count();
        let content = matched.iter().zip(&known).filter(|&(&m, &known)| m && known).count();
        let share = if all == 0 { -1.0 } else { content as f32 / all as f32 };
        [share, if all == 0 { block.len() } else { all } as f32]
    };
    blocks.iter().enumerate().map(label).collect()
}

/// The order of the page is used if it matches this share of the words that any order matches.
const MIN_ORDERED: f32 = 0.97;

/// Texts that may stay or go, as words, by the first.
struct Ignored(HashMap<String, Vec<Vec<String>>>);

impl Ignored {
    fn new(texts: &[String]) -> Ignored {
        let mut by_first: HashMap<String, Vec<Vec<String>>> = HashMap::new();
        for text in texts {
            let lower = text.to_lowercase();
            let text: Vec<String> = words(&lower).map(str::to_owned).collect();
            if let Some(first) = text.first() {
                by_first.entry(first.clone()).or_default().push(text);
            }
        }
        for texts in by_first.values_mut() {
            texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
            texts.dedup();
        }
        Ignored(by_first)
    }

    /// Which words of a block are in such a text.
    fn of(&self, block: &[&str]) -> Vec<bool> {
        let mut ignored = vec![false; block.len()];
        let mut at = 0;
        while at < block.len() {
            let texts = self.0.get(block[at]).map(Vec::as_slice).unwrap_or_default();
            let found = texts.iter().find(|text| {
                block.len() - at >= text.len() && text.iter().zip(&block[at..]).all(|(a, b)| a == b)
            });
            let length = found.map_or(1, Vec::len);
            ignored[at..at + length].fill(found.is_some());
            at += length;
        }
        ignored
    }
}

/// Words of a page and of a text matched by the longest runs that both have.
struct Tiling<'a> {
    page: &'a [u32],
    truth: &'a [u32],
    page_matched: Vec<bool>,
    truth_matched: Vec<bool>,
}

impl<'a> Tiling<'a> {
    /// Matches runs of at least two words, the longest first.
    fn of(page: &'a [u32], truth: &'a [u32]) -> Tiling<'a> {
        let mut tiling = Tiling {
            page,
            truth,
            page_matched: vec![false; page.len()],
            truth_matched: vec![false; truth.len()],
        };
        for (length, at, other) in runs(page, truth) {
            let mut free = 0;
            for step in (0..=length as usize).rev() {
                let is_free = step > 0
                    && !tiling.page_matched[at as usize + step - 1]
                    && !tiling.truth_matched[other as usize + step - 1];
                if is_free {
                    free += 1;
                    continue;
                }
                // What is left of a run that longer ones overlap must be a run itself.
                if free >= MIN_RUN {
                    tiling.page_matched[at as usize + step..][..free].fill(true);
                    tiling.truth_matched[other as usize + step..][..free].fill(true);
                }
                free = 0;
            }
        }
        tiling
    }

    /// Matches lines that are a block each, however short, and single words inside matched blocks.
    fn with_lines(mut self, starts: &[usize], lines: &[std::ops::Range<usize>]) -> Tiling<'a> {
        let mut by_text: HashMap<&[u32], Vec<usize>> = HashMap::new();
        for (at, block) in starts.windows(2).enumerate() {
            by_text.entry(&self.page[block[0]..block[1]]).or_default().push(at);
        }
        let has_match: Vec<bool> = starts
            .windows(2)
            .map(|block| self.page_matched[block[0]..block[1]].contains(&true))
            .collect();
        let near = distances(&has_match);
        for line in lines {
            if self.truth_matched[line.clone()].contains(&true) {
                continue;
            }
            let blocks = by_text.get(&self.truth[line.clone()]).map(Vec::as_slice);
            let free = blocks
                .unwrap_or_default()
                .iter()
                .filter(|&&at| !self.page_matched[starts[at]..starts[at + 1]].contains(&true));
            if let Some(&at) = free.min_by_key(|&&at| (near[at], at)) {
                self.page_matched[starts[at]..starts[at + 1]].fill(true);
                self.truth_matched[line.clone()].fill(true);
            }
        }
        self.match_words(starts);
        self
    }

    /// Matches the words that are left inside blocks of which at least half is matched.
    fn match_words(&mut self, starts: &[usize]) {
        let mut left: BTreeMap<u32, usize> = BTreeMap::new();
        for (word, _) in
            self.truth.iter().zip(&self.truth_matched).filter(|(_, matched)| !**matched)
        {
            *left.entry(*word).or_default() += 1;
        }
        for block in starts.windows(2) {
            let matched = &mut self.page_matched[block[0]..block[1]];
            let number = matched.iter().filter(|&&matched| matched).count();
            if number * 2 < matched.len() {
                continue;
            }
            let words = &self.page[block[0]..block[1]];
            for (word, matched) in words.iter().zip(matched).filter(|(_, matched)| !**matched) {
                if let Some(count) = left.get_mut(word).filter(|count| **count > 0) {
                    *count -= 1;
                    *matched = true;
                }
            }
        }
    }
}

/// Shorter runs are in any two texts.
const MIN_RUN: usize = 2;

/// How many blocks away the nearest matched one is.
fn distances(matched: &[bool]) -> Vec<usize> {
    let mut near = vec![usize::MAX; matched.len()];
    let mut last = None;
    for at in (0..matched.len()).chain((0..matched.len()).rev()) {
        if matched[at] {
            last = Some(at);
        }
        near[at] = near[at].min(last.map_or(usize::MAX, |last| last.abs_diff(at)));
    }
    near
}

/// All runs of equal words that cannot be longer: length and where they begin, the longest first,
/// then in the order of the page.
fn runs(page: &[u32], truth: &[u32]) -> Vec<(u32, u32, u32)> {
    let mut at_word: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, &word) in truth.iter().enumerate() {
        at_word.entry(word).or_default().push(at);
    }
    let mut found = Vec::new();
    for (at, word) in page.iter().enumerate() {
        for &other in at_word.get(word).map(Vec::as_slice).unwrap_or_default() {
            if at > 0 && other > 0 && page[at - 1] == truth[other - 1] {
                continue;
            }
            let length = page[at..].iter().zip(&truth[other..]).take_while(|(a, b)| a == b).count();
            if length >= MIN_RUN {
                found.push((length as u32, at as u32, other as u32));
            }
        }
    }
    found.sort_by_key(|&(length, at, other)| (std::cmp::Reverse(length), at, other));
    found
}

/// A longer page and text are not compared word by word.
const MAX_CELLS: usize = 1 << 30;

/// Which words of `page` are in a longest common subsequence with `truth`; `None` if that would take
/// too much memory.
fn common_subsequence(page: &[u32], truth: &[u32]) -> Option<Vec<bool>> {
    let (n, m) = (page.len(), truth.len());
    let mut matched = vec![false; n];
    if n * m > MAX_CELLS {
        return None;
    }
    // Consecutive matches are worth more than scattered ones: a match after a match scores one
    // more.
    let width = m + 1;
    let mut steps = vec![0u8; (n + 1) * width];
    let (mut above, mut above_run) = (vec![0u32; width], vec![false; width]);
    for i in 1..=n {
        let (mut diagonal, mut diagonal_run) = (0, false);
        let mut left = 0;
        for j in 1..=m {
            let (up, up_run) = (above[j], above_run[j]);
            let (mut best, mut step, mut run) =
                if up >= left { (up, 1, false) } else { (left, 2, false) };
            if page[i - 1] == truth[j - 1] {
                let score = diagonal + 2 + u32::from(diagonal_run);
                if score >= best {
                    (best, step, run) = (score, 0, true);
                }
            }
            steps[i * width + j] = step;
            (diagonal, diagonal_run) = (up, up_run);
            (above[j], above_run[j]) = (best, run);
            left = best;
        }
    }
    let (mut i, mut j) = (n, m);
    while i > 0 && j > 0 {
        match steps[i * width + j] {
            0 => {
                matched[i - 1] = true;
                i -= 1;
                j -= 1;
            }
            1 => i -= 1,
            _ => j -= 1,
        }
    }
    Some(matched)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(content: &str, dont_care: &[&str], page: &[&str]) -> Vec<f32> {
        let blocks: Vec<Vec<&str>> = page.iter().map(|block| words(block).collect()).collect();
        let dont_care: Vec<String> = dont_care.iter().map(|text| text.to_string()).collect();
        content_labels(content, &dont_care, &blocks).iter().map(|label| label[0]).collect()
    }

    #[test]
    fn titles_before_prices_are_found_on_a_page_that_mixes_them() {
        let content = "red tea pot\ngreen tea cup\nblue milk jug\n12\n15\n9";
        let page = ["shop", "red tea pot", "12", "green tea cup", "15", "blue milk jug", "9", "12"];
        assert_eq!(labels(content, &[], &page), [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn of_two_copies_the_one_in_order_is_content() {
        let page = ["a fine title", "menu", "a fine title", "and a long text below it"];
        let content = "a fine title\nand a long text below it";
        assert_eq!(labels(content, &[], &page), [0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn words_that_may_stay_or_go_are_left_out() {
        let page = ["topic one", "by anna", "2 years ago", "share"];
        assert_eq!(
            labels("topic one\nanna", &["anna", "2 years ago"], &page),
            [1.0, 0.0, -1.0, 0.0]
        );
    }
}
