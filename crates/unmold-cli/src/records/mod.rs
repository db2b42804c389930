//! Tables of records: which columns are written, and where they go.

mod edit;
#[cfg(feature = "parquet")]
mod parquet;
mod writer;

pub use edit::ColumnEdit;
pub use writer::TableFormat;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use unmold::records::{Column, Reader, Schema, Table, TableOptions};
use unmold::{Limits, Page, TemplateSet};

use crate::input::{Input, RawPage};
use crate::output::{Guard, Sink};
use crate::report::Report;
use crate::stream::{Messages, ReadOptions, for_each_page};

use writer::TableWriter;

/// What to write.
#[derive(Debug)]
pub struct RecordsOptions {
    pub output: Option<PathBuf>,
    pub schema: Option<PathBuf>,
    pub raw: bool,
    pub explode: bool,
    /// Values come from structured data where pages have it.
    pub structured: bool,
    /// Read pages of unknown sites with the only template there is.
    pub use_only_template: bool,
    /// Of the files in a folder.
    pub format: TableFormat,
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
    site: &'t str,
    reader: Reader<'t>,
    table: Table,
}

/// The values of a page.
struct PageValues {
    kind: usize,
    values: Vec<Value>,
    exploded: Vec<Vec<Value>>,
    /// Whether each column has a value.
    filled: Vec<bool>,
}

/// Writes the table of each kind of page that has records.
pub fn write_tables(
    input: &Input,
    read: &ReadOptions,
    templates: &TemplateSet,
    options: &RecordsOptions,
    guard: &mut Guard,
    report: &mut Report,
) -> Result<()> {
    let kinds = kinds(templates, options, report)?;
    if let Some(path) = &options.schema {
        write_schemas(path, templates)?;
    }
    let numbers: BTreeMap<&str, usize> =
        kinds.iter().enumerate().map(|(at, kind)| (kind.name, at)).collect();
    let only =
        templates.iter().next().filter(|_| templates.len() == 1 && options.use_only_template);
    let work = |raw: &RawPage| {
        let page = read.parse(raw);
        let template = templates.get(&raw.site).or(only.filter(|_| raw.url.is_none()))?;
        let (kind, _) = template.kind_of(&page);
        let at = *numbers.get(kind.name())?;
        let row = kinds[at].reader.read(&page);
        let table = &kinds[at].table;
        let (values, exploded) = (table.values(&row), table.exploded_values(&row));
        let filled = row.cells().iter().map(|cell| !cell.is_empty()).collect();
        Some(PageValues { kind: at, values, exploded, filled })
    };
    let mut outputs = Outputs::create(&kinds, options, guard)?;
    let mut covers: Vec<Cover> =
        kinds.iter().map(|kind| Cover::new(kind.reader.schema())).collect();
    let mut without_table = 0u64;
    for_each_page(input, Messages::Show, report, work, |raw, done, report| {
        let Some(found) = done else {
            report.failure(&raw.id, "internal error while reading values: please report this page");
            return Ok(());
        };
        let Some(found) = found else {
            without_table += 1;
            return Ok(());
        };
        covers[found.kind].add(&found.filled);
        outputs.write(&raw, &kinds[found.kind], found)
    })?;
    if without_table > 0 {
        report.note(&format!("pages that belong to no table and are left out: {without_table}"));
    }
    for (kind, cover) in kinds.iter().zip(&covers) {
        cover.report(kind, report);
    }
    outputs.finish()
}

/// How many pages have a value in each column, to see whether they are what was learned.
struct Cover {
    pages: u32,
    filled: Vec<u32>,
}

impl Cover {
    /// Fewer pages say nothing.
    const MIN_PAGES: u32 = 5;

    fn new(schema: &Schema) -> Cover {
        Cover { pages: 0, filled: vec![0; schema.columns().len()] }
    }

    fn add(&mut self, filled: &[bool]) {
        self.pages += 1;
        for (count, &is_filled) in self.filled.iter_mut().zip(filled) {
            *count += u32::from(is_filled);
        }
    }

