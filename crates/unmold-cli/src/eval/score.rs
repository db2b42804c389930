//! Means over pages, then over page types, then over sites; each step unweighted.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::Serialize;
use unmold::metrics::{Agreement, Bag, ChunkDetection};
use unmold::page::{Delimiters, words};
use unmold::{LearnError, Marks, Page, Stripped, strip};

use super::Contender;
use super::labelled::{Gold, LabelledSite};

/// Sums of scores by name, with how many there are.
#[derive(Clone, Default, Debug)]
struct Means(BTreeMap<&'static str, (f64, usize)>);

impl Means {
    fn add(&mut self, name: &'static str, value: f64) {
        let (sum, number) = self.0.entry(name).or_default();
        *sum += value;
        *number += 1;
    }

    fn add_agreement(&mut self, names: [&'static str; 3], agreement: Agreement) {
        for (name, value) in names.into_iter().zip([agreement.f1, agreement.precision, agreement.recall]) {
            self.add(name, value);
        }
    }

    fn means(&self) -> BTreeMap<&'static str, f64> {
        self.0.iter().map(|(&name, &(sum, number))| (name, sum / number as f64)).collect()
    }
}

fn mean_of<'a>(parts: impl Iterator<Item = &'a BTreeMap<&'static str, f64>>) -> BTreeMap<&'static str, f64> {
    let mut means = Means::default();
    for part in parts {
        for (&name, &value) in part {
            means.add(name, value);
        }
    }
    means.means()
}

/// Scores of one site.
#[derive(Clone, Serialize, Debug)]
pub struct SiteScores {
    /// Name of the site.
    pub site: String,
    /// Pages scored.
    pub pages: usize,
    /// Score by name.
    pub scores: BTreeMap<&'static str, f64>,
    /// Time to learn. Not written: everything that is written is the same in every run.
    #[serde(skip)]
    pub learning: Duration,
}

/// Scores of a set of sites.
#[derive(Clone, Serialize, Debug)]
pub struct SetScores {
    /// Name of the set.
    pub set: String,
    /// Means over the sites.
    pub mean: BTreeMap<&'static str, f64>,
    /// The lowest score of any site.
    pub worst: BTreeMap<&'static str, f64>,
    /// Each site.
    pub sites: Vec<SiteScores>,
}

impl SetScores {
    /// Time to learn, over all sites.
    pub fn learning(&self) -> Duration {
        self.sites.iter().map(|site| site.learning).sum()
    }
}

/// Means and worst values over sites.
pub fn mean_of_sites(set: &str, sites: Vec<SiteScores>) -> SetScores {
    let mean = mean_of(sites.iter().map(|site| &site.scores));
    let mut worst: BTreeMap<&'static str, f64> = BTreeMap::new();
    for (&name, &value) in sites.iter().flat_map(|site| &site.scores) {
        let least = worst.entry(name).or_insert(value);
        *least = least.min(value);
    }
    SetScores { set: set.to_owned(), mean, worst, sites }
}

/// What a template is learned from, and what it is scored on.
#[derive(Clone, Default, Debug)]
pub struct Draw {
    /// Learn from this many pages (all if `None`), score the rest (all if nothing is left).
    pub sample: Option<usize>,
    /// Draw the sample by chance instead of taking the first pages.
    pub seed: Option<u64>,
    /// Learn a template for each type of page. A type with no more than the sample is not scored.
    pub by_type: bool,
}

impl Draw {
    /// The pages that share a template, in the order in which they are drawn.
    pub fn groups<'a>(&self, site: &'a LabelledSite) -> Vec<Vec<&'a (Gold, Page)>> {
        let mut groups: BTreeMap<&str, Vec<&(Gold, Page)>> = BTreeMap::new();
        for labelled in &site.pages {
            let kind = labelled.0.kind.as_deref().filter(|_| self.by_type).unwrap_or("");
            groups.entry(kind).or_default().push(labelled);
        }
        if self.by_type {
            groups.retain(|_, pages| pages.len() > self.sample.unwrap_or(1));
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        if let Some(seed) = self.seed {
            for pages in &mut groups {
                pages.sort_by_cached_key(|(gold, _)| {
                    xxhash_rust::xxh3::xxh3_64_with_seed(gold.file.as_bytes(), seed)
                });
            }
        }
        groups
    }

    /// How many of `pages` are learned from, and the first that is scored.
    pub fn split(&self, pages: usize) -> (usize, usize) {
        let learned_from = self.sample.unwrap_or(pages).min(pages);
        (learned_from, if learned_from < pages { learned_from } else { 0 })
    }
}

/// Learns from a part of the site's pages and scores the others.
pub fn score_site(site: &LabelledSite, contender: &Contender, draw: &Draw) -> Result<SiteScores, LearnError> {
    let mut scored: Vec<TypedScores> = Vec::new();
    let (mut parts, mut learning) = (0, Duration::ZERO);
    for pages in draw.groups(site) {
        let (of_group, parts_of_group, time) = score_group(&pages, contender, draw)?;
        scored.extend(of_group);
        parts += parts_of_group;
        learning += time;
    }
    let mut scores = mean_of_types(&scored);
    scores.insert("template parts", parts as f64);
    Ok(SiteScores { site: site.name.clone(), pages: scored.len(), scores, learning })
}

