//! Which sections is a page made of, and how important is each?
//!
//! A page is cut into sections (`segment.rs`): lists of similar entries, blocks, runs of text. A
//! section is as important as what it holds is not template: importance = 1 − the mean mark of its
//! leaves, each weighted by the area it takes; less where the page's content lies elsewhere
//! ([`PageEvidence`]). Marks may come from any method, areas from a browser or from an
//! [estimate](Areas::estimate).
//!
//! Paper: *web page sectioning using regex-based template* (`docs/sections.md`).
//!
//! time: linear in the page, plus the fold of its lists. space: a few numbers for each node.
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

/// How a page is cut, and when a section is noise.
#[derive(Clone, PartialEq, Debug)]
pub struct Sectioning {
    /// A block is looked into if it takes more than this share of the page's area.
    pub large_area: f64,
    /// Which elements are blocks of a layout.
    pub layout: Layout,
    /// A list with fewer entries on the page is no list.
    pub least_entries: usize,
    /// Whether links or words in a line can be a list of their own.
    pub inline_lists: bool,
    /// What the page alone says about its sections; `None`: the template decides.
    pub page_evidence: Option<PageEvidence>,
    /// A section less important than this is noise.
    pub noisy_below: f64,
}

/// What the page alone says about its sections. Its content has a place: the smallest element that
/// holds most of the text that is no template and no link. What stands outside, titles apart, is
/// not the content, even if no other page has it: related articles, the way to the next page, tags.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PageEvidence {
    /// Share of that text in the main region. A section outside has no content, unless it holds the
    /// page's title.
    pub main_share: f64,
    /// Share of that text in its core. A section outside the core has no content if it is made of
    /// links.
    pub core_share: f64,
    /// Share of a section's text in links from which on it is made of links.
    pub link_share: f64,
    /// A section with a larger share of its text in links, and [`PageEvidence::menu_noise`], is a
    /// menu, wherever it is.
    pub menu_links: f64,
    /// Least noise of a menu: some of its entries are on other pages too.
    pub menu_noise: f64,
    /// Importance of a section that has no content by this evidence, as a share of what it would be
    /// otherwise.
    pub outside: f64,
}

/// Which elements are blocks of a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// `table` and `div`, as in the paper.
    Tables,
    /// Also what HTML has for it now: `section`, `main`, `article`, `aside`, `nav`, `header`,
    /// `footer`, `form`.
    Modern,
}

impl Default for Sectioning {
    fn default() -> Sectioning {
        Sectioning {
            large_area: 0.15,
            layout: Layout::Modern,
            least_entries: 2,
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
    /// The paper's values: blocks are `table` and `div`, any list is one, the template alone
    /// decides.
    pub fn paper() -> Sectioning {
        Sectioning {
            large_area: 0.15,
            layout: Layout::Tables,
            least_entries: 1,
            inline_lists: true,
            page_evidence: None,
            noisy_below: 0.25,
        }
    }
}

/// What a section is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SectionKind {
    /// Entries that repeat each other.
    RepeatedList,
    /// One element and all in it.
    Block,
    /// Text and inline elements that stand side by side.
    InlineRun,
    /// What stands between two rules.
    BetweenSeparators,
}

impl SectionKind {
    /// The word used in records.
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
pub struct Section {
    /// What it is.
    pub kind: SectionKind,
    /// Its nodes, each with all below it, in document order. All are children of one node.
    pub nodes: Vec<NodeId>,
    /// From 0 = template throughout to 1 = content by all signs.
    pub importance: f64,
    /// The mean mark of its texts and pictures: what the template says, without the page's own
    /// evidence.
    pub noise: f64,
    /// Area of the leaves that the importance was taken from. 0: nothing is known, and the
    /// importance is 1.
    pub weight: f64,
    /// Share of the page's area.
    pub area_share: f64,
    /// Share of the characters of the page's text.
    pub text_share: f64,
    /// Share of the section's characters that stand in links.
    pub link_share: f64,
}

impl Section {
    /// The visible texts of the section.
    pub fn texts<'a>(&'a self, page: &'a Page) -> impl Iterator<Item = NodeId> + 'a {
        self.nodes.iter().flat_map(|&node| page.subtree(node)).filter(|&id| page.is_text(id))
    }
}

/// The list that each node of the page is an entry of, as the page alone shows it.
pub fn lists(page: &Page) -> Vec<Option<ListPlace>> {
    crate::methods::lists_of_page(page)
}

/// The sections of a page in document order, with their importance.
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

/// What each leaf counts for in the importance of its section.
struct Weights<'a> {
    areas: &'a Areas,
    /// Whether a node stands in a link.
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

    /// Leaves that say something: texts, pictures and what leads elsewhere.
    fn weight(&self, page: &Page, id: NodeId) -> f64 {
        let is_leaf = page.size(id) == 1;
        let says_something =
            matches!(page.tag(id), Tag::TEXT | Tag::IMG) || self.linked[id.index()];
        if is_leaf && says_something { self.areas.leaf(id) } else { 0.0 }
    }

    /// The weighted mean of the marks, and the weight.
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

/// Marks that cut a page by importance: all of a section below `least` is template, all of the
/// others is content.
pub fn cut(page: &Page, marks: &Marks, sections: &[Section], least: f64) -> Marks {
    let mut cut = Marks::with_threshold(page, 0.5);
    cut.set_template_match(marks.template_match());
    for section in sections.iter().filter(|section| section.importance < least) {
        for id in section.nodes.iter().flat_map(|&node| page.subtree(node)) {
            cut.set(id, 1.0, marks.source(id));
        }
    }
    cut
}
