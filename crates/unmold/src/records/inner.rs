//! Tells siblings apart by a text or a marked element that is inside some of them: rows of label
//! and value, blocks with a heading.

use rustc_hash::{FxHashMap, FxHashSet};

use super::role::{Feature, How};
use super::sample::{Pages, TEXT};
use super::tree::{Child, Instance, MIN_PAGES};
use super::view::{MAX_LABEL, ends_as_label, is_marked};

/// Texts without a colon and elements must be in so many parents, unless the text comes first.
const MIN_SHARE: f64 = 0.2;
/// Descendants that are looked at for marked elements.
const SHAPE_NODES: u32 = 60;

/// Gives the children that a feature inside tells apart to `place`; returns the features, in the
/// order in which they are to be looked for, and the children that are left.
///
/// Greedy: the feature of most parents first, each at most once in a parent.
#[allow(clippy::type_complexity)]
pub(super) fn by_inner(
    pages: &Pages,
    instances: &[Instance],
    children: Vec<Child>,
    mut place: impl FnMut(How<u32>, Child),
) -> (Vec<(Feature<u32>, How<u32>)>, Vec<Child>) {
    let search = Search { pages, instances, children: &children };
    let parents = search.parents(0..children.len());
    let found = search.features();
    let min = (MIN_PAGES as f64).max(0.05 * parents as f64);
    let mut good: Vec<(Feature<u32>, usize)> = Vec::new();
    for (&feature, found) in &found {
        if let Some(parents) = search.parents_if_good(feature, found, min, parents) {
            good.push((feature, parents));
        }
    }
    good.sort_by_cached_key(|&(feature, parents)| search.order(feature, parents));
    let mut left: Vec<bool> = vec![true; children.len()];
    let mut taken: Vec<(Feature<u32>, Vec<usize>)> = Vec::new();
    for (feature, _) in good {
        let of: Vec<usize> =
            found[&feature].children.iter().copied().filter(|&child| left[child]).collect();
        if search.pages_of(&of) < MIN_PAGES || (of.len() as f64) < min {
            continue;
        }
        of.iter().for_each(|&child| left[child] = false);
        taken.push((feature, of));
    }
    let squares: usize = taken.iter().map(|(_, of)| of.len() * of.len()).sum();
    let weight = squares as f64 / parents as f64 / children.len() as f64;
    let mut kept = Vec::new();
    let mut is_placed = vec![false; children.len()];
    for (feature, of) in taken {
        if weight < 0.25 && of.len() * 2 < parents {
            continue;
        }
        let how = match feature.text {
            Some(text) => How::Has(text),
            None => How::With(feature.key),
        };
        for child in of {
            place(how, children[child]);
            is_placed[child] = true;
        }
        kept.push((feature, how));
    }
    let rest = children.iter().zip(is_placed).filter(|&(_, placed)| !placed);
    (kept, rest.map(|(&child, _)| child).collect())
}

/// Children with a feature, and in how many it is the first text.
#[derive(Default)]
struct Found {
    children: Vec<usize>,
    first: usize,
}

struct Search<'s, 'a> {
    pages: &'s Pages<'a>,
    instances: &'s [Instance],
    children: &'s [Child],
}

impl Search<'_, '_> {
    fn features(&self) -> std::collections::BTreeMap<Feature<u32>, Found> {
        let mut found: FxHashMap<Feature<u32>, Found> = FxHashMap::default();
        let mut seen: FxHashSet<Feature<u32>> = FxHashSet::default();
        for (at, child) in self.children.iter().enumerate() {
            let view = &self.pages.views[self.instances[child.instance as usize].page as usize];
            let leaves = view.leaves(child.node);
            let depth = view.depth(child.node);
            seen.clear();
            for (number, leaf) in leaves.iter().enumerate().filter(|_| leaves.len() >= 2) {
                if leaf.is_value || self.pages.texts.get(leaf.text).len() > MAX_LABEL {
                    continue;
                }
                let text = Some(leaf.text);
                let feature = Feature { key: leaf.parent_key, depth: leaf.depth - depth, text };
                if seen.insert(feature) {
                    let found = found.entry(feature).or_default();
                    found.children.push(at);
                    found.first += usize::from(number == 0);
                }
            }
            for (key, depth) in view.shape(child.node, SHAPE_NODES) {
                if key != TEXT && is_marked(self.pages.keys.get(key)) {
                    let feature = Feature { key, depth, text: None };
                    found.entry(feature).or_default().children.push(at);
                }
            }
        }
        found.into_iter().collect()
    }

    /// The number of parents with a feature that tells children apart.
    fn parents_if_good(
        &self,
        feature: Feature<u32>,
        found: &Found,
        min: f64,
        all: usize,
    ) -> Option<usize> {
        let count = found.children.len();
        if (count as f64) < min {
            return None;
        }
        let parents = self.parents(found.children.iter().copied());
        let is_repeated = (count - parents) as f64 > 0.05 * count as f64;
        if is_repeated || self.pages_of(&found.children) < MIN_PAGES {
            return None;
        }
        let is_rare = (parents as f64) < MIN_SHARE * all as f64;
        let is_sure = feature.text.is_some_and(|text| {
            ends_as_label(self.pages.texts.get(text)) || found.first * 2 >= count
        });
        (!is_rare || is_sure).then_some(parents)
    }

    /// Number of parents of some children, which are sorted.
    fn parents(&self, children: impl Iterator<Item = usize>) -> usize {
        let mut last = None;
        children
            .filter(|&child| {
                last.replace(self.children[child].instance) != Some(self.children[child].instance)
            })
            .count()
    }

    fn pages_of(&self, children: &[usize]) -> usize {
        let page = |&child: &usize| self.instances[self.children[child].instance as usize].page;
        let pages: FxHashSet<u32> = children.iter().map(page).collect();
        pages.len()
    }

    /// Most parents first, then texts, then labels with a colon, then those higher up.
    fn order(
        &self,
        feature: Feature<u32>,
        parents: usize,
    ) -> (std::cmp::Reverse<usize>, bool, bool, u32, String, String) {
        let text = feature.text.map_or("", |text| self.pages.texts.get(text));
        (
            std::cmp::Reverse(parents),
            feature.text.is_none(),
            !ends_as_label(text),
            feature.depth,
            text.to_owned(),
            self.pages.keys.get(feature.key).to_owned(),
        )
    }
}
