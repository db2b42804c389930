//! TEXT-MAX and TEXT-DICEMAX: consider only the most similar clusters as partners.
//!
//! A position of a signature is full if all pages of the cluster have its minimum rank. Two
//! clusters share a full position with the same rank exactly where their union has one, so an index
//! from (position, rank) to clusters finds the most similar ones without comparing signatures.

use std::collections::BinaryHeap;

use unmold_html::hash::KeyedMap;

use super::cost::{Counts, OneAgainstMany};
use super::greedy::{Merge, merge_counts};
use super::signature::Signature;

/// How the similarity of two clusters is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Similarity {
    /// The paths that all pages have, divided by the paths that any page has.
    Jaccard,
    /// Twice the common paths, divided by the sum of both clusters' numbers of paths.
    DiceOfUnions,
    /// Twice the common paths, divided by the sum of the paths that all pages of one cluster have
    /// and those that all pages of the other have.
    DiceOfCommon,
}

/// Finds the clusters most similar to a given one.
pub(super) trait Neighbours {
    /// All clusters tied for most similar to the one at `own`, in order; empty if none has anything
    /// in common with it.
    fn nearest(&mut self, own: u32, counts: &[Option<Counts>]) -> Vec<u32>;
    /// Called when the cluster at `gone` has become part of the one at `kept`, after their counts
    /// were merged.
    fn merged(&mut self, kept: u32, gone: u32, counts: &[Option<Counts>]);
}

/// A pair on the heap: largest gain first, then the earlier pair. Clusters are identified by index
/// and version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Candidate {
    gain: i64,
    places: std::cmp::Reverse<(u32, u32)>,
    versions: (u32, u32),
}

struct Search<'a, N> {
    counts: &'a mut [Option<Counts>],
    neighbours: &'a mut N,
    scratch: OneAgainstMany,
    heap: BinaryHeap<Candidate>,
    versions: Vec<u32>,
    /// For each cluster, the clusters it was paired with and their versions. Stale entries are
    /// dropped when a cluster is repaired.
    paired: Vec<Vec<(u32, u32)>>,
    /// Clusters that may have lost their last candidate.
    maybe_stranded: Vec<u32>,
}

/// Merges most similar clusters until the cost no longer goes down. With `repair`, a cluster whose
/// candidates have all been merged away looks for new ones; in the paper it stays alone for good.
pub(super) fn merge_nearest(
    counts: &mut [Option<Counts>],
    neighbours: &mut impl Neighbours,
    paths: usize,
    repair: bool,
    merges: &mut Vec<Merge>,
) {
    let number = counts.len();
    let mut search = Search {
        counts,
        neighbours,
        scratch: OneAgainstMany::new(paths),
        heap: BinaryHeap::new(),
        versions: vec![0; number],
        paired: vec![Vec::new(); number],
        maybe_stranded: Vec::new(),
    };
    for own in 0..number as u32 {
        search.push_nearest(own);
    }
    while let Some(candidate) = search.heap.pop() {
        let (kept, gone) = candidate.places.0;
        if !search.is_current(kept, candidate.versions.0)
            || !search.is_current(gone, candidate.versions.1)
        {
            continue;
        }
        let Some(gain) = merge_counts(search.counts, kept, gone) else { continue };
        merges.push(Merge { kept, gone, gain });
        search.merged(kept, gone);
        search.push_nearest(kept);
        if repair {
            search.repair();
        }
    }
}

