//! Finds runs of text that occur on many pages of a site.
//!
//! Paper: *table text chunk document frequency* (`docs/methods/chunk-frequency.md`). A page is cut
//! into chunks at delimiter tags; a chunk on more than θ pages is template.
//!
//! time: linear in the text, for learning and for marking. space: one counter per distinct chunk.
//! If the threshold is a share, rare chunks are dropped beyond a thousand pages (lossy counting),
//! so memory does not grow with the site. If it is a number of pages, a rare chunk may be template,
//! so counts are exact, and a whole site (`--sample all`) takes the words and chunks of all its
//! pages.
//!
//! Departures, all measured with `unmold-lab eval` (`docs/methods/chunk-frequency.md`):
//!
//! - Every tag is a delimiter, because pages are no longer laid out with tables.
//! - The threshold is a share of the pages, because an absolute number means something different on
//!   every site.
//! - A chunk on few pages must usually come with the same neighbour, because a menu entry does and
//!   a value in a data table does not.
//! - A long chunk needs more evidence, because a syndicated article is content.
//!
//! Thresholds: four pages is the paper's. The values of `Default` are ours;
//! `docs/methods/chunk-frequency.md` scores the alternatives.

use std::collections::BTreeSet;
use std::hash::Hash;
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use unmold_html::hash::{KeyedMap, KeyedSet};
use xxhash_rust::xxh3::xxh3_64;

use super::{LearnError, LearnedTemplate, Method, PageByPage, Part, Sample};
use crate::dedup::{self, IMatch};
use crate::marks::{Marks, Source};
use crate::page::{Chunk, Delimiters, Gap, Page, comparison_form, words};

/// The number of pages that content may occur on: a chunk on more pages is template.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Threshold {
    /// This many pages.
    Pages(u32),
    /// This share of the pages, rounded up, at least one page.
    Share(f64),
}

impl Threshold {
    /// The threshold as a number of pages, out of `pages`.
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
    /// How many pages content may occur on.
    pub threshold: Threshold,
    /// Lower bound of the threshold in pages, itself limited to three pages in ten: what only a few
    /// pages of a site share may be a title quoted by its neighbours.
    pub min_threshold: u32,
    /// The neighbours that a chunk above the threshold needs; `None` means it needs none.
    pub company: Option<Company>,
    /// Chunks of more words than this are template only on more than [`ChunkFrequency::long_share`]
    /// of the pages.
    pub long_words: usize,
    /// The share of the pages that a chunk of more than [`ChunkFrequency::long_words`] words must
    /// exceed.
    pub long_share: f64,
}

/// Evidence from neighbours: parts of a template occur together, values of data fields alternate.
///
/// `Make: Ford` and `Make: Fiat` have the same neighbour `Make:`, which is therefore evidence for
/// neither. The entries of a menu that only some pages have always occur together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Company {
    /// A chunk on more than this share of the pages is template whatever its neighbours are.
    pub not_needed_above: f64,
    /// A neighbour supports a chunk if the two are adjacent on this share of the neighbour's pages
    /// and on half of the chunk's.
    pub share: f64,
}

impl Default for ChunkFrequency {
    fn default() -> ChunkFrequency {
        ChunkFrequency {
            delimiters: Delimiters::Texts,
            threshold: Threshold::Share(0.1),
            min_threshold: 4,
            company: Some(Company { not_needed_above: 0.7, share: 0.8 }),
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
            min_threshold: 0,
            company: None,
            long_words: usize::MAX,
            long_share: 1.0,
        }
    }

    /// Whether a few pages more or less decide about a chunk, however many pages there are.
    fn is_exact(&self) -> bool {
        matches!(self.threshold, Threshold::Pages(_))
    }

    /// A counter for pages that arrive one at a time.
    pub fn counter(&self) -> ChunkCounter {
        ChunkCounter {
            settings: self.clone(),
            pages: 0,
            exact: self.is_exact(),
            chunks: Counts::default(),
            neighbours: Counts::default(),
            keys: KeyedMap::default(),
        }
    }
}

impl Method for ChunkFrequency {
    type Template = ChunkTemplate;

