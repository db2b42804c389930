//! Contenders: the methods with their settings, and two baselines.

use unmold::cluster::Clustering;
use unmold::pipeline::{AutoTemplate, Model};
use unmold::site::{Serial, Settings};
use unmold::{
    Alignment, Auto, ChunkFrequency, LearnError, Learned, Marks, Page, Sample, TemplateSet,
    TreeMapping, TreePattern,
};

use super::folds;
use super::line_frequency::LineFrequency;

/// A method or baseline that is scored.
#[derive(Clone, Debug)]
pub enum Contender {
    /// Nothing is stripped.
    Full,
    /// The baseline: a text on at least half of the pages is template.
    LineFrequency,
    /// A method with its settings.
    Method(Settings),
    /// The default with weights other than the library's.
    Auto(Auto, &'static Model),
    /// A method that learns a template for each cluster of pages.
    Clustered(Settings, Clustering),
}

impl Contender {
    /// The contender for one site: the default gets weights that were fitted without the site.
    pub fn for_site(&self, set: &str, site: &str) -> Contender {
        match self {
            Contender::Method(Settings::Auto(settings)) => {
                Contender::Auto(settings.clone(), folds::model_without(set, site))
            }
            other => other.clone(),
        }
    }

    /// The method with its paper's settings. `None` for the default, which has no paper, and for
    /// page clusters, which have no settings.
    pub fn paper(&self) -> Option<Contender> {
        let Contender::Method(settings) = self else { return None };
        let paper = match settings {
            Settings::ChunkFrequency(_) => Settings::ChunkFrequency(ChunkFrequency::paper()),
            Settings::Alignment(_) => Settings::Alignment(Alignment::paper()),
            Settings::TreeMapping(_) => Settings::TreeMapping(TreeMapping::paper()),
            Settings::TreePattern(_) => Settings::TreePattern(TreePattern::paper()),
            Settings::Auto(_) | Settings::PageClusters(_) => return None,
        };
        Some(Contender::Method(paper))
    }

    /// The contender with its own limit on pages, if it has one, set to this number.
    pub fn learning_from(&self, pages: usize) -> Contender {
        match self {
            Contender::Method(Settings::Alignment(settings)) => {
                Contender::Method(Settings::Alignment(Alignment { pages, ..settings.clone() }))
            }
            Contender::Method(Settings::TreeMapping(settings)) => {
                Contender::Method(Settings::TreeMapping(TreeMapping {
                    max_pages: pages,
                    ..settings.clone()
                }))
            }
            other => other.clone(),
        }
    }

    /// Learns from `sample`.
    ///
    /// # Errors
    /// The pages are too few for the method.
    pub fn learn<'a>(&self, sample: &[&'a Page]) -> Result<Marker<'a>, LearnError> {
        Ok(match self {
            Contender::Full => Marker::Full,
            Contender::LineFrequency => Marker::LineFrequency(LineFrequency::learn(sample)),
            Contender::Clustered(settings, clustering) => {
                let learned = settings.learn_site("", sample, Some(clustering), &Serial)?;
                Marker::Clustered(Box::new(learned))
            }
            Contender::Auto(settings, model) => {
                let sample = Sample::without_duplicates(sample.iter().copied());
                Marker::Auto(Box::new(settings.learn_with(&sample, model)?), model)
            }
            Contender::Method(settings) => {
                let sample = Sample::without_duplicates(sample.iter().copied());
                Marker::Method(Box::new(settings.learn(&sample, &Serial)?))
            }
        })
    }
}

/// What a contender has learned.
pub enum Marker<'a> {
    /// Nothing: every text stays.
    Full,
    /// The pages that have each text.
    LineFrequency(LineFrequency<'a>),
    /// The template of a method.
    Method(Box<Learned>),
    /// A template for each cluster of pages.
    Clustered(Box<TemplateSet>),
    /// The template of the default, and the weights it is marked with.
    Auto(Box<AutoTemplate>, &'static Model),
}

impl Marker<'_> {
    /// Marks a page.
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

    /// Number of parts of the template.
    pub fn parts(&self) -> usize {
        match self {
            Marker::Full => 0,
            Marker::LineFrequency(template) => template.parts(),
            Marker::Method(learned) => learned.parts(),
            Marker::Clustered(templates) => {
                templates.templates().iter().map(|template| template.learned.parts()).sum()
            }
            Marker::Auto(template, _) => template.parts().len(),
        }
    }

    /// The template, if a method learned a single one.
    pub fn learned(&self) -> Option<&Learned> {
        match self {
            Marker::Method(learned) => Some(learned),
            _ => None,
        }
    }
}
