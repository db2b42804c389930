//! The second pass over the input: every page without its template.

use anyhow::Result;
use unmold::page::FallbackReason;
use unmold::site::{CleanPage, Record};
use unmold::{CleanOptions, Page, clean_page};

use crate::args::{InputArgs, OutputArgs};
use crate::drift::Fits;
use crate::input::{Input, RawPage};
use crate::output::{Output, TemplateHalves};
use crate::report::Report;
use crate::stream::{Messages, for_each_page};
use crate::templates::Templates;

/// Strips all pages of the input and writes them in order; how they fit their templates.
pub fn strip_all(
    input: &Input,
    input_args: &InputArgs,
    templates: &Templates,
    output_args: &OutputArgs,
    report: &mut Report,
) -> Result<Fits> {
    let mut output = Output::create(output_args)?;
    let options = output_args.options();
    let watching = report.start("stripping", input);
    let work = |raw: &RawPage| strip_page(raw, input_args, templates, &options);
    let mut pages = 0u64;
    let mut fits = Fits::default();
    let mut halves = output_args.keep_template.as_ref().map(|_| TemplateHalves::default());
    for_each_page(input, Messages::Show, report, work, |raw, done, report| {
        pages += 1;
        let (page, fallback) = done.unwrap_or_else(|| (CleanPage::failed(INTERNAL_ERROR), None));
        let record = Record::new(raw.id.as_str(), raw.url.clone(), raw.site.as_str(), page);
        if let Some(error) = &record.page.error {
            report.failure(&record.id, error);
        }
        if let Some(reason) = fallback {
            report.fallback(reason.name());
        }
        fits.add(&record);
        if let Some(halves) = &mut halves {
            halves.see(&record, || (raw.bytes.clone(), input_args.parse_options(&raw)));
        }
        output.write(&record)
    })?;
    drop(watching);
    if pages == 0 {
        report.note("no HTML page in the input: give a folder, WARC or JSONL that holds some, or -v to see what was skipped");
    }
    output.finish()?;
    fits.finish(templates, output_args.drift.as_deref(), report)?;
    if let (Some(halves), Some(path)) = (halves, &output_args.keep_template) {
        halves.write(templates, path)?;
    }
    Ok(fits)
}

const INTERNAL_ERROR: &str = "internal error while stripping: please report this page";

/// The clean page, and why the fast parser left it to html5ever, if it did.
fn strip_page(
    raw: &RawPage,
    input_args: &InputArgs,
    templates: &Templates,
    options: &CleanOptions,
) -> (CleanPage, Option<FallbackReason>) {
    let template = match templates.for_site(&raw.site) {
        Ok(template) => template,
        Err(error) => return (CleanPage::failed(format!("{error:#}")), None),
    };
    let page = Page::parse_with(&raw.bytes, &input_args.parse_options(raw));
    let mut clean = clean_page(template.as_deref(), &page, options);
    if raw.truncated {
        let limit = input_args.max_page_bytes;
        clean.error = Some(format!(
            "longer than {limit} bytes, only the beginning was read: raise --max-page-bytes"
        ));
    }
    (clean, page.fallback())
}
