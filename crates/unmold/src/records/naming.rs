//! Names for columns: the template's own labels, table headers, microdata, the title, class words.
//!
//! Every candidate gets a score on each page, and the sum decides.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use unmold_html::hash::KeyedMap;

use super::columns::{Draft, label_of};
use super::role::How;
use super::sample::Pages;
use super::structured::{Structured, label_of_key};
use super::tree::Tree;
use super::types::ColumnType;
use super::view::{ends_as_label, marks_of, tag_of};
use crate::page::{NodeId, words};
use unmold_html::{Tag, word_key};

/// Where the name of a column comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NameSource {
    /// A label in the same text.
    Inline,
    /// A template text before the value.
    Label,
    /// The header of a table.
    Header,
    /// Microdata.
    Microdata,
    /// Metadata of the page's head with the same value.
    Metadata,
    /// The page's title holds the value.
    Title,
    /// A heading.
    Heading,
    /// The type.
    Type,
    /// A class word or an id.
    Class,
    /// A person.
    Override,
}

impl NameSource {
    /// Whether the page says the name to its readers.
    pub fn is_label(self) -> bool {
        matches!(self, NameSource::Inline | NameSource::Label | NameSource::Header)
    }

    /// What the source adds to the rank of a column.
    pub(super) fn weight(self) -> f64 {
        match self {
            NameSource::Inline => 0.8,
            NameSource::Label | NameSource::Heading => 0.6,
            NameSource::Header | NameSource::Class | NameSource::Microdata => 0.2,
            _ => 0.0,
        }
    }
}

/// The name of a column, and what else naming finds out.
#[derive(Clone, Default)]
pub(super) struct Naming {
    pub label: String,
    pub source: Option<NameSource>,
    /// Other candidates with a score of more than 1 a page.
    pub others: Vec<String>,
    /// How much of the page's title the value makes up.
    pub in_title: f64,
    /// Whether a label with a colon, or in the same text, names it.
    pub is_sure: bool,
    /// The key of structured data with the same values.
    pub structured: Option<String>,
}

/// Pages that are looked at for a name.
const MAX_PAGES: usize = 40;
/// Texts before a value that are looked at.
const MAX_BACK: usize = 11;
/// Rows of a table that are tried as its header.
const MAX_ROWS: usize = 20;
/// Longest label, in bytes and words.
const MAX_LABEL: usize = 50;
const MAX_WORDS: usize = 6;

/// Class words that say nothing about a value.
const GENERIC: [&str; 76] = [
    "value",
    "val",
    "text",
    "txt",
    "content",
    "data",
    "item",
    "field",
    "info",
    "desc",
    "col",
    "column",
    "row",
    "left",
    "right",
    "main",
    "body",
    "box",
    "inner",
    "wrap",
    "wrapper",
    "container",
    "clearfix",
    "span",
    "div",
    "lbl",
    "label",
    "ctl",
    "block",
    "module",
    "mod",
    "bd",
    "hd",
    "top",
    "bottom",
    "small",
    "large",
    "big",
    "bold",
    "first",
    "last",
    "list",
    "link",
    "links",
    "page",
    "article",
    "section",
    "table",
    "cell",
    "style",
    "center",
    "wide",
    "fixed",
    "std",
    "normal",
    "font",
    "black",
    "red",
    "gray",
    "grey",
    "blue",
    "heading",
    "header",
    "ui",
    "widget",
    "panel",
    "group",
    "grid",
    "flex",
    "btn",
    "icon",
    "img",
    "li",
    "ul",
    "td",
    "tr",
];

/// What names are found by.
pub(super) struct Namer<'n, 'a> {
    pages: &'n Pages<'a>,
    /// Nodes of each page that are template.
    fixed: Vec<Vec<bool>>,
    /// Texts of each page.
    texts: Vec<Vec<u32>>,
    titles: Vec<String>,
    /// How many slots have the same marks.
    marks: KeyedMap<String, usize>,
    structured: Structured,
}

