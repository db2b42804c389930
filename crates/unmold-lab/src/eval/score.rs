//! Scores a contender on a site. Means are taken over pages, then over page types, then over sites;
//! each step is unweighted.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::Serialize;
use unmold::site::{SampleKey, Sampler};
use unmold::{LearnError, Page, strip};

use super::contender::Contender;
use super::labelled::LabelledSite;
use super::means::{Means, mean_of};
use crate::data::Gold;

/// Scores of one site.
#[derive(Clone, Serialize, Debug)]
pub struct SiteScores {
    /// Name of the site.
    pub site: String,
    /// Pages scored.
    pub pages: usize,
    /// Type and scores of each page.
    #[serde(skip)]
    by_page: Vec<(String, BTreeMap<&'static str, f64>)>,
    /// The site is one page that is judged alone.
    #[serde(skip)]
    is_single: bool,
    /// Score by name.
    pub scores: BTreeMap<&'static str, f64>,
    /// Time to learn. Not serialized: everything written is the same in every run.
    #[serde(skip)]
    pub learning: Duration,
}

impl SiteScores {
    fn new(
        site: &LabelledSite,
        scored: &[TypedScores],
        scores: BTreeMap<&'static str, f64>,
        learning: Duration,
    ) -> SiteScores {
        let by_page = scored.iter().map(|(kind, means)| ((*kind).to_owned(), means.means()));
        SiteScores {
            site: site.name.clone(),
            pages: scored.len(),
            by_page: by_page.collect(),
            is_single: site.pages.iter().all(|(gold, _)| gold.single),
            scores,
            learning,
        }
    }
}

/// Scores of a set of sites.
#[derive(Clone, Serialize, Debug)]
pub struct SetScores {
    /// Name of the set.
    pub set: String,
    /// Means over the sites.
    pub mean: BTreeMap<&'static str, f64>,
    /// Means over the pages of each type, for sets of single pages.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, BTreeMap<&'static str, f64>>,
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

/// Means and worst values over sites. In a set of single pages every page counts the same.
pub fn mean_of_sites(set: &str, sites: Vec<SiteScores>) -> SetScores {
    let has_single = sites.iter().any(|site| site.is_single);
    let pages = || sites.iter().flat_map(|site| &site.by_page);
    let mut mean = mean_of(sites.iter().map(|site| &site.scores));
    let mut types = BTreeMap::new();
    if has_single {
        mean.extend(mean_of(pages().map(|(_, scores)| scores)));
        let kinds: BTreeSet<&String> = pages().map(|(kind, _)| kind).collect();
        for kind in kinds {
            let of_kind = pages().filter(|page| page.0 == *kind);
            types.insert(kind.clone(), mean_of(of_kind.map(|(_, scores)| scores)));
        }
    }
    let mut worst: BTreeMap<&'static str, f64> = BTreeMap::new();
    for (&name, &value) in sites.iter().flat_map(|site| &site.scores) {
        let lowest = worst.entry(name).or_insert(value);
        *lowest = lowest.min(value);
    }
    SetScores { set: set.to_owned(), mean, types, worst, sites }
}

/// Which pages a template is learned from, and which it is scored on.
#[derive(Clone, Default, Debug)]
pub struct Draw {
    /// Learn from this many pages (`None`: all) and score the rest (all if there is no rest).
    pub sample: Option<usize>,
    /// Draw the sample with this seed instead of taking the first pages.
    pub seed: Option<u64>,
    /// Draw by chance alone, regardless of addresses.
    pub by_chance: bool,
    /// Learn a template for each page type. Types with no more pages than the sample are not
    /// scored.
    pub by_type: bool,
}

impl Draw {
    /// Groups of pages that share a template, in the order in which they are drawn.
    pub fn groups<'a>(&self, site: &'a LabelledSite) -> Vec<Vec<&'a (Gold, Page)>> {
        let pages = |group: &Vec<usize>| group.iter().map(|&at| &site.pages[at]).collect();
        self.positions(site).iter().map(pages).collect()
    }

