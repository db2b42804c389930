//! Exports features of labelled blocks, to fit the weights of the default (`tools/fit`).

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::Serialize;
use unmold::Page;
use unmold::page::words;
use unmold::pipeline;

use super::labelled::LabelledSite;
use super::score::Draw;
use super::truth::sequence;
use crate::data::Gold;

/// A page of the table. Its blocks are the next `blocks` rows.
#[derive(Serialize)]
struct PageEntry<'a> {
    set: &'a str,
    site: &'a str,
    kind: &'a str,
    /// Number of pages learned from; `None` for all.
    sample: Option<usize>,
    file: &'a str,
    host: Option<&'a str>,
    /// The page is learned and judged on its own.
    single: bool,
    /// Words of the gold content; `None` when only values are labelled.
    gold: Option<usize>,
    blocks: usize,
}

/// Writes features to `FILE` as rows of 32-bit floats, the words of short blocks to `FILE.words`,
/// and the pages they belong to to `FILE.json`.
pub struct Export {
    rows: std::io::BufWriter<std::fs::File>,
    words: std::io::BufWriter<std::fs::File>,
    pages: Vec<serde_json::Value>,
    path: std::path::PathBuf,
}

impl Export {
    /// Creates the file of features.
    pub fn create(path: &Path) -> Result<Export> {
        let create = |path: &Path| {
            std::fs::File::create(path)
                .map(std::io::BufWriter::new)
                .with_context(|| format!("cannot write {}", path.display()))
        };
        let rows = create(path)?;
        let words = create(&path.with_added_extension("words"))?;
        Ok(Export { rows, words, pages: Vec::new(), path: path.to_owned() })
    }

    /// Adds pages of a site with templates learned from all of its pages, and from a sample of each
    /// of `sizes`.
    pub fn add(
        &mut self,
        set: &str,
        site: &LabelledSite,
        sizes: &[usize],
        by_type: bool,
    ) -> Result<()> {
        let mut labels: HashMap<&str, Vec<[f32; 2]>> = HashMap::new();
        let is_single = site.pages.iter().all(|(gold, _)| gold.single);
        let sizes = if is_single { &[] } else { sizes };
        let sizes = std::iter::once(None).chain(sizes.iter().copied().map(Some));
        for size in sizes {
            // The model in the repository was fitted on samples drawn by chance.
            let draw = Draw {
                sample: size,
                seed: Some(size.unwrap_or(0) as u64),
                by_chance: true,
                by_type,
            };
            let limit = if size.is_none() { PAGES_OF_A_TYPE } else { PAGES_OF_A_TYPE / 4 };
            for group in draw.groups(site) {
                let (sample, first) = draw.split(group.len());
                let sampled: Vec<&Page> = group[..sample].iter().map(|(_, page)| page).collect();
                let scored = first_of_each_type(&group[first..], limit);
                let pages: Vec<&Page> = scored.iter().map(|(_, page)| page).collect();
                let tables = pipeline::tables(&sampled, &pages);
                let unknown: Vec<_> = scored
                    .par_iter()
                    .zip(&tables)
                    .filter(|((gold, _), _)| !labels.contains_key(gold.file.as_str()))
                    .map(|((gold, page), table)| (gold.file.as_str(), label(gold, page, table)))
                    .collect();
                labels.extend(unknown);
                for ((gold, _), table) in scored.iter().zip(&tables) {
                    self.add_page(set, &site.name, size, gold, table, &labels[gold.file.as_str()])?;
                }
            }
        }
        Ok(())
    }

    fn add_page(
        &mut self,
        set: &str,
        site: &str,
        sample: Option<usize>,
        gold: &Gold,
        table: &pipeline::Table,
        labels: &[[f32; 2]],
    ) -> Result<()> {
        let width = pipeline::feature_names().len();
        for (at, [label, tokens]) in labels.iter().enumerate() {
            let row = &table.rows[at * width..(at + 1) * width];
            let halves = |path: u64| [(path >> 44) as f32, (path >> 24 & 0xf_ffff) as f32];
            let [path, outer] = table.places[at].map(halves);
            for value in [[*label, *tokens], path, outer].as_flattened().iter().chain(row) {
                self.rows.write_all(&value.to_le_bytes())?;
            }
            let (words, heading) = table.words[at];
            for value in words.iter().chain(std::iter::once(&heading)) {
                self.words.write_all(&value.to_le_bytes())?;
            }
        }
        let entry = PageEntry {
            set,
            site,
            kind: gold.kind.as_deref().unwrap_or(""),
            file: &gold.file,
            host: gold.host.as_deref(),
            single: gold.single,
            sample,
            gold: gold.content.as_deref().map(|text| words(text).count()),
            blocks: labels.len(),
        };
        self.pages.push(serde_json::to_value(entry)?);
        Ok(())
    }

