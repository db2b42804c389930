//! A page as a set of paths, and which of its paths are essential.
//!
//! A path is essential for a page if it occurs on at least as many pages as the page's threshold:
//! the most frequent page count among the page's paths (the mode; the smallest one on a tie). This
//! leaves out content, and whatever a few pages share by chance.

use serde::{Deserialize, Serialize};
use unmold_html::hash::KeyedMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::page::{NodeId, Page, comparison_form};

/// What a path consists of.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathMode {
    /// Element names from the root to an element.
    Tags,
    /// [`PathMode::Tags`], and each text with the names of the elements around it, as in the paper.
    TagsText,
    /// [`PathMode::Tags`], and each class of an element with the names of the elements around it.
    /// Classes of ancestors are left out: a class that only one page has at its root must not make
    /// all of its paths differ from other pages.
    TagsClass,
    /// [`PathMode::TagsClass`], and likewise the other attributes that name an element's purpose:
    /// `id`, `name`, `property`, `rel`, `itemprop`, `type`, `role`.
    TagsAttributes,
    /// [`PathMode::Tags`], and each word of these attributes with the attribute's name and the
    /// names of the elements around it. Generators combine the kind of a thing and its name, as in
    /// `postid-42` and `prop_dir:TESTS`: the kind is on many pages, the whole value on one.
    #[default]
    TagsWords,
}

/// Attributes that name an element's purpose.
const NAMING_ATTRIBUTES: [&str; 7] = ["id", "itemprop", "name", "property", "rel", "role", "type"];

/// Which paths of a page are essential.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum Essential {
    /// Paths on at least as many pages as most paths of the page, as in the paper. Often this
    /// leaves only what the whole site has in common, so its kinds of pages cannot be told apart.
    Mode {
        /// Only page counts of at least this are considered for the mode. With texts, most paths
        /// are on one page only, and everything would be essential.
        #[serde(rename = "least_support")]
        min_support: u32,
    },
    /// Paths on at least this many pages.
    Support {
        /// Number of pages.
        pages: u32,
    },
}

/// The paths of one page: stable hashes, sorted, without duplicates.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PathSet(Vec<u64>);

const TEXT_SEED: u64 = 0x7465_7874;
const CLASS_SEED: u64 = 0x636c_6173;
const WORD_SEED: u64 = 0x776f_7264;

impl PathSet {
    /// Collects the paths of a page.
    pub fn of(page: &Page, mode: PathMode) -> PathSet {
        let tags = page.path_hashes();
        let mut paths = Vec::with_capacity(tags.len());
        for id in page.nodes() {
            let own = tags[id.index()];
            if page.is_text(id) {
                if mode == PathMode::TagsText {
                    paths.push(text_path(page.text(id), own));
                }
                continue;
            }
            paths.push(own);
            match mode {
                PathMode::Tags | PathMode::TagsText => {}
                PathMode::TagsClass | PathMode::TagsAttributes => {
                    push_names(page, id, own, mode, &mut paths);
                }
                PathMode::TagsWords => push_words(page, id, own, &mut paths),
            }
        }
        PathSet::from_hashes(paths)
    }

    /// Builds a set from hashes in any order.
    pub fn from_hashes(mut hashes: Vec<u64>) -> PathSet {
        hashes.sort_unstable();
        hashes.dedup();
        hashes.shrink_to_fit();
        PathSet(hashes)
    }

    /// The hashes, sorted.
    pub fn hashes(&self) -> &[u64] {
        &self.0
    }
}

/// Adds a path for each class and naming attribute of an element; `own` is the hash of the names
/// around it.
fn push_names(page: &Page, id: NodeId, own: u64, mode: PathMode, paths: &mut Vec<u64>) {
    for (name, value) in page.attributes(id) {
        if name == "class" {
            let classes = value.split_ascii_whitespace();
            paths
                .extend(classes.map(|class| xxh3_64_with_seed(class.as_bytes(), own ^ CLASS_SEED)));
        } else if mode == PathMode::TagsAttributes && NAMING_ATTRIBUTES.contains(&name) {
            let attribute = xxh3_64_with_seed(name.as_bytes(), own);
            paths.push(xxh3_64_with_seed(value.as_bytes(), attribute));
        }
    }
}

