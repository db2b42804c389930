//! `unmold index`: a search index of pages without their templates.

use anyhow::Result;

use crate::args::IndexArgs;
use crate::exit::Exit;

#[cfg(feature = "search")]
pub fn run(args: &IndexArgs) -> Result<Exit> {
    use crate::input::Input;
    use crate::learning::learn;
    use crate::report::Report;
    use crate::search::{Writer, for_each_searchable};
    use crate::stream::{Messages, use_threads};

    use_threads(&args.run)?;
    let mut report = Report::new(&args.run);
    let input = Input::open(&args.input.inputs, &args.input.options())?;
    let mut writer = Writer::create(&args.output)?;
    let templates = learn(&input, &args.input, &args.method, Messages::Hide, &mut report)?;
    for_each_searchable(&input, &args.input, &templates, &mut report, |page| writer.add(&page))?;
    writer.finish()?;
    Ok(report.finish())
}

#[cfg(not(feature = "search"))]
pub fn run(_: &IndexArgs) -> Result<Exit> {
    anyhow::bail!(
        "this unmold was built without search: cargo install --path crates/unmold-cli --features search"
    )
}
