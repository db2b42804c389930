//! `unmold strip`: strips pages with the templates in a file.

use anyhow::Result;

use crate::args::StripArgs;
use crate::exit::Exit;
use crate::output::Guard;
use crate::report::Report;
use crate::stream::use_threads;
use crate::stripping::strip_all;
use crate::templates::Templates;

pub fn run(args: &StripArgs) -> Result<Exit> {
    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    let mut options = args.options()?;
    options.use_only_template = args.input.site.is_none();
    let mut guard = Guard::new(&args.input.inputs, args.run.force);
    guard.reads(&args.template);
    options.check(&mut guard)?;
    let templates = Templates::open(&args.template)?;
    let read = args.input.read_options();
    let input = args.input.open(&report)?;
    let fits = strip_all(&input, &read, &templates, &options, &guard, &mut report)?;
    fits.report_sites_without(&mut report);
    Ok(report.finish())
}
