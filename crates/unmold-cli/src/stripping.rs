//! Strips every page of the input and writes the result: the second pass.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use unmold::dedup::{IMatch, Signature};
use unmold::page::{FallbackReason, comparison_form, words};
use unmold::site::{CleanPage, Record};
use unmold::{CleanOptions, Template, clean_page};

use crate::drift::Fits;
use crate::input::{Input, InputEvent, RawPage};
use crate::output::{Content, Format, Guard, Output, OutputOptions, csv_header, names_file};
use crate::removed::RemovedParts;
use crate::report::Report;
use crate::stream::{Messages, ReadOptions, for_each_event};
use crate::templates::Templates;

/// What is written, and where.
#[derive(Debug)]
pub struct StripOptions {
    pub clean: CleanOptions,
    pub output: OutputOptions,
    /// Write only pages in these languages; all if empty.
    pub languages: Vec<String>,
    /// Name the earlier page of which a page is a copy.
    pub mark_duplicates: bool,
    /// Strip pages of unknown sites with the only template there is.
    pub use_only_template: bool,
    /// File for the removed parts.
    pub removed: Option<PathBuf>,
    /// File for how well pages fit their templates.
    pub drift: Option<PathBuf>,
}

impl StripOptions {
    /// Checks that no output replaces an input, another output or a file of somebody else.
    pub fn check(&self, guard: &mut Guard) -> Result<()> {
        let OutputOptions { format, ref path, ref fields, .. } = self.output;
        match path.as_deref() {
            Some(path) if !names_file(format, path) => {
                guard.folder("-o", path, format == Format::Html)?;
            }
            path => {
                let chosen = fields.iter().flatten().map(|field| field.name.as_str());
                let keys: Vec<&str> = match fields {
                    Some(_) => chosen.collect(),
                    None => vec!["id", "site", "template"],
                };
                let header = fields.as_deref().map(csv_header);
                let content = match format {
                    Format::Jsonl => Content::Lines(&keys),
                    Format::Csv => header.as_deref().map_or(Content::Any, Content::FirstLine),
                    _ => Content::Any,
                };
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
    let mut output = Output::create(&options.output, guard.protected())?;
    let mut copies = Copies::default();
    let progress = report.start("stripping", input);
    let only = templates.only().filter(|_| options.use_only_template);
    let work = |raw: &RawPage| strip_page(raw, read, templates, only.as_ref(), &options.clean);
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
        let Done { mut page, site, fallback } =
            done.unwrap_or_else(|| Done::failed(&raw, INTERNAL_ERROR));
        if options.mark_duplicates {
            page.duplicate_of = copies.original_of(&page, &raw.id);
        }
        if !is_wanted(&page, &options.languages) {
            report.skipped(&raw.id, "another language");
            return Ok(());
        }
        let record = Record::new(raw.id.as_str(), raw.url.clone(), site, page);
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

/// Whether a page is in one of the languages. Pages that failed are not lost.
fn is_wanted(page: &CleanPage, languages: &[String]) -> bool {
    let metadata = &page.metadata;
    let own = metadata.detected_language.as_deref().or(metadata.language.as_deref());
    let own = own.map(|own| own.to_lowercase());
    // `en` is any English, `en-gb` is that of the page's own declaration.
    let is = |wanted: &String| {
        own.as_deref().is_some_and(|own| {
            own == wanted || own.split('-').next().is_some_and(|primary| primary == wanted)
        })
    };
    languages.is_empty() || page.error.is_some() || languages.iter().any(is)
}

const INTERNAL_ERROR: &str = "internal error while stripping: please report this page";

/// The first page with each set of words.
#[derive(Default)]
struct Copies {
    first: HashMap<Signature, String>,
}

impl Copies {
    /// The id of an earlier page whose clean text has the same words.
    fn original_of(&mut self, page: &CleanPage, id: &str) -> Option<String> {
        let text = comparison_form(&page.text);
        let words: Vec<&str> = words(&text).collect();
        let signature = IMatch::default().signatures(&[words]).pop().flatten()?;
        match self.first.entry(signature) {
            Entry::Occupied(first) => Some(first.get().clone()),
            Entry::Vacant(place) => {
                place.insert(id.to_owned());
                None
            }
        }
    }
}

/// A page that was stripped.
struct Done {
    page: CleanPage,
    site: String,
    /// Why it was parsed with html5ever, if it was.
    fallback: Option<FallbackReason>,
}

impl Done {
    fn failed(raw: &RawPage, error: &str) -> Done {
        Done { page: CleanPage::failed(error), site: raw.site.clone(), fallback: None }
    }
}

fn strip_page(
    raw: &RawPage,
    read: &ReadOptions,
    templates: &Templates,
    only: Option<&Arc<Template>>,
    options: &CleanOptions,
) -> Done {
    let template = match templates.for_site(&raw.site) {
        // A page with an address belongs to the site of its host, and to no other.
        Ok(None) if raw.url.is_none() => only.cloned(),
        Ok(template) => template,
        Err(error) => return Done::failed(raw, &format!("{error:#}")),
    };
    let page = read.parse(raw);
    let mut clean = clean_page(template.as_deref(), &page, options);
    if raw.truncated {
        let limit = read.limits.bytes;
        clean.error = Some(format!(
            "longer than {limit} bytes, only the beginning was read: raise --max-page-bytes"
        ));
    }
    let site = template.map_or_else(|| raw.site.clone(), |template| template.site().to_owned());
    Done { page: clean, site, fallback: page.fallback() }
}
