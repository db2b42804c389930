//! Groups pages that share a template: pages are sets of paths, clustered so that their description
//! becomes short.
//!
//! Paper: S. Babu, "Enhancing Template Extraction accuracy of Heterogenous Web Documents", 2012,
//! after C. Kim and K. Shim, "Automatic Template Extraction from Heterogeneous Web Pages", 2011
//! (`docs/methods/clusters.md`). Two clusters are merged if their pages take fewer paths to
//! describe together than apart. The number of clusters is a result, not a parameter.
//!
//! | algorithm | looks for a partner among | by | time for n distinct pages of e paths |
//! |---|---|---|---|
//! | [`Algorithm::Mdl`] | all clusters | exact cost | n² e |
//! | [`Algorithm::Hash`] | all clusters | cost estimated from signatures of L ranks | n² L |
//! | [`Algorithm::Max`] | the most similar (Jaccard) | exact cost | n L × similar clusters |
//! | [`Algorithm::DiceMax`] | the most similar (Dice) | exact cost | n L × similar clusters |
//!
//! time: linear in the pages for collections with more than [`Clustering::max_distinct`] distinct
//! pages, because the others are only assigned. space: the paths of all pages, and L ranks for each
//! distinct page that is clustered.
//!
//! Departures: pages with the same essential paths are merged up front. TEXT-MAX finds new
//! candidates for clusters that have lost theirs (repair) and ends with TEXT-MDL on what is left
//! (polish); like TEXT-HASH, it merges only if the exact cost goes down. Paths on every page carry
//! no information, so signatures leave them out. The order of the pages does not matter: ties are
//! broken by the contents of the pages.

mod assign;
mod cost;
mod greedy;
mod lsh;
mod nearest;
mod paths;
mod signature;
mod stream;
mod template;
#[cfg(test)]
mod tests;

pub use assign::Assigner;
pub use cost::{Described, ExactCost, exact_cost};
pub use lsh::Bands;
pub use paths::{Essential, PathMode, PathSet};
pub use stream::Stream;
pub use template::{PathTemplate, PathTemplates, TemplatePath};

use unmold_html::hash::KeyedMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use cost::{Counts, OneAgainstMany};
use greedy::{Contained, Counted, Hashed, Merge, jaccard, merge_greedily};
use nearest::{FullPositions, Similarity, merge_nearest};
use paths::Universe;
use signature::{Ranking, Signature};

/// How clusters find the partner to merge with.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Algorithm {
    /// TEXT-MDL.
    Mdl,
    /// TEXT-HASH.
    Hash,
    /// TEXT-MAX.
    #[default]
    Max,
    /// TEXT-DICEMAX.
    DiceMax,
}

/// Settings of the clustering.
#[derive(Clone, PartialEq, Debug)]
pub struct Clustering {
    /// How clusters find the partner to merge with.
    pub algorithm: Algorithm,
    /// What the paths of a page consist of.
    pub paths: PathMode,
    /// Which paths of a page are essential.
    pub essential: Essential,
    /// Number of ranks in a signature.
    pub signature: usize,
    /// Seed of the hash functions.
    pub seed: u64,
    /// Find new candidates for clusters that have lost theirs.
    pub repair: bool,
    /// End with TEXT-MDL on the clusters that are left.
    pub polish: bool,
    /// Divide the Dice coefficient by the paths that all pages of a cluster have, instead of those
    /// that any page has.
    pub dice_of_common: bool,
    /// Find candidates by locality-sensitive hashing first, and cluster each group of candidates
    /// separately.
    pub bands: Option<Bands>,
    /// Cluster at most this many distinct pages and assign the others.
    pub max_distinct: usize,
    /// Join two clusters if one template contains at least this share of the other's paths and is
    /// at most twice as large. Pages with and without an optional block are cheaper to describe
    /// apart, but a person sees one template. If each cluster has something that the other lacks,
    /// there are two templates.
    pub join: Option<f64>,
    /// A cluster with fewer pages has no template to learn.
    pub min_pages: usize,
    /// A cluster that is too small joins the one with the most similar template, if their Jaccard
    /// coefficient is at least this.
    pub attach: f64,
}

