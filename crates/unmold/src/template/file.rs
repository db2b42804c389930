//! The template file: JSON, tagged, versioned, sorted, readable by a person.
//! `docs/template-format.md` describes it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Overrides, SiteClusters, Template};
use crate::page::Page;

/// The version of the format that is written.
pub const VERSION: u32 = 1;
const FORMAT: &str = "unmold-template";

/// The templates of a run, one or several for each site, sorted by name.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TemplateSet {
    templates: Vec<Template>,
    clusters: Vec<SiteClusters>,
}

#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    templates: Vec<Template>,
    /// Of the sites that have several templates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    clusters: Vec<SiteClusters>,
}

/// The part of a file that every version has.
#[derive(Deserialize)]
struct Heading {
    format: Option<String>,
    version: Option<u64>,
}

/// Why a file is not read as templates.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Some other file.
    #[error("this is not a template file: give the file that `unmold learn` wrote")]
    Foreign,
    /// Written by a newer release.
    #[error(
        "the template file has version {found}, this release reads up to {VERSION}: update unmold or learn again"
    )]
    Newer {
        /// Version of the file.
        found: u64,
    },
    /// Ours, but broken.
    #[error("the template file is damaged ({reason}): learn again or restore it from a copy")]
    Damaged {
        /// What is wrong, and where.
        reason: String,
    },
}

impl TemplateSet {
    /// A set of the given templates.
    pub fn new(templates: impl IntoIterator<Item = Template>) -> TemplateSet {
        let mut templates: Vec<Template> = templates.into_iter().collect();
        templates.sort_by(|a, b| a.name.cmp(&b.name));
        TemplateSet { templates, clusters: Vec::new() }
    }

    /// Says how the pages of sites with several templates find theirs.
    pub fn with_clusters(
        mut self,
        clusters: impl IntoIterator<Item = SiteClusters>,
    ) -> TemplateSet {
        self.clusters = clusters.into_iter().collect();
        self.clusters.sort_by(|a, b| a.site().cmp(b.site()));
        self
    }

    /// One set of several.
    pub fn union(sets: impl IntoIterator<Item = TemplateSet>) -> TemplateSet {
        let (mut templates, mut clusters) = (Vec::new(), Vec::new());
        for set in sets {
            templates.extend(set.templates);
            clusters.extend(set.clusters);
        }
        TemplateSet::new(templates).with_clusters(clusters)
    }

    /// The set of each site.
    pub fn by_site(self) -> BTreeMap<String, TemplateSet> {
        let mut sites: BTreeMap<String, TemplateSet> = BTreeMap::new();
        for template in self.templates {
            sites.entry(template.site.clone()).or_default().templates.push(template);
        }
        for clusters in self.clusters {
            sites.entry(clusters.site().to_owned()).or_default().clusters.push(clusters);
        }
        sites
    }

    /// The templates, sorted by name.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// Takes over what people said about older templates of the same names.
    pub fn with_overrides_of(mut self, older: &TemplateSet) -> TemplateSet {
        for template in &mut self.templates {
            if let Some(known) = older.templates.iter().find(|known| known.name == template.name) {
                template.overrides = known.overrides.clone();
            }
        }
        self
    }

    /// What people said about the template of this name, to say more.
    pub fn overrides_mut(&mut self, name: &str) -> Option<&mut Overrides> {
        let template = self.templates.iter_mut().find(|template| template.name == name)?;
        Some(&mut template.overrides)
    }

    /// The clusters of a site; `None` if it has one template or none.
    pub fn clusters_of(&self, site: &str) -> Option<&SiteClusters> {
        let at = self.clusters.binary_search_by(|clusters| clusters.site().cmp(site)).ok()?;
        Some(&self.clusters[at])
    }

    /// The template of a page of the site, and whether the page fits it: a page that fits no
    /// cluster gets the nearest.
    pub fn for_page(&self, site: &str, page: &Page) -> Option<(&Template, bool)> {
        match self.clusters_of(site).and_then(|clusters| clusters.template_of(page)) {
            Some((name, fits)) => {
                let at = self
                    .templates
                    .binary_search_by(|template| template.name.as_str().cmp(name))
                    .ok()?;
                Some((&self.templates[at], fits))
            }
            None => self.for_site(site).map(|template| (template, true)),
        }
    }

    /// The template of a site: of several, that of its largest cluster.
    pub fn for_site(&self, site: &str) -> Option<&Template> {
        self.templates.iter().find(|template| template.site == site)
    }

    /// The file's text.
    pub fn to_json(&self) -> String {
        let file = File {
            format: FORMAT.to_owned(),
            version: VERSION,
            templates: self.templates.clone(),
            clusters: self.clusters.clone(),
        };
        let mut text =
            serde_json::to_string_pretty(&file).expect("templates hold nothing that JSON cannot");
        text.push('\n');
        text
    }

    /// Reads a file's bytes.
    ///
    /// # Errors
    /// Says whether the file is foreign, newer or damaged, and what to do.
    pub fn from_json(bytes: &[u8]) -> Result<TemplateSet, ReadError> {
        let damaged = |error: serde_json::Error| ReadError::Damaged { reason: error.to_string() };
        let heading: Heading = serde_json::from_slice(bytes).map_err(|error| {
            let ours =
                memchr::memmem::find(&bytes[..bytes.len().min(200)], FORMAT.as_bytes()).is_some();
            if ours { damaged(error) } else { ReadError::Foreign }
        })?;
        if heading.format.as_deref() != Some(FORMAT) {
            return Err(ReadError::Foreign);
        }
        match heading.version {
            Some(found) if found > u64::from(VERSION) => Err(ReadError::Newer { found }),
            Some(1) => {
                let file: File = serde_json::from_slice(bytes).map_err(damaged)?;
                Ok(TemplateSet::new(file.templates).with_clusters(file.clusters))
            }
            _ => Err(ReadError::Damaged { reason: "it has no version".to_owned() }),
        }
    }
}
