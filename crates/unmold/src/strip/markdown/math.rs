//! Formulas whose TeX is on the page.

use crate::page::{NodeId, Page};

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

/// The TeX inside an element of the class `math`, between the delimiters of MathJax, as Sphinx and
/// Pandoc write it.
pub(super) fn of_class(page: &Page, id: NodeId) -> Option<Formula> {
    let class = page.attribute(id, "class")?;
    if !class.split_whitespace().any(|name| name == "math") || page.subtree(id).len() != 2 {
        return None;
    }
    let text = page.joined_text(page.subtree(id));
    let text = text.trim();
    let between = |start, end| Some(text.strip_prefix(start)?.strip_suffix(end)?);
    match (between("\\(", "\\)"), between("\\[", "\\]")) {
        (Some(tex), _) => formula(tex, false),
        (None, Some(tex)) => formula(tex, true),
        (None, None) => None,
    }
}

fn formula(tex: &str, display: bool) -> Option<Formula> {
    let tex = tex.split_whitespace().collect::<Vec<_>>().join(" ");
    (!tex.is_empty() && !tex.contains('$')).then_some(Formula { tex, display })
}
