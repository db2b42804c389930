//! The first reading: a template for every site.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek, SeekFrom, Write};

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use tempfile::SpooledTempFile;
use unmold::cluster::Clustering;
use unmold::methods::{ChunkCounter, ChunkFrequency};
use unmold::page::{Chunk, comparison_form};
use unmold::site::{Draw, Settings, sample_rank};
use unmold::{LearnError, Learned, Page, ParseOptions, Template, TemplateSet};
use xxhash_rust::xxh3::xxh3_64;

use crate::args::{InputArgs, MethodArgs, SampleSize};
use crate::cores::AllCores;
use crate::input::{Input, RawPage};
use crate::report::Report;
use crate::stream::{Telling, for_each_page};

/// Sampled pages are held in memory up to this size, then in a temporary file.
const SAMPLE_MEMORY: usize = 64 << 20;

/// Learns a template for each site that has enough pages.
pub fn learn(
    input: &Input,
    input_args: &InputArgs,
    method: &MethodArgs,
    telling: Telling,
    report: &mut Report,
) -> Result<TemplateSet> {
    let choice = method.choice();
    let settings = choice.settings();
    let watching = report.start("learning", input.total_bytes(), input.progress());
    let clustering = choice.clustering();
    let learned = match method.sample {
        SampleSize::Pages(number) => {
            let samples = draw(input, input_args, number, method.seed, telling, report)?;
            drop(watching);
            return samples.learn(&settings, clustering.as_ref(), report);
        }
        SampleSize::All if method.cluster => {
            bail!("clusters are found in a sample: give --sample a number, or leave --cluster out")
        }
        SampleSize::All => match &settings {
            Settings::ChunkFrequency(settings) => count(input, input_args, settings, telling, report),
            Settings::Alignment(_)
            | Settings::TreeMapping(_)
            | Settings::TreePattern(_)
            | Settings::Auto(_) => {
                bail!("only chunk-frequency can count a whole site: give --sample a number")
            }
        },
    };
    Ok(TemplateSet::new(learned?))
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
    report.detail(&format!("site {site}: template learned from {} pages", template.learned.pages()));
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
) -> Result<Vec<Template>> {
    struct Site {
        counter: ChunkCounter,
        /// Hashes of the texts seen: what copies of one page share is no template. I-Match would need the words of
        /// all pages at once; in a whole site exact copies are what matters.
        texts: BTreeSet<u64>,
    }
    let work = |raw: &RawPage| -> (u64, Vec<Chunk>) {
        let page = Page::parse_with(&raw.bytes, &input_args.parse_options(raw));
        let text = comparison_form(&page.joined_text(page.body())).into_owned();
        (xxh3_64(text.as_bytes()), page.chunks(settings.delimiters))
    };
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
    Ok(learned.collect())
}

/// A page of the sample, in the store.
struct Stored {
    offset: u64,
    length: usize,
    options: ParseOptions,
}

/// The sampled pages of every site.
struct Samples {
    sites: BTreeMap<String, Draw<Stored>>,
    store: SpooledTempFile,
}

/// Draws at most `number` pages of each site.
fn draw(
    input: &Input,
    input_args: &InputArgs,
    number: usize,
    seed: u64,
    telling: Telling,
    report: &mut Report,
) -> Result<Samples> {
    let mut samples = Samples { sites: BTreeMap::new(), store: SpooledTempFile::new(SAMPLE_MEMORY) };
    let mut end = 0;
    for_each_page(
        input,
        telling,
        report,
        |raw| sample_rank(&raw.bytes, seed),
        |raw, rank, _| {
            let Some(rank) = rank else { return Ok(()) };
            let options = input_args.parse_options(&raw);
            let site = samples.sites.entry(raw.site).or_insert_with(|| Draw::new(number));
            if !site.takes(rank, &raw.id) {
                return Ok(());
            }
            samples.store.write_all(&raw.bytes).context("cannot keep the sample in the temporary folder")?;
            site.insert(rank, &raw.id, Stored { offset: end, length: raw.bytes.len(), options });
            end += raw.bytes.len() as u64;
            Ok(())
        },
    )?;
    Ok(samples)
}

impl Samples {
    fn learn(
        mut self,
        settings: &Settings,
        clustering: Option<&Clustering>,
        report: &Report,
    ) -> Result<TemplateSet> {
        let mut sets = Vec::new();
        for (site, stored) in std::mem::take(&mut self.sites) {
            let raw: Vec<(Vec<u8>, ParseOptions)> =
                stored.into_pages().map(|stored| self.fetch(stored)).collect::<Result<_>>()?;
            let pages: Vec<Page> =
                raw.par_iter().map(|(bytes, options)| Page::parse_with(bytes, options)).collect();
            let pages: Vec<&Page> = pages.iter().collect();
            match settings.learn_site(&site, &pages, clustering, &AllCores) {
                Ok(learned) => {
                    learned.templates().iter().for_each(|template| describe(template, report));
                    sets.push(learned);
                }
                Err(error) => no_template(&site, &error, report),
            }
        }
        Ok(TemplateSet::union(sets))
    }

    fn fetch(&mut self, stored: Stored) -> Result<(Vec<u8>, ParseOptions)> {
        let mut bytes = vec![0; stored.length];
        self.store.seek(SeekFrom::Start(stored.offset))?;
        self.store.read_exact(&mut bytes).context("cannot read the sample back from the temporary folder")?;
        Ok((bytes, stored.options))
    }
}
