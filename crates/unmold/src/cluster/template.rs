//! Finds texts at the same path on more than half of the pages of a cluster.
//!
//! Paper: the one of [the clusters](super). It ends with a cluster's template as a set of paths. It
//! follows that a text of a page is template if its path (the names around it and its words) is in
//! that set.
//!
//! time and space: linear in the nodes, for learning and for marking.
//!
//! Departures: the paper counts a path only on pages for which it is essential
//! ([`PathTemplates::essential`], set by [`PathTemplates::paper`]). The default counts every path:
//! what most pages of a cluster have is template, however many other pages of the site have it.
//! Copies of a page are counted once, and a page that is alone in its cluster has no template; in
//! the paper all of it would be. The threshold is the paper's: the majority costs least to
//! describe. As in the other methods, a mark is the share of pages that have the path.

use serde::{Deserialize, Serialize};
use unmold_html::hash::{KeyedMap, KeyedSet};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::assign::Assigner;
use super::paths::{Essential, PathMode, PathSet, Universe, known_text_path, text_path};
use crate::marks::{Marks, Source};
use crate::methods::{LearnError, LearnedTemplate, Method, Part, Runner, Sample};
use crate::page::{NodeId, Page, comparison_form};

/// Learns which texts have the same path on more than half of the pages of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PathTemplates {
    /// Count a path only on pages for which it is essential; `None` counts it on all pages.
    pub essential: Option<Essential>,
}

impl PathTemplates {
    /// The paper's templates: T_c = {p : sup(p, D_c) ≥ (|D_c| + 1) / 2, p ∈ E}, where sup counts
    /// the pages for which p is essential (section V, FindMDLCost).
    pub fn paper() -> PathTemplates {
        PathTemplates { essential: Some(Essential::Mode { min_support: 1 }) }
    }
}

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

    /// The pages of the sample are the whole site.
    fn learn(&self, sample: &Sample) -> Result<PathTemplate, LearnError> {
        let sets = path_sets(sample);
        let Some(rule) = self.essential else { return template(sample, &sets) };
        let site = Universe::of(&sets);
        template(sample, &essential(&site, &sets, rule))
    }

    fn learn_cluster(
        &self,
        sample: &Sample,
        site: &Assigner,
        _: &dyn Runner,
    ) -> Result<PathTemplate, LearnError> {
        match self.essential {
            Some(rule) if site.mode() == PathMode::TagsText => {
                template(sample, &essential(&site.universe, &path_sets(sample), rule))
            }
            // Paths without texts do not say which texts are essential to the site.
            _ => self.learn(sample),
        }
    }
}

fn path_sets(sample: &Sample) -> Vec<PathSet> {
    sample.pages().iter().map(|page| PathSet::of(page, PathMode::TagsText)).collect()
}

/// The essential paths of each page, given all paths of the site.
fn essential(site: &Universe, pages: &[PathSet], rule: Essential) -> Vec<PathSet> {
    let hashes = |numbers: Vec<u32>| numbers.into_iter().map(|path| site.hash(path)).collect();
    let essential = |page| PathSet::from_hashes(hashes(site.essential(page, rule)));
    pages.iter().map(essential).collect()
}

/// The template of the pages of a sample, of which `sets` has the paths that count.
fn template(sample: &Sample, sets: &[PathSet]) -> Result<PathTemplate, LearnError> {
    let pages = sets.len();
    if pages < 2 {
        return Err(LearnError::NotEnoughPages { found: pages });
    }
    let mut supports: KeyedMap<u64, u32> = KeyedMap::default();
    for &path in sets.iter().flat_map(PathSet::hashes) {
        *supports.entry(path).or_default() += 1;
    }
    supports.retain(|_, support| 2 * *support as usize > pages);
    let mut paths: Vec<TemplatePath> = Vec::with_capacity(supports.len());
    let mut seen: KeyedSet<u64> = KeyedSet::default();
    for page in sample.pages() {
        for (id, hash) in paths_of(page) {
            if let Some(&pages) = supports.get(&hash).filter(|_| seen.insert(hash)) {
                let text = page.is_text(id).then(|| comparison_form(page.text(id)).into_owned());
                paths.push(TemplatePath { path: page.path(id), text, pages });
            }
        }
    }
    paths.sort_unstable();
    Ok(PathTemplate::from(StoredPaths { pages: pages as u32, paths }))
}

/// Each node of a page with the hash of its path.
fn paths_of(page: &Page) -> impl Iterator<Item = (NodeId, u64)> + '_ {
    page.nodes().zip(page.path_hashes()).map(|(id, own)| {
        let hash = if page.is_text(id) { text_path(page.text(id), own) } else { own };
        (id, hash)
    })
}
