//! Content by selector: `tag`, `#id`, `.class`, `[name=value]`, or several of them run together.

use serde::Deserialize;
use unmold::{Marks, NodeId, Page, strip};

/// One compound selector.
#[derive(Clone, PartialEq, Eq, Deserialize, Debug)]
#[serde(try_from = "String")]
pub struct Selector {
    tag: Option<String>,
    /// Attribute and value; for `class` one of the words of the value.
    attributes: Vec<(String, String)>,
}

impl TryFrom<String> for Selector {
    type Error = String;

    fn try_from(text: String) -> Result<Selector, String> {
        Selector::parse(&text).ok_or_else(|| format!("not a selector: {text:?}"))
    }
}

impl Selector {
    /// Reads `div.body`, `#content`, `section[role=main]` and the like.
    pub fn parse(text: &str) -> Option<Selector> {
        let mut parts: Vec<String> = vec![String::new()];
        for letter in text.trim().chars() {
            match letter {
                '#' | '.' | '[' => parts.push(letter.to_string()),
                letter if letter.is_alphanumeric() || "-_=]".contains(letter) => {
                    parts.last_mut()?.push(letter)
                }
                _ => return None,
            }
        }
        let tag = parts.remove(0);
        let attributes = parts
            .iter()
            .map(|part| {
                let pair = |name: &str| Some((name.to_owned(), part[1..].to_owned()));
                match part.chars().next()? {
                    '#' => pair("id"),
                    '.' => pair("class"),
                    _ => {
                        let (name, value) = part[1..].strip_suffix(']')?.split_once('=')?;
                        Some((name.to_owned(), value.to_owned()))
                    }
                }
            })
            .collect::<Option<Vec<_>>>()?;
        let empty = attributes.iter().any(|(name, value)| name.is_empty() || value.is_empty());
        if empty || (tag.is_empty() && attributes.is_empty()) {
            return None;
        }
        Some(Selector { tag: Some(tag).filter(|tag| !tag.is_empty()), attributes })
    }

    fn matches(&self, page: &Page, id: NodeId) -> bool {
        !page.is_text(id)
            && self.tag.as_deref().is_none_or(|tag| page.tag_name(id) == tag)
            && self.attributes.iter().all(|(name, wanted)| {
                page.attribute(id, name).is_some_and(|value| {
                    if name == "class" {
                        value.split_whitespace().any(|word| word == wanted)
                    } else {
                        value == wanted
                    }
                })
            })
    }

    /// The text of the first element that matches, if one does.
    pub fn text(&self, page: &Page) -> Option<String> {
        let content = page.nodes().find(|&id| self.matches(page, id)).map(|id| page.subtree(id))?;
        let mut marks = Marks::with_threshold(page, 0.5);
        for id in page.nodes() {
            if page.is_text(id) && !content.contains(id) {
                marks.set(id, 1.0, None);
            }
        }
        Some(strip(page, &marks).text())
    }
}

#[cfg(test)]
mod tests {
    use unmold::Limits;

    use super::*;

    #[test]
    fn content_is_selected() {
        let html = b"<nav>menu</nav><div class='page body'>Green <b>tea</b><p>two</div><div id=x role=main>three</div>";
        let page = Page::parse(html, &Limits::default());
        let check = |selector: &str, expected: Option<&str>| {
            let selector = Selector::parse(selector).expect("a selector");
            assert_eq!(
                selector
                    .text(&page)
                    .as_deref()
                    .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
                    .as_deref(),
                expected
            );
        };
        check("div.body", Some("Green tea two"));
        check(".page.body", Some("Green tea two"));
        check("#x", Some("three"));
        check("div[role=main]", Some("three"));
        check("nav", Some("menu"));
        check("main", None);
    }

    #[test]
    fn what_is_no_selector() {
        for text in ["", "div > p", "[x", "[=y]", "#", "a b", "."] {
            assert_eq!(Selector::parse(text), None, "{text}");
        }
    }
}
