//! Pages that come later: join the cluster whose template fits best, or wait in a pool.
//!
//! Supports and templates are frozen. A page joins the cluster from whose template it differs in
//! the fewest paths, if these are fewer than its own essential paths: what it would cost to open a
//! cluster for it.

use super::cost::common;
use super::paths::{Essential, PathMode, PathSet, Universe};
use super::{Clustering, Clusters};

/// Finds the cluster of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assigner {
    pub(super) mode: PathMode,
    pub(super) essential: Essential,
    pub(super) universe: Universe,
    /// Paths by number, sorted, of each cluster.
    pub(super) templates: Vec<Vec<u32>>,
    /// For each path the clusters whose template has it.
    postings: Vec<Vec<u32>>,
    smallest: usize,
}

impl Assigner {
    pub(super) fn new(
        mode: PathMode,
        essential: Essential,
        universe: Universe,
        templates: Vec<Vec<u32>>,
    ) -> Assigner {
        let mut postings = vec![Vec::new(); universe.len()];
        for (cluster, template) in templates.iter().enumerate() {
            for &path in template {
                postings[path as usize].push(cluster as u32);
            }
        }
        let smallest = templates.iter().map(Vec::len).min().unwrap_or(0);
        Assigner { mode, essential, universe, templates, postings, smallest }
    }

    /// From what was stored: paths with their supports, and the paths of each template. `None` if a
    /// template has a path without support.
    pub fn from_parts(
        mode: PathMode,
        essential: Essential,
        supports: Vec<(u64, u32)>,
        templates: &[Vec<u64>],
    ) -> Option<Assigner> {
        let universe = Universe::from_supports(supports);
        let number = |paths: &Vec<u64>| -> Option<Vec<u32>> {
            let mut numbers: Vec<u32> =
                paths.iter().map(|&path| universe.number(path)).collect::<Option<_>>()?;
            numbers.sort_unstable();
            numbers.dedup();
            Some(numbers)
        };
        let templates = templates.iter().map(number).collect::<Option<Vec<_>>>()?;
        Some(Assigner::new(mode, essential, universe, templates))
    }

    /// With only those clusters that are `kept`, and without the paths that can never be essential.
    pub fn restricted_to(&self, kept: &[bool]) -> Assigner {
        let hashes =
            |paths: &Vec<u32>| paths.iter().map(|&path| self.universe.hash(path)).collect();
        let kept = self.templates.iter().zip(kept).filter(|(_, kept)| **kept);
        let templates: Vec<Vec<u64>> = kept.map(|(paths, _)| hashes(paths)).collect();
        let least = match self.essential {
            Essential::Mode { least_support } => least_support,
            Essential::Support { pages } => pages,
        };
        let supports = self.supports().filter(|&(_, pages)| pages >= least).collect();
        // What a template has is essential for some page.
        Assigner::from_parts(self.mode, self.essential, supports, &templates)
            .unwrap_or_else(|| self.clone())
    }

    /// Which paths of a page are essential.
    pub fn essential(&self) -> Essential {
        self.essential
    }

    /// All paths, each with the number of pages it was on, sorted by path.
    pub fn supports(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        (0..self.universe.len() as u32)
            .map(|path| (self.universe.hash(path), self.universe.support(path)))
    }

    /// The paths of each cluster's template.
    pub fn templates(&self) -> impl Iterator<Item = impl Iterator<Item = u64> + '_> + '_ {
        self.templates.iter().map(|paths| paths.iter().map(|&path| self.universe.hash(path)))
    }

    /// What of a page its paths are.
    pub fn mode(&self) -> PathMode {
        self.mode
    }

    /// The cluster that the page belongs to; `None` if none fits.
    pub fn assign(&self, page: &PathSet) -> Option<u32> {
        self.best_for(&self.universe.essential(page, self.essential)).map(|(cluster, _)| cluster)
    }

    /// The cluster nearest to a page, fitting or not; `None` only if there is no cluster.
    pub fn nearest(&self, page: &PathSet) -> Option<u32> {
        let essential = self.universe.essential(page, self.essential);
        let apart = |cluster: usize| difference(&self.templates[cluster], &essential);
        (0..self.templates.len())
            .min_by_key(|&cluster| apart(cluster))
            .map(|cluster| cluster as u32)
    }

