//! Finds texts at the same path on more than half of the pages of a cluster.
//!
//! Paper: the one of [the clusters](super). It ends with a cluster's template as a set of paths. It
//! follows that a text of a page is template if its path (the names around it and its words) is in
//! that set.
//!
//! time and space: linear in the nodes, for learning and for marking.
//!
//! Departures: none. The threshold is the paper's: the majority costs least to describe. As in the
//! other methods, a mark is the share of pages that have the path.

use serde::{Deserialize, Serialize};
use unmold_html::hash::{KeyedMap, KeyedSet};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::paths::{PathMode, PathSet, known_text_path, text_path};
use crate::marks::{Marks, Source};
use crate::methods::{LearnError, LearnedTemplate, Method, Part, Sample};
use crate::page::{NodeId, Page, comparison_form};

/// Learns which texts have the same path on more than half of the pages of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PathTemplates;

/// A path of the template.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TemplatePath {
    /// Names from the root, like `html/body/p`; the path of a text ends in `#text`.
    pub path: String,
    /// The text, in comparison form; `None` for an element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Number of pages that have the path.
    pub pages: u32,
}

impl TemplatePath {
    /// The hash that [`PathSet`] has for this path.
    fn hash(&self) -> u64 {
        let names = self.path.split('/');
        let own = names.fold(0, |parent, name| xxh3_64_with_seed(name.as_bytes(), parent));
        self.text.as_deref().map_or(own, |text| known_text_path(text, own))
    }
}

/// The paths on more than half of the pages of a cluster.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "StoredPaths", into = "StoredPaths")]
pub struct PathTemplate {
    pages: u32,
    paths: Vec<TemplatePath>,
    numbers: KeyedMap<u64, u32>,
}

/// [`PathTemplate`] as stored in the template file.
#[derive(Serialize, Deserialize)]
struct StoredPaths {
    /// Number of pages learned from.
    pages: u32,
    paths: Vec<TemplatePath>,
}

impl From<StoredPaths> for PathTemplate {
    fn from(StoredPaths { pages, paths }: StoredPaths) -> PathTemplate {
        let numbers = paths.iter().zip(0..).map(|(path, number)| (path.hash(), number)).collect();
        PathTemplate { pages: pages.max(1), paths, numbers }
    }
}

impl From<PathTemplate> for StoredPaths {
    fn from(PathTemplate { pages, paths, .. }: PathTemplate) -> StoredPaths {
        StoredPaths { pages, paths }
    }
}

impl LearnedTemplate for PathTemplate {
    fn mark(&self, page: &Page) -> Marks {
        let mut marks = Marks::with_threshold(page, 0.5);
        for (id, hash) in paths_of(page).filter(|&(id, _)| page.is_text(id)) {
            if let Some(&number) = self.numbers.get(&hash) {
                let pages = self.paths[number as usize].pages;
                marks.set(id, pages as f32 / self.pages as f32, Some(Source::Part(number)));
            }
        }
        marks.lift_to_elements(page);
        marks.set_template_match(self.share_on_page(&PathSet::of(page, PathMode::TagsText)));
        marks
    }

    fn pages(&self) -> u32 {
        self.pages
    }

    fn parts(&self) -> Vec<Part> {
        let part = |(number, path): (u32, &TemplatePath)| {
            Some(Part::new(Some(number), path.text.clone()?, path.pages, self.pages))
        };
        (0..).zip(&self.paths).filter_map(part).collect()
    }

    fn describe(&self, part: u32) -> Option<String> {
        let TemplatePath { path, text, pages } = self.paths.get(part as usize)?;
        let total = self.pages;
        Some(match text {
            Some(text) => format!("text at {path} on {pages} of {total} pages: {text}"),
            None => format!("{path} on {pages} of {total} pages"),
        })
    }

    fn text(&self) -> String {
        let texts = self.paths.iter().filter_map(|path| path.text.as_deref());
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The paths of elements and texts, sorted.
    fn show(&self) -> String {
        let total = self.pages;
        let mut out = format!("learned from {total} pages\n");
        for TemplatePath { path, text, pages } in &self.paths {
            let text = text.as_deref().map(|text| format!("  {text:?}")).unwrap_or_default();
            out.push_str(&format!("{pages:>6} of {total}  {path}{text}\n"));
        }
        out
    }
}

impl PathTemplate {
    /// The paths of elements and texts, sorted.
    pub fn paths(&self) -> &[TemplatePath] {
        &self.paths
    }

    fn share_on_page(&self, page: &PathSet) -> f32 {
        let found = page.hashes().iter().filter(|path| self.numbers.contains_key(path)).count();
        if self.numbers.is_empty() { 1.0 } else { found as f32 / self.numbers.len() as f32 }
    }
}

impl Method for PathTemplates {
    type Template = PathTemplate;

    fn learn(&self, sample: &Sample) -> Result<PathTemplate, LearnError> {
        let pages = sample.pages().len();
        if pages < 2 {
            return Err(LearnError::NotEnoughPages { found: pages });
        }
        let mut supports: KeyedMap<u64, u32> = KeyedMap::default();
        for page in sample.pages() {
            for &path in PathSet::of(page, PathMode::TagsText).hashes() {
                *supports.entry(path).or_default() += 1;
            }
        }
        supports.retain(|_, support| 2 * *support as usize > pages);
        let mut paths: Vec<TemplatePath> = Vec::with_capacity(supports.len());
        let mut seen: KeyedSet<u64> = KeyedSet::default();
        for page in sample.pages() {
            for (id, hash) in paths_of(page) {
                if let Some(&pages) = supports.get(&hash).filter(|_| seen.insert(hash)) {
                    let text =
                        page.is_text(id).then(|| comparison_form(page.text(id)).into_owned());
                    paths.push(TemplatePath { path: page.path(id), text, pages });
                }
            }
        }
        paths.sort_unstable();
        Ok(PathTemplate::from(StoredPaths { pages: pages as u32, paths }))
    }
}

/// Each node of a page with the hash of its path.
fn paths_of(page: &Page) -> impl Iterator<Item = (NodeId, u64)> + '_ {
    page.nodes().zip(page.path_hashes()).map(|(id, own)| {
        let hash = if page.is_text(id) { text_path(page.text(id), own) } else { own };
        (id, hash)
    })
}
