//! Finds the region of a page that holds its content.

use super::section::Section;
use super::settings::PageEvidence;
use crate::marks::Marks;
use crate::page::{NodeId, Page, Tag};

/// The main region of a page and its core.
pub(super) struct Regions {
    evidence: PageEvidence,
    main: NodeId,
    core: NodeId,
}

impl Regions {
    pub(super) fn new(
        page: &Page,
        marks: &Marks,
        linked: &[bool],
        evidence: PageEvidence,
    ) -> Regions {
        let content = content_below(page, marks, linked);
        let main = smallest(page, &content, evidence.main_share);
        Regions { evidence, main, core: smallest(page, &content, evidence.core_share) }
    }

    /// The factor for the importance of a section.
    pub(super) fn factor(&self, page: &Page, section: &Section) -> f64 {
        let first = section.nodes[0];
        let outside = |region: NodeId| !page.subtree(region).contains(first);
        let is_linked = section.link_share > self.evidence.link_share;
        let is_elsewhere = outside(self.main) || outside(self.core) && is_linked;
        let is_menu = section.link_share > self.evidence.menu_links
            && section.noise > self.evidence.menu_noise;
        if is_menu || is_elsewhere && !holds_title(page, section) {
            self.evidence.outside
        } else {
            1.0
        }
    }
}

/// Whether the section holds the page's title, which often precedes the element with the text.
fn holds_title(page: &Page, section: &Section) -> bool {
    section.nodes.iter().flat_map(|&node| page.subtree(node)).any(|id| page.tag(id) == Tag::H1)
}

/// The number of characters in the subtree of each node that are neither template nor link.
fn content_below(page: &Page, marks: &Marks, linked: &[bool]) -> Vec<f64> {
    let mut content = vec![0.0; page.len() as usize];
    for id in page.body().rev() {
        if page.is_text(id) && !linked[id.index()] {
            content[id.index()] =
                page.text(id).chars().count() as f64 * f64::from(1.0 - marks.value(id));
        }
        if let Some(parent) = page.parent(id) {
            content[parent.index()] += content[id.index()];
        }
    }
    content
}

/// The smallest element that holds the given share of the body's content.
fn smallest(page: &Page, content: &[f64], share: f64) -> NodeId {
    let mut region = page.body().start;
    let min_content = share * content[region.index()];
    if min_content <= 0.0 {
        return region;
    }
    let holds = |id: &NodeId| !page.is_text(*id) && content[id.index()] >= min_content;
    while let Some(inner) = page.children(region).find(holds) {
        region = inner;
    }
    region
}
