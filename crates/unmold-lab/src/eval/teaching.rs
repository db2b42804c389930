//! Labels of some pages of a site, from gold or from another tool, and what they do to the others.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use anyhow::Result;
use rayon::prelude::*;
use unmold::pipeline::{AutoTemplate, Model};
use unmold::teach::{BlockLabels, Label};
use unmold::{Auto, Page, Sample, strip};

use super::folds;
use super::labelled::LabelledSite;
use super::means::Means;
use super::outputs::Outputs;

/// A site whose template is learned, ready to be taught.
pub struct Pupil<'a> {
    /// The site.
    pub site: &'a LabelledSite,
    /// Weights fitted without it.
    pub model: &'static Model,
    template: AutoTemplate,
    gold: Vec<OnceLock<Option<BlockLabels>>>,
    default: Vec<OnceLock<Scored>>,
}

/// Scores of a page, and whether nothing is left of it.
#[derive(Clone)]
pub struct Scored {
    /// The scores.
    pub means: Means,
    /// Nothing is left.
    pub is_empty: bool,
}

/// Who labels.
#[derive(Clone, Copy)]
pub enum Teacher<'a> {
    /// Somebody who makes no mistakes.
    Gold,
    /// The same, but on the first of every five pages a fifth of the blocks is wrong.
    Noisy,
    /// Another tool: its texts of this set.
    Tool(&'a Outputs, &'a str),
}

/// How pages are chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// So many of a site, by the plan.
    Plan,
    /// So many of a site, by chance.
    Chance,
    /// So many of each kind, by the plan.
    PlanOfKind,
    /// So many of each page type, by chance.
    ChanceOfType,
}

impl<'a> Pupil<'a> {
    /// Learns the template of a site from all its pages, without labels.
    pub fn new(set: &str, site: &'a LabelledSite) -> Result<Pupil<'a>> {
        let model = folds::model_without(set, &site.name);
        let sample = Sample::without_duplicates(site.pages.iter().map(|(_, page)| page));
        Ok(Pupil {
            site,
            model,
            template: Auto::default().learn_with_model(&sample, model)?,
            gold: site.pages.iter().map(|_| OnceLock::new()).collect(),
            default: site.pages.iter().map(|_| OnceLock::new()).collect(),
        })
    }

    /// The pages to label. Those whose content is not labelled cannot be.
    pub fn choose(&self, choice: Choice, number: usize, seed: u64) -> Vec<usize> {
        let has_gold: Vec<usize> =
            (0..self.site.pages.len()).filter(|&at| self.gold(at).is_some()).collect();
        let pages: Vec<&Page> = has_gold.iter().map(|&at| &self.site.pages[at].1).collect();
        let plan = |of_kind| {
            let chosen = self.template.plan_with_model(&pages, number, of_kind, self.model);
            chosen.into_iter().map(|(at, ..)| has_gold[at]).collect()
        };
        match choice {
            Choice::Plan => plan(false),
            Choice::PlanOfKind => plan(true),
            Choice::Chance => self.by_chance(has_gold.clone(), number, seed),
            Choice::ChanceOfType => {
                let mut types: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
                for &at in &has_gold {
                    let kind = self.site.pages[at].0.kind.as_deref().unwrap_or("");
                    types.entry(kind).or_default().push(at);
                }
                types.into_values().flat_map(|of| self.by_chance(of, number, seed)).collect()
            }
        }
    }

    fn by_chance(&self, mut pages: Vec<usize>, number: usize, seed: u64) -> Vec<usize> {
        pages.sort_by_cached_key(|&at| {
            let file = self.site.pages[at].0.file.as_bytes();
            xxhash_rust::xxh3::xxh3_64_with_seed(file, seed)
        });
        pages.truncate(number);
        pages
    }

    /// What gold says about the blocks of a page.
    pub fn gold(&self, at: usize) -> Option<&BlockLabels> {
        let labels = self.gold[at].get_or_init(|| {
            let (gold, page) = &self.site.pages[at];
            let content = gold.content.as_deref().filter(|content| !content.trim().is_empty())?;
            Label::of_text(&gold.file, content).on(page).ok()
        });
        labels.as_ref()
    }

    /// Number of words of each block of a page.
    pub fn words(&self, page: &Page) -> Vec<f32> {
        let texts = unmold::teach::block_texts(page);
        texts.iter().map(|text| unmold::page::words(text).count() as f32).collect()
    }

    /// What the teacher says about some pages.
    pub fn labels(&self, teacher: Teacher, pages: &[usize]) -> Vec<(&'a Page, BlockLabels)> {
        let label = |(nth, &at): (usize, &usize)| {
            let (gold, page) = &self.site.pages[at];
            let labels = match teacher {
                Teacher::Gold => self.gold(at)?.clone(),
                Teacher::Noisy => flipped(self.gold(at)?.clone(), nth.is_multiple_of(5)),
                Teacher::Tool(outputs, set) => {
                    let text = outputs.text(set, &self.site.name, &gold.file);
                    Label::of_text(&gold.file, text).on(page).ok()?
                }
            };
            Some((page, labels))
        };
        pages.iter().enumerate().filter_map(label).collect()
    }

    /// The template with what the labels say.
    pub fn taught(&self, labels: &[(&Page, BlockLabels)]) -> AutoTemplate {
        let mut template = self.template.clone();
        template.teach_with_model(labels, self.model);
        template
    }

    /// The scores of a page by the default alone.
    pub fn by_default(&self, at: usize) -> &Scored {
        self.default[at].get_or_init(|| self.score(&self.template, at))
    }

    /// The scores of a page.
    pub fn score(&self, template: &AutoTemplate, at: usize) -> Scored {
        let page = &self.site.pages[at].1;
        let text = strip(page, &template.mark_with(page, self.model)).text();
        Scored { means: self.site.truth(at).score_text(&text), is_empty: text.trim().is_empty() }
    }

    /// The scores of all pages but those that are labelled.
    pub fn score_others(
        &self,
        template: &AutoTemplate,
        labelled: &[usize],
    ) -> Vec<(usize, Scored)> {
        self.others(labelled).into_par_iter().map(|at| (at, self.score(template, at))).collect()
    }

    /// All pages with gold but those that are labelled.
    pub fn others(&self, labelled: &[usize]) -> Vec<usize> {
        let is_other =
            |at: &usize| !labelled.contains(at) && self.site.pages[*at].0.content.is_some();
        (0..self.site.pages.len()).filter(is_other).collect()
    }
}

/// The labels with every fifth block wrong.
fn flipped(mut labels: BlockLabels, flip: bool) -> BlockLabels {
    if flip {
        // Every fifth in an order that has nothing to do with the page's.
        for (at, label) in labels.blocks.iter_mut().enumerate() {
            let chance = xxhash_rust::xxh3::xxh3_64(&(at as u64).to_le_bytes()) % 5;
            *label = label.map(|content| if chance == 0 { 1.0 - content } else { content });
        }
    }
    labels
}