    /// Flushes the features and writes the list of pages.
    pub fn finish(mut self) -> Result<()> {
        self.rows.flush()?;
        self.words.flush()?;
        let mut names = vec!["label", "tokens", "path high", "path low", "outer high", "outer low"];
        names.extend(pipeline::feature_names());
        let head = serde_json::json!({ "names": names, "pages": self.pages });
        let path = self.path.with_added_extension("json");
        std::fs::write(&path, head.to_string()).context("cannot write the list of pages")
    }
}

/// Maximum number of pages of a type: enough to fit on, and half of the time goes into comparing
/// pages with their labels.
const PAGES_OF_A_TYPE: usize = 16;

/// The first `limit` pages of each type.
fn first_of_each_type<'a>(pages: &[&'a (Gold, Page)], limit: usize) -> Vec<&'a (Gold, Page)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut taken = pages.to_vec();
    taken.retain(|(gold, _)| {
        let count = counts.entry(gold.kind.as_deref().unwrap_or("")).or_default();
        *count += 1;
        *count <= limit
    });
    taken
}

/// For each block, the share of its words that are content (-1 if unknown) and its number of words.
fn label(gold: &Gold, page: &Page, table: &pipeline::Table) -> Vec<[f32; 2]> {
    let texts: Vec<String> =
        table.blocks.iter().map(|nodes| page.joined_text(nodes.clone()).to_lowercase()).collect();
    let tokens: Vec<Vec<&str>> = texts.iter().map(|text| words(text).collect()).collect();
    match &gold.content {
        Some(content) => content_labels(content, &gold.dont_care, &tokens),
        None => value_labels(gold, &tokens),
    }
}

fn content_labels(content: &str, dont_care: &[String], blocks: &[Vec<&str>]) -> Vec<[f32; 2]> {
    let lower = content.to_lowercase();
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |word| {
        let next = numbers.len() as u32;
        *numbers.entry(word).or_insert(next)
    };
    let truth: Vec<u32> = words(&lower).map(&mut number).collect();
    let flat: Vec<u32> = blocks.iter().flatten().copied().map(&mut number).collect();
    let matched = common_subsequence(&flat, &truth);
    let ignored = sequence(&dont_care.join("\n"));
    let mut at = 0;
    blocks
        .iter()
        .map(|block| {
            let here = matched[at..at + block.len()].iter().filter(|&&matched| matched).count();
            at += block.len();
            if block.is_empty() {
                return [-1.0, 0.0];
            }
            let share = here as f32 / block.len() as f32;
            let key = format!(" {} ", block.join(" "));
            if ignored.len() > 2 && ignored.contains(&key) {
                return [-1.0, block.len() as f32];
            }
            [share, block.len() as f32]
        })
        .collect()
}

/// Which words of `page` are in a longest common subsequence with `truth`.
fn common_subsequence(page: &[u32], truth: &[u32]) -> Vec<bool> {
    let (n, m) = (page.len(), truth.len());
    let mut matched = vec![false; n];
    if n * m > 1 << 30 {
        let mut left: BTreeMap<u32, usize> = BTreeMap::new();
        for &word in truth {
            *left.entry(word).or_default() += 1;
        }
        for (word, matched) in page.iter().zip(&mut matched) {
            if let Some(count) = left.get_mut(word).filter(|count| **count > 0) {
                *count -= 1;
                *matched = true;
            }
        }
        return matched;
    }
    // Consecutive matches are worth more than scattered ones: a match after a match scores one
    // more.
    let width = m + 1;
    let mut steps = vec![0u8; (n + 1) * width];
    let (mut above, mut above_run) = (vec![0u32; width], vec![false; width]);
    for i in 1..=n {
        let (mut diagonal, mut diagonal_run) = (0, false);
        let mut left = 0;
        for j in 1..=m {
            let (up, up_run) = (above[j], above_run[j]);
            let (mut best, mut step, mut run) =
                if up >= left { (up, 1, false) } else { (left, 2, false) };
            if page[i - 1] == truth[j - 1] {
                let score = diagonal + 2 + u32::from(diagonal_run);
                if score >= best {
                    (best, step, run) = (score, 0, true);
                }
            }
            steps[i * width + j] = step;
            (diagonal, diagonal_run) = (up, up_run);
            (above[j], above_run[j]) = (best, run);
            left = best;
        }
    }
    let (mut i, mut j) = (n, m);
    while i > 0 && j > 0 {
        match steps[i * width + j] {
            0 => {
                matched[i - 1] = true;
                i -= 1;
                j -= 1;
            }
            1 => i -= 1,
            _ => j -= 1,
        }
    }
    matched
}

/// Blocks with a labelled value are content; the others are unknown.
fn value_labels(gold: &Gold, blocks: &[Vec<&str>]) -> Vec<[f32; 2]> {
    let values: Vec<String> =
        gold.attributes.values().flatten().map(|value| sequence(value)).collect();
    blocks
        .iter()
        .map(|block| {
            let text = format!(" {} ", block.join(" "));
            let holds = values.iter().any(|value| value.len() > 2 && text.contains(value.as_str()));
            [if holds { 1.0 } else { -1.0 }, block.len() as f32]
        })
        .collect()
}
