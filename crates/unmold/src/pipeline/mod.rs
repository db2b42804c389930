//! What does a user get without choosing? Site evidence and page evidence in one verdict per block.
//!
//! What it finds: blocks of text that a reader of the page came for, whether they repeat or not.
//! How: a sample of the site's pages says how common each text, slot and place is (`evidence.rs`); together with what
//! the page itself shows (length, links, neighbours, position: `features.rs`) a small fixed sum of decision trees
//! (`model.rs`) judges each block. Verdicts on blocks at the same place on other pages count too: what is a teaser on
//! most pages is one on this page. Learning is counting; applying is one pass over the page with look-ups.
//! time: linear in the page; space: what is on at least two pages of the sample.
//! Where the weights come from: fitted on labelled sites by `tools/fit`; `unmold eval` scores every site with weights
//! fitted without it.

mod blocks;
mod evidence;
mod features;
mod model;
mod template;
#[cfg(test)]
mod tests;

pub use model::{Model, ModelError};
pub use template::{AutoTemplate, Part, Verdict};

use blocks::{Block, Blocks};
use evidence::Evidence;
use features::Features;
use serde::{Deserialize, Serialize};

use crate::marks::Marks;
use crate::methods::{LearnError, Method, Sample};
use crate::page::{NodeId, Page};

/// What of a page is to be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// Everything but the template: nothing that is unique is lost. For search and for extracting data.
    AllUnique,
    /// The main content, comments included.
    #[default]
    Main,
    /// The main content, in doubt without it.
    Article,
}

/// The default method. Works from one page on: without a site, page evidence decides.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Auto {
    /// What of a page is to be kept.
    pub keep: Keep,
}

/// How much the verdicts on other blocks at the same path count, and those on all blocks in the element around it.
const OF_PLACE: f32 = 0.4;
const OF_REGION: f32 = 0.2;

impl Auto {
    /// [`Method::learn`] with other weights than those of the library.
    ///
    /// # Errors
    /// A sample without pages.
    pub fn learn_with(&self, sample: &Sample, model: &Model) -> Result<AutoTemplate, LearnError> {
        if sample.pages().is_empty() {
            return Err(LearnError::NotEnoughPages { found: 0 });
        }
        let cut: Vec<Blocks> = sample.pages().iter().map(|page| Blocks::of(page)).collect();
        let mut evidence = Evidence::learn(&cut);
        let pages = sample.pages().iter().zip(&cut);
        let verdicts: Vec<Vec<f32>> =
            pages.map(|(page, blocks)| judge_alone(page, blocks, &evidence, model)).collect();
        evidence.remember(&cut, &verdicts);
        evidence.settle(&cut, &verdicts);
        Ok(AutoTemplate::new(self.keep, evidence, sample, &cut, model))
    }
}

impl Method for Auto {
    type Template = AutoTemplate;

    fn learn(&self, sample: &Sample) -> Result<AutoTemplate, LearnError> {
        self.learn_with(sample, Model::shipped())
    }

    fn mark(template: &AutoTemplate, page: &Page) -> Marks {
        template.mark_with(page, Model::shipped())
    }
}

/// How sure it is that each block is content, from what it and its site show. A block on which the verdict is settled
/// is not looked at again: most blocks of most pages are such.
fn judge_alone(page: &Page, blocks: &Blocks, evidence: &Evidence, model: &Model) -> Vec<f32> {
    let features = Features::new(page, blocks, evidence);
    let mut row = Vec::with_capacity(features::NAMES.len());
    let judge = |(at, block): (usize, &Block)| {
        evidence.settled(block).unwrap_or_else(|| {
            row.clear();
            features.write(at, &mut row);
            model.content(&row)
        })
    };
    blocks.list.iter().enumerate().map(judge).collect()
}

/// [`judge_alone`], with the verdicts on the same places of the sample's pages.
fn judge(page: &Page, blocks: &Blocks, evidence: &Evidence, model: &Model) -> Vec<f32> {
    let mut content = judge_alone(page, blocks, evidence, model);
    for (content, block) in content.iter_mut().zip(&blocks.list) {
        if let Some([place, region]) = evidence.content_around(block) {
            *content = (1.0 - OF_PLACE - OF_REGION) * *content + OF_PLACE * place + OF_REGION * region;
        }
    }
    content
}

/// Features of a page's blocks, for fitting the model.
#[derive(Debug)]
pub struct Table {
    /// From the first to the last text of each block.
    pub blocks: Vec<std::ops::Range<NodeId>>,
    /// Hashes of the path of each block and of the path around it.
    pub places: Vec<[u64; 2]>,
    /// The features of each block, one after the other, in the order of [`feature_names`].
    pub rows: Vec<f32>,
}

/// Names of the features.
pub fn feature_names() -> &'static [&'static str] {
    features::NAMES
}

/// The blocks of `pages` with their features, given what `sample` says about the site.
pub fn tables(sample: &[&Page], pages: &[&Page]) -> Vec<Table> {
    let learned: Vec<Blocks> = sample.iter().map(|page| Blocks::of(page)).collect();
    let evidence = Evidence::learn(&learned);
    let table = |page: &&Page| {
        let blocks = Blocks::of(page);
        let features = Features::new(page, &blocks, &evidence);
        let mut rows = Vec::new();
        for at in 0..blocks.list.len() {
            features.write(at, &mut rows);
        }
        let places = blocks.list.iter().map(|block| [block.path, block.outer]).collect();
        Table { blocks: blocks.list.into_iter().map(|block| block.nodes).collect(), places, rows }
    };
    pages.iter().map(table).collect()
}
