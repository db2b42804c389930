//! Any of the methods, with its settings.

use unmold::{ChunkFrequency, LearnError, Learned, Method, Sample};

/// A method ready to learn.
#[derive(Clone, Debug)]
pub enum Settings {
    ChunkFrequency(ChunkFrequency),
}

impl Settings {
    /// Learns with whichever method it is.
    pub fn learn(&self, sample: &Sample) -> Result<Learned, LearnError> {
        match self {
            Settings::ChunkFrequency(settings) => settings.learn(sample).map(Learned::ChunkFrequency),
        }
    }
}
