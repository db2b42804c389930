//! Any of the methods, with its settings.

use rayon::prelude::*;
use unmold::cluster::{Clustering, PathSet};
use unmold::methods::Merge;
use unmold::template::SiteClusters;
use unmold::{
    Alignment, Auto, ChunkFrequency, LearnError, Learned, Method, Page, Sample, Template, TreeMapping,
    TreePattern,
};

/// A method ready to learn.
#[derive(Clone, Debug)]
pub enum Settings {
    ChunkFrequency(ChunkFrequency),
    Alignment(Alignment),
    TreeMapping(TreeMapping),
    TreePattern(TreePattern),
    Auto(Auto),
}

/// With fewer pages there is one template: clusters of a handful have too little to count.
const LEAST_TO_CLUSTER: usize = 16;

/// Templates of one site, and how its pages find theirs if there are several.
pub struct SiteTemplates {
    pub templates: Vec<Template>,
    pub clusters: Option<SiteClusters>,
}

impl Settings {
    /// Clusters the pages, then learns a template for each cluster; one for the site if there is only one cluster.
    ///
    /// A cluster without a template (its pages are copies of one) is forgotten: its pages go to the nearest.
    pub fn learn_clustered(
        &self,
        site: &str,
        pages: &[&Page],
        clustering: &Clustering,
    ) -> Result<SiteTemplates, LearnError> {
        if pages.len() < LEAST_TO_CLUSTER {
            return self.learn_whole(site, pages);
        }
        let paths: Vec<PathSet> = pages.par_iter().map(|page| PathSet::of(page, clustering.paths)).collect();
        let found = clustering.cluster(&paths);
        let mut templates = Vec::new();
        let mut names = Vec::new();
        for cluster in found.clusters() {
            let members = cluster.pages.iter().map(|&page| pages[page as usize]);
            let name = self.learn(&Sample::without_duplicates(members)).ok().map(|learned| {
                let name = format!("{site}#{}", templates.len() + 1);
                templates.push(Template::new(name.clone(), site, learned));
                name
            });
            names.push(name);
        }
        if templates.len() < 2 {
            return self.learn_whole(site, pages);
        }
        let clusters = Some(SiteClusters::new(site, &found, &names));
        Ok(SiteTemplates { templates, clusters })
    }

    /// Learns one template for all pages.
    pub fn learn_whole(&self, site: &str, pages: &[&Page]) -> Result<SiteTemplates, LearnError> {
        let learned = self.learn(&Sample::without_duplicates(pages.iter().copied()))?;
        let template = Template::new(format!("{site}#1"), site, learned);
        Ok(SiteTemplates { templates: vec![template], clusters: None })
    }

    /// Learns with whichever method it is.
    pub fn learn(&self, sample: &Sample) -> Result<Learned, LearnError> {
        match self {
            Settings::ChunkFrequency(settings) => settings.learn(sample).map(Learned::ChunkFrequency),
            Settings::Alignment(settings) => {
                let on_all_cores = |merges: &mut [Merge]| merges.par_iter_mut().for_each(Merge::run);
                settings.learn_with(sample, on_all_cores).map(Learned::Alignment)
            }
            Settings::TreeMapping(settings) => settings.learn(sample).map(Learned::TreeMapping),
            Settings::Auto(settings) => settings.learn(sample).map(Learned::Auto),
            Settings::TreePattern(settings) => settings.learn(sample).map(Learned::TreePattern),
        }
    }
}
