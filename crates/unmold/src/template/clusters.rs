//! Finds which of a site's templates a page belongs to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cluster::{Assigner, Clusters, Essential, PathMode, PathSet};
use crate::page::Page;

/// A path as its hash in a [`PathSet`]. The file has 16 hexadecimal digits, because JSON numbers
/// would lose the last ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct PathHash(u64);

impl From<PathHash> for String {
    fn from(path: PathHash) -> String {
        format!("{:016x}", path.0)
    }
}

impl TryFrom<String> for PathHash {
    type Error = String;

    fn try_from(text: String) -> Result<PathHash, String> {
        let is_hex = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u64::from_str_radix(&text, 16).ok().filter(|_| is_hex);
        number
            .map(PathHash)
            .ok_or_else(|| format!("{text:?} is not a path: expected 16 hexadecimal digits"))
    }
}

/// The clusters of one site, as needed to find the template of a page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredSiteClusters", into = "StoredSiteClusters")]
pub struct SiteClusters {
    site: String,
    clusters: Vec<String>,
    assigner: Assigner,
}

/// [`SiteClusters`] as stored in the template file.
#[derive(Clone, Serialize, Deserialize)]
struct StoredSiteClusters {
    site: String,
    paths: PathMode,
    essential: Essential,
    clusters: Vec<StoredCluster>,
    /// The number of pages each path was on.
    supports: BTreeMap<PathHash, u32>,
}

#[derive(Clone, Serialize, Deserialize)]
struct StoredCluster {
    template: String,
    paths: Vec<PathHash>,
}

impl From<SiteClusters> for StoredSiteClusters {
    fn from(clusters: SiteClusters) -> StoredSiteClusters {
        let assigner = &clusters.assigner;
        let stored = clusters.clusters.iter().zip(assigner.templates()).map(|(template, paths)| {
            StoredCluster { template: template.clone(), paths: paths.map(PathHash).collect() }
        });
        StoredSiteClusters {
            paths: assigner.mode(),
            essential: assigner.essential(),
            clusters: stored.collect(),
            supports: assigner.supports().map(|(path, pages)| (PathHash(path), pages)).collect(),
            site: clusters.site,
        }
    }
}

impl TryFrom<StoredSiteClusters> for SiteClusters {
    type Error = String;

    fn try_from(stored: StoredSiteClusters) -> Result<SiteClusters, String> {
        let supports = stored.supports.into_iter().map(|(path, pages)| (path.0, pages)).collect();
        let templates: Vec<Vec<u64>> = stored
            .clusters
            .iter()
            .map(|cluster| cluster.paths.iter().map(|path| path.0).collect())
            .collect();
        let assigner = Assigner::from_parts(stored.paths, stored.essential, supports, &templates)
            .ok_or("a path of a cluster has no support")?;
        let clusters = stored.clusters.into_iter().map(|cluster| cluster.template).collect();
        Ok(SiteClusters { site: stored.site, clusters, assigner })
    }
}

impl SiteClusters {
    /// From the clusters of a site, with the name of each cluster's template. Clusters without a
    /// template are dropped; their pages go to the nearest of the others.
    #[must_use]
    pub fn new(site: &str, found: &Clusters, templates: &[Option<String>]) -> SiteClusters {
        let kept: Vec<bool> = templates.iter().map(Option::is_some).collect();
        SiteClusters {
            site: site.to_owned(),
            clusters: templates.iter().flatten().cloned().collect(),
            assigner: found.assigner().restricted_to(&kept),
        }
    }

    /// The name of each cluster's template.
    pub fn names(&self) -> &[String] {
        &self.clusters
    }

    /// Assigns pages to the clusters.
    pub fn assigner(&self) -> &Assigner {
        &self.assigner
    }

    /// The name of the site.
    pub fn site(&self) -> &str {
        &self.site
    }

    /// The name of a page's template, and whether the page fits it. A page that fits no template
    /// gets the nearest.
    #[must_use]
    pub fn template_of(&self, page: &Page) -> Option<(&str, bool)> {
        let paths = PathSet::of(page, self.assigner.mode());
        let (cluster, fits) = match self.assigner.assign(&paths) {
            Some(cluster) => (cluster, true),
            None => (self.assigner.nearest(&paths)?, false),
        };
        Some((&self.clusters[cluster as usize], fits))
    }
}
