//! Labels of pages.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// The label of one page.
#[derive(Clone, Default, Deserialize, Debug)]
pub struct Gold {
    /// Path of the page in its site.
    pub file: String,
    /// Type of the page; pages of one type share a template.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// Family of the page: types that share a layout.
    #[serde(default)]
    pub family: Option<String>,
    /// The main text; `None` if the page is not scored on content.
    pub content: Option<String>,
    /// Texts that may stay or be removed.
    #[serde(default)]
    pub dont_care: Vec<String>,
    /// Values that must stay.
    #[serde(default)]
    pub attributes: BTreeMap<String, Vec<String>>,
    /// Every label of the page and its values. Alternatives of a label are separated by `|`.
    #[serde(default)]
    pub pairs: BTreeMap<String, Vec<String>>,
    /// The page is learned and judged on its own.
    #[serde(default)]
    pub single: bool,
    /// The title of the page, where it is labelled.
    #[serde(default)]
    pub title: Option<String>,
    /// Host of the page's address, where known.
    #[serde(default)]
    pub host: Option<String>,
}

/// A labelled page on disk.
#[derive(Clone, Debug)]
pub struct PageFile {
    /// Its label.
    pub gold: Gold,
    /// Path of its file.
    pub path: PathBuf,
    /// Whether the file begins with HTTP response headers.
    pub has_header: bool,
}

impl PageFile {
    /// Reads the page, without any HTTP headers.
    pub fn read(&self) -> std::io::Result<Vec<u8>> {
        let bytes = std::fs::read(&self.path)?;
        Ok(if self.has_header { without_header(bytes) } else { bytes })
    }
}

fn without_header(bytes: Vec<u8>) -> Vec<u8> {
    let end = |blank: &[u8]| {
        bytes.windows(blank.len()).position(|window| window == blank).map(|at| at + blank.len())
    };
    match end(b"\r\n\r\n").into_iter().chain(end(b"\n\n")).min() {
        Some(end) if !bytes.trim_ascii_start().starts_with(b"<") => bytes[end..].to_vec(),
        _ => bytes,
    }
}

/// A labelled site on disk.
#[derive(Clone, Debug)]
pub struct SiteFiles {
    /// Its name.
    pub name: String,
    /// Its pages.
    pub pages: Vec<PageFile>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_cut_off() {
        let check = |page: &str, expected: &str| {
            assert_eq!(without_header(page.into()), expected.as_bytes())
        };
        check("Date: today\nServer: x\n\n<p>a\n\nb", "<p>a\n\nb");
        check("HTTP/1.0 200\r\nServer: x\r\n\r\n<p>a\n\nb", "<p>a\n\nb");
        check("<p>a\n\nb", "<p>a\n\nb");
        check("", "");
    }
}
