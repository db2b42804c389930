//! Describes the position of a node, so that it can be found again on other pages of the same
//! template.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::page::{NodeId, Page};

/// A position in pages, written in the subset of XPath that
/// `//*[@id="menu"]/ul[1]/li[@class="here"]/text()[2]` shows.
///
/// Numbers count siblings of the same name from 1, on the parsed page (without scripts and hidden
/// elements). A step without number or class selects all of them. A path may select several nodes,
/// or none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NodePath {
    /// The path starts at elements with this `id`, or else at the root.
    anchor: Option<String>,
    steps: Vec<Step>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Step {
    name: String,
    which: Which,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Which {
    All,
    Number(u32),
    Class(String),
}

const TEXT: &str = "text()";

impl NodePath {
    /// The path of a node, suited to find it on other pages.
    ///
    /// It starts at the nearest element whose `id` is unique on the page. Names with digits tend to
    /// belong to one page (`post-1234`), so they are not used.
    #[must_use]
    pub fn of(page: &Page, id: NodeId) -> NodePath {
        let mut steps = Vec::new();
        let mut anchor = None;
        for at in std::iter::once(id).chain(page.ancestors(id)) {
            anchor = anchor_of(page, at);
            if anchor.is_some() {
                break;
            }
            steps.push(Step::of(page, at));
        }
        steps.reverse();
        NodePath { anchor, steps }
    }

    /// The nodes at this path, in document order, none inside another.
    #[must_use]
    pub fn select(&self, page: &Page) -> Vec<NodeId> {
        let (mut found, steps) = match (&self.anchor, self.steps.split_first()) {
            (Some(anchor), _) => (with_id(page, anchor), &self.steps[..]),
            (None, Some((first, rest))) if page.tag_name(NodeId::ROOT) == first.name => {
                (vec![NodeId::ROOT], rest)
            }
            (None, _) => (Vec::new(), &self.steps[..]),
        };
        for step in steps {
            found = found.into_iter().flat_map(|parent| step.select(page, parent)).collect();
        }
        found
    }
}

fn anchor_of(page: &Page, id: NodeId) -> Option<String> {
    let name = page.attribute(id, "id").filter(|name| is_reusable(name))?;
    (with_id(page, name) == [id]).then(|| name.to_owned())
}

/// The elements with this `id`, none inside another.
fn with_id(page: &Page, name: &str) -> Vec<NodeId> {
    let mut found: Vec<NodeId> = Vec::new();
    let mut end = NodeId::ROOT;
    for id in page.nodes().filter(|&id| page.attribute(id, "id") == Some(name)) {
        if id >= end {
            end = page.subtree(id).end;
            found.push(id);
        }
    }
    found
}

/// Whether a name can be written in a path and is likely to be on other pages, too.
fn is_reusable(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 200
        && !name.contains(|c: char| c.is_ascii_digit() || "\"\n".contains(c))
}

impl Step {
    fn of(page: &Page, id: NodeId) -> Step {
        let name = page.tag_name(id);
        let Some(parent) = page.parent(id) else {
            return Step { name: name.to_owned(), which: Which::All };
        };
        let siblings: Vec<NodeId> =
            page.children(parent).filter(|&at| page.tag_name(at) == name).collect();
        let class = page.attribute(id, "class").filter(|class| is_reusable(class));
        let class = class.filter(|&class| {
            siblings.iter().filter(|&&at| page.attribute(at, "class") == Some(class)).count() == 1
        });
        let number = siblings.iter().position(|&at| at == id).map_or(1, |at| at as u32 + 1);
        let which = match class {
            _ if matches!(name, "html" | "body" | "head") => Which::All,
            Some(class) => Which::Class(class.to_owned()),
            None => Which::Number(number),
        };
        Step { name: if page.is_text(id) { TEXT.to_owned() } else { name.to_owned() }, which }
    }

    fn select<'a>(&'a self, page: &'a Page, parent: NodeId) -> impl Iterator<Item = NodeId> + 'a {
        let name = if self.name == TEXT { "#text" } else { &self.name };
        let siblings = page.children(parent).filter(move |&id| page.tag_name(id) == name);
        siblings
            .zip(1u32..)
            .filter(|(id, number)| self.which.matches(page, *id, *number))
            .map(|(id, _)| id)
    }
}

impl Which {
    fn matches(&self, page: &Page, id: NodeId, number: u32) -> bool {
        match self {
            Which::All => true,
            Which::Number(wanted) => *wanted == number,
            Which::Class(wanted) => page.attribute(id, "class") == Some(wanted),
        }
    }
}

impl fmt::Display for NodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(anchor) = &self.anchor {
            write!(f, "//*[@id=\"{anchor}\"]")?;
        }
        for step in &self.steps {
            match &step.which {
                Which::All => write!(f, "/{}", step.name)?,
                Which::Number(number) => write!(f, "/{}[{number}]", step.name)?,
                Which::Class(class) => write!(f, "/{}[@class=\"{class}\"]", step.name)?,
            }
        }
        Ok(())
    }
}

