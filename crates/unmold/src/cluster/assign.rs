//! Assigns pages to the cluster whose template fits best.
//!
//! Supports and templates are frozen. A page joins the cluster whose template differs from it in
//! the fewest paths, if that difference is smaller than the number of its essential paths: the cost
//! of opening a new cluster for it.

use super::cost::common;
use super::paths::{Essential, PathMode, PathSet, Universe};

/// Finds the cluster of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assigner {
    pub(super) mode: PathMode,
    pub(super) essential: Essential,
    pub(super) universe: Universe,
    /// The sorted path numbers of each cluster's template.
    pub(super) templates: Vec<Vec<u32>>,
    /// For each path, the clusters whose template contains it.
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

    /// Restores an assigner from paths with their supports and the paths of each template. Returns
    /// `None` if a template contains a path without support.
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

    /// A copy restricted to the `kept` clusters, without the paths that can never be essential.
    #[must_use]
    pub fn restricted_to(&self, kept: &[bool]) -> Assigner {
        let hashes =
            |paths: &Vec<u32>| paths.iter().map(|&path| self.universe.hash(path)).collect();
        let kept = self.templates.iter().zip(kept).filter(|(_, kept)| **kept);
        let templates: Vec<Vec<u64>> = kept.map(|(paths, _)| hashes(paths)).collect();
        let min_support = match self.essential {
            Essential::Mode { min_support } => min_support,
            Essential::Support { pages } => pages,
        };
        let supports = self.supports().filter(|&(_, pages)| pages >= min_support).collect();
        // Every path of a template is essential for some page, so this does not fail.
        Assigner::from_parts(self.mode, self.essential, supports, &templates)
            .unwrap_or_else(|| self.clone())
    }

    /// Which paths of a page are essential.
    pub fn essential(&self) -> Essential {
        self.essential
    }

    /// All paths with the number of pages each was on, sorted by path.
    pub fn supports(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        (0..self.universe.len() as u32)
            .map(|path| (self.universe.hash(path), self.universe.support(path)))
    }

    /// The paths of each cluster's template.
    pub fn templates(&self) -> impl Iterator<Item = impl Iterator<Item = u64> + '_> + '_ {
        self.templates.iter().map(|paths| paths.iter().map(|&path| self.universe.hash(path)))
    }

    /// What the paths of a page consist of.
    pub fn mode(&self) -> PathMode {
        self.mode
    }

    /// The cluster that the page belongs to; `None` if none fits.
    pub fn assign(&self, page: &PathSet) -> Option<u32> {
        self.best_for(&self.universe.essential(page, self.essential)).map(|(cluster, _)| cluster)
    }

    /// The cluster nearest to a page, whether it fits or not; `None` only if there are no clusters.
    pub fn nearest(&self, page: &PathSet) -> Option<u32> {
        let essential = self.universe.essential(page, self.essential);
        let apart = |cluster: usize| difference(&self.templates[cluster], &essential);
        (0..self.templates.len())
            .min_by_key(|&cluster| apart(cluster))
            .map(|cluster| cluster as u32)
    }

    /// The cluster that a page with these essential paths joins, and the number of paths in which
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

    /// Clusters that may fit. Joining costs less than staying apart only if the page has more than
    /// half of the template. The rarest paths lead to few clusters, so they are looked up first.
    /// Once the paths left are at most half of the smallest template, every cluster that may fit
    /// has been collected.
    fn candidates(&self, essential: &[u32]) -> Vec<u32> {
        let mut rarest: Vec<(usize, u32)> =
            essential.iter().map(|&path| (self.postings[path as usize].len(), path)).collect();
        rarest.sort_unstable();
        let mut candidates: Vec<u32> = Vec::new();
        for (at, &(_, path)) in rarest.iter().enumerate() {
            let left = rarest.len() - at;
            if 2 * left <= self.smallest {
                break;
            }
            candidates.extend(&self.postings[path as usize]);
            // Common paths lead to the same clusters again and again.
            if candidates.len() > 4 * self.templates.len() {
                candidates.sort_unstable();
                candidates.dedup();
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }
}

/// Number of paths that only one of the two sets has.
fn difference(a: &[u32], b: &[u32]) -> usize {
    a.len() + b.len() - 2 * common(a, b)
}
