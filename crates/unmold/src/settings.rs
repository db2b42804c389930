//! What a caller can choose about learning.

use crate::cluster::{Algorithm, Clustering};
use crate::methods::Threshold;
use crate::pipeline::{Keep, PageKind};
use crate::registry::MethodName;

/// How templates are learned. `Default` is right for most sites.
///
/// ```
/// use unmold::{Keep, Settings};
///
/// let settings = Settings::default().with_keep(Keep::Article);
/// ```
#[derive(Clone, PartialEq, Default, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The method.
    pub method: MethodName,
    /// What the default method keeps of a page.
    pub keep: Keep,
    /// What kind of pages they are, for the default method; `None` finds it for each page.
    pub kind: Option<PageKind>,
    /// Use the settings of the method's paper.
    pub paper: bool,
    /// Seed for methods that learn from a random part of the pages.
    pub seed: u64,
    /// Number of pages that the method learns from at most, of those it is given: MaxPages of
    /// `tree-mapping`, t of `alignment`, k of `tree-pattern`. `None` is the method's own number.
    pub pages: Option<usize>,
    /// `chunk-frequency`: chunks on more pages than this are template.
    pub threshold: Option<Threshold>,
    /// Learn a template for each cluster of pages; `None` is what suits the method.
    pub cluster: Option<bool>,
    /// How clusters are found; `None` is the default algorithm.
    pub algorithm: Option<Algorithm>,
}

/// A setting that means nothing for the chosen method.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// [`Settings::paper`] for a method without a paper.
    #[error("method {method} has no paper: use one of {}", names(MethodName::has_paper))]
    NoPaper {
        /// The method.
        method: MethodName,
    },
    /// [`Settings::pages`] for a method that learns from all pages it is given.
    #[error(
        "method {method} learns from every page of the sample: set the size of the sample instead, \
         or use one of {}",
        names(MethodName::limits_pages)
    )]
    NoLimit {
        /// The method.
        method: MethodName,
    },
    /// [`Settings::threshold`] for a method without one.
    #[error("method {method} has no threshold: use {}", MethodName::ChunkFrequency)]
    NoThreshold {
        /// The method.
        method: MethodName,
    },
    /// [`Settings::algorithm`] although there are no clusters.
    #[error(
        "method {method} finds no clusters unless it is told to: ask for them, or use {}",
        MethodName::PageClusters
    )]
    NoClusters {
        /// The method.
        method: MethodName,
    },
}

/// The names of the methods for which `holds`.
fn names(holds: fn(MethodName) -> bool) -> String {
    let names = MethodName::ALL.iter().filter(|method| holds(**method)).map(|method| method.name());
    names.collect::<Vec<_>>().join(", ")
}

impl Settings {
    /// Sets [`Settings::method`].
    #[must_use]
    pub fn with_method(self, method: MethodName) -> Settings {
        Settings { method, ..self }
    }

    /// Sets [`Settings::keep`].
    #[must_use]
    pub fn with_keep(self, keep: Keep) -> Settings {
        Settings { keep, ..self }
    }

    /// Sets [`Settings::kind`].
    #[must_use]
    pub fn with_kind(self, kind: Option<PageKind>) -> Settings {
        Settings { kind, ..self }
    }

    /// Sets [`Settings::paper`].
    #[must_use]
    pub fn with_paper(self, paper: bool) -> Settings {
        Settings { paper, ..self }
    }

    /// Sets [`Settings::seed`].
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Settings {
        Settings { seed, ..self }
    }

    /// Sets [`Settings::pages`].
    #[must_use]
    pub fn with_pages(self, pages: Option<usize>) -> Settings {
        Settings { pages, ..self }
    }

    /// Sets [`Settings::threshold`].
    #[must_use]
    pub fn with_threshold(self, threshold: Option<Threshold>) -> Settings {
        Settings { threshold, ..self }
    }

    /// Sets [`Settings::cluster`].
    #[must_use]
    pub fn with_cluster(self, cluster: Option<bool>) -> Settings {
        Settings { cluster, ..self }
    }

    /// Sets [`Settings::algorithm`].
    #[must_use]
    pub fn with_algorithm(self, algorithm: Option<Algorithm>) -> Settings {
        Settings { algorithm, ..self }
    }

    /// Checks that each setting means something for the method. Learning ignores those that do
    /// not.
    ///
    /// # Errors
    /// One of them means nothing.
    pub fn check(&self) -> Result<(), SettingsError> {
        let method = self.method;
        if self.paper && !method.has_paper() {
            return Err(SettingsError::NoPaper { method });
        }
        if self.pages.is_some() && !method.limits_pages() {
            return Err(SettingsError::NoLimit { method });
        }
        if self.threshold.is_some() && method != MethodName::ChunkFrequency {
            return Err(SettingsError::NoThreshold { method });
        }
        if self.algorithm.is_some() && self.clustering().is_none() {
            return Err(SettingsError::NoClusters { method });
        }
        Ok(())
    }

    /// How pages are clustered before templates are learned; `None` learns one template a site.
    pub(crate) fn clustering(&self) -> Option<Clustering> {
        let clusters = self.cluster.unwrap_or_else(|| self.method.clusters(self));
        let settings =
            if self.clusters_by_paper() { Clustering::paper() } else { Clustering::default() };
        let algorithm = self.algorithm.unwrap_or(settings.algorithm);
        clusters.then_some(Clustering { algorithm, ..settings })
    }

    /// Whether the clusters are part of the paper whose settings are asked for.
    pub(crate) fn clusters_by_paper(&self) -> bool {
        self.paper && self.method.clusters(self)
    }
}
