//! From the slots of the tree to columns: alternatives are merged, constants dropped, copies
//! folded.

use std::collections::BTreeSet;

use unmold_html::hash::{KeyedMap, KeyedSet};
use xxhash_rust::xxh3::Xxh3;

use super::naming::{NameSource, Namer, Naming};
use super::role::{How, Place, Role};
use super::sample::{Pages, TEXT};
use super::schema::{Column, EXAMPLE_CHARS, EXAMPLES, thousandths};
use super::structured::{label_of_key, xpath_of_key};
use super::tree::{Slot, Step, Tree};
use super::types::{ColumnType, column_type};
use super::view::{ends_as_label, is_inline, is_marked, tag_of};
use crate::marks::Marks;
use crate::page::NodeId;

/// A column is on at least so many of the pages.
const MIN_COVER: f64 = 0.05;
/// A column is template if one value is on so many of its pages.
const CONSTANT: f64 = 0.95;
/// With fewer pages, labelled constants are columns, and marks are not sure enough to drop any.
const FEW_PAGES: usize = 16;
/// A column is template if so many of its texts are marked as template.
const MARKED: f64 = 0.9;

/// Columns of one name that are tried for a merge.
const MAX_ALTERNATIVES: usize = 50;
/// Most columns of a table: what is beyond is noise, and schemas stay small.
const MAX_COLUMNS: usize = 1000;

/// The texts of a column on one page.
#[derive(Clone)]
pub(super) struct Cell {
    pub page: u32,
    pub nodes: Vec<u32>,
    /// Hash of the values.
    hash: u64,
}

/// A column while it is learned.
pub(super) struct Draft {
    /// Its slots, the main one first.
    pub slots: Vec<u32>,
    /// Slots with the same values, for pages that lack the main ones.
    pub copies: Vec<Vec<u32>>,
    /// By page.
    pub cells: Vec<Cell>,
    pub naming: Naming,
    pub kind: ColumnType,
    /// The step whose instances are the records of a list.
    pub list: Option<u32>,
    /// Whether the list has other columns.
    pub is_nested: bool,
    /// Rank among the columns, higher is better.
    pub score: f64,
}

impl Draft {
    fn new(pages: &Pages, tree: &Tree, slots: Vec<u32>) -> Draft {
        let mut nodes: Vec<(u32, u32)> = slots
            .iter()
            .flat_map(|&slot| &tree.slots[slot as usize].nodes)
            .map(|instance| (instance.page, instance.node))
            .collect();
        nodes.sort_unstable();
        let cells = nodes
            .chunk_by(|left, right| left.0 == right.0)
            .map(|of_page| Cell::new(pages, of_page[0].0, of_page.iter().map(|n| n.1).collect()))
            .collect();
        let list = tree.list_of(tree.slots[slots[0] as usize].step);
        Draft {
            slots,
            copies: Vec::new(),
            cells,
            naming: Naming::default(),
            kind: ColumnType::Text,
            list,
            is_nested: false,
            score: 0.0,
        }
    }

    /// All values, in the order of pages.
    pub fn values<'d>(&'d self, pages: &'d Pages) -> impl Iterator<Item = &'d str> {
        self.cells.iter().flat_map(move |cell| cell.values(pages))
    }

    /// The number of different cells, and how often the most frequent one occurs.
    pub fn distinct(&self) -> (usize, usize) {
        let mut counts: KeyedMap<u64, usize> = KeyedMap::default();
        for cell in &self.cells {
            *counts.entry(cell.hash).or_default() += 1;
        }
        (counts.len(), counts.values().max().copied().unwrap_or(0))
    }

    fn is_constant(&self, pages: &Pages) -> bool {
        let (distinct, most) = self.distinct();
        let mut values = self.values(pages);
        let first = values.next();
        values.all(|value| Some(value) == first)
            || most as f64 >= CONSTANT * self.cells.len() as f64 && distinct < 3
    }

    /// Whether it holds labels that differ: `Writer:`, `Writers:`.
    fn is_labels(&self, pages: &Pages) -> bool {
        let labels = self.cells.iter().filter(|cell| {
            cell.values(pages).last().is_some_and(|value| ends_as_label(value.trim_end()))
        });
        labels.count() as f64 >= 0.8 * self.cells.len() as f64
    }

