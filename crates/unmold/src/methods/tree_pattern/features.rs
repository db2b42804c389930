//! The features of a leaf (text, image address, link target), and the number of pages on which each
//! is found at each part.

use serde::{Deserialize, Serialize};
use unmold_html::hash::{KeyedMap, KeyedSet};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::matching::Fit;
use crate::page::{NodeId, Page, Tag, comparison_form, push_link};

/// The kinds of content that are counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureKind {
    /// A text, in comparison form.
    Text,
    /// Address of an image.
    Image,
    /// Target of the link around the leaf.
    Link,
}

/// How the values of a leaf's features are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combine {
    /// The mean.
    Mean,
    /// The smallest.
    #[serde(rename = "least")]
    Min,
    /// The largest.
    #[serde(rename = "most")]
    Max,
}

impl Combine {
    /// The value of a leaf; `None` if there are no features.
    pub(super) fn of(self, values: &[f32]) -> Option<f32> {
        match self {
            _ if values.is_empty() => None,
            Combine::Mean => Some(values.iter().sum::<f32>() / values.len() as f32),
            Combine::Min => values.iter().copied().reduce(f32::min),
            Combine::Max => values.iter().copied().reduce(f32::max),
        }
    }
}

/// A feature of a leaf. Values are compared by hash.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Feature {
    pub(super) kind: FeatureKind,
    pub(super) hash: u64,
}

impl Feature {
    pub(super) fn new(kind: FeatureKind, value: &str) -> Feature {
        Feature { kind, hash: xxh3_64(value.as_bytes()) }
    }
}

/// Reads the features of the leaves of one page.
pub(super) struct Features<'a> {
    page: &'a Page,
    base: Option<Url>,
    /// The link around each node.
    links: Vec<Option<NodeId>>,
    /// Addresses of the links seen so far.
    addresses: KeyedMap<NodeId, String>,
}

impl<'a> Features<'a> {
    pub(super) fn new(page: &'a Page) -> Features<'a> {
        let mut links: Vec<Option<NodeId>> = Vec::with_capacity(page.len() as usize);
        for id in page.nodes() {
            let outer = page.parent(id).and_then(|parent| links[parent.index()]);
            links.push(if page.tag(id) == Tag::A { Some(id) } else { outer });
        }
        Features { page, base: page.link_base(), links, addresses: KeyedMap::default() }
    }

    /// Calls `take` with each feature of a leaf and its value.
    pub(super) fn of_leaf(&mut self, id: NodeId, mut take: impl FnMut(FeatureKind, &str)) {
        if self.page.size(id) > 1 {
            return;
        }
        match self.page.tag(id) {
            Tag::TEXT => take(FeatureKind::Text, &comparison_form(self.page.text(id))),
            Tag::IMG => take(FeatureKind::Image, &self.address(id, "src")),
            _ => {}
        }
        if let Some(link) = self.links[id.index()] {
            if !self.addresses.contains_key(&link) {
                let address = self.address(link, "href");
                self.addresses.insert(link, address);
            }
            take(FeatureKind::Link, &self.addresses[&link]);
        }
    }

    fn address(&self, id: NodeId, attribute: &str) -> String {
        let mut address = String::new();
        push_link(
            &mut address,
            self.page.attribute(id, attribute).unwrap_or(""),
            self.base.as_ref(),
        );
        address
    }
}

/// The number of pages of each part of a pattern, and of each feature at its part.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Supports {
    /// Number of pages counted.
    pub(super) pages: u32,
    /// Number of pages with a node of the part.
    pub(super) parts: Vec<u32>,
    /// Number of pages with the feature at the part, and the value of the feature.
    pub(super) features: KeyedMap<(u32, Feature), (u32, String)>,
}

impl Supports {
    pub(super) fn new(parts: usize) -> Supports {
        Supports { parts: vec![0; parts], ..Supports::default() }
    }

    /// Counts a page.
    pub(super) fn add(&mut self, page: &Page, fit: &Fit) {
        let mut features = Features::new(page);
        self.add_leaves(fit, |id, take| features.of_leaf(id, take));
    }

    /// [`Supports::add`] with the features that `features_of` returns for each leaf.
    pub(super) fn add_leaves(
        &mut self,
        fit: &Fit,
        mut features_of: impl FnMut(NodeId, &mut dyn FnMut(FeatureKind, &str)),
    ) {
        self.pages += 1;
        let mut seen_parts = vec![false; self.parts.len()];
        let mut seen: KeyedSet<(u32, Feature)> = KeyedSet::default();
        for (id, part) in (0..).map(NodeId::new).zip(&fit.parts) {
            let Some(part) = *part else { continue };
            seen_parts[part as usize] = true;
            features_of(id, &mut |kind, value| {
                let feature = Feature::new(kind, value);
                if seen.insert((part, feature)) {
                    let entry = self
                        .features
                        .entry((part, feature))
                        .or_insert_with(|| (0, value.to_owned()));
                    entry.0 += 1;
                }
            });
        }
        for (count, seen) in self.parts.iter_mut().zip(seen_parts) {
            *count += u32::from(seen);
        }
    }
}
