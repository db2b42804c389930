//! Tables of records, as JSON: Python turns them into Arrow.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use unmold::methods::Serial;
use unmold::records::{Field, Shape, TableOptions};
use unmold::site::Sampler;

use crate::options::Options;
use crate::page::Page;

/// The table of a kind: its name, its columns, its fields, and its rows.
pub type KindTable = (String, String, String, Vec<String>);

/// The tables of pages, with the sample and the kinds of the command `unmold records`.
pub fn tables(
    pages: &[&Page],
    options: &Options,
    max_columns: Option<usize>,
    raw: bool,
) -> Vec<KindTable> {
    let mut sites: BTreeMap<&str, Vec<&Page>> = BTreeMap::new();
    for page in pages {
        sites.entry(page.raw().site).or_default().push(page);
    }
    let table = TableOptions::default().with_max_columns(max_columns).with_raw(raw);
    sites.into_iter().flat_map(|(site, pages)| of_site(site, &pages, options, &table)).collect()
}

fn of_site(site: &str, pages: &[&Page], options: &Options, table: &TableOptions) -> Vec<KindTable> {
    let mut sampler = Sampler::new(options.sample);
    for page in pages {
        let raw = page.raw();
        let key = raw.sample_key(options);
        if sampler.takes(key, raw.id) {
            sampler.insert(key, raw.id, raw);
        }
    }
    let sample: Vec<unmold::Page> = sampler.into_pages().map(|raw| raw.parse(options)).collect();
    let sample: Vec<&unmold::Page> = sample.iter().collect();
    let mut settings = options.settings.clone();
    settings.cluster = settings.cluster.or(Some(true));
    let Ok(mut template) = settings.learn_site(site, &sample, &Serial) else { return Vec::new() };
    template.learn_records(&sample);
    let mut rows: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let readers: BTreeMap<&str, _> = template
        .kinds()
        .iter()
        .filter_map(|kind| {
            let schema = kind.records().filter(|schema| !schema.is_empty())?;
            Some((kind.name(), (schema, schema.reader(), schema.table(table))))
        })
        .collect();
    for page in pages {
        let raw = page.raw();
        let parsed = raw.parse(options);
        let (kind, _) = template.kind_of(&parsed);
        let Some((_, reader, table)) = readers.get(kind.name()) else { continue };
        let mut row = Map::new();
        row.insert("id".to_owned(), json!(raw.id));
        row.insert("url".to_owned(), json!(raw.url));
        let names = table.fields().iter().map(|field| field.name.clone());
        row.extend(names.zip(table.values(&reader.read(&parsed))));
        rows.entry(kind.name()).or_default().push(Value::Object(row).to_string());
    }
    readers
        .iter()
        .map(|(kind, (schema, _, table))| {
            let columns = json!(schema.columns()).to_string();
            let fields = json!(table.fields().iter().map(described).collect::<Vec<_>>());
            let rows = rows.remove(kind).unwrap_or_default();
            ((*kind).to_owned(), columns, fields.to_string(), rows)
        })
        .collect()
}

/// A field as `[name, type]`, `[name, [type]]` for a list, `[name, [fields]]` for records.
fn described(field: &Field) -> Value {
    match &field.shape {
        Shape::Value(kind) => json!([field.name, kind.name()]),
        Shape::List(kind) => json!([field.name, [kind.name()]]),
        Shape::Records(fields) => {
            json!([field.name, fields.iter().map(described).collect::<Vec<_>>()])
        }
        _ => json!([field.name, "text"]),
    }
}
