//! Why the fast parser leaves a page to html5ever.

/// Why the fast parser left a page to html5ever.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum FallbackReason {
    /// A NUL character.
    Nul,
    /// U+FEFF inside the page.
    ByteOrderMark,
    /// A doctype that is not well-formed.
    Doctype,
    /// A `template` element.
    Template,
    /// A `frameset` element.
    Frameset,
    /// A `plaintext` element.
    Plaintext,
    /// A CDATA section in SVG or MathML.
    Cdata,
    /// MathML's `annotation-xml`.
    AnnotationXml,
    /// White space written as a character reference in a place where white space is treated
    /// differently from other text.
    SpaceReference,
    /// Close to a limit on nodes, depth or attributes.
    Limit,
}

impl FallbackReason {
    /// All reasons.
    pub const ALL: [FallbackReason; 10] = [
        FallbackReason::Nul,
        FallbackReason::ByteOrderMark,
        FallbackReason::Doctype,
        FallbackReason::Template,
        FallbackReason::Frameset,
        FallbackReason::Plaintext,
        FallbackReason::Cdata,
        FallbackReason::AnnotationXml,
        FallbackReason::SpaceReference,
        FallbackReason::Limit,
    ];

    /// The reason's name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FallbackReason::Nul => "nul",
            FallbackReason::ByteOrderMark => "byte order mark",
            FallbackReason::Doctype => "doctype",
            FallbackReason::Template => "template",
            FallbackReason::Frameset => "frameset",
            FallbackReason::Plaintext => "plaintext",
            FallbackReason::Cdata => "cdata",
            FallbackReason::AnnotationXml => "annotation-xml",
            FallbackReason::SpaceReference => "space reference",
            FallbackReason::Limit => "limit",
        }
    }
}
