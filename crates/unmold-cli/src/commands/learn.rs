//! `unmold learn`: templates to a file or a store.

use anyhow::{Result, bail};

use crate::args::LearnArgs;
use crate::exit::Exit;
use crate::input::Input;
use crate::learning::{learn, relearn};
use crate::report::Report;
use crate::stream::{Messages, use_threads};
use crate::templates::{Templates, write_templates};

pub fn run(args: &LearnArgs) -> Result<Exit> {
    use_threads(&args.run)?;
    let mut report = Report::new(&args.run);
    let input = Input::open(&args.input.inputs, &args.input.options())?;
    if args.update && args.template.exists() {
        let known = Templates::open_to_update(&args.template)?;
        match relearn(&input, &args.input, &args.method, &known, &mut report)? {
            Some(templates) => write_templates(&args.template, &templates, true)?,
            None => report.note("every template still fits: nothing was learned"),
        }
        return Ok(report.finish());
    }
    let templates = learn(&input, &args.input, &args.method, Messages::Show, &mut report)?;
    if templates.is_empty() {
        report.finish();
        bail!("no template was learned: give at least two different pages of one site");
    }
    write_templates(&args.template, &templates, false)?;
    Ok(report.finish())
}
