//! The templates of many sites.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::kind::KindTemplate;
use super::site::Template;

/// Templates by site.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TemplateSet {
    sites: BTreeMap<String, Arc<Template>>,
}

impl TemplateSet {
    /// A set without templates.
    #[must_use]
    pub fn new() -> TemplateSet {
        TemplateSet::default()
    }

    /// Adds the template of a site; an older one of the site is replaced.
    pub fn insert(&mut self, template: impl Into<Arc<Template>>) {
        let template = template.into();
        self.sites.insert(template.site().to_owned(), template);
    }

    /// The template of a site.
    pub fn get(&self, site: &str) -> Option<&Arc<Template>> {
        self.sites.get(site)
    }

    /// The template of a site, to correct it.
    pub fn get_mut(&mut self, site: &str) -> Option<&mut Template> {
        self.sites.get_mut(site).map(Arc::make_mut)
    }

    /// The templates, sorted by site.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Template>> {
        self.sites.values()
    }

    /// The templates of all kinds of page of all sites, sorted by site and name.
    pub fn kinds(&self) -> impl Iterator<Item = &KindTemplate> {
        self.iter().flat_map(|template| template.kinds())
    }

    /// Number of sites.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Whether there is no template.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// Takes over the corrections of older templates of the same sites.
    #[must_use]
    pub fn with_overrides_of(self, older: &TemplateSet) -> TemplateSet {
        let corrected = |template: Template| match older.get(template.site()) {
            Some(old) => template.with_overrides_of(old),
            None => template,
        };
        self.into_iter().map(corrected).collect()
    }
}

impl IntoIterator for TemplateSet {
    type Item = Template;
    type IntoIter = Box<dyn Iterator<Item = Template>>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.sites.into_values().map(Arc::unwrap_or_clone))
    }
}

impl FromIterator<Template> for TemplateSet {
    fn from_iter<T: IntoIterator<Item = Template>>(templates: T) -> TemplateSet {
        let mut set = TemplateSet::new();
        set.extend(templates);
        set
    }
}

impl Extend<Template> for TemplateSet {
    fn extend<T: IntoIterator<Item = Template>>(&mut self, templates: T) {
        templates.into_iter().for_each(|template| self.insert(template));
    }
}
