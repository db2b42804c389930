//! What may a user choose about learning, and what does it mean?

use std::str::FromStr;

use super::Settings;
use crate::cluster::{Clustering, PathTemplates};
use crate::methods::{Alignment, ChunkFrequency, Threshold, TreeMapping, TreePattern};
use crate::pipeline::{Auto, Keep};

/// A method by its name.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum MethodName {
    /// [`Auto`].
    #[default]
    Auto,
    /// [`ChunkFrequency`].
    ChunkFrequency,
    /// [`Alignment`].
    Alignment,
    /// [`TreeMapping`].
    TreeMapping,
    /// [`TreePattern`].
    TreePattern,
    /// [`PathTemplates`].
    PageClusters,
}

impl FromStr for MethodName {
    type Err = String;

    fn from_str(name: &str) -> Result<MethodName, String> {
        Ok(match name {
            "auto" => MethodName::Auto,
            "chunk-frequency" => MethodName::ChunkFrequency,
            "alignment" => MethodName::Alignment,
            "tree-mapping" => MethodName::TreeMapping,
            "tree-pattern" => MethodName::TreePattern,
            "page-clusters" => MethodName::PageClusters,
            _ => {
                return Err(format!(
                    "there is no method {name:?}: give auto, chunk-frequency, alignment, tree-mapping, tree-pattern or page-clusters"
                ));
            }
        })
    }
}

/// What a user chose about learning. `Default`: nothing.
#[derive(Clone, Default, Debug)]
pub struct Choice {
    /// The method.
    pub method: MethodName,
    /// What `auto` keeps of a page.
    pub keep: Keep,
    /// Whether the settings are those of the method's paper.
    pub paper: bool,
    /// Draws another sample.
    pub seed: u64,
    /// From how many pages on `chunk-frequency` calls a chunk template.
    pub threshold: Option<Threshold>,
    /// Whether a template is learned for each cluster of pages; `None`: as is best for the method.
    pub cluster: Option<bool>,
}

impl Choice {
    /// How pages are clustered before templates are learned; `None`: there is one template for the
    /// site.
    pub fn clustering(&self) -> Option<Clustering> {
        // Chunk frequency loses content on some sites when it counts within clusters:
        // docs/methods/clusters.md.
        let by_default = match self.method {
            MethodName::Alignment | MethodName::TreeMapping => !self.paper,
            MethodName::PageClusters => true,
            MethodName::Auto | MethodName::ChunkFrequency | MethodName::TreePattern => false,
        };
        self.cluster.unwrap_or(by_default).then(Clustering::default)
    }

    /// The method with its settings.
    pub fn settings(&self) -> Settings {
        match self.method {
            MethodName::Auto => Settings::Auto(Auto { keep: self.keep }),
            MethodName::ChunkFrequency => Settings::ChunkFrequency(self.chunk_frequency()),
            MethodName::Alignment => {
                let settings = if self.paper { Alignment::paper() } else { Alignment::default() };
                Settings::Alignment(Alignment { seed: self.seed, ..settings })
            }
            MethodName::TreeMapping => {
                let settings =
                    if self.paper { TreeMapping::paper() } else { TreeMapping::default() };
                Settings::TreeMapping(TreeMapping { seed: self.seed, ..settings })
            }
            MethodName::TreePattern => {
                let settings =
                    if self.paper { TreePattern::paper() } else { TreePattern::default() };
                Settings::TreePattern(TreePattern { seed: self.seed, ..settings })
            }
            MethodName::PageClusters => Settings::PageClusters(PathTemplates),
        }
    }

    fn chunk_frequency(&self) -> ChunkFrequency {
        let mut settings =
            if self.paper { ChunkFrequency::paper() } else { ChunkFrequency::default() };
        if let Some(threshold) = self.threshold {
            settings.threshold = threshold;
        }
        settings
    }
}
