//! Strips every page of the input and writes the result: the second pass.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use unmold::page::FallbackReason;
use unmold::site::{CleanPage, Record};
use unmold::{CleanOptions, clean_page};

use crate::drift::Fits;
use crate::input::{Input, InputEvent, RawPage};
use crate::output::{Format, Output};
use crate::removed::RemovedParts;
use crate::report::Report;
use crate::stream::{Messages, ReadOptions, for_each_event};
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

/// Strips all pages and writes them in input order. Returns how well they fit their templates.
pub fn strip_all(
    input: &Input,
    read: &ReadOptions,
    templates: &Templates,
    options: &StripOptions,
    report: &mut Report,
) -> Result<Fits> {
    check_paths(options)?;
    let mut output = Output::create(options.format, options.output.as_deref())?;
    let progress = report.start("stripping", input);
    let work = |raw: &RawPage| strip_page(raw, read, templates, &options.clean);
    let mut pages = 0u64;
    let mut fits = Fits::default();
    let mut removed = options.removed.as_ref().map(|_| RemovedParts::default());
    for_each_event(input, Messages::Show, report, work, |event, done, report| {
        let raw = match event {
            InputEvent::Page(raw) => raw,
            InputEvent::Problem { place, what } => {
                report.failure(&place, &what);
                return output.write_failure(place, what);
            }
            InputEvent::Skipped { place, why } => {
                report.skipped(&place, why);
                return Ok(());
            }
        };
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
        if let Some(path) = output.write(&record)? {
            report.renamed(&record.id, &path);
        }
        Ok(())
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

/// Fails if two outputs have the same name, since one would replace the other.
fn check_paths(options: &StripOptions) -> Result<()> {
    let named = [
        ("-o", &options.output),
        ("--keep-template", &options.removed),
        ("--drift", &options.drift),
    ];
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (flag, path) in named {
        let Some(path) = path.as_ref().filter(|path| is_file(path)) else { continue };
        let full = std::path::absolute(path)?;
        if let Some((other, _)) = seen.iter().find(|(_, taken)| *taken == full) {
            bail!("{flag} and {other} both name {}: give each its own file", path.display());
        }
        seen.push((flag, full));
    }
    Ok(())
}

/// Whether a path would be replaced by writing to it, unlike a device or standard output.
fn is_file(path: &Path) -> bool {
    path.as_os_str() != "-" && (path.is_file() || path.is_dir() || !path.exists())
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
