//! The template of a cluster as a set of paths, and how it marks a page.
//!
//! A text is template if its path, the names around it and its words, is on more than half of the pages. time and
//! space: linear in the nodes. The paper stops at the set of paths; that a text on the page is template if its path is
//! in the set follows from it. `mark` gives the share of pages as the value, as the other methods do.

use rustc_hash::FxHashMap;

use super::paths::{PathMode, PathSet, text_path};
use crate::marks::Marks;
use crate::methods::{LearnError, Method, Sample};
use crate::page::Page;

/// Learns which texts stand in the same place on more than half of the pages of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PathTemplates;

/// Paths of texts with the number of pages they are on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathTemplate {
    pages: u32,
    supports: FxHashMap<u64, u32>,
}

impl PathTemplate {
    /// Number of pages it was learned from.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Number of paths, of elements and of texts.
    pub fn parts(&self) -> usize {
        self.supports.len()
    }
}

impl Method for PathTemplates {
    type Template = PathTemplate;

    fn learn(&self, sample: &Sample) -> Result<PathTemplate, LearnError> {
        let pages = sample.pages().len();
        if pages < 2 {
            return Err(LearnError::NotEnoughPages { found: pages });
        }
        let mut supports: FxHashMap<u64, u32> = FxHashMap::default();
        for page in sample.pages() {
            for &path in PathSet::of(page, PathMode::TagsText).hashes() {
                *supports.entry(path).or_default() += 1;
            }
        }
        supports.retain(|_, support| 2 * *support as usize > pages);
        Ok(PathTemplate { pages: pages as u32, supports })
    }

    fn mark(template: &PathTemplate, page: &Page) -> Marks {
        let mut marks = Marks::with_threshold(page, 0.5);
        let tags = page.path_hashes();
        let mut found = PathSet::of(page, PathMode::TagsText).hashes().to_vec();
        found.retain(|path| template.supports.contains_key(path));
        for id in page.visible_texts() {
            let path = text_path(page.text(id), tags[id as usize]);
            let support = template.supports.get(&path).copied().unwrap_or(0);
            marks.set(id, support as f32 / template.pages as f32, None);
        }
        marks.lift_to_elements(page);
        marks.set_template_match(found.len() as f32 / template.supports.len().max(1) as f32);
        marks
    }
}
