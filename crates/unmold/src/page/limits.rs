//! What one page may cost.

use serde::{Deserialize, Serialize};

/// Bounds on one page. They hold while parsing, so that no page can make it hang.
///
/// There is no limit on time: a clock would give the same page another result on another day. These
/// four bound the work instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Longest page in bytes.
    pub bytes: usize,
    /// Most nodes of the parsed tree.
    pub nodes: usize,
    /// Deepest nesting of elements.
    pub depth: usize,
    /// Most attributes on one tag.
    pub attributes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: 16 << 20, nodes: 200_000, depth: 512, attributes: 4_000 }
    }
}

/// The limit a page has passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum OverLimit {
    Bytes,
    Nodes,
    Depth,
    Attributes,
}

impl std::fmt::Display for OverLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            OverLimit::Bytes => "longer than the limit of bytes",
            OverLimit::Nodes => "more nodes than the limit",
            OverLimit::Depth => "nested deeper than the limit",
            OverLimit::Attributes => "more attributes on one tag than the limit",
        })
    }
}

/// What is unusual about a page. A flagged page is never dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Flag {
    /// Over one of the [`Limits`]: read as a flat sequence of text runs, see [`OverLimit`].
    TooLarge,
    /// Not a text file: nothing was read.
    Binary,
    /// No visible text and no image.
    Empty,
    /// Bytes that its charset does not know were replaced by U+FFFD.
    BadCharset,
    /// The site gave too few pages to learn a template: nothing was stripped.
    NoTemplate,
    /// Everything was template: nothing is left.
    AllTemplate,
    /// The page fits none of the site's clusters; the template of the nearest was used.
    Unclustered,
    /// The only page of its site: judged by what it shows itself.
    SinglePage,
}

impl Flag {
    /// The word used in records.
    pub fn name(self) -> &'static str {
        match self {
            Flag::TooLarge => "too_large",
            Flag::Binary => "binary",
            Flag::Empty => "empty",
            Flag::BadCharset => "bad_charset",
            Flag::NoTemplate => "no_template",
            Flag::AllTemplate => "all_template",
            Flag::Unclustered => "unclustered",
            Flag::SinglePage => "single_page",
        }
    }
}
