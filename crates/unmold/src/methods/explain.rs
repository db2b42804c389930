//! Why each text of a page is content or template.

use super::learned::LearnedTemplate;
use crate::marks::{Marks, Source};
use crate::page::{NodeId, NodeRange, Page};

/// What is said about a run of text, and why.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Verdict {
    /// From its first text to its last.
    pub nodes: NodeRange,
    /// Whether it is template.
    pub is_template: bool,
    /// From 0 for content to 1 for template.
    pub value: f32,
    /// The reasons in words.
    pub why: String,
}

impl Verdict {
    pub(crate) fn new(nodes: NodeRange, marks: &Marks, why: String) -> Verdict {
        let first = nodes.start;
        Verdict { nodes, is_template: marks.is_template(first), value: marks.value(first), why }
    }

    pub(super) fn of_text(
        template: &(impl LearnedTemplate + ?Sized),
        page: &Page,
        marks: &Marks,
        id: NodeId,
    ) -> Verdict {
        let why = match marks.source(id) {
            Some(Source::Part(part)) => template
                .describe(part)
                .unwrap_or_else(|| format!("part {part}, which the template does not have")),
            Some(Source::Pages(pages)) => text_on_pages(pages, template.pages()),
            Some(Source::Override(serial)) => manual_override(serial),
            None => "no part of the template matches it".to_owned(),
        };
        Verdict::new(page.subtree(id), marks, why)
    }
}

/// How common a text is, in words.
pub(crate) fn text_on_pages(pages: u32, of: u32) -> String {
    match pages {
        0 | 1 => "text of this page only".to_owned(),
        _ => format!("text on {pages} of {of} pages"),
    }
}

/// The reason for what a person decided.
pub(crate) fn manual_override(serial: u32) -> String {
    format!("manual override #{serial}")
}

/// The marks of a page with the reasons for them.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The marks.
    pub marks: Marks,
    /// A verdict for each run of visible text, in document order.
    pub verdicts: Vec<Verdict>,
}

impl Explanation {
    /// Every text of `page` is content, because its site has no template.
    #[must_use]
    pub fn without_template(page: &Page) -> Explanation {
        let marks = Marks::none(page);
        let why = || "the site has no template".to_owned();
        let verdicts = page.visible_texts().map(|id| Verdict::new(page.subtree(id), &marks, why()));
        Explanation { verdicts: verdicts.collect(), marks }
    }

    /// Why a text is content or template; `None` for nodes that are not visible text.
    pub fn why(&self, id: NodeId) -> Option<&str> {
        let after = self.verdicts.partition_point(|verdict| verdict.nodes.start <= id);
        let verdict = self.verdicts.get(after.checked_sub(1)?)?;
        verdict.nodes.contains(id).then_some(verdict.why.as_str())
    }
}
