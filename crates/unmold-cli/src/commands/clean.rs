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
    let templates = learn(&input, &read, &args.method.options(), Messages::Hide, &mut report)?;
    strip_all(&input, &read, &templates.into(), &args.output.options(), &mut report)?;
    Ok(report.finish())
}
