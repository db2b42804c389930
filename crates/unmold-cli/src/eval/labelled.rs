//! Labelled sites on disk: `SITE/pages/**` and `SITE/gold.jsonl`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::Deserialize;
use unmold::{Limits, Page};

/// What people said about one page.
#[derive(Deserialize, Debug)]
pub struct Gold {
    /// Path below `pages/`.
    pub file: String,
    /// Pages of one type share a template.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// Types that one layout serves; `None` = not scored on clusters.
    #[serde(default)]
    pub family: Option<String>,
    /// The main text; `None` = not scored on content.
    pub content: Option<String>,
    /// Texts that may stay or go.
    #[serde(default)]
    pub dont_care: Vec<String>,
    /// Values that must stay.
    #[serde(default)]
    pub attributes: BTreeMap<String, Vec<String>>,
}

/// A site whose pages are labelled.
#[derive(Debug)]
pub struct LabelledSite {
    /// Name of its folder.
    pub name: String,
    /// Each label with its page.
    pub pages: Vec<(Gold, Page)>,
}

impl LabelledSite {
    /// Reads and parses all pages of the site.
    pub fn read(folder: &Path, keep_hidden: bool) -> Result<LabelledSite> {
        let gold = folder.join("gold.jsonl");
        let text =
            std::fs::read_to_string(&gold).with_context(|| format!("cannot read {}", gold.display()))?;
        let golds: Vec<Gold> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .enumerate()
            .map(|(n, line)| {
                serde_json::from_str(line)
                    .with_context(|| format!("{}, line {}: not a label", gold.display(), n + 1))
            })
            .collect::<Result<_>>()?;
        let pages =
            golds.into_par_iter().map(|gold| read_page(folder, gold, keep_hidden)).collect::<Result<_>>()?;
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
        Ok(LabelledSite { name, pages })
    }
}

fn read_page(folder: &Path, gold: Gold, keep_hidden: bool) -> Result<(Gold, Page)> {
    let path = folder.join("pages").join(&gold.file);
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    // Pages link to each other by relative paths: with an address these lead to the same place from every page.
    let site = folder.file_name().unwrap_or_default().to_string_lossy();
    let url = Some(format!("http://{site}.invalid/{}", gold.file));
    let options = unmold::ParseOptions { limits: Limits::default(), keep_hidden, url, ..Default::default() };
    Ok((gold, Page::parse_with(&bytes, &options)))
}

/// The folders with a `gold.jsonl` at or below `root`, at most two levels down, sorted; grouped by the folder they
/// lie in, which is the set.
pub fn find_sites(root: &Path) -> Result<BTreeMap<String, Vec<PathBuf>>> {
    let mut sets: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let root = root.canonicalize().with_context(|| format!("cannot open {}", root.display()))?;
    let mut level = vec![root];
    for _ in 0..3 {
        let mut below = Vec::new();
        for folder in level {
            if folder.join("gold.jsonl").is_file() {
                let set = folder
                    .parent()
                    .and_then(Path::file_name)
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                sets.entry(set).or_default().push(folder);
                continue;
            }
            let entries =
                std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
            below.extend(
                entries.filter_map(|entry| entry.ok().map(|e| e.path())).filter(|path| path.is_dir()),
            );
        }
        below.sort();
        level = below;
    }
    Ok(sets)
}
