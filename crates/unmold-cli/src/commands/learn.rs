//! `unmold learn`: learns templates and writes them to a file or store.

use anyhow::{Result, bail};
use unmold::{Keep, MethodName, Template, TemplateSet};

use crate::args::LearnArgs;
use crate::exit::Exit;
use crate::labels::Labels;
use crate::learning::{LearnOptions, learn, relearn};
use crate::output::{Content, Guard};
use crate::report::Report;
use crate::stream::{Messages, use_threads};
use crate::templates::{Replace, Templates, check_replaceable, update_templates, write_templates};

pub fn run(args: &LearnArgs) -> Result<Exit> {
    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    let read = args.input.read_options();
    let mut guard = Guard::new(&args.input.inputs, args.run.force);
    let options = options(args, &mut guard)?;
    guard.file("-t", Some(&args.template), Content::Any)?;
    let replace = if args.run.force { Replace::Anything } else { Replace::Templates };
    check_replaceable(&args.template, replace)?;
    let input = args.input.open(&report)?;
    if args.update && args.template.exists() {
        let known = Templates::open_to_update(&args.template)?;
        match relearn(&input, &read, &options, &known, &mut report)? {
            Some(new) => {
                report.learned(new.len());
                report_columns(&known, &new, &report)?;
                update_templates(&args.template, new)?;
            }
            None => report.note("all templates still fit: nothing was learned"),
        }
        finish_labels(args, &options, &mut report)?;
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
    // Another update may have made the file in the meantime: its sites stay.
    match args.update {
        true => update_templates(&args.template, templates)?,
        false => write_templates(&args.template, &templates, replace)?,
    }
    finish_labels(args, &options, &mut report)?;
    Ok(report.finish())
}

fn options(args: &LearnArgs, guard: &mut Guard) -> Result<LearnOptions> {
    let mut options = args.method.options()?;
    if args.records {
        options = options.with_records();
    }
    let Some(labels) = &args.labels else { return Ok(options) };
    if options.settings.method != MethodName::Auto {
        bail!(
            "--labels means nothing to --method {}, only to --method auto",
            options.settings.method
        );
    }
    if options.settings.keep == Keep::AllUnique {
        bail!("--labels means nothing to --keep all-unique, which keeps whatever is unique");
    }
    guard.reads(labels);
    if args.labels_report.is_some() {
        let content = Content::Lines(&["site", "kinds", "pages"]);
        guard.file("--labels-report", args.labels_report.as_deref(), content)?;
    }
    Ok(options.with_labels(Labels::read(labels)?))
}

/// Says what became of the labels.
fn finish_labels(args: &LearnArgs, options: &LearnOptions, report: &mut Report) -> Result<()> {
    let labels = options.labels.as_ref();
    labels.map_or(Ok(()), |labels| labels.finish(args.labels_report.as_deref(), report))
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
