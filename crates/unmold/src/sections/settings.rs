//! Settings of the sectioning.

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
