//! `unmold learn`: learns templates and writes them to a file or store.

use anyhow::{Result, bail};

use crate::args::LearnArgs;
use crate::exit::Exit;
use crate::input::Input;
use crate::learning::{learn, relearn};
use crate::report::Report;
use crate::stream::{Messages, use_threads};
use crate::templates::{Templates, update_templates, write_templates};

pub fn run(args: &LearnArgs) -> Result<Exit> {
    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    let read = args.input.read_options();
    let input = Input::open(&args.input.inputs, &args.input.options())?;
    if args.update && args.template.exists() {
        let known = Templates::open_to_update(&args.template)?;
        match relearn(&input, &read, &args.method.options()?, &known, &mut report)? {
            Some(new) => update_templates(&args.template, new)?,
            None => report.note("all templates still fit: nothing was learned"),
        }
        return Ok(report.finish());
    }
    let templates = learn(&input, &read, &args.method.options()?, Messages::Show, &mut report)?;
    if templates.is_empty() {
        report.finish();
        bail!("no template was learned: give at least two different pages of a site");
    }
    write_templates(&args.template, &templates)?;
    Ok(report.finish())
}
