//! Finds the template of a sample of pages, from mappings between pairs of them.
//!
//! There are two strategies. [`Intersection`] is the paper's FindTemplate: the common part of the
//! first two pages is intersected with the third page, and so on. [`Support`] maps pages to a few
//! reference pages of their kind and counts the pages on which each node of a reference is found; a
//! foreign page then costs one count instead of the template.
//!
//! time: one mapping per page and reference of its kind, and at most 28 per kind to choose
//! references. space: the sample.
//!
//! Departures: pages are first grouped by layout (the set of their paths of element names), because
//! a site has lists and articles, and what half of the lists share is template even if lists are
//! rare in the sample. A page without a common layout is counted with the most similar layout.

use unmold_html::hash::KeyedMap;

use super::mapping::{Mapper, Mapping};
use super::tree::Tree;
use crate::page::{Interner, LabelProfile, NodeId, Page, Tag};

/// A page of the sample, or the part of one that is template: the tree to compare, and the names
/// and texts to show.
#[derive(Clone, Debug)]
pub(super) struct Specimen {
    pub(super) tree: Tree,
    pub(super) labels: Vec<u64>,
    pub(super) outline: Outline,
    /// Sorted hashes of the paths of element names, which tell the kind of the page.
    paths: Vec<u64>,
}

impl Specimen {
    pub(super) fn new(page: &Page, profile: LabelProfile, numbers: &mut Interner) -> Specimen {
        let labels = page.labels(profile);
        let tree = Tree::interned(&labels, |id| page.size(NodeId::new(id)), numbers);
        let mut paths = page.path_hashes();
        paths.sort_unstable();
        paths.dedup();
        Specimen { tree, labels, outline: Outline::of(page), paths }
    }

    /// A tree without names.
    #[cfg(test)]
    pub(super) fn of_labels(
        labels: Vec<u64>,
        size: impl Fn(u32) -> u32,
        numbers: &mut Interner,
    ) -> Specimen {
        let tree = Tree::interned(&labels, size, numbers);
        let mut outline = Outline::default();
        labels.iter().for_each(|_| outline.push("", ""));
        Specimen { tree, labels, outline, paths: Vec::new() }
    }

    /// The similarity of the layouts of two pages: the share of their paths that both have.
    fn similarity(&self, other: &Specimen) -> f64 {
        let mut rest = &other.paths[..];
        let mut common = 0;
        for path in &self.paths {
            rest = &rest[rest.partition_point(|other| other < path)..];
            common += usize::from(rest.first() == Some(path));
        }
        common as f64 / (self.paths.len() + other.paths.len() - common).max(1) as f64
    }

    /// Only the nodes to keep. The parent of a kept node must be kept too.
    pub(super) fn restricted(&self, keep: &[bool], numbers: &mut Interner) -> Specimen {
        let kept: Vec<u32> = (0..self.tree.len()).filter(|&id| keep[id as usize]).collect();
        let labels: Vec<u64> = kept.iter().map(|&id| self.labels[id as usize]).collect();
        let sizes: Vec<u32> = kept
            .iter()
            .map(|&id| {
                let end = id + self.tree.size(id);
                (kept.partition_point(|&other| other < end)
                    - kept.partition_point(|&other| other < id)) as u32
            })
            .collect();
        let tree = Tree::interned(&labels, |id| sizes[id as usize], numbers);
        Specimen {
            tree,
            labels,
            outline: self.outline.restricted(&kept),
            paths: self.paths.clone(),
        }
    }
}

/// Names and texts of the nodes, for display.
#[derive(Clone, Default, Debug)]
pub(super) struct Outline {
    pool: String,
    /// End of the name and end of the text of each node.
    ends: Vec<(u32, u32)>,
}

/// Characters of a text that are kept for display.
const MAX_SHOWN_CHARS: usize = 80;

