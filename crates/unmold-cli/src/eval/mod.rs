//! Scores a method on labelled sites. `docs/evaluation.md` defines the scores.

mod clusters;
mod contenders;
pub mod experiments;
mod export;
mod folds;
pub mod gate;
mod labelled;
mod means;
mod outputs;
mod region;
mod score;
mod sections;
mod truth;

pub use clusters::{ClusterPages, cost_curves, score_clusters};
pub use export::Export;
pub use labelled::{Gold, LabelledSite};
pub use outputs::{Outputs, heading, save};
pub use score::{Draw, SetScores, SiteScores, mean_of_sites, score_outputs, score_site};
pub use sections::{ScoredSection, SectionDraw, SectionScores, mean_of_sections, score_sections};

use std::collections::HashMap;

use unmold::cluster::Clustering;
use unmold::pipeline::{AutoTemplate, Model};
use unmold::site::Settings;
use unmold::{Auto, LearnError, Learned, Marks, Page, Sample, TemplateSet};

use crate::cores::AllCores;

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

    /// Learns from `sample` and marks each of `pages`; also the number of parts of the template,
    /// where it has parts.
    pub fn mark(
        &self,
        sample: &[&Page],
        pages: &[&Page],
    ) -> Result<(Vec<Marks>, usize), LearnError> {
        let learned = self.learn(sample)?;
        Ok((pages.iter().map(|page| learned.mark(page)).collect(), learned.parts()))
    }

    /// Learns from `sample`.
    pub fn learn<'a>(&self, sample: &[&'a Page]) -> Result<Marker<'a>, LearnError> {
        Ok(match self {
            Contender::Full => Marker::Full,
            Contender::LineFrequency => Marker::LineFrequency(LineFrequency::learn(sample)),
            Contender::Clustered(settings, clustering) => {
                let learned = settings.learn_site("", sample, Some(clustering), &AllCores)?;
                Marker::Clustered(Box::new(learned))
            }
            Contender::Auto(settings, model) => {
                let sample = Sample::without_duplicates(sample.iter().copied());
                Marker::Auto(Box::new(settings.learn_with(&sample, model)?), model)
            }
            Contender::Method(settings) => {
                let sample = Sample::without_duplicates(sample.iter().copied());
                Marker::Method(Box::new(settings.learn(&sample, &AllCores)?))
            }
        })
    }
}

/// What a contender has learned.
pub enum Marker<'a> {
    Full,
    LineFrequency(LineFrequency<'a>),
    Method(Box<Learned>),
    Clustered(Box<TemplateSet>),
    Auto(Box<AutoTemplate>, &'static Model),
}

impl Marker<'_> {
    pub fn mark(&self, page: &Page) -> Marks {
        match self {
            Marker::Full => Marks::none(page),
            Marker::LineFrequency(template) => template.mark(page),
            Marker::Method(learned) => learned.mark(page),
            Marker::Clustered(templates) => match templates.for_page("", page) {
                Some((template, _)) => template.mark(page),
                None => Marks::none(page),
            },
            Marker::Auto(template, model) => template.mark_with(page, model),
        }
    }

    /// Number of parts of the template, where it has parts.
    pub fn parts(&self) -> usize {
        match self {
            Marker::Full => 0,
            Marker::LineFrequency(template) => {
                template.counts.values().filter(|&&count| count * 2 >= template.pages).count()
            }
            Marker::Method(learned) => learned.parts(),
            Marker::Clustered(templates) => {
                templates.templates().iter().map(|template| template.learned.parts()).sum()
            }
            Marker::Auto(template, _) => template.parts().len(),
        }
    }

    /// The template of a method.
    pub fn learned(&self) -> Option<&Learned> {
        match self {
            Marker::Method(learned) => Some(learned),
            _ => None,
        }
    }
}

/// The baseline that every method has to beat.
pub struct LineFrequency<'a> {
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
