//! The template of one kind of page.

use super::images::TemplateImages;
use super::overrides::Overrides;
use crate::marks::{Marks, Source};
use crate::methods::{Explanation, ListPlace, Verdict, manual_override};
use crate::page::Page;
use crate::records::Schema;
use crate::registry::Learned;
use crate::site::MetadataPlaces;

/// The template of one kind of page: of pages that share a layout.
///
/// A small or uniform site has one; where pages are clustered, each cluster has its own. It is
/// complete: marking a page needs nothing else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KindTemplate {
    pub(super) name: String,
    pub(super) learned: Learned,
    pub(super) usual_match: Option<u32>,
    pub(super) overrides: Overrides,
    pub(super) records: Option<Schema>,
    pub(super) images: TemplateImages,
    pub(super) metadata: MetadataPlaces,
}

impl KindTemplate {
    /// A template with a name such as `site#1`, without corrections.
    #[must_use]
    pub fn new(name: impl Into<String>, learned: Learned) -> KindTemplate {
        KindTemplate {
            name: name.into(),
            learned,
            usual_match: None,
            overrides: Overrides::default(),
            records: None,
            images: TemplateImages::default(),
            metadata: MetadataPlaces::default(),
        }
    }

    /// Records how much of it the pages have that it was learned from.
    #[must_use]
    pub fn fitted_to(mut self, pages: &[&Page]) -> KindTemplate {
        let found = pages.iter().map(|page| thousandths(self.learned.template_match(page)));
        let mean = found.sum::<u64>().checked_div(pages.len() as u64);
        self.usual_match = mean.map(|mean| mean as u32);
        self
    }

    /// Learns what is beside the texts of these pages: the images that they share, and where they
    /// name their author and date. Only for the default: other methods are applied as published.
    #[must_use]
    pub fn with_images_and_metadata_of(mut self, pages: &[&Page]) -> KindTemplate {
        if matches!(self.learned, Learned::Auto(_)) {
            self.images = TemplateImages::learn(pages);
            self.metadata = MetadataPlaces::learn(pages);
        }
        self
    }

    /// The images that are part of it.
    pub fn images(&self) -> &TemplateImages {
        &self.images
    }

    /// Where its pages name their author and date.
    pub fn metadata(&self) -> &MetadataPlaces {
        &self.metadata
    }

    /// Its name, such as `site#1`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the method learned.
    pub fn learned(&self) -> &Learned {
        &self.learned
    }

    /// What the method learned, to teach it.
    pub(crate) fn learned_mut(&mut self) -> &mut Learned {
        &mut self.learned
    }

    /// Mean [`Marks::template_match`] over the pages it was learned from, in thousandths. Pages of
    /// a redesigned site have much less.
    pub fn usual_match(&self) -> Option<u32> {
        self.usual_match
    }

    /// Corrections made by people. They win over what was learned.
    pub fn overrides(&self) -> &Overrides {
        &self.overrides
    }

    /// The corrections, to add more.
    pub fn overrides_mut(&mut self) -> &mut Overrides {
        &mut self.overrides
    }

    /// The table that its pages make up, if it was learned.
    pub fn records(&self) -> Option<&Schema> {
        self.records.as_ref()
    }

    /// The table, to correct its columns.
    pub fn records_mut(&mut self) -> Option<&mut Schema> {
        self.records.as_mut()
    }

    /// Sets [`KindTemplate::records`].
    pub fn set_records(&mut self, schema: Option<Schema>) {
        self.records = schema;
    }

    /// Marks the nodes of `page` that are template, corrections applied.
    pub fn mark(&self, page: &Page) -> Marks {
        let mut marks = self.learned.mark(page);
        self.images.mark(page, &mut marks);
        self.overrides.apply(page, &mut marks);
        marks
    }

    /// Marks the page, and says which list each node is an entry of.
    pub fn mark_with_lists(&self, page: &Page) -> (Marks, Vec<Option<ListPlace>>) {
        let (mut marks, lists) = self.learned.mark_with_lists(page);
        self.images.mark(page, &mut marks);
        self.overrides.apply(page, &mut marks);
        (marks, lists)
    }

    /// Marks the page, and says why each text is content or template.
    pub fn explain(&self, page: &Page) -> Explanation {
        let mut explanation = self.learned.explain(page);
        self.images.mark(page, &mut explanation.marks);
        if self.overrides.is_empty() {
            return explanation;
        }
        self.overrides.apply(page, &mut explanation.marks);
        let marks = &explanation.marks;
        for verdict in &mut explanation.verdicts {
            if let Some(Source::Override(serial)) = marks.source(verdict.nodes.start) {
                *verdict = Verdict::new(verdict.nodes.clone(), marks, manual_override(serial));
            }
        }
        explanation
    }
}

/// A share in thousandths: sums of integers do not depend on their order.
pub(crate) fn thousandths(share: f32) -> u64 {
    (f64::from(share) * 1000.0).round() as u64
}
