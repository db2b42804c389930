//! What pages say for machines: JSON-LD, Open Graph and other `meta` elements, microdata in
//! attributes. It is evidence that a column is a field, and a name for it. It is the source of
//! values only if that is asked for: pages often say there what readers never see.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use unmold_html::hash::KeyedMap;

use super::columns::Draft;
use super::naming::words_of;
use super::sample::Pages;
use super::schema::Column;
use super::types::{ColumnType, Typed, parse};
use crate::page::Page;
use unmold_html::Tag;

/// The number of a page, and what it says.
pub type Cell<'s> = (u32, &'s Vec<String>);

/// Values of a page, of one key, and the length of each that are looked at.
const MAX_VALUES: usize = 512;
const MAX_OF_KEY: usize = 64;
const MAX_BYTES: usize = 2000;
/// Columns that are in structured data only.
const MAX_HIDDEN: usize = 200;
/// Depth of properties in JSON-LD.
const MAX_DEPTH: usize = 5;
/// Pages on which a column and a key agree, at least and as a share of the pages that have both.
const MIN_PAGES: usize = 3;
const MIN_SAME: f64 = 0.6;
/// Types of JSON-LD that are about the site or about where the page is in it.
const NOT_THE_TOPIC: [&str; 9] = [
    "WebSite",
    "Organization",
    "BreadcrumbList",
    "SiteNavigationElement",
    "WPHeader",
    "WPFooter",
    "SearchAction",
    "WebPageElement",
    "ImageObject",
];

/// Values by key, such as `offers.price`, `og:title`, `meta:author`, `itemprop:price`.
type Said = BTreeMap<String, Vec<String>>;

/// What a page says for machines.
fn said(page: &Page) -> Said {
    let mut said = Said::new();
    let mut count = 0;
    let mut add = |key: String, value: &str| {
        let value = squeezed(value);
        if value.is_empty() || value.len() > MAX_BYTES || count >= MAX_VALUES {
            return;
        }
        let values = said.entry(key).or_default();
        if values.len() < MAX_OF_KEY && !values.contains(&value) {
            count += 1;
            values.push(value);
        }
    };
    for block in page.linked_data() {
        if let Ok(value) = serde_json::from_str(block) {
            linked_data(&value, &mut add);
        }
    }
    for id in page.nodes().filter(|&id| !page.is_text(id)) {
        if page.tag(id) == Tag::META {
            let name = ["property", "name"].iter().find_map(|name| page.attribute(id, name));
            if let (Some(name), Some(content)) = (name, page.attribute(id, "content")) {
                let name = name.trim().to_ascii_lowercase();
                let is_plain = !name.contains(':');
                add(if is_plain { format!("meta:{name}") } else { name }, content);
            }
        }
        if let Some(name) = page.attribute(id, "itemprop").map(str::trim).filter(|n| !n.is_empty())
        {
            let value = ["content", "datetime"].iter().find_map(|name| page.attribute(id, name));
            if let Some(value) = value {
                add(format!("itemprop:{name}"), value);
            }
        }
    }
    said
}

/// The properties of the objects in JSON-LD that are about the topic of the page.
fn linked_data(value: &Value, add: &mut impl FnMut(String, &str)) {
    let mut open: Vec<(Vec<&str>, &Value)> = vec![(Vec::new(), value)];
    while let Some((path, value)) = open.pop() {
        let key = || path.join(".");
        match value {
            Value::Array(list) => {
                open.extend(list.iter().rev().map(|value| (path.clone(), value)));
            }
            Value::Object(fields) => {
                let is_topic = !fields.get("@type").is_some_and(is_not_the_topic);
                for (name, value) in fields.iter().rev().filter(|_| is_topic) {
                    if name == "@graph" {
                        open.push((path.clone(), value));
                    } else if !name.starts_with('@') && path.len() < MAX_DEPTH {
                        // Keys with a colon are those of elements.
                        let mut path = path.clone();
                        path.push(name.rsplit(':').next().unwrap_or(name));
                        open.push((path, value));
                    }
                }
            }
            Value::String(text) if !path.is_empty() => add(key(), text),
            Value::Number(number) if !path.is_empty() => add(key(), &number.to_string()),
            _ => {}
        }
    }
}

