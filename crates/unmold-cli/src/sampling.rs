//! Draws the sample of each site that templates are learned from.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use rayon::prelude::*;
use tempfile::SpooledTempFile;
use unmold::site::{SampleKey, Sampler};
use unmold::{Page, ParseOptions};

use crate::input::Input;
use crate::report::Report;
use crate::stream::{Messages, ReadOptions, for_each_page};

/// Samples larger than this go to a temporary file.
const SAMPLE_MEMORY: usize = 64 << 20;

/// How many pages of a site to learn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleSize {
    Pages(usize),
    All,
}

/// Location of a sampled page in the temporary file.
struct StoredPage {
    offset: u64,
    length: usize,
    options: ParseOptions,
}

/// The sampled pages of all sites.
pub struct Samples {
    sites: BTreeMap<String, Sampler<StoredPage>>,
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
    let mut samples =
        Samples { sites: BTreeMap::new(), store: SpooledTempFile::new(SAMPLE_MEMORY) };
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
            let site = samples.sites.entry(raw.site).or_insert_with(|| Sampler::new(number));
            if !site.takes(key, &raw.id) {
                return Ok(());
            }
            samples
                .store
                .write_all(&raw.bytes)
                .context("cannot write the sample to the temporary folder")?;
            site.insert(key, &raw.id, StoredPage { offset: end, length: raw.bytes.len(), options });
            end += raw.bytes.len() as u64;
            Ok(())
        },
    )?;
    Ok(samples)
}

impl Samples {
    /// Number of sites.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Runs `work` on the pages of each site in parallel and passes the results to `take`, sorted
    /// by site name.
    ///
    /// Works on one group of sites at a time, one site per thread, to bound memory.
    pub fn map_sites<T: Send>(
        self,
        work: impl Fn(&str, &[&Page]) -> T + Sync,
        mut take: impl FnMut(String, T) -> Result<()>,
    ) -> Result<()> {
        let store = Mutex::new(self.store);
        let mut sites = self.sites.into_iter().peekable();
        while sites.peek().is_some() {
            let group: Vec<_> = sites.by_ref().take(rayon::current_num_threads()).collect();
            let done: Vec<(String, Result<T>)> = group
                .into_par_iter()
                .map(|(site, sampler)| {
                    let pages = parse(&store, sampler);
                    let result = pages.map(|pages| work(&site, &pages.iter().collect::<Vec<_>>()));
                    (site, result)
                })
                .collect();
            for (site, result) in done {
                take(site, result?)?;
            }
        }
        Ok(())
    }
}

/// Reads and parses the sampled pages of a site.
fn parse(store: &Mutex<SpooledTempFile>, sampler: Sampler<StoredPage>) -> Result<Vec<Page>> {
    let raw: Vec<(Vec<u8>, ParseOptions)> = {
        let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
        sampler.into_pages().map(|page| fetch(&mut store, page)).collect::<Result<_>>()?
    };
    Ok(raw.par_iter().map(|(bytes, options)| Page::parse_with(bytes, options)).collect())
}

fn fetch(store: &mut SpooledTempFile, page: StoredPage) -> Result<(Vec<u8>, ParseOptions)> {
    let mut bytes = vec![0; page.length];
    store
        .seek(SeekFrom::Start(page.offset))
        .and_then(|_| store.read_exact(&mut bytes))
        .context("cannot read the sample from the temporary folder")?;
    Ok((bytes, page.options))
}
