//! Selectors for elements that other tools understand.

use std::fmt::Write as _;

use crate::page::{NodeId, Page};

/// Selects elements by tag name, and optionally by `id` or class.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Selector {
    tag: String,
    name: Option<Name>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Name {
    Id(String),
    Class(String),
}

/// Elements that are more often template than content.
const BOILERPLATE_TAGS: [&str; 4] = ["aside", "footer", "header", "nav"];

impl Selector {
    /// Every selector that is likely to find the element on other pages, too. Names with digits
    /// tend to belong to one page (`post-1234`).
    pub(super) fn of(page: &Page, id: NodeId) -> Vec<Selector> {
        let tag = page.tag_name(id).to_owned();
        let is_reusable = |name: &&str| {
            !name.is_empty()
                && name.len() <= 100
                && !name.contains(|c: char| c.is_ascii_digit() || c == '"' || c.is_control())
        };
        let by = |name: Name| Selector { tag: tag.clone(), name: Some(name) };
        let with_id = page
            .attribute(id, "id")
            .into_iter()
            .filter(is_reusable)
            .map(|name| by(Name::Id(name.to_owned())));
        let classes = page.attribute(id, "class").unwrap_or("").split_ascii_whitespace();
        let with_class = classes.filter(is_reusable).map(|name| by(Name::Class(name.to_owned())));
        let alone = BOILERPLATE_TAGS
            .contains(&tag.as_str())
            .then(|| Selector { tag: tag.clone(), name: None });
        with_id.chain(with_class).chain(alone).collect()
    }

    /// As CSS: `div#menu`, `ul.links`, `nav`.
    #[must_use]
    pub fn css(&self) -> String {
        match &self.name {
            None => self.tag.clone(),
            Some(Name::Id(name)) => format!("{}#{}", self.tag, escaped(name)),
            Some(Name::Class(name)) => format!("{}.{}", self.tag, escaped(name)),
        }
    }

    /// As XPath: `//div[@id="menu"]`.
    #[must_use]
    pub fn xpath(&self) -> String {
        match &self.name {
            None => format!("//{}", self.tag),
            Some(Name::Id(name)) => format!("//{}[@id=\"{name}\"]", self.tag),
            Some(Name::Class(name)) => {
                format!(
                    "//{}[contains(concat(\" \", normalize-space(@class), \" \"), \" {name} \")]",
                    self.tag
                )
            }
        }
    }
}

/// Escapes a name as a CSS identifier.
fn escaped(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.chars().enumerate() {
        match c {
            '-' if at == 0 && name.len() == 1 => out.push_str("\\-"),
            c if c.is_alphanumeric() || c == '-' || c == '_' => out.push(c),
            c => {
                let _ = write!(out, "\\{c}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Limits;

    #[test]
    fn selectors_are_written_as_css_and_xpath() {
        let page =
            Page::parse(br#"<nav id=top class="wide md:flex post-1234">x"#, &Limits::default());
        let nav = page.nodes().find(|&id| page.tag_name(id) == "nav").expect("a nav element");
        let written: Vec<(String, String)> = Selector::of(&page, nav)
            .iter()
            .map(|selector| (selector.css(), selector.xpath()))
            .collect();
        let class = |name: &str| {
            format!("//nav[contains(concat(\" \", normalize-space(@class), \" \"), \" {name} \")]")
        };
        assert_eq!(
            written,
            [
                ("nav#top".to_owned(), "//nav[@id=\"top\"]".to_owned()),
                ("nav.wide".to_owned(), class("wide")),
                ("nav.md\\:flex".to_owned(), class("md:flex")),
                ("nav".to_owned(), "//nav".to_owned()),
            ]
        );
    }
}