    /// The cluster that a page with these essential paths joins, with the number of paths in which
    /// they differ.
    pub(super) fn best_for(&self, essential: &[u32]) -> Option<(u32, usize)> {
        let candidates = self.candidates(essential);
        let differences = candidates
            .into_iter()
            .map(|cluster| (difference(&self.templates[cluster as usize], essential), cluster));
        differences
            .min()
            .filter(|&(apart, _)| apart < essential.len())
            .map(|(apart, cluster)| (cluster, apart))
    }

    /// Clusters that may fit. Joining costs less than staying apart only where more than half of
    /// the template is on the page. The rarest paths name few clusters, so they are asked first;
    /// once fewer paths are left than half of the smallest template, every cluster that may fit has
    /// been named.
    fn candidates(&self, essential: &[u32]) -> Vec<u32> {
        let mut rarest: Vec<(usize, u32)> =
            essential.iter().map(|&path| (self.postings[path as usize].len(), path)).collect();
        rarest.sort_unstable();
        let mut named: Vec<u32> = Vec::new();
        for (asked, &(_, path)) in rarest.iter().enumerate() {
            let left = rarest.len() - asked;
            if 2 * left <= self.smallest {
                break;
            }
            named.extend(&self.postings[path as usize]);
            // A few paths name the same clusters again and again.
            if named.len() > 4 * self.templates.len() {
                named.sort_unstable();
                named.dedup();
            }
        }
        named.sort_unstable();
        named.dedup();
        named
    }
}

/// Number of paths that only one of the two has.
fn difference(a: &[u32], b: &[u32]) -> usize {
    a.len() + b.len() - 2 * common(a, b)
}

/// Assigns a stream of pages, keeps those that fit nowhere, and clusters them when they have become
/// many.
#[derive(Clone, Debug)]
pub struct Stream {
    assigner: Assigner,
    pool: Vec<PathSet>,
    seen: usize,
}

impl Stream {
    /// The pool is clustered when it has more pages than this.
    const LEAST_POOL: usize = 50;
    /// And when it is more than one in so many of the pages seen.
    const POOL_SHARE: usize = 50;

    /// Starts from clusters found before.
    pub fn new(clusters: &Clusters) -> Stream {
        Stream::of(clusters.assigner().clone())
    }

    /// Starts from clusters that were stored.
    pub fn of(assigner: Assigner) -> Stream {
        Stream { assigner, pool: Vec::new(), seen: 0 }
    }

    /// The clusters as they are now.
    pub fn assigner(&self) -> &Assigner {
        &self.assigner
    }

    /// The cluster of the next page; a page that fits nowhere is put into the pool.
    pub fn assign(&mut self, page: PathSet) -> Option<u32> {
        self.seen += 1;
        let cluster = self.assigner.assign(&page);
        if cluster.is_none() {
            self.pool.push(page);
        }
        cluster
    }

    /// Pages that fit nowhere so far.
    pub fn pool(&self) -> &[PathSet] {
        &self.pool
    }

    /// Whether the pool has become so large that something new is going on.
    pub fn is_due(&self) -> bool {
        self.pool.len() > Self::LEAST_POOL.max(self.seen / Self::POOL_SHARE)
    }

    /// Clusters the pool. Clusters found are added behind the known ones; pages that belong to none
    /// stay in the pool. Returns the number of new clusters.
    pub fn cluster_pool(&mut self, settings: &Clustering) -> usize {
        let found =
            Clustering { paths: self.assigner.mode, ..settings.clone() }.cluster(&self.pool);
        let new = found.assigner();
        let known = &self.assigner;
        let mut supports: Vec<(u64, u32)> = Vec::new();
        supports.extend(known.supports().chain(new.supports()));
        supports.sort_unstable();
        let supports: Vec<(u64, u32)> = supports
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| (same[0].0, same.iter().map(|pair| pair.1).sum()))
            .collect();
        let universe = Universe::from_supports(supports);
        let renumbered = |from: &Assigner| -> Vec<Vec<u32>> {
            let number = |&path: &u32| universe.number(from.universe.hash(path));
            from.templates.iter().map(|paths| paths.iter().filter_map(number).collect()).collect()
        };
        let mut templates = renumbered(known);
        templates.extend(renumbered(new));
        let mut place = 0;
        self.pool.retain(|_| {
            place += 1;
            found.of_page()[place - 1].is_none()
        });
        let number = new.templates.len();
        self.assigner = Assigner::new(known.mode, known.essential, universe, templates);
        number
    }
}
