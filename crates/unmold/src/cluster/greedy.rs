//! TEXT-MDL and TEXT-HASH: repeatedly merge the two clusters with the largest gain, until no merge
//! has one.
//!
//! The gain of a merge depends on the two clusters alone. So each cluster keeps a short list of its
//! best partners and rescans all others only when the list has run empty. Memory is linear in the
//! number of clusters; a heap of all pairs would be quadratic.

use unmold_html::hash::KeyedSet;

use super::cost::{Counts, OneAgainstMany, common};
use super::signature::Signature;

/// Number of partners that a cluster keeps.
const PARTNERS_KEPT: usize = 24;

/// A merge of two clusters. A cluster is identified by the index of its first group of equal pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Merge {
    pub(super) kept: u32,
    pub(super) gone: u32,
    pub(super) gain: i64,
}

/// What the greedy search needs to know about clusters, which it identifies by their indices
/// `0..len`.
pub(super) trait Clusters {
    fn len(&self) -> usize;
    /// Whether there is still a cluster at this index.
    fn is_live(&self, at: u32) -> bool;
    /// Appends the gain of merging `one` with each of `others`.
    fn gains(&mut self, one: u32, others: &[u32], take: &mut Vec<f64>);
    /// Merges `gone` into `kept` and returns the actual gain. Returns `None` and merges nothing if
    /// there is none.
    fn merge(&mut self, kept: u32, gone: u32) -> Option<i64>;
}

/// A partner with its (possibly estimated) gain.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Partner {
    gain: f64,
    at: u32,
}

/// The best partners of a cluster, best first.
#[derive(Clone, Default, Debug)]
struct Partners {
    best: Vec<Partner>,
    /// Whether the list holds every partner with a positive gain.
    complete: bool,
}

/// Orders by larger gain, then by the smaller index of the pair, then by the larger one.
fn comes_before(a: (Partner, u32), b: (Partner, u32)) -> bool {
    let key = |(partner, own): (Partner, u32)| (partner.at.min(own), partner.at.max(own));
    a.0.gain > b.0.gain || a.0.gain == b.0.gain && key(a) < key(b)
}

impl Partners {
    fn of(own: u32, partners: Vec<Partner>) -> Partners {
        let mut best: Vec<Partner> =
            partners.into_iter().filter(|partner| partner.gain > 0.0).collect();
        let complete = best.len() <= PARTNERS_KEPT;
        let order = |a: &Partner, b: &Partner| {
            if comes_before((*a, own), (*b, own)) {
                std::cmp::Ordering::Less
            } else {
                std::cmp::Ordering::Greater
            }
        };
        if !complete {
            best.select_nth_unstable_by(PARTNERS_KEPT, order);
            best.truncate(PARTNERS_KEPT);
        }
        best.sort_by(order);
        Partners { best, complete }
    }

    /// Adds a new cluster, unless one that is not listed may be better.
    fn add(&mut self, own: u32, new: Partner) {
        let place = self.best.partition_point(|&known| comes_before((known, own), (new, own)));
        if new.gain > 0.0 && (place < self.best.len() || self.complete) {
            self.best.insert(place, new);
        }
        if self.best.len() > 2 * PARTNERS_KEPT {
            self.best.truncate(PARTNERS_KEPT);
            self.complete = false;
        }
    }
}

/// State of the greedy search.
struct Greedy<'a, C> {
    clusters: &'a mut C,
    live: Vec<u32>,
    partners: Vec<Partners>,
    /// Pairs whose estimated gain turned out not to exist.
    refused: KeyedSet<(u32, u32)>,
    gains: Vec<f64>,
}

/// Merges until no pair has a gain; appends each step to `merges`.
pub(super) fn merge_greedily<C: Clusters>(clusters: &mut C, merges: &mut Vec<Merge>) {
    let live: Vec<u32> = (0..clusters.len() as u32).filter(|&at| clusters.is_live(at)).collect();
    let partners = vec![Partners::default(); clusters.len()];
    let mut greedy =
        Greedy { clusters, live, partners, refused: KeyedSet::default(), gains: Vec::new() };
    for place in 0..greedy.live.len() {
        greedy.rescan(greedy.live[place]);
    }
    while let Some((kept, gone)) = greedy.best_pair() {
        match greedy.clusters.merge(kept, gone) {
            Some(gain) => {
                merges.push(Merge { kept, gone, gain });
                greedy.merged(kept, gone);
            }
            None => greedy.refuse(kept, gone),
        }
    }
}

