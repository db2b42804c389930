//! Stores the boxes of a page's nodes as a browser laid them out.

use serde::{Deserialize, Serialize};

use super::area::Areas;
use crate::page::{LabelProfile, Page};

/// The boxes of one page. Fields may be added but are never renamed.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct PageBoxes {
    /// The page's id.
    pub id: String,
    /// Number of nodes. Together with `shape` it tells whether the boxes belong to a page: boxes of
    /// another page, or of the same page parsed with other flags, are rejected.
    pub nodes: u32,
    /// Hash of the nodes' names and texts.
    pub shape: String,
    /// Width of the whole page in pixels.
    pub width: f64,
    /// Height of the whole page in pixels.
    pub height: f64,
    /// Node id, x, y, width and height. Nodes that the browser does not show have none.
    pub boxes: Vec<(u32, f64, f64, f64, f64)>,
    /// Why the page could not be rendered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl PageBoxes {
    /// A record for `page` without any boxes yet.
    #[must_use]
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

    /// The areas of the nodes of `page`; `None` if the boxes belong to another page.
    #[must_use]
    pub fn areas(&self, page: &Page) -> Option<Areas> {
        if self.nodes != page.len() || self.shape != shape(page) {
            return None;
        }
        let mut boxes = vec![None; page.len() as usize];
        for &(node, _, _, width, height) in &self.boxes {
            if let Some(slot) = boxes.get_mut(node as usize) {
                *slot = Some((width, height));
            }
        }
        Some(Areas::of_boxes(page, &boxes, (self.width, self.height)))
    }
}

fn shape(page: &Page) -> String {
    let labels = page.labels(LabelProfile::Tag);
    format!("{:016x}", page.subtree_hashes(&labels)[0] as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn boxes_fit_only_their_own_page() {
        let parse = |html: &str| Page::parse(html.as_bytes(), &Limits::default());
        let page = parse("<p>one</p><p>two</p>");
        let mut boxes = PageBoxes::new("a.html", &page);
        (boxes.width, boxes.height) = (100.0, 10.0);
        // The page has no node for the last box, so it is ignored.
        boxes.boxes = vec![(1, 0.0, 0.0, 100.0, 10.0), (99, 0.0, 0.0, 1.0, 1.0)];
        let areas = boxes.areas(&page).expect("the same page");
        assert_eq!((areas.page(), areas.area(crate::NodeId::new(1))), (1000.0, 1000.0));
        assert!(boxes.areas(&parse("<p>one</p><p>three</p>")).is_none());
        assert!(boxes.areas(&parse("<p>one</p>")).is_none());
    }
}
