//! The template file: JSON, tagged, versioned, sorted, readable by people.
//! `docs/template-format.md` describes it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::clusters::SiteClusters;
use super::images::TemplateImages;
use super::kind::KindTemplate;
use super::overrides::Overrides;
use super::set::TemplateSet;
use super::site::Template;
use crate::methods::OtherModel;
use crate::records::Schema;
use crate::registry::Learned;
use crate::site::MetadataPlaces;

/// The version of the format that is written.
pub const VERSION: u32 = 1;
const FORMAT: &str = "unmold-template";

#[derive(Serialize)]
struct FileToWrite<'a> {
    format: &'static str,
    version: u32,
    templates: Vec<KindToWrite<'a>>,
    /// Of the sites with several kinds of page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    clusters: Vec<&'a SiteClusters>,
}

#[derive(Serialize)]
struct KindToWrite<'a> {
    name: &'a str,
    site: &'a str,
    #[serde(flatten)]
    learned: &'a Learned,
    #[serde(skip_serializing_if = "Option::is_none")]
    usual_match: Option<u32>,
    #[serde(skip_serializing_if = "Overrides::is_empty")]
    overrides: &'a Overrides,
    /// Of the whole site, and the same in all its kinds.
    #[serde(skip_serializing_if = "is_zero")]
    pages_over_budget: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<&'a Schema>,
    #[serde(skip_serializing_if = "TemplateImages::is_empty")]
    images: &'a TemplateImages,
    #[serde(skip_serializing_if = "MetadataPlaces::is_empty")]
    metadata: &'a MetadataPlaces,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[derive(Deserialize)]
struct FileRead {
    templates: Vec<KindRead>,
    #[serde(default)]
    clusters: Vec<SiteClusters>,
}

#[derive(Deserialize)]
struct KindRead {
    name: String,
    site: String,
    #[serde(flatten)]
    learned: Learned,
    #[serde(default)]
    usual_match: Option<u32>,
    #[serde(default)]
    overrides: Overrides,
    #[serde(default)]
    pages_over_budget: u32,
    #[serde(default)]
    records: Option<Schema>,
    #[serde(default)]
    images: TemplateImages,
    #[serde(default)]
    metadata: MetadataPlaces,
}

/// What every version of the format has.
#[derive(Deserialize)]
struct Heading {
    format: Option<String>,
    version: Option<u64>,
}

/// Why a file cannot be read as templates.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Some other file.
    #[error("this is not a template file: give the file that `unmold learn` wrote")]
    Foreign,
    /// Written by a newer release.
    #[error(
        "the template file has version {found}, and this release reads up to {VERSION}: update \
         unmold or learn again"
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
    /// Learned with other weights than those of this release.
    #[error("the template of {site} cannot be used: {reason}")]
    OtherModel {
        /// Its site.
        site: String,
        /// Which weights.
        reason: OtherModel,
    },
    /// One template was asked for.
    #[error("the template file holds {sites} sites, and one was expected: read it as a set")]
    NotOneSite {
        /// Number of sites in the file.
        sites: usize,
    },
}

impl Template {
    /// A template file of this site alone.
    pub fn to_json(&self) -> String {
        to_json(std::iter::once(self))
    }

    /// Reads a template file that holds one site.
    ///
    /// # Errors
    /// The file is foreign, newer, damaged, learned with other weights, or of several sites.
    pub fn from_json(bytes: &[u8]) -> Result<Template, ReadError> {
        let set = TemplateSet::from_json(bytes)?;
        let sites = set.len();
        let mut templates = set.into_iter();
        match (templates.next(), sites) {
            (Some(template), 1) => Ok(template),
            _ => Err(ReadError::NotOneSite { sites }),
        }
    }
}

impl TemplateSet {
    /// The text of a template file.
    pub fn to_json(&self) -> String {
        to_json(self.iter().map(Arc::as_ref))
    }

