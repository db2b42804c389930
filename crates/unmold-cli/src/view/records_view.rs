//! The view of a table: the pages of a kind as rows, and on a page the boxes of a column.

use anyhow::{Context, Result};
use maud::{Markup, html};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use unmold::records::{Column, ColumnChange, Reader, Schema, Shape, Table, TableOptions};
use unmold::{NodeId, Page, Template, TemplateSet};

use super::frame::element_of;
use super::layout::{Links, Shell, counted, percent};
use super::page_view::inline_json;
use super::state::{Viewer, numbered, spread};
use super::sync::lock;

/// Maximum number of rows, and of characters of a cell.
const MAX_ROWS: usize = 60;
const MAX_CHARS: usize = 80;
/// Number of fields that are shown at first.
const MAX_FIELDS: usize = 30;

/// A request to correct a column.
#[derive(Deserialize)]
pub struct ColumnCorrection {
    template: usize,
    column: String,
    #[serde(flatten)]
    change: ColumnChange,
}

/// A page of the table.
struct Row {
    page: u32,
    values: Vec<Value>,
    /// The elements around the values of each field.
    nodes: Vec<Vec<NodeId>>,
}

/// Data for the script.
#[derive(Serialize)]
struct RowData<'r> {
    page: u32,
    nodes: &'r [Vec<NodeId>],
}

impl Viewer {
    /// Shows the table of a kind of page.
    pub fn records_page(&self, links: Links, number: usize, all: bool) -> Result<String> {
        self.learn_records(number)?;
        let templates = self.templates();
        let (_, template, kind) =
            numbered(&templates).nth(number).with_context(|| format!("no template {number}"))?;
        let site = self.catalog.sites().iter().position(|site| site.name == template.site());
        let schema = kind.records().context("the template has no table")?;
        let max = Some(MAX_FIELDS).filter(|_| !all);
        let table = schema.table(&TableOptions::default().with_max_columns(max));
        let rows = self.rows(links, template, kind.name(), schema, &table);
        let mut shell = Shell {
            links,
            title: format!("Records of {}", kind.name()),
            breadcrumbs: Vec::new(),
            data: vec![("template", number.to_string())],
            reading: false,
            search: self.can_search(),
        };
        if links.exported {
            shell.data.push(("exported", "yes".to_owned()));
        }
        shell
            .breadcrumbs
            .extend(site.map(|site| (template.site().to_owned(), links.to("site", site))));
        shell.breadcrumbs.push((kind.name().to_owned(), links.to("template", number)));
        let hidden = schema.columns().iter().filter(|column| column.is_written()).count();
        let content = html! {
            h1 { "Records of " (kind.name()) }
            p.small.soft {
                "The first " (counted(rows.len(), "page")) ", "
                (counted(table.fields().len(), "column"))
                ", learned from " (counted(schema.pages() as usize, "page")) ". "
                @if schema.is_empty() { "Its pages have no values in common." }
                @else { "Choose a column to see its values on the page." }
                @if !links.exported && !all && hidden > MAX_FIELDS {
                    " " a href=(format!("records-{number}?columns=all")) { "All columns" }
                }
            }
            (self.grid(links, schema, &table, &rows))
            div.split {
                @if let Some(row) = rows.first() {
                    iframe #frame title="Page with the values of the column"
                        src=(links.to("frame", row.page))
                        sandbox="allow-scripts" referrerpolicy="no-referrer" {}
                }
                div {
                    (self.column_panel(links))
                    (dropped(schema, links))
                }
            }
            script #records type="application/json" {
                (inline_json(&data(schema, &table, &rows)?))
            }
        };
        Ok(shell.page(&content))
    }

    /// Learns the table of a kind that has none, from pages spread over its site.
    fn learn_records(&self, number: usize) -> Result<()> {
        let _one_at_a_time = lock(&self.correcting);
        let templates = self.templates();
        let (_, template, kind) =
            numbered(&templates).nth(number).with_context(|| format!("no template {number}"))?;
        if kind.records().is_some() {
            return Ok(());
        }
        let sites = self.catalog.sites();
        let site = sites.iter().position(|site| site.name == template.site());
        let sample = self.sample(site.context("the site is not in the input")? as u32);
        let mut template = template.clone();
        template.learn_records(&sample.iter().collect::<Vec<_>>());
        let mut templates = TemplateSet::clone(&templates);
        templates.insert(template);
        self.keep(templates);
        Ok(())
    }

    /// Pages of the kind, spread over the site, with their values.
    fn rows(
        &self,
        links: Links,
        template: &Template,
        kind: &str,
        schema: &Schema,
        table: &Table,
    ) -> Vec<Row> {
        let sites = self.catalog.sites();
        let Some(site) = sites.iter().find(|site| site.name == template.site()) else {
            return Vec::new();
        };
        let is_there = |page: &u32| !links.exported || self.exported.contains(page);
        let pages: Vec<u32> = site.pages.iter().copied().filter(is_there).collect();
        let reader = schema.reader();
        let row = |number: u32| {
            let page = self.parsed(number).ok()?;
            let is_of_kind = template.kind_of(&page).0.name() == kind;
            is_of_kind.then(|| row_of(number, &page, &reader, table))
        };
        // Other kinds have pages, too: twice as many are tried.
        let tried = spread(&pages, 2 * MAX_ROWS);
        let mut rows: Vec<Row> = tried.into_par_iter().filter_map(row).collect();
        rows.truncate(MAX_ROWS);
        rows
    }

    fn grid(&self, links: Links, schema: &Schema, table: &Table, rows: &[Row]) -> Markup {
        let columns = table.columns_of_fields();
        html! {
            div.scroll.grid tabindex="0" aria-label="Table" { table {
                thead { tr {
                    th scope="col" { "page" }
                    @for (at, field) in table.fields().iter().enumerate() {
                        @let column = &schema.columns()[columns[at][0]];
                        th scope="col" {
                            button type="button" data-field=(at) aria-pressed="false"
                                title=(described(column)) { (field.name) }
                        }
                    }
                } }
                tbody {
                    @for (at, row) in rows.iter().enumerate() {
                        tr data-row=(at) {
                            td { (self.page_link(links, row.page)) }
                            @for (field, value) in row.values.iter().enumerate() {
                                td data-field=(field) { (shortened(value)) }
                            }
                        }
                    }
                }
            } }
        }
    }

    fn column_panel(&self, links: Links) -> Markup {
        html! {
            section.panel #column aria-label="Column" {
                h2 { "Column" }
                p #column-shown aria-live="polite" { "nothing selected" }
                p.path #column-path {}
                @if !links.exported {
                    p {
                        label { "Name " input #column-name type="text" maxlength="60" disabled; }
                        " " button type="button" value="rename" disabled { "Rename" }
                        " " button type="button" value="drop" disabled { "Drop" }
                        " " button type="button" value="learned" disabled { "As learned" }
                    }
                    @if !self.has_file() {
                        p.small.soft {
                            "Without a template file (-t), corrections are lost when the viewer "
                            "stops."
                        }
                    }
                }
                p #status role="status" {}
            }
        }
    }

    /// Corrects a column and saves the file. Returns a message for the user.
    pub fn correct_column(&self, correction: &ColumnCorrection) -> Result<String> {
        let _one_at_a_time = lock(&self.correcting);
        let shown = self.templates();
        let (_, template, kind) =
            numbered(&shown).nth(correction.template).context("no such template")?;
        let mut templates = self.newest()?;
        let corrected =
            templates.get_mut(template.site()).and_then(|known| known.kind_mut(kind.name()));
        let corrected = corrected
            .with_context(|| format!("the template {} is no longer in the file", kind.name()))?;
        if corrected.records().is_none() {
            corrected.set_records(kind.records().cloned());
        }
        let schema = corrected.records_mut().context("the template has no table")?;
        let serial = schema.correct(&correction.column, correction.change.clone())?;
        let outcome = self.save(templates)?;
        Ok(format!("Correction {serial} of the columns of {} {outcome}", kind.name()))
    }
}

