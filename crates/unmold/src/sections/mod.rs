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
mod segment;
#[cfg(test)]
mod tests;

pub use crate::methods::ListPlace;
pub use area::Areas;
pub use boxes::PageBoxes;
pub use describe::{SectionRecord, first_line};

use self::region::Regions;
use serde::Serialize;

use crate::marks::Marks;
use crate::page::{NodeId, Page, Tag};

/// How a page is cut into sections, and which sections are noise.
#[derive(Clone, PartialEq, Debug)]
pub struct Sectioning {
    /// A block is cut further if it takes more than this share of the page's area.
    pub large_area: f64,
    /// Which elements are blocks of a layout.
    pub layout: Layout,
    /// Minimum number of entries on the page for a list to count as one.
    pub min_entries: usize,
    /// Whether links or words within a line can form a list.
    pub inline_lists: bool,
    /// What the page itself says about its sections; with `None`, only the template counts.
    pub page_evidence: Option<PageEvidence>,
    /// A section with a lower importance is noise.
    pub noisy_below: f64,
}

/// What the page itself says about its sections. Its content has a region: the smallest element
/// that holds most of the text that is neither template nor link. Sections outside this region,
/// except for titles, are not content even if no other page has them: related articles, pagination,
/// tags.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PageEvidence {
    /// Share of that text in the main region. A section outside has no content, unless it holds the
    /// page's title.
    pub main_share: f64,
    /// Share of that text in the core. A section outside the core has no content if it consists of
    /// links.
    pub core_share: f64,
    /// A section with a larger share of its text in links consists of links.
    pub link_share: f64,
    /// A section is a menu, wherever it is, if a larger share of its text is in links and its noise
    /// exceeds [`PageEvidence::menu_noise`].
    pub menu_links: f64,
    /// Minimum noise of a menu: some of its entries are on other pages too.
    pub menu_noise: f64,
    /// Factor for the importance of a section that has no content by this evidence.
    pub outside: f64,
}

/// Which elements are blocks of a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// `table` and `div`, as in the paper.
    Tables,
    /// Also the elements that HTML has for layout now: `section`, `main`, `article`, `aside`,
    /// `nav`, `header`, `footer`, `form`.
    Modern,
}

impl Default for Sectioning {
    fn default() -> Sectioning {
        Sectioning {
            large_area: 0.15,
            layout: Layout::Modern,
            min_entries: 2,
            inline_lists: false,
            page_evidence: Some(PageEvidence {
                main_share: 0.9,
                core_share: 0.7,
                link_share: 0.3,
                menu_links: 0.6,
                menu_noise: 0.2,
                outside: 0.2,
            }),
            noisy_below: 0.4,
        }
    }
}

impl Sectioning {
    /// The paper's settings: blocks are `table` and `div`, any list counts, and only the template
    /// decides.
    pub fn paper() -> Sectioning {
        Sectioning {
            large_area: 0.15,
            layout: Layout::Tables,
            min_entries: 1,
            inline_lists: true,
            page_evidence: None,
            noisy_below: 0.25,
        }
    }
}

/// The kind of a section.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SectionKind {
    /// A list of similar entries.
    RepeatedList,
    /// One element with its subtree.
    Block,
    /// Adjacent text and inline elements.
    InlineRun,
    /// The nodes between two rules.
    BetweenSeparators,
}

impl SectionKind {
    /// The name used in records.
    pub fn name(self) -> &'static str {
        match self {
            SectionKind::RepeatedList => "repeated-list",
            SectionKind::Block => "block",
            SectionKind::InlineRun => "inline-run",
            SectionKind::BetweenSeparators => "between-separators",
        }
    }
}

/// A part of a page.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Section {
    /// The kind of section.
    pub kind: SectionKind,
    /// Its top nodes in document order, all children of one node. The section contains their
    /// subtrees.
    pub nodes: Vec<NodeId>,
    /// From 0 (all template) to 1 (all content).
    pub importance: f64,
    /// The mean mark of its texts and pictures: the evidence of the template, without that of the
    /// page.
    pub noise: f64,
    /// Area of the leaves that the importance is based on. If 0, nothing is known and the
    /// importance is 1.
    pub weight: f64,
    /// Share of the page's area.
    pub area_share: f64,
    /// Share of the characters of the page's text.
    pub text_share: f64,
    /// Share of the section's characters in links.
    pub link_share: f64,
}

impl Section {
    /// The visible texts of the section.
    pub fn texts<'a>(&'a self, page: &'a Page) -> impl Iterator<Item = NodeId> + 'a {
        self.nodes.iter().flat_map(|&node| page.subtree(node)).filter(|&id| page.is_text(id))
    }
}

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
