//! Scores tables that are learned without labels against labelled values.
//!
//! A page counts for a column and an attribute if the column has a value there and all its values
//! are labelled ones of the attribute. Precision is over the pages where the column has a value,
//! recall over those where the attribute has one.

use std::collections::{BTreeMap, BTreeSet};

use unmold::page::Tag;
use unmold::records::{Column, ColumnType, NameSource, Schema, Typed, parse};
use unmold::{Limits, NodeId, Page};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Labelled values: attribute → values.
pub type Labels = BTreeMap<String, Vec<String>>;

/// Number of draws of labelled pages.
const DRAWS: u64 = 10;
/// Columns within this of the best are as good.
const AS_GOOD: f64 = 0.02;

/// The value of a column on a page: its texts, and the texts they are in.
#[derive(Clone, Default, Debug)]
pub struct Cell {
    values: Vec<String>,
    whole: Vec<String>,
}

/// A column and its value on each page.
#[derive(Debug)]
pub struct ScoredColumn {
    cells: Vec<Option<Cell>>,
    filled: usize,
}

/// A table: one row for each page.
#[derive(Debug)]
pub struct Table {
    columns: Vec<ScoredColumn>,
    /// Number of the column in the output, where the fields of a list of records are one column.
    outputs: Vec<usize>,
    len: usize,
}

impl Table {
    /// The table that a schema reads from pages.
    pub fn read<'p>(schema: &Schema, pages: impl IntoIterator<Item = &'p Page>) -> Table {
        let reader = schema.reader();
        let mut columns: Vec<Vec<Option<Cell>>> = vec![Vec::new(); schema.columns().len()];
        for page in pages {
            let row = reader.read(page);
            for (cells, found) in columns.iter_mut().zip(row.cells()) {
                let cell = Cell {
                    values: found.iter().map(|found| squeezed(found.text)).collect(),
                    whole: found.iter().map(|found| squeezed(found.whole)).collect(),
                };
                cells.push((!found.is_empty()).then_some(cell));
            }
        }
        // Without those that are in structured data only: the command does not write them.
        let outputs = outputs(schema.columns());
        let shown = schema.columns().iter().zip(&outputs).filter(|(column, _)| !column.is_hidden);
        let len = shown.map(|(_, output)| output + 1).max().unwrap_or(0);
        Table { outputs, len, ..Table::of(columns) }
    }

    /// A column for every path of texts: the floor.
    pub fn of_paths(pages: &[&Page], kind: PathKind) -> Table {
        let mut columns: BTreeMap<u64, Vec<Option<Cell>>> = BTreeMap::new();
        for (at, page) in pages.iter().enumerate() {
            for (path, node) in paths(page, kind) {
                let cells = columns.entry(path).or_insert_with(|| vec![None; pages.len()]);
                let cell = cells[at].get_or_insert_with(Cell::default);
                cell.values.push(squeezed(page.text(node)));
                cell.whole.push(squeezed(page.text(node)));
            }
        }
        let varies = |cells: &Vec<Option<Cell>>| {
            let values: BTreeSet<&Vec<String>> =
                cells.iter().flatten().map(|cell| &cell.values).collect();
            values.len() >= 2
        };
        Table::of(columns.into_values().filter(varies).collect())
    }

    fn of(columns: Vec<Vec<Option<Cell>>>) -> Table {
        let outputs: Vec<usize> = (0..columns.len()).collect();
        let len = outputs.len();
        let scored = columns.into_iter().map(|cells| {
            let filled = cells.iter().flatten().count();
            ScoredColumn { cells, filled }
        });
        Table { columns: scored.collect(), outputs, len }
    }

    /// Number of columns of the output.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no columns.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// F1 of a column on some pages.
    pub fn f1(&self, column: usize, attribute: &Attribute, pages: &[usize]) -> f64 {
        let column = &self.columns[column];
        let (mut hits, mut said, mut wanted) = (0, 0, 0);
        for &page in pages {
            let cell = column.cells[page].as_ref();
            let gold = attribute.values[page].as_ref();
            said += usize::from(cell.is_some());
            wanted += usize::from(gold.is_some());
            hits += usize::from(is_hit(cell, gold));
        }
        f1(hits, said, wanted)
    }

    /// The column with the best F1 on some pages.
    pub fn best(&self, attribute: &Attribute, pages: &[usize]) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for column in 0..self.columns.len() {
            let score = self.f1(column, attribute, pages);
            if score > best.map_or(0.0, |(_, best)| best) {
                best = Some((column, score));
            }
        }
        best
    }

    /// Mean F1 of the column that some labelled pages pick, over draws of those pages.
    pub fn picked(&self, attribute: &Attribute, labelled: usize, seed: &str) -> f64 {
        let pages = attribute.labelled();
        let mut sum = 0.0;
        for draw in 0..DRAWS {
            let mut order = pages.clone();
            order.sort_by_key(|page| xxh3_64_with_seed(format!("{seed} {page}").as_bytes(), draw));
            let (shown, _) = order.split_at(labelled.min(order.len()));
            let hits = |column: usize| {
                let cells = &self.columns[column].cells;
                shown
                    .iter()
                    .filter(|&&page| is_hit(cells[page].as_ref(), attribute.values[page].as_ref()))
                    .count()
            };
            // As `Schema::by_example` does: of those that fit as well, the one on most pages; of
            // these, the first by rank.
            let key = |column: usize| (hits(column), self.columns[column].filled);
            let fitting = (0..self.columns.len()).rev().filter(|&column| hits(column) > 0);
            let best = fitting.max_by_key(|&column| key(column));
            let others: Vec<usize> =
                (0..attribute.values.len()).filter(|page| !shown.contains(page)).collect();
            sum += best.map_or(0.0, |column| self.f1(column, attribute, &others));
        }
        sum / DRAWS as f64
    }

    /// Position of the first column that is about as good as the best.
    pub fn rank(&self, attribute: &Attribute, best: (usize, f64)) -> usize {
        let pages = attribute.pages();
        let good = |column: &usize| self.f1(*column, attribute, &pages) >= best.1 - AS_GOOD;
        (0..best.0).find(good).unwrap_or(best.0)
    }

    /// Position of a column in the output.
    pub fn output(&self, column: usize) -> usize {
        self.outputs[column]
    }

    /// Share of the pages that have a value in a column.
    pub fn cover(&self, column: usize) -> f64 {
        let column = &self.columns[column];
        column.filled as f64 / column.cells.len().max(1) as f64
    }
}

