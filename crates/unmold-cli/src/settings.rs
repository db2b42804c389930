//! Any of the methods, with its settings.

use rayon::prelude::*;
use unmold::methods::Merge;
use unmold::{Alignment, ChunkFrequency, LearnError, Learned, Method, Sample, TreeMapping, TreePattern};

/// A method ready to learn.
#[derive(Clone, Debug)]
pub enum Settings {
    ChunkFrequency(ChunkFrequency),
    Alignment(Alignment),
    TreeMapping(TreeMapping),
    TreePattern(TreePattern),
}

impl Settings {
    /// Learns with whichever method it is.
    pub fn learn(&self, sample: &Sample) -> Result<Learned, LearnError> {
        match self {
            Settings::ChunkFrequency(settings) => settings.learn(sample).map(Learned::ChunkFrequency),
            Settings::Alignment(settings) => {
                let on_all_cores = |merges: &mut [Merge]| merges.par_iter_mut().for_each(Merge::run);
                settings.learn_with(sample, on_all_cores).map(Learned::Alignment)
            }
            Settings::TreeMapping(settings) => settings.learn(sample).map(Learned::TreeMapping),
            Settings::TreePattern(settings) => settings.learn(sample).map(Learned::TreePattern),
        }
    }
}
