//! The baseline that every method has to beat: a text on at least half of the pages is template.

use std::collections::HashMap;

use unmold::{Marks, Page};

/// A learned line frequency template.
pub struct LineFrequency<'a> {
    pages: usize,
    counts: HashMap<&'a str, usize>,
}

impl<'a> LineFrequency<'a> {
    /// Counts the pages that contain each text.
    pub fn learn(sample: &[&'a Page]) -> LineFrequency<'a> {
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

    /// Marks each text with its share of the pages.
    pub fn mark(&self, page: &Page) -> Marks {
        let mut marks = Marks::with_threshold(page, 0.5);
        for id in page.visible_texts() {
            let count = self.counts.get(page.text(id)).copied().unwrap_or(0);
            marks.set(id, count as f32 / self.pages as f32, None);
        }
        marks.lift_to_elements(page);
        marks
    }

    /// Number of texts that are template.
    pub fn parts(&self) -> usize {
        self.texts().count()
    }

    /// The texts that are template, in any order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let is_template = |entry: &(&&str, &usize)| entry.1 * 2 >= self.pages;
        self.counts.iter().filter(is_template).map(|(text, _)| *text)
    }
}
