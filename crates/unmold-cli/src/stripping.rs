//! The second reading: every page without its template.

use anyhow::Result;
use unmold::Page;
use unmold::site::clean_page;

use crate::args::{InputArgs, OutputArgs};
use crate::drift::Fits;
use crate::input::{Input, RawPage};
use crate::output::{Output, Record, TemplateHalves};
use crate::report::Report;
use crate::stream::{Telling, for_each_page};
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
    let watching = report.start("stripping", input);
    let work = |raw: &RawPage| strip_page(raw, input_args, templates, output_args);
    let mut pages = 0u64;
    let mut fits = Fits::default();
    let mut halves = output_args.keep_template.as_ref().map(|_| TemplateHalves::default());
    for_each_page(input, Telling::Yes, report, work, |raw, record, report| {
        pages += 1;
        let record = record.unwrap_or_else(|| {
            Record::failed(
                &raw,
                "internal error while stripping: please report this page".to_owned(),
            )
        });
        if let Some(error) = &record.error {
            report.failure(&record.id, error);
        }
        if let Some(reason) = record.fallback {
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

fn strip_page(
    raw: &RawPage,
    input_args: &InputArgs,
    templates: &Templates,
    output_args: &OutputArgs,
) -> Record {
    let templates = match templates.for_site(&raw.site) {
        Ok(templates) => templates,
        Err(error) => return Record::failed(raw, format!("{error:#}")),
    };
    let page = Page::parse_with(&raw.bytes, &input_args.parse_options(raw));
    let clean = clean_page(&templates, &raw.site, &page, &output_args.cleaning());
    Record {
        id: raw.id.clone(),
        url: raw.url.clone(),
        site: raw.site.clone(),
        template: clean.template,
        title: clean.title,
        text: clean.text,
        content_share: clean.content_share,
        template_match: clean.template_match,
        flags: clean.flags,
        explanation: clean.explanation,
        error: too_long(raw, input_args).or(clean.error.map(str::to_owned)),
        fallback: clean.fallback,
    }
}

/// What to say of a page of which only the beginning was read.
fn too_long(raw: &RawPage, input_args: &InputArgs) -> Option<String> {
    raw.truncated.then(|| {
        format!(
            "longer than {} bytes, only the beginning was read: raise --max-page-bytes",
            input_args.max_page_bytes
        )
    })
}
