//! Scores clusters of pages against families of pages, and measures the cost of the algorithms.

use std::collections::BTreeMap;
use std::time::Instant;

use rayon::prelude::*;
use unmold::cluster::{Algorithm, Clustering, PathMode, PathSet};
use unmold::metrics::Contingency;
use xxhash_rust::xxh3::xxh3_64;

use super::labelled::LabelledSite;

/// The algorithms, by name.
pub const ALGORITHMS: [(&str, Algorithm); 4] = [
    ("mdl", Algorithm::Mdl),
    ("hash", Algorithm::Hash),
    ("max", Algorithm::Max),
    ("dicemax", Algorithm::DiceMax),
];

/// The pages of a labelled site, as paths. They contain neither the host nor any links.
#[derive(Clone)]
pub struct ClusterPages {
    /// Name of the set.
    pub set: String,
    /// Name of the site.
    pub site: String,
    /// Each page: family, hash of its name, paths.
    pages: Vec<(Option<String>, u64, PathSet)>,
}

impl ClusterPages {
    /// The pages of a site. A page without a family is clustered but not scored. If no page of the
    /// site has a family and all have the same type, the site is one family.
    pub fn of(set: &str, site: &LabelledSite, mode: PathMode) -> ClusterPages {
        let first = site.pages.first().and_then(|(gold, _)| gold.kind.clone());
        let one_kind = site
            .pages
            .iter()
            .all(|(gold, _)| gold.family.is_none() && gold.kind == first)
            .then_some(first);
        let pages = site
            .pages
            .par_iter()
            .map(|(gold, page)| {
                let family = gold.family.clone().or_else(|| one_kind.clone().flatten());
                let name = format!("{set}/{}/{}", site.name, gold.file);
                (family, xxh3_64(name.as_bytes()), PathSet::of(page, mode))
            })
            .collect();
        ClusterPages { set: set.to_owned(), site: site.name.clone(), pages }
    }

    /// Number of pages.
    pub fn count(&self) -> usize {
        self.pages.len()
    }

    /// Whether any page can be scored.
    pub fn has_families(&self) -> bool {
        self.pages.iter().any(|(family, _, _)| family.is_some())
    }
}

/// Clusters compared with families.
pub struct ScoredClusters {
    /// Pages by cluster and by (site, family). A page in no cluster counts as a cluster of its
    /// own.
    pub table: Contingency,
    /// Number of clusters.
    pub clusters: usize,
    /// Number of scored pages in no cluster.
    pub unclustered: usize,
}

/// Clusters all pages of the sites together.
pub fn score_clusters(sites: &[ClusterPages], settings: &Clustering) -> ScoredClusters {
    let paths: Vec<PathSet> = sites
        .iter()
        .flat_map(|site| site.pages.iter().map(|(_, _, paths)| paths.clone()))
        .collect();
    let found = settings.cluster(&paths);
    let mut numbers: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    let (mut items, mut unclustered) = (Vec::new(), 0);
    let families =
        sites.iter().flat_map(|site| site.pages.iter().map(move |page| (site, page.0.as_deref())));
    for (page, (site, family)) in families.enumerate() {
        let Some(family) = family else { continue };
        let next = numbers.len();
        let class = *numbers.entry((&site.set, &site.site, family)).or_insert(next);
        let cluster = found.of_page()[page].map_or_else(
            || {
                unclustered += 1;
                found.clusters().len() + page
            },
            |cluster| cluster as usize,
        );
        items.push((cluster, class));
    }
    ScoredClusters { table: Contingency::of(items), clusters: found.clusters().len(), unclustered }
}

/// One measurement of [`cost_curves`].
pub struct CostPoint {
    /// Pages clustered.
    pub pages: usize,
    /// Number of distinct pages among them.
    pub distinct: usize,
    /// Clusters found, of any size.
    pub clusters: usize,
    /// Cost of all pages unclustered.
    pub before: u64,
    /// Cost of the clusters.
    pub after: u64,
    /// Time to cluster.
    pub seconds: f64,
}

/// Clusters each of these numbers of pages, drawn from all sites by the hash of their names.
pub fn cost_curves(
    sites: &[ClusterPages],
    settings: &Clustering,
    numbers: &[usize],
) -> Vec<CostPoint> {
    let mut drawn: Vec<&(Option<String>, u64, PathSet)> =
        sites.iter().flat_map(|site| &site.pages).collect();
    drawn.sort_by_key(|page| page.1);
    // Nothing is assigned, joined or attached: only the algorithm is measured.
    let settings =
        Clustering { max_distinct: usize::MAX, join: None, min_pages: 1, ..settings.clone() };
    let measure = |&number: &usize| {
        let pages: Vec<PathSet> = drawn.iter().take(number).map(|page| page.2.clone()).collect();
        let start = Instant::now();
        let found = settings.cluster(&pages);
        CostPoint {
            pages: pages.len(),
            distinct: found.distinct(),
            clusters: found.clusters().len(),
            before: found.costs().first().copied().unwrap_or(0),
            after: found.costs().last().copied().unwrap_or(0),
            seconds: start.elapsed().as_secs_f64(),
        }
    };
    numbers.iter().map(measure).collect()
}
