//! Teaching: labels of a few pages become part of the template, and their siblings follow.
//!
//! [`Template::questions`](crate::Template::questions) says which pages tell most. A [`Label`] says
//! what is wanted of a page, as text, block numbers or selectors;
//! [`Template::teach`](crate::Template::teach) learns from labels. From then on everything that
//! marks pages with the template obeys them, as far as they say something about pages laid out like
//! the one at hand; elsewhere the default decides. docs/teaching.md describes the files and how
//! labels are weighed.

mod align;
mod keys;
mod label;
mod lessons;
mod number;
mod plan;
mod render;
mod select;
mod stored;
mod taught;
#[cfg(test)]
mod tests;
mod weights;

pub use label::{BlockLabels, Label, LabelError, Pick};
pub use lessons::{Contradiction, TaughtKind, TaughtPage, TeachReport};
pub use plan::{Budget, Question};
pub use select::SelectorError;

pub(crate) use keys::Keys;
pub(crate) use taught::{Lesson, Taught, Weighed};
#[doc(hidden)]
pub use weights::Tuning;

use crate::page::Page;
use crate::pipeline::{AutoTemplate, Model, block_ranges};

/// Number of things that labels say about a block, for fitting the weights.
#[doc(hidden)]
pub const FEATURES: usize = taught::FEATURES;

/// The texts of the blocks of a page, in the order of their numbers.
pub fn block_texts(page: &Page) -> Vec<String> {
    block_ranges(page).into_iter().map(|range| page.joined_text(range)).collect()
}

impl AutoTemplate {
    /// What labels and the default say about each block of a page, for fitting the weights.
    #[doc(hidden)]
    pub fn label_features(
        &self,
        page: &Page,
        model: &Model,
        tuning: &Tuning,
    ) -> Vec<([f32; FEATURES], f32)> {
        let Some(taught) = self.taught() else { return Vec::new() };
        let lesson = self.lesson("", page, Vec::new(), model);
        taught.said(&lesson.keys, None, tuning).rows.into_iter().zip(lesson.contents).collect()
    }
}