/// A text before a value.
struct Before<'t> {
    text: &'t str,
    /// Texts between.
    gap: usize,
    /// Steps in the tree between.
    distance: u32,
    is_link: bool,
    tag: Tag,
}

type Candidates = BTreeMap<(NameSource, String), f64>;

impl<'n, 'a> Namer<'n, 'a> {
    pub fn new(pages: &'n Pages<'a>, tree: &Tree, slots: &[Draft]) -> Namer<'n, 'a> {
        let mut fixed: Vec<Vec<bool>> =
            pages.views.iter().map(|view| vec![false; view.page.len() as usize]).collect();
        for draft in slots {
            mark_fixed(pages, tree, draft, &mut fixed);
        }
        let texts = pages
            .views
            .iter()
            .map(|view| {
                let mut texts: Vec<u32> = view.leaves.iter().map(|leaf| leaf.node).collect();
                texts.dedup();
                texts
            })
            .collect();
        let title =
            |view: &super::sample::View| view.page.title().map_or_else(String::new, word_key);
        let titles = pages.views.iter().map(title).collect();
        let structured = Structured::of(pages);
        let marks = KeyedMap::default();
        let mut namer = Namer { pages, fixed, texts, titles, marks, structured };
        for draft in slots.iter().filter(|draft| draft.cells.len() >= 2) {
            if let Some((_, mark, _)) = namer.mark_of(draft) {
                *namer.marks.entry(mark).or_default() += 1;
            }
        }
        namer
    }

    /// Columns that are in structured data only: their keys and the values of each page.
    pub fn structured(&self) -> &Structured {
        &self.structured
    }

    pub fn name(&self, tree: &Tree, draft: &Draft) -> Naming {
        let mut candidates = Candidates::new();
        let firsts: Vec<(u32, u32)> =
            draft.cells.iter().take(MAX_PAGES).map(|cell| (cell.page, cell.nodes[0])).collect();
        let count = firsts.len() as f64;
        let mut colons: BTreeMap<String, usize> = BTreeMap::new();
        let mut add = |source: NameSource, label: &str, score: f64| {
            if score > 0.0 && source.is_label() && ends_as_label(label.trim_end()) {
                *colons.entry(cleaned(label)).or_default() += 1;
            }
            if score > 0.0 {
                *candidates.entry((source, cleaned(label))).or_default() += score;
            }
        };
        for &(page, node) in &firsts {
            if let Some(split) = self.pages.views[page as usize].splits.get(&node) {
                add(NameSource::Inline, self.pages.texts.get(split.label), 6.0);
                continue;
            }
            for before in self.before(page, node) {
                add(NameSource::Label, before.text, before.score());
            }
        }
        if let Some((label, score)) = self.label_of_path(tree, draft) {
            add(NameSource::Label, label, count * score);
        }
        if let Some(header) = self.table_header(&firsts) {
            add(NameSource::Header, &header, count * 3.2);
        }
        if let Some((source, mark, score)) = self.mark_of(draft) {
            let shared = self.marks.get(&mark).copied().unwrap_or(0);
            let trust = match shared {
                _ if source == NameSource::Microdata => 1.0,
                0 | 1 => 1.0,
                2 | 3 => 0.7,
                _ => 0.3,
            };
            add(source, &mark, count * score * trust);
        }
        let key = self.structured.key_of(self.pages, draft);
        if let Some((key, share)) = key {
            add(NameSource::Metadata, &label_of_key(key), count * 4.5 * share);
        }
        let (share, length) = self.in_title(draft);
        let distinct = self.distinct_firsts(draft);
        if share >= 0.8 && length >= 0.15 && distinct >= 0.5 {
            add(NameSource::Title, "title", count * (3.0 + 3.0 * length));
        }
        if let Some((name, score)) = name_of_type(draft.kind) {
            add(NameSource::Type, name, count * score);
        }
        match heading_of(self.pages, tree, draft) {
            Some(("title", true)) => add(NameSource::Heading, "page title", count * 9.0),
            Some(("h1", _)) => add(NameSource::Heading, "title", count * 3.4),
            Some(("h2", _)) => add(NameSource::Heading, "heading", count * 1.5),
            _ => {}
        }
        let in_title = if distinct >= 0.3 { share * length } else { 0.0 };
        let mut naming = best(candidates, count, in_title);
        let with_colon = colons.get(&naming.label).copied().unwrap_or(0);
        naming.structured = key.map(|(key, _)| key.to_owned());
        naming.is_sure =
            naming.source.is_some_and(NameSource::is_label) && with_colon as f64 >= 0.5 * count;
        naming
    }