impl Default for Clustering {
    fn default() -> Clustering {
        Clustering {
            algorithm: Algorithm::Max,
            paths: PathMode::TagsWords,
            essential: Essential::Support { pages: 3 },
            signature: 128,
            seed: 0,
            repair: true,
            polish: true,
            dice_of_common: false,
            bands: None,
            max_distinct: 5000,
            join: Some(0.99),
            min_pages: 3,
            attach: 0.5,
        }
    }
}

/// Pages that share a template.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Cluster {
    /// Indices of its pages.
    pub pages: Vec<u32>,
    /// Stable hashes of the paths in its template.
    pub template: Vec<u64>,
}

/// The result of a clustering.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clusters {
    clusters: Vec<Cluster>,
    of_page: Vec<Option<u32>>,
    costs: Vec<u64>,
    distinct: usize,
    assigner: Assigner,
}

impl Clusters {
    /// The clusters, largest first.
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// The cluster of each page; `None` for a page that shares no template with enough others.
    pub fn of_page(&self) -> &[Option<u32>] {
        &self.of_page
    }

    /// The cost before the first merge and after each one. Equal pages are merged first, then
    /// clusters.
    pub fn costs(&self) -> &[u64] {
        &self.costs
    }

    /// Number of pages with distinct sets of essential paths.
    pub fn distinct(&self) -> usize {
        self.distinct
    }

    /// The exact cost L(C) of these clusters, given the pages they were found in. A page without a
    /// cluster is described by itself.
    #[must_use]
    pub fn exact_cost(&self, pages: &[PathSet]) -> ExactCost {
        let Assigner { universe, essential: rule, templates, .. } = &self.assigner;
        let essential: Vec<Vec<u32>> =
            pages.iter().map(|page| universe.essential(page, *rule)).collect();
        let found = self.clusters.iter().map(|cluster| cluster.pages.clone());
        let mut described: Vec<Described> = templates.iter().cloned().zip(found).collect();
        for (page, cluster) in (0..).zip(&self.of_page) {
            if cluster.is_none() {
                described.push((essential[page as usize].clone(), vec![page]));
            }
        }
        exact_cost(&essential, universe.len(), &described, true)
    }

    /// Assigns further pages to these clusters.
    pub fn assigner(&self) -> &Assigner {
        &self.assigner
    }
}

/// Pages with the same essential paths.
#[derive(Clone, Debug)]
struct Group {
    essential: Vec<u32>,
    pages: Vec<u32>,
}

/// A cluster of groups, with the counts of their paths.
#[derive(Clone, Debug)]
struct GroupCluster {
    groups: Vec<u32>,
    counts: Counts,
}

impl Clustering {
    /// The paper's settings, where it gives them.
    pub fn paper() -> Clustering {
        Clustering {
            paths: PathMode::TagsText,
            essential: Essential::Mode { min_support: 1 },
            repair: false,
            polish: false,
            max_distinct: usize::MAX,
            join: None,
            min_pages: 1,
            ..Clustering::default()
        }
    }

    /// Clusters pages, each given as its set of paths. The result does not depend on their order.
    #[must_use]
    pub fn cluster(&self, pages: &[PathSet]) -> Clusters {
        let universe = Universe::of(pages);
        let groups = self.collapse(pages, &universe);
        let before: u64 =
            groups.iter().map(|group| (group.essential.len() * group.pages.len()) as u64).sum();
        let mut costs = vec![before];
        for group in &groups {
            for _ in 1..group.pages.len() {
                costs.push(costs[costs.len() - 1] - group.essential.len() as u64);
            }
        }
        let found = self.cluster_groups(&groups, &universe, pages.len(), &mut costs);
        let found = match self.join {
            Some(min_share) => join_contained(found, min_share),
            None => found,
        };
        self.finish(pages.len(), found, &groups, universe, costs)
    }

