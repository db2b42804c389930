//! The template that tree patterns learn: one or more patterns, each part with its support and its
//! repeated content.

use serde::{Deserialize, Serialize};
use unmold_html::hash::{KeyedMap, KeyedSet};

use super::TreePattern;
use super::features::{Combine, Feature, FeatureKind, Features, Supports};
use super::items::Names;
use super::lists::{ListPlace, list_places};
use super::matching::{Effort, Fit, fit};
use super::pattern::{Part, Pattern};
use super::tree::Tree;
use crate::marks::{Marks, Source};
use crate::methods::Hex64;
use crate::page::{Flag, NodeId, Page, Tag, comparison_form, words};

/// The patterns that the pages of a site follow.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredPatternFile", into = "StoredPatternFile")]
pub struct PatternTemplate {
    stored: StoredPatternFile,
    names: Names,
    patterns: Vec<CompiledPattern>,
}

/// A pattern ready for matching pages.
#[derive(Clone, PartialEq, Eq, Debug)]
struct CompiledPattern {
    pattern: Pattern,
    /// Number of pages with the feature at the part.
    features: KeyedMap<(u32, Feature), u32>,
    /// By hash of the text, the pages of the text and of the part where its share is largest.
    texts: KeyedMap<u64, (u32, u32)>,
    /// Number of the first part; parts are numbered consecutively across all patterns.
    first: u32,
    /// Paths of element names, and whether most pages have the element.
    paths: KeyedMap<u64, bool>,
    /// The list whose entries each part belongs to.
    lists: Vec<Option<u32>>,
}

/// A pattern template as stored in the template file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct StoredPatternFile {
    /// Number of pages learned from, over all patterns.
    pub(super) pages: u32,
    /// Number of pages that follow none of the patterns.
    pub(super) foreign_pages: u32,
    /// How the values of a leaf's features are combined.
    pub(super) combine: Combine,
    /// Whether the first page of a feature counts for nothing.
    pub(super) smooth: bool,
    /// Whether texts are also recognised at other parts.
    pub(super) elsewhere: bool,
    /// A leaf with at least this value, in percent, is template.
    pub(super) threshold: u32,
    pub(super) patterns: Vec<StoredPattern>,
}

/// A pattern with its support.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StoredPattern {
    /// Number of pages it was learned from.
    pub pages: u32,
    /// Content at a part on fewer pages than this is never template.
    #[serde(rename = "least_pages")]
    pub min_pages: u32,
    /// Its parts, in document order.
    pub parts: Vec<TemplatePart>,
}

/// A part of a pattern.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TemplatePart {
    /// Number of enclosing parts. Parts are in document order, so this determines the parent of
    /// each.
    pub depth: u32,
    /// An element name or `#text`; or `*` once or more, `?` once or not at all, `|` one of several,
    /// `-` one of these.
    pub part: String,
    /// Number of pages it is found on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pages: u32,
    /// The content found there, on at least [`TreePattern::min_feature_pages`] pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<TemplateFeature>,
}

impl TemplatePart {
    /// The part and the first of its features, for display.
    pub(super) fn label(&self) -> String {
        let found: Vec<&str> = self.features.iter().map(|one| one.value.as_str()).take(3).collect();
        match found.as_slice() {
            [] => self.part.clone(),
            _ => format!("{}: {}", self.part, found.join(" · ")),
        }
    }
}

/// Content found at a part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TemplateFeature {
    /// The kind of content.
    pub kind: FeatureKind,
    /// The text in comparison form, or the address; only the beginning if it is long.
    pub value: String,
    /// Hash of the full value, if `value` is only the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<Hex64>,
    /// Number of pages it is found on.
    pub pages: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Maximum number of bytes stored of a value.
const MAX_VALUE_BYTES: usize = 300;

/// Why stored patterns are invalid.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidPattern {
    #[error("pattern {pattern} of the template has a part at the impossible depth {depth}")]
    Depth { pattern: usize, depth: u32 },
    #[error("pattern {pattern} of the template does not begin with an element")]
    Root { pattern: usize },
    #[error(
        "pattern {pattern} of the template has {part:?} in an invalid place: \"-\" must be \
         directly below \"|\", and nothing else may be"
    )]
    Place { pattern: usize, part: String },
}

