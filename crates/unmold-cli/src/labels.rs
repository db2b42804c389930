//! Files of labels: what somebody says about some pages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use unmold::teach::{Label, TeachReport};
use unmold::{Page, Template};

use crate::input::RawPage;
use crate::output::Sink;
use crate::report::Report;
use crate::sampling::SiteSample;

/// The labels of a file, by page.
#[derive(Debug)]
pub struct Labels {
    by_page: BTreeMap<String, Vec<Label>>,
    taught: Mutex<Taught>,
}

/// What became of labels so far.
#[derive(Default, Debug)]
struct Taught {
    /// Pages that were found in the input.
    found: BTreeSet<String>,
    /// By site.
    reports: BTreeMap<String, TeachReport>,
}

impl Labels {
    /// Reads a file of labels, one JSON object a line.
    pub fn read(path: &Path) -> Result<Labels> {
        let shown = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
        let mut by_page: BTreeMap<String, Vec<Label>> = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            let label: Label = serde_json::from_str(line)
                .with_context(|| format!("{shown}, line {number}: not a label"))?;
            by_page.entry(label.id.clone()).or_default().push(label);
        }
        if by_page.is_empty() {
            bail!("{shown} has no labels: `unmold teach plan` says what to label");
        }
        Ok(Labels { by_page, taught: Mutex::default() })
    }

    /// Fails unless the file holds labels, or nothing.
    #[cfg(feature = "view")]
    pub fn check(path: &Path) -> Result<()> {
        let is_empty = std::fs::metadata(path).is_ok_and(|file| file.len() == 0);
        if is_empty { Ok(()) } else { Labels::read(path).map(drop) }
    }

    fn of<'a>(
        &'a self,
        id: &str,
        url: Option<&str>,
        site: &'a str,
    ) -> impl Iterator<Item = &'a Label> {
        let by_url = url.filter(|&url| url != id).and_then(|url| self.by_page.get(url));
        let labels = self.by_page.get(id).into_iter().chain(by_url).flatten();
        labels.filter(move |label| label.site.as_deref().is_none_or(|named| named == site))
    }

    /// Whether a page is labelled.
    pub fn has(&self, page: &RawPage) -> bool {
        self.of(&page.id, page.url.as_deref(), &page.site).next().is_some()
    }

    /// Teaches a template the labels of its site.
    pub fn teach(&self, template: &mut Template, sample: &SiteSample) {
        let site = template.site().to_owned();
        let mut labels: Vec<(&Page, &Label)> = Vec::new();
        let mut found = BTreeSet::new();
        for page in &sample.labelled {
            for label in self.of(page.id, page.url, &site) {
                found.insert(label.id.clone());
                labels.push((page.page, label));
            }
        }
        if labels.is_empty() {
            return;
        }
        let report = template.teach(&labels, &sample.pages);
        let mut taught = self.taught.lock().unwrap_or_else(PoisonError::into_inner);
        taught.found.extend(found);
        taught.reports.insert(site, report);
    }

    /// Says what became of the labels, and writes it to `file`, one line for each site.
    pub fn finish(&self, file: Option<&Path>, report: &mut Report) -> Result<()> {
        let taught = self.taught.lock().unwrap_or_else(PoisonError::into_inner);
        for (site, of_site) in &taught.reports {
            describe(site, of_site, report);
        }
        for id in self.by_page.keys().filter(|id| !taught.found.contains(*id)) {
            report.failure(id, "labelled, but not in the input: its label was not used");
        }
        let Some(file) = file else { return Ok(()) };
        let mut sink = Sink::create(Some(file))?;
        for (site, report) in &taught.reports {
            let mut line = serde_json::to_vec(&SiteReport { site, report })?;
            line.push(b'\n');
            sink.write(&line)?;
        }
        sink.finish()
    }
}

/// Adds a label to the end of a file.
#[cfg(feature = "view")]
pub fn add(path: &Path, label: &Label) -> Result<()> {
    use std::io::Write;
    let mut line = serde_json::to_vec(label)?;
    line.push(b'\n');
    let file = std::fs::File::options().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(&line));
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// What became of the labels of a site: a line of the report.
#[derive(Serialize)]
struct SiteReport<'a> {
    site: &'a str,
    #[serde(flatten)]
    report: &'a TeachReport,
}

/// Says what became of the labels of a site.
fn describe(site: &str, taught: &TeachReport, report: &mut Report) {
    for kind in &taught.kinds {
        let mut line = format!("{}: labels of {} pages", kind.template, kind.pages);
        if let Some(coverage) = kind.coverage {
            line += &format!(" cover {:.0} % of the sampled pages", coverage * 100.0);
        }
        if let (Some(agreement), Some(default)) = (kind.agreement, kind.default_agreement) {
            line +=
                &format!("; they predict each other at {agreement:.3}, the default {default:.3}");
        }
        report.note(&line);
        for one in &kind.contradictions {
            let (content, template) = (one.content.join(", "), one.template.join(", "));
            report.note(&format!(
                "{}: {:?} is content on {content}, but template on {template}",
                kind.template, one.text
            ));
        }
    }
    for page in &taught.pages {
        if let Some(error) = &page.error {
            report.failure(&format!("{site}: label of {}", page.id), error);
        }
        if page.missing >= MUCH_MISSING {
            let missing = page.missing * 100.0;
            report.note(&format!("{}: {missing:.0} % of the wanted text is not on it", page.id));
        }
        if page.is_cut {
            report.note(&format!("{}: the wanted text stops before the page does", page.id));
        }
        for selector in &page.idle {
            report.note(&format!("{}: {selector:?} selects nothing", page.id));
        }
    }
}

/// This share of a text that is not on its page is worth a note.
const MUCH_MISSING: f64 = 0.1;
