//! Which pages are learned from? A sample of each site, held until all of the input was seen.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom, Write};

use anyhow::{Context, Result};
use rayon::prelude::*;
use tempfile::SpooledTempFile;
use unmold::site::{Draw, Lot};
use unmold::{Page, ParseOptions};

use crate::args::InputArgs;
use crate::input::Input;
use crate::report::Report;
use crate::stream::{Telling, for_each_page};

/// Sampled pages are held in memory up to this size, then in a temporary file.
const SAMPLE_MEMORY: usize = 64 << 20;

/// A page of the sample, in the store.
struct Stored {
    offset: u64,
    length: usize,
    options: ParseOptions,
}

/// The sampled pages of every site.
pub struct Samples {
    sites: BTreeMap<String, Draw<Stored>>,
    store: SpooledTempFile,
}

/// Draws at most `number` pages of each site.
pub fn draw(
    input: &Input,
    input_args: &InputArgs,
    number: usize,
    seed: u64,
    telling: Telling,
    report: &mut Report,
) -> Result<Samples> {
    let mut samples =
        Samples { sites: BTreeMap::new(), store: SpooledTempFile::new(SAMPLE_MEMORY) };
    let mut end = 0;
    let _watching = report.start("learning", input);
    for_each_page(
        input,
        telling,
        report,
        |raw| Lot::new(&raw.bytes, raw.url.as_deref().unwrap_or(&raw.id), seed),
        |raw, lot, _| {
            let Some(lot) = lot else { return Ok(()) };
            let options = input_args.parse_options(&raw);
            let site = samples.sites.entry(raw.site).or_insert_with(|| Draw::new(number));
            if !site.takes(lot, &raw.id) {
                return Ok(());
            }
            samples
                .store
                .write_all(&raw.bytes)
                .context("cannot keep the sample in the temporary folder")?;
            site.insert(lot, &raw.id, Stored { offset: end, length: raw.bytes.len(), options });
            end += raw.bytes.len() as u64;
            Ok(())
        },
    )?;
    Ok(samples)
}

impl Samples {
    /// The pages of each site, site by site, in the order of their names.
    pub fn for_each_site(
        mut self,
        mut take: impl FnMut(&str, &[&Page]) -> Result<()>,
    ) -> Result<()> {
        for (site, stored) in std::mem::take(&mut self.sites) {
            let raw: Vec<(Vec<u8>, ParseOptions)> =
                stored.into_pages().map(|stored| self.fetch(stored)).collect::<Result<_>>()?;
            let pages: Vec<Page> =
                raw.par_iter().map(|(bytes, options)| Page::parse_with(bytes, options)).collect();
            take(&site, &pages.iter().collect::<Vec<_>>())?;
        }
        Ok(())
    }

    fn fetch(&mut self, stored: Stored) -> Result<(Vec<u8>, ParseOptions)> {
        let mut bytes = vec![0; stored.length];
        self.store.seek(SeekFrom::Start(stored.offset))?;
        self.store
            .read_exact(&mut bytes)
            .context("cannot read the sample back from the temporary folder")?;
        Ok((bytes, stored.options))
    }
}
