//! `unmold geometry`: where a browser puts each node of each page.

use anyhow::Result;

use crate::args::GeometryArgs;
use crate::exit::Exit;

#[cfg(not(unix))]
pub fn run(_: &GeometryArgs) -> Result<Exit> {
    anyhow::bail!(
        "a browser can be driven on Unix only: without --geometry, areas are estimated from the mark-up"
    )
}

#[cfg(unix)]
pub fn run(args: &GeometryArgs) -> Result<Exit> {
    unix::run(args)
}

#[cfg(unix)]
mod unix {
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::time::Duration;

    use anyhow::Result;
    use unmold::Page;

    use crate::args::GeometryArgs;
    use crate::exit::Exit;
    use crate::geometry::{Browser, PageBoxes, align, find_browser};
    use crate::input::{Found, Input, RawPage};
    use crate::output::Sink;
    use crate::report::Report;

    pub fn run(args: &GeometryArgs) -> Result<Exit> {
        let mut report = Report::new(&args.run);
        let program = find_browser(args.browser.as_deref())?;
        let input = Input::open(&args.input.inputs, &args.input.options())?;
        let mut renderer = Renderer { args, program: &program, browser: None };
        // A browser that does not start at all is no fault of the first page.
        renderer.browser = Some(renderer.start()?);
        let mut sink = Sink::create(args.output.as_deref())?;
        let watching = report.start("rendering", &input);
        let mut done: BTreeMap<String, usize> = BTreeMap::new();
        for found in input.read() {
            match found {
                Found::Page(raw) => {
                    let of_site = done.entry(raw.site.clone()).or_insert(0usize);
                    *of_site += 1;
                    if args.pages.is_some_and(|most| *of_site > most) {
                        continue;
                    }
                    let boxes = renderer.boxes(&raw);
                    if let Some(error) = &boxes.error {
                        report.failure(&raw.id, error);
                    }
                    let mut line = serde_json::to_vec(&boxes)?;
                    line.push(b'\n');
                    sink.write(&line)?;
                }
                Found::Skipped { place, why } => report.skipped(&place, why),
                Found::Problem { place, what } => report.failure(&place, &what),
            }
        }
        drop(watching);
        sink.finish()?;
        Ok(report.finish())
    }

    /// A browser that is started anew after a page it could not bear.
    struct Renderer<'a> {
        args: &'a GeometryArgs,
        program: &'a Path,
        browser: Option<Browser>,
    }

    impl Renderer<'_> {
        fn start(&self) -> Result<Browser> {
            Browser::start(self.program, self.args.width, Duration::from_secs(self.args.patience))
        }

        fn boxes(&mut self, raw: &RawPage) -> PageBoxes {
            let page = Page::parse_with(&raw.bytes, &self.args.input.parse_options(raw));
            let mut boxes = PageBoxes::new(&raw.id, &page);
            if let Err(error) = self.render(raw, &page, &mut boxes) {
                boxes.error = Some(format!("{error:#}"));
                self.browser = None;
            }
            boxes
        }

        fn render(&mut self, raw: &RawPage, page: &Page, boxes: &mut PageBoxes) -> Result<()> {
            let browser = match &mut self.browser {
                Some(browser) => browser,
                None => {
                    let browser = self.start()?;
                    self.browser.insert(browser)
                }
            };
            let snapshot = browser.render(&raw.bytes, raw.charset.as_deref())?;
            (boxes.width, boxes.height) = (snapshot.width, snapshot.height);
            boxes.boxes = align(page, &snapshot)
                .into_iter()
                .map(|(id, [x, y, w, h])| (id.position(), x, y, w, h))
                .collect();
            Ok(())
        }
    }
}
