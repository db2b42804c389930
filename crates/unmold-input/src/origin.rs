//! What every reader needs to know to make a page out of bytes.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use super::evidence::declared_host;
use super::host::host_of;
use super::options::{Columns, InputOptions};
use super::page::{InputEvent, RawPage};
use super::sites::SiteBy;

/// Where the pages of one input come from.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The input as the user named it, for messages.
    pub name: String,
    /// Set if the user put all pages into one site.
    pub given_site: Option<String>,
    /// Site of pages without a usable URL.
    site_without_url: String,
    site_by: SiteBy,
    /// What the id of a page that is a file starts with.
    pub id_prefix: String,
    pub max_page_bytes: usize,
    pub columns: Columns,
}

impl Origin {
    pub fn new(name: String, site_without_url: String, options: &InputOptions) -> Self {
        Origin {
            name,
            given_site: match options.site_by {
                SiteBy::One => options.site.clone().or_else(|| Some(site_without_url.clone())),
                _ => options.site.clone(),
            },
            site_without_url,
            site_by: options.site_by,
            id_prefix: String::new(),
            max_page_bytes: options.max_page_bytes,
            columns: options.columns.clone(),
        }
    }

    pub fn with_id_prefix(self, id_prefix: String) -> Self {
        Origin { id_prefix, ..self }
    }

    /// Bytes to read of a page: one more than allowed, so that a cut is noticed.
    pub fn read_limit(&self) -> usize {
        self.max_page_bytes.saturating_add(1)
    }

    pub fn site_of(&self, url: Option<&str>) -> String {
        self.given_site
            .clone()
            .or_else(|| url.and_then(host_of))
            .unwrap_or_else(|| self.site_without_url.clone())
    }

    pub fn page(
        &self,
        id: String,
        url: Option<String>,
        charset: Option<String>,
        bytes: Vec<u8>,
    ) -> RawPage {
        let site = self.site_of(url.as_deref());
        let (bytes, truncated) = cut(bytes, self.max_page_bytes);
        RawPage { id, url, site, charset, bytes, truncated }
    }

    /// A page that is a file of its own.
    pub fn page_of_file(&self, id: String, bytes: Vec<u8>) -> RawPage {
        let host = match (&self.given_site, self.site_by) {
            (None, SiteBy::Host) => declared_host(&bytes),
            _ => None,
        };
        let mut page = self.page(id, None, None, bytes);
        page.site = host.unwrap_or(page.site);
        page
    }

    /// Id of a page that has neither id nor URL: its position in the file.
    pub fn numbered(&self, number: impl Display) -> String {
        format!("{}:{number}", name_of(Path::new(&self.name)))
    }

    /// A problem with the whole input.
    pub fn problem(&self, what: impl Display) -> InputEvent {
        InputEvent::Problem { place: self.name.clone(), what: what.to_string() }
    }
}

/// A page's bytes cut at the limit, and whether they were cut.
pub fn cut(mut bytes: Vec<u8>, max_page_bytes: usize) -> (Vec<u8>, bool) {
    let truncated = bytes.len() > max_page_bytes;
    bytes.truncate(max_page_bytes.saturating_add(1));
    bytes.shrink_to_fit();
    (bytes, truncated)
}

/// The name of a file or folder as the user sees it; `.` and `..` are looked up.
pub fn name_of(path: &Path) -> String {
    let plain = path.file_name().map(ToOwned::to_owned);
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let looked_up =
        || fs::canonicalize(path).ok().and_then(|path| path.file_name().map(ToOwned::to_owned));
    match plain.or_else(looked_up) {
        Some(name) => name.to_string_lossy().into_owned(),
        None => "root".to_owned(),
    }
}