    /// Groups pages with the same essential paths, sorted by these paths. Skips pages without
    /// essential paths.
    fn collapse(&self, pages: &[PathSet], universe: &Universe) -> Vec<Group> {
        let mut places: KeyedMap<Vec<u32>, usize> = KeyedMap::default();
        let mut groups: Vec<Group> = Vec::new();
        for (page, paths) in pages.iter().enumerate() {
            let essential = universe.essential(paths, self.essential);
            if essential.is_empty() {
                continue;
            }
            let place = *places.entry(essential).or_insert_with_key(|essential| {
                groups.push(Group { essential: essential.clone(), pages: Vec::new() });
                groups.len() - 1
            });
            groups[place].pages.push(page as u32);
        }
        groups.sort_by(|a, b| a.essential.cmp(&b.essential));
        groups
    }

    /// Clusters a sample of the groups, assigns the others, and repeats with those that fit
    /// nowhere.
    fn cluster_groups(
        &self,
        groups: &[Group],
        universe: &Universe,
        pages: usize,
        costs: &mut Vec<u64>,
    ) -> Vec<GroupCluster> {
        let mut found: Vec<GroupCluster> = Vec::new();
        let mut left: Vec<u32> = (0..groups.len() as u32).collect();
        left.sort_by_cached_key(|&group| group_rank(&groups[group as usize], universe, self.seed));
        loop {
            let rest = left.split_off(left.len().min(self.max_distinct.max(1)));
            let mut sample = left;
            sample.sort_unstable();
            found.extend(self.cluster_sample(&sample, groups, universe, pages, costs));
            left = self.assign_groups(&rest, groups, universe, &mut found, costs);
            if left.is_empty() {
                return found;
            }
        }
    }

    /// Merges the groups of the sample.
    fn cluster_sample(
        &self,
        sample: &[u32],
        groups: &[Group],
        universe: &Universe,
        pages: usize,
        costs: &mut Vec<u64>,
    ) -> Vec<GroupCluster> {
        let counts = sample.iter().map(|&group| {
            let group = &groups[group as usize];
            Some(Counts::of_equal(&group.essential, group.pages.len() as u32))
        });
        let mut counts: Vec<Option<Counts>> = counts.collect();
        let mut members: Vec<Vec<u32>> = sample.iter().map(|&group| vec![group]).collect();
        for merge in self.merge(&mut counts, universe, pages) {
            let gone = std::mem::take(&mut members[merge.gone as usize]);
            members[merge.kept as usize].extend(gone);
            costs.push((costs[costs.len() - 1] as i64 - merge.gain) as u64);
        }
        let found = counts.into_iter().zip(members);
        found
            .filter_map(|(counts, groups)| Some(GroupCluster { groups, counts: counts? }))
            .collect()
    }

    /// Merges clusters with the chosen algorithm; `pages` is the total number of pages.
    fn merge(
        &self,
        counts: &mut [Option<Counts>],
        universe: &Universe,
        pages: usize,
    ) -> Vec<Merge> {
        let mut merges = Vec::new();
        match &self.bands {
            None => self.merge_all(counts, universe, pages, &mut merges),
            Some(bands) => {
                let signatures = self.signatures(counts, universe, pages as u32);
                for places in bands.components(&signatures) {
                    let mut part: Vec<Option<Counts>> =
                        places.iter().map(|&at| counts[at as usize].take()).collect();
                    let mut merges_of_part = Vec::new();
                    self.merge_all(&mut part, universe, pages, &mut merges_of_part);
                    for (&at, counts_of_part) in places.iter().zip(part) {
                        counts[at as usize] = counts_of_part;
                    }
                    merges.extend(merges_of_part.iter().map(|merge| Merge {
                        kept: places[merge.kept as usize],
                        gone: places[merge.gone as usize],
                        gain: merge.gain,
                    }));
                }
            }
        }
        if self.polish && (self.algorithm != Algorithm::Mdl || self.bands.is_some()) {
            let scratch = OneAgainstMany::new(universe.len());
            merge_greedily(&mut Counted { counts, scratch }, &mut merges);
        }
        merges
    }

