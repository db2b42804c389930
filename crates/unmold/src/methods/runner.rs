//! Work that falls into independent pieces, for callers that have threads.

use super::alignment::Merge;
use crate::cluster::{PathMode, PathSet};
use crate::page::Page;

/// Runs pieces of work that do not depend on each other. The library starts no threads; its callers
/// may.
pub trait Runner: Sync {
    /// Runs all of the merges.
    fn merge(&self, merges: &mut [Merge]);

    /// The path set of each page.
    fn path_sets(&self, pages: &[&Page], mode: PathMode) -> Vec<PathSet>;
}

/// Runs one piece after the other.
#[derive(Clone, Copy, Debug)]
pub struct Serial;

impl Runner for Serial {
    fn merge(&self, merges: &mut [Merge]) {
        merges.iter_mut().for_each(Merge::run);
    }

    fn path_sets(&self, pages: &[&Page], mode: PathMode) -> Vec<PathSet> {
        pages.iter().map(|page| PathSet::of(page, mode)).collect()
    }
}
