//! `unmold view`: the same in a browser.

use anyhow::Result;

use crate::args::ViewArgs;
use crate::exit::Exit;

#[cfg(feature = "view")]
pub fn run(args: ViewArgs) -> Result<Exit> {
    use std::io::Write;
    use std::sync::Arc;

    use crate::input::Input;
    use crate::learning::learn;
    use crate::report::Report;
    use crate::stream::{Messages, use_threads};
    use crate::templates::read_templates;
    use crate::view::{Catalog, Server, Viewer, export, survey};

    use_threads(&args.run)?;
    let mut report = Report::new(&args.run);
    let input = Input::open(&args.input.inputs, &args.input.options())?;
    let templates = match &args.template {
        Some(file) => read_templates(file)?,
        None => learn(&input, &args.input, &args.method, Messages::Hide, &mut report)?,
    };
    let catalog = Catalog::of(&input, args.input.max_page_bytes, &mut report)?;
    if catalog.len() == 0 {
        report.note("no HTML page in the input: give a folder, WARC or JSONL that holds some, or -v to see what was skipped");
    }
    #[cfg_attr(not(feature = "search"), allow(unused_mut))]
    let mut viewer = Viewer::new(catalog, args.input, templates, args.template);
    #[cfg(feature = "search")]
    {
        viewer.index = args.index.as_deref().map(crate::search::Engine::open).transpose()?;
    }
    #[cfg(not(feature = "search"))]
    if args.index.is_some() {
        anyhow::bail!(
            "this unmold was built without search: cargo install --path crates/unmold-cli --features search"
        );
    }
    if let Some(folder) = &args.export {
        let pages = export(&mut viewer, folder, args.export_pages)?;
        report.note(&format!("{pages} pages in {}: open index.html", folder.display()));
        return Ok(report.finish());
    }
    let server = Server::bind(args.port)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", server.address())?;
    out.flush()?;
    drop(out);
    report.note(
        "open the address above in a browser; whoever knows it can see the pages. Ctrl-C ends",
    );
    let viewer = Arc::new(viewer);
    survey(&viewer);
    server.run(viewer)?;
    Ok(report.finish())
}

#[cfg(not(feature = "view"))]
pub fn run(_: ViewArgs) -> Result<Exit> {
    anyhow::bail!(
        "this unmold was built without the viewer: cargo install --path crates/unmold-cli --features view"
    )
}