    /// Names the columns that have far fewer values than when they were learned.
    fn report(&self, kind: &Kind, report: &Report) {
        if self.pages < Cover::MIN_PAGES {
            return;
        }
        let schema = kind.reader.schema();
        let emptied = schema.emptied(self.pages, &self.filled);
        if emptied.is_empty() {
            return;
        }
        let shown: Vec<String> = emptied
            .iter()
            .take(10)
            .map(|(name, before, after)| {
                format!("{name} ({} % of the pages, {} % before)", after / 10, before / 10)
            })
            .collect();
        let more = match emptied.len().saturating_sub(shown.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (name, shown) = (kind.name, shown.join(", "));
        report.note(&format!(
            "{name}: columns that have lost their values: {shown}{more}; has the site changed? \
             `unmold learn --update --records` learns it again"
        ));
    }
}

/// The kinds with records, and notes about those without.
fn kinds<'t>(
    templates: &'t TemplateSet,
    options: &RecordsOptions,
    report: &Report,
) -> Result<Vec<Kind<'t>>> {
    let mut kinds = Vec::new();
    let mut has_schema = false;
    let site_of: BTreeMap<&str, &str> = templates
        .iter()
        .flat_map(|template| {
            template.kinds().iter().map(move |kind| (kind.name(), template.site()))
        })
        .collect();
    for kind in templates.kinds() {
        let Some(schema) = kind.records() else { continue };
        has_schema = true;
        if schema.is_empty() {
            report.note(&format!("{}: no records, nothing is written", kind.name()));
            continue;
        }
        let table = schema.table(&table_options(kind.name(), schema, options, report)?);
        let reader = schema.reader().with_structured(options.structured);
        let site = site_of.get(kind.name()).copied().unwrap_or_default();
        kinds.push(Kind { name: kind.name(), site, reader, table });
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
        .with_structured(options.structured)
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
    fn create(kinds: &[Kind], options: &RecordsOptions, guard: &mut Guard) -> Result<Outputs> {
        let output = options.output.as_deref();
        let folder = output.filter(|path| names_folder(path));
        let format = match folder {
            Some(_) => options.format.checked()?,
            None => TableFormat::of(output)?,
        };
        let mut names = Names { output, folder, format, several: kinds.len() > 1, guard };
        let mut taken = BTreeSet::new();
        let mut lists = |names: &mut Names, kind: &Kind| -> Result<Vec<TableWriter>> {
            let create = |(name, fields): (&str, &[_])| {
                let path = names.path(kind, Some(name), &mut taken)?;
                TableWriter::create(format, path.as_deref(), &["page", "position"], fields)
            };
            kind.table.exploded().map(create).collect()
        };
        if format == TableFormat::Jsonl && folder.is_none() {
            let all = TableWriter::create(format, output, &["id", "url", "kind"], &[])?;
            let lists = kinds.iter().map(|kind| lists(&mut names, kind)).collect::<Result<_>>()?;
            return Ok(Outputs::One(all, lists));
        }
        let mut each = Vec::new();
        for kind in kinds {
            let lists = lists(&mut names, kind)?;
            let path = names.path(kind, None, &mut BTreeSet::new())?;
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

/// Whether an output is a folder: it is one, or its name says so.
pub fn names_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(['/', '\\'])
}

/// Names of the files of a run.
struct Names<'n> {
    output: Option<&'n Path>,
    folder: Option<&'n Path>,
    format: TableFormat,
    several: bool,
    guard: &'n mut Guard,
}

impl Names<'_> {
    /// The file of a kind, or of one of its lists; `None` is standard output.
    fn path(
        &mut self,
        kind: &Kind,
        list: Option<&str>,
        taken: &mut BTreeSet<PathBuf>,
    ) -> Result<Option<PathBuf>> {
        if let Some(folder) = self.folder {
            let site = folder.join(plain(kind.site));
            std::fs::create_dir_all(&site)
                .with_context(|| format!("cannot create {}", site.display()))?;
            let name = [Some(kind.name), list].into_iter().flatten().collect::<Vec<_>>().join(".");
            let path = site.join(format!("{}.{}", plain(&name), self.format.extension()));
            self.guard.file("-o", Some(&path), self.format.content(list.is_some()))?;
            return Ok(Some(path));
        }
        let Some(output) = self.output else { return Ok(None) };
        let of_several = Some(kind.name).filter(|_| self.several);
        let parts: Vec<&str> = [of_several, list].into_iter().flatten().collect();
        if parts.is_empty() {
            return Ok(Some(output.to_owned()));
        }
        let path = named(output, &parts, taken);
        self.guard.file("-o", Some(&path), self.format.content(list.is_some()))?;
        Ok(Some(path))
    }
}

/// A name without characters that file systems dislike.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    // Neither a hidden file nor the folder above.
    let name = name.trim_start_matches('.');
    if name.is_empty() { "site".to_owned() } else { name.to_owned() }
}

/// `table.csv` for a part: `table.shop-1.csv`.
fn named(path: &Path, parts: &[&str], taken: &mut BTreeSet<PathBuf>) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let part = plain(&parts.join("."));
    let mut name = path.with_file_name(format!("{stem}.{part}.{extension}"));
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = path.with_file_name(format!("{stem}.{part}-{number}.{extension}"));
        number += 1;
    }
    name
}
