//! `unmold strip`: strips pages with the templates in a file.

use anyhow::Result;

use crate::args::StripArgs;
use crate::exit::Exit;
use crate::input::Input;
use crate::report::Report;
use crate::stream::use_threads;
use crate::stripping::strip_all;
use crate::templates::Templates;

pub fn run(args: &StripArgs) -> Result<Exit> {
    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    let templates = Templates::open(&args.template)?;
    let read = args.input.read_options();
    let input = Input::open(&args.input.inputs, &args.input.options())?;
    let fits = strip_all(&input, &read, &templates, &args.options(), &mut report)?;
    fits.note_sites_without(&report);
    Ok(report.finish())
}
