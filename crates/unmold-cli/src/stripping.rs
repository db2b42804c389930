//! The second reading: every page without its template.

use anyhow::Result;
use unmold::sections::{Areas, Sectioning, cut, mark_with_lists, sections};
use unmold::{Flag, Marks, Page, Stripped, Template, TemplateSet, strip};

use crate::args::{Format, InputArgs, OutputArgs};
use crate::input::{Input, RawPage};
use crate::output::{Output, Record};
use crate::report::Report;
use crate::stream::{Telling, for_each_page};

/// Strips all pages of the input and writes them in order.
pub fn strip_all(
    input: &Input,
    input_args: &InputArgs,
    templates: &TemplateSet,
    output_args: &OutputArgs,
    report: &mut Report,
) -> Result<()> {
    let mut output = Output::create(output_args)?;
    let watching = report.start("stripping", input.total_bytes(), input.progress());
    let work = |raw: &RawPage| strip_page(raw, input_args, templates, output_args);
    let mut pages = 0u64;
    for_each_page(input, Telling::Yes, report, work, |raw, record, report| {
        pages += 1;
        let record = record.unwrap_or_else(|| {
            Record::failed(&raw, "internal error while stripping: please report this page".to_owned())
        });
        if let Some(error) = &record.error {
            report.failure(&record.id, error);
        }
        if let Some(reason) = record.hand_over {
            report.handed_over(reason.name());
        }
        output.write(&record)
    })?;
    drop(watching);
    if pages == 0 {
        report.note("no HTML page in the input: give a folder, WARC or JSONL that holds some, or -v to see what was skipped");
    }
    output.finish()?;
    crate::output::write_template_texts(templates, output_args)
}

fn strip_page(
    raw: &RawPage,
    input_args: &InputArgs,
    templates: &TemplateSet,
    output_args: &OutputArgs,
) -> Record {
    let page = Page::parse_with(&raw.bytes, &input_args.parse_options(raw));
    let found = templates.for_page(&raw.site, &page);
    let template = found.map(|(template, _)| template);
    let marks = match (template, output_args.least_importance) {
        (None, _) => Marks::none(&page),
        (Some(template), None) => template.mark(&page),
        (Some(template), Some(least)) => cut_by_importance(&page, template, least),
    };
    let stripped = strip(&page, &marks);
    let mut flags = page.flags().to_vec();
    if template.is_none() {
        flags.push(Flag::NoTemplate);
    } else if template.is_some_and(|template| template.learned.pages() < 2) {
        flags.push(Flag::SinglePage);
    } else if stripped.texts().next().is_none() && page.visible_texts().next().is_some() {
        flags.push(Flag::AllTemplate);
    }
    if found.is_some_and(|(_, fits)| !fits) {
        flags.push(Flag::Unclustered);
    }
    Record {
        id: raw.id.clone(),
        url: raw.url.clone(),
        site: raw.site.clone(),
        template: template.map(|template| template.name.clone()),
        title: page.title().map(str::to_owned),
        text: write(&stripped, output_args.format),
        content_share: stripped.content_share(),
        template_match: template.map(|_| f64::from(marks.template_match())),
        error: failure(raw, &page, input_args),
        hand_over: page.hand_over(),
        flags,
    }
}

/// Marks that take away whole sections.
fn cut_by_importance(page: &Page, template: &Template, least: f64) -> Marks {
    let (mut marks, lists) = mark_with_lists(page, &template.learned);
    template.overrides.apply(page, &mut marks);
    let found = sections(page, &marks, &lists, &Areas::estimate(page), &Sectioning::default());
    cut(page, &marks, &found, least)
}

fn write(stripped: &Stripped, format: Format) -> String {
    match format {
        Format::Jsonl | Format::Text => stripped.text(),
        Format::Markdown => stripped.markdown(),
        Format::Html => stripped.html(),
    }
}

/// What of the page could not be read at all.
fn failure(raw: &RawPage, page: &Page, input_args: &InputArgs) -> Option<String> {
    if raw.truncated {
        return Some(format!(
            "longer than {} bytes, only the beginning was read: raise --max-page-bytes",
            input_args.max_page_bytes
        ));
    }
    page.flags().contains(&Flag::Binary).then(|| "not a text file".to_owned())
}