/// Positions of columns in the output: the fields of a list of records are one column.
fn outputs(columns: &[Column]) -> Vec<usize> {
    let mut tables: BTreeMap<&str, usize> = BTreeMap::new();
    let mut next = 0;
    let mut outputs = Vec::new();
    for column in columns {
        let table = column.table.as_deref();
        let known = table.and_then(|table| tables.get(table).copied());
        outputs.push(known.unwrap_or(next));
        if let Some(table) = table.filter(|_| known.is_none()) {
            tables.insert(table, next);
        }
        next += usize::from(known.is_none());
    }
    outputs
}

/// The labelled values of an attribute, for each page.
#[derive(Debug)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    values: Vec<Option<BTreeSet<String>>>,
}

impl Attribute {
    /// The attributes of labelled pages.
    pub fn of(labels: &[Labels]) -> Vec<Attribute> {
        let names: BTreeSet<&String> = labels.iter().flat_map(BTreeMap::keys).collect();
        let values = |name: &str| {
            let of_page = |labels: &Labels| {
                labels.get(name).map(|values| values.iter().map(|v| squeezed(v)).collect())
            };
            labels.iter().map(of_page).collect()
        };
        names
            .into_iter()
            .map(|name| Attribute { name: name.clone(), values: values(name) })
            .collect()
    }

    /// All pages.
    pub fn pages(&self) -> Vec<usize> {
        (0..self.values.len()).collect()
    }

    fn labelled(&self) -> Vec<usize> {
        self.pages().into_iter().filter(|&page| self.values[page].is_some()).collect()
    }
}

fn is_hit(cell: Option<&Cell>, gold: Option<&BTreeSet<String>>) -> bool {
    let (Some(cell), Some(gold)) = (cell, gold) else { return false };
    let all = |values: &[String]| values.iter().all(|value| gold.contains(value));
    all(&cell.values) || all(&cell.whole)
}

fn f1(hits: usize, said: usize, wanted: usize) -> f64 {
    if hits == 0 { 0.0 } else { 2.0 * hits as f64 / (said + wanted) as f64 }
}

