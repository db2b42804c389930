//! `unmold strip`: pages without the templates of a file.

use anyhow::Result;

use crate::args::StripArgs;
use crate::exit::Exit;
use crate::input::Input;
use crate::report::Report;
use crate::stream::use_threads;
use crate::stripping::strip_all;
use crate::templates::Templates;

pub fn run(args: &StripArgs) -> Result<Exit> {
    use_threads(&args.run)?;
    let mut report = Report::new(&args.run);
    let templates = Templates::open(&args.template)?;
    let input = Input::open(&args.input.inputs, &args.input.options())?;
    let fits = strip_all(&input, &args.input, &templates, &args.output, &mut report)?;
    fits.note_sites_without(&report);
    Ok(report.finish())
}