    /// Share of pages with a different first value.
    fn distinct_firsts(&self, draft: &Draft) -> f64 {
        let mut firsts: Vec<&str> =
            draft.cells.iter().filter_map(|cell| cell.values(self.pages).next()).collect();
        let count = firsts.len() as f64;
        firsts.sort_unstable();
        firsts.dedup();
        firsts.len() as f64 / count.max(1.0)
    }

    /// Share of pages whose title holds the value, and how much of the title it makes up there.
    fn in_title(&self, draft: &Draft) -> (f64, f64) {
        let (mut pages, mut hits, mut length) = (0, 0, 0.0);
        for cell in &draft.cells {
            let title = &self.titles[cell.page as usize];
            if title.is_empty() {
                continue;
            }
            pages += 1;
            let value = cell.values(self.pages).next().map_or_else(String::new, word_key);
            if cell.nodes.len() == 1 && value.len() >= 3 && title.contains(&value) {
                hits += 1;
                length += value.len() as f64 / title.len() as f64;
            }
        }
        if pages < 3 || hits == 0 {
            return (0.0, 0.0);
        }
        (f64::from(hits) / f64::from(pages), length / f64::from(hits))
    }

    /// The nearest template texts before a text.
    fn before(&self, page: u32, node: u32) -> Vec<Before<'_>> {
        let view = &self.pages.views[page as usize];
        let texts = &self.texts[page as usize];
        let at = texts.partition_point(|&text| text < node);
        let mut found = Vec::new();
        for (gap, &text_node) in texts[..at].iter().rev().take(MAX_BACK).enumerate() {
            if !self.fixed[page as usize][text_node as usize] {
                continue;
            }
            let id = NodeId::new(text_node);
            let text = view.page.text(id);
            if text.len() <= MAX_LABEL && text.split_whitespace().count() <= MAX_WORDS {
                let is_link =
                    view.page.ancestors(id).take(3).any(|above| view.page.tag(above) == Tag::A);
                let tag = view.page.parent(id).map_or(Tag::BODY, |above| view.page.tag(above));
                let distance = self.distance(page, text_node, node);
                found.push(Before { text, gap, distance, is_link, tag });
            }
            if found.len() >= 2 {
                break;
            }
        }
        found
    }

    /// Steps in the tree between two nodes of a page.
    fn distance(&self, page: u32, left: u32, right: u32) -> u32 {
        let view = &self.pages.views[page as usize];
        let (mut a, mut b, mut steps) = (left, right, 0);
        while a != b {
            let up = if view.depth(a) >= view.depth(b) { &mut a } else { &mut b };
            let Some(parent) = view.parent(*up) else { break };
            *up = parent;
            steps += 1;
        }
        steps
    }

    /// The last label on the column's path, if it is near its end.
    fn label_of_path(&self, tree: &Tree, draft: &Draft) -> Option<(&str, f64)> {
        let step = tree.slots[draft.slots[0] as usize].step;
        let (distance, label) = tree
            .steps_up(step)
            .take(4)
            .enumerate()
            .find_map(|(at, step)| label_of(step).map(|label| (at + 1, label)))?;
        Some((self.pages.texts.get(label), (2.5 - 0.5 * distance as f64).max(0.0)))
    }

    /// Microdata, or the words of a class or id near the value.
    fn mark_of(&self, draft: &Draft) -> Option<(NameSource, String, f64)> {
        let cell = draft.cells.first()?;
        let view = &self.pages.views[cell.page as usize];
        let near = view.page.ancestors(NodeId::new(cell.nodes[0])).take(3);
        for (steps, id) in near.enumerate() {
            if let Some(name) = view.page.attribute(id, "itemprop").filter(|name| !name.is_empty())
            {
                return Some((NameSource::Microdata, words_of(name).join(" "), 5.0));
            }
            let key = self.pages.keys.get(view.keys[id.index()]);
            let mut found: Vec<String> = marks_of(key)
                .flat_map(words_of)
                .filter(|word| !GENERIC.contains(&word.as_str()))
                .collect();
            if !found.is_empty() {
                let mut last = found.split_off(found.len().saturating_sub(3));
                last.dedup();
                let score = 2.4 - 0.4 * steps as f64;
                return Some((NameSource::Class, last.join(" "), score));
            }
        }
        None
    }

    /// The cell above in the header of the table, if it is template.
    fn table_header(&self, firsts: &[(u32, u32)]) -> Option<String> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for &(page, node) in firsts.iter().take(10) {
            if let Some(header) = self.header_above(page, node)? {
                *counts.entry(header).or_default() += 1;
            }
        }
        let (header, count) = counts.into_iter().max_by_key(|&(_, count)| count)?;
        (count >= 2).then_some(header)
    }

    /// `None` if the value is not in a table with columns.
    fn header_above(&self, page: u32, node: u32) -> Option<Option<String>> {
        let view = &self.pages.views[page as usize];
        let of = view.page;
        let is_cell = |id: &NodeId| matches!(of.tag(*id), Tag::TD | Tag::TH);
        let cell = of.ancestors(NodeId::new(node)).find(is_cell)?;
        let row = of.parent(cell).filter(|&row| of.tag(row) == Tag::TR)?;
        let cells = |row: NodeId| -> Vec<NodeId> { of.children(row).filter(is_cell).collect() };
        let of_row = cells(row);
        if of_row.len() < 3 {
            return None;
        }
        let column = of_row.iter().position(|&known| known == cell)?;
        let body = of.parent(row)?;
        let is_part = matches!(of.tag(body), Tag::TBODY | Tag::THEAD | Tag::TFOOT);
        let table = if is_part { of.parent(body)? } else { body };
        let parts: Vec<NodeId> = if is_part { of.children(table).collect() } else { vec![table] };
        let rows = parts.into_iter().flat_map(|part| of.children(part).collect::<Vec<_>>());
        let rows = rows.filter(|&id| of.tag(id) == Tag::TR && id < row).take(MAX_ROWS);
        let header = rows.map(cells).find(|cells| cells.len() == of_row.len());
        Some(header.and_then(|cells| match view.leaves(cells[column].position()) {
            [leaf] if self.fixed[page as usize][leaf.node as usize] => {
                Some(self.pages.texts.get(leaf.text).to_owned())
            }
            _ => None,
        }))
    }
}

