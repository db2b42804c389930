//! What a person said about a template: "this is content", "that is template". It wins over what
//! was learned.
//!
//! Nothing is deleted: each correction has a serial number, the last one wins, and
//! [`OverrideVerdict::Learned`] gives a place back to the method. So the file keeps its history.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::node_path::NodePath;
use crate::marks::{Marks, Source};
use crate::page::{NodeId, Page, word_key};

/// What a correction says about a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OverrideVerdict {
    /// It is content.
    Content,
    /// It is template.
    Template,
    /// The method decides again.
    Learned,
}

/// The nodes of a page that a correction is about. A text alone selects it anywhere, a path alone
/// whatever is there, both together that text at that path. A selector with neither selects
/// nothing.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Selector {
    /// Where they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<NodePath>,
    /// Their words in comparison form, one space between them ([`text_key`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// One correction.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Override {
    /// 1 for the first of a template, then ascending.
    pub serial: u32,
    /// What it says.
    pub verdict: OverrideVerdict,
    /// About which nodes.
    #[serde(flatten)]
    pub selector: Selector,
    /// Why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The corrections of a template, oldest first.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<Override>", into = "Vec<Override>")]
pub struct Overrides(Vec<Override>);

impl From<Vec<Override>> for Overrides {
    fn from(mut list: Vec<Override>) -> Overrides {
        list.sort_by_key(|one| one.serial);
        Overrides(list)
    }
}

impl From<Overrides> for Vec<Override> {
    fn from(overrides: Overrides) -> Vec<Override> {
        overrides.0
    }
}

/// The words of a node, in the form that [`Selector::text`] has.
pub fn text_key(page: &Page, id: NodeId) -> String {
    word_key(&page.joined_text(page.subtree(id)))
}

impl Overrides {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Override> {
        self.0.iter()
    }

    /// Adds a correction and returns its serial number.
    pub fn add(
        &mut self,
        selector: Selector,
        verdict: OverrideVerdict,
        note: Option<String>,
    ) -> u32 {
        let serial = self.0.last().map_or(0, |last| last.serial).saturating_add(1);
        self.0.push(Override { serial, verdict, selector, note });
        serial
    }

    /// These, and then those of `newer` that are not among them yet.
    #[must_use]
    pub fn joined_by(&self, newer: &Overrides) -> Overrides {
        let mut joined = self.clone();
        for one in newer.0.iter().filter(|one| !self.0.contains(one)) {
            joined.add(one.selector.clone(), one.verdict, one.note.clone());
        }
        joined
    }

    /// The last correction of each node of the page; `None` where the method decides.
    fn of_nodes(&self, page: &Page) -> Vec<Option<&Override>> {
        let mut last = vec![None; page.len() as usize];
        for one in &self.0 {
            let decides = Some(one).filter(|one| one.verdict != OverrideVerdict::Learned);
            for id in one.selector.select(page).into_iter().flat_map(|id| page.subtree(id)) {
                last[id.index()] = decides;
            }
        }
        last
    }

    /// Changes marks accordingly. Nodes that are not on the page change nothing.
    pub fn apply(&self, page: &Page, marks: &mut Marks) {
        if self.is_empty() {
            return;
        }
        let corrections = self.of_nodes(page);
        if corrections.iter().all(Option::is_none) {
            return;
        }
        marks.make_room_for_both();
        for (id, one) in page.nodes().zip(&corrections) {
            if let Some(one) = one {
                let value = if one.verdict == OverrideVerdict::Template { 1.0 } else { 0.0 };
                marks.set(id, value, Some(Source::Override(one.serial)));
            }
        }
        lift(page, marks, &corrections);
    }
}

/// An element that holds content is not template; one that holds nothing but template is.
fn lift(page: &Page, marks: &mut Marks, corrections: &[Option<&Override>]) {
    let mut changed = vec![false; corrections.len()];
    for id in page.nodes().rev() {
        let index = id.index();
        if corrections[index].is_none() && changed[index] {
            let min = page.children(id).map(|child| marks.value(child)).fold(1.0, f32::min);
            marks.set(id, min, None);
        }
        if let Some(parent) =
            page.parent(id).filter(|_| corrections[index].is_some() || changed[index])
        {
            changed[parent.index()] = true;
        }
    }
}

impl Selector {
    /// The selected nodes, outermost ones only, in document order.
    pub fn select(&self, page: &Page) -> Vec<NodeId> {
        match (&self.path, &self.text) {
            (None, None) => Vec::new(),
            (Some(path), None) => path.select(page),
            (Some(path), Some(text)) => {
                path.select(page).into_iter().filter(|&id| text_key(page, id) == *text).collect()
            }
            (None, Some(text)) => with_text(page, text),
        }
    }
}

/// The outermost nodes with exactly this text.
fn with_text(page: &Page, key: &str) -> Vec<NodeId> {
    if key.is_empty() {
        return Vec::new();
    }
    let lengths = text_lengths(page);
    let likely = likely_lengths(key);
    let mut found: Vec<NodeId> = Vec::new();
    let body = page.body();
    let mut id = body.start;
    while id < body.end {
        if likely.contains(&lengths[id.index()]) && text_key(page, id) == key {
            found.push(id);
            id = page.subtree(id).end;
        } else {
            id = id.next();
        }
    }
    found
}

/// How many bytes a text with this key can have, punctuation included: avoids comparing whole
/// pages.
fn likely_lengths(key: &str) -> Range<usize> {
    key.len() / 4..key.len().saturating_mul(4).saturating_add(256)
}