    fn learn(&self, sample: &Sample) -> Result<ChunkTemplate, LearnError> {
        let mut counter = self.counter();
        for page in sample.pages() {
            counter.add(&page.chunks(self.delimiters));
        }
        counter.finish()
    }

    fn page_by_page(&self) -> Option<Box<dyn PageByPage<ChunkTemplate>>> {
        let site = WholeSite { counter: self.counter(), texts: BTreeSet::new(), pages: None };
        let pages = self.is_exact().then(KnownPages::default);
        Some(Box::new(WholeSite { pages, ..site }))
    }
}

/// Counts the chunks of a whole site, page by page. Duplicates are skipped, because what copies of
/// one page share is not template.
struct WholeSite {
    counter: ChunkCounter,
    /// Hashes of the texts so far.
    texts: BTreeSet<u64>,
    /// The pages, if counts are exact: I-Match needs the words of all pages before the first page
    /// is counted. Otherwise only pages with the same text are duplicates.
    pages: Option<KnownPages>,
}

impl PageByPage<ChunkTemplate> for WholeSite {
    fn add(&mut self, page: &Page) {
        let text = comparison_form(&page.joined_text(page.body())).into_owned();
        if !self.texts.insert(xxh3_64(text.as_bytes())) {
            return;
        }
        let chunks = page.chunks(self.counter.delimiters());
        match &mut self.pages {
            Some(pages) => pages.add(&text, &chunks),
            None => self.counter.add(&chunks),
        }
    }

    fn finish(self: Box<Self>) -> Result<ChunkTemplate, LearnError> {
        let WholeSite { mut counter, pages, .. } = *self;
        for page in pages.iter().flat_map(KnownPages::originals) {
            counter.count(page.iter().map(|&(hash, ref key)| (hash, key.as_ref())));
        }
        counter.finish()
    }
}

/// What has to be known of each page to remove duplicates by I-Match and to count the others.
/// Equal words and equal chunks are stored once.
#[derive(Default)]
struct KnownPages {
    words: BTreeSet<Rc<str>>,
    keys: KeyedMap<u64, Rc<str>>,
    pages: Vec<KnownPage>,
}

#[derive(Default)]
struct KnownPage {
    words: Vec<Rc<str>>,
    chunks: Vec<(u64, Rc<str>)>,
}

impl KnownPages {
    fn add(&mut self, text: &str, chunks: &[Chunk]) {
        let mut page = KnownPage::default();
        let mut distinct: Vec<&str> = words(text).collect();
        distinct.sort_unstable();
        distinct.dedup();
        for word in distinct {
            let known = self.words.get(word).cloned().unwrap_or_else(|| word.into());
            self.words.insert(known.clone());
            page.words.push(known);
        }
        for (hash, key) in keys(chunks) {
            let known = self.keys.entry(hash).or_insert_with(|| key.into());
            page.chunks.push((hash, known.clone()));
        }
        self.pages.push(page);
    }

    /// The chunks of each page that is not a copy of an earlier one.
    fn originals(&self) -> impl Iterator<Item = &[(u64, Rc<str>)]> {
        let all = self.pages.iter().map(|page| page.words.iter().map(Rc::as_ref).collect());
        let documents: Vec<Vec<&str>> = all.collect();
        let originals = dedup::originals_of_words(&documents, &IMatch::default());
        originals.into_iter().map(|page| self.pages[page].chunks.as_slice())
    }
}

/// The chunks that have words, with their hashes.
fn keys(chunks: &[Chunk]) -> impl Iterator<Item = (u64, &str)> {
    let with_words = chunks.iter().filter(|chunk| !chunk.key.is_empty());
    with_words.map(|chunk| (xxh3_64(chunk.key.as_bytes()), chunk.key.as_str()))
}