impl Before<'_> {
    /// How well the text names the value after it.
    fn score(&self) -> f64 {
        let mut score = 4.2 - self.gap as f64 - 0.3 * f64::from(self.distance.saturating_sub(2));
        if ends_as_label(self.text.trim_end()) || self.text.trim_end().ends_with('=') {
            score += 2.0;
        }
        let is_label = matches!(
            self.tag,
            Tag::TH
                | Tag::DT
                | Tag::LABEL
                | Tag::B
                | Tag::STRONG
                | Tag::H2
                | Tag::H3
                | Tag::H4
                | Tag::H5
                | Tag::H6
        );
        if is_label {
            score += 0.5;
        }
        if self.is_link {
            score -= 2.0;
        }
        let has_letters =
            self.text.split(|c: char| !c.is_alphabetic()).any(|run| run.chars().count() >= 2);
        if !has_letters {
            score -= 3.0;
        }
        score
    }
}

/// Marks the texts of a slot that are template: nearly all pages have them there, or they are
/// labels.
fn mark_fixed(pages: &Pages, tree: &Tree, draft: &Draft, fixed: &mut [Vec<bool>]) {
    let text = |page: u32, node: u32| pages.views[page as usize].text(node);
    let nodes =
        || draft.cells.iter().flat_map(|cell| cell.nodes.iter().map(|&node| (cell.page, node)));
    if draft.cells.len() < 2 {
        return;
    }
    let mut counts: KeyedMap<&str, usize> = KeyedMap::default();
    for (page, node) in nodes() {
        *counts.entry(text(page, node)).or_default() += 1;
    }
    let step = tree.slots[draft.slots[0] as usize].step;
    let is_label = tree.steps_up(step).take(3).any(|step| matches!(step.role.how, How::Is(_)));
    for (page, node) in nodes() {
        let text = text(page, node);
        let count = counts[text];
        let is_usual = count as f64 >= 0.8 * draft.cells.len() as f64;
        if is_usual || is_label && count >= 2 || ends_as_label(text) && count >= 3 {
            fixed[page as usize][node as usize] = true;
        }
    }
}