fn squeezed(text: &str) -> String {
    let parts = text.split(|c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}'));
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What the steps of a path are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathKind {
    /// Names of elements and their positions among siblings of one name.
    Positions,
    /// Names and classes of elements.
    Classes,
}

/// Hashes of the paths of texts.
fn paths(page: &Page, kind: PathKind) -> Vec<(u64, NodeId)> {
    let mut hashes = vec![0u64; page.len() as usize];
    let mut found = Vec::new();
    let mut counts: BTreeMap<(NodeId, &str), u64> = BTreeMap::new();
    for id in page.nodes() {
        let parent = page.parent(id).unwrap_or(NodeId::ROOT);
        let number = counts.entry((parent, page.tag_name(id))).or_default();
        *number += 1;
        let above = if id == NodeId::ROOT { 0 } else { hashes[parent.index()] };
        let step = match kind {
            PathKind::Positions => number.rotate_left(40),
            PathKind::Classes => xxh3_64(page.attribute(id, "class").unwrap_or("").as_bytes()),
        };
        let hash = xxh3_64(page.tag_name(id).as_bytes()) ^ step;
        hashes[id.index()] = xxh3_64_with_seed(&hash.to_le_bytes(), above);
        if page.is_text(id) {
            found.push((hashes[id.index()], id));
        }
    }
    found
}

/// Words for the attributes of the set, by vertical.
const WORDS: [(&str, &str, &str); 32] = [
    ("auto", "model", "model|title|name|car|vehicle|heading|overview"),
    ("auto", "price", "price|msrp|starting|cost|pricing"),
    ("auto", "engine", "engine|motor"),
    ("auto", "fuel_economy", "fuel|mpg|mileage|economy|gas"),
    ("book", "title", "title|name|book|heading"),
    ("book", "author", "author|authors|by|writer|contributor|contributors"),
    ("book", "isbn_13", "isbn|isbn13|ean"),
    ("book", "publisher", "publisher|published|publ|imprint"),
    ("book", "publication_date", "date|published|publication|pub|year|released|publ"),
    ("camera", "model", "model|title|name|product|heading"),
    ("camera", "price", "price|cost|our|now|sale|pricing"),
    ("camera", "manufacturer", "manufacturer|brand|maker|mfr|mfg|by"),
    ("job", "title", "title|job|position|role|heading"),
    ("job", "company", "company|employer|by|recruiter"),
    ("job", "location", "location|city|area|place|where|loc"),
    ("job", "date_posted", "date|posted|updated|post|published"),
    ("movie", "title", "title|name|movie|heading"),
    ("movie", "director", "director|directors|directed"),
    ("movie", "genre", "genre|genres|category"),
    ("movie", "mpaa_rating", "mpaa|rating|rated"),
    ("nbaplayer", "name", "name|player|title|heading|fn"),
    ("nbaplayer", "team", "team|club|current"),
    ("nbaplayer", "height", "height|ht"),
    ("nbaplayer", "weight", "weight|wt"),
    ("restaurant", "name", "name|title|restaurant|heading|fn|org"),
    ("restaurant", "address", "address|street|location|locality|adr|addr"),
    ("restaurant", "phone", "phone|tel|telephone|call"),
    ("restaurant", "cuisine", "cuisine|cuisines|type|food|category"),
    ("university", "name", "name|title|school|college|heading|institution|fn|org"),
    ("university", "phone", "phone|tel|telephone|call"),
    ("university", "website", "website|web|site|url|homepage"),
    ("university", "type", "type|control|affiliation|institution|institutional"),
];

/// The words for an attribute of a site, which is named after its vertical.
pub fn words_for(site: &str, attribute: &str) -> Option<&'static str> {
    let vertical = site.split('-').next()?;
    let found = WORDS.iter().find(|(of, name, _)| *of == vertical && *name == attribute);
    found.map(|(_, _, words)| *words)
}

/// Whether a column's name has one of the words for an attribute.
pub fn is_name_right(column: &Column, words: &str) -> bool {
    column.name.split('_').any(|part| words.split('|').any(|word| word == part))
}

