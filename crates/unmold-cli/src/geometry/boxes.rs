//! The file of boxes: one JSON line for each page.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use unmold::Page;
use unmold::sections::Areas;

/// The boxes of one page. Fields are added, never renamed.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct PageBoxes {
    pub id: String,
    /// Nodes of the page as we read it: boxes of another page, or of one read with other flags, do
    /// not fit.
    pub nodes: u32,
    /// Hash of the nodes' names and texts, for the same reason.
    pub shape: String,
    /// Size of the whole page in pixels.
    pub width: f64,
    pub height: f64,
    /// Number of a node (its place in document order), then x, y, width and height. Nodes that the
    /// browser does not show have none.
    pub boxes: Vec<(u32, f64, f64, f64, f64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl PageBoxes {
    /// Without any box yet.
    pub fn new(id: &str, page: &Page) -> PageBoxes {
        PageBoxes {
            id: id.to_owned(),
            nodes: page.len(),
            shape: shape(page),
            width: 0.0,
            height: 0.0,
            boxes: Vec::new(),
            error: None,
        }
    }
}

fn shape(page: &Page) -> String {
    let labels = page.labels(unmold::page::LabelProfile::Tag);
    format!("{:016x}", page.subtree_hashes(&labels)[0] as u64)
}

/// All pages of a file of boxes.
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
                    "{shown}, line {}: no boxes: give the file that `unmold geometry` wrote",
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

    /// The areas of a page; `None` if there are none or those of another page.
    pub fn areas(&self, id: &str, page: &Page) -> Option<Areas> {
        let known = self
            .0
            .get(id)
            .filter(|known| known.nodes == page.len() && known.shape == shape(page))?;
        let mut boxes = vec![None; page.len() as usize];
        for &(node, _, _, width, height) in &known.boxes {
            if let Some(slot) = boxes.get_mut(node as usize) {
                *slot = Some((width, height));
            }
        }
        Some(Areas::of_boxes(page, &boxes, (known.width, known.height)))
    }
}
