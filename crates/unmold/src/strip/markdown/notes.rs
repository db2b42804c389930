//! Footnotes: a small link to a text further down becomes `[^1]`, the text `[^1]: …`.
//!
//! Sphinx, Pandoc, MediaWiki, WordPress and most others write a link in a `sup` to the id of a list
//! item or block, which links back. A note that is referred to but was removed keeps its link.

use std::collections::{BTreeMap, BTreeSet};

use unmold_html::hash::KeyedMap;

use crate::page::{NodeId, Page, Tag};
use crate::strip::Stripped;

/// The footnotes of a page. Notes are numbered in the order of their texts.
#[derive(Default)]
pub(super) struct Notes {
    /// Links to notes.
    references: BTreeMap<NodeId, u32>,
    /// Texts of notes.
    texts: BTreeMap<NodeId, u32>,
    /// Links from notes back to where they are referred to.
    back: BTreeSet<NodeId>,
}

impl Notes {
    pub(super) fn of(stripped: &Stripped) -> Notes {
        let page = stripped.page();
        let links: Vec<NodeId> = page
            .body()
            .filter(|&id| page.tag(id) == Tag::A && stripped.keeps(id) && is_reference(page, id))
            .collect();
        if links.is_empty() {
            return Notes::default();
        }
        let ids: KeyedMap<&str, NodeId> = page
            .body()
            .filter(|&id| stripped.keeps(id) && note_at(page, id).is_some())
            .filter_map(|id| Some((page.attribute(id, "id")?, id)))
            .collect();
        let targets: Vec<(NodeId, NodeId)> = links
            .into_iter()
            .filter_map(|link| Some((link, *ids.get(fragment(page, link)?)?)))
            .filter(|&(link, target)| link < target)
            .collect();
        let note_of = |target| note_at(page, target).unwrap_or(target);
        let mut notes = Notes::default();
        for &(_, target) in &targets {
            notes.texts.insert(note_of(target), 0);
        }
        (1..).zip(notes.texts.values_mut()).for_each(|(number, value)| *value = number);
        for &(link, target) in &targets {
            notes.references.insert(link, notes.texts[&note_of(target)]);
        }
        let back = notes.texts.keys().flat_map(|&note| page.subtree(note));
        let labels = targets.iter().map(|&(_, target)| target);
        let labels = labels.filter(|&target| page.tag(target) == Tag::DT);
        notes.back = back.filter(|&id| is_back_link(page, id)).chain(labels).collect();
        notes
    }

    /// The number of the note that a link refers to.
    pub(super) fn reference(&self, link: NodeId) -> Option<u32> {
        self.references.get(&link).copied()
    }

    /// The number of the note that an element is the text of.
    pub(super) fn text(&self, id: NodeId) -> Option<u32> {
        self.texts.get(&id).copied()
    }

    pub(super) fn is_back_link(&self, id: NodeId) -> bool {
        self.back.contains(&id)
    }
}

/// The note that an element with an id is: itself, or what follows it if it is only the label.
fn note_at(page: &Page, id: NodeId) -> Option<NodeId> {
    match page.tag(id) {
        Tag::LI | Tag::P | Tag::DIV | Tag::ASIDE => Some(id),
        Tag::DT => {
            let next = page.subtree(id).end;
            let is_sibling = next < page.body().end && page.parent(next) == page.parent(id);
            (is_sibling && page.tag(next) == Tag::DD).then_some(next)
        }
        _ => None,
    }
}

/// The id that a link on the page leads to.
fn fragment(page: &Page, link: NodeId) -> Option<&str> {
    page.attribute(link, "href")?.trim().strip_prefix('#')
}

/// A short mark in a `sup`, or a link that says that it is one.
fn is_reference(page: &Page, link: NodeId) -> bool {
    let is_small = || page.ancestors(link).take(2).any(|id| page.tag(id) == Tag::SUP);
    let holds_small = || page.children(link).any(|id| page.tag(id) == Tag::SUP);
    let says_so = || {
        let classes = page.attribute(link, "class").unwrap_or("");
        page.attribute(link, "role") == Some("doc-noteref")
            || classes.split_whitespace().any(|class| REFERENCES.contains(&class))
    };
    let is_mark = || {
        let text = page.joined_text(page.subtree(link));
        let mark = text.trim_matches(|c: char| c.is_whitespace() || "[]()".contains(c));
        let is_symbol = |c: char| c.is_ascii_digit() || "*†‡§¶".contains(c);
        (1..=8).contains(&mark.len()) && mark.chars().all(is_symbol)
    };
    fragment(page, link).is_some()
        && page.subtree(link).len() <= 8
        && (is_small() || holds_small() || says_so())
        && is_mark()
}

/// Classes of links to notes.
const REFERENCES: [&str; 2] = ["footnote-reference", "footnote-ref"];

/// Classes of back links and of the marks before notes.
const BACK: [&str; 6] = [
    "footnote-back",
    "footnote-backref",
    "footnote-definition-label",
    "mw-cite-backlink",
    "label",
    "fn-backref",
];

fn is_back_link(page: &Page, id: NodeId) -> bool {
    let classes = page.attribute(id, "class").unwrap_or("");
    let text = || page.joined_text(page.subtree(id));
    let arrow = |text: String| matches!(text.trim(), "↩" | "↩\u{fe0e}" | "↑" | "^" | "⤴" | "⏎");
    !page.is_text(id)
        && page.subtree(id).len() <= 12
        && (classes.split_whitespace().any(|class| BACK.contains(&class))
            || page.attribute(id, "role") == Some("doc-backlink")
            || page.tag(id) == Tag::A && fragment(page, id).is_some() && arrow(text()))
}
