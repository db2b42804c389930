//! Tables of records, as JSON: Python turns them into Arrow.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};
use unmold::TemplateSet;
use unmold::records::{Field, Reader, Schema, Shape, Table, TableOptions};

use crate::batch::Pages;
use crate::options::Options;
use crate::page::{Page, Raw};

/// Name, site, columns and fields of a kind of page that has a table.
pub type KindTable = (String, String, String, String);

/// The kind of a page and its row; `None` if it belongs to no table.
pub type KindRow = Option<(String, String)>;

/// Which columns tables have, and in which form.
#[pyclass(frozen, module = "unmold._unmold")]
pub struct Columns {
    options: TableOptions,
    want: Vec<String>,
}

#[pymethods]
impl Columns {
    #[new]
    fn new(max_columns: Option<usize>, raw: bool, structured: bool, want: Vec<String>) -> Columns {
        let options = TableOptions::default()
            .with_max_columns(max_columns.filter(|_| want.is_empty()))
            .with_raw(raw)
            .with_structured(structured);
        Columns { options, want }
    }
}

impl Columns {
    /// The table of a kind: with the wanted columns, or with the first ones.
    fn table(&self, schema: &Schema) -> Table {
        let name = |words: &String| words.split('|').next().unwrap_or(words).trim().to_owned();
        let wanted = self.want.iter();
        let wanted = wanted.filter_map(|words| Some((schema.wanted(words)?, name(words))));
        let wanted = (!self.want.is_empty()).then(|| wanted.collect());
        schema.table(&self.options.clone().with_columns(wanted))
    }
}

/// The tables of all kinds of page, ready to read pages.
struct Tables<'t> {
    templates: &'t TemplateSet,
    kinds: BTreeMap<&'t str, (Reader<'t>, Table)>,
    /// Of pages whose site is not known.
    only: Option<&'t unmold::Template>,
}

impl<'t> Tables<'t> {
    fn new(templates: &'t TemplateSet, columns: &Columns) -> Tables<'t> {
        let kinds = templates.kinds().filter_map(|kind| {
            let schema = kind.records().filter(|schema| !schema.is_empty())?;
            let reader = schema.reader().with_structured(columns.options.structured);
            Some((kind.name(), (reader, columns.table(schema))))
        });
        let only = templates.iter().next().filter(|_| templates.len() == 1);
        Tables { templates, kinds: kinds.collect(), only: only.map(Arc::as_ref) }
    }

    fn row(&self, raw: &Raw<'_>, options: &Options) -> KindRow {
        let page = raw.parse(options);
        let of_site = self.templates.get(raw.site).map(Arc::as_ref);
        let template = of_site.or(self.only.filter(|_| raw.url.is_none()))?;
        let (kind, _) = template.kind_of(&page);
        let (reader, table) = self.kinds.get(kind.name())?;
        let mut row = Map::new();
        row.insert("id".to_owned(), json!(raw.id));
        row.insert("url".to_owned(), json!(raw.url));
        let names = table.fields().iter().map(|field| field.name.clone());
        row.extend(names.zip(table.values(&reader.read(&page))));
        Some((kind.name().to_owned(), Value::Object(row).to_string()))
    }
}

/// The kinds of page that have a table.
pub fn tables_of(templates: &TemplateSet, columns: &Columns) -> Vec<KindTable> {
    let of_site = |template: &unmold::Template| -> Vec<KindTable> {
        let table = |kind: &unmold::KindTemplate| {
            let schema = kind.records().filter(|schema| !schema.is_empty())?;
            let fields = columns.table(schema).fields().iter().map(described).collect();
            Some((
                kind.name().to_owned(),
                template.site().to_owned(),
                json!(schema.columns()).to_string(),
                Value::Array(fields).to_string(),
            ))
        };
        template.kinds().iter().filter_map(table).collect()
    };
    templates.iter().flat_map(|template| of_site(template)).collect()
}

/// The kind and the row of each page.
pub fn rows_of(
    templates: &TemplateSet,
    pages: &[&Page],
    options: &Options,
    columns: &Columns,
) -> Vec<KindRow> {
    let tables = Tables::new(templates, columns);
    pages.iter().map(|page| tables.row(&page.raw(), options)).collect()
}

/// The same for the pages of a batch.
pub fn rows_of_batch(
    templates: &TemplateSet,
    batch: &RecordBatch,
    options: &Options,
    columns: &Columns,
) -> PyResult<Vec<KindRow>> {
    let pages = Pages::new(batch)?;
    let tables = Tables::new(templates, columns);
    let row = |row: usize| tables.row(&pages.page(row)?, options);
    Ok((0..pages.rows()).map(row).collect())
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
