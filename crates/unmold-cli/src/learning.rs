//! Learns a template for every site: the first pass over the input.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Result, bail};
use unmold::methods::PageByPage;
use unmold::{KindTemplate, LearnError, Learned, Page, Settings, Template, TemplateSet};

use crate::cores::AllCores;
use crate::drift::describe_drift;
use crate::input::{Input, RawPage};
use crate::report::Report;
use crate::sampling::{SampleSize, draw};
use crate::stream::{Messages, ReadOptions, for_each_page};
use crate::templates::Templates;

/// What to learn from, and how.
#[derive(Debug)]
pub struct LearnOptions {
    pub settings: Settings,
    pub sample: SampleSize,
    /// Also learn the table of each kind of page.
    pub records: bool,
}

impl LearnOptions {
    /// Learns tables, too. Pages of one table share a layout, so they are clustered.
    pub fn with_records(mut self) -> LearnOptions {
        self.settings.cluster = self.settings.cluster.or(Some(true));
        LearnOptions { records: true, ..self }
    }

    fn learn_site(&self, site: &str, pages: &[&Page]) -> Result<Template, LearnError> {
        let mut template = self.settings.learn_site(site, pages, &AllCores)?;
        if self.records {
            template.learn_records(pages);
        }
        Ok(template)
    }
}

/// Learns a template for each site that has enough pages.
pub fn learn(
    input: &Input,
    read: &ReadOptions,
    options: &LearnOptions,
    messages: Messages,
    report: &mut Report,
) -> Result<TemplateSet> {
    report.learns();
    let LearnOptions { settings, sample, records } = options;
    let SampleSize::Pages(number) = *sample else {
        if *records {
            bail!("records need a sample: pass a number to --sample");
        }
        return learn_whole_sites(input, read, settings, messages, report);
    };
    let samples = draw(input, read, number, settings.seed, messages, report)?;
    let mut set = TemplateSet::new();
    let done = Arc::default();
    let _progress = report.start_sites("learning", samples.len(), &done);
    samples.map_sites(
        |site, pages| {
            let learned = options.learn_site(site, pages);
            done.fetch_add(1, Ordering::Relaxed);
            learned
        },
        |site, learned| {
            set.extend(template_or_note(&site, learned, report));
            Ok(())
        },
    )?;
    Ok(set)
}

/// Learns the sites that have no template yet, or whose pages no longer fit it.
///
/// Returns the templates to write: only the new ones for a store, all of them for a file. Returns
/// `None` if all templates still fit.
pub fn relearn(
    input: &Input,
    read: &ReadOptions,
    options: &LearnOptions,
    known: &Templates,
    report: &mut Report,
) -> Result<Option<TemplateSet>> {
    let LearnOptions { settings, sample, .. } = options;
    let SampleSize::Pages(number) = *sample else {
        bail!("--update needs a sample: pass a number to --sample");
    };
    let samples = draw(input, read, number, settings.seed, Messages::Show, report)?;
    let mut new = TemplateSet::new();
    samples.map_sites(
        |site, pages| {
            let template = known.for_site_of_any_model(site)?;
            let reason = match &template {
                None => None,
                Some(template) => match reason_to_relearn(template, pages) {
                    Some(reason) => Some(reason),
                    None => return Ok(None),
                },
            };
            let learned = options.learn_site(site, pages);
            Ok(Some((reason, learned)))
        },
        |site, outcome: Result<_>| {
            // Damaged templates may hold corrections: they are left for a person to remove.
            let Some((reason, learned)) = outcome.unwrap_or_else(|error| {
                report.failure(&site, &format!("{error:#}"));
                None
            }) else {
                return Ok(());
            };
            if let Some(reason) = reason {
                report.note(&format!("{reason}; learned again"));
            }
            new.extend(template_or_note(&site, learned, report));
            Ok(())
        },
    )?;
    if new.is_empty() {
        return Ok(None);
    }
    let mut all = match known {
        Templates::Set(set) => set.as_ref().clone(),
        Templates::Store(_) => TemplateSet::new(),
    };
    all.extend(new);
    Ok(Some(all))
}

/// Returns why a site's template must be learned again, or `None` if it still fits.
fn reason_to_relearn(template: &Template, pages: &[&Page]) -> Option<String> {
    if template.check_model().is_err() {
        return Some(format!("{}: learned with the model of another release", template.site()));
    }
    let fits = template.fits(pages);
    fits.iter().find_map(|(name, fit)| {
        let kind = template.kind(name)?;
        fit.has_drifted(kind).then(|| describe_drift(kind, fit))
    })
}

/// Returns the template, or prints why there is none.
fn template_or_note(
    site: &str,
    learned: Result<Template, LearnError>,
    report: &Report,
) -> Option<Template> {
    match learned {
        Ok(template) => {
            template.kinds().iter().for_each(|kind| describe(kind, report));
            Some(template)
        }
        Err(error) => {
            report.note(&format!("site {site}: {error}; its pages are written unchanged"));
            None
        }
    }
}

fn describe(kind: &KindTemplate, report: &Report) {
    let (name, learned) = (kind.name(), kind.learned());
    report.detail(&format!("site {name}: template learned from {} pages", learned.pages()));
    match kind.records() {
        Some(schema) if schema.is_empty() => {
            report.note(&format!("site {name}: no records: its pages have no values in common"));
        }
        Some(schema) => {
            report.detail(&format!("site {name}: {} columns", schema.columns().len()));
        }
        None => {}
    }
    if let Some(warning) = learned.warning() {
        report.note(&format!("site {name}: {warning}"));
    }
}

/// Learns from every page instead of a sample.
fn learn_whole_sites(
    input: &Input,
    read: &ReadOptions,
    settings: &Settings,
    messages: Messages,
    report: &mut Report,
) -> Result<TemplateSet> {
    if settings.cluster == Some(true) {
        bail!("--cluster needs a sample: pass a number to --sample, or drop --cluster");
    }
    let learner = || settings.page_by_page();
    if learner().is_none() {
        bail!("--method {} needs a sample: pass a number to --sample", settings.method);
    }
    let parse = |raw: &RawPage| read.parse(raw);
    let _progress = report.start("learning", input);
    let mut sites: BTreeMap<String, Box<dyn PageByPage<Learned>>> = BTreeMap::new();
    for_each_page(input, messages, report, parse, |raw, page, _| {
        if !sites.contains_key(&raw.site) {
            sites.extend(learner().map(|learner| (raw.site.clone(), learner)));
        }
        if let (Some(learner), Some(page)) = (sites.get_mut(&raw.site), page) {
            learner.add(&page);
        }
        Ok(())
    })?;
    let mut set = TemplateSet::new();
    for (site, learner) in sites {
        if let Some(history) = learner.history() {
            report.detail(&format!("site {site}: {history}"));
        }
        let learned = learner
            .finish()
            .map(|learned| Template::new(&site, KindTemplate::new(format!("{site}#1"), learned)));
        set.extend(template_or_note(&site, learned, report));
    }
    Ok(set)
}
