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
/// What the values of a column look like that words ask for, beside its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    /// A long number, perhaps with dashes and a letter: `0-306-40615-2`.
    Code,
    /// Two to five words without digits.
    Person,
    /// A few words that many pages share.
    Category,
    /// Something with a digit.
    Measure,
    /// Digits and words.
    Address,
}

const EXPECTED: [(&str, Expected); 33] = [
    ("isbn", Expected::Code),
    ("isbn13", Expected::Code),
    ("ean", Expected::Code),
    ("upc", Expected::Code),
    ("gtin", Expected::Code),
    ("author", Expected::Person),
    ("authors", Expected::Person),
    ("director", Expected::Person),
    ("directors", Expected::Person),
    ("writer", Expected::Person),
    ("artist", Expected::Person),
    ("editor", Expected::Person),
    ("actor", Expected::Person),
    ("genre", Expected::Category),
    ("genres", Expected::Category),
    ("cuisine", Expected::Category),
    ("category", Expected::Category),
    ("type", Expected::Category),
    ("brand", Expected::Category),
    ("manufacturer", Expected::Category),
    ("maker", Expected::Category),
    ("color", Expected::Category),
    ("language", Expected::Category),
    ("status", Expected::Category),
    ("height", Expected::Measure),
    ("weight", Expected::Measure),
    ("width", Expected::Measure),
    ("length", Expected::Measure),
    ("depth", Expected::Measure),
    ("mileage", Expected::Measure),
    ("mpg", Expected::Measure),
    ("address", Expected::Address),
    ("street", Expected::Address),
];

impl Expected {
    fn fits(self, value: &str) -> bool {
        let digits = value.chars().filter(char::is_ascii_digit).count();
        let letters = value.chars().filter(|c| c.is_alphabetic()).count();
        let words = value.split_whitespace().count();
        match self {
            Expected::Code => digits >= 8 && letters <= 1 && words == 1,
            Expected::Person => digits == 0 && (2..=5).contains(&words),
            Expected::Category => (1..=5).contains(&words) && letters > digits,
            Expected::Measure => digits > 0 && words <= 8,
            Expected::Address => digits > 0 && letters > 0 && words >= 2,
        }
    }

    /// What the examples of a column add to its score.
    fn score(self, column: &Column) -> f64 {
        let fitting = column.examples.iter().filter(|value| self.fits(value)).count();
        match fitting {
            0 => -1.0,
            all if all == column.examples.len() => 0.5,
            _ => 0.0,
        }
    }
}

/// Words for what the page is about.
const TITLE_WORDS: [&str; 3] = ["title", "name", "heading"];

/// What is wanted: words, the most important one first.
struct Want {
    words: Vec<String>,
    kind: Option<ColumnType>,
    expected: Option<Expected>,
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
        let first = words.first();
        let expected = first.and_then(|word| EXPECTED.iter().find(|(known, _)| known == word));
        Want { kind, expected: expected.map(|(_, expected)| *expected), is_title, words }
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
        if column.table.is_some() || column.is_hidden || !column.is_written() {
            return None;
        }
        if column.corrected.learned_name.is_some() && Want::new(&column.name).words == self.words {
            return Some(f64::MAX); // a person named it so
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
        score += self.expected.map_or(0.0, |expected| expected.score(column));
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
        let is_value = |found: &Found| {
            let own = [found.text, found.whole, &found.value()];
            own.into_iter().any(|own| squeezed(own) == value)
        };
        // Of several, the one on most pages; of these, the first.
        let most = |fits: &dyn Fn(&[Found]) -> bool| {
            let cells = row.cells().iter().enumerate();
            let fitting =
                cells.filter(|(_, cell)| !cell.is_empty() && fits(cell)).map(|(at, _)| at);
            let best = fitting.min_by_key(|&at| (std::cmp::Reverse(self.columns[at].cover), at));
            best.and_then(|at| self.written_for(at))
        };
        let alone = most(&|cell| cell.iter().all(is_value));
        alone.or_else(|| most(&|cell| cell.iter().any(is_value)))
    }
}