fn row_of(number: u32, page: &Page, reader: &Reader, table: &Table) -> Row {
    let row = reader.read(page);
    let nodes_of = |columns: Vec<usize>| {
        let found = columns.into_iter().flat_map(|column| &row.cells()[column]);
        found.map(|found| element_of(page, found.node)).collect()
    };
    let nodes = table.columns_of_fields().into_iter().map(nodes_of).collect();
    Row { page: number, values: table.values(&row), nodes }
}

fn data(schema: &Schema, table: &Table, rows: &[Row]) -> Result<String> {
    let columns = table.columns_of_fields();
    let field = |(at, field): (usize, &unmold::records::Field)| {
        let column = &schema.columns()[columns[at][0]];
        serde_json::json!({
            "name": field.name,
            "column": (!matches!(field.shape, Shape::Records(_))).then_some(&column.id),
            "shown": described(column),
            "path": column.xpath,
        })
    };
    let fields: Vec<Value> = table.fields().iter().enumerate().map(field).collect();
    let rows: Vec<RowData> =
        rows.iter().map(|row| RowData { page: row.page, nodes: &row.nodes }).collect();
    Ok(serde_json::to_string(&serde_json::json!({"fields": fields, "rows": rows}))?)
}

fn described(column: &Column) -> String {
    let list = if column.is_list { "list of " } else { "" };
    let cover = percent(f64::from(column.cover) / 1000.0);
    let learned = match &column.corrected.learned_name {
        Some(name) => format!(", learned as {name}"),
        None => String::new(),
    };
    format!("{}: {list}{}, on {cover} of the pages{learned}", column.name, column.kind.name())
}

fn shortened(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(parts) if parts.len() == 2 => {
            let part =
                |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            parts.values().map(part).collect::<Vec<_>>().join(" ")
        }
        Value::Array(values) => {
            let first: Vec<String> = values.iter().take(3).map(shortened).collect();
            let more = if values.len() > 3 { " …" } else { "" };
            format!("{}{more}", first.join("; "))
        }
        other => other.to_string(),
    };
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Columns that were left out, to get them back.
fn dropped(schema: &Schema, links: Links) -> Markup {
    let dropped: Vec<&Column> =
        schema.columns().iter().filter(|column| !column.is_written()).collect();
    html! {
        @if !dropped.is_empty() && !links.exported {
            section.panel #dropped aria-label="Dropped columns" {
                h2 { "Dropped" }
                ul {
                    @for column in dropped {
                        li {
                            (column.name) " "
                            button type="button" value="learned" data-column=(column.id) {
                                "As learned"
                            }
                        }
                    }
                }
            }
        }
    }
}