    /// The groups as positions in the site.
    pub fn positions(&self, site: &LabelledSite) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, (gold, _)) in site.pages.iter().enumerate() {
            let kind = gold.kind.as_deref().filter(|_| self.by_type).unwrap_or("");
            groups.entry(kind).or_default().push(at);
        }
        if self.by_type {
            groups.retain(|_, pages| pages.len() > self.sample.unwrap_or(1));
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        if let Some(seed) = self.seed {
            for pages in &mut groups {
                self.draw(seed, site, pages);
            }
        }
        groups
    }

    /// Moves the pages to learn from to the front. They are drawn as the command draws them, but by
    /// the hash of their names, because their bytes are no longer in memory. The rest follows in
    /// the order of these hashes.
    fn draw(&self, seed: u64, site: &LabelledSite, pages: &mut Vec<usize>) {
        let name = |at: usize| site.pages[at].0.file.as_str();
        let key = |at: usize| {
            let address = if self.by_chance { "" } else { name(at) };
            SampleKey::new(name(at).as_bytes(), address, seed)
        };
        pages.sort_by_cached_key(|&at| key(at).rank);
        let mut sampler = Sampler::new(self.sample.unwrap_or(pages.len()));
        pages.iter().for_each(|&at| sampler.insert(key(at), name(at), at));
        let drawn: Vec<usize> = sampler.into_pages().collect();
        pages.retain(|at| !drawn.contains(at));
        pages.splice(0..0, drawn);
    }

    /// How many of `pages` to learn from, and the first one to score.
    pub fn split(&self, pages: usize) -> (usize, usize) {
        let learned_from = self.sample.unwrap_or(pages).min(pages);
        (learned_from, if learned_from < pages { learned_from } else { 0 })
    }
}

/// Learns from a part of the site's pages and scores the others.
pub fn score_site(
    site: &LabelledSite,
    contender: &Contender,
    draw: &Draw,
) -> Result<SiteScores, LearnError> {
    score_site_with_texts(site, contender, draw).map(|(scores, _)| scores)
}

/// Like [`score_site`]; also returns the output for each scored page, by its position in the site.
pub fn score_site_with_texts(
    site: &LabelledSite,
    contender: &Contender,
    draw: &Draw,
) -> Result<(SiteScores, BTreeMap<usize, String>), LearnError> {
    let mut scored: Vec<TypedScores> = Vec::new();
    let mut texts = BTreeMap::new();
    let (mut parts, mut learning, mut template) = (0, Duration::ZERO, String::new());
    for group in draw.positions(site) {
        let pages: Vec<&Page> = group.iter().map(|&at| &site.pages[at].1).collect();
        let (learned_from, first_scored) = draw.split(pages.len());
        let start = Instant::now();
        let learned = contender.learn_or_nothing(&pages[..learned_from])?;
        learning += start.elapsed();
        parts += learned.parts();
        template.push_str(&(learned.text() + "\n"));
        let of_group: Vec<(usize, String, Means)> = group[first_scored..]
            .par_iter()
            .map(|&at| {
                let page = &site.pages[at].1;
                let marks = learned.mark(page);
                let text = strip(page, &marks).text();
                let mut means = site.truth(at).score_text(&text);
                if let Some(detection) = site.truth(at).detect_chunks(page, &marks) {
                    means.add("ttdr", detection.ttdr);
                    means.add_agreement(["chunk F1", "chunk P", "chunk R"], detection.agreement);
                }
                (at, text, means)
            })
            .collect();
        for (at, text, means) in of_group {
            scored.push((kind_of(site, at), means));
            texts.insert(at, text);
        }
    }
    let mut scores = mean_of_types(&scored);
    scores.insert("template parts", parts as f64);
    if site.has_content() {
        scores.insert("site term F1", site.template().agreement(&template).f1);
    }
    Ok((SiteScores::new(site, &scored, scores, learning), texts))
}

/// Type and scores of a page.
type TypedScores<'a> = (&'a str, Means);

fn kind_of(site: &LabelledSite, at: usize) -> &str {
    site.pages[at].0.kind.as_deref().unwrap_or("")
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

/// Means over pages of the site, given by their positions: over the pages of each type, then over
/// the types.
pub fn mean_of_pages(
    site: &LabelledSite,
    pages: impl Iterator<Item = (usize, Means)>,
) -> BTreeMap<&'static str, f64> {
    let scored: Vec<TypedScores> = pages.map(|(at, means)| (kind_of(site, at), means)).collect();
    mean_of_types(&scored)
}

/// Scores the outputs of another tool.
pub fn score_outputs(site: &LabelledSite, output: impl Fn(&Gold) -> String + Sync) -> SiteScores {
    let score =
        |at: usize| (kind_of(site, at), site.truth(at).score_text(&output(&site.pages[at].0)));
    let scored: Vec<TypedScores> = (0..site.pages.len()).into_par_iter().map(score).collect();
    let scores = mean_of_types(&scored);
    SiteScores::new(site, &scored, scores, Duration::ZERO)
}