impl TryFrom<StoredPatternFile> for PatternTemplate {
    type Error = InvalidPattern;

    fn try_from(stored: StoredPatternFile) -> Result<PatternTemplate, InvalidPattern> {
        let mut names = Names::default();
        let mut patterns: Vec<CompiledPattern> = Vec::new();
        let mut first = 0;
        for (number, pattern) in stored.patterns.iter().enumerate() {
            patterns.push(CompiledPattern::new(number, pattern, first, &mut names)?);
            first += pattern.parts.len() as u32;
        }
        Ok(PatternTemplate { stored, names, patterns })
    }
}

impl From<PatternTemplate> for StoredPatternFile {
    fn from(template: PatternTemplate) -> StoredPatternFile {
        template.stored
    }
}

impl CompiledPattern {
    fn new(
        number: usize,
        stored: &StoredPattern,
        first: u32,
        names: &mut Names,
    ) -> Result<CompiledPattern, InvalidPattern> {
        let parts: Vec<Part> = stored
            .parts
            .iter()
            .map(|part| match part.part.as_str() {
                "*" => Part::Star,
                "?" => Part::Optional,
                "|" => Part::Or,
                "-" => Part::Alternative,
                name => Part::Element(names.number(name)),
            })
            .collect();
        let sizes = sizes_of(number, &stored.parts, &parts)?;
        let mut features = KeyedMap::default();
        let mut texts: KeyedMap<u64, (u32, u32)> = KeyedMap::default();
        let min_pages = stored.min_pages;
        for (part, stored) in (0..).zip(&stored.parts) {
            for feature in &stored.features {
                let hash = feature
                    .hash
                    .map_or_else(|| Feature::new(feature.kind, &feature.value).hash, |hash| hash.0);
                features.insert((part, Feature { kind: feature.kind, hash }), feature.pages);
                if feature.kind == FeatureKind::Text
                    && stored.pages >= min_pages
                    && words(&feature.value).nth(1).is_some()
                {
                    let known = texts.entry(hash).or_insert((0, 1));
                    let is_larger_share = u64::from(feature.pages) * u64::from(known.1)
                        > u64::from(known.0) * u64::from(stored.pages);
                    if is_larger_share {
                        *known = (feature.pages, stored.pages);
                    }
                }
            }
        }
        let pattern = Pattern::new(parts, sizes);
        let lists = pattern.lists();
        let paths = paths_of(stored);
        Ok(CompiledPattern { pattern, features, texts, first, paths, lists })
    }
}

/// The paths to the elements of a pattern, hashed as [`Page::path_hashes`] does, and whether most
/// pages have them.
fn paths_of(stored: &StoredPattern) -> KeyedMap<u64, bool> {
    let mut paths = KeyedMap::default();
    // For each open part, the path of the innermost element around its content.
    let mut open: Vec<u64> = Vec::new();
    for part in &stored.parts {
        open.truncate(part.depth as usize);
        let outer = open.last().copied().unwrap_or(0);
        if !is_element(part) {
            open.push(outer);
            continue;
        }
        let path = xxhash_rust::xxh3::xxh3_64_with_seed(part.part.as_bytes(), outer);
        *paths.entry(path).or_default() |= 2 * part.pages > stored.pages;
        open.push(path);
    }
    paths
}

