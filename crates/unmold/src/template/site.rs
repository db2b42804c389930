//! The template of a site.

use std::collections::BTreeMap;

use super::clusters::SiteClusters;
use super::kind::KindTemplate;
use crate::marks::Marks;
use crate::methods::OtherModel;
use crate::page::Page;
use crate::records::{Changes, Schema};

/// What was learned about a site: the type to start with.
///
/// Made by [`learn`](crate::learn) or read from a file; applied with
/// [`clean`](Template::clean). It holds a [`KindTemplate`] for each kind of page, one where the
/// pages were not clustered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    site: String,
    /// Never empty, sorted by name.
    kinds: Vec<KindTemplate>,
    clusters: Option<SiteClusters>,
    pages_over_budget: u32,
}

impl Template {
    /// The template of a site whose pages are of one kind.
    #[must_use]
    pub fn new(site: impl Into<String>, kind: KindTemplate) -> Template {
        Template { site: site.into(), kinds: vec![kind], clusters: None, pages_over_budget: 0 }
    }

    /// The template of a site with several kinds of page; `clusters` tells them apart. `None`
    /// without any kind.
    #[must_use]
    pub fn of_kinds(
        site: impl Into<String>,
        mut kinds: Vec<KindTemplate>,
        clusters: Option<SiteClusters>,
    ) -> Option<Template> {
        kinds.sort_by(|a, b| a.name.cmp(&b.name));
        (!kinds.is_empty()).then(|| Template {
            site: site.into(),
            kinds,
            clusters,
            pages_over_budget: 0,
        })
    }

    /// Notes how many sampled pages were left out because the sample was over its
    /// [budget](crate::site::SampleBudget).
    #[must_use]
    pub fn with_pages_over_budget(self, pages_over_budget: u32) -> Template {
        Template { pages_over_budget, ..self }
    }

    /// Number of sampled pages that were left out because the sample was over its budget.
    pub fn pages_over_budget(&self) -> u32 {
        self.pages_over_budget
    }

    /// The site.
    pub fn site(&self) -> &str {
        &self.site
    }

    /// The templates of its kinds of page, sorted by name.
    pub fn kinds(&self) -> &[KindTemplate] {
        &self.kinds
    }

    /// How a page finds its kind; `None` if there is one kind only.
    pub fn clusters(&self) -> Option<&SiteClusters> {
        self.clusters.as_ref()
    }

    /// The kind with this name.
    pub fn kind(&self, name: &str) -> Option<&KindTemplate> {
        self.kinds.iter().find(|kind| kind.name == name)
    }

    /// The kind with this name, to correct it.
    pub fn kind_mut(&mut self, name: &str) -> Option<&mut KindTemplate> {
        self.kinds.iter_mut().find(|kind| kind.name == name)
    }

    /// The kind of a page, and whether the page fits it: a page that fits none gets the nearest.
    pub fn kind_of(&self, page: &Page) -> (&KindTemplate, bool) {
        let found = self.clusters.as_ref().and_then(|clusters| clusters.template_of(page));
        match found.and_then(|(name, fits)| Some((self.kind(name)?, fits))) {
            Some(found) => found,
            None => (&self.kinds[0], true),
        }
    }

    /// Number of pages it was learned from.
    pub fn pages(&self) -> u32 {
        self.kinds.iter().map(|kind| kind.learned.pages()).sum()
    }

    /// Its text, one line for each part that has some.
    pub fn text(&self) -> String {
        let texts: Vec<String> = self.kinds.iter().map(|kind| kind.learned.text()).collect();
        texts.join("\n")
    }

    /// Takes over the corrections, the labels and the columns of an older template of the site.
    ///
    /// Those of a kind that is gone go to all kinds: after learning again, the numbers of the kinds
    /// say nothing, and a correction must not get lost.
    #[must_use]
    pub fn with_overrides_of(mut self, older: &Template) -> Template {
        let mut homeless = BTreeMap::new();
        for old in older.kinds.iter().filter(|old| !old.overrides.is_empty()) {
            match self.kind_mut(&old.name) {
                Some(kind) => kind.overrides = old.overrides.joined_by(&kind.overrides),
                None => {
                    homeless.insert(&old.name, &old.overrides);
                }
            }
        }
        for overrides in homeless.into_values() {
            for kind in &mut self.kinds {
                kind.overrides = kind.overrides.joined_by(overrides);
            }
        }
        self.keep_columns_of(older);
        self.keep_labels_of(older);
        self
    }

    /// Learns the table of each kind from pages of the site. What the kind's template calls
    /// template is no column.
    pub fn learn_records(&mut self, pages: &[&Page]) {
        let mut of_kind: BTreeMap<String, Vec<&Page>> = BTreeMap::new();
        for page in pages {
            let (kind, _) = self.kind_of(page);
            of_kind.entry(kind.name.clone()).or_default().push(page);
        }
        for kind in &mut self.kinds {
            let pages = of_kind.remove(&kind.name).unwrap_or_default();
            let marks: Vec<Marks> = pages.iter().map(|page| kind.mark(page)).collect();
            kind.records = Some(Schema::learn(&pages, Some(&marks)));
        }
    }

    /// Takes over ids, names and history of the columns of an older template; what happened to
    /// the columns of each kind.
    pub fn keep_columns_of(&mut self, older: &Template) -> Vec<(String, Changes)> {
        let mut changes = Vec::new();
        for kind in &mut self.kinds {
            if kind.records.is_none() {
                kind.records = older.kind(&kind.name).and_then(KindTemplate::records).cloned();
                continue;
            }
            // Numbers of kinds say nothing after learning again: the one with the same columns.
            let Some(new) = &mut kind.records else { continue };
            let old = older.kinds.iter().filter_map(KindTemplate::records);
            let Some(old) = old.rev().max_by_key(|old| new.common_columns(old)) else { continue };
            changes.push((kind.name.clone(), new.keep_columns_of(old)));
        }
        changes
    }

    /// Checks that this release can apply it.
    ///
    /// # Errors
    /// It was learned with other weights.
    pub fn check_model(&self) -> Result<(), OtherModel> {
        self.kinds.iter().try_for_each(|kind| kind.learned.check_model())
    }
}
