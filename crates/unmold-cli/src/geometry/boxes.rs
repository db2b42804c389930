//! Reads a file of recorded boxes, one JSON line per page.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use unmold::Page;
use unmold::sections::{Areas, PageBoxes};

/// The boxes of all pages in a file.
pub struct BoxFile(BTreeMap<String, PageBoxes>);

impl BoxFile {
    pub fn read(path: &Path) -> Result<BoxFile> {
        let shown = path.display();
        let file = std::fs::File::open(path).with_context(|| format!("cannot read {shown}"))?;
        let mut pages = BTreeMap::new();
        for (number, line) in BufReader::new(file).lines().enumerate() {
            let line = line.with_context(|| format!("cannot read {shown}"))?;
            if line.trim().is_empty() {
                continue;
            }
            let page: PageBoxes = serde_json::from_str(&line).with_context(|| {
                format!(
                    "{shown}, line {}: not a recorded layout: give a file written by `unmold-lab \
                     geometry`",
                    number + 1
                )
            })?;
            if page.error.is_none() {
                pages.insert(page.id.clone(), page);
            }
        }
        Ok(BoxFile(pages))
    }

    pub fn has(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// Returns the areas of a page; `None` if the file has no boxes for it or they do not fit.
    pub fn areas(&self, id: &str, page: &Page) -> Option<Areas> {
        self.0.get(id)?.areas(page)
    }
}