    fn is_marked(&self, marks: &[Marks]) -> bool {
        let is_template =
            |cell: &Cell, node: u32| marks[cell.page as usize].is_template(NodeId::new(node));
        let marked =
            |cell: &Cell| cell.nodes.iter().filter(|&&node| is_template(cell, node)).count();
        let nodes: usize = self.cells.iter().map(|cell| cell.nodes.len()).sum();
        self.cells.iter().map(marked).sum::<usize>() as f64 >= MARKED * nodes as f64
    }

    /// Whether no page has both.
    fn excludes(&self, other: &Draft) -> bool {
        let has = |page: u32| self.cells.binary_search_by_key(&page, |cell| cell.page).is_ok();
        !other.cells.iter().any(|cell| has(cell.page))
    }

    fn signature(&self) -> Vec<(u32, u64)> {
        self.cells.iter().map(|cell| (cell.page, cell.hash)).collect()
    }
}

impl Cell {
    fn new(pages: &Pages, page: u32, nodes: Vec<u32>) -> Cell {
        let mut cell = Cell { page, nodes, hash: 0 };
        let mut hasher = Xxh3::new();
        for value in cell.values(pages) {
            hasher.update(&(value.len() as u32).to_le_bytes());
            hasher.update(value.as_bytes());
        }
        cell.hash = hasher.digest();
        cell
    }

    pub fn values<'c>(&'c self, pages: &'c Pages) -> impl Iterator<Item = &'c str> {
        let view = &pages.views[self.page as usize];
        self.nodes.iter().map(|&node| view.value(node))
    }
}

impl Tree {
    /// The innermost list that a step is in.
    pub fn list_of(&self, step: u32) -> Option<u32> {
        let up = std::iter::successors(Some(step), |&step| self.steps[step as usize].parent);
        up.into_iter().find(|&step| self.steps[step as usize].role.place == Place::Rest)
    }
}

/// The columns of a kind, best first.
pub(super) fn columns(
    pages: &Pages,
    tree: &Tree,
    marks: Option<&[Marks]>,
) -> (Vec<Draft>, Vec<Column>) {
    let every: Vec<Draft> =
        (0..tree.slots.len() as u32).map(|slot| Draft::new(pages, tree, vec![slot])).collect();
    let namer = Namer::new(pages, tree, &every);
    let paths = Paths::new(pages, tree);
    let mut drafts = merge(pages, tree, every, |draft| Some(paths.bare(draft.slots[0])));
    let unique = unique_tails(&paths, &drafts);
    drafts = merge(pages, tree, drafts, |draft| {
        paths.tail(draft.slots[0]).filter(|tail| unique.contains(tail))
    });
    drafts.retain(|draft| draft.cells.len() >= 2);
    for draft in &mut drafts {
        draft.kind = column_type(draft.values(pages));
        draft.naming = namer.name(tree, draft);
    }
    drafts = merge(pages, tree, drafts, |draft| {
        let is_named = draft.naming.source.is_some_and(|source| source.is_label());
        (is_named && draft.list.is_none()).then(|| named(&draft.naming.label, draft.kind))
    });
    let marks = marks.filter(|_| pages.views.len() >= FEW_PAGES);
    let min = (MIN_COVER * pages.views.len() as f64).max(2.0);
    drafts.retain(|draft| {
        draft.cells.len() as f64 >= min
            && (!draft.is_constant(pages) || is_field_of_few(pages, draft))
            && !draft.is_labels(pages)
            && !marks.is_some_and(|marks| draft.is_marked(marks))
    });
    let mut drafts = fold_copies(tree, drafts);
    for draft in &mut drafts {
        draft.kind = column_type(draft.values(pages));
    }
    rank(pages, &mut drafts);
    drafts.truncate(MAX_COLUMNS);
    let known = drafts.iter().filter_map(|draft| draft.naming.structured.clone()).collect();
    let hidden = namer.structured().columns(&known);
    let hidden = hidden.into_iter().map(|(key, cells)| hidden_column(pages, &key, &cells));
    let hidden = hidden.collect();
    (drafts, hidden)
}

