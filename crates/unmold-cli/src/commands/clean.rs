//! `unmold clean`: learns templates and strips them in one run.

use anyhow::Result;

use crate::args::CleanArgs;
use crate::exit::Exit;
use crate::input::Input;
use crate::learning::learn;
use crate::report::Report;
use crate::stream::{Messages, use_threads};
use crate::stripping::strip_all;

pub fn run(args: &CleanArgs) -> Result<Exit> {
    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    let read = args.input.read_options();
    let input = Input::open(&args.input.inputs, &args.input.options())?;
    let by_section = args.output.min_importance.is_some();
    let options =
        if by_section { args.method.options_for_sections() } else { args.method.options() };
    let templates = learn(&input, &read, &options?, Messages::Hide, &mut report)?;
    let output = args.output.options(args.method.sectioning());
    strip_all(&input, &read, &templates.into(), &output, &mut report)?;
    Ok(report.finish())
}