/// Decides about chunks of punctuation, which have no words to look up. They are template if a
/// neighbour on the same line is, like the brackets of `[edit]`, or if both neighbours are, like
/// the bars between menu entries.
fn follow_neighbours(page: &Page, chunks: &[Chunk], numbers: &mut [Option<u32>]) {
    for index in 0..chunks.len() {
        if !chunks[index].key.is_empty() {
            continue;
        }
        let before = index.checked_sub(1).and_then(|before| numbers[before]);
        let after = (index + 1..chunks.len()).find(|&after| !chunks[after].key.is_empty());
        let (after, gap_after) = match after {
            Some(after) => (numbers[after], page.gap(chunks[after].nodes.start)),
            None => (None, Gap::Line),
        };
        let gap_before = page.gap(chunks[index].nodes.start);
        let beside = |neighbour: Option<u32>, gap: Gap| neighbour.filter(|_| gap != Gap::Line);
        numbers[index] =
            beside(before, gap_before).or(beside(after, gap_after)).or(before.and(after));
    }
}

/// Counts the pages of each chunk and of each pair of neighbouring chunks.
#[derive(Clone, Debug)]
pub struct ChunkCounter {
    settings: ChunkFrequency,
    pages: u32,
    /// Whether rare chunks are kept.
    exact: bool,
    chunks: Counts<u64>,
    neighbours: Counts<(u64, u64)>,
    /// The words of chunks on at least two pages. Most chunks are content on a single page and
    /// would fill the memory.
    keys: KeyedMap<u64, Box<str>>,
}

impl ChunkCounter {
    /// Counts one page.
    pub fn add(&mut self, chunks: &[Chunk]) {
        self.count(keys(chunks));
    }

    /// Counts one page, given as its chunks with words and their hashes.
    fn count<'a>(&mut self, chunks: impl Iterator<Item = (u64, &'a str)>) {
        let chunks: Vec<(u64, &str)> = chunks.collect();
        let mut seen: KeyedSet<u64> = KeyedSet::default();
        for &(hash, key) in &chunks {
            if seen.insert(hash) && self.chunks.add(hash, self.pages) == 2 {
                self.keys.insert(hash, key.into());
            }
        }
        let mut seen: KeyedSet<(u64, u64)> = KeyedSet::default();
        for pair in chunks.windows(2).map(|pair| (pair[0].0, pair[1].0)) {
            if seen.insert(pair) {
                self.neighbours.add(pair, self.pages);
            }
        }
        self.pages += 1;
        if !self.exact && self.chunks.drop_rare(self.pages) {
            self.neighbours.drop_rare(self.pages);
            self.keys.retain(|hash, _| self.chunks.get(*hash) > 0);
        }
    }

    /// Where to cut the pages passed to [`ChunkCounter::add`].
    pub fn delimiters(&self) -> Delimiters {
        self.settings.delimiters
    }

    /// The template shared by the counted pages.
    ///
    /// # Errors
    /// Fewer than two pages were counted.
    pub fn finish(self) -> Result<ChunkTemplate, LearnError> {
        if self.pages < 2 {
            return Err(LearnError::NotEnoughPages { found: self.pages as usize });
        }
        let judge = self.judge();
        let mut chunks: Vec<TemplateChunk> = self
            .keys
            .into_iter()
            .filter(|&(hash, ref key)| judge.is_template(hash, key, self.chunks.get(hash)))
            .map(|(hash, key)| TemplateChunk { text: key.into(), pages: self.chunks.get(hash) })
            .collect();
        chunks.sort_unstable_by(|a, b| a.text.cmp(&b.text));
        let threshold = judge.threshold;
        let stored = StoredChunks {
            delimiters: self.settings.delimiters,
            pages: self.pages,
            threshold,
            chunks,
        };
        Ok(ChunkTemplate::from(stored))
    }

    fn judge(&self) -> Judge {
        let settings = &self.settings;
        let min_threshold = settings.min_threshold.min(Threshold::Share(0.3).pages(self.pages));
        let share = |share: f64| (share * f64::from(self.pages)) as u32;
        let threshold = settings.threshold.pages(self.pages).max(min_threshold);
        Judge {
            threshold,
            alone: settings.company.map_or(threshold, |company| share(company.not_needed_above)),
            accompanied: settings
                .company
                .map_or_else(KeyedSet::default, |company| self.accompanied(company.share)),
            long: share(settings.long_share),
            long_words: settings.long_words,
        }
    }

    /// The chunks that a neighbour supports.
    fn accompanied(&self, share: f64) -> KeyedSet<u64> {
        let supports = |together: u32, neighbour: u32, chunk: u32| {
            f64::from(together) >= share * f64::from(neighbour) && together * 2 >= chunk
        };
        let mut accompanied = KeyedSet::default();
        for (&(first, second), together) in self.neighbours.iter() {
            let (first_pages, second_pages) = (self.chunks.get(first), self.chunks.get(second));
            if supports(together, first_pages, second_pages) {
                accompanied.insert(second);
            }
            if supports(together, second_pages, first_pages) {
                accompanied.insert(first);
            }
        }
        accompanied
    }
}

