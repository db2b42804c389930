//! What tree patterns learn: one or several patterns, each part with its support and what is found
//! there again and again.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::features::{Feature, FeatureKind, Features, Supports};
use super::items::Names;
use super::matching::{Effort, Fit, fit};
use super::pattern::{Part, Pattern};
use super::tree::Tree;
use super::{Combine, ListPlace, list_places};
use crate::marks::{Marks, Source};
use crate::methods::Hex64;
use crate::page::{Flag, NodeId, Page, Tag, comparison_form, words};

/// The patterns that the pages of a site follow.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct PatternTemplate {
    stored: Stored,
    names: Names,
    patterns: Vec<Ready>,
}

/// A pattern that pages can be matched with.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Ready {
    pattern: Pattern,
    /// Pages with the feature at the part.
    features: FxHashMap<(u32, Feature), u32>,
    /// The surest of each text, at whichever part.
    texts: FxHashMap<u64, (u32, u32)>,
    /// Number of the first part, counted through all patterns.
    first: u32,
    /// Paths of element names to the elements that most pages have (true) and to the others.
    paths: FxHashMap<u64, bool>,
    /// The list that each part is in an entry of.
    lists: Vec<Option<u32>>,
}

/// What the template file holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Stored {
    /// Pages learned from, in all patterns.
    pub(super) pages: u32,
    /// Pages that follow none of the patterns.
    pub(super) foreign_pages: u32,
    /// How the features of a leaf become one value.
    pub(super) combine: Combine,
    /// Whether the first page of a feature counts for nothing.
    pub(super) smooth: bool,
    /// Whether texts are also recognised away from their part.
    pub(super) elsewhere: bool,
    /// Value in percent from which on a leaf is template.
    pub(super) threshold: u32,
    pub(super) patterns: Vec<StoredPattern>,
}

/// A pattern with its supports.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StoredPattern {
    /// Pages it was learned from.
    pub pages: u32,
    /// What is at a part on fewer pages is never template.
    #[serde(rename = "least_pages")]
    pub min_pages: u32,
    /// Its parts, in document order.
    pub parts: Vec<TemplatePart>,
}

/// A part of a pattern.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TemplatePart {
    /// Number of parts it lies in. Parts are in document order, so this says where each belongs.
    pub depth: u32,
    /// Name of an element, `#text`; or `*` once or more, `?` once or not at all, `|` one of
    /// several, `-` one of these.
    pub part: String,
    /// Pages it is found on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pages: u32,
    /// What is found there on at least two pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<TemplateFeature>,
}

impl TemplatePart {
    /// What it is, and the first things found there, for people.
    pub(super) fn label(&self) -> String {
        let found: Vec<&str> = self.features.iter().map(|one| one.value.as_str()).take(3).collect();
        match found.as_slice() {
            [] => self.part.clone(),
            _ => format!("{}: {}", self.part, found.join(" · ")),
        }
    }
}

/// Content that is found at a part on several pages.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TemplateFeature {
    /// What it is.
    pub kind: FeatureKind,
    /// Text in comparison form, or address; the beginning, if it is long.
    pub value: String,
    /// Hash of the whole, if `value` is the beginning only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<Hex64>,
    /// Pages it is found on.
    pub pages: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Bytes of a value that are stored.
const LONGEST_VALUE: usize = 300;

/// Why stored patterns are none.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    #[error("pattern {pattern} of the template has a part at depth {depth} where none can be")]
    Depth { pattern: usize, depth: u32 },
    #[error("pattern {pattern} of the template does not begin with an element")]
    Root { pattern: usize },
    #[error("pattern {pattern} of the template has {part:?} in a place where it cannot be")]
    Place { pattern: usize, part: String },
}

impl TryFrom<Stored> for PatternTemplate {
    type Error = Broken;

    fn try_from(stored: Stored) -> Result<PatternTemplate, Broken> {
        let mut names = Names::default();
        let mut patterns: Vec<Ready> = Vec::new();
        let mut first = 0;
        for (number, pattern) in stored.patterns.iter().enumerate() {
            patterns.push(Ready::new(number, pattern, first, &mut names)?);
            first += pattern.parts.len() as u32;
        }
        Ok(PatternTemplate { stored, names, patterns })
    }
}

impl From<PatternTemplate> for Stored {
    fn from(template: PatternTemplate) -> Stored {
        template.stored
    }
}

