//! Noisy sections against the labels: a section is noise if most of its words lie outside the
//! content.

use rayon::prelude::*;
use serde::Serialize;
use unmold::Page;
use unmold::metrics::Agreement;
use unmold::sections::{Areas, Sectioning, lists, sections};

use super::contender::{Contender, Marker};
use super::labelled::LabelledSite;
use super::region::content_words;
use crate::data::Gold;

/// Which pages are learned from and scored, and how they are cut.
#[derive(Clone, Debug)]
pub struct SectionDraw {
    /// Pages to learn from; half of the site if it has no more than this.
    pub learn: usize,
    /// Maximum number of pages to score.
    pub test: usize,
    /// Seed of the order in which pages are taken.
    pub seed: u64,
    /// How pages are cut.
    pub settings: Sectioning,
}

/// Scores of one site.
#[derive(Clone, Debug)]
pub struct SectionScores {
    /// Name of the site.
    pub site: String,
    /// Pages scored.
    pub pages: usize,
    /// Sections with at least one word that counts.
    pub sections: usize,
    /// Sections that are noise by the labels.
    pub noise: usize,
    /// Sections that are noise by their importance.
    pub found: usize,
    /// Share of the found sections that are noise.
    pub precision: f64,
    /// Share of the noise that is found.
    pub recall: f64,
    /// Precision with each section weighted by its words.
    pub word_precision: f64,
    /// Recall with each section weighted by its words.
    pub word_recall: f64,
    /// Share of a page's text in noisy sections, mean over pages.
    pub noise_share: f64,
}

/// One scored section with all its measurements, to study what is found and what is missed.
#[derive(Clone, Serialize, Debug)]
pub struct ScoredSection {
    /// Name of the site.
    pub site: String,
    /// File of the page.
    pub file: String,
    /// Kind of section.
    pub kind: &'static str,
    /// Importance of the section.
    pub importance: f64,
    /// Mean mark of its leaves.
    pub noise: f64,
    /// Its share of the page's area.
    pub area_share: f64,
    /// Its share of the page's text.
    pub text_share: f64,
    /// Share of its text in links.
    pub link_share: f64,
    /// Number of words that count.
    pub words: usize,
    /// Number of those that are content.
    pub content_words: usize,
    /// Depth of its first node.
    pub depth: u32,
    /// Name of its first node.
    pub tag: String,
}

#[derive(Clone, Default)]
struct Counts {
    sections: usize,
    common: usize,
    noise: usize,
    found: usize,
    /// Words of the same three.
    words: [usize; 3],
    noise_share: f64,
    each: Vec<ScoredSection>,
}

/// Learns from some pages of the site and scores others; `None` if there are too few to learn from
/// or to score.
pub fn score_sections(
    site: &LabelledSite,
    contender: &Contender,
    draw: &SectionDraw,
) -> Option<(SectionScores, Vec<ScoredSection>)> {
    let mut pages: Vec<&(Gold, Page)> = site.pages.iter().collect();
    pages.sort_by_cached_key(|(gold, _)| {
        xxhash_rust::xxh3::xxh3_64_with_seed(gold.file.as_bytes(), draw.seed)
    });
    let learn = if pages.len() > draw.learn { draw.learn } else { pages.len() / 2 };
    let (sample, rest) = pages.split_at(learn);
    let tested: Vec<&(Gold, Page)> =
        rest.iter().copied().filter(|(gold, _)| gold.content.is_some()).take(draw.test).collect();
    if tested.is_empty() {
        return None;
    }
    let sample: Vec<&Page> = sample.iter().map(|(_, page)| page).collect();
    let learned = contender.learn(&sample).ok()?;
    let counts: Vec<Counts> = tested
        .par_iter()
        .map(|(gold, page)| count(site, gold, page, &learned, &draw.settings))
        .collect();
    let scores = sum(&site.name, &counts);
    Some((scores, counts.into_iter().flat_map(|counts| counts.each).collect()))
}

fn count(
    site: &LabelledSite,
    gold: &Gold,
    page: &Page,
    learned: &Marker,
    settings: &Sectioning,
) -> Counts {
    let words = content_words(page, gold, gold.content.as_deref().unwrap_or(""));
    let mut counts = Counts::default();
    let (marks, lists) = match learned.template() {
        Some(template) => template.kind_of(page).0.mark_with_lists(page),
        None => (learned.mark(page), lists(page)),
    };
    for section in sections(page, &marks, &lists, &Areas::estimate(page), settings) {
        let is_noisy = section.importance < settings.noisy_below;
        if is_noisy {
            counts.noise_share += section.text_share;
        }
        let (mut all, mut content) = (0, 0);
        for id in section.texts(page) {
            all += words[id.index()].all;
            content += words[id.index()].content;
        }
        if all == 0 {
            continue;
        }
        let is_noise = 2 * content < all;
        counts.sections += 1;
        counts.each.push(ScoredSection {
            site: site.name.clone(),
            file: gold.file.clone(),
            kind: section.kind.name(),
            importance: section.importance,
            noise: section.noise,
            area_share: section.area_share,
            text_share: section.text_share,
            link_share: section.link_share,
            words: all,
            content_words: content,
            depth: page.depth(section.nodes[0]),
            tag: page.tag_name(section.nodes[0]).to_owned(),
        });
        for (at, counts_here) in [is_noisy && is_noise, is_noise, is_noisy].into_iter().enumerate()
        {
            if counts_here {
                counts.words[at] += all;
                match at {
                    0 => counts.common += 1,
                    1 => counts.noise += 1,
                    _ => counts.found += 1,
                }
            }
        }
    }
    counts
}

fn sum(site: &str, counts: &[Counts]) -> SectionScores {
    let total = |value: &dyn Fn(&Counts) -> usize| counts.iter().map(value).sum::<usize>();
    let (common, noise, found) = (total(&|c| c.common), total(&|c| c.noise), total(&|c| c.found));
    let agreement = Agreement::of(common, found, noise);
    let words =
        Agreement::of(total(&|c| c.words[0]), total(&|c| c.words[2]), total(&|c| c.words[1]));
    SectionScores {
        site: site.to_owned(),
        pages: counts.len(),
        sections: total(&|c| c.sections),
        noise,
        found,
        precision: agreement.precision,
        recall: agreement.recall,
        word_precision: words.precision,
        word_recall: words.recall,
        noise_share: counts.iter().map(|c| c.noise_share).sum::<f64>() / counts.len() as f64,
    }
}

/// Sums of the counts, means of the scores.
pub fn mean_of_sections(sites: &[SectionScores]) -> SectionScores {
    let mean = |value: fn(&SectionScores) -> f64| {
        sites.iter().map(value).sum::<f64>() / sites.len() as f64
    };
    let sum = |value: fn(&SectionScores) -> usize| sites.iter().map(value).sum();
    SectionScores {
        site: String::new(),
        pages: sum(|s| s.pages),
        sections: sum(|s| s.sections),
        noise: sum(|s| s.noise),
        found: sum(|s| s.found),
        precision: mean(|s| s.precision),
        recall: mean(|s| s.recall),
        word_precision: mean(|s| s.word_precision),
        word_recall: mean(|s| s.word_recall),
        noise_share: mean(|s| s.noise_share),
    }
}
