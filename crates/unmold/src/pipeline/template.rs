//! What the default learns from a sample, and what it says about a page.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::blocks::{Block, Blocks, Text};
use super::evidence::{COMMON_VALUE, Evidence, Kind};
use super::model::Model;
use super::{Keep, judge};
use crate::marks::Marks;
use crate::methods::Sample;
use crate::page::{NodeId, Page};

/// The template of a group of pages, in the form in which it is applied.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AutoTemplate {
    keep: Keep,
    evidence: Evidence,
    /// For people: the texts that are template on at least two pages, in document order.
    parts: Vec<Part>,
}

/// A text of the template.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Part {
    /// Pages of the sample that have it.
    pub pages: u32,
    /// The text.
    pub text: String,
}

/// What is said about one block, and why.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// From its first to its last text.
    pub nodes: Range<NodeId>,
    /// Whether it stays.
    pub stays: bool,
    /// How far it is content; it stays from one half on.
    pub content: f32,
    /// Why, in words.
    pub reasons: String,
}

/// From this share of the other pages on a text is template, when all that is unique is to stay.
const COMMON: f32 = 0.2;
/// What is content by less than this is no article.
const IN_DOUBT: f32 = 0.2;

impl AutoTemplate {
    pub(super) fn new(
        keep: Keep,
        evidence: Evidence,
        sample: &Sample,
        cut: &[Blocks],
        model: &Model,
    ) -> AutoTemplate {
        let mut template = AutoTemplate { keep, evidence, parts: Vec::new() };
        template.parts = template.find_parts(sample, cut, model);
        template
    }

