//! `unmold view`: shows template and content in a browser.

use anyhow::Result;

use crate::args::ViewArgs;
use crate::exit::Exit;

#[cfg(feature = "view")]
pub fn run(args: ViewArgs) -> Result<Exit> {
    use std::io::Write;
    use std::sync::Arc;

    use crate::learning::learn;
    use crate::report::Report;
    use crate::stream::{Messages, use_threads};
    use crate::templates::read_templates;
    use crate::view::{Catalog, Server, Viewer, export, survey};

    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    let read = args.input.read_options();
    let input = args.input.open(&report)?;
    let templates = match &args.template {
        Some(file) => read_templates(file)?,
        None => learn(&input, &read, &args.method.options()?, Messages::Hide, &mut report)?,
    };
    let catalog = Catalog::new(&input, read.limits.bytes, &mut report)?;
    if catalog.len() == 0 {
        report.no_pages();
    }
    let mut viewer = Viewer::new(catalog, read, templates, args.template);
    viewer.set_labels(args.labels)?;
    #[cfg(feature = "search")]
    {
        viewer.index = args.index.as_deref().map(crate::search::Engine::open).transpose()?;
    }
    #[cfg(not(feature = "search"))]
    if args.index.is_some() {
        anyhow::bail!(
            "built without search: run `cargo install --path crates/unmold-cli --features search`"
        );
    }
    if let Some(folder) = &args.export {
        let pages = export(&mut viewer, folder, args.export_pages)?;
        report.note(&format!("wrote {pages} pages to {0}: open {0}/index.html", folder.display()));
        return Ok(report.finish());
    }
    let server = Server::bind(args.port)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", server.address())?;
    out.flush()?;
    drop(out);
    report.note(
        "open the address above in a browser; anyone who knows it can see the pages. Ctrl-C stops",
    );
    let viewer = Arc::new(viewer);
    survey(&viewer);
    server.run(viewer)?;
    Ok(report.finish())
}

#[cfg(not(feature = "view"))]
pub fn run(_: ViewArgs) -> Result<Exit> {
    anyhow::bail!(
        "built without the viewer: run `cargo install --path crates/unmold-cli --features view`"
    )
}
