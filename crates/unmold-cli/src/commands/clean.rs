//! `unmold clean`: learn and strip in one go.

use anyhow::Result;

use crate::args::CleanArgs;
use crate::exit::Exit;
use crate::input::Input;
use crate::learning::learn;
use crate::report::Report;
use crate::stream::{Messages, use_threads};
use crate::stripping::strip_all;

pub fn run(args: &CleanArgs) -> Result<Exit> {
    use_threads(&args.run)?;
    let mut report = Report::new(&args.run);
    let input = Input::open(&args.input.inputs, &args.input.options())?;
    let templates = learn(&input, &args.input, &args.method, Messages::Hide, &mut report)?;
    strip_all(&input, &args.input, &templates.into(), &args.output, &mut report)?;
    Ok(report.finish())
}
