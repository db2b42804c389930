//! `unmold export`: exports pages without their templates to another search engine.

use anyhow::Result;
use serde::Serialize;

use crate::args::ExportArgs;
use crate::exit::Exit;
use crate::learning::learn;
use crate::output::{Content, Guard, Sink};
use crate::report::Report;
use crate::search::{Searchable, for_each_searchable};
use crate::stream::{Messages, use_threads};

/// The action line before each document.
#[derive(Serialize)]
struct Action<'a> {
    index: Target<'a>,
}

#[derive(Serialize)]
struct Target<'a> {
    _index: &'a str,
    _id: String,
}

/// The document line. Fields may be added but are never renamed.
#[derive(Serialize)]
struct Document<'a> {
    id: &'a str,
    url: Option<&'a str>,
    site: &'a str,
    title: Option<&'a str>,
    content: &'a str,
    template_text: &'a str,
    content_share: f64,
}

/// Maximum length of an id in the bulk API, in bytes.
const MAX_ID_LEN: usize = 512;

pub fn run(args: &ExportArgs) -> Result<Exit> {
    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    let read = args.input.read_options();
    let mut guard = Guard::new(&args.input.inputs, args.run.force);
    guard.file("-o", args.output.as_deref(), Content::Lines(&["index"]))?;
    let input = args.input.open(&report)?;
    let mut sink = Sink::create(args.output.as_deref())?;
    let templates = learn(&input, &read, &args.method.options()?, Messages::Hide, &mut report)?;
    for_each_searchable(&input, &read, &templates, &mut report, |page| {
        sink.write(lines(&page, &args.index)?.as_bytes())
    })?;
    sink.finish()?;
    Ok(report.finish())
}

/// Returns the action line and the document line.
fn lines(page: &Searchable, index: &str) -> Result<String> {
    let action = Action { index: Target { _index: index, _id: short_id(&page.id) } };
    let document = Document {
        id: &page.id,
        url: page.url.as_deref(),
        site: &page.site,
        title: page.title.as_deref(),
        content: &page.content,
        template_text: &page.template_text,
        content_share: (page.content_share * 1e4).round() / 1e4,
    };
    Ok(format!("{}\n{}\n", serde_json::to_string(&action)?, serde_json::to_string(&document)?))
}

/// Returns the id, or its hash if it is too long.
fn short_id(id: &str) -> String {
    if id.len() <= MAX_ID_LEN {
        return id.to_owned();
    }
    format!("xxh3-{:032x}", xxhash_rust::xxh3::xxh3_128(id.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ids_are_hashed() {
        assert_eq!(short_id("a/b.html"), "a/b.html");
        assert_eq!(short_id(&"x".repeat(513)).len(), 37);
        assert_ne!(short_id(&"x".repeat(513)), short_id(&"x".repeat(514)));
    }
}
