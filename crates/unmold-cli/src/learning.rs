//! The first pass over the input: a template for every site.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use unmold::methods::PageByPage;
use unmold::{KindTemplate, LearnError, Learned, Page, Template, TemplateSet};

use crate::args::{InputArgs, MethodArgs, SampleSize};
use crate::cores::AllCores;
use crate::drift::describe_drift;
use crate::input::{Input, RawPage};
use crate::report::Report;
use crate::sampling::draw;
use crate::stream::{Messages, for_each_page};
use crate::templates::Templates;

/// Learns a template for each site that has enough pages.
pub fn learn(
    input: &Input,
    input_args: &InputArgs,
    method: &MethodArgs,
    messages: Messages,
    report: &mut Report,
) -> Result<TemplateSet> {
    let settings = method.settings();
    let SampleSize::Pages(number) = method.sample else {
        return learn_whole_sites(input, input_args, method, messages, report);
    };
    let samples = draw(input, input_args, number, method.seed, messages, report)?;
    let mut set = TemplateSet::new();
    samples.map_sites(
        |site, pages| settings.learn_site(site, pages, &AllCores),
        |site, learned| {
            set.extend(template_or_note(&site, learned, report));
            Ok(())
        },
    )?;
    Ok(set)
}

/// Learns the sites that have no template yet, or whose pages no longer fit theirs. Returns what is
/// to be written: for a store the new templates, for a file all of them; `None` if all still fit.
pub fn relearn(
    input: &Input,
    input_args: &InputArgs,
    method: &MethodArgs,
    known: &Templates,
    report: &mut Report,
) -> Result<Option<TemplateSet>> {
    let SampleSize::Pages(number) = method.sample else {
        bail!("--update compares a sample with the templates: give --sample a number");
    };
    let settings = method.settings();
    let samples = draw(input, input_args, number, method.seed, Messages::Show, report)?;
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
            let learned = settings.learn_site(site, pages, &AllCores);
            Ok(Some((reason, learned)))
        },
        |site, outcome: Result<_>| {
            let Some((reason, learned)) = outcome? else { return Ok(()) };
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

/// Why the template of a site has to be learned again; `None` if it still fits.
fn reason_to_relearn(template: &Template, pages: &[&Page]) -> Option<String> {
    if let Err(error) = template.check_model() {
        return Some(format!("{}: {error}", template.site()));
    }
    let fits = template.fits(pages);
    fits.iter().find_map(|(name, fit)| {
        let kind = template.kind(name)?;
        fit.has_drifted(kind).then(|| describe_drift(kind, fit))
    })
}

/// The template of a site; notes why there is none.
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
            report.note(&format!("site {site}: {error}; its pages are passed through"));
            None
        }
    }
}

fn describe(kind: &KindTemplate, report: &Report) {
    let (name, learned) = (kind.name(), kind.learned());
    report.detail(&format!("site {name}: template learned from {} pages", learned.pages()));
    if let Some(warning) = learned.warning() {
        report.note(&format!("site {name}: {warning}"));
    }
}

/// Learns from every page of the input instead of a sample.
fn learn_whole_sites(
    input: &Input,
    input_args: &InputArgs,
    method: &MethodArgs,
    messages: Messages,
    report: &mut Report,
) -> Result<TemplateSet> {
    if method.cluster {
        bail!("clusters are found in a sample: give --sample a number, or leave --cluster out");
    }
    let settings = method.settings();
    let learner = || settings.page_by_page();
    if learner().is_none() {
        bail!("{} learns from a sample: give --sample a number", settings.method);
    }
    let parse = |raw: &RawPage| Page::parse_with(&raw.bytes, &input_args.parse_options(raw));
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
