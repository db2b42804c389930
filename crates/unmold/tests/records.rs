//! Tables of records: properties that hold for every page, and a site of our own.

#![allow(clippy::disallowed_methods)]

mod common;

use common::{parse, soup};
use proptest::prelude::*;
use unmold::records::{ColumnType, Schema, TableOptions};
use unmold::{Limits, Page, ParseOptions, Settings, Template, learn};

fn pages(seeds: &[Vec<u8>]) -> Vec<Page> {
    seeds.iter().map(|seed| parse(&soup(seed))).collect()
}

fn seeds() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..8)
}

fn schema(pages: &[Page]) -> Schema {
    Schema::learn(&pages.iter().collect::<Vec<_>>(), None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_order_of_pages_does_not_matter(seeds in seeds(), turn in 0usize..8) {
        let pages = pages(&seeds);
        let mut turned: Vec<&Page> = pages.iter().rev().collect();
        let by = turn % turned.len().max(1);
        turned.rotate_left(by);
        prop_assert_eq!(Schema::learn(&turned, None), schema(&pages));
    }

    #[test]
    fn values_are_part_of_the_page_and_columns_are_bounded(
        seeds in seeds(),
        unseen in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let pages = pages(&seeds);
        let schema = schema(&pages);
        let texts = |page: &Page| page.nodes().filter(|&id| page.is_text(id)).count();
        prop_assert!(schema.columns().len() <= pages.iter().map(texts).sum::<usize>());
        let table = schema.table(&TableOptions::default().with_raw(true));
        for page in pages.iter().chain([&parse(&soup(&unseen))]) {
            let row = schema.reader().read(page);
            for found in row.cells().iter().flatten() {
                prop_assert!(page.text(found.node).contains(found.text));
                prop_assert!(found.record.is_none_or(|record| page.subtree(record).contains(found.node)));
            }
            prop_assert_eq!(table.values(&row).len(), table.fields().len());
        }
    }

    #[test]
    fn what_is_stored_reads_the_same(seeds in seeds()) {
        let pages = pages(&seeds);
        let schema = schema(&pages);
        let stored = serde_json::to_string(&schema).expect("JSON");
        let again: Schema = serde_json::from_str(&stored).expect("a schema");
        prop_assert_eq!(&again, &schema);
        for page in &pages {
            prop_assert_eq!(again.reader().read(page), schema.reader().read(page));
        }
    }
}

/// A product of a shop of which some lack a price or a maker.
fn product(n: usize, design: fn(&str, &[(&str, String)]) -> String) -> Page {
    let names = ["Oolong", "Assam", "Sencha", "Matcha", "Keemun", "Ceylon", "Yunnan", "Nilgiri"];
    let makers = ["Hill & Sons", "Dock Street", "Lantern"];
    let mut fields = vec![("Origin", format!("Valley {}", n * 7 % 5))];
    if n % 3 != 1 {
        fields.push(("Price", format!("${}.50", 4 + n)));
    }
    if n % 4 != 2 {
        fields.push(("Maker", makers[n % 3].to_owned()));
    }
    let html = design(names[n % 8], &fields);
    let url = format!("http://tea.example/{n}");
    Page::parse_with(html.as_bytes(), &ParseOptions::default().with_url(url))
}

fn rows(name: &str, fields: &[(&str, String)]) -> String {
    let rows = fields.iter().map(|(label, value)| format!("<tr><td>{label}:<td>{value}"));
    format!(
        "<title>{name} | Tea</title><div class=menu><a href=/>Home</a></div><h1>{name}</h1>\
         <table class=facts>{}</table>",
        rows.collect::<String>()
    )
}

/// The same shop after a redesign: other elements, no labels.
fn spans(name: &str, fields: &[(&str, String)]) -> String {
    let value = |(label, value): &(&str, String)| {
        format!("<p class=f-{}>{value}</p>", label.to_lowercase())
    };
    format!(
        "<title>{name} - Tea</title><header>Tea</header><main><h2>{name}</h2>{}</main>",
        fields.iter().map(value).collect::<String>()
    )
}

fn site(count: usize, design: fn(&str, &[(&str, String)]) -> String) -> Vec<Page> {
    (0..count).map(|n| product(n, design)).collect()
}

fn column(schema: &Schema, name: &str) -> usize {
    let names: Vec<&str> = schema.columns().iter().map(|column| column.name.as_str()).collect();
    names.iter().position(|&known| known == name).unwrap_or_else(|| panic!("{name} in {names:?}"))
}

#[test]
fn optional_rows_are_columns_with_names_and_types() {
    let pages = site(12, rows);
    let schema = schema(&pages[..9]);
    let price = column(&schema, "price");
    assert_eq!(schema.columns()[price].kind, ColumnType::Money);
    let reader = schema.reader();
    for (n, page) in pages.iter().enumerate().skip(9) {
        let row = reader.read(page);
        let expected: Vec<String> = match n % 3 {
            1 => Vec::new(),
            _ => vec![format!("${}.50", 4 + n)],
        };
        assert_eq!(row.texts(price), expected, "page {n}");
        assert_eq!(row.texts(column(&schema, "origin")).len(), 1);
    }
    assert_eq!(schema.wanted("cost|price"), Some(price));
    assert_eq!(schema.by_example(&pages[0], "$4.50"), Some(price));
    assert_eq!(schema.by_example(&pages[0], "$999"), None);
}

#[test]
fn lists_of_records_are_nested() {
    let html = |n: usize| {
        let entry = |m: usize| {
            let (name, price) = (n * 50 + m * 3, 10 * n + m);
            format!("<li class=hit><b>Item {name}</b><i>${price}</i><a href=x>More</a></li>")
        };
        let entries: String = (0..3 + n % 4).map(entry).collect();
        parse(&format!("<h1>Page {n}</h1><ul>{entries}</ul>"))
    };
    let pages: Vec<Page> = (0..10).map(html).collect();
    let schema = schema(&pages);
    let table = schema.table(&TableOptions::default());
    let row = schema.reader().read(&pages[1]);
    let values = table.values(&row);
    let records = values.iter().find_map(|value| value.as_array()).expect("a list");
    assert_eq!(records.len(), 4, "{records:?}");
    let is_price = |value: &serde_json::Value| value["amount"] == 11.0;
    let second = records[1].as_object().expect("a record");
    assert!(second.values().any(is_price), "{second:?}");
    let exploded = schema.table(&TableOptions::default().with_explode(true));
    assert_eq!(exploded.exploded_values(&row)[0].len(), 4);
    assert!(exploded.fields().len() < table.fields().len());
}

#[test]
fn columns_survive_a_redesign_where_the_data_survives() {
    let old = schema(&site(12, rows));
    let mut new = schema(&site(12, spans));
    let id = |schema: &Schema, name: &str| schema.columns()[column(schema, name)].id.clone();
    let changes = new.keep_columns_of(&old);
    for name in ["price", "maker", "origin"] {
        assert_eq!(id(&new, name), id(&old, name), "{name}");
        assert!(changes.moved.contains(&name.to_owned()), "{changes:?}");
    }
    assert_eq!(new.version(), 1);
    assert!(!changes.vanished.contains(&"price".to_owned()), "{changes:?}");
    let again = schema(&site(12, rows)).keep_columns_of(&old);
    assert!(again.is_empty(), "{again:?}");
}

#[test]
fn a_vanished_column_is_reported() {
    let without_price = |name: &str, fields: &[(&str, String)]| {
        let left: Vec<_> = fields.iter().filter(|(label, _)| *label != "Price").cloned().collect();
        rows(name, &left)
    };
    let old = schema(&site(12, rows));
    let mut new = schema(&site(12, without_price));
    assert_eq!(new.keep_columns_of(&old).vanished, ["price"]);
}

#[test]
fn the_template_file_keeps_the_table() {
    let pages = site(12, rows);
    let sample: Vec<&Page> = pages.iter().collect();
    let mut template = learn(sample.iter().copied(), &Settings::default()).expect("pages");
    template.learn_records(&sample);
    let read = Template::from_json(template.to_json().as_bytes()).expect("a template");
    assert_eq!(read, template);
    let schema = read.kinds()[0].records().expect("a table");
    assert_eq!(schema.pages(), 12);
    column(schema, "price");
}

#[test]
fn pages_without_anything_in_common_have_no_columns() {
    let check = |pages: &[&str]| {
        let pages: Vec<Page> = pages.iter().map(|html| parse(html)).collect();
        let schema = schema(&pages);
        assert!(schema.is_empty(), "{:?}", schema.columns());
        assert_eq!(schema.reader().read(&parse("<p>x")).filled(), 0);
    };
    check(&[]);
    check(&["<p>alone"]);
    check(&["<p>same", "<p>same", "<p>same"]);
    check(&["", "", "x"]);
}

#[test]
fn deep_pages_are_read_without_recursion() {
    let deep = |n: usize| {
        let depth = 3000;
        format!("{}value {n}{}", "<div>".repeat(depth), "</div>".repeat(depth))
    };
    let limits = Limits::default();
    let pages: Vec<Page> = (0..4).map(|n| Page::parse(deep(n).as_bytes(), &limits)).collect();
    let schema = schema(&pages);
    schema.reader().read(&pages[0]);
}