    fn merge_all(
        &self,
        counts: &mut [Option<Counts>],
        universe: &Universe,
        pages: usize,
        merges: &mut Vec<Merge>,
    ) {
        let similarity = match self.algorithm {
            Algorithm::Mdl => {
                let scratch = OneAgainstMany::new(universe.len());
                return merge_greedily(&mut Counted { counts, scratch }, merges);
            }
            Algorithm::Hash => {
                // Estimating the cost takes all paths.
                let signatures = self.signatures(counts, universe, u32::MAX);
                return merge_greedily(&mut Hashed::new(counts, signatures), merges);
            }
            Algorithm::Max => Similarity::Jaccard,
            Algorithm::DiceMax if self.dice_of_common => Similarity::DiceOfCommon,
            Algorithm::DiceMax => Similarity::DiceOfUnions,
        };
        let signatures = self.signatures(counts, universe, pages as u32);
        let mut index = FullPositions::new(similarity, signatures, counts);
        merge_nearest(counts, &mut index, universe.len(), self.repair, merges);
    }

    /// Signatures of groups of equal pages, built from the paths on fewer than `page_limit` pages.
    fn signatures(
        &self,
        counts: &[Option<Counts>],
        universe: &Universe,
        page_limit: u32,
    ) -> Vec<Option<Signature>> {
        let ranking = Ranking::new(self.signature, self.seed);
        let signature = |counts: &Option<Counts>| {
            let counts = counts.as_ref()?;
            let rare =
                counts.paths.iter().filter(|&&(path, _)| universe.support(path) < page_limit);
            let hashes: Vec<u64> = rare.map(|&(path, _)| universe.hash(path)).collect();
            ranking.signature(&hashes, counts.pages)
        };
        counts.iter().map(signature).collect()
    }

    /// Adds each group to the cluster it fits and returns the groups that fit nowhere.
    fn assign_groups(
        &self,
        rest: &[u32],
        groups: &[Group],
        universe: &Universe,
        found: &mut [GroupCluster],
        costs: &mut Vec<u64>,
    ) -> Vec<u32> {
        if rest.is_empty() {
            return Vec::new();
        }
        let templates = found.iter().map(|cluster| cluster.counts.template()).collect();
        let assigner = Assigner::new(self.paths, self.essential, universe.clone(), templates);
        let (mut left, mut apart) = (Vec::new(), 0);
        let mut joined = vec![false; found.len()];
        for &group in rest {
            match assigner.best_for(&groups[group as usize].essential) {
                Some((cluster, _)) => {
                    found[cluster as usize].groups.push(group);
                    joined[cluster as usize] = true;
                    apart += groups[group as usize].essential.len() as i64;
                }
                None => left.push(group),
            }
        }
        let mut counter = Counter::new(universe.len());
        let mut cost = costs[costs.len() - 1] as i64 - apart;
        for (cluster, _) in found.iter_mut().zip(joined).filter(|(_, joined)| *joined) {
            let before = cluster.counts.cost as i64;
            cluster.counts =
                counter.count(cluster.groups.iter().map(|&group| &groups[group as usize]));
            cost += cluster.counts.cost as i64 - before;
        }
        costs.push(cost as u64);
        left
    }