    fn find_parts(&self, sample: &Sample, cut: &[Blocks], model: &Model) -> Vec<Part> {
        let mut parts: BTreeMap<u64, (usize, Part)> = BTreeMap::new();
        for (page, blocks) in sample.pages().iter().zip(cut) {
            let values = self.values(page, blocks, model);
            for (at, (block, value)) in blocks.list.iter().zip(values).enumerate() {
                let pages = self.evidence.count(Kind::Text, block.key);
                if pages >= 2 && value >= THRESHOLD {
                    let part = (at, Part { pages, text: page.joined_text(block.nodes.clone()) });
                    // The same whichever page comes first.
                    let known = parts.entry(block.key).or_insert_with(|| part.clone());
                    if (part.0, &part.1.text) < (known.0, &known.1.text) {
                        *known = part;
                    }
                }
            }
        }
        let mut parts: Vec<(usize, Part)> = parts.into_values().collect();
        parts.sort_by(|(a, left), (b, right)| (a, &left.text).cmp(&(b, &right.text)));
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// How far each block is template.
    fn values(&self, page: &Page, blocks: &Blocks, model: &Model) -> Vec<f32> {
        let values = match self.keep {
            Keep::AllUnique => {
                blocks.list.iter().map(|block| self.repetition(page, block, block.key)).collect()
            }
            Keep::Main | Keep::Article => {
                let doubt = if self.keep == Keep::Article { IN_DOUBT } else { 0.0 };
                let content = judge(page, blocks, &self.evidence, model);
                content.into_iter().map(|content| (1.0 - content + doubt).min(1.0)).collect()
            }
        };
        self.never_nothing(blocks, values)
    }

    /// Site evidence alone: how common the text is. A text whose slot holds other texts on many
    /// pages is a value that happens to be frequent, such as the most common of a few genres, and
    /// needs far more pages.
    fn repetition(&self, page: &Page, block: &Block, text: u64) -> f32 {
        let common = self.evidence.on_others(Kind::Text, text);
        if common == 0.0 {
            return 0.0;
        }
        let numbers = || text == block.key && self.evidence.has_other_numbers(page, block);
        let is_value = self.evidence.varies(block) || numbers();
        let min = if is_value { COMMON_VALUE } else { COMMON };
        (THRESHOLD * common / min).min(1.0)
    }

    /// A page must not vanish: if all would go, what is not on most other pages stays.
    fn never_nothing(&self, blocks: &Blocks, mut values: Vec<f32>) -> Vec<f32> {
        if values.iter().all(|&value| value >= THRESHOLD) {
            for (value, block) in values.iter_mut().zip(&blocks.list) {
                if self.evidence.on_others(Kind::Text, block.key) < 0.5 {
                    *value = THRESHOLD - 0.01;
                }
            }
        }
        values
    }

    /// Marks a page by other weights than those of the library.
    pub fn mark_with(&self, page: &Page, model: &Model) -> Marks {
        let blocks = Blocks::of(page, &self.evidence.names);
        let mut marks = Marks::with_threshold(page, THRESHOLD);
        for (block, value) in blocks.list.iter().zip(self.values(page, &blocks, model)) {
            let pages = self.evidence.count(Kind::Text, block.key);
            for id in block.text_nodes(page) {
                marks.set(id, value, Some(pages));
            }
            if self.keep == Keep::AllUnique {
                self.mark_parts(page, &blocks, block, value, &mut marks);
            }
        }
        marks.lift_to_elements(page);
        marks.set_template_match(self.evidence.found(&blocks));
        marks
    }

    /// A block that stays may still hold a text that repeats: `Price: <b>12</b>`.
    fn mark_parts(
        &self,
        page: &Page,
        blocks: &Blocks,
        block: &Block,
        value: f32,
        marks: &mut Marks,
    ) {
        for &Text { id, key, .. } in blocks.texts_of(block) {
            let pages = self.evidence.count(Kind::Text, key);
            marks.set(id, value.max(self.repetition(page, block, key)), Some(pages));
        }
    }

    /// What is said about each block of a page, and why.
    pub fn explain(&self, page: &Page) -> Vec<Verdict> {
        let blocks = Blocks::of(page, &self.evidence.names);
        let values = self.values(page, &blocks, Model::shipped());
        let verdict = |(block, value): (&Block, f32)| Verdict {
            nodes: block.nodes.clone(),
            stays: value < THRESHOLD,
            content: 1.0 - value,
            reasons: self.reasons(page, block),
        };
        blocks.list.iter().zip(values).map(verdict).collect()
    }

    fn reasons(&self, page: &Page, block: &Block) -> String {
        let pages = self.evidence.pages;
        let mut reasons = Vec::new();
        if pages > 1 {
            match self.evidence.count(Kind::Text, block.key) {
                1 => reasons.push("text of this page only".to_owned()),
                count => reasons.push(format!("text on {count} of {pages} pages")),
            }
            let slot = self.evidence.slot(block);
            if slot.pages > 1 {
                let texts = counted(slot.distinct, "text");
                reasons.push(format!("its position holds {texts} on {} pages", slot.pages));
            }
            let place = self.evidence.path(block);
            if place.pages > 1 {
                let content = place.content / 10;
                reasons.push(format!(
                    "its place is on {} pages, {content} % content there",
                    place.pages
                ));
            }
        }
        if self.keep != Keep::AllUnique && self.evidence.is_value_of_record(page, block) {
            reasons.push("a value that is frequent among the site's records".to_owned());
        }
        let links = (block.link_density() * 100.0).min(100.0) as u32;
        reasons.push(format!("{}, {links} % in links", counted(block.words, "word")));
        reasons.join("; ")
    }

    /// What of a page is kept.
    pub fn keep(&self) -> Keep {
        self.keep
    }

    /// Number of pages it was learned from.
    pub fn pages(&self) -> u32 {
        self.evidence.pages
    }

    /// Number of texts, places and positions it knows.
    pub fn known(&self) -> usize {
        self.evidence.len()
    }

    /// The texts that are template on at least two pages.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The text of the template, a line for each part.
    pub fn text(&self) -> String {
        self.parts.iter().map(|part| format!("{}\n", part.text)).collect()
    }

    /// Says in words how common a text is.
    pub fn describe(&self, source: u32) -> String {
        match source {
            1 => "text of this page only".to_owned(),
            pages => format!("text on {pages} of {} pages", self.evidence.pages),
        }
    }
}

/// `1 word`, `2 words`.
fn counted(number: impl Into<f64>, noun: &str) -> String {
    let number = number.into();
    format!("{number} {noun}{}", if number == 1.0 { "" } else { "s" })
}

/// A block goes when its value reaches this.
const THRESHOLD: f32 = 0.5;
