//! What the default learns from a sample, and what it says about a page.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::blocks::{Block, Blocks, Text};
use super::evidence::{COMMON_VALUE, Evidence, Kind};
use super::model::Model;
use super::seen::Seen;
use super::together::{Change, keep_together};
use super::{Auto, Judged, Keep, PageKind, judge};
use crate::marks::{Marks, Source};
use crate::methods::{Explanation, Sample, Verdict, text_on_pages};
use crate::page::{NodeId, Page};
use crate::teach::{Keys, Taught};

/// The template of a group of pages, in the form in which it is applied.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AutoTemplate {
    /// The model that it was learned with, and is to be applied with; absent in files of releases
    /// that did not name it.
    #[serde(default)]
    model: String,
    keep: Keep,
    /// What kind of pages they are, if somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<PageKind>,
    evidence: Evidence,
    /// For people: the texts that are template on at least two pages, in document order.
    parts: Vec<TemplateText>,
    /// What labels of some pages say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    taught: Option<Taught>,
}

/// A text of the template.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TemplateText {
    /// Pages of the sample that have it.
    pub pages: u32,
    /// The text.
    pub text: String,
}

/// From this share of the other pages on a text is template, when all that is unique is to stay.
const COMMON: f32 = 0.2;
/// What is content by less than this is no article.
const IN_DOUBT: f32 = 0.2;

impl AutoTemplate {
    pub(super) fn new(
        settings: &Auto,
        evidence: Evidence,
        sample: &Sample,
        cut: &[Blocks],
        model: &Model,
    ) -> AutoTemplate {
        let mut template = AutoTemplate {
            model: model.id().to_owned(),
            keep: settings.keep,
            kind: settings.kind,
            evidence,
            parts: Vec::new(),
            taught: None,
        };
        template.parts = template.find_parts(sample, cut, model);
        template
    }

