//! The schema of a kind: its columns, and what finds their values on a page.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::columns::{Cell, Draft, columns};
use super::locate::{css, id_of, xpath};
use super::naming::{NameSource, snake_case};
use super::overrides::{ColumnOverride, Corrected};
use super::relearn::{MAX_SEEN, seen};
use super::role::{Mode, Name, Role};
use super::sample::Pages;
use super::tree::{Node, Target, Tree};
use super::types::ColumnType;
use super::view::LayoutNames;
use crate::marks::Marks;
use crate::page::Page;

/// Most examples of a column.
pub(super) const EXAMPLES: usize = 3;
/// Longest example, in characters.
pub(super) const EXAMPLE_CHARS: usize = 80;

/// The table that the pages of one kind make up, learned from some of them.
///
/// ```
/// use unmold::records::Schema;
/// use unmold::{Limits, Page};
///
/// let html = |name: &str, price: &str| {
///     format!("<title>{name}</title><h1>{name}</h1><p><b>Price:</b> {price}</p>")
/// };
/// let parse = |html: String| Page::parse(html.as_bytes(), &Limits::default());
/// let pages: Vec<Page> = [("Tea", "$4"), ("Cake", "$12"), ("Jam", "$7"), ("Bread", "$3.50")]
///     .map(|(name, price)| parse(html(name, price)))
///     .into();
/// let schema = Schema::learn(&pages.iter().collect::<Vec<_>>(), None);
/// let price = schema.columns().iter().position(|column| column.name == "price").unwrap();
///
/// let unseen = parse(html("Butter", "$6"));
/// assert_eq!(schema.reader().read(&unseen).texts(price), ["$6"]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Schema {
    /// Number of pages it was learned from.
    pages: u32,
    /// How often it was learned again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) version: u32,
    pub(super) columns: Vec<Column>,
    pub(super) names: LayoutNames,
    /// Key of the parent, depth and label of texts that are label and value.
    pub(super) inline: BTreeSet<(String, u32, String)>,
    pub(super) nodes: Vec<StoredNode>,
    /// Corrections made by people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) overrides: Vec<ColumnOverride>,
}

/// A column of the table.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Column {
    /// Its id: stays the same when the schema is learned again, as long as the data is there.
    pub id: String,
    /// Its name, unique in the schema.
    pub name: String,
    /// The label that it is named after.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Where the label comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<NameSource>,
    /// Other names that it could have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_names: Vec<String>,
    /// The type of its values.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// Whether a page can have several values.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_list: bool,
    /// The list of records whose field it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Share of the pages that have a value, in thousandths.
    pub cover: u32,
    /// Share of different values among them, in thousandths.
    pub distinct: u32,
    /// How likely people want it, in thousandths; columns are sorted by it.
    pub score: i32,
    /// How much of the page's title the value makes up, in thousandths.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub in_title: u32,
    /// Some values.
    pub examples: Vec<String>,
    /// Where it is, for other tools; labels and positions are approximate.
    pub xpath: String,
    /// The same as a CSS selector, without labels.
    pub css: String,
    /// The version of the schema that had it first.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub since: u32,
    /// Ids that it had before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What people said about it.
    #[serde(default, skip_serializing_if = "Corrected::is_none")]
    pub corrected: Corrected,
    /// The key of structured data that has the same values, such as `offers.price`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<String>,
    /// Whether its values are in structured data only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_hidden: bool,
    /// Hashes of some addresses and of the values there, to find the column again after a redesign.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) seen: Vec<(u32, u32)>,
}

pub(super) fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// A node of the tree that leads to a column.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct StoredNode {
    pub families: Vec<(String, u32)>,
    pub rules: Vec<(String, Mode<String>)>,
    pub targets: Vec<(u32, Role<String>, StoredTarget)>,
}

/// What a role leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StoredTarget {
    Node(u32),
    /// A column. Higher numbers are for pages where the lower ones give nothing.
    Column(u32, u32),
}