/// The size of each part: the number of parts below it and itself.
fn sizes_of(
    pattern: usize,
    stored: &[TemplatePart],
    parts: &[Part],
) -> Result<Vec<u32>, InvalidPattern> {
    let mut sizes = vec![1u32; parts.len()];
    let mut open: Vec<usize> = Vec::new();
    if !matches!(parts.first(), Some(Part::Element(_))) {
        return Err(InvalidPattern::Root { pattern });
    }
    for (id, part) in stored.iter().enumerate() {
        let depth = part.depth as usize;
        if depth > open.len() || (depth == 0) != (id == 0) {
            return Err(InvalidPattern::Depth { pattern, depth: part.depth });
        }
        open.truncate(depth);
        let below_or = open.last().is_some_and(|&parent| parts[parent] == Part::Or);
        if below_or != (parts[id] == Part::Alternative) {
            return Err(InvalidPattern::Place { pattern, part: part.part.clone() });
        }
        open.push(id);
        for &ancestor in &open[..depth] {
            sizes[ancestor] += 1;
        }
    }
    Ok(sizes)
}

/// The stored form of a pattern.
pub(super) fn stored_pattern(
    pattern: &Pattern,
    names: &Names,
    supports: &Supports,
    settings: &TreePattern,
) -> StoredPattern {
    let mut depths = vec![0u32; pattern.len()];
    for id in 0..pattern.len() {
        for child in pattern.children(id) {
            depths[child] = depths[id] + 1;
        }
    }
    let mut features: Vec<Vec<TemplateFeature>> = vec![Vec::new(); pattern.len()];
    let mut counted: Vec<_> = supports.features.iter().collect();
    counted.sort_unstable();
    for (&(part, feature), (pages, value)) in counted {
        if *pages >= settings.min_feature_pages {
            features[part as usize].push(stored_feature(feature, value, *pages));
        }
    }
    let parts = pattern
        .parts
        .iter()
        .enumerate()
        .map(|(id, &part)| {
            let mut features = std::mem::take(&mut features[id]);
            features.sort_by(|a, b| {
                b.pages.cmp(&a.pages).then_with(|| (a.kind, &a.value).cmp(&(b.kind, &b.value)))
            });
            TemplatePart {
                depth: depths[id],
                part: symbol(part, names),
                pages: supports.parts[id],
                features,
            }
        })
        .collect();
    let min_pages = (settings.node_support * f64::from(supports.pages)).floor() as u32 + 1;
    StoredPattern { pages: supports.pages, min_pages, parts }
}

fn stored_feature(feature: Feature, value: &str, pages: u32) -> TemplateFeature {
    let is_short = value.len() <= MAX_VALUE_BYTES;
    let end = value.floor_char_boundary(MAX_VALUE_BYTES);
    TemplateFeature {
        kind: feature.kind,
        value: value[..end].to_owned(),
        hash: (!is_short).then_some(Hex64(feature.hash)),
        pages,
    }
}

fn symbol(part: Part, names: &Names) -> String {
    match part {
        Part::Element(label) => names.name(label).to_owned(),
        Part::Star => "*".to_owned(),
        Part::Optional => "?".to_owned(),
        Part::Or => "|".to_owned(),
        Part::Alternative => "-".to_owned(),
    }
}

impl PatternTemplate {
    pub(super) fn stored(&self) -> &StoredPatternFile {
        &self.stored
    }

    /// The patterns. [`Marks::source`] numbers their parts consecutively across all patterns.
    pub fn patterns(&self) -> &[StoredPattern] {
        &self.stored.patterns
    }

    /// The texts that are template, each once.
    pub(super) fn repeated_texts(&self) -> Vec<&str> {
        let mut seen = KeyedSet::default();
        let mut lines = Vec::new();
        for pattern in &self.stored.patterns {
            for part in pattern.parts.iter().filter(|part| part.pages >= pattern.min_pages) {
                for feature in &part.features {
                    let is_template = 100.0 * self.confidence(feature.pages, part.pages)
                        >= self.stored.threshold as f32;
                    if feature.kind == FeatureKind::Text
                        && is_template
                        && seen.insert(&feature.value)
                    {
                        lines.push(feature.value.as_str());
                    }
                }
            }
        }
        lines
    }

    /// Writes the pattern `number` on one line: `ul{(li{a})*}`.
    pub fn notation(&self, number: usize) -> String {
        self.patterns
            .get(number)
            .map_or_else(String::new, |compiled| compiled.pattern.notation(&self.names))
    }

