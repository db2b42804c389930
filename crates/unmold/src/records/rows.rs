//! Tables of records: rows of statistics below a header, not rows of label and value.

use rustc_hash::{FxHashMap, FxHashSet};

use super::sample::Pages;
use super::tree::{Child, Instance};
use unmold_html::Tag;

/// Mean number of filled cells of a row.
const MIN_CELLS: f64 = 3.5;

/// The rows of a table of records.
pub(super) struct Rows {
    /// Whether each row is the header.
    pub headers: Vec<bool>,
    /// Cells that most tables have, with their columns.
    pub fixed: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Header,
    /// Several labels, each with its value.
    Pairs,
    Row,
}

/// The first text of each cell of a row.
fn cells(pages: &Pages, page: u32, row: u32) -> Vec<Option<u32>> {
    let view = &pages.views[page as usize];
    let is_cell = |id: &&crate::page::NodeId| matches!(view.page.tag(**id), Tag::TD | Tag::TH);
    let cells = view.kids(row).iter().filter(is_cell);
    cells.map(|cell| pages.first_text(page, cell.position())).collect()
}

/// Whether a cell is a number, which says nothing about a header.
pub(super) fn is_numeric(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || ".,:%+'/-".contains(c))
}

/// Whether rows are records: enough cells, a header that is template, few labels.
pub(super) fn record_rows(
    pages: &Pages,
    instances: &[Instance],
    children: &[Child],
) -> Option<Rows> {
    let page_of = |child: &Child| instances[child.instance as usize].page;
    let rows: Vec<Vec<Option<u32>>> =
        children.iter().map(|child| cells(pages, page_of(child), child.node)).collect();
    let mut of_cell: FxHashMap<(u32, u32), FxHashSet<u32>> = FxHashMap::default();
    for (child, row) in children.iter().zip(&rows) {
        for (column, &text) in row.iter().enumerate() {
            if let Some(text) = text {
                of_cell.entry((column as u32, text)).or_default().insert(child.instance);
            }
        }
    }
    let parents: FxHashSet<u32> = children.iter().map(|child| child.instance).collect();
    let filled: usize = rows.iter().flatten().flatten().count();
    if (filled as f64) < MIN_CELLS * rows.len() as f64 || children.len() < 2 * parents.len() {
        return None;
    }
    let is_fixed = |cell: &(u32, u32)| {
        of_cell[cell].len() * 2 >= parents.len() && !is_numeric(pages.texts.get(cell.1))
    };
    let kind = |row: &Vec<Option<u32>>| {
        let full: Vec<(u32, u32)> = filled_cells(row).collect();
        let fixed = full.iter().filter(|cell| is_fixed(cell)).count();
        if full.len() >= 3 && fixed * 10 >= full.len() * 7 {
            Kind::Header
        } else if fixed >= 2 && fixed * 100 >= full.len() * 35 {
            Kind::Pairs
        } else {
            Kind::Row
        }
    };
    let kinds: Vec<Kind> = rows.iter().map(kind).collect();
    let count = |kind: Kind| kinds.iter().filter(|&&known| known == kind).count();
    let headers = count(Kind::Header);
    if headers == 0 && !has_header_before(pages, page_of(&children[0]), children[0].node) {
        return None;
    }
    let records = count(Kind::Row);
    if records == 0
        || records * 10 < (rows.len() - headers) * 6
        || count(Kind::Pairs) * 10 > rows.len() * 3
    {
        return None;
    }
    let records: Vec<&Vec<Option<u32>>> =
        rows.iter().zip(&kinds).filter(|&(_, &kind)| kind == Kind::Row).map(|(r, _)| r).collect();
    if is_comparison(pages, &records, &of_cell, parents.len()) {
        return None;
    }
    let mut fixed: Vec<(u32, u32)> = of_cell.keys().copied().filter(is_fixed).collect();
    fixed.sort_unstable();
    Some(Rows { headers: kinds.iter().map(|&kind| kind == Kind::Header).collect(), fixed })
}

fn filled_cells(row: &[Option<u32>]) -> impl Iterator<Item = (u32, u32)> + '_ {
    row.iter().enumerate().filter_map(|(column, text)| text.map(|text| (column as u32, text)))
}

/// Whether the table compares products: its row labels are fields, its values of many kinds.
fn is_comparison(
    pages: &Pages,
    records: &[&Vec<Option<u32>>],
    of_cell: &FxHashMap<(u32, u32), FxHashSet<u32>>,
    parents: usize,
) -> bool {
    let labels: Vec<(u32, u32)> =
        records.iter().filter_map(|row| filled_cells(row).next()).collect();
    let values: Vec<u32> =
        records.iter().flat_map(|row| row.iter().skip(1).flatten()).copied().collect();
    let numeric = values.iter().filter(|&&text| is_numeric(pages.texts.get(text))).count();
    let shared: usize = labels.iter().map(|cell| of_cell[cell].len()).sum();
    !labels.is_empty()
        && shared as f64 >= 0.6 * (labels.len() * parents) as f64
        && (numeric as f64) < 0.7 * values.len().max(1) as f64
}

/// Whether a row of another shape, or a `th`, comes before the first row of the table.
fn has_header_before(pages: &Pages, page: u32, row: u32) -> bool {
    let view = &pages.views[page as usize];
    let Some(body) = view.parent(row) else { return false };
    let is = |node: u32, tag: Tag| view.page.tag(crate::page::NodeId::new(node)) == tag;
    if view.kids(body).iter().any(|kid| kid.position() < row && is(kid.position(), Tag::TR)) {
        return true;
    }
    let table = view.parent(body).unwrap_or(body);
    (table..row).any(|node| is(node, Tag::TH))
}