impl Schema {
    /// Learns the schema of pages of one kind. What `marks` call template, one for each page, is
    /// no column; with fewer than 16 pages they are not sure enough and play no part.
    ///
    /// The order of the pages does not matter. Pages that have nothing in common, or are too few,
    /// give a schema without columns.
    #[must_use]
    pub fn learn(pages: &[&Page], marks: Option<&[Marks]>) -> Schema {
        let (prepared, order) = Pages::new(pages);
        if prepared.views.len() < 2 {
            return Schema { pages: prepared.views.len() as u32, ..Schema::default() };
        }
        let marks: Option<Vec<Marks>> = marks
            .filter(|marks| marks.len() == pages.len())
            .map(|marks| order.iter().map(|&at| marks[at].clone()).collect());
        let tree = Tree::learn(&prepared);
        let (drafts, hidden) = columns(&prepared, &tree, marks.as_deref());
        let nodes = stored_nodes(&prepared, &tree, &drafts);
        let text = |number: u32| prepared.texts.get(number).to_owned();
        let inline = prepared
            .inline
            .iter()
            .map(|&(key, depth, label)| (prepared.keys.get(key).to_owned(), depth, text(label)));
        Schema {
            pages: prepared.views.len() as u32,
            version: 0,
            columns: describe(&prepared, &tree, &drafts, hidden),
            inline: inline.collect(),
            nodes,
            names: prepared.names,
            overrides: Vec::new(),
        }
    }

    /// The columns, best first.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Number of different pages that it was learned from.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// How often it was learned again.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Whether no columns were found on the pages themselves.
    pub fn is_empty(&self) -> bool {
        self.columns.iter().all(|column| column.is_hidden)
    }
}

/// The tree in the form that is stored: only what leads to columns.
fn stored_nodes(pages: &Pages, tree: &Tree, drafts: &[Draft]) -> Vec<StoredNode> {
    let mut columns: Vec<Option<(u32, u32)>> = vec![None; tree.slots.len()];
    for (column, draft) in drafts.iter().enumerate() {
        let copies = draft.copies.iter().enumerate().map(|(at, slots)| (at as u32 + 1, slots));
        for (turn, slots) in std::iter::once((0, &draft.slots)).chain(copies) {
            for &slot in slots {
                columns[slot as usize] = Some((column as u32, turn));
            }
        }
    }
    // Children have higher numbers than their parents.
    let mut leads = vec![false; tree.nodes.len()];
    let leads_somewhere = |target: &Target, leads: &[bool]| match *target {
        Target::Node(node) => leads[node as usize],
        Target::Slot(slot) => columns[slot as usize].is_some(),
    };
    for at in (0..tree.nodes.len()).rev() {
        leads[at] =
            tree.nodes[at].targets.iter().any(|(_, _, target)| leads_somewhere(target, &leads));
    }
    let mut numbers = vec![0; tree.nodes.len()];
    let mut next = 0;
    for at in 0..tree.nodes.len() {
        numbers[at] = next;
        next += u32::from(leads[at]);
    }
    let stored = |target: &Target| match *target {
        Target::Node(node) => {
            leads[node as usize].then(|| StoredTarget::Node(numbers[node as usize]))
        }
        Target::Slot(slot) => {
            columns[slot as usize].map(|(column, turn)| StoredTarget::Column(column, turn))
        }
    };
    let kept = tree.nodes.iter().zip(&leads).filter(|&(_, &leads)| leads);
    kept.map(|(node, _)| stored_node(pages, node, &stored)).collect()
}

fn stored_node(
    pages: &Pages,
    node: &Node,
    stored: &impl Fn(&Target) -> Option<StoredTarget>,
) -> StoredNode {
    let key = |number: u32| pages.keys.get(number).to_owned();
    let mut name = |name: Name<&u32>| match name {
        Name::Text(&number) => pages.texts.get(number).to_owned(),
        Name::Key(&number) => key(number),
    };
    let targets = node.targets.iter().filter_map(|(rule, role, target)| {
        stored(target).map(|target| (*rule, role.map(&mut name), target))
    });
    let targets = targets.collect();
    StoredNode {
        families: node.families.iter().map(|&(number, rule)| (key(number), rule)).collect(),
        rules: node
            .rules
            .iter()
            .map(|(family, mode)| (key(*family), mode.map(&mut name)))
            .collect(),
        targets,
    }
}

