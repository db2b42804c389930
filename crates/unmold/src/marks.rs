//! Marks: what a template says about each node of a page.

use crate::page::{NodeId, Page};
use crate::pipeline::PageKind;

/// One value in `0.0..=1.0` for each node of a page: 0 is content, 1 is template.
///
/// Marks are the only currency between methods and their users: methods write them; stripping,
/// sections, reports and evaluation read them. A node is template if its value reaches the
/// threshold, which comes with the template, so that nobody needs the method's settings to decide.
#[derive(Clone, PartialEq, Debug)]
pub struct Marks {
    values: Vec<f32>,
    sources: Vec<Option<Source>>,
    threshold: f32,
    template_match: f32,
    label_coverage: Option<f32>,
    page_kind: Option<PageKind>,
}

/// What a mark is based on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    /// The part of the template with this number, in the order of
    /// [`LearnedTemplate::parts`](crate::methods::LearnedTemplate::parts).
    Part(u32),
    /// The number of sampled pages that have the node's text, for methods that count texts instead
    /// of matching parts.
    Pages(u32),
    /// The manual override with this serial number.
    Override(u32),
}

impl Marks {
    /// Marks that call every node of `page` content.
    #[must_use]
    pub fn none(page: &Page) -> Marks {
        let length = page.len() as usize;
        Marks {
            values: vec![0.0; length],
            sources: vec![None; length],
            threshold: 0.5,
            template_match: 0.0,
            label_coverage: None,
            page_kind: None,
        }
    }

    /// Marks that call every node content, with another threshold.
    #[must_use]
    pub fn with_threshold(page: &Page, threshold: f32) -> Marks {
        Marks { threshold, ..Marks::none(page) }
    }

    /// The same values, judged at another threshold.
    #[must_use]
    pub fn at_threshold(&self, threshold: f32) -> Marks {
        Marks { threshold, ..self.clone() }
    }

    /// Sets the value of a node and what it is based on. Values are clamped to `0.0..=1.0`.
    pub fn set(&mut self, id: NodeId, value: f32, source: Option<Source>) {
        self.values[id.index()] = value.clamp(0.0, 1.0);
        self.sources[id.index()] = source;
    }

    /// The value of a node.
    pub fn value(&self, id: NodeId) -> f32 {
        self.values[id.index()]
    }

    /// What the value of a node is based on; `None` if the template says nothing about it.
    pub fn source(&self, id: NodeId) -> Option<Source> {
        self.sources[id.index()]
    }

    /// Nodes whose value reaches this are template.
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Whether the node is template.
    pub fn is_template(&self, id: NodeId) -> bool {
        self.values[id.index()] >= self.threshold
    }

    /// The share of the template that was found on the page. Near 1, the page fits; when it falls,
    /// the site was redesigned.
    pub fn template_match(&self) -> f32 {
        self.template_match
    }

    /// Sets [`Marks::template_match`].
    pub fn set_template_match(&mut self, share: f32) {
        self.template_match = share.clamp(0.0, 1.0);
    }

    /// The share of the page's words at places that labels know; `None` if no page of the site is
    /// labelled. Below a few tenths, labels say nothing about the page.
    pub fn label_coverage(&self) -> Option<f32> {
        self.label_coverage
    }

    /// Sets [`Marks::label_coverage`].
    pub fn set_label_coverage(&mut self, share: Option<f32>) {
        self.label_coverage = share;
    }

    /// What kind of page it is; `None` for methods that do not ask.
    pub fn page_kind(&self) -> Option<PageKind> {
        self.page_kind
    }

    /// Sets [`Marks::page_kind`].
    pub fn set_page_kind(&mut self, kind: PageKind) {
        self.page_kind = Some(kind);
    }

    /// Moves a threshold that no value or every value reaches, so that 1 is template and 0 content.
    pub(crate) fn make_room_for_both(&mut self) {
        self.threshold = self.threshold.clamp(f32::MIN_POSITIVE, 1.0);
    }

    /// Gives every element the minimum value of the texts below it, for methods that mark texts
    /// only.
    ///
    /// An element without text belongs to its parent: a picture inside a menu is part of the menu.
    pub fn lift_to_elements(&mut self, page: &Page) {
        let mut min: Vec<Option<f32>> = vec![None; page.len() as usize];
        for id in page.nodes().rev() {
            let index = id.index();
            if page.is_text(id) {
                min[index] = Some(self.values[index]);
            }
            let Some(value) = min[index] else { continue };
            self.values[index] = value;
            if let Some(parent) = page.parent(id) {
                let slot = &mut min[parent.index()];
                *slot = Some(slot.map_or(value, |known| known.min(value)));
            }
        }
        for id in page.nodes().skip(1) {
            if min[id.index()].is_none()
                && let Some(parent) = page.parent(id)
            {
                self.values[id.index()] = self.values[parent.index()];
            }
        }
    }
}
