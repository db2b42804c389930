//! Which pages of a site have the same layout, and which of these kinds a page is of.
//!
//! How: pages are compared by the paths of their blocks, without those that nearly all pages have;
//! the two most similar groups of pages are joined until none are similar enough (average linkage).
//! A page is of the kind whose usual paths it shares most. time: learning is quadratic in the
//! number of different layouts, at most [`MAX_LAYOUTS`]; a page takes one look-up for each block.

use std::collections::BTreeMap;

use unmold_html::hash::KeyedMap;

use super::blocks::Blocks;

/// Kinds of pages of a sample, told apart by the paths of their blocks.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Kinds {
    list: Vec<KindOfPage>,
    /// For each path that some kind usually has, a bit for each kind that does.
    usual: KeyedMap<u64, u32>,
}

/// One kind.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct KindOfPage {
    /// Pages of the sample that are of this kind.
    pub pages: u32,
    /// Number of paths that it usually has.
    usual: u32,
}

/// Samples with fewer pages have no kinds.
const MIN_PAGES: usize = 6;
/// A kind has at least so many pages.
const MIN_PAGES_OF_KIND: u32 = 3;
/// Room for one bit each.
const MAX_KINDS: usize = 16;
/// At most so many different layouts are compared; the others are assigned.
const MAX_LAYOUTS: usize = 160;
/// Groups with this mean similarity (shared paths of all paths) are joined.
const SIMILAR: f64 = 0.45;
/// A page is of no kind if it shares less than this.
const MIN_SHARED: f32 = 0.25;

impl Kinds {
    /// Finds the kinds of pages in a sample.
    pub fn learn(pages: &[Blocks]) -> Kinds {
        if pages.len() < MIN_PAGES {
            return Kinds::default();
        }
        let layouts: Vec<Vec<u64>> = pages.iter().map(paths).collect();
        let mut counts: KeyedMap<u64, usize> = KeyedMap::default();
        layouts.iter().flatten().for_each(|&path| *counts.entry(path).or_default() += 1);
        let tells = |path: &u64| (2..=pages.len() * 19 / 20).contains(&counts[path]);
        let mut different: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
        for layout in &layouts {
            let telling = layout.iter().copied().filter(tells).collect();
            *different.entry(telling).or_default() += 1;
        }
        let mut different: Vec<(Vec<u64>, u32)> = different.into_iter().collect();
        if different.len() > MAX_LAYOUTS {
            // The most common, then any that do not depend on the order of pages.
            different.sort_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(&right.0)));
            different.truncate(MAX_LAYOUTS);
        }
        let groups = joined(&different);
        let mut kinds = Kinds::of_groups(&different, groups);
        if kinds.list.len() < 2 {
            return Kinds::default();
        }
        for layout in &layouts {
            if let Some(kind) = kinds.of_paths(layout) {
                kinds.list[kind].pages += 1;
            }
        }
        kinds
    }

    fn of_groups(layouts: &[(Vec<u64>, u32)], groups: Vec<Vec<usize>>) -> Kinds {
        let pages = |group: &[usize]| group.iter().map(|&at| layouts[at].1).sum::<u32>();
        let mut groups: Vec<Vec<usize>> =
            groups.into_iter().filter(|group| pages(group) >= MIN_PAGES_OF_KIND).collect();
        groups.sort_by_key(|group| (std::cmp::Reverse(pages(group)), group[0]));
        groups.truncate(MAX_KINDS);
        let mut kinds = Kinds::default();
        for (kind, group) in groups.iter().enumerate() {
            let mut counts: KeyedMap<u64, u32> = KeyedMap::default();
            for (layout, number) in group.iter().map(|&at| &layouts[at]) {
                layout.iter().for_each(|&path| *counts.entry(path).or_default() += number);
            }
            counts.retain(|_, count| *count * 2 >= pages(group));
            kinds.list.push(KindOfPage { pages: 0, usual: counts.len() as u32 });
            #[allow(clippy::iter_over_hash_type, reason = "each path is on its own")]
            for path in counts.into_keys() {
                *kinds.usual.entry(path).or_default() |= 1 << kind;
            }
        }
        kinds
    }

    /// Kinds as they were stored: pages and usual paths of each.
    pub fn from_stored(stored: impl Iterator<Item = (u32, Vec<u64>)>) -> Kinds {
        let mut kinds = Kinds::default();
        for (kind, (pages, paths)) in stored.take(MAX_KINDS).enumerate() {
            kinds.list.push(KindOfPage { pages, usual: paths.len() as u32 });
            for path in paths {
                *kinds.usual.entry(path).or_default() |= 1 << kind;
            }
        }
        kinds
    }

    /// What [`Kinds::from_stored`] takes.
    pub fn stored(&self) -> Vec<(u32, Vec<u64>)> {
        let mut all: Vec<(u64, u32)> =
            self.usual.iter().map(|(&path, &bits)| (path, bits)).collect();
        all.sort_unstable();
        let paths = |kind: usize| {
            all.iter().filter(|(_, bits)| bits >> kind & 1 == 1).map(|&(path, _)| path).collect()
        };
        self.list.iter().enumerate().map(|(kind, of)| (of.pages, paths(kind))).collect()
    }

    /// The kind of a page, if it is of any.
    pub fn of(&self, blocks: &Blocks) -> Option<usize> {
        if self.list.is_empty() { None } else { self.of_paths(&paths(blocks)) }
    }

    fn of_paths(&self, paths: &[u64]) -> Option<usize> {
        let mut shared = [0u32; MAX_KINDS];
        let mut known = 0;
        for bits in paths.iter().filter_map(|path| self.usual.get(path)) {
            known += 1;
            let mut left = *bits;
            while left != 0 {
                shared[left.trailing_zeros() as usize] += 1;
                left &= left - 1;
            }
        }
        let similarity = |kind: usize| {
            let all = self.list[kind].usual + known - shared[kind];
            if all == 0 { 1.0 } else { shared[kind] as f32 / all as f32 }
        };
        let best = (0..self.list.len()).map(|kind| (similarity(kind), kind));
        let best = best.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        (best.0 >= MIN_SHARED).then_some(best.1)
    }

    /// Pages of the sample that are of a kind.
    pub fn pages(&self, kind: usize) -> u32 {
        self.list[kind].pages
    }

    /// Number of kinds.
    pub fn len(&self) -> usize {
        self.list.len()
    }
}

