//! Scores a method on labelled sites. `docs/evaluation.md` defines the scores.

mod labelled;
mod score;

pub use labelled::{LabelledSite, find_sites};
pub use score::{SetScores, mean_of_sites, score_site};

use std::collections::HashMap;

use unmold::methods::{ChunkFrequency, TreeMapping};
use unmold::{LearnError, Marks, Method, Page, Sample};

/// What is compared.
#[derive(Clone, Debug)]
pub enum Contender {
    /// Nothing is stripped.
    Full,
    /// The floor: a text that stands on at least half of the pages is template.
    LineFrequency,
    /// Chunk frequency with these settings.
    ChunkFrequency(ChunkFrequency),
    /// Tree mapping with these settings.
    TreeMapping(TreeMapping),
}

impl Contender {
    /// Learns from `sample` and marks each of `pages`.
    pub fn mark(&self, sample: &[&Page], pages: &[&Page]) -> Result<Vec<Marks>, LearnError> {
        match self {
            Contender::Full => Ok(pages.iter().map(|page| Marks::none(page)).collect()),
            Contender::LineFrequency => {
                let template = LineFrequency::learn(sample);
                Ok(pages.iter().map(|page| template.mark(page)).collect())
            }
            Contender::ChunkFrequency(settings) => {
                let template = settings.learn(&Sample::without_duplicates(sample.iter().copied()))?;
                Ok(pages.iter().map(|page| ChunkFrequency::mark(&template, page)).collect())
            }
            Contender::TreeMapping(settings) => {
                let template = settings.learn(&Sample::without_duplicates(sample.iter().copied()))?;
                Ok(pages.iter().map(|page| if std::env::var("R1").is_ok() { template.mark_exactly(page) } else { TreeMapping::mark(&template, page) }).collect())
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
