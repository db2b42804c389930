//! Scores a method on labelled sites. `docs/evaluation.md` defines the scores.

pub mod experiments;
pub mod gate;
mod labelled;
mod outputs;
mod score;

pub use labelled::{Gold, LabelledSite};
pub use outputs::{Outputs, heading, save};
pub use score::{Draw, SetScores, mean_of_sites, score_outputs, score_site};

use std::collections::HashMap;

use unmold::{LearnError, Marks, Page, Sample};

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
        match self {
            Contender::Full => Ok((pages.iter().map(|page| Marks::none(page)).collect(), 0)),
            Contender::LineFrequency => {
                let template = LineFrequency::learn(sample);
                let parts = template.counts.values().filter(|&&count| count * 2 >= template.pages).count();
                Ok((pages.iter().map(|page| template.mark(page)).collect(), parts))
            }
            Contender::Method(settings) => {
                let learned = settings.learn(&Sample::without_duplicates(sample.iter().copied()))?;
                Ok((pages.iter().map(|page| learned.mark(page)).collect(), learned.parts()))
            }
        }
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