fn is_not_the_topic(kind: &Value) -> bool {
    let is = |kind: &Value| kind.as_str().is_some_and(|kind| NOT_THE_TOPIC.contains(&kind));
    match kind {
        Value::Array(kinds) => kinds.iter().all(is),
        kind => is(kind),
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Forms in which a value is compared: the text, the number, the day.
fn forms(value: &str) -> Vec<String> {
    let value = squeezed(value);
    let number = |number: f64| format!("#{number}");
    let typed = [ColumnType::Money, ColumnType::Float, ColumnType::Date]
        .into_iter()
        .find_map(|kind| parse(&value, kind));
    let other = match typed {
        Some(Typed::Money(amount, _) | Typed::Float(amount)) => Some(number(amount)),
        Some(Typed::Date(day)) => Some(day),
        _ => {
            value.get(..10).and_then(|day| parse(day, ColumnType::Date)).and_then(|day| match day {
                Typed::Date(day) => Some(day),
                _ => None,
            })
        }
    };
    std::iter::once(value.to_lowercase()).chain(other).collect()
}

/// What the pages of a kind say for machines.
pub(super) struct Structured {
    pages: Vec<Said>,
    /// For each page, the keys of each form of a value.
    keys: Vec<KeyedMap<String, BTreeSet<u32>>>,
    names: Vec<String>,
}

impl Structured {
    pub fn of(pages: &Pages) -> Structured {
        let said: Vec<Said> = pages.views.iter().map(|view| said(view.page)).collect();
        let names: BTreeSet<&String> = said.iter().flat_map(BTreeMap::keys).collect();
        let names: Vec<String> = names.into_iter().cloned().collect();
        let keys = said.iter().map(|said| {
            let mut keys: KeyedMap<String, BTreeSet<u32>> = KeyedMap::default();
            for (name, values) in said {
                let number = names.partition_point(|known| known < name) as u32;
                for form in values.iter().flat_map(|value| forms(value)) {
                    keys.entry(form).or_default().insert(number);
                }
            }
            keys
        });
        Structured { keys: keys.collect(), pages: said, names }
    }

    /// The key that has the values of a column, with the share of pages where they agree.
    pub fn key_of(&self, pages: &Pages, draft: &Draft) -> Option<(&str, f64)> {
        if self.names.is_empty() || draft.list.is_some() {
            return None;
        }
        let mut same: BTreeMap<u32, usize> = BTreeMap::new();
        let mut values: BTreeSet<&str> = BTreeSet::new();
        for cell in &draft.cells {
            let Some(value) = cell.values(pages).next() else { continue };
            let mut found: BTreeSet<u32> = BTreeSet::new();
            for form in forms(value) {
                found.extend(self.keys[cell.page as usize].get(&form).into_iter().flatten());
            }
            if !found.is_empty() {
                values.insert(value);
            }
            for key in found {
                *same.entry(key).or_default() += 1;
            }
        }
        let share = |key: u32, same: usize| {
            let name = &self.names[key as usize];
            let has = |page: u32| self.pages[page as usize].contains_key(name);
            let both = draft.cells.iter().filter(|cell| has(cell.page)).count();
            same as f64 / both.max(1) as f64
        };
        let min = MIN_PAGES.min(pages.views.len());
        let best = same.into_iter().filter(|&(_, same)| same >= min && values.len() >= 2);
        let best = best.map(|(key, same)| (key, same, share(key, same)));
        let best = best.filter(|&(_, _, share)| share >= MIN_SAME);
        // Of several, the one that agrees most often; of these, a property of the topic.
        let (key, _, share) = best.max_by_key(|&(key, same, _)| {
            let name = &self.names[key as usize];
            (same, !name.contains(':'), std::cmp::Reverse(name.len()), std::cmp::Reverse(key))
        })?;
        Some((&self.names[key as usize], share))
    }

    /// Columns for keys that no column of texts has.
    pub fn columns(&self, known: &BTreeSet<String>) -> Vec<(String, Vec<Cell<'_>>)> {
        let min = (0.05 * self.pages.len() as f64).max(2.0);
        let of_key = |name: &String| {
            let said = self.pages.iter().enumerate();
            let cells: Vec<Cell<'_>> =
                said.filter_map(|(at, said)| Some((at as u32, said.get(name)?))).collect();
            let different: BTreeSet<&Vec<String>> =
                cells.iter().map(|(_, values)| *values).collect();
            let is_column = cells.len() as f64 >= min && different.len() >= 2;
            is_column.then(|| (name.clone(), cells))
        };
        let names = self.names.iter().filter(|name| !known.contains(*name));
        names.filter_map(of_key).take(MAX_HIDDEN).collect()
    }
}

/// The words of a key: `offers.priceCurrency` is `price currency`, `og:title` is `title`,
/// `brand.name` is `brand`.
pub(super) fn label_of_key(key: &str) -> String {
    let parts: Vec<&str> = key.split(['.', ':']).collect();
    let last = match parts[..] {
        [.., before, "name" | "amount" | "value" | "@value"] if before != "itemprop" => before,
        [.., last] => last,
        [] => key,
    };
    words_of(last).join(" ")
}

/// Where structured data is, for other tools.
pub(super) fn xpath_of_key(key: &str) -> String {
    let quote = if key.contains('\'') { '"' } else { '\'' };
    let quoted = |name: &str| format!("{quote}{name}{quote}");
    match key.split_once(':') {
        None => "//script[@type='application/ld+json']".to_owned(),
        Some(("itemprop", name)) => format!("//*[@itemprop={}]/@content", quoted(name)),
        Some(("meta", name)) => format!("//meta[@name={}]/@content", quoted(name)),
        Some(_) => {
            let name = quoted(key);
            format!("//meta[@property={name} or @name={name}]/@content")
        }
    }
}

/// What a page says about each column that has a key.
pub(super) fn values(page: &Page, columns: &[Column]) -> Vec<Vec<String>> {
    let said = said(page);
    let of_key = |column: &Column| {
        let key = column.structured.as_ref();
        key.and_then(|key| said.get(key)).cloned().unwrap_or_default()
    };
    columns.iter().map(of_key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Limits;

    #[test]
    fn properties_of_the_topic_are_read() {
        let html = "<meta property=og:title content=Tea><meta name=viewport content=x>\
            <script type=application/ld+json>{\"@graph\": [{\"@type\": \"WebSite\", \"name\": \"S\"},\
            {\"@type\": \"Product\", \"name\": \"Tea\", \"brand\": {\"name\": \"Hill\"}, \
            \"offers\": [{\"price\": 4.5, \"priceCurrency\": \"EUR\"}]}]}</script>\
            <script type=application/ld+json>not JSON</script>\
            <p><time itemprop=datePublished datetime=2026-11-16>today</time>";
        let said = said(&Page::parse(html.as_bytes(), &Limits::default()));
        let check = |key: &str, expected: Option<&str>| {
            assert_eq!(said.get(key).map(|values| values[0].as_str()), expected, "{said:?}");
        };
        check("name", Some("Tea"));
        check("brand.name", Some("Hill"));
        check("offers.price", Some("4.5"));
        check("og:title", Some("Tea"));
        check("meta:viewport", Some("x"));
        check("itemprop:datePublished", Some("2026-11-16"));
        check("publisher.name", None);
    }

    #[test]
    fn values_are_compared_as_numbers_and_days() {
        let same = |left: &str, right: &str| {
            let right = forms(right);
            forms(left).iter().any(|form| right.contains(form))
        };
        assert!(same("$4.50", "4.5"));
        assert!(same("Nov 16, 2026", "2026-11-16T08:00:00Z"));
        assert!(same("Tea  time", "tea time"));
        assert!(!same("$4.50", "$5.50"));
    }

    #[test]
    fn keys_have_words() {
        let check = |key, expected| assert_eq!(label_of_key(key), expected, "{key}");
        check("offers.priceCurrency", "price currency");
        check("og:title", "title");
        check("brand.name", "brand");
        check("product:price:amount", "price");
        check("meta:author", "author");
        check("itemprop:name", "name");
    }
}