impl Outline {
    fn of(page: &Page) -> Outline {
        let mut outline = Outline::default();
        for id in page.nodes() {
            let text = page.text(id);
            let end = text.char_indices().nth(MAX_SHOWN_CHARS).map_or(text.len(), |(at, _)| at);
            outline
                .push(if page.tag(id) == Tag::TEXT { "" } else { page.tag_name(id) }, &text[..end]);
        }
        outline
    }

    fn push(&mut self, tag: &str, text: &str) {
        self.pool.push_str(tag);
        let tag_end = self.pool.len() as u32;
        self.pool.push_str(text);
        self.ends.push((tag_end, self.pool.len() as u32));
    }

    fn restricted(&self, kept: &[u32]) -> Outline {
        let mut outline = Outline::default();
        for &id in kept {
            outline.push(self.tag(id), self.text(id));
        }
        outline
    }

    fn start(&self, id: u32) -> usize {
        id.checked_sub(1).map_or(0, |before| self.ends[before as usize].1 as usize)
    }

    /// The name of an element, empty for a text.
    pub(super) fn tag(&self, id: u32) -> &str {
        &self.pool[self.start(id)..self.ends[id as usize].0 as usize]
    }

    /// The beginning of a text, empty for an element.
    pub(super) fn text(&self, id: u32) -> &str {
        let (start, end) = self.ends[id as usize];
        &self.pool[start as usize..end as usize]
    }
}

/// FindTemplate: the template is what all pages share.
#[derive(Clone, Debug)]
pub(super) struct Intersection {
    pub(super) template: Specimen,
    /// Whether each node had, on all pages, exactly the nodes below it that it has in the template.
    pub(super) whole: Vec<bool>,
    /// Number of pages intersected.
    pub(super) pages: u32,
    /// A page that would leave less than this share of the template is skipped.
    min_keep: f64,
}

impl Intersection {
    /// The intersection of the two pages at the indices in `pair`; `None` if they share nothing.
    fn of_pair(
        pages: &[Specimen],
        pair: (usize, usize),
        learn: &mut Learn,
        min_keep: f64,
    ) -> Option<Intersection> {
        let (template, whole) = extract(&pages[pair.0], &pages[pair.1], |_| true, learn)?;
        Some(Intersection { template, whole, pages: 2, min_keep })
    }

    /// Starts with the pair of pages, among the first `pairs` pairs of neighbours, whose common
    /// part has the median size: a template that started with a foreign page would never recover.
    /// Also returns the indices of the two.
    pub(super) fn begin(
        pages: &[Specimen],
        pairs: usize,
        learn: &mut Learn,
        min_keep: f64,
    ) -> Option<(Intersection, (usize, usize))> {
        let mut tried: Vec<(Intersection, (usize, usize))> = Vec::new();
        for first in 0..pages.len().saturating_sub(1).min(MAX_PAIRS_TRIED) {
            let pair = (first, first + 1);
            tried.extend(
                Intersection::of_pair(pages, pair, learn, min_keep)
                    .map(|intersection| (intersection, pair)),
            );
            if tried.len() >= pairs.max(1) {
                break;
            }
        }
        tried.sort_by_key(|(intersection, pair)| (intersection.template.tree.len(), *pair));
        let middle = tried.len() / 2;
        (!tried.is_empty()).then(|| tried.swap_remove(middle))
    }