/// Decides which chunks are template.
struct Judge {
    threshold: u32,
    /// A chunk on more pages than this needs no neighbour.
    alone: u32,
    accompanied: KeyedSet<u64>,
    /// A long chunk must be on more pages than this.
    long: u32,
    long_words: usize,
}

impl Judge {
    fn is_template(&self, hash: u64, key: &str, pages: u32) -> bool {
        pages > self.threshold
            && (pages > self.alone || self.accompanied.contains(&hash))
            && (pages > self.long || key.split(' ').count() <= self.long_words)
    }
}

/// The number of pages of each key. Rare keys can be dropped (lossy counting), so that memory does
/// not grow with the number of pages. Up to a thousand pages every count is exact; beyond that, no
/// count is too small by more than one page in a thousand, and a key with a smaller count may be
/// missing.
#[derive(Clone, Debug)]
struct Counts<K>(KeyedMap<K, Count>);

#[derive(Clone, Copy, Debug)]
struct Count {
    pages: u32,
    /// Upper bound of the pages that were dropped before this count began.
    dropped: u32,
}

const PAGES_BETWEEN_DROPS: u32 = 1000;

impl<K> Default for Counts<K> {
    fn default() -> Counts<K> {
        Counts(KeyedMap::default())
    }
}

impl<K: Hash + Eq + Copy> Counts<K> {
    /// Counts a page after `pages` others; returns the number of pages of `key` so far.
    fn add(&mut self, key: K, pages: u32) -> u32 {
        let dropped = pages / PAGES_BETWEEN_DROPS;
        let count = self.0.entry(key).or_insert(Count { pages: 0, dropped });
        count.pages += 1;
        count.pages
    }

    /// Drops rare keys once every [`PAGES_BETWEEN_DROPS`] pages; returns whether it did.
    fn drop_rare(&mut self, pages: u32) -> bool {
        let due = pages.is_multiple_of(PAGES_BETWEEN_DROPS);
        if due {
            self.0.retain(|_, count| count.pages + count.dropped > pages / PAGES_BETWEEN_DROPS);
        }
        due
    }

    fn get(&self, key: K) -> u32 {
        self.0.get(&key).map_or(0, |count| count.pages)
    }

    fn iter(&self) -> impl Iterator<Item = (&K, u32)> {
        self.0.iter().map(|(key, count)| (key, count.pages))
    }
}

/// A chunk of the template.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TemplateChunk {
    /// Its words.
    pub text: String,
    /// Number of pages it occurs on.
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
    numbers: KeyedMap<u64, u32>,
}

/// A chunk template as stored in the template file.
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
        let numbers = chunks
            .iter()
            .zip(0..)
            .map(|(chunk, number)| (xxh3_64(chunk.text.as_bytes()), number))
            .collect();
        ChunkTemplate { delimiters, pages: pages.max(1), threshold, chunks, numbers }
    }
}

impl From<ChunkTemplate> for StoredChunks {
    fn from(template: ChunkTemplate) -> StoredChunks {
        let ChunkTemplate { delimiters, pages, threshold, chunks, .. } = template;
        StoredChunks { delimiters, pages, threshold, chunks }
    }
}

