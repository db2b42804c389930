//! The template file: JSON, tagged, versioned, sorted, readable by people.
//! `docs/template-format.md` describes it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::clusters::SiteClusters;
use super::kind::KindTemplate;
use super::overrides::Overrides;
use super::set::TemplateSet;
use super::site::Template;
use crate::methods::OtherModel;
use crate::records::Schema;
use crate::registry::Learned;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<&'a Schema>,
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
    records: Option<Schema>,
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
            records: kind.records.as_ref(),
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
    let mut kinds: BTreeMap<String, Vec<KindTemplate>> = BTreeMap::new();
    for KindRead { name, site, learned, usual_match, overrides, records } in file.templates {
        let kind = KindTemplate { name, learned, usual_match, overrides, records };
        kinds.entry(site).or_default().push(kind);
    }
    let mut clusters: BTreeMap<String, SiteClusters> =
        file.clusters.into_iter().map(|clusters| (clusters.site().to_owned(), clusters)).collect();
    let template = |(site, kinds): (String, Vec<KindTemplate>)| {
        let clusters = clusters.remove(&site);
        Template::of_kinds(site, kinds, clusters)
    };
    kinds.into_iter().filter_map(template).collect()
}
