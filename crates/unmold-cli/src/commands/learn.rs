//! `unmold learn`: learns templates and writes them to a file or store.

use anyhow::{Result, bail};
use unmold::{Template, TemplateSet};

use crate::args::LearnArgs;
use crate::exit::Exit;
use crate::learning::{learn, relearn};
use crate::output::{Content, Guard};
use crate::report::Report;
use crate::stream::{Messages, use_threads};
use crate::templates::{Replace, Templates, check_replaceable, write_templates};

pub fn run(args: &LearnArgs) -> Result<Exit> {
    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    let read = args.input.read_options();
    let mut guard = Guard::new(&args.input.inputs, args.run.force);
    guard.file("-t", Some(&args.template), Content::Any)?;
    let replace = if args.run.force { Replace::Anything } else { Replace::Templates };
    check_replaceable(&args.template, replace)?;
    let input = args.input.open(&report)?;
    let options = match args.records {
        true => args.method.options()?.with_records(),
        false => args.method.options()?,
    };
    if args.update && args.template.exists() {
        let known = Templates::open_to_update(&args.template)?;
        match relearn(&input, &read, &options, &known, &mut report)? {
            Some(templates) => {
                report.learned(templates.len());
                report_columns(&known, &templates, &report)?;
                write_templates(&args.template, &templates, Replace::KeepOld)?;
            }
            None => report.note("all templates still fit: nothing was learned"),
        }
        return Ok(report.finish());
    }
    let templates = learn(&input, &read, &options, Messages::Show, &mut report)?;
    if templates.is_empty() {
        report.finish();
        bail!("no template was learned: give at least two different pages of a site");
    }
    if args.records && args.template.exists() && !args.run.force {
        report_columns(&Templates::open_to_update(&args.template)?, &templates, &report)?;
    }
    report.learned(templates.len());
    write_templates(&args.template, &templates, replace)?;
    Ok(report.finish())
}

/// Says what learning again did to the columns of tables that others may rely on.
fn report_columns(known: &Templates, learned: &TemplateSet, report: &Report) -> Result<()> {
    for template in learned.iter() {
        let Some(older) = known.for_site_of_any_model(template.site())? else { continue };
        for (kind, changes) in Template::clone(template).keep_columns_of(&older) {
            let tell = |what: &str, names: &[String]| {
                if !names.is_empty() {
                    report.note(&format!("{kind}: columns {what}: {}", names.join(", ")));
                }
            };
            tell("that are gone", &changes.vanished);
            tell("that are new", &changes.appeared);
            tell("at another place", &changes.moved);
            for (name, before, after) in &changes.emptied {
                let (before, after) = (before / 10, after / 10);
                report.note(&format!(
                    "{kind}: column {name} is on {after} % of the pages, {before} % before"
                ));
            }
        }
    }
    Ok(())
}
