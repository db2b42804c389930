//! Whether a fixed number of siblings are fields, told apart by position, or entries of a list.

use unmold_html::hash::KeyedMap;

use super::sample::Pages;
use super::tree::{Child, Instance, numbered};
use super::view::ends_as_label;
use crate::page::{comparison_form, words};

/// Siblings of a position that are looked at.
const LOOKED_AT: usize = 30;
/// Texts and marked elements of a sibling that are looked at.
const PARTS: usize = 60;

type Counter = KeyedMap<u32, usize>;

/// Whether the siblings, each one text, are entries of a list: no position has a text of its own,
/// and words wander over the positions (stars of a film, keywords).
pub(super) fn are_homogeneous(
    pages: &Pages,
    tag: &str,
    children: &[Child],
    singles: &[Option<u32>],
    size: usize,
) -> bool {
    let nested = singles.iter().filter(|single| single.is_none()).count() as f64;
    if matches!(tag, "td" | "th" | "tr" | "#text") || nested > 0.2 * children.len() as f64 {
        return false;
    }
    let mut positions: Vec<Counter> = vec![Counter::default(); size];
    for (_, number, &single) in numbered(children, singles) {
        if let (Some(text), Some(counts)) = (single, positions.get_mut(number as usize)) {
            *counts.entry(text).or_default() += 1;
        }
    }
    let mut with_digits = Vec::new();
    for counts in &positions {
        let total: usize = counts.values().sum();
        let most = counts.values().max().copied().unwrap_or(0);
        if most * 2 >= total {
            return false;
        }
        let having = |has: &dyn Fn(&str) -> bool| -> usize {
            let texts = counts.iter().filter(|&(&text, _)| has(pages.texts.get(text)));
            texts.map(|(_, count)| count).sum()
        };
        if having(&ends_as_label) * 5 > total {
            return false;
        }
        let digits = having(&|text| text.contains(|c: char| c.is_ascii_digit()));
        with_digits.push(digits * 2 > total);
    }
    with_digits.windows(2).all(|pair| pair[0] == pair[1]) && do_words_wander(pages, &positions)
}

/// Whether words are found at many positions (names) rather than at one (`mpg` always third).
fn do_words_wander(pages: &Pages, positions: &[Counter]) -> bool {
    let size = positions.len();
    let mut of_word: KeyedMap<String, Spread> = KeyedMap::default();
    for (position, counts) in positions.iter().enumerate() {
        for (&text, &count) in sorted(counts) {
            let mut found: Vec<String> = words(pages.texts.get(text))
                .map(|word| comparison_form(word).into_owned())
                .collect();
            found.sort_unstable();
            found.dedup();
            for word in found {
                of_word.entry(word).or_default().add(position, count);
            }
        }
    }
    let (mut frequent, mut total, mut kept) = (0, 0, 0);
    for spread in of_word.values().filter(|spread| spread.total >= 5) {
        frequent += 1;
        total += spread.total;
        kept += spread.most;
    }
    if frequent < 5 {
        return size >= 5;
    }
    kept as f64 / total as f64 <= 0.35 + 1.0 / size as f64
}

/// How often a word is found, and how often at the position that has it most. Positions come in
/// order: a count for each of them would take memory that grows with the square of the page.
#[derive(Default)]
struct Spread {
    total: usize,
    most: usize,
    position: usize,
    here: usize,
}

impl Spread {
    fn add(&mut self, position: usize, count: usize) {
        if position != self.position {
            (self.position, self.here) = (position, 0);
        }
        self.here += count;
        self.total += count;
        self.most = self.most.max(self.here);
    }
}

/// Entries in the order of texts.
fn sorted(counts: &Counter) -> Vec<(&u32, &usize)> {
    let mut entries: Vec<(&u32, &usize)> = counts.iter().collect();
    entries.sort_unstable();
    entries
}

/// The same for siblings with more inside (ten posts on every page): no position has template text
/// or marked elements of its own.
pub(super) fn are_alike(
    pages: &Pages,
    instances: &[Instance],
    tag: &str,
    children: &[Child],
    singles: &[Option<u32>],
    size: usize,
) -> bool {
    let nested = singles.iter().filter(|single| single.is_none()).count();
    if matches!(tag, "td" | "th" | "#text") || nested * 2 < children.len() {
        return false;
    }
    let mut texts: Vec<Counter> = vec![Counter::default(); size];
    let mut shapes: Vec<KeyedMap<(u32, u32), usize>> = vec![KeyedMap::default(); size];
    let mut looked_at = vec![0; size];
    for (child, number, _) in numbered(children, singles) {
        let position = number as usize;
        if position >= size || looked_at[position] >= LOOKED_AT {
            continue;
        }
        looked_at[position] += 1;
        let view = &pages.views[instances[child.instance as usize].page as usize];
        let leaves = view.leaves(child.node).iter().take(PARTS).filter(|leaf| !leaf.is_value);
        let mut found: Vec<u32> = leaves.map(|leaf| leaf.text).collect();
        found.sort_unstable();
        found.dedup();
        for text in found {
            *texts[position].entry(text).or_default() += 1;
        }
        for part in view.shape(child.node, PARTS as u32) {
            *shapes[position].entry(part).or_default() += 1;
        }
    }
    if looked_at.iter().any(|&count| count < 2) {
        return false;
    }
    let (own, of_all) = usual(&texts, &looked_at);
    let (own_shapes, shapes_of_all) = usual(&shapes, &looked_at);
    if own_shapes.iter().any(|own| own.len() < 2) {
        return false;
    }
    for (counts, own) in texts.iter_mut().zip(&own) {
        counts.retain(|text, _| !own.contains(text));
    }
    of_all.is_none_or(|share| share >= 0.6)
        && shapes_of_all.is_none_or(|share| share >= 0.5)
        && do_words_wander(pages, &texts)
}

/// What half of the siblings at each position have, and the share of it that all positions have.
fn usual<T: Copy + Ord + std::hash::Hash>(
    counts: &[KeyedMap<T, usize>],
    looked_at: &[usize],
) -> (Vec<Vec<T>>, Option<f64>) {
    let own: Vec<Vec<T>> = counts
        .iter()
        .zip(looked_at)
        .map(|(counts, &total)| {
            let often = counts.iter().filter(|&(_, &count)| count * 2 >= total);
            let mut often: Vec<T> = often.map(|(&item, _)| item).collect();
            often.sort_unstable();
            often
        })
        .collect();
    let mut positions: KeyedMap<T, usize> = KeyedMap::default();
    for &item in own.iter().flatten() {
        *positions.entry(item).or_default() += 1;
    }
    let common = positions.values().filter(|&&count| count * 10 >= counts.len() * 8).count();
    let share = (!positions.is_empty()).then(|| common as f64 / positions.len() as f64);
    (own, share)
}

/// Whether positions tell siblings apart: no text that most parents have wanders.
pub(super) fn is_positional(children: &[Child], singles: &[Option<u32>], parents: usize) -> bool {
    let mut of_text: KeyedMap<u32, KeyedMap<u32, usize>> = KeyedMap::default();
    for (_, number, &single) in numbered(children, singles) {
        if let Some(text) = single {
            *of_text.entry(text).or_default().entry(number).or_default() += 1;
        }
    }
    of_text.values().all(|positions| {
        let total: usize = positions.values().sum();
        let most = positions.values().max().copied().unwrap_or(0);
        total * 2 < parents || most as f64 >= 0.85 * total as f64
    })
}
