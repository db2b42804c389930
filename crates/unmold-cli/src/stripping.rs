//! Strips every page of the input and writes the result: the second pass.

use std::path::PathBuf;

use anyhow::Result;
use unmold::page::FallbackReason;
use unmold::site::{CleanPage, Record};
use unmold::{CleanOptions, clean_page};

use crate::drift::Fits;
use crate::input::{Input, RawPage};
use crate::output::{Content, Format, Guard, Output, names_file};
use crate::removed::RemovedParts;
use crate::report::Report;
use crate::stream::{Messages, ReadOptions, for_each_page};
use crate::templates::Templates;

/// What is written, and where.
#[derive(Debug)]
pub struct StripOptions {
    pub clean: CleanOptions,
    pub format: Format,
    /// File or folder for the pages; `None` is standard output.
    pub output: Option<PathBuf>,
    /// File for the removed parts.
    pub removed: Option<PathBuf>,
    /// File for how well pages fit their templates.
    pub drift: Option<PathBuf>,
}

impl StripOptions {
    /// Checks that no output replaces an input, another output or a file of somebody else.
    pub fn check(&self, guard: &mut Guard) -> Result<()> {
        match self.output.as_deref() {
            Some(path) if !names_file(self.format, path) => {
                guard.folder("-o", path, self.format == Format::Html)?;
            }
            path => {
                let lines = Content::Lines(&["id", "site", "template"]);
                let content = if self.format == Format::Jsonl { lines } else { Content::Any };
                guard.file("-o", path, content)?;
            }
        }
        if let Some(path) = &self.removed {
            let content = Content::Lines(&["id", "site", "template", "page"]);
            guard.file("--keep-template", Some(path), content)?;
        }
        if let Some(path) = &self.drift {
            let content = Content::Lines(&["template", "site", "template_match", "drifted"]);
            guard.file("--drift", Some(path), content)?;
        }
        Ok(())
    }
}

/// Strips all pages and writes them in input order. Returns how well they fit their templates.
pub fn strip_all(
    input: &Input,
    read: &ReadOptions,
    templates: &Templates,
    options: &StripOptions,
    guard: &Guard,
    report: &mut Report,
) -> Result<Fits> {
    let protected = guard.protected();
    let mut output = Output::create(options.format, options.output.as_deref(), protected)?;
    let progress = report.start("stripping", input);
    let work = |raw: &RawPage| strip_page(raw, read, templates, &options.clean);
    let mut pages = 0u64;
    let mut fits = Fits::default();
    let mut removed = options.removed.as_ref().map(|_| RemovedParts::default());
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
        if let Some(removed) = &mut removed {
            removed.add(&record, || (raw.bytes.clone(), read.parse_options(&raw)));
        }
        report.wrote(1);
        output.write(&record)
    })?;
    drop(progress);
    if pages == 0 {
        report.no_pages();
    }
    output.finish()?;
    fits.finish(templates, options.drift.as_deref(), report)?;
    if let (Some(removed), Some(path)) = (removed, &options.removed) {
        removed.write(templates, path)?;
    }
    Ok(fits)
}

const INTERNAL_ERROR: &str = "internal error while stripping: please report this page";

/// Returns the clean page, and why it was parsed with html5ever if it was.
fn strip_page(
    raw: &RawPage,
    read: &ReadOptions,
    templates: &Templates,
    options: &CleanOptions,
) -> (CleanPage, Option<FallbackReason>) {
    let template = match templates.for_site(&raw.site) {
        Ok(template) => template,
        Err(error) => return (CleanPage::failed(format!("{error:#}")), None),
    };
    let page = read.parse(raw);
    let mut clean = clean_page(template.as_deref(), &page, options);
    if raw.truncated {
        let limit = read.limits.bytes;
        clean.error = Some(format!(
            "longer than {limit} bytes, only the beginning was read: raise --max-page-bytes"
        ));
    }
    (clean, page.fallback())
}
