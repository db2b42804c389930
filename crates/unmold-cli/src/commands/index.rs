//! `unmold index`: builds a search index of pages without their templates.

use anyhow::Result;

use crate::args::IndexArgs;
use crate::exit::Exit;

#[cfg(feature = "search")]
pub fn run(args: &IndexArgs) -> Result<Exit> {
    use crate::learning::learn;
    use crate::report::Report;
    use crate::search::{Writer, for_each_searchable};
    use crate::stream::{Messages, use_threads};

    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    let read = args.input.read_options();
    let input = args.input.open(&report)?;
    let mut writer = Writer::create(&args.output)?;
    let templates = learn(&input, &read, &args.method.options()?, Messages::Hide, &mut report)?;
    for_each_searchable(&input, &read, &templates, &mut report, |page| writer.add(&page))?;
    writer.finish()?;
    Ok(report.finish())
}

#[cfg(not(feature = "search"))]
pub fn run(_: &IndexArgs) -> Result<Exit> {
    anyhow::bail!(
        "built without search: run `cargo install --path crates/unmold-cli --features search`"
    )
}
