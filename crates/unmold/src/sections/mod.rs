//! Splits a page into sections and rates the importance of each.
//!
//! A page is cut into sections (`segment.rs`): lists of similar entries, blocks, and runs of text.
//! The importance of a section is 1 − the mean mark of its leaves, weighted by area. It is lower if
//! the page's content is elsewhere ([`PageEvidence`]). Marks may come from any method, areas from a
//! browser or from an [estimate](Areas::estimate).
//!
//! Paper: *web page sectioning using regex-based template* (`docs/sections.md`).
//!
//! time: linear in the page, plus the time to fold its lists. space: a few numbers per node.
//! Thresholds: 15 % of the area and importance 25 % are the paper's ([`Sectioning::paper`]); those
//! of [`PageEvidence`] and importance 40 % were chosen on labelled sites (`docs/sections.md`).

mod area;
mod boxes;
mod describe;
mod region;
mod section;
mod segment;
mod settings;
#[cfg(test)]
mod tests;

pub use crate::methods::ListPlace;
pub use area::Areas;
pub use boxes::PageBoxes;
pub use describe::{SectionRecord, first_line};
pub use section::{Section, SectionKind};
pub use settings::{Layout, PageEvidence, Sectioning};

use self::region::Regions;
use crate::marks::Marks;
use crate::page::{NodeId, Page, Tag};

/// The list that each node of the page is an entry of, found on this page alone.
#[must_use]
pub fn lists(page: &Page) -> Vec<Option<ListPlace>> {
    crate::methods::lists_of_page(page)
}

/// The sections of a page in document order, with their importance.
#[must_use]
pub fn sections(
    page: &Page,
    marks: &Marks,
    lists: &[Option<ListPlace>],
    areas: &Areas,
    settings: &Sectioning,
) -> Vec<Section> {
    let found = segment::segment(page, lists, areas, settings);
    let characters = |id: NodeId| page.text(id).chars().count();
    let all_text: usize = page.visible_texts().map(characters).sum();
    let share = |part: f64, whole: f64| if whole > 0.0 { (part / whole).min(1.0) } else { 0.0 };
    let weights = Weights::new(page, areas);
    let regions =
        settings.page_evidence.map(|evidence| Regions::new(page, marks, &weights.linked, evidence));
    found
        .into_iter()
        .map(|(kind, nodes)| {
            let (noise, weight) = weights.noise(page, marks, &nodes);
            let area: f64 = nodes.iter().map(|&node| areas.area(node)).sum();
            let mut section = Section {
                kind,
                nodes,
                importance: 1.0 - noise,
                noise,
                weight,
                area_share: 0.0,
                text_share: 0.0,
                link_share: 0.0,
            };
            let text: usize = section.texts(page).map(characters).sum();
            let linked: usize =
                section.texts(page).filter(|&id| weights.linked[id.index()]).map(characters).sum();
            section.link_share = share(linked as f64, text as f64);
            section.area_share = share(area, areas.page());
            section.text_share = share(text as f64, all_text as f64);
            if let Some(regions) = &regions {
                section.importance *= regions.factor(page, &section);
            }
            section
        })
        .collect()
}

/// The weight of each leaf in the importance of its section.
struct Weights<'a> {
    areas: &'a Areas,
    /// Whether each node is inside a link.
    linked: Vec<bool>,
}

impl<'a> Weights<'a> {
    fn new(page: &Page, areas: &'a Areas) -> Weights<'a> {
        let mut linked: Vec<bool> = Vec::with_capacity(page.len() as usize);
        for id in page.nodes() {
            let outer = page.parent(id).is_some_and(|parent| linked[parent.index()]);
            linked.push(outer || page.tag(id) == Tag::A);
        }
        Weights { areas, linked }
    }

    /// Only texts, pictures and leaves inside links have a weight.
    fn weight(&self, page: &Page, id: NodeId) -> f64 {
        let is_leaf = page.size(id) == 1;
        let counts = matches!(page.tag(id), Tag::TEXT | Tag::IMG) || self.linked[id.index()];
        if is_leaf && counts { self.areas.leaf(id) } else { 0.0 }
    }

    /// The weighted mean of the marks, and the total weight.
    fn noise(&self, page: &Page, marks: &Marks, nodes: &[NodeId]) -> (f64, f64) {
        let (mut noise, mut weight) = (0.0, 0.0);
        for id in nodes.iter().flat_map(|&node| page.subtree(node)) {
            let here = self.weight(page, id);
            weight += here;
            noise += here * f64::from(marks.value(id));
        }
        if weight > 0.0 { (noise / weight, weight) } else { (0.0, 0.0) }
    }
}

/// Marks sections by importance: all of a section below `min_importance` is template, everything
/// else is content.
#[must_use]
pub fn cut(page: &Page, marks: &Marks, sections: &[Section], min_importance: f64) -> Marks {
    let mut cut = Marks::with_threshold(page, 0.5);
    cut.set_template_match(marks.template_match());
    for section in sections.iter().filter(|section| section.importance < min_importance) {
        for id in section.nodes.iter().flat_map(|&node| page.subtree(node)) {
            cut.set(id, 1.0, marks.source(id));
        }
    }
    cut
}