/// Whether thresholds may be chosen on a site; results are reported on the others. By name, so that
/// the halves stay the same.
pub fn is_to_choose_on(site: &str) -> bool {
    xxh3_64_with_seed(site.as_bytes(), HALVES).is_multiple_of(2)
}

/// With this seed, 22 of the 40 sites are to choose on and 18 to report on.
const HALVES: u64 = 3;

/// Counts of label–value pairs: right, said and wanted.
#[derive(Clone, Copy, Default, Debug)]
pub struct PairCounts {
    right: usize,
    said: usize,
    found: usize,
    wanted: usize,
}

impl PairCounts {
    /// Adds the pairs of a page. A pair that is said is right if the page has the value with this
    /// label, or with this as one of the alternatives.
    pub fn add(&mut self, schema: &Schema, page: &Page, gold: &Labels) {
        let wanted: BTreeSet<(usize, String)> = gold
            .values()
            .enumerate()
            .flat_map(|(at, values)| values.iter().map(move |value| (at, comparable(value))))
            .collect();
        let labels: Vec<Vec<String>> =
            gold.keys().map(|label| label.split('|').map(comparable).collect()).collect();
        let mut found: BTreeSet<&(usize, String)> = BTreeSet::new();
        let row = schema.reader().read(page);
        let mut said: BTreeSet<(&str, String)> = BTreeSet::new();
        for (column, cell) in schema.columns().iter().zip(row.cells()) {
            if column.source.is_some_and(NameSource::is_label) {
                said.extend(cell.iter().map(|f| (column.label.as_str(), comparable(f.text))));
            }
        }
        for (label, value) in &said {
            let is_it = |pair: &&(usize, String)| {
                pair.1 == *value && labels[pair.0].iter().any(|known| known == label)
            };
            let hits: Vec<&(usize, String)> = wanted.iter().filter(is_it).collect();
            self.right += usize::from(!hits.is_empty());
            found.extend(hits);
        }
        self.said += said.len();
        self.found += found.len();
        self.wanted += wanted.len();
    }

    /// Precision, recall and F1.
    pub fn scores(&self) -> (f64, f64, f64) {
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        let (p, r) = (share(self.right, self.said), share(self.found, self.wanted));
        (p, r, if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 })
    }
}

/// A label or value in the form in which they are compared.
fn comparable(text: &str) -> String {
    squeezed(text).to_lowercase().trim_end_matches([':', ' ']).to_owned()
}

/// Whether the columns that words find on a product page are in its labelled content: the title is
/// its first line, the price its first amount. `None` where the content has none.
pub fn title_and_price(
    schema: &Schema,
    page: &Page,
    content: &str,
) -> (Option<bool>, Option<bool>) {
    let row = schema.reader().read(page);
    let value = |words: &str| -> Option<String> {
        let cell = &row.cells()[schema.wanted(words)?];
        cell.first().map(|found| comparable(&found.value()))
    };
    let lines = || content.lines().map(comparable).filter(|line| !line.is_empty());
    let title = lines().next().map(|first| value("title|name|product") == Some(first));
    let amount = |text: &str| {
        let of = |text: &str| match parse(text, ColumnType::Money) {
            Some(Typed::Money(amount, _)) => Some(amount),
            _ => None,
        };
        of(text).or_else(|| text.split(' ').find_map(of))
    };
    let first = lines().filter(|line| line.len() < 40).find_map(|line| amount(&line));
    let price = first
        .map(|first| value("price|cost|amount").and_then(|value| amount(&value)) == Some(first));
    (title, price)
}

/// A page and its labels with some values taken away, each with the row that it is in.
pub fn thinned(page: &Page, labels: &Labels, seed: u64, share: f64) -> (Page, Labels) {
    let mut left = labels.clone();
    let mut removed: BTreeSet<NodeId> = BTreeSet::new();
    for (name, values) in labels {
        let draw = xxh3_64_with_seed(name.as_bytes(), seed) % 1000;
        let values: BTreeSet<String> = values.iter().map(|value| squeezed(value)).collect();
        let others = labels.iter().filter(|(other, _)| *other != name);
        let mut others = others.flat_map(|(_, values)| values).map(|value| squeezed(value));
        if draw as f64 >= share * 1000.0 || others.any(|other| values.contains(&other)) {
            continue;
        }
        for id in page.nodes().filter(|&id| page.is_text(id)) {
            if values.contains(&squeezed(page.text(id))) {
                removed.insert(row_of(page, id));
            }
        }
        left.remove(name);
    }
    let html = without(page, &removed);
    (Page::parse(html.as_bytes(), &Limits::default()), left)
}