    /// Orders the clusters by size, attaches the small ones, and records the cluster of each page.
    fn finish(
        &self,
        pages: usize,
        mut found: Vec<GroupCluster>,
        groups: &[Group],
        universe: Universe,
        costs: Vec<u64>,
    ) -> Clusters {
        for cluster in &mut found {
            cluster.groups.sort_unstable();
        }
        found.sort_by_key(|cluster| (std::cmp::Reverse(cluster.counts.pages), cluster.groups[0]));
        let large =
            found.partition_point(|cluster| cluster.counts.pages as usize >= self.min_pages);
        let templates: Vec<Vec<u32>> =
            found.iter().map(|cluster| cluster.counts.template()).collect();
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); large];
        for (at, cluster) in found.iter().enumerate() {
            let home = if at < large {
                Some(at)
            } else {
                self.most_similar(&templates[at], &templates[..large])
            };
            if let Some(home) = home {
                members[home].extend(&cluster.groups);
            }
        }
        // Attached pages may have changed which cluster is the largest.
        let pages_of = |groups_of: &Vec<u32>| -> Vec<u32> {
            let mut numbers: Vec<u32> = groups_of
                .iter()
                .flat_map(|&group| groups[group as usize].pages.iter().copied())
                .collect();
            numbers.sort_unstable();
            numbers
        };
        let mut ordered: Vec<(Vec<u32>, Vec<u32>)> =
            members.iter().map(pages_of).zip(templates).collect();
        ordered.sort_by_key(|(pages, _)| std::cmp::Reverse(pages.len()));
        let mut of_page = vec![None; pages];
        for (cluster, (numbers, _)) in ordered.iter().enumerate() {
            for &page in numbers {
                of_page[page as usize] = Some(cluster as u32);
            }
        }
        let (numbers, templates): (Vec<Vec<u32>>, Vec<Vec<u32>>) = ordered.into_iter().unzip();
        let hashes = |paths: &Vec<u32>| paths.iter().map(|&path| universe.hash(path)).collect();
        let clusters = numbers
            .into_iter()
            .zip(&templates)
            .map(|(pages, template)| Cluster { pages, template: hashes(template) })
            .collect();
        let assigner = Assigner::new(self.paths, self.essential, universe, templates);
        Clusters { clusters, of_page, costs, distinct: groups.len(), assigner }
    }

    /// Index of the template most similar to `template`, if one is similar enough.
    fn most_similar(&self, template: &[u32], templates: &[Vec<u32>]) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for (at, other) in templates.iter().enumerate() {
            let similarity = jaccard(template, other);
            if similarity >= self.attach && best.is_none_or(|(known, _)| similarity > known) {
                best = Some((similarity, at));
            }
        }
        best.map(|(_, at)| at)
    }
}

/// Joins clusters if one template (nearly) contains the other, best match first.
fn join_contained(found: Vec<GroupCluster>, min_share: f64) -> Vec<GroupCluster> {
    let (mut members, counts): (Vec<Vec<u32>>, Vec<Counts>) =
        found.into_iter().map(|cluster| (cluster.groups, cluster.counts)).unzip();
    let templates = counts.iter().map(Counts::template).collect();
    let mut counts: Vec<Option<Counts>> = counts.into_iter().map(Some).collect();
    let mut merges = Vec::new();
    merge_greedily(&mut Contained { counts: &mut counts, templates, min_share }, &mut merges);
    for merge in merges {
        let gone = std::mem::take(&mut members[merge.gone as usize]);
        members[merge.kept as usize].extend(gone);
    }
    let joined = members.into_iter().zip(counts);
    joined.filter_map(|(groups, counts)| Some(GroupCluster { groups, counts: counts? })).collect()
}

/// Counts the paths of many groups.
struct Counter {
    counts: Vec<u32>,
}

impl Counter {
    fn new(paths: usize) -> Counter {
        Counter { counts: vec![0; paths] }
    }

    fn count<'a>(&mut self, groups: impl Iterator<Item = &'a Group>) -> Counts {
        let mut touched = Vec::new();
        let mut pages = 0;
        for group in groups {
            pages += group.pages.len() as u32;
            for &path in &group.essential {
                if self.counts[path as usize] == 0 {
                    touched.push(path);
                }
                self.counts[path as usize] += group.pages.len() as u32;
            }
        }
        touched.sort_unstable();
        let paths = touched
            .into_iter()
            .map(|path| (path, std::mem::take(&mut self.counts[path as usize])))
            .collect();
        Counts::new(pages, paths)
    }
}

/// A pseudo-random but reproducible rank.
fn group_rank(group: &Group, universe: &Universe, seed: u64) -> u64 {
    let bytes: Vec<u8> =
        group.essential.iter().flat_map(|&path| universe.hash(path).to_le_bytes()).collect();
    xxh3_64_with_seed(&bytes, seed)
}
