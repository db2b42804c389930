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
}

impl Default for InputOptions {
    fn default() -> Self {
        Self {
            site: None,
            site_by: SiteBy::Auto,
            max_page_bytes: DEFAULT_MAX_PAGE_BYTES,
            format: None,
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

    /// Sets the format of standard input and of files whose extension says nothing.
    #[must_use]
    pub fn with_format(mut self, format: impl Into<Option<Format>>) -> Self {
        self.format = format.into();
        self
    }
}
