//! `unmold columns`: lists and corrects the columns of tables.

use anyhow::{Context, Result, bail};
use unmold::{KindTemplate, TemplateSet};

use super::show::show_records;
use crate::args::ColumnsArgs;
use crate::exit::Exit;
use crate::output::print_text;
use crate::records::ColumnEdit;
use crate::report::say;
use crate::templates::{Replace, read_templates_of_any_model, write_templates};

pub fn run(args: &ColumnsArgs) -> Result<Exit> {
    let mut templates = read_templates_of_any_model(&args.template)?;
    let edits = args.edits()?;
    let is_asked = |kind: &KindTemplate| {
        args.kind.as_ref().is_none_or(|name| name == kind.name()) && kind.records().is_some()
    };
    let kinds: Vec<(String, String)> = templates
        .iter()
        .flat_map(|template| template.kinds().iter().map(move |kind| (template.site(), kind)))
        .filter(|(_, kind)| is_asked(kind))
        .map(|(site, kind)| (site.to_owned(), kind.name().to_owned()))
        .collect();
    if kinds.is_empty() {
        bail!(match &args.kind {
            Some(name) => format!("no table of the kind {name:?}"),
            None =>
                "the templates have no records: learn them with `unmold learn --records`".to_owned(),
        });
    }
    for edit in &edits {
        correct(&mut templates, &kinds, edit)?;
    }
    if !edits.is_empty() {
        write_templates(&args.template, &templates, Replace::Templates)?;
        return Ok(Exit::AllDone);
    }
    let mut out = String::new();
    for (site, kind) in &kinds {
        let kind = templates.get(site).and_then(|template| template.kind(kind));
        if let Some((kind, schema)) = kind.and_then(|kind| Some((kind, kind.records()?))) {
            out.push_str(&format!("{}: {}", kind.name(), show_records(schema)));
        }
    }
    print_text(&out)?;
    Ok(Exit::AllDone)
}

/// Corrects a column in the kind that has it; there may be only one.
fn correct(
    templates: &mut TemplateSet,
    kinds: &[(String, String)],
    edit: &ColumnEdit,
) -> Result<()> {
    let has = |templates: &TemplateSet, (site, kind): &(String, String)| {
        let schema = templates.get(site)?.kind(kind)?.records()?;
        schema.column(edit.column())
    };
    let found: Vec<&(String, String)> =
        kinds.iter().filter(|kind| has(templates, kind).is_some()).collect();
    let (site, kind) = match found[..] {
        [one] => one,
        [] => bail!("no column {:?}: `unmold columns FILE` lists them", edit.column()),
        _ => {
            let names: Vec<&str> = found.iter().map(|(_, kind)| kind.as_str()).collect();
            bail!(
                "several kinds have a column {:?}: choose one with --kind: {}",
                edit.column(),
                names.join(", ")
            );
        }
    };
    let schema = templates.get_mut(site).and_then(|template| template.kind_mut(kind));
    let schema = schema.and_then(KindTemplate::records_mut).context("the kind has a table")?;
    let serial = edit.apply(schema)?;
    say(&format!("{kind}: correction {serial}: {edit}"));
    Ok(())
}
