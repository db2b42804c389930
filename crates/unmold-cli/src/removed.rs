//! Writes what was removed from the pages, once per template.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use unmold::{Page, ParseOptions, Record, strip};

use crate::output::Sink;
use crate::templates::Templates;

/// Collects, for each template, the page that matches it best.
#[derive(Default)]
pub struct RemovedParts {
    /// By site and template name.
    best: BTreeMap<(String, String), BestPage>,
}

struct BestPage {
    id: String,
    template_match: f64,
    bytes: Vec<u8>,
    options: ParseOptions,
}

/// Has the same shape as a page record, so that both can go into one search index. Fields may be
/// added but are never renamed.
#[derive(Serialize)]
struct RemovedRecord<'a> {
    id: &'a str,
    site: &'a str,
    template: &'a str,
    /// All texts of the template.
    text: String,
    /// Page that `html` and `markdown` were removed from.
    page: &'a str,
    html: String,
    markdown: String,
}

impl RemovedParts {
    /// Keeps the page if it matches its template better than the pages before. On a tie the
    /// smallest id wins, so the result does not depend on the order of the pages.
    pub fn add(&mut self, record: &Record, page: impl FnOnce() -> (Vec<u8>, ParseOptions)) {
        let (Some(template), Some(found)) = (&record.page.template, record.page.template_match)
        else {
            return;
        };
        let key = (record.site.clone(), template.clone());
        let is_better = self.best.get(&key).is_none_or(|best| {
            found > best.template_match || found == best.template_match && record.id < best.id
        });
        if is_better {
            let (bytes, options) = page();
            let id = record.id.clone();
            self.best.insert(key, BestPage { id, template_match: found, bytes, options });
        }
    }

    /// Writes one record per template.
    pub fn write(&self, templates: &Templates, path: &Path) -> Result<()> {
        let mut sink = Sink::create(Some(path))?;
        for ((site, name), best) in &self.best {
            let template = templates.for_site(site)?;
            let Some(kind) = template.as_ref().and_then(|template| template.kind(name)) else {
                continue;
            };
            let page = Page::parse_with(&best.bytes, &best.options);
            let removed = strip(&page, &kind.mark(&page)).template();
            let mut line = serde_json::to_vec(&RemovedRecord {
                id: name,
                site,
                template: name,
                text: kind.learned().text(),
                page: &best.id,
                html: removed.html(),
                markdown: removed.markdown(),
            })?;
            line.push(b'\n');
            sink.write(&line)?;
        }
        sink.finish()
    }
}
