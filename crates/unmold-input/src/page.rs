//! What reading gives: pages, things passed over, and problems.

/// One page as it was found, before parsing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawPage {
    /// Path relative to the given folder, with '/' as separator; for WARC, JSONL and Parquet the
    /// record's own id or its URL. Paths are unique; ids of records are what the input says.
    pub id: String,
    /// Address of the page, if the input names it.
    pub url: Option<String>,
    /// Site that the page belongs to: the host of the URL if there is one, otherwise the top input
    /// folder.
    pub site: String,
    /// Charset named by the HTTP header, or `utf-8` if the container guarantees it (a JSON or
    /// Parquet string), whatever the page's own `<meta>` says.
    pub charset: Option<String>,
    /// The page, with all transfer and content codings removed.
    pub bytes: Vec<u8>,
    /// The page was longer than [`InputOptions::max_page_bytes`](crate::InputOptions): `bytes`
    /// holds only its beginning, at most one byte more than the limit.
    pub truncated: bool,
}

impl RawPage {
    /// A whole page without URL and charset.
    pub fn new(id: impl Into<String>, site: impl Into<String>, bytes: Vec<u8>) -> RawPage {
        RawPage { id: id.into(), site: site.into(), bytes, ..RawPage::default() }
    }
}

/// What [`Input::read`](crate::Input::read) gives, in a fixed order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputEvent {
    /// A page.
    Page(RawPage),
    /// Something that is not an HTML page: counted, not an error.
    Skipped {
        /// The file, and the position in it.
        place: String,
        /// Why it was passed over.
        why: &'static str,
    },
    /// A bad file or record. Reading goes on after it.
    Problem {
        /// The file, and the position in it: a byte offset, a line or a row.
        place: String,
        /// What is wrong.
        what: String,
    },
}