    /// Removes from the template what `page` does not have; false if the page is foreign and was
    /// skipped.
    pub(super) fn add(&mut self, page: &Specimen, learn: &mut Learn) -> bool {
        let before = self.template.tree.len();
        match extract(&self.template, page, |id| self.whole[id as usize], learn) {
            Some((next, whole))
                if f64::from(next.tree.len()) >= self.min_keep * f64::from(before) =>
            {
                (self.template, self.whole) = (next, whole);
                self.pages += 1;
                true
            }
            _ => false,
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.template.tree.len()
    }
}

/// Maximum number of pairs to try when looking for pages that share something.
const MAX_PAIRS_TRIED: usize = 10;

/// State shared by all steps of learning.
#[derive(Clone, Debug)]
pub(super) struct Learn {
    pub(super) mapper: Mapper,
    pub(super) numbers: Interner,
    /// Number of pairs of pages that were too large to be mapped exactly.
    pub(super) approximate: u32,
}

impl Learn {
    fn map(&mut self, a: &Tree, b: &Tree) -> Mapping {
        let mapping = self.mapper.map(a, b);
        self.approximate += u32::from(mapping.approximate);
        mapping
    }
}

/// The paper's ExtractSubTree: the part of `first` that `second` has too, and which of its subtrees
/// are identical in both.
fn extract(
    first: &Specimen,
    second: &Specimen,
    was_whole: impl Fn(u32) -> bool,
    learn: &mut Learn,
) -> Option<(Specimen, Vec<bool>)> {
    let mapping = learn.map(&first.tree, &second.tree);
    if mapping.matched == 0 {
        return None;
    }
    let mut keep = vec![false; first.tree.len() as usize];
    let mut whole = Vec::with_capacity(mapping.matched as usize);
    for run in &mapping.runs {
        let identical = first.tree.class(run.first) == second.tree.class(run.second);
        for id in run.first..run.first + run.nodes {
            keep[id as usize] = true;
            whole.push(identical && was_whole(id));
        }
    }
    Some((first.restricted(&keep, &mut learn.numbers), whole))
}

/// RTDM-S: reference pages, and the number of pages on which each of their nodes is found.
#[derive(Clone, Debug)]
pub(super) struct Support {
    pub(super) references: Vec<Reference>,
    settings: SupportSettings,
}

/// How support is counted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct SupportSettings {
    pub(super) references: usize,
    /// The share of the pages on which a node must be found.
    pub(super) share: f64,
    /// Pages at least this similar are of one kind.
    pub(super) same_kind: f64,
    /// A page less similar than this to every reference is skipped.
    pub(super) foreign: f64,
}

/// A page of the sample whose nodes are counted on the pages of its kind.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    pub(super) specimen: Specimen,
    /// Number of pages counted, the reference included.
    pub(super) pages: u32,
    /// Number of pages on which each node is found.
    pub(super) counts: Vec<u32>,
    /// Number of pages on which each node is found with exactly the same nodes below it.
    pub(super) whole: Vec<u32>,
}

impl Reference {
    fn new(specimen: &Specimen) -> Reference {
        let length = specimen.tree.len() as usize;
        Reference {
            specimen: specimen.clone(),
            pages: 1,
            counts: vec![1; length],
            whole: vec![1; length],
        }
    }

    fn count(&mut self, page: &Specimen, learn: &mut Learn) {
        let mapping = learn.map(&self.specimen.tree, &page.tree);
        self.pages += 1;
        for run in &mapping.runs {
            let identical = self.specimen.tree.class(run.first) == page.tree.class(run.second);
            for id in run.first as usize..(run.first + run.nodes) as usize {
                self.counts[id] += 1;
                self.whole[id] += u32::from(identical);
            }
        }
    }

    /// Number of pages on which a node must be found. What only one page has is not template.
    pub(super) fn min_pages(&self, share: f64) -> u32 {
        let lower_bound = if self.pages > 3 { 3 } else { 2 };
        ((share * f64::from(self.pages) - 1e-9).ceil() as u32).max(lower_bound)
    }

    /// Number of nodes that are found on enough pages.
    fn kept(&self, share: f64) -> u32 {
        let min_pages = self.min_pages(share);
        self.counts.iter().filter(|&&count| count >= min_pages).count() as u32
    }
}

/// Maximum number of pages compared with each other to choose a reference.
const MAX_CANDIDATES: usize = 8;
/// Minimum number of pages of a kind, except for the largest kind.
const MIN_KIND_PAGES: usize = 3;

