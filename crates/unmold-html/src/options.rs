//! Options for parsing one page.

use crate::limits::Limits;

/// Options for parsing one page.
///
/// ```
/// use unmold_html::{Limits, Page, ParseOptions};
///
/// let options = ParseOptions::default()
///     .with_limits(Limits::default().with_nodes(50_000))
///     .with_charset("windows-1252".to_owned());
/// let page = Page::parse_with(b"<p>caf\xe9", &options);
/// assert_eq!(page.joined_text(page.body()), "café");
/// ```
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct ParseOptions {
    /// Bounds on the work that the page may cause.
    pub limits: Limits,
    /// Charset named by the HTTP header.
    pub charset: Option<String>,
    /// The page's address. Relative links are resolved against it when they are compared.
    pub url: Option<String>,
    /// Keep elements with the `hidden` attribute or an inline `display:none`.
    pub keep_hidden: bool,
    /// The parser that builds the tree.
    pub parser: Parser,
}

impl ParseOptions {
    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> ParseOptions {
        self.limits = limits;
        self
    }

    /// Sets the charset named by the HTTP header. Accepts a `String` or an `Option<String>`.
    #[must_use]
    pub fn with_charset(mut self, charset: impl Into<Option<String>>) -> ParseOptions {
        self.charset = charset.into();
        self
    }

    /// Sets the page's address. Accepts a `String` or an `Option<String>`.
    #[must_use]
    pub fn with_url(mut self, url: impl Into<Option<String>>) -> ParseOptions {
        self.url = url.into();
        self
    }

    /// Sets whether hidden elements are kept.
    #[must_use]
    pub fn with_keep_hidden(mut self, keep_hidden: bool) -> ParseOptions {
        self.keep_hidden = keep_hidden;
        self
    }

    /// Sets the parser.
    #[must_use]
    pub fn with_parser(mut self, parser: Parser) -> ParseOptions {
        self.parser = parser;
        self
    }
}

/// The parser that builds the tree. All of them build the same one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum Parser {
    /// The fast parser; html5ever for pages with something the fast parser does not support.
    #[default]
    Fast,
    /// html5ever for all pages. Tests compare the fast parser with it.
    Html5ever,
}
