//! Assigns a stream of pages to clusters, and clusters the pages that fit nowhere.

use super::assign::Assigner;
use super::paths::{PathSet, Universe};
use super::{Clustering, Clusters};

/// Assigns a stream of pages, pools those that fit nowhere, and clusters the pool when it grows
/// large.
#[derive(Clone, Debug)]
pub struct Stream {
    assigner: Assigner,
    pool: Vec<PathSet>,
    seen: usize,
}

impl Stream {
    /// The pool is due only with more pages than this.
    const MIN_POOL: usize = 50;
    /// The pool is due only when it exceeds one in this many of the pages seen.
    const POOL_SHARE: usize = 50;

    /// Starts from the result of a clustering.
    pub fn new(clusters: &Clusters) -> Stream {
        Stream::of(clusters.assigner().clone())
    }

    /// Starts from stored clusters.
    pub fn of(assigner: Assigner) -> Stream {
        Stream { assigner, pool: Vec::new(), seen: 0 }
    }

    /// The current clusters.
    pub fn assigner(&self) -> &Assigner {
        &self.assigner
    }

    /// Assigns the next page; a page that fits nowhere goes into the pool.
    pub fn assign(&mut self, page: PathSet) -> Option<u32> {
        self.seen += 1;
        let cluster = self.assigner.assign(&page);
        if cluster.is_none() {
            self.pool.push(page);
        }
        cluster
    }

    /// Pages that have fit nowhere so far.
    pub fn pool(&self) -> &[PathSet] {
        &self.pool
    }

    /// Whether the pool is large enough to suggest new kinds of pages.
    pub fn is_due(&self) -> bool {
        self.pool.len() > Self::MIN_POOL.max(self.seen / Self::POOL_SHARE)
    }

    /// Clusters the pool. New clusters are appended to the known ones; pages that belong to none
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