/// Means over the pages of each type, then over the types.
fn mean_of_types(scored: &[TypedScores]) -> BTreeMap<&'static str, f64> {
    let mut by_type: BTreeMap<&str, Vec<BTreeMap<&'static str, f64>>> = BTreeMap::new();
    for (kind, means) in scored {
        by_type.entry(kind).or_default().push(means.means());
    }
    let types: Vec<_> = by_type.values().map(|pages| mean_of(pages.iter())).collect();
    mean_of(types.iter())
}

/// A page's type and its scores.
type TypedScores<'a> = (&'a str, Means);

/// Scores all pages but the first `sample`, each with its type; also the size of the template and the time to learn.
fn score_group<'a>(
    group: &[&'a (Gold, Page)],
    contender: &Contender,
    draw: &Draw,
) -> Result<(Vec<TypedScores<'a>>, usize, Duration), LearnError> {
    let pages: Vec<&Page> = group.iter().map(|(_, page)| page).collect();
    let (learned_from, first_scored) = draw.split(pages.len());
    let start = Instant::now();
    let learned = contender.learn(&pages[..learned_from])?;
    let learning = start.elapsed();
    let scored = group[first_scored..]
        .par_iter()
        .map(|(gold, page)| (gold.kind.as_deref().unwrap_or(""), score_page(gold, page, &learned.mark(page))))
        .collect();
    Ok((scored, learned.parts(), learning))
}

fn score_page(gold: &Gold, page: &Page, marks: &Marks) -> Means {
    let body = Stripped::untouched(page).text();
    let mut means = score_text(gold, &body, &strip(page, marks).text());
    if let Some(content) = &gold.content {
        let detection = detect_chunks(page, marks, &Bag::of(content));
        means.add("ttdr", detection.ttdr);
        means.add_agreement(["chunk F1", "chunk P", "chunk R"], detection.agreement);
    }
    means
}

/// Scores of a page's output alone, whoever made it.
fn score_text(gold: &Gold, body_text: &str, out_text: &str) -> Means {
    let mut means = Means::default();
    let (body, out) = (Bag::of(body_text), Bag::of(out_text));
    if !body.is_empty() {
        means.add("removed share", 1.0 - out.len() as f64 / body.len() as f64);
    }
    if let Some(content) = &gold.content {
        let dont_care = Bag::of(&gold.dont_care.join("\n"));
        let content_bag = Bag::of(content);
        let agreement =
            Agreement::of_bags(&out.clone().minus(&dont_care), &content_bag.clone().minus(&dont_care));
        means.add_agreement(["content F1", "content P", "content R"], agreement);
        let truth = body.clone().minus(&content_bag).minus(&dont_care);
        let found = body.clone().minus(&out).minus(&dont_care);
        means.add_agreement(["template F1", "template P", "template R"], Agreement::of_bags(&found, &truth));
        means.add_agreement(["term F1", "term P", "term R"], Agreement::of_terms(&found, &truth));
        if !body.is_empty() {
            means.add("template share", truth.len() as f64 / body.len() as f64);
        }
    }
    if let Some(retention) = retention(gold, body_text, out_text) {
        means.add("retention", retention);
    }
    means
}

/// Scores outputs of another tool; a page without output counts as empty.
pub fn score_outputs(site: &LabelledSite, output: impl Fn(&Gold) -> String + Sync) -> SiteScores {
    let scored: Vec<TypedScores> = site
        .pages
        .par_iter()
        .map(|(gold, page)| {
            let body = Stripped::untouched(page).text();
            (gold.kind.as_deref().unwrap_or(""), score_text(gold, &body, &output(gold)))
        })
        .collect();
    let scores = mean_of_types(&scored);
    SiteScores { site: site.name.clone(), pages: scored.len(), scores, learning: Duration::ZERO }
}

/// A chunk is truly template if most of its words are not in the gold content.
fn detect_chunks(page: &Page, marks: &Marks, content: &Bag) -> ChunkDetection {
    let (mut common, mut found, mut truth) = (0, 0, 0);
    for chunk in page.chunks(Delimiters::Extended).into_iter().filter(|chunk| !chunk.key.is_empty()) {
        let bag = Bag::of(&chunk.key);
        let is_template = bag.common(content) * 2 < bag.len();
        let called = chunk.nodes.clone().filter(|&id| page.is_text(id)).all(|id| marks.is_template(id));
        truth += usize::from(is_template);
        found += usize::from(called);
        common += usize::from(called && is_template);
    }
    ChunkDetection::of(common, found, truth)
}

/// Share of the values on the page whose words still follow each other in the output.
fn retention(gold: &Gold, body: &str, out: &str) -> Option<f64> {
    let sequence = |text: &str| format!(" {} ", words(&text.to_lowercase()).collect::<Vec<_>>().join(" "));
    let (body, out) = (sequence(body), sequence(out));
    let values: Vec<String> = gold.attributes.values().flatten().map(|value| sequence(value)).collect();
    let present: Vec<&String> =
        values.iter().filter(|value| value.len() > 2 && body.contains(value.as_str())).collect();
    let kept = present.iter().filter(|value| out.contains(value.as_str())).count();
    (!present.is_empty()).then(|| kept as f64 / present.len() as f64)
}
