//! Picks columns by words for what is wanted, or by an example.

use super::naming::NameSource;
use super::read::Found;
use super::schema::{Column, Schema};
use super::types::ColumnType;
use crate::page::{Page, words};

/// Words that say which type the values have.
const TYPE_WORDS: [(&str, ColumnType); 16] = [
    ("price", ColumnType::Money),
    ("msrp", ColumnType::Money),
    ("cost", ColumnType::Money),
    ("phone", ColumnType::Phone),
    ("tel", ColumnType::Phone),
    ("telephone", ColumnType::Phone),
    ("website", ColumnType::Url),
    ("url", ColumnType::Url),
    ("homepage", ColumnType::Url),
    ("email", ColumnType::Email),
    ("date", ColumnType::Date),
    ("posted", ColumnType::Date),
    ("published", ColumnType::Date),
    ("released", ColumnType::Date),
    ("percent", ColumnType::Percent),
    ("rate", ColumnType::Percent),
];
/// Words for what the page is about.
const TITLE_WORDS: [&str; 3] = ["title", "name", "heading"];

/// What is wanted: words, the most important one first.
struct Want {
    words: Vec<String>,
    kind: Option<ColumnType>,
    is_title: bool,
}

impl Want {
    fn new(wanted: &str) -> Want {
        let words: Vec<String> =
            words(wanted).flat_map(|word| word.split('_')).map(str::to_lowercase).collect();
        let first = words.iter().take(2);
        let mut kinds = first.filter_map(|word| TYPE_WORDS.iter().find(|(known, _)| known == word));
        let kind = kinds.next().map(|(_, kind)| *kind);
        let is_title =
            words.iter().take(3).any(|word| TITLE_WORDS.contains(&word.as_str())) && kind.is_none();
        Want { words, kind, is_title }
    }

    fn position(&self, word: &str) -> Option<usize> {
        self.words.iter().position(|known| known == word)
    }

    /// Whether the values themselves have the words: `22 mpg city`.
    fn is_in_values(&self, column: &Column) -> bool {
        let has_word =
            |value: &String| words(value).any(|word| self.position(&word.to_lowercase()).is_some());
        column.examples.len() >= 2 && column.examples.iter().all(has_word)
    }

    /// How well a column fits; `None` if nothing speaks for it.
    fn score(&self, column: &Column) -> Option<f64> {
        if column.table.is_some() {
            return None;
        }
        let parts: Vec<&str> =
            column.label.split(|c: char| !c.is_alphanumeric()).filter(|p| !p.is_empty()).collect();
        let hits: Vec<usize> = parts.iter().filter_map(|part| self.position(part)).collect();
        let mut score = 0.0;
        if let Some(&first) = hits.iter().min() {
            score += 3.0 - 0.15 * first as f64 - 0.4 * (parts.len() - hits.len()) as f64;
        }
        let others = column.other_names.iter();
        if others.flat_map(|name| words(name)).any(|word| self.position(word).is_some()) {
            score = f64::max(score, 1.8);
        }
        if !self.is_title && self.is_in_values(column) {
            score = f64::max(score, 1.5);
        }
        if self.is_title {
            // Its parts are better, but there may be none.
            if column.label == "page title" {
                return Some(0.1);
            }
            score += 2.0 * f64::from(column.in_title) / 1000.0;
            score += match column.source {
                Some(NameSource::Title | NameSource::Heading) => 0.5,
                _ => 0.0,
            };
            score += if is_in(column, "h1") {
                1.2
            } else if is_in(column, "h2") {
                0.6
            } else {
                0.0
            };
        }
        let is_of_kind = self.kind == Some(column.kind);
        if score <= 0.0 && !is_of_kind {
            return None;
        }
        use ColumnType::{Date, Email, Money, Percent, Phone, Url};
        if self.kind.is_none()
            && matches!(column.kind, Date | Email | Money | Percent | Phone | Url)
        {
            score -= 0.8;
        }
        if self.kind.is_some() {
            let is_plain =
                matches!(column.kind, ColumnType::Text | ColumnType::Int | ColumnType::Float);
            score += if is_of_kind {
                1.2
            } else if is_plain {
                0.0
            } else {
                -0.5
            };
        }
        score += 1.5 * f64::from(column.cover) / 1000.0 + 0.2 * f64::from(column.score) / 1000.0;
        if matches!(column.source, Some(NameSource::Label | NameSource::Inline)) {
            score += 0.3;
        }
        if column.is_list {
            score -= 0.3;
        }
        Some(score)
    }
}

/// Whether one of the last elements of a column's path has this name.
fn is_in(column: &Column, tag: &str) -> bool {
    let mut last = column.css.rsplit(" > ").take(3);
    last.any(|part| part.split(['.', '#', ':']).next() == Some(tag))
}

impl Schema {
    /// The column that words such as `price|msrp` describe best, by name, type and rank; `None` if
    /// nothing fits.
    pub fn wanted(&self, words: &str) -> Option<usize> {
        let want = Want::new(words);
        let mut best: Option<(usize, f64)> = None;
        for (at, column) in self.columns.iter().enumerate() {
            if let Some(score) = want.score(column)
                && best.is_none_or(|(_, known)| score > known)
            {
                best = Some((at, score));
            }
        }
        best.map(|(at, _)| at)
    }

    /// The column that has this value on a page, and no other there; if there is none, one that has
    /// it among others.
    pub fn by_example(&self, page: &Page, value: &str) -> Option<usize> {
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let value = squeezed(value);
        let row = self.reader().read(page);
        let is_value =
            |found: &Found| squeezed(found.text) == value || squeezed(found.whole) == value;
        // Of several, the one on most pages; of these, the first.
        let most = |fits: &dyn Fn(&[Found]) -> bool| {
            let cells = row.cells().iter().enumerate();
            let fitting =
                cells.filter(|(_, cell)| !cell.is_empty() && fits(cell)).map(|(at, _)| at);
            fitting.min_by_key(|&at| (std::cmp::Reverse(self.columns[at].cover), at))
        };
        let alone = most(&|cell| cell.iter().all(is_value));
        alone.or_else(|| most(&|cell| cell.iter().any(is_value)))
    }
}