impl<N: Neighbours> Search<'_, N> {
    fn is_current(&self, at: u32, version: u32) -> bool {
        self.counts[at as usize].is_some() && self.versions[at as usize] == version
    }

    fn push_nearest(&mut self, own: u32) {
        let Some(one) = &self.counts[own as usize] else { return };
        let nearest = self.neighbours.nearest(own, self.counts);
        let mut gains = Vec::with_capacity(nearest.len());
        let others = nearest.iter().filter_map(|&at| self.counts[at as usize].as_ref());
        self.scratch.gains(one, others, |gain| gains.push(gain));
        for (at, gain) in nearest.into_iter().zip(gains) {
            let (first, second) = (own.min(at), own.max(at));
            let versions = (self.versions[first as usize], self.versions[second as usize]);
            self.paired[own as usize].push((at, self.versions[at as usize]));
            self.paired[at as usize].push((own, self.versions[own as usize]));
            if gain > 0 {
                self.heap.push(Candidate {
                    gain,
                    places: std::cmp::Reverse((first, second)),
                    versions,
                });
            }
        }
    }

    fn merged(&mut self, kept: u32, gone: u32) {
        self.neighbours.merged(kept, gone, self.counts);
        self.versions[kept as usize] += 1;
        for at in [kept, gone] {
            let partners = std::mem::take(&mut self.paired[at as usize]);
            self.maybe_stranded.extend(partners.into_iter().map(|(partner, _)| partner));
        }
    }

    /// Finds new candidates for clusters that have lost all of theirs.
    fn repair(&mut self) {
        let mut maybe_stranded = std::mem::take(&mut self.maybe_stranded);
        maybe_stranded.sort_unstable();
        maybe_stranded.dedup();
        for at in maybe_stranded {
            if self.counts[at as usize].is_none() {
                continue;
            }
            let mut paired = std::mem::take(&mut self.paired[at as usize]);
            paired.retain(|&(partner, version)| self.is_current(partner, version));
            let stranded = paired.is_empty();
            self.paired[at as usize] = paired;
            if stranded {
                self.push_nearest(at);
            }
        }
    }
}

/// An index of full positions.
pub(super) struct FullPositions {
    similarity: Similarity,
    signatures: Vec<Option<Signature>>,
    /// Total number of paths over the pages of each cluster, with repetitions.
    totals: Vec<u64>,
    /// For each cluster, its full keys, sorted.
    keys: Vec<Vec<u32>>,
    /// For each key, the clusters that have it.
    postings: Vec<Vec<u32>>,
    seen: Vec<u32>,
}

impl FullPositions {
    pub(super) fn new(
        similarity: Similarity,
        signatures: Vec<Option<Signature>>,
        counts: &[Option<Counts>],
    ) -> FullPositions {
        let mut numbers: KeyedMap<(u32, u64), u32> = KeyedMap::default();
        let mut postings: Vec<Vec<u32>> = Vec::new();
        let mut keys = vec![Vec::new(); signatures.len()];
        for (at, (signature, counts)) in signatures.iter().zip(counts).enumerate() {
            let (Some(signature), Some(counts)) = (signature, counts) else { continue };
            for position in signature.full(counts.pages) {
                let key = (position as u32, signature.ranks[position]);
                let number = *numbers.entry(key).or_insert_with(|| {
                    postings.push(Vec::new());
                    postings.len() as u32 - 1
                });
                postings[number as usize].push(at as u32);
                keys[at].push(number);
            }
            keys[at].sort_unstable();
        }
        let total = |counts: &Option<Counts>| {
            counts.as_ref().map_or(0, |c| c.paths.iter().map(|&(_, count)| u64::from(count)).sum())
        };
        let totals = counts.iter().map(total).collect();
        FullPositions {
            similarity,
            seen: vec![0; signatures.len()],
            signatures,
            totals,
            keys,
            postings,
        }
    }

    /// Clusters that share full positions with `own`, each with the number of shared positions.
    fn shared(&mut self, own: u32) -> Vec<(u32, u32)> {
        let mut touched = Vec::new();
        for &key in &self.keys[own as usize] {
            for &other in &self.postings[key as usize] {
                let seen = &mut self.seen[other as usize];
                if *seen == 0 {
                    touched.push(other);
                }
                *seen += 1;
            }
        }
        let mut shared: Vec<(u32, u32)> =
            touched.iter().map(|&at| (at, std::mem::take(&mut self.seen[at as usize]))).collect();
        shared.retain(|&(at, _)| at != own);
        shared
    }

