//! `unmold learn`: learns templates and writes them to a file or store.

use anyhow::{Result, bail};

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
    if args.update && args.template.exists() {
        let known = Templates::open_to_update(&args.template)?;
        match relearn(&input, &read, &args.method.options()?, &known, &mut report)? {
            Some(templates) => {
                report.learned(templates.len());
                write_templates(&args.template, &templates, Replace::KeepOld)?;
            }
            None => report.note("all templates still fit: nothing was learned"),
        }
        return Ok(report.finish());
    }
    let templates = learn(&input, &read, &args.method.options()?, Messages::Show, &mut report)?;
    if templates.is_empty() {
        report.finish();
        bail!("no template was learned: give at least two different pages of a site");
    }
    report.learned(templates.len());
    write_templates(&args.template, &templates, replace)?;
    Ok(report.finish())
}
