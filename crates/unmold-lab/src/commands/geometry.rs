//! `unmold-lab geometry`: records where a browser puts each node of each page.

use std::process::ExitCode;

use anyhow::Result;

use crate::args::GeometryArgs;

#[cfg(not(unix))]
pub fn run(_: &GeometryArgs) -> Result<ExitCode> {
    anyhow::bail!(
        "a browser can be driven on Unix only: \
         without boxes, `unmold sections` estimates areas from the mark-up"
    )
}

#[cfg(unix)]
pub fn run(args: &GeometryArgs) -> Result<ExitCode> {
    unix::run(args)
}

#[cfg(unix)]
mod unix {
    use std::collections::BTreeMap;
    use std::io::Write;
    use std::path::Path;
    use std::process::ExitCode;
    use std::time::Duration;

    use anyhow::Result;
    use unmold::sections::PageBoxes;
    use unmold::{Page, ParseOptions};
    use unmold_input::{Input, InputEvent, InputOptions, RawPage};
    use unmold_lab::geometry::align::align;
    use unmold_lab::geometry::browser::{self, Browser};

    use crate::args::GeometryArgs;
    use crate::commands::output::{create, write_json_line};

    pub fn run(args: &GeometryArgs) -> Result<ExitCode> {
        let program = browser::find(args.browser.as_deref())?;
        let options = InputOptions::default().with_site(args.site.clone());
        let input = Input::open(&args.inputs, &options)?;
        let mut renderer = Renderer { args, program: &program, browser: None };
        // A browser that does not start at all is no fault of the first page.
        renderer.browser = Some(renderer.start()?);
        let mut out = create(args.output.as_deref())?;
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
        let mut exit = ExitCode::SUCCESS;
        let mut failure = |place: &str, what: &str| {
            eprintln!("unmold-lab: {place}: {what}");
            exit = ExitCode::FAILURE;
        };
        for found in input.read() {
            match found {
                InputEvent::Page(raw) => {
                    let of_site = seen.entry(raw.site.clone()).or_default();
                    *of_site += 1;
                    if args.pages.is_some_and(|pages| *of_site > pages) {
                        continue;
                    }
                    let boxes = renderer.boxes(&raw);
                    if let Some(error) = &boxes.error {
                        failure(&raw.id, error);
                    }
                    write_json_line(&mut out, &boxes)?;
                }
                InputEvent::Skipped { why, .. } => *skipped.entry(why).or_default() += 1,
                InputEvent::Problem { place, what } => failure(&place, &what),
            }
        }
        out.flush()?;
        for (why, number) in skipped.iter().filter(|_| !args.quiet) {
            eprintln!("unmold-lab: skipped {number}: {why}");
        }
        Ok(exit)
    }

    /// A browser that is restarted after a page it could not render.
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
            let page = Page::parse_with(&raw.bytes, &self.parse_options(raw));
            let mut boxes = PageBoxes::new(&raw.id, &page);
            if let Err(error) = self.render(raw, &page, &mut boxes) {
                boxes.error = Some(format!("{error:#}"));
                self.browser = None;
            }
            boxes
        }

        /// Those of `unmold sections`: boxes belong to nodes, and the nodes must be the same.
        fn parse_options(&self, raw: &RawPage) -> ParseOptions {
            ParseOptions::default()
                .with_charset(raw.charset.clone())
                .with_url(Some(raw.url.clone().unwrap_or_else(|| format!("file:///{}", raw.id))))
                .with_keep_hidden(self.args.keep_hidden)
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
