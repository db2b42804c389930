//! `unmold clean`: learns templates and strips them in one run.

use anyhow::Result;

use crate::args::CleanArgs;
use crate::exit::Exit;
use crate::learning::learn;
use crate::output::Guard;
use crate::report::Report;
use crate::stream::{Messages, use_threads};
use crate::stripping::strip_all;

pub fn run(args: &CleanArgs) -> Result<Exit> {
    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    let read = args.input.read_options();
    let by_section = args.output.min_importance.is_some();
    let learning =
        if by_section { args.method.options_for_sections() } else { args.method.options() }?;
    let options = args.output.options(args.method.sectioning())?;
    let mut guard = Guard::new(&args.input.inputs, args.run.force);
    options.check(&mut guard)?;
    let input = args.input.open(&report)?;
    let templates = learn(&input, &read, &learning, Messages::Hide, &mut report)?;
    strip_all(&input, &read, &templates.into(), &options, &guard, &mut report)?;
    Ok(report.finish())
}
