//! The template file: JSON, tagged, versioned, sorted, readable by a person. `docs/template-format.md` describes it.

use serde::{Deserialize, Serialize};

use super::Template;

/// The version of the format that is written.
pub const VERSION: u32 = 1;
const FORMAT: &str = "unmold-template";

/// The templates of a run, one for each site, sorted by name.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TemplateSet {
    templates: Vec<Template>,
}

#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    templates: Vec<Template>,
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
        TemplateSet { templates }
    }

    /// The templates, sorted by name.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// The template of a site.
    pub fn for_site(&self, site: &str) -> Option<&Template> {
        self.templates.iter().find(|template| template.site == site)
    }

    /// The file's text.
    pub fn to_json(&self) -> String {
        let file = File { format: FORMAT.to_owned(), version: VERSION, templates: self.templates.clone() };
        let mut text = serde_json::to_string_pretty(&file).expect("templates hold nothing that JSON cannot");
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
            let ours = memchr::memmem::find(&bytes[..bytes.len().min(200)], FORMAT.as_bytes()).is_some();
            if ours { damaged(error) } else { ReadError::Foreign }
        })?;
        if heading.format.as_deref() != Some(FORMAT) {
            return Err(ReadError::Foreign);
        }
        match heading.version {
            Some(found) if found > u64::from(VERSION) => Err(ReadError::Newer { found }),
            Some(1) => {
                let file: File = serde_json::from_slice(bytes).map_err(damaged)?;
                Ok(TemplateSet::new(file.templates))
            }
            _ => Err(ReadError::Damaged { reason: "it has no version".to_owned() }),
        }
    }
}