impl<C: Clusters> Greedy<'_, C> {
    /// Recomputes the best partners of a cluster.
    fn rescan(&mut self, own: u32) {
        let found = self.gains_with_all(own);
        self.partners[own as usize] = Partners::of(own, found);
    }

    fn gains_with_all(&mut self, own: u32) -> Vec<Partner> {
        let others: Vec<u32> = self
            .live
            .iter()
            .copied()
            .filter(|&at| {
                let pair = (own.min(at), own.max(at));
                at != own && (self.refused.is_empty() || !self.refused.contains(&pair))
            })
            .collect();
        self.gains.clear();
        self.clusters.gains(own, &others, &mut self.gains);
        others.into_iter().zip(&self.gains).map(|(at, &gain)| Partner { gain, at }).collect()
    }

    /// The pair with the largest gain, the smaller index first.
    fn best_pair(&mut self) -> Option<(u32, u32)> {
        let mut best: Option<(Partner, u32)> = None;
        for place in 0..self.live.len() {
            let own = self.live[place];
            if self.partners[own as usize].best.is_empty() && !self.partners[own as usize].complete
            {
                self.rescan(own);
            }
            let Some(&partner) = self.partners[own as usize].best.first() else { continue };
            if best.is_none_or(|known| comes_before((partner, own), known)) {
                best = Some((partner, own));
            }
        }
        best.map(|(partner, own)| (own.min(partner.at), own.max(partner.at)))
    }

    fn merged(&mut self, kept: u32, gone: u32) {
        self.live.retain(|&at| at != gone);
        // The merged cluster is a new one, so earlier refusals no longer apply.
        self.refused.retain(|&(a, b)| ![a, b].iter().any(|at| [kept, gone].contains(at)));
        let found = self.gains_with_all(kept);
        for &Partner { gain, at } in &found {
            let partners = &mut self.partners[at as usize];
            partners.best.retain(|partner| partner.at != kept && partner.at != gone);
            partners.add(at, Partner { gain, at: kept });
        }
        self.partners[kept as usize] = Partners::of(kept, found);
        self.partners[gone as usize] = Partners { best: Vec::new(), complete: true };
    }

    fn refuse(&mut self, a: u32, b: u32) {
        self.refused.insert((a, b));
        self.partners[a as usize].best.retain(|partner| partner.at != b);
        self.partners[b as usize].best.retain(|partner| partner.at != a);
    }
}

/// Clusters with exact counts: TEXT-MDL.
pub(super) struct Counted<'a> {
    pub(super) counts: &'a mut [Option<Counts>],
    pub(super) scratch: OneAgainstMany,
}

/// Merges `gone` into `kept` if that has a gain.
pub(super) fn merge_counts(counts: &mut [Option<Counts>], kept: u32, gone: u32) -> Option<i64> {
    let (a, b) = (counts[kept as usize].as_ref()?, counts[gone as usize].as_ref()?);
    let merged = a.merged(b);
    let gain = (a.cost + b.cost) as i64 - merged.cost as i64;
    if gain <= 0 {
        return None;
    }
    counts[kept as usize] = Some(merged);
    counts[gone as usize] = None;
    Some(gain)
}

impl Clusters for Counted<'_> {
    fn len(&self) -> usize {
        self.counts.len()
    }

    fn is_live(&self, at: u32) -> bool {
        self.counts[at as usize].is_some()
    }

    fn gains(&mut self, one: u32, others: &[u32], take: &mut Vec<f64>) {
        let Some(one) = &self.counts[one as usize] else { return };
        let others = others.iter().filter_map(|&at| self.counts[at as usize].as_ref());
        self.scratch.gains(one, others, |gain| take.push(gain as f64));
    }

    fn merge(&mut self, kept: u32, gone: u32) -> Option<i64> {
        merge_counts(self.counts, kept, gone)
    }
}

/// Clusters with signatures: TEXT-HASH. Merges are proposed by estimated gain and carried out only
/// if the exact gain is positive.
pub(super) struct Hashed<'a> {
    pub(super) counts: &'a mut [Option<Counts>],
    pub(super) signatures: Vec<Option<Signature>>,
    /// Total number of paths over the pages of each cluster, with repetitions.
    pub(super) totals: Vec<u64>,
    /// Estimated costs.
    pub(super) costs: Vec<f64>,
}

