//! The first reading: a template for every site.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use unmold::cluster::Clustering;
use unmold::methods::{ChunkCounter, ChunkFrequency, TreeLearner};
use unmold::page::{Chunk, comparison_form};
use unmold::site::{Settings, fits};
use unmold::{LearnError, Learned, Page, Template, TemplateSet, TreeMapping};
use xxhash_rust::xxh3::xxh3_64;

use crate::args::{InputArgs, MethodArgs, SampleSize};
use crate::cores::AllCores;
use crate::drift::describe_drift;
use crate::input::{Input, RawPage};
use crate::report::Report;
use crate::sampling::draw;
use crate::stream::{Telling, for_each_page};
use crate::templates::Templates;

/// Learns a template for each site that has enough pages.
pub fn learn(
    input: &Input,
    input_args: &InputArgs,
    method: &MethodArgs,
    telling: Telling,
    report: &mut Report,
) -> Result<TemplateSet> {
    let choice = method.choice();
    let learning = Learning { settings: choice.settings(), clustering: choice.clustering() };
    match (method.sample, &learning.settings) {
        (SampleSize::Pages(number), _) => {
            let samples = draw(input, input_args, number, method.seed, telling, report)?;
            let mut sets = Vec::new();
            samples.for_each_site(|site, pages| {
                sets.extend(learning.learn_or_say(site, pages, report));
                Ok(())
            })?;
            Ok(TemplateSet::union(sets))
        }
        (SampleSize::All, _) if method.cluster => {
            bail!("clusters are found in a sample: give --sample a number, or leave --cluster out")
        }
        (SampleSize::All, Settings::ChunkFrequency(settings)) => {
            count(input, input_args, settings, telling, report)
        }
        (SampleSize::All, Settings::TreeMapping(settings)) => {
            grow(input, input_args, settings, telling, report)
        }
        (SampleSize::All, _) => bail!(
            "only chunk-frequency and tree-mapping can read a whole site page by page: give --sample a number"
        ),
    }
}

/// Learns the templates of the sites that have none among those known, or whose pages no longer fit
/// theirs. What is to be written: of a store, what is new; of a file, all of it. `None` if nothing
/// is new.
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
    let choice = method.choice();
    let learning = Learning { settings: choice.settings(), clustering: choice.clustering() };
    let samples = draw(input, input_args, number, method.seed, Telling::Yes, report)?;
    let mut new: BTreeMap<String, TemplateSet> = BTreeMap::new();
    samples.for_each_site(|site, pages| {
        let templates = match known.for_site(site) {
            Ok(templates) => templates,
            // Damaged templates may hold corrections: they are left for a person to remove.
            Err(error) => {
                report.failure(site, &format!("{error:#}"));
                return Ok(());
            }
        };
        if !still_fits(&templates, site, pages, report)
            && let Some(set) = learning.learn_or_say(site, pages, report)
        {
            new.insert(site.to_owned(), set.with_overrides_of(&templates));
        }
        Ok(())
    })?;
    if new.is_empty() {
        return Ok(None);
    }
    let mut all = match known {
        Templates::Set(set) => set.as_ref().clone().by_site(),
        Templates::Store(_) => BTreeMap::new(),
    };
    all.extend(new);
    Ok(Some(TemplateSet::union(all.into_values())))
}

/// Whether the site has templates, and its pages fit them.
fn still_fits(templates: &TemplateSet, site: &str, pages: &[&Page], report: &Report) -> bool {
    let fits = fits(templates, site, pages);
    let drifted = fits.iter().find_map(|(name, fit)| {
        let template = templates.templates().iter().find(|template| template.name == *name)?;
        fit.has_drifted(template).then_some((template, fit))
    });
    if let Some((template, fit)) = drifted {
        report.note(&format!("{}; learned anew", describe_drift(template, fit)));
    }
    !fits.is_empty() && drifted.is_none()
}

/// A method with its settings, and how pages are clustered before it.
struct Learning {
    settings: Settings,
    clustering: Option<Clustering>,
}