/// A column whose values are in structured data only.
fn hidden_column(pages: &Pages, key: &str, cells: &[(u32, &Vec<String>)]) -> Column {
    let values = || cells.iter().flat_map(|(_, values)| values.iter().map(String::as_str));
    let count = cells.len() as f64;
    let different: BTreeSet<&Vec<String>> = cells.iter().map(|(_, values)| *values).collect();
    let mut examples: Vec<String> = Vec::new();
    for value in values() {
        let value: String = value.chars().take(EXAMPLE_CHARS).collect();
        if examples.len() < EXAMPLES && !examples.contains(&value) {
            examples.push(value);
        }
    }
    let repeats = cells.iter().filter(|(_, values)| values.len() > 1).count();
    Column {
        id: format!("{:08x}", xxhash_rust::xxh3::xxh3_64(key.as_bytes()) as u32),
        label: label_of_key(key),
        source: Some(NameSource::Metadata),
        kind: column_type(values()),
        is_list: repeats * 20 > cells.len(),
        cover: thousandths(count / pages.views.len() as f64),
        distinct: thousandths(different.len() as f64 / count),
        examples,
        xpath: xpath_of_key(key),
        structured: Some(key.to_owned()),
        is_hidden: true,
        ..Column::default()
    }
}

/// Whether a constant is a field all the same: few pages happen to agree, and a label with a colon
/// says that it is one.
fn is_field_of_few(pages: &Pages, draft: &Draft) -> bool {
    pages.views.len() < FEW_PAGES
        && draft.naming.is_sure
        && draft.list.is_none()
        && draft.cells.iter().all(|cell| cell.nodes.len() == 1)
}

fn named(name: &str, kind: ColumnType) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(name.as_bytes(), kind as u64)
}

/// Merges columns with the same key that are never on one page.
fn merge(
    pages: &Pages,
    tree: &Tree,
    drafts: Vec<Draft>,
    key: impl Fn(&Draft) -> Option<u64>,
) -> Vec<Draft> {
    let mut numbers: KeyedMap<u64, usize> = KeyedMap::default();
    let mut groups: Vec<Vec<Draft>> = Vec::new();
    for draft in drafts {
        match key(&draft) {
            Some(key) => {
                let at = *numbers.entry(key).or_insert(groups.len());
                if at == groups.len() {
                    groups.push(Vec::new());
                }
                groups[at].push(draft);
            }
            None => groups.push(vec![draft]),
        }
    }
    let mut merged = Vec::new();
    for mut group in groups {
        group.sort_by_key(|draft| std::cmp::Reverse(draft.cells.len()));
        let first = merged.len();
        for draft in group {
            let mut known = merged[first..].iter_mut().take(MAX_ALTERNATIVES);
            let into = known.find(|known: &&mut Draft| known.excludes(&draft));
            match into {
                Some(known) => {
                    let slots = [&known.slots[..], &draft.slots].concat();
                    let naming = std::mem::take(&mut known.naming);
                    *known = Draft { naming, kind: known.kind, ..Draft::new(pages, tree, slots) };
                }
                None => merged.push(draft),
            }
        }
    }
    merged
}

/// Folds columns that have the same values on the same pages.
fn fold_copies(tree: &Tree, mut drafts: Vec<Draft>) -> Vec<Draft> {
    drafts.sort_by_cached_key(|draft| {
        let step = tree.slots[draft.slots[0] as usize].step;
        let has_label = tree.steps_up(step).any(|step| label_of(step).is_some());
        (std::cmp::Reverse(draft.cells.len()), !has_label, tree.steps_up(step).count())
    });
    let mut numbers: KeyedMap<Vec<(u32, u64)>, usize> = KeyedMap::default();
    let mut folded: Vec<Draft> = Vec::new();
    for draft in drafts {
        let at = *numbers.entry(draft.signature()).or_insert(folded.len());
        if at == folded.len() {
            folded.push(draft);
        } else {
            folded[at].copies.push(draft.slots);
        }
    }
    folded
}

/// The label of a step.
pub(super) fn label_of(step: &Step) -> Option<u32> {
    match step.role.how {
        How::Has(label) | How::After(Some(label)) => Some(label),
        _ => None,
    }
}