impl Ready {
    fn new(
        number: usize,
        stored: &StoredPattern,
        first: u32,
        names: &mut Names,
    ) -> Result<Ready, Broken> {
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
        let mut features = FxHashMap::default();
        let mut texts: FxHashMap<u64, (u32, u32)> = FxHashMap::default();
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
                    let surer = u64::from(feature.pages) * u64::from(known.1)
                        > u64::from(known.0) * u64::from(stored.pages);
                    if surer {
                        *known = (feature.pages, stored.pages);
                    }
                }
            }
        }
        let pattern = Pattern::new(parts, sizes);
        let lists = pattern.lists();
        let paths = paths_of(stored);
        Ok(Ready { pattern, features, texts, first, paths, lists })
    }
}

/// The paths to the elements of a pattern, hashed as [`Page::path_hashes`] does, and whether most
/// pages have them.
fn paths_of(stored: &StoredPattern) -> FxHashMap<u64, bool> {
    let mut paths = FxHashMap::default();
    // Path of the element that each open part lies in.
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

/// The number of parts below each part, itself included.
fn sizes_of(pattern: usize, stored: &[TemplatePart], parts: &[Part]) -> Result<Vec<u32>, Broken> {
    let mut sizes = vec![1u32; parts.len()];
    let mut open: Vec<usize> = Vec::new();
    if !matches!(parts.first(), Some(Part::Element(_))) {
        return Err(Broken::Root { pattern });
    }
    for (id, part) in stored.iter().enumerate() {
        let depth = part.depth as usize;
        if depth > open.len() || (depth == 0) != (id == 0) {
            return Err(Broken::Depth { pattern, depth: part.depth });
        }
        open.truncate(depth);
        let below_or = open.last().is_some_and(|&parent| parts[parent] == Part::Or);
        if below_or != (parts[id] == Part::Alternative) {
            return Err(Broken::Place { pattern, part: part.part.clone() });
        }
        open.push(id);
        for &ancestor in &open[..depth] {
            sizes[ancestor] += 1;
        }
    }
    Ok(sizes)
}

/// A pattern as it is stored.
pub(super) fn stored_pattern(
    pattern: &Pattern,
    names: &Names,
    supports: &Supports,
    node_support: f64,
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
        // Found once it is content, or cannot be told from content.
        if *pages >= 2 {
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
                part: sign(part, names),
                pages: supports.parts[id],
                features,
            }
        })
        .collect();
    let min_pages = (node_support * f64::from(supports.pages)).floor() as u32 + 1;
    StoredPattern { pages: supports.pages, min_pages, parts }
}

fn stored_feature(feature: Feature, value: &str, pages: u32) -> TemplateFeature {
    let is_short = value.len() <= LONGEST_VALUE;
    let end = value.floor_char_boundary(LONGEST_VALUE);
    TemplateFeature {
        kind: feature.kind,
        value: value[..end].to_owned(),
        hash: (!is_short).then_some(Hex64(feature.hash)),
        pages,
    }
}

fn sign(part: Part, names: &Names) -> String {
    match part {
        Part::Element(label) => names.name(label).to_owned(),
        Part::Star => "*".to_owned(),
        Part::Optional => "?".to_owned(),
        Part::Or => "|".to_owned(),
        Part::Alternative => "-".to_owned(),
    }
}

impl PatternTemplate {
    pub(super) fn stored(&self) -> &Stored {
        &self.stored
    }

    /// The patterns; [`Marks::source`] counts their parts through all of them.
    pub fn patterns(&self) -> &[StoredPattern] {
        &self.stored.patterns
    }

    /// The texts that are template, each once.
    pub(super) fn repeated_texts(&self) -> Vec<&str> {
        let mut seen = FxHashSet::default();
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
            .map_or_else(String::new, |ready| ready.pattern.notation(&self.names))
    }

    /// Writes the pattern `number` on lines of about `width` characters, indented by depth.
    pub fn outline(&self, number: usize, width: usize) -> String {
        self.patterns
            .get(number)
            .map_or_else(String::new, |ready| ready.pattern.outline(&self.names, width))
    }

    /// A part in one line; parts are counted through all patterns.
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

    /// The share of the pages with the part that have the feature there.
    fn confidence(&self, feature_pages: u32, part_pages: u32) -> f32 {
        let (feature, part) = if self.stored.smooth {
            (feature_pages.saturating_sub(1), part_pages.saturating_sub(1))
        } else {
            (feature_pages, part_pages)
        };
        if part == 0 { 0.0 } else { (feature as f32 / part as f32).min(1.0) }
    }

