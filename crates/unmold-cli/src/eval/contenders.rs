//! Other settings of what is compared.

use unmold::site::Settings;
use unmold::{Alignment, ChunkFrequency, TreeMapping, TreePattern};

use super::Contender;

impl Contender {
    /// The method with its paper's settings; the default has no paper, and page clusters nothing to
    /// set.
    pub fn paper(&self) -> Option<Contender> {
        let Contender::Method(settings) = self else { return None };
        let paper = match settings {
            Settings::ChunkFrequency(_) => Settings::ChunkFrequency(ChunkFrequency::paper()),
            Settings::Alignment(_) => Settings::Alignment(Alignment::paper()),
            Settings::TreeMapping(_) => Settings::TreeMapping(TreeMapping::paper()),
            Settings::TreePattern(_) => Settings::TreePattern(TreePattern::paper()),
            Settings::Auto(_) | Settings::PageClusters(_) => return None,
        };
        Some(Contender::Method(paper))
    }

    /// The contender with its limit on pages raised or lowered to the point of a curve.
    pub fn learning_from(&self, pages: usize) -> Contender {
        match self {
            Contender::Method(Settings::Alignment(settings)) => {
                Contender::Method(Settings::Alignment(Alignment { pages, ..settings.clone() }))
            }
            Contender::Method(Settings::TreeMapping(settings)) => {
                Contender::Method(Settings::TreeMapping(TreeMapping {
                    max_pages: pages,
                    ..settings.clone()
                }))
            }
            other => other.clone(),
        }
    }
}