/// Adds a path for each word in the classes and naming attributes of an element; `own` is the hash
/// of the names around it.
fn push_words(page: &Page, id: NodeId, own: u64, paths: &mut Vec<u64>) {
    for (name, value) in page.attributes(id) {
        if name == "class" || NAMING_ATTRIBUTES.contains(&name) {
            let attribute = xxh3_64_with_seed(name.as_bytes(), own ^ WORD_SEED);
            let words = value.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
            paths.extend(
                words.map(|word| xxh3_64_with_seed(word.to_lowercase().as_bytes(), attribute)),
            );
        }
    }
}

/// The path of a text in [`PathMode::TagsText`]; `own` is the hash of the names around it.
pub(super) fn text_path(text: &str, own: u64) -> u64 {
    known_text_path(&comparison_form(text), own)
}

/// Same as [`text_path`], for a text already in comparison form.
pub(super) fn known_text_path(text: &str, own: u64) -> u64 {
    xxh3_64_with_seed(text.as_bytes(), own ^ TEXT_SEED)
}

/// All paths of a collection, each with the number of pages it is on.
///
/// Paths are numbered in the order of their hashes, so the numbers do not depend on the order of
/// the pages.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Universe {
    hashes: Vec<u64>,
    supports: Vec<u32>,
    numbers: KeyedMap<u64, u32>,
}

impl Universe {
    pub(crate) fn of(pages: &[PathSet]) -> Universe {
        let mut counts: KeyedMap<u64, u32> = KeyedMap::default();
        for &hash in pages.iter().flat_map(PathSet::hashes) {
            *counts.entry(hash).or_default() += 1;
        }
        Universe::from_supports(counts.into_iter().collect())
    }

    /// From pairs of a path and the number of pages it is on.
    pub(crate) fn from_supports(mut pairs: Vec<(u64, u32)>) -> Universe {
        pairs.sort_unstable();
        pairs.dedup_by_key(|pair| pair.0);
        let (hashes, supports): (Vec<u64>, Vec<u32>) = pairs.into_iter().unzip();
        let numbers = hashes.iter().zip(0..).map(|(&hash, number)| (hash, number)).collect();
        Universe { hashes, supports, numbers }
    }

    pub(crate) fn len(&self) -> usize {
        self.hashes.len()
    }

    pub(crate) fn hash(&self, number: u32) -> u64 {
        self.hashes[number as usize]
    }

    pub(crate) fn support(&self, number: u32) -> u32 {
        self.supports[number as usize]
    }

    pub(crate) fn number(&self, hash: u64) -> Option<u32> {
        self.numbers.get(&hash).copied()
    }

    /// The numbers of a page's essential paths, sorted. Ignores paths that the collection does not
    /// have.
    pub(crate) fn essential(&self, page: &PathSet, rule: Essential) -> Vec<u32> {
        let mut known: Vec<u32> =
            page.hashes().iter().filter_map(|hash| self.number(*hash)).collect();
        let threshold = match rule {
            Essential::Mode { min_support } => {
                mode_threshold(known.iter().map(|&path| self.support(path)), min_support)
            }
            Essential::Support { pages } => pages,
        };
        known.retain(|&path| self.support(path) >= threshold);
        known
    }
}

/// The most frequent of the supports that are at least `min_support`, the smallest on a tie;
/// `min_support` if there is none.
pub(crate) fn mode_threshold(supports: impl Iterator<Item = u32>, min_support: u32) -> u32 {
    let mut supports: Vec<u32> = supports.filter(|&support| support >= min_support).collect();
    supports.sort_unstable();
    let mut mode = (0, min_support);
    for run in supports.chunk_by(|a, b| a == b) {
        if run.len() > mode.0 {
            mode = (run.len(), run[0]);
        }
    }
    mode.1
}