    /// The pattern that the page follows best, and how.
    fn best_fit(&self, page: &Page) -> Option<(usize, Fit)> {
        let number = self.most_similar(page)?;
        let tree = Tree::of_page(page, |name| self.names.known(name));
        Some((number, fit(&self.patterns[number].pattern, &tree, Effort::MARKING)))
    }

    /// The pattern with which the page shares most paths: of its own nodes and of those that most
    /// pages have.
    fn most_similar(&self, page: &Page) -> Option<usize> {
        if self.patterns.len() < 2 {
            return self.patterns.len().checked_sub(1);
        }
        let own = page.path_hashes();
        let mut distinct = own.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let likeness = |ready: &Ready| {
            let known = own.iter().filter(|&path| ready.paths.contains_key(path)).count();
            // A count does not depend on the order.
            let usual = ready.paths.values().filter(|usual| **usual).count();
            let found =
                distinct.iter().filter(|&path| ready.paths.get(path) == Some(&true)).count();
            known as f64 / own.len() as f64 + found as f64 / usual.max(1) as f64
        };
        let likeness: Vec<f64> = self.patterns.iter().map(likeness).collect();
        (0..likeness.len()).rev().max_by(|&a, &b| likeness[a].total_cmp(&likeness[b]))
    }

    /// Marks the page, and says where each of its nodes stands in a list.
    pub(super) fn mark_with_known_lists(&self, page: &Page) -> (Marks, Vec<Option<ListPlace>>) {
        match self.best_fit(page) {
            Some((number, fit)) => {
                (self.mark_fit(page, number, &fit), list_places(&self.patterns[number].lists, &fit))
            }
            None => (Marks::none(page), vec![None; page.len() as usize]),
        }
    }

    /// Marks the page by the pattern that it follows best.
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
        let (ready, stored) = (&self.patterns[number], &self.stored.patterns[number]);
        let mut features = Features::new(page);
        for (id, part) in page.nodes().zip(&fit.parts) {
            let here = part.and_then(|part| self.noise(ready, stored, part, id, &mut features));
            let elsewhere =
                if self.stored.elsewhere { self.noise_elsewhere(ready, page, id) } else { None };
            let value = here.unwrap_or(0.0).max(elsewhere.unwrap_or(0.0));
            if here.is_some() || elsewhere.is_some() {
                marks.set(id, value, part.map(|part| Source::Part(ready.first + part)));
            }
        }
        lift(page, &mut marks);
        marks.set_template_match(found_share(stored, fit));
        marks
    }

    /// How sure it is that a leaf is template; `None` if it has no features.
    fn noise(
        &self,
        ready: &Ready,
        stored: &StoredPattern,
        part: u32,
        id: NodeId,
        features: &mut Features,
    ) -> Option<f32> {
        let pages = stored.parts[part as usize].pages;
        let mut values: Vec<f32> = Vec::new();
        features.of_leaf(id, |kind, value| {
            let known =
                ready.features.get(&(part, Feature::new(kind, value))).copied().unwrap_or(0);
            values.push(if pages < stored.min_pages { 0.0 } else { self.confidence(known, pages) });
        });
        self.stored.combine.of(&values)
    }

    /// How sure it is that a text is template because it is at another part.
    fn noise_elsewhere(&self, ready: &Ready, page: &Page, id: NodeId) -> Option<f32> {
        if !page.is_text(id) {
            return None;
        }
        let text = Feature::new(FeatureKind::Text, &comparison_form(page.text(id)));
        ready.texts.get(&text.hash).map(|&(pages, of)| self.confidence(pages, of))
    }
}

/// Gives every element the least value of the texts and pictures below it; one without any that of
/// its parent.
fn lift(page: &Page, marks: &mut Marks) {
    let mut least: Vec<Option<f32>> = vec![None; page.len() as usize];
    for id in page.nodes().rev() {
        if matches!(page.tag(id), Tag::TEXT | Tag::IMG) {
            least[id.index()] = Some(marks.value(id));
        }
        if let (Some(value), Some(parent)) = (least[id.index()], page.parent(id)) {
            let known = &mut least[parent.index()];
            *known = Some(known.map_or(value, |known| known.min(value)));
        }
    }
    for id in page.nodes() {
        let value = least[id.index()].or_else(|| page.parent(id).map(|parent| marks.value(parent)));
        marks.set(id, value.unwrap_or(0.0), marks.source(id));
    }
}

/// The share of the parts that most pages have which are found.
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

/// The names from below `body` to the part, as `div > (li)* > a`.
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

/// The name of a part, with the operator it stands directly under.
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
