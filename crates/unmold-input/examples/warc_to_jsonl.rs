//! Reads a crawl, learns the template of each site, and prints a JSON record for each page.
//!
//!     cargo run -p unmold-input --example warc_to_jsonl -- crawl.warc.gz > clean.jsonl
//!
//! The input is read twice, so memory holds the samples and one page.

use std::collections::BTreeMap;
use std::path::PathBuf;

use unmold::methods::Serial;
use unmold::site::{SampleKey, Sampler};
use unmold::{CleanOptions, Page, ParseOptions, Record, Settings, TemplateSet, clean_page};
use unmold_input::{Input, InputEvent, InputOptions, RawPage};

/// Pages of each site to learn from.
const SAMPLE: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let input = Input::open(&paths, &InputOptions::default())?;

    let mut samplers: BTreeMap<String, Sampler<Page>> = BTreeMap::new();
    for event in input.read() {
        let InputEvent::Page(raw) = event else { continue };
        let key = SampleKey::new(&raw.bytes, raw.url.as_deref().unwrap_or(&raw.id), 0);
        let sampler = samplers.entry(raw.site.clone()).or_insert_with(|| Sampler::new(SAMPLE));
        if sampler.takes(key, &raw.id) {
            sampler.insert(key, &raw.id, parse(&raw));
        }
    }
    let mut templates = TemplateSet::new();
    for (site, sampler) in samplers {
        let pages: Vec<Page> = sampler.into_pages().collect();
        let pages: Vec<&Page> = pages.iter().collect();
        templates.extend(Settings::default().learn_site(&site, &pages, &Serial));
    }

    for event in input.read() {
        match event {
            InputEvent::Page(raw) => {
                let template = templates.get(&raw.site).map(AsRef::as_ref);
                let clean = clean_page(template, &parse(&raw), &CleanOptions::default());
                let record = Record::new(raw.id, raw.url, raw.site, clean);
                println!("{}", serde_json::to_string(&record)?);
            }
            InputEvent::Problem { place, what } => eprintln!("{place}: {what}"),
            _ => {}
        }
    }
    Ok(())
}

fn parse(raw: &RawPage) -> Page {
    let options = ParseOptions::default();
    let options = options.with_url(raw.url.clone()).with_charset(raw.charset.clone());
    Page::parse_with(&raw.bytes, &options)
}