/// Marked tails that are at most once on nearly all pages.
fn unique_tails(paths: &Paths, drafts: &[Draft]) -> KeyedSet<u64> {
    let mut counts: KeyedMap<u64, KeyedMap<u32, usize>> = KeyedMap::default();
    for draft in drafts {
        let Some(tail) = paths.tail(draft.slots[0]) else { continue };
        let counts = counts.entry(tail).or_default();
        for cell in &draft.cells {
            *counts.entry(cell.page).or_default() += 1;
        }
    }
    let is_unique = |pages: &KeyedMap<u32, usize>| {
        let repeated = pages.values().filter(|&&count| count > 1).count();
        repeated as f64 <= 0.02 * pages.len() as f64
    };
    counts.iter().filter(|(_, pages)| is_unique(pages)).map(|(&tail, _)| tail).collect()
}

/// Hashes of the paths of slots.
struct Paths<'p, 'a> {
    pages: &'p Pages<'a>,
    tree: &'p Tree,
    /// Hash of each step's path without inline elements, where alternatives in markup meet.
    bare: Vec<u64>,
}

impl<'p, 'a> Paths<'p, 'a> {
    fn new(pages: &'p Pages<'a>, tree: &'p Tree) -> Paths<'p, 'a> {
        let mut bare: Vec<u64> = Vec::with_capacity(tree.steps.len());
        for step in &tree.steps {
            let above = step.parent.map_or(0, |parent| bare[parent as usize]);
            let key = pages.keys.get(step.family);
            let is_plain = step.role == Role { how: How::Plain, place: Place::One };
            let counts = step.family != TEXT && !(is_inline(tag_of(key)) && is_plain);
            bare.push(if counts { mix(above, step) } else { above });
        }
        Paths { pages, tree, bare }
    }

    fn slot(&self, slot: u32) -> &Slot {
        &self.tree.slots[slot as usize]
    }

    fn bare(&self, slot: u32) -> u64 {
        let step = self.slot(slot).step;
        self.tree.steps[step as usize].parent.map_or(0, |parent| self.bare[parent as usize])
    }

    /// Hash of the keys from the nearest marked element down.
    fn tail(&self, slot: u32) -> Option<u64> {
        let mut hash = 0;
        for step in self.tree.steps_up(self.slot(slot).step).take(4) {
            hash = mix_hash(hash, u64::from(step.family));
            if step.family != TEXT && is_marked(self.pages.keys.get(step.family)) {
                return Some(hash);
            }
        }
        None
    }
}

fn mix_hash(hash: u64, value: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(&value.to_le_bytes(), hash)
}

fn mix(hash: u64, step: &Step) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    (step.family, step.role).hash(&mut hasher);
    mix_hash(hash, hasher.finish())
}

/// Sorts columns by how likely people want them.
fn rank(pages: &Pages, drafts: &mut [Draft]) {
    let mut of_list: KeyedMap<u32, usize> = KeyedMap::default();
    for list in drafts.iter().filter_map(|draft| draft.list) {
        *of_list.entry(list).or_default() += 1;
    }
    for draft in drafts.iter_mut() {
        draft.is_nested = draft.list.is_some_and(|list| of_list[&list] > 1);
        draft.score = score(pages, draft);
    }
    drafts.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then_with(|| left.slots.cmp(&right.slots))
    });
}

fn score(pages: &Pages, draft: &Draft) -> f64 {
    let count = draft.cells.len() as f64;
    let values: usize = draft.cells.iter().map(|cell| cell.nodes.len()).sum();
    let (distinct, most) = draft.distinct();
    let cover = count / pages.views.len() as f64;
    let mut score = 2.0 * cover + (distinct as f64 / count).min(0.6);
    score += draft.naming.source.map_or(0.0, |source| source.weight());
    if draft.naming.is_sure {
        score += 0.4;
    }
    score += match draft.kind {
        ColumnType::Text => 0.0,
        ColumnType::Prose => -0.5,
        _ => 0.3,
    };
    score += 1.5 * draft.naming.in_title;
    if draft.list.is_some() {
        score -= 0.3;
    }
    if draft.is_nested {
        score -= 0.6;
    }
    if values as f64 > 5.0 * count {
        score -= 0.4;
    }
    if most as f64 > 0.7 * count {
        score -= 1.0;
    }
    score
}
