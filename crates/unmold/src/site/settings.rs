//! Any of the methods, with its settings, on the pages of one site.

use crate::cluster::{Clustering, PathMode, PathSet, PathTemplates};
use crate::methods::{
    Alignment, ChunkFrequency, LearnError, Merge, Method, Sample, TreeMapping, TreePattern,
};
use crate::page::Page;
use crate::pipeline::Auto;
use crate::template::{Learned, SiteClusters, Template, TemplateSet};

/// A method ready to learn.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Settings {
    ChunkFrequency(ChunkFrequency),
    Alignment(Alignment),
    TreeMapping(TreeMapping),
    TreePattern(TreePattern),
    PageClusters(PathTemplates),
    Auto(Auto),
}

/// Runs work that falls into independent parts. The library starts no threads; whoever calls it
/// may.
pub trait Runner {
    /// Runs all of the merges.
    fn merge(&self, merges: &mut [Merge]);

    /// The path set of each page.
    fn path_sets(&self, pages: &[&Page], mode: PathMode) -> Vec<PathSet>;
}

/// One part after the other.
#[derive(Clone, Copy, Debug)]
pub struct Serial;

impl Runner for Serial {
    fn merge(&self, merges: &mut [Merge]) {
        merges.iter_mut().for_each(Merge::run);
    }

    fn path_sets(&self, pages: &[&Page], mode: PathMode) -> Vec<PathSet> {
        pages.iter().map(|page| PathSet::of(page, mode)).collect()
    }
}

/// With fewer pages there is one template: clusters of a handful have too little to count.
const LEAST_TO_CLUSTER: usize = 16;

impl Settings {
    /// Learns the template of a site, or one for each cluster of its pages, from a sample of them.
    ///
    /// # Errors
    /// The pages are too few.
    pub fn learn_site(
        &self,
        site: &str,
        pages: &[&Page],
        clustering: Option<&Clustering>,
        runner: &impl Runner,
    ) -> Result<TemplateSet, LearnError> {
        match clustering {
            Some(clustering) if pages.len() >= LEAST_TO_CLUSTER => {
                self.learn_clustered(site, pages, clustering, runner)
            }
            _ => self.learn_whole(site, pages, runner),
        }
    }

    /// Clusters the pages, then learns a template for each cluster; one for the site if there is
    /// only one cluster.
    ///
    /// A cluster without a template (its pages are copies of one) is forgotten: its pages go to the
    /// nearest.
    fn learn_clustered(
        &self,
        site: &str,
        pages: &[&Page],
        clustering: &Clustering,
        runner: &impl Runner,
    ) -> Result<TemplateSet, LearnError> {
        let found = clustering.cluster(&runner.path_sets(pages, clustering.paths));
        let mut templates = Vec::new();
        let mut names = Vec::new();
        for cluster in found.clusters() {
            let members: Vec<&Page> =
                cluster.pages.iter().map(|&page| pages[page as usize]).collect();
            let sample = Sample::without_duplicates(members.iter().copied());
            let name = self.learn(&sample, runner).ok().map(|learned| {
                let name = format!("{site}#{}", templates.len() + 1);
                templates.push(Template::new(name.clone(), site, learned).fitted_to(&members));
                name
            });
            names.push(name);
        }
        if templates.len() < 2 {
            return self.learn_whole(site, pages, runner);
        }
        let clusters = SiteClusters::new(site, &found, &names);
        Ok(TemplateSet::new(templates).with_clusters([clusters]))
    }

    /// Learns one template for all pages.
    fn learn_whole(
        &self,
        site: &str,
        pages: &[&Page],
        runner: &impl Runner,
    ) -> Result<TemplateSet, LearnError> {
        let learned = self.learn(&Sample::without_duplicates(pages.iter().copied()), runner)?;
        Ok(TemplateSet::new([Template::new(format!("{site}#1"), site, learned).fitted_to(pages)]))
    }

    /// Learns with whichever method it is.
    ///
    /// # Errors
    /// The pages are too few.
    pub fn learn(&self, sample: &Sample, runner: &impl Runner) -> Result<Learned, LearnError> {
        match self {
            Settings::ChunkFrequency(settings) => {
                settings.learn(sample).map(Learned::ChunkFrequency)
            }
            Settings::Alignment(settings) => {
                settings.learn_with(sample, |merges| runner.merge(merges)).map(Learned::Alignment)
            }
            Settings::TreeMapping(settings) => settings.learn(sample).map(Learned::TreeMapping),
            Settings::Auto(settings) => settings.learn(sample).map(Learned::Auto),
            Settings::TreePattern(settings) => settings.learn(sample).map(Learned::TreePattern),
            Settings::PageClusters(settings) => settings.learn(sample).map(Learned::PageClusters),
        }
    }
}
