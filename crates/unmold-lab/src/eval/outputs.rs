//! What tools leave of pages, as files: those of other tools to score, ours for other scorers.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use unmold::{Stripped, strip};

use super::contender::Contender;
use super::labelled::LabelledSite;

/// The first line of a file of outputs.
#[derive(Serialize, Deserialize)]
struct Tool {
    tool: String,
    version: String,
}

/// One page of such a file.
#[derive(Serialize, Deserialize)]
struct Output {
    set: String,
    site: String,
    file: String,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

/// The outputs of one tool.
pub struct Outputs {
    /// Name and version.
    pub tool: String,
    texts: HashMap<(String, String, String), String>,
}

impl Outputs {
    /// Reads all files of outputs in a folder, sorted by name.
    pub fn read_all(folder: &Path) -> Result<Vec<Outputs>> {
        let entries = std::fs::read_dir(folder).with_context(|| {
            format!("cannot list {}: `make peers` writes outputs of other tools", folder.display())
        })?;
        let mut paths: Vec<PathBuf> =
            entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        paths.sort();
        paths
            .iter()
            .map(|path| Outputs::read(path).with_context(|| format!("{}", path.display())))
            .collect()
    }

    fn read(path: &Path) -> Result<Outputs> {
        let text = std::fs::read_to_string(path).context("cannot read")?;
        let mut lines = text.lines();
        let Some(first) = lines.next() else { bail!("empty") };
        let tool: Tool =
            serde_json::from_str(first).context("line 1 does not name a tool and its version")?;
        let mut texts = HashMap::new();
        for (n, line) in lines.enumerate() {
            let output: Output = serde_json::from_str(line)
                .with_context(|| format!("line {}: not an output", n + 2))?;
            texts.insert((output.set, output.site, output.file), output.text);
        }
        Ok(Outputs { tool: format!("{} {}", tool.tool, tool.version), texts })
    }

    /// Whether there is any output for this site.
    pub fn has_site(&self, set: &str, site: &str) -> bool {
        self.texts.keys().any(|(of_set, of_site, _)| of_set == set && of_site == site)
    }

    /// What the tool left of a page; nothing if it failed.
    pub fn text(&self, set: &str, site: &str, file: &str) -> String {
        self.texts
            .get(&(set.to_owned(), site.to_owned(), file.to_owned()))
            .cloned()
            .unwrap_or_default()
    }
}

/// Writes what a contender leaves of all pages, learned from all of them, with the text of the
/// whole page.
pub fn save(
    out: &mut impl Write,
    set: &str,
    sites: &[LabelledSite],
    contender: &Contender,
) -> Result<()> {
    for site in sites {
        let pages: Vec<_> = site.pages.iter().map(|(_, page)| page).collect();
        let learned = contender.for_site(set, &site.name).learn(&pages)?;
        for (gold, page) in &site.pages {
            let output = Output {
                set: set.to_owned(),
                site: site.name.clone(),
                file: gold.file.clone(),
                text: strip(page, &learned.mark(page)).text(),
                body: Some(Stripped::untouched(page).text()),
            };
            let mut line = serde_json::to_vec(&output)?;
            line.push(b'\n');
            out.write_all(&line)?;
        }
    }
    Ok(())
}

/// The first line of such a file.
pub fn heading(tool: &str) -> Result<Vec<u8>> {
    let mut line = serde_json::to_vec(&Tool {
        tool: tool.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })?;
    line.push(b'\n');
    Ok(line)
}
