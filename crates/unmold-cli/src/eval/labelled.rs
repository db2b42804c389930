//! Labelled sites in memory.

use anyhow::{Context, Result};
use rayon::prelude::*;
use unmold::{Limits, Page};
pub use unmold_lab::data::Gold;
use unmold_lab::data::{PageFile, SiteFiles};

/// A site whose pages are labelled.
#[derive(Debug)]
pub struct LabelledSite {
    /// Its name.
    pub name: String,
    /// Each label with its page.
    pub pages: Vec<(Gold, Page)>,
    /// Bytes of all its pages.
    pub bytes: usize,
}

impl LabelledSite {
    /// Reads and parses all pages of the site.
    pub fn read(site: &SiteFiles, keep_hidden: bool) -> Result<LabelledSite> {
        let read: Vec<(Gold, Page, usize)> = site
            .pages
            .par_iter()
            .map(|page| read_page(&site.name, page, keep_hidden))
            .collect::<Result<_>>()?;
        let bytes = read.iter().map(|(_, _, bytes)| bytes).sum();
        let pages = read.into_iter().map(|(gold, page, _)| (gold, page)).collect();
        Ok(LabelledSite { name: site.name.clone(), pages, bytes })
    }
}

fn read_page(site: &str, file: &PageFile, keep_hidden: bool) -> Result<(Gold, Page, usize)> {
    let bytes = file.read().with_context(|| format!("cannot read {}", file.path.display()))?;
    // Pages link to each other by relative paths: with an address these lead to the same place from every page.
    let url = Some(format!("http://{site}.invalid/{}", file.gold.file));
    let options = unmold::ParseOptions { limits: Limits::default(), keep_hidden, url, ..Default::default() };
    Ok((file.gold.clone(), Page::parse_with(&bytes, &options), bytes.len()))
}
