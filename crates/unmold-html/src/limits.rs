//! Bounds on the work that one page may cause.

/// Bounds on one page. They hold while parsing, so no page can make the parser hang.
///
/// There is no time limit: with a clock, the same page could give different results on different
/// days. These four bound the work instead.
///
/// ```
/// use unmold_html::{Flag, Limits, OverLimit, Page};
///
/// let page = Page::parse(b"<p>a<p>b<p>c", &Limits::default().with_nodes(4));
/// assert_eq!(page.flags(), [Flag::TooLarge]);
/// assert_eq!(page.over_limit(), Some(OverLimit::Nodes));
/// assert_eq!(page.joined_text(page.body()), "a b c", "the text is kept");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum length of the page in bytes.
    pub bytes: usize,
    /// Maximum number of nodes in the parsed tree.
    pub nodes: usize,
    /// Maximum nesting depth of elements.
    pub depth: usize,
    /// Maximum number of attributes on one tag.
    pub attributes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: 16 << 20, nodes: 200_000, depth: 512, attributes: 4_000 }
    }
}

impl Limits {
    /// Sets the maximum length in bytes.
    #[must_use]
    pub const fn with_bytes(mut self, bytes: usize) -> Limits {
        self.bytes = bytes;
        self
    }

    /// Sets the maximum number of nodes.
    #[must_use]
    pub const fn with_nodes(mut self, nodes: usize) -> Limits {
        self.nodes = nodes;
        self
    }

    /// Sets the maximum nesting depth.
    #[must_use]
    pub const fn with_depth(mut self, depth: usize) -> Limits {
        self.depth = depth;
        self
    }

    /// Sets the maximum number of attributes on one tag.
    #[must_use]
    pub const fn with_attributes(mut self, attributes: usize) -> Limits {
        self.attributes = attributes;
        self
    }
}

/// The limit that a page exceeds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum OverLimit {
    /// [`Limits::bytes`].
    Bytes,
    /// [`Limits::nodes`].
    Nodes,
    /// [`Limits::depth`].
    Depth,
    /// [`Limits::attributes`].
    Attributes,
    /// Names of tags and attributes that html5ever could find only in quadratic time: hundreds of
    /// thousands, or some made to collide. Pages for the fast parser have no such limit.
    Names,
}

impl std::fmt::Display for OverLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            OverLimit::Bytes => "more bytes than the limit",
            OverLimit::Nodes => "more nodes than the limit",
            OverLimit::Depth => "nested deeper than the limit",
            OverLimit::Attributes => "more attributes on one tag than the limit",
            OverLimit::Names => "too many names of tags and attributes",
        })
    }
}
