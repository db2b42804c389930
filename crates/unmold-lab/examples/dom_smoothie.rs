//! Writes the output of dom_smoothie for labelled pages, in the format of `tools/peers.py`.
//!
//! ```text
//! cargo run --release -p unmold-lab --features peers --example dom_smoothie -- FOLDER DIR
//! ```

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use dom_smoothie::Readability;
use rayon::prelude::*;
use serde_json::json;
use unmold_lab::data::Manifest;

/// The version in `Cargo.toml`.
const VERSION: &str = "0.19";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, out] = &arguments[..] else {
        anyhow::bail!("give a folder of sets and a folder to write to")
    };
    let mut lines = format!("{}\n", json!({"tool": "dom_smoothie", "version": VERSION}));
    for set in Manifest::built_in().find(Path::new(folder))? {
        for site in &set.sites {
            let texts: Vec<String> = site
                .pages
                .par_iter()
                .map(|page| Ok(text(&String::from_utf8_lossy(&page.read()?))))
                .collect::<Result<_>>()
                .with_context(|| format!("site {}", site.name))?;
            for (page, text) in site.pages.iter().zip(texts) {
                let (set, file) = (&set.name, &page.gold.file);
                let line = json!({"set": set, "site": site.name, "file": file, "text": text});
                writeln!(lines, "{line}")?;
            }
        }
    }
    std::fs::create_dir_all(out)?;
    std::fs::write(Path::new(out).join("dom_smoothie.jsonl"), lines)?;
    Ok(())
}

/// The text of the article; empty on failure.
fn text(html: &str) -> String {
    let article = Readability::new(html, None, None).and_then(|mut reader| reader.parse());
    article.map(|article| article.text_content.to_string()).unwrap_or_default()
}
