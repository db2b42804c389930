//! Files of tool outputs: reads those of other tools, to score them, and writes ours, for other
//! scorers.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use unmold::{Stripped, strip};

use super::contender::Contender;
use super::labelled::LabelledSite;

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct Tool {
    tool: String,
    version: String,
}

/// Any other line: the output for one page.
#[derive(Serialize, Deserialize)]
struct Output {
    set: String,
    site: String,
    file: String,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
}

/// The outputs of one tool.
pub struct Outputs {
    /// Name and version of the tool.
    pub tool: String,
    texts: HashMap<(String, String, String), String>,
    titles: HashMap<(String, String, String), String>,
}

impl Outputs {
    /// Reads all files in a folder, sorted by name.
    pub fn read_all(folder: &Path) -> Result<Vec<Outputs>> {
        let entries = std::fs::read_dir(folder).with_context(|| {
            format!(
                "cannot list {}: run `make peers` to write outputs of other tools",
                folder.display()
            )
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
        let Some(first) = lines.next() else { bail!("the file is empty") };
        let tool: Tool =
            serde_json::from_str(first).context("line 1 does not name a tool and its version")?;
        let (mut texts, mut titles) = (HashMap::new(), HashMap::new());
        for (n, line) in lines.enumerate() {
            let output: Output = serde_json::from_str(line)
                .with_context(|| format!("line {}: not an output", n + 2))?;
            let page = place(&output.set, &output.site, &output.file);
            if let Some(title) = output.title {
                titles.insert(page.clone(), title);
            }
            texts.insert(page, output.text);
        }
        Ok(Outputs { tool: format!("{} {}", tool.tool, tool.version), texts, titles })
    }

    /// Whether the tool finds titles.
    pub fn has_titles(&self) -> bool {
        !self.titles.is_empty()
    }

    /// The title of a page.
    pub fn title(&self, set: &str, site: &str, file: &str) -> Option<String> {
        self.titles.get(&place(set, site, file)).cloned()
    }

    /// Whether there is an output for any page of this site.
    pub fn has_site(&self, set: &str, site: &str) -> bool {
        let is_of = |of_site: &str, file: &str| {
            // A page that is judged alone is a site of its own.
            site.strip_prefix(of_site).is_some_and(|rest| {
                rest.is_empty() || rest.strip_prefix('/').is_some_and(|rest| rest == file)
            })
        };
        self.texts.keys().any(|(of_set, of_site, file)| of_set == set && is_of(of_site, file))
    }

    /// The output for a page; empty if the tool failed.
    pub fn text(&self, set: &str, site: &str, file: &str) -> String {
        self.texts.get(&place(set, site, file)).cloned().unwrap_or_default()
    }
}

/// Where a tool has its output for a page. The name of a site of one page ends with the page.
fn place(set: &str, site: &str, file: &str) -> (String, String, String) {
    let folder = site.strip_suffix(file).and_then(|site| site.strip_suffix('/')).unwrap_or(site);
    (set.to_owned(), folder.to_owned(), file.to_owned())
}

/// Writes the output of a contender, learned from all pages, for each page, with the text of the
/// whole page.
pub fn save(
    out: &mut impl Write,
    set: &str,
    sites: &[LabelledSite],
    contender: &Contender,
) -> Result<()> {
    for site in sites {
        let pages: Vec<_> = site.pages.iter().map(|(_, page)| page).collect();
        let learned = contender.for_site(set, &site.name).learn_or_nothing(&pages)?;
        for (gold, page) in &site.pages {
            let output = Output {
                set: set.to_owned(),
                site: site.name.clone(),
                file: gold.file.clone(),
                text: strip(page, &learned.mark(page)).text(),
                body: Some(Stripped::untouched(page).text()),
                title: None,
            };
            let mut line = serde_json::to_vec(&output)?;
            line.push(b'\n');
            out.write_all(&line)?;
        }
    }
    Ok(())
}

/// The first line of a file.
pub fn heading(tool: &str) -> Result<Vec<u8>> {
    let mut line = serde_json::to_vec(&Tool {
        tool: tool.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_judged_alone_are_found_in_their_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tool.jsonl");
        let lines = r#"{"tool": "t", "version": "1"}
{"set": "s", "site": "tea.example", "file": "a/1.html", "text": "tea", "title": "Tea"}
{"set": "s", "site": "cup.example/2.html", "file": "2.html", "text": "cup"}"#;
        std::fs::write(&path, lines).expect("written");
        let outputs = Outputs::read(&path).expect("outputs");
        for site in ["tea.example", "tea.example/a/1.html"] {
            assert!(outputs.has_site("s", site), "{site}");
            assert_eq!(outputs.text("s", site, "a/1.html"), "tea");
            assert_eq!(outputs.title("s", site, "a/1.html").as_deref(), Some("Tea"));
        }
        assert_eq!(outputs.text("s", "cup.example/2.html", "2.html"), "cup");
        assert!(!outputs.has_site("s", "tea.example/a") && !outputs.has_site("s", "tea"));
    }
}
