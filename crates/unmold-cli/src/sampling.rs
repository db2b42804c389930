//! Draws the sample of each site that templates are learned from.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use rayon::prelude::*;
use tempfile::SpooledTempFile;
use unmold::site::{SampleBudget, SampleKey, Sampler};
use unmold::{Page, ParseOptions};

use crate::input::{Input, RawPage};
use crate::report::Report;
use crate::stream::{Messages, ReadOptions, for_each_page};

/// Samples larger than this go to a temporary file.
const SAMPLE_MEMORY: usize = 64 << 20;
/// Sites with more bytes of sampled pages than this are not parsed together.
const GROUP_BYTES: usize = 64 << 20;
/// Bytes of sampled pages of a site that are read at a time.
const BATCH_BYTES: usize = 16 << 20;

/// How many pages of a site to learn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleSize {
    Pages(usize),
    All,
}

/// Location of a sampled page in the temporary file.
#[derive(Clone)]
struct StoredPage {
    id: String,
    url: Option<String>,
    offset: u64,
    length: usize,
    options: ParseOptions,
}

/// The sampled pages of all sites.
pub struct Samples {
    sites: BTreeMap<String, Sampler<StoredPage>>,
    /// Pages of each site that are labelled, in the order of the input.
    labelled: BTreeMap<String, Vec<StoredPage>>,
    store: SpooledTempFile,
}

/// Draws up to `number` pages of each site.
pub fn draw(
    input: &Input,
    read: &ReadOptions,
    number: usize,
    seed: u64,
    messages: Messages,
    report: &mut Report,
) -> Result<Samples> {
    draw_with(input, read, number, seed, |_| false, messages, report)
}

/// [`draw`], and all pages that are labelled.
pub fn draw_with(
    input: &Input,
    read: &ReadOptions,
    number: usize,
    seed: u64,
    is_labelled: impl Fn(&RawPage) -> bool,
    messages: Messages,
    report: &mut Report,
) -> Result<Samples> {
    let mut samples = Samples {
        sites: BTreeMap::new(),
        labelled: BTreeMap::new(),
        store: SpooledTempFile::new(SAMPLE_MEMORY),
    };
    let mut end = 0;
    let _progress = report.start("reading", input);
    for_each_page(
        input,
        messages,
        report,
        |raw| SampleKey::new(&raw.bytes, raw.url.as_deref().unwrap_or(&raw.id), seed),
        |raw, key, _| {
            let Some(key) = key else { return Ok(()) };
            let options = read.parse_options(&raw);
            let is_labelled = is_labelled(&raw);
            let RawPage { id, url, site: name, bytes, .. } = raw;
            let site = samples.sites.entry(name.clone()).or_insert_with(|| Sampler::new(number));
            let is_taken = site.takes(key, &id);
            if !is_taken && !is_labelled {
                return Ok(());
            }
            samples
                .store
                .write_all(&bytes)
                .context("cannot write the sample to the temporary folder")?;
            let page =
                StoredPage { id: id.clone(), url, offset: end, length: bytes.len(), options };
            if is_labelled {
                samples.labelled.entry(name).or_default().push(page.clone());
            }
            if is_taken {
                site.insert(key, &id, page);
            }
            end += bytes.len() as u64;
            Ok(())
        },
    )?;
    Ok(samples)
}

/// The sampled pages of one site.
pub struct SiteSample<'a> {
    pub pages: Vec<&'a Page>,
    /// The id of each page.
    pub ids: Vec<&'a str>,
    /// Labelled pages with their ids and addresses.
    pub labelled: Vec<LabelledPage<'a>>,
    /// Number of sampled pages that did not fit the budget.
    pub left_out: u32,
}

/// A labelled page.
pub struct LabelledPage<'a> {
    pub id: &'a str,
    pub url: Option<&'a str>,
    pub page: &'a Page,
}