/// Columns as users see them.
fn describe(pages: &Pages, tree: &Tree, drafts: &[Draft], hidden: Vec<Column>) -> Vec<Column> {
    let mut ids = BTreeSet::new();
    let mut names = BTreeSet::new();
    let mut tables: BTreeMap<u32, String> = BTreeMap::new();
    let mut described = Vec::new();
    for draft in drafts {
        let step = tree.slots[draft.slots[0] as usize].step;
        let table = draft.list.filter(|_| draft.is_nested).map(|list| {
            let number = tables.len() + 1;
            tables.entry(list).or_insert_with(|| format!("list_{number}")).clone()
        });
        let count = draft.cells.len();
        let (distinct, _) = draft.distinct();
        let repeats = draft.cells.iter().filter(|cell| cell.nodes.len() > 1).count();
        described.push(Column {
            id: unique(&mut ids, id_of(pages, tree, step), "-"),
            name: unique(&mut names, name_of(&draft.naming.label), "_"),
            label: draft.naming.label.clone(),
            source: draft.naming.source,
            other_names: draft.naming.others.clone(),
            kind: draft.kind,
            is_list: table.is_none() && (draft.list.is_some() || repeats * 20 > count),
            table,
            cover: thousandths(count as f64 / pages.views.len() as f64),
            distinct: thousandths(distinct as f64 / count as f64),
            score: (draft.score * 1000.0).round() as i32,
            in_title: thousandths(draft.naming.in_title),
            examples: examples(pages, draft),
            xpath: xpath(pages, tree, step),
            css: css(pages, tree, step),
            since: 0,
            aliases: Vec::new(),
            corrected: Corrected::default(),
            structured: draft.naming.structured.clone(),
            is_hidden: false,
            seen: seen_values(pages, draft),
        });
    }
    for column in hidden {
        let id = unique(&mut ids, column.id.clone(), "-");
        let name = unique(&mut names, name_of(&column.label), "_");
        described.push(Column { id, name, ..column });
    }
    described
}

fn name_of(label: &str) -> String {
    match snake_case(label) {
        name if name.is_empty() => "field".to_owned(),
        name => name,
    }
}

pub(super) fn thousandths(share: f64) -> u32 {
    (share * 1000.0).round() as u32
}

/// The name, with a number if it is taken.
pub(super) fn unique(taken: &mut BTreeSet<String>, name: String, mark: &str) -> String {
    let mut numbered = name.clone();
    let mut number = 2;
    while !taken.insert(numbered.clone()) {
        numbered = format!("{name}{mark}{number}");
        number += 1;
    }
    numbered
}

/// What the column has at the addresses with the lowest hashes: learned again, the same ones.
fn seen_values(pages: &Pages, draft: &Draft) -> Vec<(u32, u32)> {
    let of_page = |cell: &Cell| {
        let url = pages.views[cell.page as usize].page.url()?;
        let values: Vec<&str> = cell.values(pages).collect();
        Some(seen(url, &values.join("\0")))
    };
    let mut seen: Vec<(u32, u32)> = draft.cells.iter().filter_map(of_page).collect();
    seen.sort_unstable();
    seen.truncate(MAX_SEEN);
    seen
}

fn examples(pages: &Pages, draft: &Draft) -> Vec<String> {
    let mut examples: Vec<String> = Vec::new();
    for cell in &draft.cells {
        let Some(value) = cell.values(pages).next() else { continue };
        let value: String = value.chars().take(EXAMPLE_CHARS).collect();
        if !examples.contains(&value) {
            examples.push(value);
        }
        if examples.len() == EXAMPLES {
            break;
        }
    }
    examples
}
