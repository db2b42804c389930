//! `unmold show`: prints a page or a template to read.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use unmold::records::{Column, Schema};
use unmold::template::ReadError;
use unmold::{Explanation, Limits, NodeId, Page, Template, TemplateSet};
use unmold_store::looks_like_store;

use crate::args::ShowArgs;
use crate::exit::Exit;
use crate::output::print_text;
use crate::templates::{read_bytes, read_templates, read_templates_of_any_model};

pub fn run(args: &ShowArgs) -> Result<Exit> {
    let bytes = read_bytes(&args.file)?;
    let shown = match as_templates(&args.file, &bytes)? {
        Some(templates) => templates.iter().map(|template| show_template(template)).collect(),
        None => {
            let page = Page::parse(&bytes, &Limits::default());
            match &args.template {
                None => show_page(&page, None, false),
                Some(file) => {
                    let templates = read_templates(file)?;
                    let explanation = choose(&templates, args)?.explain(&page);
                    show_page(&page, Some(&explanation), args.explain)
                }
            }
        }
    };
    print_text(&shown)?;
    Ok(Exit::AllDone)
}

/// Reads the file as templates; `None` if it is something else, that is, a page.
fn as_templates(path: &Path, bytes: &[u8]) -> Result<Option<TemplateSet>> {
    if looks_like_store(bytes) {
        return read_templates_of_any_model(path).map(Some);
    }
    match TemplateSet::from_json_of_any_model(bytes) {
        Ok(templates) => Ok(Some(templates)),
        Err(ReadError::Foreign) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot use {}", path.display())),
    }
}

fn choose<'a>(templates: &'a TemplateSet, args: &ShowArgs) -> Result<&'a Template> {
    let folder = args.file.canonicalize().ok().and_then(|path| {
        path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned())
    });
    let site = args.site.clone().or(folder).unwrap_or_default();
    if let Some(template) = templates.get(&site) {
        return Ok(template);
    }
    let mut all = templates.iter();
    match (all.next(), all.next()) {
        (Some(only), None) if args.site.is_none() => Ok(only),
        _ => {
            let names: Vec<&str> = templates.iter().map(|one| one.site()).take(10).collect();
            bail!("no template for the site {site:?}: choose one with --site: {}", names.join(", "))
        }
    }
}

/// Formats the templates of all kinds of a site.
pub fn show_template(template: &Template) -> String {
    let kinds = template.kinds().iter();
    kinds
        .map(|kind| {
            let learned = kind.learned();
            let shown = format!("{}: {}, {}", kind.name(), learned.method(), learned.show());
            shown + &kind.records().map_or_else(String::new, show_records)
        })
        .collect()
}

/// Formats the columns of a table, one per line.
pub fn show_records(schema: &Schema) -> String {
    let count = schema.columns().len();
    let mut out = format!("records: {count} columns, learned from {} pages\n", schema.pages());
    for column in schema.columns() {
        let list = if column.is_list { "list of " } else { "" };
        let table = column.table.as_ref().map_or_else(String::new, |name| format!("{name}."));
        let _ = writeln!(
            out,
            "  {} {table}{}: {list}{}, on {} % of the pages, such as {:?}{}",
            column.id,
            column.name,
            column.kind.name(),
            column.cover / 10,
            column.examples.first().map_or("", String::as_str),
            history(schema, column),
        );
    }
    out
}

/// Says what happened to a column: who corrected it, when it came, what it is not.
fn history(schema: &Schema, column: &Column) -> String {
    let corrected = &column.corrected;
    let name_of = |id: &String| {
        let at = schema.column(id);
        at.map_or_else(|| id.clone(), |at| schema.columns()[at].name.clone())
    };
    let mut notes: Vec<String> = Vec::new();
    notes.extend(corrected.learned_name.as_ref().map(|name| format!("learned as {name}")));
    let kind = corrected.learned_type.map(|kind| format!("learned as {}", kind.name()));
    notes.extend(kind);
    notes.extend(corrected.dropped.then(|| "dropped".to_owned()));
    notes.extend(corrected.into.as_ref().map(|id| format!("merged into {}", name_of(id))));
    notes.extend(corrected.split.as_ref().map(|split| {
        let names: Vec<&str> = split.parts.iter().map(|(name, _)| name.as_str()).collect();
        format!("split into {}", names.join(", "))
    }));
    notes.extend((column.since > 0).then(|| format!("since version {}", column.since)));
    notes.extend(column.is_hidden.then(|| "in structured data only".to_owned()));
    if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) }
}

/// Formats the page as an indented tree. With marks, `-` is before removed nodes and `+` before
/// kept ones.
fn show_page(page: &Page, explanation: Option<&Explanation>, with_reasons: bool) -> String {
    let mut out = String::new();
    for flag in page.flags() {
        let _ = writeln!(out, "flag: {}", flag.name());
    }
    for id in page.nodes() {
        if let Some(Explanation { marks, .. }) = explanation {
            let mark = if marks.is_template(id) { '-' } else { '+' };
            let _ = write!(out, "{mark} {:4.2} ", marks.value(id));
        }
        let indent = 2 * page.depth(id).min(60) as usize;
        let _ = writeln!(out, "{:indent$}{}", "", node(page, id));
        if let Some(why) = explanation.filter(|_| with_reasons).and_then(|known| known.why(id)) {
            let _ = writeln!(out, "       {:indent$}  because: {why}", "");
        }
    }
    out
}

fn node(page: &Page, id: NodeId) -> String {
    if page.is_text(id) {
        return format!("{:?}", page.text(id));
    }
    let mut shown = page.tag_name(id).to_owned();
    if let Some(name) = page.attribute(id, "id") {
        let _ = write!(shown, "#{name}");
    }
    for class in page.attribute(id, "class").unwrap_or("").split_whitespace() {
        let _ = write!(shown, ".{class}");
    }
    shown
}
