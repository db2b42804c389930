//! Tables of records: properties that hold for every page, and a site of our own.

#![allow(clippy::disallowed_methods)]

mod common;

use std::collections::BTreeMap;

use common::{parse, soup};
use proptest::prelude::*;
use serde_json::{Value, json};
use unmold::records::{ColumnChange, ColumnType, CorrectError, Schema, Split, TableOptions};
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

fn named<'s>(schema: &'s Schema, name: &str) -> &'s unmold::records::Column {
    &schema.columns()[column(schema, name)]
}

/// The values of a page by field.
fn values(schema: &Schema, page: &Page, options: &TableOptions) -> BTreeMap<String, Value> {
    let table = schema.table(options);
    let row = schema.reader().with_structured(options.structured).read(page);
    let names = table.fields().iter().map(|field| field.name.clone());
    names.zip(table.values(&row)).collect()
}

fn rename(name: &str) -> ColumnChange {
    ColumnChange::Rename { name: name.to_owned() }
}

#[test]
fn corrections_win_and_survive_a_redesign() {
    let pages = site(12, rows);
    let mut old = schema(&pages);
    assert_eq!(old.correct("price", rename("Amount due")), Ok(1));
    assert_eq!(old.correct("maker", ColumnChange::Drop), Ok(2));
    assert_eq!(old.correct("origin", ColumnChange::Type { kind: ColumnType::Int }), Ok(3));
    let check = |schema: &Schema, page: &Page| {
        let values = values(schema, page, &TableOptions::default());
        assert_eq!(values["amount_due"], json!({"amount": 4.5, "currency": "USD"}));
        assert_eq!(values["origin"], Value::Null, "no number");
        assert!(!values.contains_key("maker") && !values.contains_key("price"), "{values:?}");
        assert_eq!(named(schema, "amount_due").learned_name(), "price");
    };
    check(&old, &pages[0]);
    let stored: Schema =
        serde_json::from_str(&serde_json::to_string(&old).expect("JSON")).expect("a schema");
    assert_eq!(stored, old);
    let redesigned = site(12, spans);
    let mut new = schema(&redesigned);
    let changes = new.keep_columns_of(&old);
    assert!(!changes.moved.contains(&"maker".to_owned()), "dropped: {changes:?}");
    check(&new, &redesigned[0]);
    assert_eq!(old.correct("amount_due", ColumnChange::Learned), Ok(4));
    assert_eq!(named(&old, "price").kind, ColumnType::Money);
    // Said again, it counts again.
    let before = old.clone();
    assert_eq!(old.correct("price", rename("Amount due")), Ok(5));
    assert!(old.keep_columns_of(&before).is_empty());
    named(&old, "amount_due");
}

#[test]
fn columns_are_merged_and_split() {
    let html = |n: usize| {
        let (before, after) = match n % 2 {
            0 => (format!("<p class=price><b>Price:</b> ${n}.50</p>"), String::new()),
            _ => (String::new(), format!("<ul class=sale><li><b>Sale:</b> ${n}.50</li></ul>")),
        };
        parse(&format!("<h1>Box {n}</h1>{before}<p><b>Size:</b> {n} x {} cm</p>{after}", n * 3))
    };
    let pages: Vec<Page> = (1..13).map(html).collect();
    let mut schema = schema(&pages);
    schema.correct("sale", ColumnChange::Merge { into: "price".to_owned() }).expect("a column");
    let kind = |part| schema.type_of_part("size", " x ", part, 2);
    assert_eq!((kind(0), kind(1)), (ColumnType::Int, ColumnType::Quantity));
    let parts = vec![("width".to_owned(), kind(0)), ("height".to_owned(), kind(1))];
    let split = Split { at: " x ".to_owned(), parts };
    schema.correct("size", ColumnChange::Split(split)).expect("a column");
    for n in [1usize, 2] {
        let values = values(&schema, &pages[n - 1], &TableOptions::default().with_raw(true));
        assert_eq!(values["price"]["amount"], n as f64 + 0.5);
        assert_eq!(values["price_raw"], format!("${n}.50"));
        assert_eq!(values["width"], n);
        assert_eq!(values["height"], json!({"value": n as f64 * 3.0, "unit": "cm"}));
        assert!(!values.contains_key("sale") && !values.contains_key("size"), "{values:?}");
    }
    assert_eq!(schema.by_example(&pages[0], "$1.50"), Some(column(&schema, "price")));
}

