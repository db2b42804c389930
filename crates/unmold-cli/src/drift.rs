//! Reports how the stripped pages fit their templates.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use unmold::site::{Fit, Record};
use unmold::{Flag, KindTemplate};

use crate::output::Sink;
use crate::report::Report;
use crate::templates::Templates;

/// Sites without a template that are named; others are only counted.
const SITES_SHOWN: usize = 5;

/// The pages of each template.
#[derive(Default)]
pub struct Fits {
    /// By site and name of the template.
    fits: BTreeMap<(String, String), Fit>,
    /// Pages of each site that has no template.
    without: BTreeMap<String, u64>,
}

/// What is said about one template. Fields are added, never renamed.
#[derive(Serialize)]
struct FitRecord<'a> {
    template: &'a str,
    site: &'a str,
    pages: u64,
    /// Share of the template that the pages have.
    template_match: f64,
    /// Share that the pages had which it was learned from.
    usual_match: Option<f64>,
    unclustered: u64,
    drifted: bool,
}

impl Fits {
    pub fn add(&mut self, record: &Record) {
        let page = &record.page;
        if let (Some(template), Some(found)) = (&page.template, page.template_match) {
            let fit = self.fits.entry((record.site.clone(), template.clone())).or_default();
            fit.add(found, page.flags.contains(&Flag::Unclustered));
        } else if page.flags.contains(&Flag::NoTemplate) {
            *self.without.entry(record.site.clone()).or_default() += 1;
        }
    }

    /// Says which sites have no template: most likely they go by another name.
    pub fn note_sites_without(&self, report: &Report) {
        for (site, pages) in self.without.iter().take(SITES_SHOWN) {
            report.note(&format!(
                "site {site}: no template for its {pages} pages, which were passed through: learn them, or say with --site whose they are"
            ));
        }
        if self.without.len() > SITES_SHOWN {
            report.note(&format!("{} sites without a template in all", self.without.len()));
        }
    }

    /// Says which templates no longer fit, and writes what is known of all to `file`.
    pub fn finish(
        &self,
        templates: &Templates,
        file: Option<&Path>,
        report: &Report,
    ) -> Result<()> {
        let mut sink = file.map(|file| Sink::create(Some(file))).transpose()?;
        for ((site, name), fit) in &self.fits {
            let template = templates.for_site(site)?;
            let Some(kind) = template.as_ref().and_then(|template| template.kind(name)) else {
                continue;
            };
            let drifted = fit.has_drifted(kind);
            if drifted {
                report.note(&format!(
                    "{}: was it redesigned? `unmold learn --update` learns it anew",
                    describe_drift(kind, fit)
                ));
            } else {
                report.detail(&describe_drift(kind, fit));
            }
            if let Some(sink) = &mut sink {
                let mut line = serde_json::to_vec(&FitRecord {
                    template: name,
                    site,
                    pages: fit.pages,
                    template_match: rounded(fit.template_match()),
                    usual_match: kind.usual_match().map(|usual| f64::from(usual) / 1000.0),
                    unclustered: fit.unclustered,
                    drifted,
                })?;
                line.push(b'\n');
                sink.write(&line)?;
            }
        }
        sink.map_or(Ok(()), Sink::finish)
    }
}

fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

/// `news#1: average match 31 % over 40 pages (95 % when learned), 3 pages fit no layout`.
pub fn describe_drift(kind: &KindTemplate, fit: &Fit) -> String {
    let (name, found) = (kind.name(), 100.0 * fit.template_match());
    let mut said = format!("{name}: average match {found:.0} % over {} pages", fit.pages);
    if let Some(usual) = kind.usual_match() {
        said.push_str(&format!(" ({:.0} % when learned)", f64::from(usual) / 10.0));
    }
    if fit.unclustered > 0 {
        said.push_str(&format!(", {} fit no layout", fit.unclustered));
    }
    said
}
