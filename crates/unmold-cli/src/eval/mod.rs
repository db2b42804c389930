//! Scores a method on labelled sites. `docs/evaluation.md` defines the scores.

mod labelled;
mod plot;
mod region;
mod score;
mod sections;

pub use labelled::{LabelledSite, find_sites};
pub use plot::{Line, bar_chart, line_chart};
pub use score::{Draw, SetScores, mean_of_sites, score_site};
pub use sections::{ScoredSection, SectionDraw, SectionScores, score_sections};

use std::collections::HashMap;

use unmold::{LearnError, Learned, Marks, Page, Sample};

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
}

impl Contender {
    /// Learns from `sample` and marks each of `pages`; also the number of parts of the template, where it has parts.
    pub fn mark(&self, sample: &[&Page], pages: &[&Page]) -> Result<(Vec<Marks>, usize), LearnError> {
        let learned = self.learn(sample)?;
        Ok((pages.iter().map(|page| learned.mark(page)).collect(), learned.parts()))
    }

    /// Learns from `sample`.
    pub fn learn<'a>(&self, sample: &[&'a Page]) -> Result<Marker<'a>, LearnError> {
        Ok(match self {
            Contender::Full => Marker::Full,
            Contender::LineFrequency => Marker::LineFrequency(LineFrequency::learn(sample)),
            Contender::Method(settings) => {
                Marker::Method(Box::new(settings.learn(&Sample::without_duplicates(sample.iter().copied()))?))
            }
        })
    }
}

/// What a contender has learned.
pub enum Marker<'a> {
    Full,
    LineFrequency(LineFrequency<'a>),
    Method(Box<Learned>),
}

impl Marker<'_> {
    pub fn mark(&self, page: &Page) -> Marks {
        match self {
            Marker::Full => Marks::none(page),
            Marker::LineFrequency(template) => template.mark(page),
            Marker::Method(learned) => learned.mark(page),
        }
    }

    /// Number of parts of the template, where it has parts.
    fn parts(&self) -> usize {
        match self {
            Marker::Full => 0,
            Marker::LineFrequency(template) => {
                template.counts.values().filter(|&&count| count * 2 >= template.pages).count()
            }
            Marker::Method(learned) => learned.parts(),
        }
    }

    /// The template of a method.
    pub fn learned(&self) -> Option<&Learned> {
        match self {
            Marker::Method(learned) => Some(learned),
            Marker::Full | Marker::LineFrequency(_) => None,
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