    /// Estimated number of distinct paths of a cluster, or of the union of two.
    fn union_size(&self, at: u32, other: Option<u32>) -> f64 {
        let parts =
            |at: u32| self.signatures[at as usize].as_ref().map(|s| (s, self.totals[at as usize]));
        let Some((signature, total)) = parts(at) else { return 0.0 };
        let (total, pages) = match other.and_then(parts) {
            Some((other, more)) => (total + more, signature.merged_total_pages(other)),
            None => (total, signature.total_pages()),
        };
        total as f64 * signature.ranks.len() as f64 / pages as f64
    }

    /// Dice coefficient of two clusters with `shared` common full positions, without the constant
    /// factor 2 / length.
    fn dice(&self, own: u32, other: u32, shared: u32) -> f64 {
        let common = f64::from(shared) * self.union_size(own, Some(other));
        let denominator = |at: u32| {
            let union = self.union_size(at, None);
            match (self.similarity, &self.signatures[at as usize]) {
                (Similarity::DiceOfCommon, Some(signature)) => {
                    union * self.keys[at as usize].len() as f64 / signature.ranks.len() as f64
                }
                _ => union,
            }
        };
        common / (denominator(own) + denominator(other)).max(f64::MIN_POSITIVE)
    }
}

impl Neighbours for FullPositions {
    fn nearest(&mut self, own: u32, _: &[Option<Counts>]) -> Vec<u32> {
        let mut shared = self.shared(own);
        if self.similarity != Similarity::Jaccard {
            return self.nearest_by_dice(own, shared);
        }
        let max = shared.iter().map(|&(_, number)| number).max().unwrap_or(0);
        shared.retain(|&(_, number)| number == max);
        shared.sort_unstable();
        shared.into_iter().map(|(at, _)| at).collect()
    }

    fn merged(&mut self, kept: u32, gone: u32, _: &[Option<Counts>]) {
        let (a, b) = (kept as usize, gone as usize);
        let gone_keys = std::mem::take(&mut self.keys[b]);
        let kept_keys = std::mem::take(&mut self.keys[a]);
        let (mut common, mut lost) = (Vec::new(), Vec::new());
        for key in kept_keys {
            let list = if gone_keys.binary_search(&key).is_ok() { &mut common } else { &mut lost };
            list.push(key);
        }
        for key in lost {
            remove(&mut self.postings[key as usize], kept);
        }
        for key in gone_keys {
            remove(&mut self.postings[key as usize], gone);
        }
        self.keys[a] = common;
        if let (Some(one), Some(other)) = (&self.signatures[a], &self.signatures[b]) {
            self.signatures[a] = Some(one.merged(other));
        }
        self.signatures[b] = None;
        self.totals[a] += self.totals[b];
    }
}

impl FullPositions {
    /// Tries candidates with many common positions first: the Dice coefficient is bounded by their
    /// share, so the search can stop early.
    fn nearest_by_dice(&self, own: u32, mut shared: Vec<(u32, u32)>) -> Vec<u32> {
        shared.sort_unstable_by_key(|&(at, number)| (std::cmp::Reverse(number), at));
        let mut best = (0.0, Vec::new());
        for (at, number) in shared {
            if self.similarity == Similarity::DiceOfUnions && f64::from(number) < best.0 {
                break;
            }
            let dice = self.dice(own, at, number);
            if dice > best.0 {
                best = (dice, vec![at]);
            } else if dice == best.0 {
                best.1.push(at);
            }
        }
        best.1.sort_unstable();
        best.1
    }
}

fn remove(posting: &mut Vec<u32>, at: u32) {
    if let Some(place) = posting.iter().position(|&known| known == at) {
        posting.swap_remove(place);
    }
}
