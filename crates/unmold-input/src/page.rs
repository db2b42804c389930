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
    /// The page, with all transfer and content codings removed, and without NUL padding.
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

/// Bytes in which NUL bytes are looked for to recognize UTF-16.
const SNIFFED: usize = 512;

/// Removes the NUL bytes with which some archives and file systems pad a page.
///
/// A file of nothing but NUL bytes is left alone: it is damaged, not empty. So is UTF-16, which has
/// NUL bytes throughout and may end with one.
pub fn trim_padding(bytes: &mut Vec<u8>) {
    let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let start = &bytes[..length.min(SNIFFED)];
    let is_utf16 = start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF");
    if length > 0 && !is_utf16 && memchr::memchr(0, start).is_none() {
        bytes.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_trimmed_and_text_is_not() {
        let check = |bytes: &[u8], expected: &[u8]| {
            let mut trimmed = bytes.to_vec();
            trim_padding(&mut trimmed);
            assert_eq!(trimmed, expected, "{}", bytes.escape_ascii());
        };
        check(b"<p>x", b"<p>x");
        check(b"<p>x\0", b"<p>x");
        check(b"<p>x\0\0\0\0", b"<p>x");
        check(b"", b"");
        check(b"\0\0\0", b"\0\0\0");
        check(b"<\0p\0>\0x\0", b"<\0p\0>\0x\0");
        check(b"\xFF\xFEa\x04\x2E\x04\n\0", b"\xFF\xFEa\x04\x2E\x04\n\0");
        check(b"<p>a\0b\0\0", b"<p>a\0b\0\0");
    }
}