    fn find_parts(&self, sample: &Sample, cut: &[Blocks], model: &Model) -> Vec<TemplateText> {
        let mut parts: BTreeMap<u64, (usize, TemplateText)> = BTreeMap::new();
        for (page, blocks) in sample.pages().iter().zip(cut) {
            let values = match self.keep {
                Keep::AllUnique => self.repetitions(page, blocks),
                Keep::Main | Keep::Article => {
                    self.values(blocks, &self.judge(page, blocks, model).contents)
                }
            };
            for (at, (block, value)) in blocks.list.iter().zip(values).enumerate() {
                let pages = self.evidence.count(Kind::Text, block.key);
                if pages >= 2 && value >= THRESHOLD {
                    let part =
                        (at, TemplateText { pages, text: page.joined_text(block.nodes.clone()) });
                    // The same whichever page comes first.
                    let known = parts.entry(block.key).or_insert_with(|| part.clone());
                    if (part.0, &part.1.text) < (known.0, &known.1.text) {
                        *known = part;
                    }
                }
            }
        }
        let mut parts: Vec<(usize, TemplateText)> = parts.into_values().collect();
        parts.sort_by(|(a, left), (b, right)| (a, &left.text).cmp(&(b, &right.text)));
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// How far each block is no main content, or no part of the article.
    fn values(&self, blocks: &Blocks, contents: &[f32]) -> Vec<f32> {
        let values = contents.iter().map(|content| 1.0 - content).collect();
        let values = self.never_nothing(blocks, values);
        if self.keep == Keep::Article { without_doubtful(values) } else { values }
    }

    fn judge(&self, page: &Page, blocks: &Blocks, model: &Model) -> Judged {
        judge(page, blocks, &self.evidence, model, self.kind, self.taught.as_ref())
    }

    /// How far the text of each block repeats.
    fn repetitions(&self, page: &Page, blocks: &Blocks) -> Vec<f32> {
        let repetition = |block: &Block| self.repetition(page, block, block.key);
        self.never_nothing(blocks, blocks.list.iter().map(repetition).collect())
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

    /// Marks a page with other weights than those of the library.
    pub fn mark_with(&self, page: &Page, model: &Model) -> Marks {
        let blocks = Blocks::of(page, &self.evidence.names);
        self.marks(page, &blocks, model).0
    }

    /// Marks a page and says why, from the same verdicts.
    pub(super) fn explain_with(&self, page: &Page, model: &Model) -> Explanation {
        let blocks = Blocks::of(page, &self.evidence.names);
        let (marks, changes) = self.marks(page, &blocks, model);
        let changes: BTreeMap<NodeId, &str> = changes.into_iter().collect();
        let said = self.labels_on(page, &blocks);
        let verdict = |(at, block): (usize, &Block)| {
            let label = said.as_ref().and_then(|said| said[at].as_deref());
            let change = changes.get(&block.nodes.start).copied();
            let reasons = self.reasons(page, block);
            let reasons: Vec<&str> = change.into_iter().chain(label).chain([&*reasons]).collect();
            Verdict::new(block.nodes.clone(), &marks, reasons.join("; "))
        };
        let verdicts = blocks.list.iter().enumerate().map(verdict).collect();
        Explanation { verdicts, marks }
    }

    /// Marks a page. Returns also the texts whose verdict others changed, and why.
    fn marks(&self, page: &Page, blocks: &Blocks, model: &Model) -> (Marks, Vec<Change>) {
        let judged = self.judge(page, blocks, model);
        let mut marks = self.marks_of(page, blocks, &self.values(blocks, &judged.contents));
        marks.set_label_coverage(judged.coverage);
        // Where people have labelled pages, they have said what stays with what.
        let taught = blocks.list.iter().zip(&judged.is_taught).filter(|(_, is_taught)| **is_taught);
        let taught = taught.map(|(block, _)| block.nodes.clone());
        let mut changes = keep_together(page, &mut marks, taught);
        if self.keep == Keep::AllUnique {
            let main = marks;
            (marks, changes) = self.unique_marks(page, blocks, &main);
        }
        marks.set_template_match(self.evidence.found(blocks));
        marks.set_page_kind(judged.kind);
        (marks, changes)
    }

    /// Values of blocks as marks of their nodes.
    fn marks_of(&self, page: &Page, blocks: &Blocks, values: &[f32]) -> Marks {
        let mut marks = Marks::with_threshold(page, THRESHOLD);
        for (block, &value) in blocks.list.iter().zip(values) {
            let pages = self.evidence.count(Kind::Text, block.key);
            for id in block.text_nodes(page) {
                marks.set(id, value, Some(Source::Pages(pages)));
            }
        }
        marks.lift_to_elements(page);
        marks
    }

    /// What repeats is template, unless it is main content: then it stays here, too.
    fn unique_marks(&self, page: &Page, blocks: &Blocks, main: &Marks) -> (Marks, Vec<Change>) {
        let values = self.repetitions(page, blocks);
        let mut marks = self.marks_of(page, blocks, &values);
        for (block, value) in blocks.list.iter().zip(values) {
            self.mark_parts(page, blocks, block, value, &mut marks);
        }
        let mut changes = Vec::new();
        for id in page.visible_texts() {
            if marks.is_template(id) && !main.is_template(id) {
                marks.set(id, main.value(id), main.source(id));
                changes.push((id, MAIN));
            }
        }
        marks.lift_to_elements(page);
        (marks, changes)
    }

    /// What labels say about each block, in words; `None` without labels.
    fn labels_on(&self, page: &Page, blocks: &Blocks) -> Option<Vec<Option<String>>> {
        let taught = self.taught.as_ref().filter(|_| self.keep != Keep::AllUnique)?;
        Some(taught.explain(&Keys::of(&Seen { page, blocks, evidence: &self.evidence })))
    }

    /// The share of the template that is on the page.
    pub(super) fn share_found(&self, page: &Page) -> f32 {
        self.evidence.found(&Blocks::of(page, &self.evidence.names)).clamp(0.0, 1.0)
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
            marks.set(id, value.max(self.repetition(page, block, key)), Some(Source::Pages(pages)));
        }
    }

    fn reasons(&self, page: &Page, block: &Block) -> String {
        let pages = self.evidence.pages;
        let mut reasons = Vec::new();
        if pages > 1 {
            let text = self.evidence.count(Kind::Text, block.key);
            reasons.push(text_on_pages(text, pages));
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

    pub(super) fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// What labels of some pages say.
    pub(crate) fn taught(&self) -> Option<&Taught> {
        self.taught.as_ref()
    }

    /// Sets [`AutoTemplate::taught`].
    pub(crate) fn set_taught(&mut self, taught: Option<Taught>) {
        self.taught = taught;
    }

    /// What of a page is kept.
    pub fn keep(&self) -> Keep {
        self.keep
    }

    /// What kind of pages they are, if somebody said so.
    pub fn page_kind(&self) -> Option<PageKind> {
        self.kind
    }

    /// The model that it was learned with.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Number of pages it was learned from.
    pub(super) fn sample_pages(&self) -> u32 {
        self.evidence.pages
    }

    /// Number of texts, places and positions it knows.
    pub fn known(&self) -> usize {
        self.evidence.len()
    }

    /// The texts that are template on at least two pages, in document order.
    pub fn texts(&self) -> &[TemplateText] {
        &self.parts
    }
}

/// Why something that repeats stays where all that is unique does.
const MAIN: &str = "it is main content";

/// `1 word`, `2 words`.
fn counted(number: impl Into<f64>, noun: &str) -> String {
    let number = number.into();
    format!("{number} {noun}{}", if number == 1.0 { "" } else { "s" })
}

/// A block goes when its value reaches this.
const THRESHOLD: f32 = 0.5;

/// Drops what is in doubt, unless nothing would be left. So the article is a part of the main
/// content.
fn without_doubtful(values: Vec<f32>) -> Vec<f32> {
    if values.iter().all(|&value| value + IN_DOUBT >= THRESHOLD) {
        return values;
    }
    values.into_iter().map(|value| (value + IN_DOUBT).min(1.0)).collect()
}
