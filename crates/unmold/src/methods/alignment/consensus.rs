//! Merges the pages in a binary tree of alignments: first the pages in pairs, then the results,
//! until one profile is left.

use serde::{Deserialize, Serialize};

use super::align::{Scoring, align};
use super::step::Step;

/// When tokens with little support are dropped on the way to the root. The final threshold applies
/// in addition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pruning {
    /// Before a merge, tokens on less than half of the pages merged so far.
    Half,
    /// After a merge, tokens on less than a quarter of the pages merged so far.
    Quarter,
    /// After a merge, tokens on less than an eighth of the pages merged so far. A token on two of
    /// sixteen pages is still counted, but tokens unique to a page do not accumulate, so learning
    /// time is linear in the number of pages.
    Eighth,
    /// Never.
    Off,
}

/// A token of a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Counted {
    pub token: u32,
    /// Number of pages that have it in this place.
    pub pages: u32,
}

/// The merged tokens of some pages in order, each with its support.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Profile {
    pub tokens: Vec<Counted>,
    /// Number of pages merged into it.
    pub pages: u32,
}

impl Profile {
    pub fn of_page(tokens: &[u32]) -> Profile {
        let tokens = tokens.iter().map(|&token| Counted { token, pages: 1 }).collect();
        Profile { tokens, pages: 1 }
    }

    fn numbers(&self) -> Vec<u32> {
        self.tokens.iter().map(|counted| counted.token).collect()
    }

    /// Drops the tokens on less than one in `parts` of its pages.
    fn drop_below_one_in(&mut self, parts: u64) {
        let pages = u64::from(self.pages);
        self.tokens.retain(|counted| u64::from(counted.pages) * parts >= pages);
    }

    /// Drops the texts in a slot that are on fewer than `min_pages` pages. A text is in a slot if
    /// the tags around it are on at least twice as many pages as the text.
    pub fn drop_values_below(&mut self, min_pages: u32, is_text: impl Fn(u32) -> bool) {
        let tag_before = nearest_tags(self.tokens.iter(), &is_text);
        let mut tag_after = nearest_tags(self.tokens.iter().rev(), &is_text);
        tag_after.reverse();
        let mut around = tag_before.into_iter().zip(tag_after);
        self.tokens.retain(|counted| {
            let (before, after) = around.next().unwrap_or_default();
            let is_value = is_text(counted.token) && before.min(after) >= 2 * counted.pages;
            !is_value || counted.pages >= min_pages
        });
    }

    /// Drops the tokens on fewer than `min_pages` pages.
    pub fn drop_below(&mut self, min_pages: u32) {
        self.tokens.retain(|counted| counted.pages >= min_pages);
    }
}

/// For each token, the number of pages of the last tag before it in iteration order.
fn nearest_tags<'t>(
    tokens: impl Iterator<Item = &'t Counted>,
    is_text: impl Fn(u32) -> bool,
) -> Vec<u32> {
    let mut last = 0;
    tokens
        .map(|counted| {
            let before = last;
            if !is_text(counted.token) {
                last = counted.pages;
            }
            before
        })
        .collect()
}

/// The union of two profiles. Two equal tokens that are aligned become one, with the pages of both;
/// all others are kept as they are.
pub(super) fn union(first: &Profile, second: &Profile, scoring: Scoring) -> Profile {
    let mut tokens = Vec::with_capacity(first.tokens.len().max(second.tokens.len()));
    for step in align(&first.numbers(), &second.numbers(), scoring) {
        match step {
            Step::Both(i, j) => {
                let (a, b) = (first.tokens[i], second.tokens[j]);
                if a.token == b.token {
                    tokens.push(Counted { token: a.token, pages: a.pages + b.pages });
                } else {
                    tokens.extend([a, b]);
                }
            }
            Step::First(i) => tokens.push(first.tokens[i]),
            Step::Second(j) => tokens.push(second.tokens[j]),
        }
    }
    Profile { tokens, pages: first.pages + second.pages }
}

/// One alignment of the consensus tree. The merges of a level are independent of each other.
#[derive(Clone, Debug)]
pub struct Merge {
    first: Profile,
    second: Profile,
    scoring: Scoring,
    pruning: Pruning,
    merged: Option<Profile>,
}

impl Merge {
    /// Aligns the two profiles. Merges may run on any thread, in any order. A second call does
    /// nothing.
    pub fn run(&mut self) {
        if self.merged.is_some() {
            return;
        }
        if self.pruning == Pruning::Half {
            self.first.drop_below_one_in(2);
            self.second.drop_below_one_in(2);
        }
        let mut merged = union(&self.first, &self.second, self.scoring);
        match self.pruning {
            Pruning::Quarter => merged.drop_below_one_in(4),
            Pruning::Eighth => merged.drop_below_one_in(8),
            Pruning::Half | Pruning::Off => {}
        }
        self.merged = Some(merged);
    }

    fn into_merged(mut self) -> Profile {
        self.run();
        self.merged.unwrap_or_default()
    }
}

/// Merges neighbours until one profile is left; an odd one passes a level unchanged. `run_level` is
/// given the merges of a level to run; those it does not run are run afterwards.
pub(super) fn distill(
    pages: Vec<Profile>,
    scoring: Scoring,
    pruning: Pruning,
    mut run_level: impl FnMut(&mut [Merge]),
) -> Profile {
    let mut level = pages;
    while level.len() > 1 {
        let mut waiting = level.into_iter();
        let mut merges = Vec::new();
        let mut odd = None;
        while let Some(first) = waiting.next() {
            match waiting.next() {
                Some(second) => {
                    merges.push(Merge { first, second, scoring, pruning, merged: None })
                }
                None => odd = Some(first),
            }
        }
        run_level(&mut merges);
        level = merges.into_iter().map(Merge::into_merged).chain(odd).collect();
    }
    level.pop().unwrap_or_default()
}