#[test]
fn corrections_that_make_no_sense_are_refused() {
    let mut schema = schema(&site(12, rows));
    let before = schema.clone();
    let merge = |into: &str| ColumnChange::Merge { into: into.to_owned() };
    let split = ColumnChange::Split(Split { at: String::new(), parts: Vec::new() });
    for (column, change, expected) in [
        ("nothing", ColumnChange::Drop, CorrectError::Unknown("nothing".to_owned())),
        ("price", rename("maker"), CorrectError::Taken("maker".to_owned())),
        ("price", rename(" !"), CorrectError::Nameless(" !".to_owned())),
        ("price", merge("x"), CorrectError::Unknown("x".to_owned())),
        (
            "price",
            merge("price"),
            CorrectError::Unmergeable("price".to_owned(), "price".to_owned()),
        ),
        ("price", split, CorrectError::Unsplittable),
    ] {
        assert_eq!(schema.correct(column, change), Err(expected));
    }
    assert_eq!(schema, before);
}

#[test]
fn structured_data_names_columns_and_is_a_source_if_asked() {
    let html = |n: usize| {
        let data = format!(
            r#"{{"@type": "Product", "name": "Tea {n}", "sku": "S-{n}", "offers": {{"price": {n}.5}}}}"#
        );
        parse(&format!(
            "<script type=application/ld+json>{data}</script><h1>Tea {n}</h1><div>${n}.50</div>\
             <div>From the valley {}</div>",
            n % 3
        ))
    };
    let pages: Vec<Page> = (1..13).map(html).collect();
    let schema = schema(&pages);
    let price = named(&schema, "price");
    assert_eq!(price.structured.as_deref(), Some("offers.price"), "{price:?}");
    let shown = values(&schema, &pages[2], &TableOptions::default());
    assert!(!shown.contains_key("sku"), "{shown:?}");
    let all = values(&schema, &pages[2], &TableOptions::default().with_structured(true));
    assert_eq!(all["sku"], "S-3");
    assert_eq!(all["price"], json!({"amount": 3.5, "currency": "USD"}), "the text has a currency");
    assert_eq!(schema.wanted("sku"), None, "hidden");
}

#[test]
fn pages_of_another_design_empty_the_columns() {
    let schema = schema(&site(12, rows));
    let reader = schema.reader();
    let emptied = |pages: &[Page]| {
        let mut filled = vec![0; schema.columns().len()];
        for page in pages {
            for (count, cell) in filled.iter_mut().zip(reader.read(page).cells()) {
                *count += u32::from(!cell.is_empty());
            }
        }
        schema.emptied(pages.len() as u32, &filled)
    };
    assert!(emptied(&site(20, rows)).is_empty());
    let names: Vec<String> = emptied(&site(12, spans)).into_iter().map(|(name, ..)| name).collect();
    assert!(names.contains(&"price".to_owned()), "{names:?}");
}

#[test]
fn long_lists_are_read_in_linear_time() {
    // No two pages have an entry in common: what they share may be template.
    let entry =
        |n: usize, m: usize| format!("<li class=hit><b>Item {n}.{m}</b><i>${n}{m}</i></li>");
    let html = |n: usize| {
        let entries: String = (0..3 + n).map(|m| entry(n, m)).collect();
        parse(&format!("<h1>Page {n}</h1><ul>{entries}</ul>"))
    };
    let pages: Vec<Page> = (0..10).map(html).collect();
    let schema = schema(&pages);
    // Quadratic work would take minutes.
    let long = html(20_000);
    let table = schema.table(&TableOptions::default());
    let values = table.values(&schema.reader().read(&long));
    let records = values.iter().find_map(Value::as_array).expect("a list");
    assert_eq!(records.len(), 20_003);
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
