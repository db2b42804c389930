//! Learning the template of a site with any method.

use crate::cluster::Clustering;
use crate::methods::{LearnError, PageByPage, Runner, Sample, Serial};
use crate::page::Page;
use crate::registry::{AnyMethod, Learned};
use crate::settings::Settings;
use crate::template::{KindTemplate, SiteClusters, Template};

/// Sites with fewer pages get one template: clusters of a handful have too little to count. The
/// paper's own clusters are of any size.
const MIN_PAGES_TO_CLUSTER: usize = 16;

/// Learns the template that pages of one site share.
///
/// Twenty to a hundred pages of all kinds that the site has are a good sample. The default method
/// works from one page on; the others need two.
///
/// # Errors
/// The pages are too few for the method.
pub fn learn<'a>(
    pages: impl IntoIterator<Item = &'a Page>,
    settings: &Settings,
) -> Result<Template, LearnError> {
    let pages: Vec<&Page> = pages.into_iter().collect();
    settings.learn_site("site", &pages, &Serial)
}

impl Settings {
    /// [`learn`] for a site with a name; independent pieces of the work go to `runner`.
    ///
    /// # Errors
    /// The pages are too few for the method.
    pub fn learn_site(
        &self,
        site: &str,
        pages: &[&Page],
        runner: &dyn Runner,
    ) -> Result<Template, LearnError> {
        match self.clustering() {
            Some(clustering) => self.learn_by_kind(site, pages, &clustering, runner),
            None => Learning { method: AnyMethod::new(self), site, pages, runner }.as_one_kind(),
        }
    }

    /// [`Settings::learn_site`] with a template for each cluster that `clustering` finds.
    ///
    /// # Errors
    /// The pages are too few for the method.
    pub fn learn_by_kind(
        &self,
        site: &str,
        pages: &[&Page],
        clustering: &Clustering,
        runner: &dyn Runner,
    ) -> Result<Template, LearnError> {
        let learning = Learning { method: AnyMethod::new(self), site, pages, runner };
        if pages.len() < MIN_PAGES_TO_CLUSTER && !self.clusters_by_paper() {
            return learning.as_one_kind();
        }
        learning.by_kind(clustering)
    }

    /// A learner that is given the pages of a site one at a time; `None` if the method needs a
    /// sample.
    pub fn page_by_page(&self) -> Option<Box<dyn PageByPage<Learned>>> {
        AnyMethod::new(self).page_by_page()
    }
}

/// A method, and what it is to learn from.
struct Learning<'a> {
    method: AnyMethod,
    site: &'a str,
    pages: &'a [&'a Page],
    runner: &'a dyn Runner,
}

impl Learning<'_> {
    fn as_one_kind(&self) -> Result<Template, LearnError> {
        let sample = Sample::without_duplicates(self.pages.iter().copied());
        let learned = self.method.learn(&sample, self.runner)?;
        let kind = KindTemplate::new(format!("{}#1", self.site), learned)
            .fitted_to(self.pages)
            .with_images_and_metadata_of(self.pages);
        Ok(Template::new(self.site, kind))
    }

    /// Clusters the pages and learns a template for each cluster.
    ///
    /// A cluster without a template (its pages are copies of one) is dropped: its pages go to the
    /// nearest of the others.
    fn by_kind(&self, clustering: &Clustering) -> Result<Template, LearnError> {
        let found = clustering.cluster(&self.runner.path_sets(self.pages, clustering.paths));
        let mut kinds = Vec::new();
        let mut names = Vec::new();
        for cluster in found.clusters() {
            let members: Vec<&Page> =
                cluster.pages.iter().map(|&page| self.pages[page as usize]).collect();
            let sample = Sample::without_duplicates(members.iter().copied());
            let learned = self.method.learn_cluster(&sample, found.assigner(), self.runner);
            let name = learned.ok().map(|learned| {
                let name = format!("{}#{}", self.site, kinds.len() + 1);
                let kind = KindTemplate::new(name.clone(), learned).fitted_to(&members);
                kinds.push(kind.with_images_and_metadata_of(&members));
                name
            });
            names.push(name);
        }
        if kinds.len() < 2 {
            return self.as_one_kind();
        }
        let clusters = SiteClusters::new(self.site, &found, &names);
        match Template::of_kinds(self.site, kinds, Some(clusters)) {
            Some(template) => Ok(template),
            None => self.as_one_kind(),
        }
    }
}