impl<'a> LabelledPage<'a> {
    fn new((stored, page): &'a (StoredPage, Page)) -> LabelledPage<'a> {
        LabelledPage { id: &stored.id, url: stored.url.as_deref(), page }
    }
}

impl Samples {
    /// Number of sites.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Runs `work` on the pages of each site in parallel and passes the results to `take`, sorted
    /// by site name. The result is `None` if `work` panicked.
    ///
    /// Works on one group of sites at a time, at most one site per thread, to bound memory. The
    /// sites that are worked on at the same time share `max_bytes`, unless one needs it all.
    pub fn map_sites<T: Send>(
        self,
        max_bytes: usize,
        work: impl Fn(&str, &SiteSample) -> T + Sync,
        mut take: impl FnMut(String, Option<T>) -> Result<()>,
    ) -> Result<()> {
        let store = Mutex::new(self.store);
        let mut labelled = self.labelled;
        let sites = self.sites.into_iter().map(|(site, sampler)| {
            let labelled = labelled.remove(&site).unwrap_or_default();
            (site, sampler, labelled)
        });
        let mut sites = sites.peekable();
        while let Some(group) = next_group(&mut sites) {
            let parsed: Vec<(String, Result<Parsed>)> = group
                .into_par_iter()
                .map(|(site, sampler, labelled)| {
                    (site, parse(&store, sampler, labelled, max_bytes))
                })
                .collect();
            let mut parsed = parsed.into_iter().peekable();
            while let Some(wave) = next_wave(&mut parsed, max_bytes)? {
                let done: Vec<(String, Option<T>)> =
                    wave.into_par_iter().map(|(site, parsed)| run(&work, site, &parsed)).collect();
                done.into_iter().try_for_each(|(site, result)| take(site, result))?;
            }
        }
        Ok(())
    }
}

fn run<T>(
    work: impl Fn(&str, &SiteSample) -> T,
    site: String,
    parsed: &Parsed,
) -> (String, Option<T>) {
    let sample = SiteSample {
        pages: parsed.pages.iter().map(|(_, page)| page).collect(),
        ids: parsed.pages.iter().map(|(id, _)| id.as_str()).collect(),
        labelled: parsed.labelled.iter().map(LabelledPage::new).collect(),
        left_out: parsed.left_out,
    };
    let result = catch_unwind(AssertUnwindSafe(|| work(&site, &sample))).ok();
    (site, result)
}

/// The parsed sample of a site.
struct Parsed {
    pages: Vec<(String, Page)>,
    labelled: Vec<(StoredPage, Page)>,
    left_out: u32,
}

impl Parsed {
    fn estimated_bytes(&self) -> usize {
        self.pages.iter().map(|(_, page)| page.estimated_bytes()).sum()
    }
}

type SiteSampler = (String, Sampler<StoredPage>, Vec<StoredPage>);

/// The sites to parse together: at most one per thread, with at most [`GROUP_BYTES`] of pages.
fn next_group(
    sites: &mut std::iter::Peekable<impl Iterator<Item = SiteSampler>>,
) -> Option<Vec<SiteSampler>> {
    let bytes = |(_, sampler, _): &SiteSampler| sampler.held().map(|(_, page)| page.length).sum();
    take_within(sites, GROUP_BYTES, rayon::current_num_threads(), bytes)
}

/// The parsed sites to work on together: those whose pages fit into the budget.
fn next_wave(
    parsed: &mut std::iter::Peekable<impl Iterator<Item = (String, Result<Parsed>)>>,
    max_bytes: usize,
) -> Result<Option<Vec<(String, Parsed)>>> {
    let bytes =
        |(_, parsed): &(String, Result<Parsed>)| parsed.as_ref().map_or(0, Parsed::estimated_bytes);
    let wave = take_within(parsed, max_bytes, usize::MAX, bytes);
    wave.map(|wave| wave.into_iter().map(|(site, parsed)| Ok((site, parsed?))).collect())
        .transpose()
}

/// Takes items up to a number and a sum of sizes, but at least one; `None` if there is none.
fn take_within<I: Iterator>(
    items: &mut std::iter::Peekable<I>,
    max_bytes: usize,
    max_items: usize,
    size: impl Fn(&I::Item) -> usize,
) -> Option<Vec<I::Item>> {
    let mut taken = vec![items.next()?];
    let mut bytes = size(&taken[0]);
    while let Some(item) = items
        .next_if(|item| taken.len() < max_items && bytes.saturating_add(size(item)) <= max_bytes)
    {
        bytes += size(&item);
        taken.push(item);
    }
    Some(taken)
}

/// Reads and parses the sampled pages of a site, a few at a time, as far as they fit the budget.
fn parse(
    store: &Mutex<SpooledTempFile>,
    sampler: Sampler<StoredPage>,
    labelled: Vec<StoredPage>,
    max_bytes: usize,
) -> Result<Parsed> {
    let mut budget = SampleBudget::new(max_bytes);
    let mut pages = Vec::new();
    let mut stored = sampler.into_pages().peekable();
    while let Some(few) = take_within(&mut stored, BATCH_BYTES, usize::MAX, |page| page.length) {
        for (stored, page) in parse_few(store, few)? {
            pages.extend(budget.take([page]).into_iter().map(|page| (stored.id.clone(), page)));
        }
    }
    let labelled = parse_few(store, labelled)?;
    Ok(Parsed { pages, labelled, left_out: budget.left_out() })
}

fn parse_few(
    store: &Mutex<SpooledTempFile>,
    few: Vec<StoredPage>,
) -> Result<Vec<(StoredPage, Page)>> {
    let bytes: Vec<Vec<u8>> = {
        let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
        few.iter().map(|page| fetch(&mut store, page)).collect::<Result<_>>()?
    };
    let parsed: Vec<Page> = bytes
        .par_iter()
        .zip(&few)
        .map(|(bytes, page)| Page::parse_with(bytes, &page.options))
        .collect();
    Ok(few.into_iter().zip(parsed).collect())
}

fn fetch(store: &mut SpooledTempFile, page: &StoredPage) -> Result<Vec<u8>> {
    let mut bytes = vec![0; page.length];
    store
        .seek(SeekFrom::Start(page.offset))
        .and_then(|_| store.read_exact(&mut bytes))
        .context("cannot read the sample from the temporary folder")?;
    Ok(bytes)
}