    /// Writes the pattern `number` on lines of about `width` characters, indented by depth.
    pub fn outline(&self, number: usize, width: usize) -> String {
        self.patterns
            .get(number)
            .map_or_else(String::new, |compiled| compiled.pattern.outline(&self.names, width))
    }

    /// Describes a part in one line. Parts are numbered consecutively across all patterns.
    pub(super) fn describe_part(&self, number: u32) -> Option<String> {
        let mut rest = number as usize;
        let pattern = self.stored.patterns.iter().find(|pattern| {
            let here = rest < pattern.parts.len();
            rest -= if here { 0 } else { pattern.parts.len() };
            here
        })?;
        let part = &pattern.parts[rest];
        Some(format!(
            "{}, on {} of {} pages",
            path(&pattern.parts, rest),
            part.pages,
            pattern.pages
        ))
    }

    /// The share of the part's pages that have the feature there, smoothed if so configured.
    fn confidence(&self, feature_pages: u32, part_pages: u32) -> f32 {
        let (feature, part) = if self.stored.smooth {
            (feature_pages.saturating_sub(1), part_pages.saturating_sub(1))
        } else {
            (feature_pages, part_pages)
        };
        if part == 0 { 0.0 } else { (feature as f32 / part as f32).min(1.0) }
    }

    /// The pattern that fits the page best, and the fit.
    fn best_fit(&self, page: &Page) -> Option<(usize, Fit)> {
        let number = self.most_similar(page)?;
        let tree = Tree::of_page(page, |name| self.names.known(name));
        Some((number, fit(&self.patterns[number].pattern, &tree, Effort::MARKING)))
    }

    /// The pattern that shares the most paths with the page: the share of the page's nodes plus the
    /// share of the pattern's usual paths.
    fn most_similar(&self, page: &Page) -> Option<usize> {
        if self.patterns.len() < 2 {
            return self.patterns.len().checked_sub(1);
        }
        let own = page.path_hashes();
        let mut distinct = own.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let similarity = |compiled: &CompiledPattern| {
            let known = own.iter().filter(|&path| compiled.paths.contains_key(path)).count();
            // The iteration order does not affect a count.
            let usual = compiled.paths.values().filter(|usual| **usual).count();
            let found =
                distinct.iter().filter(|&path| compiled.paths.get(path) == Some(&true)).count();
            known as f64 / own.len() as f64 + found as f64 / usual.max(1) as f64
        };
        let similarity: Vec<f64> = self.patterns.iter().map(similarity).collect();
        (0..similarity.len()).rev().max_by(|&a, &b| similarity[a].total_cmp(&similarity[b]))
    }

    /// Marks the page and finds the place of each of its nodes in a list.
    pub(super) fn mark_with_known_lists(&self, page: &Page) -> (Marks, Vec<Option<ListPlace>>) {
        match self.best_fit(page) {
            Some((number, fit)) => {
                (self.mark_fit(page, number, &fit), list_places(&self.patterns[number].lists, &fit))
            }
            None => (Marks::none(page), vec![None; page.len() as usize]),
        }
    }

    /// Marks the page by the pattern that fits it best.
    pub(super) fn mark_by_pattern(&self, page: &Page) -> Marks {
        if page.flags().contains(&Flag::TooLarge) {
            return Marks::none(page);
        }
        match self.best_fit(page) {
            Some((number, fit)) => self.mark_fit(page, number, &fit),
            None => Marks::none(page),
        }
    }

    fn mark_fit(&self, page: &Page, number: usize, fit: &Fit) -> Marks {
        let mut marks = Marks::with_threshold(page, self.stored.threshold as f32 / 100.0);
        let (compiled, stored) = (&self.patterns[number], &self.stored.patterns[number]);
        let mut features = Features::new(page);
        for (id, part) in page.nodes().zip(&fit.parts) {
            let here = part
                .and_then(|part| self.leaf_confidence(compiled, stored, part, id, &mut features));
            let elsewhere = if self.stored.elsewhere {
                self.elsewhere_confidence(compiled, page, id)
            } else {
                None
            };
            let value = here.unwrap_or(0.0).max(elsewhere.unwrap_or(0.0));
            if here.is_some() || elsewhere.is_some() {
                marks.set(id, value, part.map(|part| Source::Part(compiled.first + part)));
            }
        }
        lift(page, &mut marks);
        marks.set_template_match(found_share(stored, fit));
        marks
    }