    /// Reads a template file.
    ///
    /// # Errors
    /// The file is foreign, newer or damaged, or a template was learned with other weights than
    /// those of this release.
    pub fn from_json(bytes: &[u8]) -> Result<TemplateSet, ReadError> {
        let set = TemplateSet::from_json_of_any_model(bytes)?;
        for template in set.iter() {
            let site = || template.site().to_owned();
            let checked = template.check_model();
            checked.map_err(|reason| ReadError::OtherModel { site: site(), reason })?;
        }
        Ok(set)
    }

    /// Reads a template file whose templates may have been learned with other weights: good enough
    /// to show them, to keep their corrections and to learn them again, not to apply them.
    ///
    /// # Errors
    /// The file is foreign, newer or damaged.
    pub fn from_json_of_any_model(bytes: &[u8]) -> Result<TemplateSet, ReadError> {
        from_json(bytes).map(|templates| templates.into_iter().collect())
    }
}

/// Writes the templates of sites.
fn to_json<'a>(sites: impl Iterator<Item = &'a Template>) -> String {
    let (mut templates, mut clusters) = (Vec::new(), Vec::new());
    for template in sites {
        let site = template.site();
        templates.extend(template.kinds().iter().map(|kind| KindToWrite {
            name: &kind.name,
            site,
            learned: &kind.learned,
            usual_match: kind.usual_match,
            overrides: &kind.overrides,
            pages_over_budget: template.pages_over_budget(),
            records: kind.records.as_ref(),
            images: &kind.images,
            metadata: &kind.metadata,
        }));
        clusters.extend(template.clusters());
    }
    templates.sort_by_key(|kind| kind.name);
    let file = FileToWrite { format: FORMAT, version: VERSION, templates, clusters };
    let mut text =
        serde_json::to_string_pretty(&file).expect("templates hold nothing that JSON cannot");
    text.push('\n');
    text
}

/// Reads the templates of a file.
fn from_json(bytes: &[u8]) -> Result<Vec<Template>, ReadError> {
    let damaged = |error: serde_json::Error| ReadError::Damaged { reason: error.to_string() };
    let heading: Heading = serde_json::from_slice(bytes).map_err(|error| {
        let start = &bytes[..bytes.len().min(200)];
        let is_ours = memchr::memmem::find(start, FORMAT.as_bytes()).is_some();
        if is_ours { damaged(error) } else { ReadError::Foreign }
    })?;
    if heading.format.as_deref() != Some(FORMAT) {
        return Err(ReadError::Foreign);
    }
    match heading.version {
        Some(found) if found > u64::from(VERSION) => Err(ReadError::Newer { found }),
        Some(1) => Ok(by_site(serde_json::from_slice(bytes).map_err(damaged)?)),
        _ => Err(ReadError::Damaged { reason: "it has no version".to_owned() }),
    }
}

fn by_site(file: FileRead) -> Vec<Template> {
    let mut kinds: BTreeMap<String, (Vec<KindTemplate>, u32)> = BTreeMap::new();
    for read in file.templates {
        let (kinds, left_out) = kinds.entry(read.site).or_default();
        kinds.push(KindTemplate {
            name: read.name,
            learned: read.learned,
            usual_match: read.usual_match,
            overrides: read.overrides,
            records: read.records,
            images: read.images,
            metadata: read.metadata,
        });
        *left_out = read.pages_over_budget.max(*left_out);
    }
    let mut clusters: BTreeMap<String, SiteClusters> =
        file.clusters.into_iter().map(|clusters| (clusters.site().to_owned(), clusters)).collect();
    let template = |(site, (kinds, left_out)): (String, (Vec<KindTemplate>, u32))| {
        let clusters = clusters.remove(&site);
        Some(Template::of_kinds(site, kinds, clusters)?.with_pages_over_budget(left_out))
    };
    kinds.into_iter().filter_map(template).collect()
}
