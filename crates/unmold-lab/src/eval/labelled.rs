//! Reads labelled sites into memory.

use std::sync::OnceLock;

use anyhow::{Context, Result};
use rayon::prelude::*;
use unmold::Page;

use super::gold_template::GoldTemplate;
use super::truth::Truth;
use crate::data::{DataSet, Gold, PageFile, SiteFiles};

/// A site whose pages are labelled.
#[derive(Debug)]
pub struct LabelledSite {
    /// Its name.
    pub name: String,
    /// Labels and pages.
    pub pages: Vec<(Gold, Page)>,
    /// Size of all its pages in bytes.
    pub bytes: usize,
    /// What each page is scored against, computed on first use.
    truths: Vec<OnceLock<Truth>>,
    /// The template that the labels give, computed on first use.
    template: OnceLock<GoldTemplate>,
}

impl LabelledSite {
    /// Reads and parses all sites of the set.
    ///
    /// # Errors
    /// A page cannot be read.
    pub fn read_all(set: &DataSet, keep_hidden: bool) -> Result<Vec<LabelledSite>> {
        set.sites.iter().map(|site| LabelledSite::read(site, keep_hidden)).collect()
    }

    /// Reads and parses all pages of the site.
    pub fn read(site: &SiteFiles, keep_hidden: bool) -> Result<LabelledSite> {
        let read: Vec<(Gold, Page, usize)> = site
            .pages
            .par_iter()
            .map(|page| read_page(&site.name, page, keep_hidden))
            .collect::<Result<_>>()?;
        let bytes = read.iter().map(|(_, _, bytes)| bytes).sum();
        let pages = read.into_iter().map(|(gold, page, _)| (gold, page)).collect();
        Ok(LabelledSite::of(&site.name, pages, bytes))
    }

    /// A site of these pages.
    pub fn of(name: &str, pages: Vec<(Gold, Page)>, bytes: usize) -> LabelledSite {
        let truths = pages.iter().map(|_| OnceLock::new()).collect();
        LabelledSite { name: name.to_owned(), pages, bytes, truths, template: OnceLock::new() }
    }

    /// What the page at this position is scored against.
    pub fn truth(&self, at: usize) -> &Truth {
        let (gold, page) = &self.pages[at];
        self.truths[at].get_or_init(|| Truth::of(gold, page))
    }

    /// The template that the labels give.
    pub fn template(&self) -> &GoldTemplate {
        self.template.get_or_init(|| GoldTemplate::of(self))
    }

    /// Whether the content of any page is labelled.
    pub fn has_content(&self) -> bool {
        self.pages.iter().any(|(gold, _)| gold.content.is_some())
    }
}

fn read_page(site: &str, file: &PageFile, keep_hidden: bool) -> Result<(Gold, Page, usize)> {
    let bytes = file.read().with_context(|| format!("cannot read {}", file.path.display()))?;
    // Pages link to each other by relative paths. With an address, a link resolves to the same
    // target from every page.
    let url = Some(format!("http://{site}.invalid/{}", file.gold.file));
    let options = unmold::ParseOptions::default().with_keep_hidden(keep_hidden).with_url(url);
    Ok((file.gold.clone(), Page::parse_with(&bytes, &options), bytes.len()))
}
