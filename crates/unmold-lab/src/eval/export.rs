//! Exports features of labelled blocks, to fit the weights of the default (`tools/fit`).

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::Serialize;
use unmold::Page;
use unmold::page::words;
use unmold::pipeline;

use super::block_labels::content_labels;
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
    /// What it shows as a whole.
    whole: &'a [f32],
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
            for value in &table.words[at] {
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
            whole: &table.page_row,
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
        let page_names = pipeline::page_feature_names();
        let head =
            serde_json::json!({ "names": names, "page_names": page_names, "pages": self.pages });
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
