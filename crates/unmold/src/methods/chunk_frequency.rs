//! Finds: runs of text that stand on many pages of a site.
//!
//! Paper: *table text chunk document frequency* (`docs/methods/chunk-frequency.md`). A page is cut into chunks at
//! delimiter tags; a chunk on more than θ pages is template.
//!
//! time: linear in the text, for learning and for marking. space: one counter per distinct chunk; for sites of more
//! than a thousand pages the rare ones are forgotten (lossy counting), so memory does not grow with the site.
//!
//! Departures: θ is a share of the pages, because an absolute number means another thing on every site (13 pages
//! give the paper's 4); delimiters go beyond `table` and `map`, because nobody lays pages out with tables any more;
//! a long chunk needs more evidence, because an agency's article on two pages in five is content.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{LearnError, Method, Sample};
use crate::marks::Marks;
use crate::page::{Delimiters, Page};

/// On how many pages a chunk may stand and still be content.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Threshold {
    /// This many pages: a chunk on more of them is template.
    Pages(u32),
    /// This share of the pages, rounded up, at least one page.
    Share(f64),
}

impl Threshold {
    /// The number of pages that is still content, among `pages`.
    fn pages(self, pages: u32) -> u32 {
        match self {
            Threshold::Pages(number) => number,
            Threshold::Share(share) => ((share * f64::from(pages)).ceil() as u32).max(1),
        }
    }
}

/// Settings of the method.
#[derive(Clone, PartialEq, Debug)]
pub struct ChunkFrequency {
    /// Where the text is cut.
    pub delimiters: Delimiters,
    /// How common content may be.
    pub threshold: Threshold,
    /// Chunks of more words than this are template only on more than [`ChunkFrequency::long_share`] of the pages.
    pub long_words: usize,
    /// See [`ChunkFrequency::long_words`].
    pub long_share: f64,
}

impl Default for ChunkFrequency {
    fn default() -> ChunkFrequency {
        ChunkFrequency {
            delimiters: Delimiters::Extended,
            threshold: Threshold::Share(0.3),
            long_words: 100,
            long_share: 0.8,
        }
    }
}

impl ChunkFrequency {
    /// The paper's values: cut at `table` and `map`, template on more than four pages.
    pub fn paper() -> ChunkFrequency {
        ChunkFrequency {
            delimiters: Delimiters::Paper,
            threshold: Threshold::Pages(4),
            long_words: usize::MAX,
            long_share: 1.0,
        }
    }

    /// Begins to count, for pages that come one by one.
    pub fn counter(&self) -> ChunkCounter {
        ChunkCounter { settings: self.clone(), pages: 0, counts: FxHashMap::default() }
    }
}

impl Method for ChunkFrequency {
    type Template = ChunkTemplate;

    fn learn(&self, sample: &Sample) -> Result<ChunkTemplate, LearnError> {
        let mut counter = self.counter();
        for page in sample.pages() {
            counter.add(&page.chunks(self.delimiters).into_iter().map(|chunk| chunk.key).collect::<Vec<_>>());
        }
        counter.finish()
    }

    fn mark(template: &ChunkTemplate, page: &Page) -> Marks {
        let mut marks = Marks::with_threshold(page, template.share(template.threshold + 1));
        let mut found: FxHashSet<u32> = FxHashSet::default();
        for chunk in page.chunks(template.delimiters) {
            let Some(number) = template.find(&chunk.key) else { continue };
            found.insert(number);
            let value = template.share(template.chunks[number as usize].pages);
            for id in chunk.nodes.filter(|&id| page.is_text(id)) {
                marks.set(id, value, Some(number));
            }
        }
        marks.lift_to_elements(page);
        marks.set_template_match(template.share_found(&found));
        marks
    }
}

/// Counts on how many pages each chunk stands.
#[derive(Clone, Debug)]
pub struct ChunkCounter {
    settings: ChunkFrequency,
    pages: u32,
    counts: FxHashMap<u64, Count>,
}

#[derive(Clone, Debug)]
struct Count {
    pages: u32,
    /// Most pages that may have been forgotten before this count began.
    forgotten: u32,
    /// Kept from the second page on: most chunks are content, stand on one page, and would fill the memory.
    key: Option<Box<str>>,
}

/// Rare chunks are forgotten once in so many pages; no count is too small by more than one page in so many.
const PAGES_BETWEEN_FORGETTING: u32 = 1000;

impl ChunkCounter {
    /// Counts one page by the [keys](crate::page::Chunk::key) of its chunks.
    pub fn add(&mut self, keys: &[String]) {
        let mut seen: FxHashSet<u64> = FxHashSet::default();
        let forgotten = self.pages / PAGES_BETWEEN_FORGETTING;
        for key in keys.iter().filter(|key| !key.is_empty()) {
            let hash = xxh3_64(key.as_bytes());
            if !seen.insert(hash) {
                continue;
            }
            let count = self.counts.entry(hash).or_insert(Count { pages: 0, forgotten, key: None });
            count.pages += 1;
            if count.pages == 2 {
                count.key = Some(key.as_str().into());
            }
        }
        self.pages += 1;
        if self.pages.is_multiple_of(PAGES_BETWEEN_FORGETTING) {
            let bucket = self.pages / PAGES_BETWEEN_FORGETTING;
            self.counts.retain(|_, count| count.pages + count.forgotten > bucket);
        }
    }

    /// Where the pages are to be cut.
    pub fn delimiters(&self) -> Delimiters {
        self.settings.delimiters
    }