impl LearnedTemplate for ChunkTemplate {
    fn mark(&self, page: &Page) -> Marks {
        let mut marks = Marks::with_threshold(page, self.share(self.threshold + 1));
        let chunks = page.chunks(self.delimiters);
        let mut numbers: Vec<Option<u32>> =
            chunks.iter().map(|chunk| self.find(&chunk.key)).collect();
        let found: KeyedSet<u32> = numbers.iter().flatten().copied().collect();
        if self.delimiters == Delimiters::Texts {
            follow_neighbours(page, &chunks, &mut numbers);
        }
        for (chunk, number) in chunks.into_iter().zip(numbers) {
            let Some(number) = number else { continue };
            let value = self.share(self.chunks[number as usize].pages);
            for id in chunk.nodes.filter(|&id| page.is_text(id)) {
                marks.set(id, value, Some(Source::Part(number)));
            }
        }
        marks.lift_to_elements(page);
        marks.set_template_match(self.share_found(&found));
        marks
    }

    fn pages(&self) -> u32 {
        self.pages
    }

    fn parts(&self) -> Vec<Part> {
        let part = |(number, chunk): (u32, &TemplateChunk)| {
            Part::new(Some(number), chunk.text.clone(), chunk.pages, self.pages)
        };
        (0..).zip(&self.chunks).map(part).collect()
    }

    fn describe(&self, part: u32) -> Option<String> {
        let TemplateChunk { text, pages } = self.chunks.get(part as usize)?;
        Some(format!("chunk on {pages} of {} pages: {text}", self.pages))
    }

