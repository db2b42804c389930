//! Which of a site's templates is a page's?

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cluster::{Assigner, Clusters, Essential, PathMode, PathSet};
use crate::page::Page;

/// A path, as the hash that [`PathSet`] gives it. In the file 16 hexadecimal digits: JSON numbers
/// lose the last ones.
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
        let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u64::from_str_radix(&text, 16).ok().filter(|_| digits);
        number
            .map(PathHash)
            .ok_or_else(|| format!("{text:?} is no path: 16 hexadecimal digits were expected"))
    }
}

/// The clusters of one site: what is needed to find the template of a page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct SiteClusters {
    site: String,
    clusters: Vec<String>,
    assigner: Assigner,
}

/// As it stands in the file.
#[derive(Clone, Serialize, Deserialize)]
struct Stored {
    site: String,
    paths: PathMode,
    essential: Essential,
    clusters: Vec<StoredCluster>,
    /// Each path with the number of pages it was on.
    supports: BTreeMap<PathHash, u32>,
}

#[derive(Clone, Serialize, Deserialize)]
struct StoredCluster {
    template: String,
    paths: Vec<PathHash>,
}

impl From<SiteClusters> for Stored {
    fn from(clusters: SiteClusters) -> Stored {
        let assigner = &clusters.assigner;
        let stored = clusters.clusters.iter().zip(assigner.templates()).map(|(template, paths)| {
            StoredCluster { template: template.clone(), paths: paths.map(PathHash).collect() }
        });
        Stored {
            paths: assigner.mode(),
            essential: assigner.essential(),
            clusters: stored.collect(),
            supports: assigner.supports().map(|(path, pages)| (PathHash(path), pages)).collect(),
            site: clusters.site,
        }
    }
}

impl TryFrom<Stored> for SiteClusters {
    type Error = String;

    fn try_from(stored: Stored) -> Result<SiteClusters, String> {
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
    /// From the clusters of a site: `templates` says for each whether there is a template, and its
    /// name. A cluster without one is forgotten; its pages go to the nearest of the others.
    pub fn new(site: &str, found: &Clusters, templates: &[Option<String>]) -> SiteClusters {
        let kept: Vec<bool> = templates.iter().map(Option::is_some).collect();
        SiteClusters {
            site: site.to_owned(),
            clusters: templates.iter().flatten().cloned().collect(),
            assigner: found.assigner().restricted_to(&kept),
        }
    }

    /// The names of the templates, one for each cluster.
    pub fn names(&self) -> &[String] {
        &self.clusters
    }

    /// Finds the cluster of a page.
    pub fn assigner(&self) -> &Assigner {
        &self.assigner
    }

    /// The site.
    pub fn site(&self) -> &str {
        &self.site
    }

    /// The name of the template of a page, and whether the page fits: if it fits none it gets the
    /// nearest.
    pub fn template_of(&self, page: &Page) -> Option<(&str, bool)> {
        let paths = PathSet::of(page, self.assigner.mode());
        let (cluster, fits) = match self.assigner.assign(&paths) {
            Some(cluster) => (cluster, true),
            None => (self.assigner.nearest(&paths)?, false),
        };
        Some((&self.clusters[cluster as usize], fits))
    }
}
