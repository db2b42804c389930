//! The other half of the output: what was stripped, once for each template.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use unmold::{Page, ParseOptions, Record, strip};

use super::Sink;
use crate::templates::Templates;

/// For each template the page that has most of it.
#[derive(Default)]
pub struct TemplateHalves {
    /// By site and name of the template.
    best: BTreeMap<(String, String), Specimen>,
}

struct Specimen {
    id: String,
    template_match: f64,
    bytes: Vec<u8>,
    options: ParseOptions,
}

/// Shaped like the record of a page, so that nothing is unsearchable. Fields are added, never
/// renamed.
#[derive(Serialize)]
struct Half<'a> {
    id: &'a str,
    site: &'a str,
    template: &'a str,
    /// All texts of the template.
    text: String,
    /// The page of which the following two are the template.
    page: &'a str,
    html: String,
    markdown: String,
}

impl TemplateHalves {
    /// Keeps the page if it has more of its template than those before; of equals that with the
    /// smallest id.
    pub fn see(&mut self, record: &Record, page: impl FnOnce() -> (Vec<u8>, ParseOptions)) {
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
            self.best.insert(key, Specimen { id, template_match: found, bytes, options });
        }
    }

    /// Writes what was stripped from each of them.
    pub fn write(&self, templates: &Templates, path: &Path) -> Result<()> {
        let mut sink = Sink::create(Some(path))?;
        for ((site, name), specimen) in &self.best {
            let template = templates.for_site(site)?;
            let Some(kind) = template.as_ref().and_then(|template| template.kind(name)) else {
                continue;
            };
            let page = Page::parse_with(&specimen.bytes, &specimen.options);
            let half = strip(&page, &kind.mark(&page)).template();
            let mut line = serde_json::to_vec(&Half {
                id: name,
                site,
                template: name,
                text: kind.learned().text(),
                page: &specimen.id,
                html: half.html(),
                markdown: half.markdown(),
            })?;
            line.push(b'\n');
            sink.write(&line)?;
        }
        sink.finish()
    }
}