/// The different paths of a page's blocks, sorted.
fn paths(blocks: &Blocks) -> Vec<u64> {
    let mut paths: Vec<u64> = blocks.list.iter().map(|block| block.path).collect();
    paths.dedup();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Joins the most similar groups of layouts until none are similar enough.
fn joined(layouts: &[(Vec<u64>, u32)]) -> Vec<Vec<usize>> {
    let number = layouts.len();
    let mut groups: Vec<Vec<usize>> = (0..number).map(|at| vec![at]).collect();
    let mut pages: Vec<f64> = layouts.iter().map(|layout| layout.1.into()).collect();
    let mut similar = vec![0.0f64; number * number];
    for at in 0..number {
        for other in 0..at {
            let value = similarity(&layouts[at].0, &layouts[other].0);
            similar[at * number + other] = value;
            similar[other * number + at] = value;
        }
    }
    // The most similar other group of each, so that a join looks at each group once.
    let best_of = |similar: &[f64], groups: &[Vec<usize>], at: usize| {
        let mut best = (-1.0, at);
        for other in (0..number).filter(|&other| other != at && !groups[other].is_empty()) {
            if similar[at * number + other] > best.0 {
                best = (similar[at * number + other], other);
            }
        }
        best
    };
    let mut best: Vec<(f64, usize)> =
        (0..number).map(|at| best_of(&similar, &groups, at)).collect();
    while let Some(at) = (0..number)
        .filter(|&at| !groups[at].is_empty())
        .reduce(|found, at| if best[at].0 > best[found].0 { at } else { found })
        .filter(|&at| best[at].0 >= SIMILAR)
    {
        let other = best[at].1;
        let (at, other) = (at.min(other), at.max(other));
        let moved = std::mem::take(&mut groups[other]);
        groups[at].extend(moved);
        groups[at].sort_unstable();
        let (here, there) = (pages[at], pages[other]);
        pages[at] += there;
        for third in 0..number {
            let mean = (similar[at * number + third] * here
                + similar[other * number + third] * there)
                / (here + there);
            similar[at * number + third] = mean;
            similar[third * number + at] = mean;
        }
        for third in 0..number {
            let changed = third == at || best[third].1 == at || best[third].1 == other;
            if !groups[third].is_empty() && changed {
                best[third] = best_of(&similar, &groups, third);
            }
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Shared paths of all paths.
fn similarity(left: &[u64], right: &[u64]) -> f64 {
    let (mut at, mut other, mut shared) = (0, 0, 0usize);
    while at < left.len() && other < right.len() {
        match left[at].cmp(&right[other]) {
            std::cmp::Ordering::Less => at += 1,
            std::cmp::Ordering::Greater => other += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                at += 1;
                other += 1;
            }
        }
    }
    let all = left.len() + right.len() - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Limits, Page};
    use crate::pipeline::names::Names;

    fn blocks(html: &str) -> Blocks {
        Blocks::of(&Page::parse(html.as_bytes(), &Limits::default()), &Names::default())
    }

    fn product(n: usize) -> Blocks {
        let fields = format!("<table><tr><td>Price<td>{n}</table><dl><dt>Colour<dd>red</dl>");
        blocks(&format!("<body><ul><li>Home</ul>{fields}"))
    }

    fn post(n: usize) -> Blocks {
        blocks(&format!("<body><ul><li>Home</ul><article><h1>Post {n}</h1><p>Text {n}</article>"))
    }

    #[test]
    fn layouts_are_kinds_whatever_the_order_of_pages() {
        let mut pages: Vec<Blocks> = (0..6).map(product).chain((0..4).map(post)).collect();
        let kinds = Kinds::learn(&pages);
        assert_eq!((kinds.len(), kinds.pages(0), kinds.pages(1)), (2, 6, 4));
        assert_eq!((kinds.of(&product(9)), kinds.of(&post(9))), (Some(0), Some(1)));
        assert_eq!(kinds.of(&blocks("<body><pre>something else</pre>")), None);
        assert_eq!(Kinds::from_stored(kinds.stored().into_iter()), kinds);
        pages.reverse();
        assert_eq!(Kinds::learn(&pages), kinds);
    }

    #[test]
    fn few_pages_and_one_layout_have_no_kinds() {
        let one: Vec<Blocks> = (0..8).map(product).collect();
        assert_eq!(Kinds::learn(&one).len(), 0);
        let few: Vec<Blocks> = (0..2).map(product).chain((0..3).map(post)).collect();
        assert_eq!(Kinds::learn(&few).len(), 0);
    }
}
