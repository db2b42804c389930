//! Formulas whose TeX is on the page.

use crate::page::{NodeId, Page, Tag};

pub(super) struct Formula {
    pub(super) tex: String,
    /// On a line of its own.
    pub(super) display: bool,
}

/// The TeX that a MathML formula carries with it, as those of KaTeX, Pandoc and MediaWiki do.
pub(super) fn annotation(page: &Page, math: NodeId) -> Option<Formula> {
    let annotation = page.subtree(math).find(|&id| {
        page.tag_name(id) == "annotation"
            && page.attribute(id, "encoding").is_some_and(|encoding| encoding.contains("tex"))
    })?;
    let tex = page.joined_text(page.subtree(annotation));
    let display = page.attribute(math, "display") == Some("block");
    formula(&tex, display)
}

/// The TeX of an element that says by its class that it is a formula: one of KaTeX, which holds it
/// twice, as MathML and as it is drawn, or one of the class `math`.
pub(super) fn of_class(page: &Page, id: NodeId) -> Option<Formula> {
    let class = page.attribute(id, "class")?;
    let is = |name: &str| class.split_whitespace().any(|one| one == name);
    if is("katex") {
        of_katex(page, id)
    } else if is("math") {
        between_delimiters(page, id)
    } else {
        None
    }
}

fn of_katex(page: &Page, id: NodeId) -> Option<Formula> {
    let math = page.subtree(id).find(|&inner| page.tag(inner) == Tag::MATH)?;
    annotation(page, math)
}

/// The TeX that an image of a formula has as its text, as those of MediaWiki and Sphinx do.
pub(super) fn of_image(page: &Page, id: NodeId) -> Option<Formula> {
    let classes = || page.attribute(id, "class").unwrap_or("").split_whitespace();
    let is = |start: &str| classes().any(|class| class.starts_with(start));
    if !classes().any(|class| class == "math") && !is("mwe-math-fallback-image") {
        return None;
    }
    formula(page.attribute(id, "alt")?, is("mwe-math-fallback-image-display"))
}

/// The TeX inside an element of the class `math`, between the delimiters of MathJax, as Sphinx and
/// Pandoc write it.
fn between_delimiters(page: &Page, id: NodeId) -> Option<Formula> {
    if page.subtree(id).len() != 2 {
        return None;
    }
    let text = page.joined_text(page.subtree(id));
    let text = text.trim();
    let between = |start, end| text.strip_prefix(start)?.strip_suffix(end);
    match (between("\\(", "\\)"), between("\\[", "\\]")) {
        (Some(tex), _) => formula(tex, false),
        (None, Some(tex)) => formula(tex, true),
        (None, None) if text.starts_with("\\begin{") => formula(text, true),
        (None, None) => None,
    }
}

fn formula(tex: &str, display: bool) -> Option<Formula> {
    let tex = tex.split_whitespace().collect::<Vec<_>>().join(" ");
    (!tex.is_empty() && !tex.contains('$')).then_some(Formula { tex, display })
}

/// A formula that a text holds between delimiters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Written<'t> {
    pub(super) tex: &'t str,
    pub(super) display: bool,
    /// With its delimiters.
    pub(super) source: &'t str,
}

/// A part of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part<'t> {
    Text(&'t str),
    Formula(Written<'t>),
}

/// The delimiters that MathJax and KaTeX look for, longer ones first.
const DELIMITERS: [(&str, &str, bool); 4] =
    [("$$", "$$", true), ("$", "$", false), ("\\(", "\\)", false), ("\\[", "\\]", true)];

/// A text in parts: formulas as the page has them, and what is between them.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(found) = text[at..].find(['$', '\\']) {
        at += found;
        let Some(formula) = formula_at(&text[at..]) else {
            at += 1;
            continue;
        };
        if start < at {
            parts.push(Part::Text(&text[start..at]));
        }
        at += formula.source.len();
        start = at;
        parts.push(Part::Formula(formula));
    }
    if start < text.len() {
        parts.push(Part::Text(&text[start..]));
    }
    parts
}

/// The formula that the text begins with. `$5 and $6` are prices.
fn formula_at(text: &str) -> Option<Written<'_>> {
    DELIMITERS.iter().find_map(|&(open, close, display)| {
        let rest = text.strip_prefix(open)?;
        let near = &rest[..rest.floor_char_boundary(MAX_TEX)];
        let end = near.find(close)?;
        let tex = rest[..end].trim();
        let after = rest[end + close.len()..].chars().next();
        let is_price = close == "$"
            && (rest.starts_with(char::is_whitespace)
                || rest[..end].ends_with(char::is_whitespace)
                || after.is_some_and(|c| c.is_ascii_digit()));
        let source = &text[..open.len() + end + close.len()];
        (!is_price && is_tex(tex)).then_some(Written { tex, display, source })
    })
}

/// Longer texts between two dollars are no formula.
const MAX_TEX: usize = 1000;

/// Whether it has a command, an exponent or an index.
fn is_tex(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has = |pair: fn(u8, u8) -> bool| bytes.windows(2).any(|two| pair(two[0], two[1]));
    !text.contains('$')
        && (has(|a, b| a == b'\\' && b.is_ascii_alphabetic())
            || has(|a, b| a == b'^' && (b.is_ascii_alphanumeric() || b == b'{'))
            || has(|a, b| a == b'_' && (b.is_ascii_alphanumeric() || b == b'{')))
}
