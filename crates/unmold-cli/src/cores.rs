//! Runs the library's parallel work on all cores.

use rayon::prelude::*;
use unmold::Page;
use unmold::cluster::{PathMode, PathSet};
use unmold::methods::{Merge, Runner};

/// Runs work on the global thread pool.
pub struct AllCores;

impl Runner for AllCores {
    fn merge(&self, merges: &mut [Merge]) {
        merges.par_iter_mut().for_each(Merge::run);
    }

    fn path_sets(&self, pages: &[&Page], mode: PathMode) -> Vec<PathSet> {
        pages.par_iter().map(|page| PathSet::of(page, mode)).collect()
    }
}
