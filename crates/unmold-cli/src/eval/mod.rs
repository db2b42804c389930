//! Scores a method on labelled sites. `docs/evaluation.md` defines the scores.

mod clusters;
mod export;
mod folds;
mod labelled;
mod plot;
mod score;

pub use clusters::{ClusterPages, CostPoint, cost_curves, score_clusters};
pub use export::Export;
pub use labelled::{LabelledSite, find_sites};
pub use plot::{Line, line_chart};
pub use score::{Draw, SetScores, mean_of_sites, score_site};

use std::collections::HashMap;
use std::time::{Duration, Instant};

use unmold::cluster::Clustering;
use unmold::pipeline::Model;
use unmold::{Auto, LearnError, Marks, Page, Sample, TemplateSet};

use crate::settings::Settings;

/// What is compared.
#[derive(Clone, Debug)]
pub enum Contender {
    /// Nothing is stripped.
    Full,
    /// The floor: a text that stands on at least half of the pages is template.
    LineFrequency,
    /// A method with its settings.
    Method(Settings),
    /// The default with other weights than the library's.
    Auto(Auto, &'static Model),
    /// The same, with a template for each cluster of pages.
    Clustered(Settings, Clustering),
}

impl Contender {
    /// The contender for one site: the default is scored with weights that were fitted without it.
    pub fn for_site(&self, set: &str, site: &str) -> Contender {
        match self {
            Contender::Method(Settings::Auto(settings)) => {
                Contender::Auto(settings.clone(), folds::model_without(set, site))
            }
            other => other.clone(),
        }
    }

    /// Learns from `sample` and marks each of `pages`.
    pub fn mark(&self, sample: &[&Page], pages: &[&Page]) -> Result<Marked, LearnError> {
        let start = Instant::now();
        let without_duplicates = || Sample::without_duplicates(sample.iter().copied());
        match self {
            Contender::Full => Ok(Marked::of(start, 0, pages, Marks::none)),
            Contender::LineFrequency => {
                let template = LineFrequency::learn(sample);
                let parts = template.counts.values().filter(|&&count| count * 2 >= template.pages).count();
                Ok(Marked::of(start, parts, pages, |page| template.mark(page)))
            }
            Contender::Clustered(settings, clustering) => {
                let learned = settings.learn_clustered("", sample, clustering)?;
                let parts = learned.templates.iter().map(|template| template.learned.parts()).sum();
                let templates = TemplateSet::new(learned.templates).with_clusters(learned.clusters);
                Ok(Marked::of(start, parts, pages, |page| match templates.for_page("", page) {
                    Some((template, _)) => template.mark(page),
                    None => Marks::none(page),
                }))
            }
            Contender::Auto(settings, model) => {
                let learned = settings.learn_with(&without_duplicates(), model)?;
                Ok(Marked::of(start, learned.parts().len(), pages, |page| learned.mark_with(page, model)))
            }
            Contender::Method(settings) => {
                let learned = settings.learn(&without_duplicates())?;
                Ok(Marked::of(start, learned.parts(), pages, |page| learned.mark(page)))
            }
        }
    }
}

/// What a contender did.
pub struct Marked {
    /// Of each page.
    pub marks: Vec<Marks>,
    /// Number of parts of the template, where it has parts.
    pub parts: usize,
    /// Time to learn.
    pub learning: Duration,
}

impl Marked {
    /// Learning began at `start` and ends now.
    fn of(start: Instant, parts: usize, pages: &[&Page], mark: impl Fn(&Page) -> Marks) -> Marked {
        let learning = start.elapsed();
        Marked { marks: pages.iter().map(|page| mark(page)).collect(), parts, learning }
    }
}

/// The baseline that every method has to beat.
struct LineFrequency<'a> {
    pages: usize,
    counts: HashMap<&'a str, usize>,
}

impl<'a> LineFrequency<'a> {
    fn learn(sample: &[&'a Page]) -> LineFrequency<'a> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for page in sample {
            let mut texts: Vec<&str> = page.visible_texts().map(|id| page.text(id)).collect();
            texts.sort_unstable();
            texts.dedup();
            for text in texts {
                *counts.entry(text).or_default() += 1;
            }
        }
        LineFrequency { pages: sample.len(), counts }
    }

    fn mark(&self, page: &Page) -> Marks {
        let mut marks = Marks::with_threshold(page, 0.5);
        for id in page.visible_texts() {
            let count = self.counts.get(page.text(id)).copied().unwrap_or(0);
            marks.set(id, count as f32 / self.pages as f32, None);
        }
        marks.lift_to_elements(page);
        marks
    }
}