    /// The confidence that a leaf is template; `None` if it has no features.
    fn leaf_confidence(
        &self,
        compiled: &CompiledPattern,
        stored: &StoredPattern,
        part: u32,
        id: NodeId,
        features: &mut Features,
    ) -> Option<f32> {
        let pages = stored.parts[part as usize].pages;
        let mut values: Vec<f32> = Vec::new();
        features.of_leaf(id, |kind, value| {
            let known =
                compiled.features.get(&(part, Feature::new(kind, value))).copied().unwrap_or(0);
            values.push(if pages < stored.min_pages { 0.0 } else { self.confidence(known, pages) });
        });
        self.stored.combine.of(&values)
    }

    /// The confidence that a text is template because it is template at another part.
    fn elsewhere_confidence(
        &self,
        compiled: &CompiledPattern,
        page: &Page,
        id: NodeId,
    ) -> Option<f32> {
        if !page.is_text(id) {
            return None;
        }
        let text = Feature::new(FeatureKind::Text, &comparison_form(page.text(id)));
        compiled.texts.get(&text.hash).map(|&(pages, of)| self.confidence(pages, of))
    }
}

/// Gives every element the lowest value of the texts and images below it, or without any the value
/// of its parent.
fn lift(page: &Page, marks: &mut Marks) {
    let mut lowest: Vec<Option<f32>> = vec![None; page.len() as usize];
    for id in page.nodes().rev() {
        if matches!(page.tag(id), Tag::TEXT | Tag::IMG) {
            lowest[id.index()] = Some(marks.value(id));
        }
        if let (Some(value), Some(parent)) = (lowest[id.index()], page.parent(id)) {
            let known = &mut lowest[parent.index()];
            *known = Some(known.map_or(value, |known| known.min(value)));
        }
    }
    for id in page.nodes() {
        let value =
            lowest[id.index()].or_else(|| page.parent(id).map(|parent| marks.value(parent)));
        marks.set(id, value.unwrap_or(0.0), marks.source(id));
    }
}

/// Of the parts that most pages have, the share found on the page.
fn found_share(stored: &StoredPattern, fit: &Fit) -> f32 {
    let mut is_there = vec![false; stored.parts.len()];
    for part in fit.parts.iter().flatten() {
        is_there[*part as usize] = true;
    }
    let usual = stored.parts.iter().zip(is_there).filter(|(part, _)| 2 * part.pages > stored.pages);
    let (mut all, mut found) = (0, 0);
    for (_, there) in usual {
        all += 1;
        found += u32::from(there);
    }
    if all == 0 { 0.0 } else { found as f32 / all as f32 }
}

/// The names from below `body` to the part, such as `div > (li)* > a`.
fn path(parts: &[TemplatePart], id: usize) -> String {
    let mut names = vec![name(parts, id)];
    let mut depth = parts[id].depth;
    for at in (0..id).rev() {
        if parts[at].depth < depth {
            depth = parts[at].depth;
            if depth >= 2 && is_element(&parts[at]) {
                names.push(name(parts, at));
            }
        }
    }
    names.reverse();
    names.join(" > ")
}

fn is_element(part: &TemplatePart) -> bool {
    !matches!(part.part.as_str(), "*" | "?" | "|" | "-")
}

/// The name of a part, with the operator directly above it.
fn name(parts: &[TemplatePart], id: usize) -> String {
    let name = &parts[id].part;
    match id.checked_sub(1).map(|before| &parts[before]) {
        Some(outer)
            if outer.depth + 1 == parts[id].depth && matches!(outer.part.as_str(), "*" | "?") =>
        {
            format!("({name}){}", outer.part)
        }
        _ => name.clone(),
    }
}
