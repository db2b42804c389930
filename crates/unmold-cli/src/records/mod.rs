//! Tables of records: which columns are written, and where they go.

#[cfg(feature = "parquet")]
mod parquet;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use unmold::records::{Column, Reader, Schema, Table, TableOptions};
use unmold::{Limits, Page, TemplateSet};

use crate::input::{Input, RawPage};
use crate::output::Sink;
use crate::report::Report;
use crate::stream::{Messages, ReadOptions, for_each_page};

use writer::{TableFormat, TableWriter};

/// What to write.
#[derive(Debug)]
pub struct RecordsOptions {
    pub output: Option<PathBuf>,
    pub schema: Option<PathBuf>,
    pub raw: bool,
    pub explode: bool,
    pub max_columns: Option<usize>,
    /// Words for columns.
    pub want: Vec<String>,
    pub examples: Vec<Example>,
}

/// A value on a page, and the name of its column.
#[derive(Debug)]
pub struct Example {
    page: PathBuf,
    name: String,
    value: String,
}

impl Example {
    /// `pair` is `NAME=VALUE`.
    pub fn new(page: PathBuf, pair: &str) -> Result<Example> {
        match pair.split_once('=') {
            Some((name, value)) if !name.is_empty() && !value.trim().is_empty() => {
                Ok(Example { page, name: name.to_owned(), value: value.to_owned() })
            }
            _ => bail!("--example {pair:?}: expected NAME=VALUE, for example price='$9'"),
        }
    }
}

/// A kind of page and its table.
struct Kind<'t> {
    name: &'t str,
    reader: Reader<'t>,
    table: Table,
}

/// The values of a page.
struct PageValues {
    kind: usize,
    values: Vec<Value>,
    exploded: Vec<Vec<Value>>,
}

/// Writes the table of each kind of page that has records.
pub fn write_tables(
    input: &Input,
    read: &ReadOptions,
    templates: &TemplateSet,
    options: &RecordsOptions,
    report: &mut Report,
) -> Result<()> {
    let kinds = kinds(templates, options, report)?;
    if let Some(path) = &options.schema {
        write_schemas(path, templates)?;
    }
    let numbers: BTreeMap<&str, usize> =
        kinds.iter().enumerate().map(|(at, kind)| (kind.name, at)).collect();
    let work = |raw: &RawPage| {
        let page = read.parse(raw);
        let (kind, _) = templates.get(&raw.site)?.kind_of(&page);
        let at = *numbers.get(kind.name())?;
        let row = kinds[at].reader.read(&page);
        let table = &kinds[at].table;
        let (values, exploded) = (table.values(&row), table.exploded_values(&row));
        Some(PageValues { kind: at, values, exploded })
    };
    let mut outputs = Outputs::create(&kinds, options)?;
    for_each_page(input, Messages::Show, report, work, |raw, done, report| {
        let Some(found) = done else {
            report.failure(&raw.id, "internal error while reading values: please report this page");
            return Ok(());
        };
        found.map_or(Ok(()), |found| outputs.write(&raw, &kinds[found.kind], found))
    })?;
    outputs.finish()
}

/// The kinds with records, and notes about those without.
fn kinds<'t>(
    templates: &'t TemplateSet,
    options: &RecordsOptions,
    report: &Report,
) -> Result<Vec<Kind<'t>>> {
    let mut kinds = Vec::new();
    let mut has_schema = false;
    for kind in templates.kinds() {
        let Some(schema) = kind.records() else { continue };
        has_schema = true;
        if schema.is_empty() {
            report.note(&format!("{}: no records, nothing is written", kind.name()));
            continue;
        }
        let table = schema.table(&table_options(kind.name(), schema, options, report)?);
        kinds.push(Kind { name: kind.name(), reader: schema.reader(), table });
    }
    if !has_schema && !templates.is_empty() {
        bail!("the templates have no records: learn them with `unmold learn --records`");
    }
    Ok(kinds)
}

/// Which columns of a kind to write.
fn table_options(
    kind: &str,
    schema: &Schema,
    options: &RecordsOptions,
    report: &Report,
) -> Result<TableOptions> {
    let mut picked: Vec<(usize, String)> = Vec::new();
    for words in &options.want {
        let name = words.split('|').next().unwrap_or(words).trim().to_owned();
        match schema.wanted(words) {
            Some(column) => picked.push((column, name)),
            None => report.note(&format!("{kind}: no column for --want {words:?}")),
        }
    }
    for example in &options.examples {
        let bytes = std::fs::read(&example.page)
            .with_context(|| format!("cannot read {}", example.page.display()))?;
        let page = Page::parse(&bytes, &Limits::default());
        match schema.by_example(&page, &example.value) {
            Some(column) => picked.push((column, example.name.clone())),
            None => report.note(&format!(
                "{kind}: no column has {:?} on {}",
                example.value,
                example.page.display()
            )),
        }
    }
    let is_picked = !options.want.is_empty() || !options.examples.is_empty();
    Ok(TableOptions::default()
        .with_columns(is_picked.then_some(picked))
        .with_max_columns(options.max_columns.filter(|_| !is_picked))
        .with_raw(options.raw)
        .with_explode(options.explode))
}

