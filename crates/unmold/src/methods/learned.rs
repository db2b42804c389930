//! What the rest of the program asks of a learned template, whatever the method.

use super::explain::{Explanation, Verdict};
use super::tree_pattern::{ListPlace, lists_of_page};
use crate::marks::{Marks, Source};
use crate::page::Page;

/// What a method learned: all that the rest of the program asks of a template.
///
/// A template is complete: nothing here needs the settings it was learned with.
pub trait LearnedTemplate {
    /// Marks the nodes of `page` that the template explains.
    fn mark(&self, page: &Page) -> Marks;

    /// Number of pages it was learned from.
    fn pages(&self) -> u32;

    /// Its parts, for people, in document order.
    fn parts(&self) -> Vec<Part>;

    /// The part with this number in one line; `None` if there is no such part.
    fn describe(&self, part: u32) -> Option<String>;

    /// Its text, one line for each part that has some.
    fn text(&self) -> String;

    /// What was learned, for people: a line about the whole, then the parts with their supports.
    fn show(&self) -> String;

    /// Marks the page and says why each text is content or template, from the same pass.
    fn explain(&self, page: &Page) -> Explanation {
        let marks = self.mark(page);
        let verdicts = page.visible_texts().map(|id| Verdict::of_text(self, page, &marks, id));
        Explanation { verdicts: verdicts.collect(), marks }
    }

    /// Marks the page, and says which list each node is an entry of: as the template knows it, else
    /// as the page alone shows it.
    fn mark_with_lists(&self, page: &Page) -> (Marks, Vec<Option<ListPlace>>) {
        (self.mark(page), lists_of_page(page))
    }

    /// The share of the template that is on the page; [`Marks::template_match`], where that is
    /// cheaper to have than all marks.
    fn template_match(&self, page: &Page) -> f32 {
        self.mark(page).template_match()
    }

    /// Whether a part was recognised on a page with these marks.
    fn has_part(&self, page: &Page, marks: &Marks, part: &Part) -> bool {
        let source = part.number.map(Source::Part);
        source.is_some() && page.nodes().any(|id| marks.source(id) == source)
    }

    /// Something that whoever learned the template should be told, such as that it is empty.
    fn warning(&self) -> Option<String> {
        None
    }

    /// Checks that this release can apply the template.
    ///
    /// # Errors
    /// The template was learned with other weights than those of this release.
    fn check_model(&self) -> Result<(), OtherModel> {
        Ok(())
    }
}

/// A part of a template, for people: a text, a token, a node.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Part {
    /// Its number, by which marks refer to it; `None` if it only groups the parts below it.
    pub number: Option<u32>,
    /// How deep it is nested in other parts.
    pub depth: u32,
    /// What it is.
    pub label: String,
    /// Number of pages that have it.
    pub pages: u32,
    /// Of how many pages.
    pub of: u32,
}

impl Part {
    pub(crate) fn new(number: Option<u32>, label: String, pages: u32, of: u32) -> Part {
        Part { number, depth: 0, label, pages, of }
    }

    pub(crate) fn at_depth(self, depth: u32) -> Part {
        Part { depth, ..self }
    }

    /// Its support and, indented, what it is: a line of [`LearnedTemplate::show`].
    pub(crate) fn line(&self) -> String {
        let indent = 2 * self.depth.min(60) as usize;
        format!("{:>6} of {}  {:indent$}{}\n", self.pages, self.of, "", self.label)
    }
}

/// A template that was learned with other weights than those of this release.
///
/// Weights change from release to release, and what a template keeps would silently change with
/// them. So templates name theirs, and are applied with those or not at all.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "it was learned with model {found}, and this release has model {ours}: learn it again with \
     `unmold learn --update`"
)]
#[non_exhaustive]
pub struct OtherModel {
    /// The model of the template.
    pub found: String,
    /// The model of this release.
    pub ours: String,
}