/// The error for a text that is not a path.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{0:?} is not a path: expected something like /html/body/div[2] or //*[@id=\"menu\"]/ul[1]"
)]
pub struct PathError(String);

impl FromStr for NodePath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<NodePath, PathError> {
        parse(text).ok_or_else(|| PathError(text.chars().take(200).collect()))
    }
}

fn parse(text: &str) -> Option<NodePath> {
    let (anchor, mut rest) = match text.strip_prefix("//*[@id=\"") {
        Some(rest) => {
            let (name, rest) = rest.split_once("\"]")?;
            (Some(name.to_owned()), rest)
        }
        None => (None, text),
    };
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = parse_step(rest.strip_prefix('/')?)?;
        steps.push(step);
        rest = after;
    }
    (anchor.is_some() || !steps.is_empty()).then_some(NodePath { anchor, steps })
}

/// Parses one step and returns the rest of the text. A class may contain any character except `"`,
/// a name any except `/` and `[`.
fn parse_step(text: &str) -> Option<(Step, &str)> {
    let end = text.find(['/', '[']).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        return None;
    }
    let (which, rest) = match rest.strip_prefix('[') {
        None => (Which::All, rest),
        Some(inner) => match inner.strip_prefix("@class=\"") {
            Some(inner) => {
                let (class, rest) = inner.split_once("\"]")?;
                (Which::Class(class.to_owned()), rest)
            }
            None => {
                let (number, rest) = inner.split_once(']')?;
                (Which::Number(number.parse().ok()?), rest)
            }
        },
    };
    Some((Step { name: name.to_owned(), which }, rest))
}

impl TryFrom<String> for NodePath {
    type Error = PathError;

    fn try_from(text: String) -> Result<NodePath, PathError> {
        text.parse()
    }
}

impl From<NodePath> for String {
    fn from(path: NodePath) -> String {
        path.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    const HTML: &str = "<div id=menu><ul><li>a<li class=here>b</ul></div>\
        <div id=p7><p>c <b>d</b> e</p></div><x:y class='a b'>f</x:y>\
        <i id=twice>g</i><i id=twice>h</i>";

    fn page() -> Page {
        Page::parse(HTML.as_bytes(), &Limits::default())
    }

    #[test]
    fn every_node_is_found_at_its_own_path() {
        let page = page();
        for id in page.nodes() {
            let path = NodePath::of(&page, id);
            assert_eq!(path.select(&page), [id], "{path}");
            assert_eq!(path.to_string().parse(), Ok(path));
        }
    }

    #[test]
    fn paths_are_written_as_xpath() {
        let page = page();
        let path = |text: &str| {
            let id = page.nodes().find(|&id| page.text(id) == text).expect("a node with the text");
            NodePath::of(&page, id).to_string()
        };
        assert_eq!(path("a"), "//*[@id=\"menu\"]/ul[1]/li[1]/text()[1]");
        assert_eq!(path("b"), "//*[@id=\"menu\"]/ul[1]/li[@class=\"here\"]/text()[1]");
        assert_eq!(path("e"), "/html/body/div[2]/p[1]/text()[2]");
        assert_eq!(path("f"), "/html/body/x:y[@class=\"a b\"]/text()[1]");
        assert_eq!(path("h"), "/html/body/i[2]/text()[1]");
    }

    #[test]
    fn a_step_without_number_selects_all_siblings() {
        let page = page();
        let found = |path: &str| path.parse::<NodePath>().expect("a path").select(&page).len();
        assert_eq!(found("//*[@id=\"menu\"]/ul/li"), 2);
        assert_eq!(found("/html/body/div"), 2);
        assert_eq!(found("//*[@id=\"twice\"]"), 2);
        assert_eq!(found("/html/body/div[3]"), 0);
        assert_eq!(found("/body"), 0);
    }

    #[test]
    fn texts_that_are_not_paths_are_rejected() {
        for text in [
            "",
            "/",
            "//",
            "html",
            "/html//p",
            "/p[x]",
            "/p[1",
            "//*[@id=\"x",
            "/p[@class=\"x]",
            "/[1]",
        ] {
            let error = text.parse::<NodePath>().expect_err(text).to_string();
            assert!(error.contains("is not a path"), "{error}");
        }
    }
}