/// The largest element around a text with at most one other text.
fn row_of(page: &Page, text: NodeId) -> NodeId {
    let mut row = text;
    for above in page.ancestors(text) {
        let texts = page.subtree(above).filter(|&id| page.is_text(id)).count();
        if texts > 2 || matches!(page.tag(above), Tag::HTML | Tag::HEAD | Tag::BODY) {
            break;
        }
        row = above;
    }
    row
}

/// The page's HTML without some subtrees.
pub fn without(page: &Page, removed: &BTreeSet<NodeId>) -> String {
    let mut html = String::from("<!DOCTYPE html>");
    let mut open: Vec<NodeId> = Vec::new();
    let mut skipped_to = NodeId::ROOT;
    for id in page.nodes() {
        if id < skipped_to {
            continue;
        }
        while open.last().is_some_and(|&last| !page.subtree(last).contains(id)) {
            let last = open.pop().expect("there is one");
            html.push_str(&format!("</{}>", page.tag_name(last)));
        }
        if removed.contains(&id) {
            skipped_to = page.subtree(id).end;
        } else if page.is_text(id) {
            html.push_str(&format!(" {} ", escaped(page.text(id))));
        } else {
            html.push_str(&format!("<{}", page.tag_name(id)));
            for (name, value) in page.attributes(id) {
                html.push_str(&format!(" {name}=\"{}\"", escaped(value)));
            }
            html.push('>');
            if !page.tag(id).is_void() {
                open.push(id);
            }
        }
    }
    while let Some(last) = open.pop() {
        html.push_str(&format!("</{}>", page.tag_name(last)));
    }
    html
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> Vec<Page> {
        let html = |n: usize| {
            format!(
                "<title>Tea {n}</title><h1>Tea {n}</h1><p><b>Price:</b> ${n}.50</p>\
                 <p><b>Origin:</b> Valley {}</p>",
                n % 3
            )
        };
        (1..9).map(|n| Page::parse(html(n).as_bytes(), &Limits::default())).collect()
    }

    #[test]
    fn pairs_are_right_with_any_alternative_of_the_label() {
        let pages = pages();
        let schema = Schema::learn(&pages.iter().collect::<Vec<_>>(), None);
        let gold = |label: &str| {
            Labels::from([
                (label.to_owned(), vec!["$2.50".to_owned()]),
                ("Maker".to_owned(), vec!["Hill".to_owned()]),
            ])
        };
        let mut counts = PairCounts::default();
        counts.add(&schema, &pages[1], &gold("Facts|Price:"));
        // Said: price and origin. Wanted: price and maker.
        assert_eq!(counts.scores(), (0.5, 0.5, 0.5));
        let mut wrong = PairCounts::default();
        wrong.add(&schema, &pages[1], &gold("Cost:"));
        assert_eq!(wrong.scores().2, 0.0);
    }

    #[test]
    fn titles_and_prices_are_compared_with_the_content() {
        let pages = pages();
        let schema = Schema::learn(&pages.iter().collect::<Vec<_>>(), None);
        let check = |content: &str| title_and_price(&schema, &pages[1], content);
        assert_eq!(check("Tea 2\nPrice:\n$2.50"), (Some(true), Some(true)));
        assert_eq!(check("Tea 3\nOnly $3.50 now"), (Some(false), Some(false)));
        assert_eq!(check("Tea 2\nNo price"), (Some(true), None));
        assert_eq!(check(""), (None, None));
    }

    #[test]
    fn class_paths_are_told_apart_by_classes_and_xpaths_by_positions() {
        let html = |n: usize| format!("<p class=a>x{n}</p><p class=b>y{n}</p><p class=b>z{n}</p>");
        let pages: Vec<Page> =
            (0..3).map(|n| Page::parse(html(n).as_bytes(), &Limits::default())).collect();
        let pages: Vec<&Page> = pages.iter().collect();
        assert_eq!(Table::of_paths(&pages, PathKind::Positions).len(), 3);
        assert_eq!(Table::of_paths(&pages, PathKind::Classes).len(), 2);
    }
}