impl<'a> Hashed<'a> {
    pub(super) fn new(
        counts: &'a mut [Option<Counts>],
        signatures: Vec<Option<Signature>>,
    ) -> Hashed<'a> {
        let total = |counts: &Option<Counts>| {
            counts.as_ref().map_or(0, |c| c.paths.iter().map(|&(_, count)| u64::from(count)).sum())
        };
        let totals: Vec<u64> = counts.iter().map(total).collect();
        let mut hashed = Hashed { costs: vec![0.0; counts.len()], counts, signatures, totals };
        for at in 0..hashed.costs.len() {
            hashed.costs[at] = hashed.cost(at).unwrap_or(0.0);
        }
        hashed
    }

    fn cost(&self, at: usize) -> Option<f64> {
        Some(self.signatures[at].as_ref()?.cost(self.counts[at].as_ref()?.pages, self.totals[at]))
    }

    fn gain(&self, a: usize, b: usize) -> Option<f64> {
        let (one, other) = (self.signatures[a].as_ref()?, self.signatures[b].as_ref()?);
        let pages = self.counts[a].as_ref()?.pages + self.counts[b].as_ref()?.pages;
        let together = one.merged_cost(other, pages, self.totals[a] + self.totals[b]);
        Some(self.costs[a] + self.costs[b] - together)
    }
}

impl Clusters for Hashed<'_> {
    fn len(&self) -> usize {
        self.counts.len()
    }

    fn is_live(&self, at: u32) -> bool {
        self.counts[at as usize].is_some()
    }

    fn gains(&mut self, one: u32, others: &[u32], take: &mut Vec<f64>) {
        take.extend(
            others.iter().map(|&other| self.gain(one as usize, other as usize).unwrap_or(0.0)),
        );
    }

    fn merge(&mut self, kept: u32, gone: u32) -> Option<i64> {
        let gain = merge_counts(self.counts, kept, gone)?;
        let (a, b) = (kept as usize, gone as usize);
        if let (Some(one), Some(other)) = (&self.signatures[a], &self.signatures[b]) {
            self.signatures[a] = Some(one.merged(other));
        }
        self.signatures[b] = None;
        self.totals[a] += self.totals[b];
        self.costs[a] = self.cost(a).unwrap_or(0.0);
        Some(gain)
    }
}

/// Clusters compared by template: clusters are joined if one template contains the other, whatever
/// the cost.
pub(super) struct Contained<'a> {
    pub(super) counts: &'a mut [Option<Counts>],
    pub(super) templates: Vec<Vec<u32>>,
    /// Minimum share of the smaller template that the larger must contain.
    pub(super) min_share: f64,
}

impl Clusters for Contained<'_> {
    fn len(&self) -> usize {
        self.counts.len()
    }

    fn is_live(&self, at: u32) -> bool {
        self.counts[at as usize].is_some()
    }

    fn gains(&mut self, one: u32, others: &[u32], take: &mut Vec<f64>) {
        let one = &self.templates[one as usize];
        take.extend(others.iter().map(|&other| {
            let share = contained(one, &self.templates[other as usize]);
            if share >= self.min_share { share } else { 0.0 }
        }));
    }

    fn merge(&mut self, kept: u32, gone: u32) -> Option<i64> {
        let (a, b) = (self.counts[kept as usize].take()?, self.counts[gone as usize].take()?);
        let merged = a.merged(&b);
        let gain = (a.cost + b.cost) as i64 - merged.cost as i64;
        self.templates[kept as usize] = merged.template();
        self.counts[kept as usize] = Some(merged);
        Some(gain)
    }
}

/// Share of the smaller of two sorted sets that the larger contains; 0 if the larger is more than
/// twice as large, because every page contains what a bare page has.
fn contained(a: &[u32], b: &[u32]) -> f64 {
    let (smaller, larger) = (a.len().min(b.len()), a.len().max(b.len()));
    if 2 * smaller < larger { 0.0 } else { common(a, b) as f64 / smaller.max(1) as f64 }
}

/// Jaccard coefficient of two sorted sets.
pub(super) fn jaccard(a: &[u32], b: &[u32]) -> f64 {
    let both = common(a, b);
    both as f64 / (a.len() + b.len() - both).max(1) as f64
}
