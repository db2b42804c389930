//! How to read.

use super::format::Format;
use super::sites::SiteBy;

/// Default of [`InputOptions::max_page_bytes`]: 10 MiB, far more than any page that people read.
pub const DEFAULT_MAX_PAGE_BYTES: usize = 10 << 20;

/// How to read. Start from [`InputOptions::default`].
///
/// ```
/// let options = unmold_input::InputOptions::default().with_max_page_bytes(1 << 20);
/// assert_eq!(options.site, None);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InputOptions {
    /// Treats all pages as one site of this name.
    pub site: Option<String>,
    /// How pages are put into sites, if they are not all one.
    pub site_by: SiteBy,
    /// Longer pages are cut, see [`RawPage::truncated`](crate::RawPage::truncated).
    pub max_page_bytes: usize,
    /// Format of standard input and of files whose extension says nothing; `None` looks inside.
    pub format: Option<Format>,
    /// Names of the columns of JSONL and Parquet files.
    pub columns: Columns,
}

/// Names of the columns of JSONL and Parquet files that hold pages.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Columns {
    /// The page.
    pub html: String,
    /// Its address.
    pub url: String,
    /// Its id.
    pub id: String,
}

impl Default for Columns {
    fn default() -> Self {
        Self { html: "html".to_owned(), url: "url".to_owned(), id: "id".to_owned() }
    }
}

impl Columns {
    /// Reads a list such as `html=content,url=link`: our names, and theirs.
    ///
    /// # Errors
    /// What is wrong with the list.
    pub fn parse(list: &str) -> Result<Columns, String> {
        let mut columns = Columns::default();
        for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((ours, theirs)) =
                part.split_once('=').filter(|(_, theirs)| !theirs.is_empty())
            else {
                return Err(format!("{part:?} is not of the form html=NAME"));
            };
            match ours {
                "html" => columns.html = theirs.to_owned(),
                "url" => columns.url = theirs.to_owned(),
                "id" => columns.id = theirs.to_owned(),
                _ => return Err(format!("no column {ours:?}: choose from html, url, id")),
            }
        }
        Ok(columns)
    }

    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub(crate) fn names(&self) -> [&str; 3] {
        [&self.html, &self.url, &self.id]
    }
}

impl Default for InputOptions {
    fn default() -> Self {
        Self {
            site: None,
            site_by: SiteBy::Auto,
            max_page_bytes: DEFAULT_MAX_PAGE_BYTES,
            format: None,
            columns: Columns::default(),
        }
    }
}

impl InputOptions {
    /// Treats all pages as one site of this name.
    #[must_use]
    pub fn with_site(mut self, site: impl Into<Option<String>>) -> Self {
        self.site = site.into();
        self
    }

    /// Sets how pages are put into sites.
    #[must_use]
    pub fn with_site_by(mut self, site_by: SiteBy) -> Self {
        self.site_by = site_by;
        self
    }

    /// Cuts longer pages.
    #[must_use]
    pub fn with_max_page_bytes(mut self, bytes: usize) -> Self {
        self.max_page_bytes = bytes;
        self
    }

    /// Sets the names of the columns of JSONL and Parquet files.
    #[must_use]
    pub fn with_columns(mut self, columns: Columns) -> Self {
        self.columns = columns;
        self
    }

    /// Sets the format of standard input and of files whose extension says nothing.
    #[must_use]
    pub fn with_format(mut self, format: impl Into<Option<Format>>) -> Self {
        self.format = format.into();
        self
    }
}
