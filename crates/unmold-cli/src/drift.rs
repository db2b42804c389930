//! Reports how well the stripped pages fit their templates.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use unmold::site::{Fit, Record};
use unmold::{Flag, KindTemplate};

use crate::output::Sink;
use crate::report::Report;
use crate::templates::Templates;

/// Maximum number of sites without a template to name; the others are counted.
const MAX_SITES_SHOWN: usize = 5;

/// The fit of each template, summed over its pages.
#[derive(Default)]
pub struct Fits {
    /// By site and template name.
    fits: BTreeMap<(String, String), Fit>,
    /// Number of pages of each template that are laid out like no labelled page.
    unlabelled: BTreeMap<(String, String), u64>,
    /// Number of pages of each site without a template.
    without: BTreeMap<String, u64>,
}

/// The fit of one template. Fields may be added but are never renamed.
#[derive(Serialize)]
struct FitRecord<'a> {
    template: &'a str,
    site: &'a str,
    pages: u64,
    /// Mean share of the template found on the pages.
    template_match: f64,
    /// The same share on the pages it was learned from.
    usual_match: Option<f64>,
    unclustered: u64,
    /// Pages that are laid out like no labelled page, if pages of the site are labelled.
    unlabelled: u64,
    drifted: bool,
}

impl Fits {
    pub fn add(&mut self, record: &Record) {
        let page = &record.page;
        if let (Some(template), Some(found)) = (&page.template, page.template_match) {
            let fit = self.fits.entry((record.site.clone(), template.clone())).or_default();
            fit.add(found, page.flags.contains(&Flag::Unclustered));
            if page.flags.contains(&Flag::Unlabelled) {
                *self.unlabelled.entry((record.site.clone(), template.clone())).or_default() += 1;
            }
        } else if page.flags.contains(&Flag::NoTemplate) {
            *self.without.entry(record.site.clone()).or_default() += 1;
        }
    }

    /// Reports pages without a template as failed: they were not stripped. Usually the template
    /// has another site name.
    pub fn report_sites_without(&self, report: &mut Report) {
        for (number, (site, pages)) in self.without.iter().enumerate() {
            if number < MAX_SITES_SHOWN {
                report.failure(
                    &format!("site {site}"),
                    &format!(
                        "no template, wrote its {pages} pages unchanged: learn one, or name \
                         another site with --site"
                    ),
                );
                report.count_failures(pages - 1);
            } else {
                report.count_failures(*pages);
            }
        }
        if self.without.len() > MAX_SITES_SHOWN {
            report.note(&format!("{} sites without a template in total", self.without.len()));
        }
    }

    /// Notes the templates that no longer fit, and writes the fit of all of them to `file`.
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
                    "{}: the site may have been redesigned; run `unmold learn --update`",
                    describe_drift(kind, fit)
                ));
            } else {
                report.detail(&describe_drift(kind, fit));
            }
            let key = (site.clone(), name.clone());
            let unlabelled = self.unlabelled.get(&key).copied().unwrap_or(0);
            if unlabelled > 0 {
                let pages = fit.pages;
                report.note(&format!(
                    "{name}: {unlabelled} of {pages} pages are laid out like no labelled page, and \
                     the default decided; `unmold teach plan -t` says what to label"
                ));
            }
            if let Some(sink) = &mut sink {
                let mut line = serde_json::to_vec(&FitRecord {
                    template: name,
                    site,
                    pages: fit.pages,
                    template_match: rounded(fit.template_match()),
                    usual_match: kind.usual_match().map(|usual| f64::from(usual) / 1000.0),
                    unclustered: fit.unclustered,
                    unlabelled,
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
    let mut text = format!("{name}: average match {found:.0} % over {} pages", fit.pages);
    if let Some(usual) = kind.usual_match() {
        text.push_str(&format!(" ({:.0} % when learned)", f64::from(usual) / 10.0));
    }
    if fit.unclustered > 0 {
        text.push_str(&format!(", {} fit no layout", fit.unclustered));
    }
    text
}