impl Support {
    /// Chooses references among `pages`; none of the pages is counted yet.
    pub(super) fn begin(
        pages: &[Specimen],
        settings: SupportSettings,
        learn: &mut Learn,
    ) -> Support {
        let kinds = kinds(pages, settings.same_kind);
        let mut distances = Distances::default();
        let mut chosen = Vec::new();
        for kind in references_of_kinds(&kinds, settings.references) {
            let mut candidates: Vec<usize> =
                kinds[kind].iter().copied().filter(|id| !chosen.contains(id)).collect();
            candidates.truncate(MAX_CANDIDATES);
            chosen.extend(distances.medoid(pages, &candidates, learn));
        }
        let references = chosen.iter().map(|&id| Reference::new(&pages[id])).collect();
        Support { references, settings }
    }

    /// Counts `page` for the references of its kind; false if it is foreign to all of them and was
    /// skipped.
    pub(super) fn add(&mut self, page: &Specimen, learn: &mut Learn) -> bool {
        let similarity: Vec<f64> =
            self.references.iter().map(|r| r.specimen.similarity(page)).collect();
        let best = similarity.iter().copied().fold(0.0, f64::max);
        if best < self.settings.foreign {
            return false;
        }
        let enough = self.settings.same_kind.min(best);
        for (reference, similarity) in self.references.iter_mut().zip(similarity) {
            if similarity >= enough && reference.specimen.tree.class(0) != page.tree.class(0) {
                reference.count(page, learn);
            }
        }
        true
    }

    /// Number of nodes of the template, over all references.
    pub(super) fn len(&self) -> u32 {
        self.references.iter().map(|reference| reference.kept(self.settings.share)).sum()
    }

    pub(super) fn share(&self) -> f64 {
        self.settings.share
    }
}

/// Indices of the pages of each kind, largest kind first. Pages of no kind are left out.
fn kinds(pages: &[Specimen], same_kind: f64) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..pages.len()).collect();
    let mut kinds: Vec<Vec<usize>> = Vec::new();
    loop {
        let pages_like = |&leader: &usize| -> Vec<usize> {
            left.iter()
                .copied()
                .filter(|&other| pages[leader].similarity(&pages[other]) >= same_kind)
                .collect()
        };
        let Some(largest) = left.iter().map(pages_like).rev().max_by_key(Vec::len) else { break };
        if largest.len() < MIN_KIND_PAGES && !kinds.is_empty() {
            break;
        }
        left.retain(|id| !largest.contains(id));
        kinds.push(largest);
    }
    kinds
}

/// The kind that each reference is chosen from. Every kind gets one before any gets two, then the
/// largest get more.
fn references_of_kinds(kinds: &[Vec<usize>], references: usize) -> Vec<usize> {
    let mut taken = vec![0; kinds.len()];
    let mut order = Vec::new();
    while order.len() < references {
        let free = (0..kinds.len()).filter(|&kind| taken[kind] < kinds[kind].len());
        let next = free
            .rev()
            .max_by_key(|&kind| (taken[kind] == 0, kinds[kind].len() / (taken[kind] + 1)));
        let Some(kind) = next else { break };
        taken[kind] += 1;
        order.push(kind);
    }
    order
}

/// Distances between pages, each computed once.
#[derive(Default)]
struct Distances(KeyedMap<(usize, usize), f64>);

impl Distances {
    /// The cost of the mapping, as a share of the cost of deleting one page and inserting the
    /// other.
    fn get(&mut self, pages: &[Specimen], first: usize, second: usize, learn: &mut Learn) -> f64 {
        let key = (first.min(second), first.max(second));
        *self.0.entry(key).or_insert_with(|| {
            let (a, b) = (&pages[key.0].tree, &pages[key.1].tree);
            learn.map(a, b).cost as f64 / f64::from(a.len() + b.len())
        })
    }

    /// The page among `candidates` with the smallest mean distance to the others.
    fn medoid(
        &mut self,
        pages: &[Specimen],
        candidates: &[usize],
        learn: &mut Learn,
    ) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for &candidate in candidates {
            let others = candidates.iter().filter(|&&other| other != candidate);
            let sum = others.map(|&other| self.get(pages, candidate, other, learn)).sum();
            if best.is_none_or(|(smallest, _)| sum < smallest) {
                best = Some((sum, candidate));
            }
        }
        best.map(|(_, candidate)| candidate)
    }
}