/// What a type is called, and how sure that is: a telephone number is hardly anything else.
fn name_of_type(kind: ColumnType) -> Option<(&'static str, f64)> {
    match kind {
        ColumnType::Phone => Some(("phone", 4.5)),
        ColumnType::Email => Some(("email", 4.5)),
        ColumnType::Url => Some(("url", 2.6)),
        ColumnType::Money => Some(("price", 3.0)),
        ColumnType::Date => Some(("date", 2.6)),
        ColumnType::Percent => Some(("percent", 2.6)),
        _ => None,
    }
}

/// The heading that a column is in, and whether it is in the page's head.
fn heading_of<'p>(pages: &'p Pages, tree: &Tree, draft: &Draft) -> Option<(&'p str, bool)> {
    let step = tree.slots[draft.slots[0] as usize].step;
    let tags: Vec<&str> =
        tree.steps_up(step).map(|step| tag_of(pages.keys.get(step.family))).collect();
    let near = &tags[..tags.len().min(4)];
    let has = |tag: &str| near.contains(&tag);
    if has("title") && tags.last() == Some(&"head") {
        return Some(("title", true));
    }
    ["h1", "h2"].into_iter().find(|tag| has(tag)).map(|tag| (tag, false))
}

/// The words of a class or id: `priceBox-main` is `price box main`.
pub(super) fn words_of(mark: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in mark.chars() {
        if !c.is_alphabetic() || c.is_uppercase() && was_lower {
            words.push(String::new());
        }
        if c.is_alphabetic() {
            words.last_mut().expect("there is one").extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| word.chars().count() > 1);
    words
}

/// A label without what ends it, in lower case.
fn cleaned(label: &str) -> String {
    let label = label.trim_end_matches(|c: char| ":：=*".contains(c) || c.is_whitespace());
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn best(candidates: Candidates, count: f64, in_title: f64) -> Naming {
    let mut sorted: Vec<((NameSource, String), f64)> =
        candidates.into_iter().filter(|((_, label), _)| words(label).next().is_some()).collect();
    sorted.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    let others = sorted
        .iter()
        .skip(1)
        .take(2)
        .filter(|(_, score)| *score > count)
        .map(|((_, label), _)| label.clone())
        .collect();
    match sorted.into_iter().next() {
        Some(((source, label), _)) => {
            Naming { label, source: Some(source), others, in_title, ..Naming::default() }
        }
        None => Naming { in_title, ..Naming::default() },
    }
}

/// A label as a name: `Release date` is `release_date`.
pub(super) fn snake_case(label: &str) -> String {
    let name: Vec<String> = words(label).map(|word| word.to_lowercase()).collect();
    name.join("_")
}