    /// The template shared by the pages counted.
    ///
    /// # Errors
    /// Fewer than two pages share nothing.
    pub fn finish(self) -> Result<ChunkTemplate, LearnError> {
        if self.pages < 2 {
            return Err(LearnError::NotEnoughPages { found: self.pages as usize });
        }
        let threshold = self.settings.threshold.pages(self.pages);
        let long_threshold = (self.settings.long_share * f64::from(self.pages)) as u32;
        let mut chunks: Vec<TemplateChunk> = self
            .counts
            .into_values()
            .filter_map(|count| Some(TemplateChunk { text: count.key?.into(), pages: count.pages }))
            .filter(|chunk| {
                let long = chunk.text.split(' ').count() > self.settings.long_words;
                chunk.pages > if long { threshold.max(long_threshold) } else { threshold }
            })
            .collect();
        chunks.sort_unstable_by(|a, b| a.text.cmp(&b.text));
        let stored =
            StoredChunks { delimiters: self.settings.delimiters, pages: self.pages, threshold, chunks };
        Ok(ChunkTemplate::from(stored))
    }
}

/// A chunk of the template.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TemplateChunk {
    /// Its words.
    pub text: String,
    /// Pages it stands on.
    pub pages: u32,
}

/// The chunks that a site's pages share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "StoredChunks", into = "StoredChunks")]
pub struct ChunkTemplate {
    delimiters: Delimiters,
    pages: u32,
    threshold: u32,
    chunks: Vec<TemplateChunk>,
    numbers: FxHashMap<u64, u32>,
}

/// What the template file holds.
#[derive(Serialize, Deserialize)]
struct StoredChunks {
    delimiters: Delimiters,
    /// Pages learned from.
    pages: u32,
    /// A chunk on more pages than this is template.
    threshold: u32,
    chunks: Vec<TemplateChunk>,
}

impl From<StoredChunks> for ChunkTemplate {
    fn from(stored: StoredChunks) -> ChunkTemplate {
        let StoredChunks { delimiters, pages, threshold, chunks } = stored;
        let numbers = chunks.iter().zip(0..).map(|(chunk, number)| (xxh3_64(chunk.text.as_bytes()), number)).collect();
        ChunkTemplate { delimiters, pages: pages.max(1), threshold, chunks, numbers }
    }
}

impl From<ChunkTemplate> for StoredChunks {
    fn from(template: ChunkTemplate) -> StoredChunks {
        let ChunkTemplate { delimiters, pages, threshold, chunks, .. } = template;
        StoredChunks { delimiters, pages, threshold, chunks }
    }
}

impl ChunkTemplate {
    /// Number of pages it was learned from.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// A chunk on more pages than this is template.
    pub fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Where pages are cut.
    pub fn delimiters(&self) -> Delimiters {
        self.delimiters
    }

    /// The chunks, sorted by their text.
    pub fn chunks(&self) -> &[TemplateChunk] {
        &self.chunks
    }

    fn find(&self, key: &str) -> Option<u32> {
        self.numbers.get(&xxh3_64(key.as_bytes())).copied().filter(|&n| self.chunks[n as usize].text == key)
    }

    fn share(&self, pages: u32) -> f32 {
        pages as f32 / self.pages as f32
    }

    /// How much of the template is on a page: chunks count by the pages they stand on, since a banner that half of
    /// the pages have is no sign of a redesign when it is missing.
    fn share_found(&self, found: &FxHashSet<u32>) -> f32 {
        let weight = |chunk: &TemplateChunk| u64::from(chunk.pages).pow(2);
        let all: u64 = self.chunks.iter().map(weight).sum();
        let here: u64 = (0..).zip(&self.chunks).filter(|(n, _)| found.contains(n)).map(|(_, c)| weight(c)).sum();
        if all == 0 { 1.0 } else { here as f32 / all as f32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> Page {
        Page::parse(html.as_bytes(), &Default::default())
    }

    #[test]
    fn threshold_by_share_gives_the_papers_four_of_thirteen() {
        for (pages, expected) in [(2, 1), (3, 1), (10, 3), (13, 4), (100, 30)] {
            assert_eq!(Threshold::Share(0.3).pages(pages), expected);
        }
    }

    #[test]
    fn forgetting_keeps_every_common_chunk_and_bounds_the_rest() {
        let mut counter = ChunkFrequency::default().counter();
        for number in 0..10_000 {
            let mut keys = vec!["menu".to_owned(), format!("unique {number}")];
            if number % 2 == 0 {
                keys.push("banner".to_owned());
            }
            counter.add(&keys);
        }
        assert!(counter.counts.len() < 2_000, "{} counts", counter.counts.len());
        let template = counter.finish().unwrap();
        let found: Vec<(&str, u32)> = template.chunks().iter().map(|c| (c.text.as_str(), c.pages)).collect();
        assert_eq!(found, [("banner", 5_000), ("menu", 10_000)]);
    }

    #[test]
    fn one_page_has_no_template() {
        let page = page("<p>alone</p>");
        let error = ChunkFrequency::default().learn(&Sample::new([&page])).unwrap_err();
        assert_eq!(error, LearnError::NotEnoughPages { found: 1 });
    }

    #[test]
    fn a_long_chunk_needs_more_evidence() {
        let article = "word ".repeat(101);
        let pages: Vec<Page> = (0..10)
            .map(|n| page(&format!("<div>menu</div><div>page {n}</div><div>{}</div>", if n < 5 { &article } else { "" })))
            .collect();
        let template = ChunkFrequency::default().learn(&Sample::new(&pages)).unwrap();
        let texts: Vec<&str> = template.chunks().iter().map(|chunk| chunk.text.as_str()).collect();
        assert_eq!(texts, ["menu"]);
    }
}