/// Writes the columns of every kind as JSON.
fn write_schemas(path: &Path, templates: &TemplateSet) -> Result<()> {
    let describe = |schema: &Schema| {
        let columns: Vec<&Column> = schema.columns().iter().collect();
        json!({"pages": schema.pages(), "version": schema.version(), "columns": columns})
    };
    let kinds: BTreeMap<&str, Value> = templates
        .kinds()
        .filter_map(|kind| Some((kind.name(), describe(kind.records()?))))
        .collect();
    let mut sink = Sink::create(Some(path))?;
    sink.write(serde_json::to_string_pretty(&json!({"kinds": kinds}))?.as_bytes())?;
    sink.write(b"\n")?;
    sink.finish()
}

/// The files of a run.
enum Outputs {
    /// All kinds in one JSONL file, with their names.
    One(TableWriter, Vec<Vec<TableWriter>>),
    /// A file for each kind, and one for each of its lists.
    Each(Vec<(TableWriter, Vec<TableWriter>)>),
}

impl Outputs {
    fn create(kinds: &[Kind], options: &RecordsOptions) -> Result<Outputs> {
        let output = options.output.as_deref();
        let format = TableFormat::of(output)?;
        let mut taken = BTreeSet::new();
        let mut lists = |kind: &Kind, of_several: bool| -> Result<Vec<TableWriter>> {
            let exploded = kind.table.exploded();
            let create = |(name, fields): (&str, &[_])| {
                let parts = if of_several { vec![kind.name, name] } else { vec![name] };
                let path = output.map(|path| named(path, &parts, &mut taken));
                TableWriter::create(format, path.as_deref(), &["page", "position"], fields)
            };
            exploded.map(create).collect()
        };
        let of_several = kinds.len() > 1;
        if format == TableFormat::Jsonl {
            let all = TableWriter::create(format, output, &["id", "url", "kind"], &[])?;
            let lists = kinds.iter().map(|kind| lists(kind, of_several)).collect::<Result<_>>()?;
            return Ok(Outputs::One(all, lists));
        }
        let mut each = Vec::new();
        for kind in kinds {
            let lists = lists(kind, of_several)?;
            let path = match output {
                Some(path) if of_several => Some(named(path, &[kind.name], &mut BTreeSet::new())),
                other => other.map(Path::to_owned),
            };
            let fields = kind.table.fields();
            let writer = TableWriter::create(format, path.as_deref(), &["id", "url"], fields)?;
            each.push((writer, lists));
        }
        Ok(Outputs::Each(each))
    }

    fn write(&mut self, raw: &RawPage, kind: &Kind, found: PageValues) -> Result<()> {
        let (id, url) = (json!(raw.id), json!(raw.url));
        let fields = kind.table.fields();
        let lists = match self {
            Outputs::One(all, lists) => {
                all.write_as(fields, &[id, url, json!(kind.name)], &found.values)?;
                &mut lists[found.kind]
            }
            Outputs::Each(each) => {
                let (writer, lists) = &mut each[found.kind];
                writer.write(&[id, url], &found.values)?;
                lists
            }
        };
        for (writer, records) in lists.iter_mut().zip(found.exploded) {
            for (position, record) in records.iter().enumerate() {
                let values: Vec<Value> =
                    record.as_object().map(|fields| writer.in_order(fields)).unwrap_or_default();
                writer.write(&[json!(raw.id), json!(position)], &values)?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        let each = match self {
            Outputs::One(all, lists) => {
                all.finish()?;
                lists.into_iter().flatten().collect()
            }
            Outputs::Each(each) => {
                let all = |(writer, lists): (TableWriter, Vec<TableWriter>)| {
                    std::iter::once(writer).chain(lists)
                };
                each.into_iter().flat_map(all).collect::<Vec<_>>()
            }
        };
        each.into_iter().try_for_each(TableWriter::finish)
    }
}

/// `table.csv` for a part: `table.shop-1.csv`. Characters that file systems dislike are replaced.
fn named(path: &Path, parts: &[&str], taken: &mut BTreeSet<PathBuf>) -> PathBuf {
    let plain = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let part: String = parts.join(".").chars().map(plain).collect();
    let mut name = path.with_file_name(format!("{stem}.{part}.{extension}"));
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = path.with_file_name(format!("{stem}.{part}-{number}.{extension}"));
        number += 1;
    }
    name
}
