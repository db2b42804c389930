//! What a caller can choose about learning.

use crate::cluster::Clustering;
use crate::methods::Threshold;
use crate::pipeline::Keep;
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
    /// Use the settings of the method's paper.
    pub paper: bool,
    /// Seed for methods that learn from a random part of the pages.
    pub seed: u64,
    /// Number of pages that `alignment` and `tree-mapping` learn from at most; `None` is the
    /// method's own number.
    pub pages: Option<usize>,
    /// `chunk-frequency`: chunks on more pages than this are template.
    pub threshold: Option<Threshold>,
    /// Learn a template for each cluster of pages; `None` is what suits the method.
    pub cluster: Option<bool>,
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

    /// How pages are clustered before templates are learned; `None` learns one template a site.
    pub(crate) fn clustering(&self) -> Option<Clustering> {
        let clusters = self.cluster.unwrap_or_else(|| self.method.clusters(self));
        clusters.then(Clustering::default)
    }
}