    fn text(&self) -> String {
        self.chunks.iter().map(|chunk| chunk.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The chunks, most common first.
    fn show(&self) -> String {
        let (pages, threshold) = (self.pages, self.threshold);
        let mut out = format!("learned from {pages} pages, template on more than {threshold}\n");
        let mut parts = self.parts();
        parts.sort_by(|a, b| b.pages.cmp(&a.pages).then_with(|| a.label.cmp(&b.label)));
        parts.iter().for_each(|part| out.push_str(&part.line()));
        out
    }

    fn warning(&self) -> Option<String> {
        let (threshold, pages) = (self.threshold, self.pages);
        (threshold >= pages).then(|| {
            format!("nothing is on more than {threshold} of {pages} pages: lower --threshold")
        })
    }
}

impl ChunkTemplate {
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
        self.numbers
            .get(&xxh3_64(key.as_bytes()))
            .copied()
            .filter(|&n| self.chunks[n as usize].text == key)
    }

    fn share(&self, pages: u32) -> f32 {
        pages as f32 / self.pages as f32
    }

    /// The share of the template that is on a page. Chunks are weighted by the square of the pages
    /// they occur on: a missing banner does not suggest a redesign if only half of the pages have
    /// it anyway.
    fn share_found(&self, found: &KeyedSet<u32>) -> f32 {
        let weight = |chunk: &TemplateChunk| u64::from(chunk.pages).pow(2);
        let all: u64 = self.chunks.iter().map(weight).sum();
        let here: u64 = (0..)
            .zip(&self.chunks)
            .filter(|(n, _)| found.contains(n))
            .map(|(_, c)| weight(c))
            .sum();
        if all == 0 { 1.0 } else { here as f32 / all as f32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{NodeId, NodeRange};

    fn page(html: &str) -> Page {
        Page::parse(html.as_bytes(), &Default::default())
    }

    #[test]
    fn a_share_of_0_3_gives_the_papers_4_of_13_pages() {
        for (pages, expected) in [(2, 1), (3, 1), (10, 3), (13, 4), (100, 30)] {
            assert_eq!(Threshold::Share(0.3).pages(pages), expected);
        }
    }

    #[test]
    fn dropping_rare_chunks_keeps_common_ones_and_bounds_memory() {
        let chunk = |key: &str| Chunk { nodes: NodeRange::of(NodeId::ROOT), key: key.to_owned() };
        let mut counter = ChunkFrequency::default().counter();
        for number in 0..10_000 {
            let mut chunks = vec![chunk("menu"), chunk(&format!("unique {number}"))];
            if number % 5 != 0 {
                chunks.push(chunk("banner"));
            }
            counter.add(&chunks);
        }
        assert!(counter.chunks.0.len() < 2_000, "{} counts", counter.chunks.0.len());
        assert!(counter.neighbours.0.len() < 4_000, "{} pairs", counter.neighbours.0.len());
        let template = counter.finish().unwrap();
        let found: Vec<(&str, u32)> =
            template.chunks().iter().map(|c| (c.text.as_str(), c.pages)).collect();
        assert_eq!(found, [("banner", 8_000), ("menu", 10_000)]);
    }

    /// The guarantee of lossy counting, with one page in a thousand: see [`Counts`].
    #[test]
    fn counts_are_too_small_by_at_most_one_page_in_a_thousand() {
        let pages = 10_000;
        let mut counts: Counts<u32> = Counts::default();
        // Key k is on k pages of every thousand; key 10 + k likewise, but from page 5000 on.
        for page in 0..pages {
            let place = page % PAGES_BETWEEN_DROPS;
            for key in (1..=4).filter(|&key| place < key) {
                counts.add(key, page);
                if page >= 5000 {
                    counts.add(10 + key, page);
                }
            }
            counts.drop_rare(page + 1);
        }
        for key in 1..=4 {
            for (key, true_count) in [(key, 10 * key), (10 + key, 5 * key)] {
                let count = counts.get(key);
                assert!(count <= true_count && count + 10 >= true_count, "{key}: {count}");
            }
        }
        // What is on two pages of a thousand is never dropped, what is on one always is.
        assert_eq!([2, 3, 4].map(|key| counts.get(key)), [20, 30, 40]);
        assert_eq!([12, 13, 14].map(|key| counts.get(key)), [10, 15, 20]);
        assert_eq!([1, 11].map(|key| counts.get(key)), [0, 0]);
    }

    #[test]
    fn field_values_are_content_and_an_occasional_menu_is_template() {
        let pages: Vec<Page> = (0..10)
            .map(|n| {
                let make = if n % 2 == 0 { "Ford" } else { "Fiat" };
                let menu = if n < 4 { "<ul><li>New cars<li>Used cars</ul>" } else { "" };
                page(&format!(
                    "{menu}<h1>Offer {n}</h1><table><tr><td>Make:<td>{make}<tr><td>Doors:<td>{n}</table>"
                ))
            })
            .collect();
        let template = ChunkFrequency::default().learn(&Sample::new(&pages)).unwrap();
        let texts: Vec<&str> = template.chunks().iter().map(|chunk| chunk.text.as_str()).collect();
        assert_eq!(texts, ["doors", "make", "new cars", "used cars"]);
    }

    #[test]
    fn one_page_has_no_template() {
        let page = page("<p>alone</p>");
        let error = ChunkFrequency::default().learn(&Sample::new([&page])).unwrap_err();
        assert_eq!(error, LearnError::NotEnoughPages { found: 1 });
    }

    #[test]
    fn punctuation_follows_its_neighbours() {
        let pages: Vec<Page> = (0..6)
            .map(|n| {
                let menu = "<p><a>Home</a> | <a>Shop</a></p>";
                page(&format!(
                    "{menu}<h2>Part {n} <i>[</i><a>edit</a><i>]</i></h2><p><b>a{n}</b>, <b>b{n}</b></p>"
                ))
            })
            .collect();
        let template = ChunkFrequency::default().learn(&Sample::new(&pages)).unwrap();
        let stripped = crate::strip(&pages[0], &template.mark(&pages[0])).text();
        assert_eq!(stripped, "Part 0\na0, b0");
    }

    #[test]
    fn a_long_chunk_needs_more_evidence() {
        let article = "word ".repeat(101);
        let pages: Vec<Page> = (0..10)
            .map(|n| {
                page(&format!(
                    "<div>menu</div><div>page {n}</div><div>{}</div>",
                    if n < 5 { &article } else { "" }
                ))
            })
            .collect();
        let template = ChunkFrequency::default().learn(&Sample::new(&pages)).unwrap();
        let texts: Vec<&str> = template.chunks().iter().map(|chunk| chunk.text.as_str()).collect();
        assert_eq!(texts, ["menu"]);
    }
}