/// Bytes of text below each node.
fn text_lengths(page: &Page) -> Vec<usize> {
    let mut lengths = vec![0; page.len() as usize];
    for id in page.nodes().rev() {
        lengths[id.index()] += page.text(id).len();
        if let Some(parent) = page.parent(id) {
            lengths[parent.index()] += lengths[id.index()];
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{ChunkFrequency, Method, Sample};
    use crate::{KindTemplate, Learned, Limits, strip};

    const MENU: &str = "<nav class=top><ul><li>Home</li><li>Shop</li></ul></nav>";

    fn page(word: &str) -> Page {
        let html = format!(
            "{MENU}<div><p>All about {word}.</p><p>Only here: {word}!</p></div><p>Imprint</p>"
        );
        Page::parse(html.as_bytes(), &Limits::default())
    }

    fn template() -> KindTemplate {
        let pages = ["tea", "cake", "jam"].map(page);
        let learned = ChunkFrequency::default().learn(&Sample::new(&pages)).expect("enough pages");
        KindTemplate::new("s#1", Learned::ChunkFrequency(learned))
    }

    fn at(path: &str) -> Selector {
        Selector { path: Some(path.parse().expect("a path")), text: None }
    }

    fn saying(text: &str) -> Selector {
        Selector { path: None, text: Some(text.to_owned()) }
    }

    fn text(template: &KindTemplate, page: &Page) -> String {
        strip(page, &template.mark(page)).text()
    }

    #[test]
    fn a_person_wins_over_what_was_learned() {
        let (mut template, page) = (template(), page("plum"));
        assert_eq!(text(&template, &page), "All about plum.\nOnly here: plum!");
        assert_eq!(
            template.overrides.add(at("/html/body/nav/ul/li[2]"), OverrideVerdict::Content, None),
            1
        );
        assert_eq!(text(&template, &page), "Shop\nAll about plum.\nOnly here: plum!");
        assert_eq!(
            template.overrides.add(at("/html/body/div/p[2]"), OverrideVerdict::Template, None),
            2
        );
        assert_eq!(text(&template, &page), "Shop\nAll about plum.");
        template.overrides.add(saying("imprint"), OverrideVerdict::Content, None);
        assert_eq!(text(&template, &page), "Shop\nAll about plum.\nImprint");
    }

    #[test]
    fn the_last_word_counts_and_history_stays() {
        let (mut template, page) = (template(), page("plum"));
        let shop = || at("/html/body/nav/ul/li[2]");
        template.overrides.add(shop(), OverrideVerdict::Content, None);
        template.overrides.add(at("/html/body/nav"), OverrideVerdict::Template, None);
        assert_eq!(text(&template, &page), "All about plum.\nOnly here: plum!");
        template.overrides.add(shop(), OverrideVerdict::Content, None);
        template.overrides.add(shop(), OverrideVerdict::Learned, None);
        assert_eq!(text(&template, &page), "All about plum.\nOnly here: plum!");
        let serials: Vec<u32> = template.overrides.iter().map(|one| one.serial).collect();
        assert_eq!(serials, [1, 2, 3, 4]);
    }

    #[test]
    fn a_place_that_is_not_on_the_page_is_harmless() {
        let (mut template, page) = (template(), page("plum"));
        let before = template.mark(&page);
        for path in [
            "/html/body/table/tr[9]",
            "//*[@id=\"gone\"]/p[1]",
            "/html/body/div[@class=\"x\"]",
            "/div",
        ] {
            template.overrides.add(at(path), OverrideVerdict::Content, None);
        }
        template.overrides.add(saying("never said"), OverrideVerdict::Template, None);
        template.overrides.add(Selector::default(), OverrideVerdict::Template, None);
        assert_eq!(template.mark(&page), before);
    }

    #[test]
    fn a_text_at_a_place_is_neither_the_place_nor_the_text() {
        let (mut template, page) = (template(), page("plum"));
        let mut selector = at("/html/body/div/p[1]");
        selector.text = Some("all about tea".to_owned());
        template.overrides.add(selector.clone(), OverrideVerdict::Template, None);
        assert_eq!(text(&template, &page), "All about plum.\nOnly here: plum!");
        selector.text = Some("all about plum".to_owned());
        template.overrides.add(selector, OverrideVerdict::Template, None);
        assert_eq!(text(&template, &page), "Only here: plum!");
    }

    #[test]
    fn what_holds_only_template_goes_with_it() {
        let (mut template, page) = (template(), page("plum"));
        template.overrides.add(at("/html/body/div/p[1]"), OverrideVerdict::Template, None);
        template.overrides.add(at("/html/body/div/p[2]"), OverrideVerdict::Template, None);
        let marks = template.mark(&page);
        let html = strip(&page, &marks).html();
        assert!(!html.contains("<div>"), "{html}");
    }

    #[test]
    fn a_template_without_any_template_obeys_too() {
        let (mut template, page) = (template(), page("plum"));
        let pages = ["tea", "cake", "jam"].map(super::tests::page);
        let all =
            ChunkFrequency { threshold: crate::methods::Threshold::Pages(3), ..Default::default() };
        template.learned =
            Learned::ChunkFrequency(all.learn(&Sample::new(&pages)).expect("enough pages"));
        assert!(template.mark(&page).threshold() > 1.0);
        template.overrides.add(at("/html/body/nav"), OverrideVerdict::Template, None);
        assert_eq!(text(&template, &page), "All about plum.\nOnly here: plum!\nImprint");
    }

    #[test]
    fn texts_are_the_outermost_nodes_that_say_them() {
        let page = Page::parse(
            b"<div><p><b>Hot</b> tea!</p></div><p>hot, TEA</p><p>Hot teas</p>",
            &Limits::default(),
        );
        let found: Vec<&str> =
            saying("hot tea").select(&page).into_iter().map(|id| page.tag_name(id)).collect();
        assert_eq!(found, ["div", "p"]);
    }
}
