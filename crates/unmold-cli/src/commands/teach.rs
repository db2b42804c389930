//! `unmold teach`: finds the pages that are worth labelling.

use anyhow::{Result, bail};
use unmold::MethodName;

use crate::args::{PlanArgs, TeachArgs, TeachVerb};
use crate::exit::Exit;
use crate::output::{Content, Guard, Sink};
use crate::report::Report;
use crate::stream::use_threads;
use crate::teaching::plan;
use crate::templates::Templates;

pub fn run(args: &TeachArgs) -> Result<Exit> {
    match &args.verb {
        TeachVerb::Plan(args) => write_plan(args),
    }
}

fn write_plan(args: &PlanArgs) -> Result<Exit> {
    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    let options = args.method.options()?;
    if options.settings.method != MethodName::Auto {
        bail!("only --method {} learns from labels", MethodName::Auto);
    }
    let mut guard = Guard::new(&args.input.inputs, args.run.force);
    args.template.iter().for_each(|path| guard.reads(path));
    guard.file("-o", args.output.as_deref(), Content::Lines(&["id", "kind_pages", "covers"]))?;
    let known = args.template.as_deref().map(Templates::open).transpose()?;
    let input = args.input.open(&report)?;
    let read = args.input.read_options();
    let asked = plan(&input, &read, &options, known.as_ref(), args.options(), &mut report)?;
    let mut sink = Sink::create(args.output.as_deref())?;
    for question in &asked {
        let mut line = serde_json::to_vec(question)?;
        line.push(b'\n');
        sink.write(&line)?;
    }
    sink.finish()?;
    match asked.len() {
        0 => report.note("nothing to label: the labels in the template cover these pages"),
        number => report.note(&format!("{number} pages to label")),
    }
    Ok(report.finish())
}
