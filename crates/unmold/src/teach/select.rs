//! Selectors of labels: CSS with names, ids, classes, attributes, descendants and children, or
//! paths as corrections have them.

use std::str::FromStr;

use crate::page::{NodeId, Page};
use crate::template::NodePath;

/// A CSS selector or an XPath.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Selector {
    /// Alternatives, each a sequence of compounds from the outermost to the selected one.
    Css(Vec<Vec<Compound>>),
    Path(NodePath),
}

/// `div#main.post[role=main]` with what leads to it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Compound {
    /// It is a child of the one before, not any descendant.
    is_child: bool,
    tag: Option<String>,
    /// Attribute and value; without a value the attribute must be there. Of `class` and `id` one
    /// word.
    attributes: Vec<(String, Option<String>)>,
}

/// A selector that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "selector {selector:?} cannot be read: use CSS with names, #id, .class, [attribute=value], \
     spaces, > and commas, or a path such as /html/body/div[2]/p"
)]
pub struct SelectorError {
    selector: String,
}

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Selector, SelectorError> {
        let error = || SelectorError { selector: text.to_owned() };
        if text.trim_start().starts_with('/') {
            return text.trim().parse().map(Selector::Path).map_err(|_| error());
        }
        let alternatives = text.split(',').map(sequence).collect::<Option<Vec<_>>>();
        alternatives.map(Selector::Css).ok_or_else(error)
    }
}

fn sequence(text: &str) -> Option<Vec<Compound>> {
    let mut compounds = Vec::new();
    let mut is_child = false;
    for word in text.replace('>', " > ").split_whitespace() {
        if word == ">" {
            if is_child || compounds.is_empty() {
                return None;
            }
            is_child = true;
            continue;
        }
        compounds.push(Compound { is_child, ..compound(word)? });
        is_child = false;
    }
    (!compounds.is_empty() && !is_child).then_some(compounds)
}

fn compound(text: &str) -> Option<Compound> {
    let mut compound = Compound::default();
    let mut rest = text;
    let name_of = |text: &str| {
        text.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').unwrap_or(text.len())
    };
    let end = name_of(rest);
    match rest.strip_prefix('*') {
        Some(after) => rest = after,
        None if end > 0 => {
            compound.tag = Some(rest[..end].to_ascii_lowercase());
            rest = &rest[end..];
        }
        None => {}
    }
    while let Some(sign) = rest.chars().next() {
        rest = &rest[sign.len_utf8()..];
        let pair = match sign {
            '#' | '.' => {
                let end = name_of(rest);
                let value = rest[..end].to_owned();
                rest = &rest[end..];
                (if sign == '#' { "id" } else { "class" }.to_owned(), Some(value))
            }
            '[' => {
                let (inside, after) = rest.split_once(']')?;
                rest = after;
                match inside.split_once('=') {
                    Some((name, value)) => {
                        (name.to_owned(), Some(value.trim_matches(['"', '\'']).to_owned()))
                    }
                    None => (inside.to_owned(), None),
                }
            }
            _ => return None,
        };
        if pair.0.is_empty() || pair.1.as_deref() == Some("") || name_of(&pair.0) < pair.0.len() {
            return None;
        }
        compound.attributes.push(pair);
    }
    (compound.tag.is_some() || !compound.attributes.is_empty() || text == "*").then_some(compound)
}

impl Selector {
    /// The selected elements, in document order, none inside another.
    pub fn select(&self, page: &Page) -> Vec<NodeId> {
        match self {
            Selector::Path(path) => path.select(page),
            Selector::Css(alternatives) => {
                let mut found: Vec<NodeId> = Vec::new();
                let mut end = NodeId::ROOT;
                let is_selected = |id| alternatives.iter().any(|all| matches(page, id, all));
                for id in page.nodes().filter(|&id| !page.is_text(id)) {
                    if id >= end && is_selected(id) {
                        end = page.subtree(id).end;
                        found.push(id);
                    }
                }
                found
            }
        }
    }
}

/// Whether an element ends the sequence. The nearest ancestor that matches is taken for each
/// compound, which is right unless children are asked for above descendants more than once.
fn matches(page: &Page, id: NodeId, compounds: &[Compound]) -> bool {
    let Some((last, before)) = compounds.split_last() else { return true };
    if !last.matches(page, id) {
        return false;
    }
    let mut at = id;
    let mut is_child = last.is_child;
    for compound in before.iter().rev() {
        let mut above = page.ancestors(at).take(if is_child { 1 } else { usize::MAX });
        match above.find(|&id| compound.matches(page, id)) {
            Some(found) => at = found,
            None => return false,
        }
        is_child = compound.is_child;
    }
    true
}

impl Compound {
    fn matches(&self, page: &Page, id: NodeId) -> bool {
        self.tag.as_deref().is_none_or(|tag| page.tag_name(id) == tag)
            && self.attributes.iter().all(|(name, wanted)| {
                let Some(value) = page.attribute(id, name) else { return false };
                match wanted {
                    None => true,
                    Some(wanted) if name == "class" => {
                        value.split_ascii_whitespace().any(|word| word == wanted)
                    }
                    Some(wanted) => value == wanted,
                }
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn elements_are_selected() {
        let html = "<div class='a b'><p id=one>1</p><div><p role=note>2</p></div></div><p>3</p>";
        let page = Page::parse(html.as_bytes(), &Limits::default());
        let check = |selector: &str, expected: &str| {
            let found = selector.parse::<Selector>().expect("a selector").select(&page);
            let texts: Vec<String> = found
                .iter()
                .map(|&id| page.joined_text(page.subtree(id)).replace(' ', ""))
                .collect();
            assert_eq!(texts.join(" "), expected, "{selector}");
        };
        check("p", "1 2 3");
        check("div.a p", "1 2");
        check("div.b>p", "1");
        check(".a.b, p", "12 3");
        check("[role=note]", "2");
        check("p[id]", "1");
        check("body > * > p#one", "1");
        check("/html/body/p", "3");
        check("ul", "");
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for text in
            ["", "p:hover", "> p", "p >", "p,,q", ".", "[", "[=x]", "p{}", "/div[", "a > > b"]
        {
            assert!(text.parse::<Selector>().is_err(), "{text}");
        }
    }
}
