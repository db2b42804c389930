//! `unmold learn`: templates to a file.

use anyhow::{Context, Result, bail};

use crate::args::LearnArgs;
use crate::exit::Exit;
use crate::input::Input;
use crate::learning::learn;
use crate::output::Sink;
use crate::report::Report;
use crate::stream::{Telling, use_threads};

pub fn run(args: &LearnArgs) -> Result<Exit> {
    use_threads(&args.run)?;
    let mut report = Report::new(&args.run);
    let input = Input::open(&args.input.inputs, &args.input.options())?;
    let templates = learn(&input, &args.input, &args.method, Telling::Yes, &mut report)?;
    if templates.templates().is_empty() {
        report.finish();
        bail!("no template was learned: give at least two different pages of one site");
    }
    let mut bytes = templates.to_json().into_bytes();
    if args.template.extension().is_some_and(|extension| extension == "zst") {
        bytes = zstd::encode_all(&bytes[..], 19).context("cannot compress the templates")?;
    }
    let mut sink = Sink::create(Some(&args.template))?;
    sink.write(&bytes)?;
    sink.finish()?;
    Ok(report.finish())
}
