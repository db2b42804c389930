//! Learns a template for every site: the first pass over the input.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Result, bail};
use unmold::methods::PageByPage;
use unmold::{KindTemplate, LearnError, Learned, Settings, Template, TemplateSet};

use crate::cores::AllCores;
use crate::drift::describe_drift;
use crate::input::{Input, RawPage};
use crate::labels::Labels;
use crate::report::Report;
use crate::sampling::{SampleSize, Samples, SiteSample, draw_with};
use crate::stream::{Messages, ReadOptions, for_each_page};
use crate::templates::Templates;

/// What to learn from, and how.
#[derive(Debug)]
pub struct LearnOptions {
    pub settings: Settings,
    pub sample: SampleSize,
    /// Memory for the sampled pages of a site, see [`SampleBudget`](unmold::site::SampleBudget).
    pub max_sample_bytes: usize,
    /// Also learn the table of each kind of page.
    pub records: bool,
    /// Labels of some pages.
    pub labels: Option<Labels>,
}

impl LearnOptions {
    /// Learns tables, too. Pages of one table share a layout, so they are clustered.
    pub fn with_records(mut self) -> LearnOptions {
        self.settings.cluster = self.settings.cluster.or(Some(true));
        LearnOptions { records: true, ..self }
    }

    /// Learns from labels, too.
    pub fn with_labels(self, labels: Labels) -> LearnOptions {
        LearnOptions { labels: Some(labels), ..self }
    }

    /// Draws the sample of each site, and the labelled pages.
    fn draw(
        &self,
        input: &Input,
        read: &ReadOptions,
        number: usize,
        messages: Messages,
        report: &mut Report,
    ) -> Result<Samples> {
        let is_labelled =
            |page: &RawPage| self.labels.as_ref().is_some_and(|labels| labels.has(page));
        draw_with(input, read, number, self.settings.seed, is_labelled, messages, report)
    }

    /// Learns the template of a site.
    pub fn learn_site(&self, site: &str, sample: &SiteSample) -> Result<Template, LearnError> {
        let mut template = self.settings.learn_site(site, &sample.pages, &AllCores)?;
        if let Some(labels) = &self.labels {
            labels.teach(&mut template, sample);
        }
        if self.records {
            template.learn_records(&sample.pages);
        }
        Ok(template.with_pages_over_budget(sample.left_out))
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
    let LearnOptions { settings, sample, max_sample_bytes, records, labels } = options;
    let SampleSize::Pages(number) = *sample else {
        if *records {
            bail!("records need a sample: pass a number to --sample");
        }
        if labels.is_some() {
            bail!("labels need a sample: pass a number to --sample");
        }
        return learn_whole_sites(input, read, settings, messages, report);
    };
    let samples = options.draw(input, read, number, messages, report)?;
    let mut set = TemplateSet::new();
    let done = Arc::default();
    let _progress = report.start_sites("learning", samples.len(), &done);
    samples.map_sites(
        *max_sample_bytes,
        |site, sample| {
            let learned = options.learn_site(site, sample);
            done.fetch_add(1, Ordering::Relaxed);
            learned
        },
        |site, learned| {
            if let Some(learned) = learned_or_failure(&site, learned, report) {
                set.extend(template_or_note(&site, learned, report));
            }
            Ok(())
        },
    )?;
    Ok(set)
}

/// Learns the sites that have no template yet, or whose pages no longer fit it.
///
/// Returns the new templates, or `None` if all templates still fit.
pub fn relearn(
    input: &Input,
    read: &ReadOptions,
    options: &LearnOptions,
    known: &Templates,
    report: &mut Report,
) -> Result<Option<TemplateSet>> {
    let LearnOptions { sample, max_sample_bytes, .. } = options;
    let SampleSize::Pages(number) = *sample else {
        bail!("--update needs a sample: pass a number to --sample");
    };
    let samples = options.draw(input, read, number, Messages::Show, report)?;
    let mut new = TemplateSet::new();
    samples.map_sites(
        *max_sample_bytes,
        |site, sample| {
            let template = known.for_site_of_any_model(site)?;
            let reason = match &template {
                None => None,
                Some(template) => match reason_to_relearn(template, sample) {
                    Some(reason) => Some(reason),
                    None => return Ok(None),
                },
            };
            let learned = options.learn_site(site, sample);
            Ok(Some((reason, learned)))
        },
        |site, outcome: Option<Result<_>>| {
            let Some(outcome) = learned_or_failure(&site, outcome, report) else { return Ok(()) };
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
    Ok((!new.is_empty()).then_some(new))
}

/// Returns the outcome of work on a site; reports the site if the work panicked.
fn learned_or_failure<T>(site: &str, outcome: Option<T>, report: &mut Report) -> Option<T> {
    if outcome.is_none() {
        report.failure(site, "internal error while learning: please report this site");
    }
    outcome
}

/// Returns why a site's template must be learned again, or `None` if it still fits.
fn reason_to_relearn(template: &Template, sample: &SiteSample) -> Option<String> {
    if template.check_model().is_err() {
        return Some(format!("{}: learned with the model of another release", template.site()));
    }
    if !sample.labelled.is_empty() {
        let number = sample.labelled.len();
        return Some(format!("{}: {number} of its pages are labelled", template.site()));
    }
    let fits = template.fits(&sample.pages);
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
            if template.pages_over_budget() > 0 {
                report.note(&format!(
                    "site {site}: its sample needs too much memory, {} of its pages were left out: \
                     raise --max-sample-bytes",
                    template.pages_over_budget()
                ));
            }
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