impl Learning {
    /// The templates of a site; says why there are none.
    fn learn_or_say(&self, site: &str, pages: &[&Page], report: &Report) -> Option<TemplateSet> {
        match self.settings.learn_site(site, pages, self.clustering.as_ref(), &AllCores) {
            Ok(set) => {
                set.templates().iter().for_each(|template| describe(template, report));
                Some(set)
            }
            Err(error) => {
                no_template(site, &error, report);
                None
            }
        }
    }
}

/// Names the template, or says why there is none.
fn template(site: &str, learned: Result<Learned, LearnError>, report: &Report) -> Option<Template> {
    match learned {
        Ok(learned) => {
            let template = Template::new(format!("{site}#1"), site, learned);
            describe(&template, report);
            Some(template)
        }
        Err(error) => {
            no_template(site, &error, report);
            None
        }
    }
}

fn no_template(site: &str, error: &LearnError, report: &Report) {
    report.note(&format!("site {site}: {error}; its pages are passed through"));
}

fn describe(template: &Template, report: &Report) {
    let site = template.name.as_str();
    report
        .detail(&format!("site {site}: template learned from {} pages", template.learned.pages()));
    if let Learned::ChunkFrequency(chunks) = &template.learned
        && chunks.threshold() >= chunks.pages()
    {
        let (threshold, pages) = (chunks.threshold(), chunks.pages());
        report.note(&format!(
            "site {site}: nothing is on more than {threshold} of {pages} pages: lower --threshold"
        ));
    }
}

/// Counts the chunks of every page of the input, page by page.
fn count(
    input: &Input,
    input_args: &InputArgs,
    settings: &ChunkFrequency,
    telling: Telling,
    report: &mut Report,
) -> Result<TemplateSet> {
    struct Site {
        counter: ChunkCounter,
        /// Hashes of the texts seen: what copies of one page share is no template. I-Match would
        /// need the words of all pages at once; in a whole site exact copies are what matters.
        texts: BTreeSet<u64>,
    }
    let work = |raw: &RawPage| -> (u64, Vec<Chunk>) {
        let page = Page::parse_with(&raw.bytes, &input_args.parse_options(raw));
        let text = comparison_form(&page.joined_text(page.body())).into_owned();
        (xxh3_64(text.as_bytes()), page.chunks(settings.delimiters))
    };
    let _watching = report.start("learning", input);
    let mut sites: BTreeMap<String, Site> = BTreeMap::new();
    for_each_page(input, telling, report, work, |raw, counted, _| {
        let site = sites
            .entry(raw.site)
            .or_insert_with(|| Site { counter: settings.counter(), texts: BTreeSet::new() });
        if let Some((text, chunks)) = counted
            && site.texts.insert(text)
        {
            site.counter.add(&chunks);
        }
        Ok(())
    })?;
    let learned = sites.into_iter().filter_map(|(name, site)| {
        template(&name, site.counter.finish().map(Learned::ChunkFrequency), report)
    });
    Ok(TemplateSet::new(learned))
}

/// Gives the pages to tree mapping as they come, until it has seen enough of each site; `-v` shows
/// how the template grew and shrank.
fn grow(
    input: &Input,
    input_args: &InputArgs,
    settings: &TreeMapping,
    telling: Telling,
    report: &mut Report,
) -> Result<TemplateSet> {
    let work = |raw: &RawPage| Page::parse_with(&raw.bytes, &input_args.parse_options(raw));
    let _watching = report.start("learning", input);
    let mut sites: BTreeMap<String, TreeLearner> = BTreeMap::new();
    for_each_page(input, telling, report, work, |raw, page, _| {
        let learner = sites.entry(raw.site).or_insert_with(|| settings.learner());
        if let Some(page) = page {
            learner.add(&page);
        }
        Ok(())
    })?;
    let learned = sites.into_iter().filter_map(|(name, learner)| {
        let sizes: Vec<String> = learner
            .trace()
            .iter()
            .map(|size| size.map_or("foreign".to_owned(), |size| size.to_string()))
            .collect();
        report.detail(&format!(
            "site {name}: nodes of the template after each page: {}",
            sizes.join(" ")
        ));
        template(&name, learner.finish().map(Learned::TreeMapping), report)
    });
    Ok(TemplateSet::new(learned))
}
