//! Learning from labels, and how far they can be trusted.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use unmold_html::hash::KeyedMap;

use super::label::{BlockLabels, Label};
use super::taught::{Lesson, Taught};
use crate::page::Page;
use crate::pipeline::{AutoTemplate, Model, kept};
use crate::registry::{Learned, MethodName};
use crate::template::Template;

/// What became of the labels of a site.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
#[non_exhaustive]
pub struct TeachReport {
    /// The kinds of page with labels.
    pub kinds: Vec<TaughtKind>,
    /// The labelled pages, in the order of the labels.
    pub pages: Vec<TaughtPage>,
}

/// What became of the labels of a kind of page.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct TaughtKind {
    /// The name of its template.
    pub template: String,
    /// Labelled pages that were learned from.
    pub pages: usize,
    /// How well labels of the other pages predict those of a page: content F1 by words, mean over
    /// the labelled pages. `None` with fewer than two.
    pub agreement: Option<f64>,
    /// The same for the default without labels.
    pub default_agreement: Option<f64>,
    /// Share of the pages given as siblings that are laid out like a labelled page.
    pub coverage: Option<f64>,
    /// Texts that some pages call content and others template.
    pub contradictions: Vec<Contradiction>,
}

/// A text that some pages call content and others template, at the same place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Contradiction {
    /// The text.
    pub text: String,
    /// Pages that call it content.
    pub content: Vec<String>,
    /// Pages that call it template.
    pub template: Vec<String>,
}

/// What became of the label of a page.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
#[non_exhaustive]
pub struct TaughtPage {
    /// Its id.
    pub id: String,
    /// The name of its template.
    pub template: Option<String>,
    /// Blocks that are content, template, and those about which nothing is said.
    pub blocks: [usize; 3],
    /// Share of the words of the wanted text that are not on the page.
    pub missing: f64,
    /// The wanted text stops in the middle of the page.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// Selectors that select nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<String>,
    /// How well labels of the other pages predict this one: content F1 by words.
    pub agreement: Option<f64>,
    /// The same for the default without labels.
    pub default_agreement: Option<f64>,
    /// Why the label was not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// At most so many contradictions are listed.
const MAX_CONTRADICTIONS: usize = 20;

impl Template {
    /// Learns from labels of some pages of the site: what they say about places and texts becomes
    /// part of the template, in place of earlier labels. `siblings` are pages to measure on how
    /// many of them the labels tell something, such as the sample.
    ///
    /// Only templates of the default method learn from labels.
    pub fn teach(&mut self, labels: &[(&Page, &Label)], siblings: &[&Page]) -> TeachReport {
        let mut report = TeachReport::default();
        let mut of_kind: BTreeMap<String, Vec<(usize, &Page, BlockLabels)>> = BTreeMap::new();
        for (at, &(page, label)) in labels.iter().enumerate() {
            let mut entry = TaughtPage { id: label.id.clone(), ..TaughtPage::default() };
            match label.on(page) {
                Ok(found) => {
                    let name = self.kind_of(page).0.name().to_owned();
                    entry.describe(&found);
                    entry.template = Some(name.clone());
                    let of_kind = of_kind.entry(name).or_default();
                    // Later labels of a page go over earlier ones.
                    match of_kind.iter_mut().find(|(_, _, earlier)| earlier.id == found.id) {
                        Some(known) => *known = (at, page, found.over(&known.2)),
                        None => of_kind.push((at, page, found)),
                    }
                }
                Err(error) => entry.error = Some(error.to_string()),
            }
            report.pages.push(entry);
        }
        for (name, pages) in of_kind {
            let kind = self.kind_mut(&name).map(|kind| kind.learned_mut());
            let Some(Learned::Auto(template)) = kind else {
                let error = format!("only templates of --method {} learn", MethodName::Auto);
                pages.iter().for_each(|(at, ..)| report.pages[*at].error = Some(error.clone()));
                continue;
            };
            let labelled: Vec<(&Page, BlockLabels)> =
                pages.iter().map(|(_, page, found)| (*page, found.clone())).collect();
            let agreements = template.teach_with_model(&labelled, Model::shipped());
            let ids: Vec<&str> = pages.iter().map(|(at, ..)| labels[*at].1.id.as_str()).collect();
            let contradictions = template.contradictions(&labelled, &ids);
            for ((at, ..), agreement) in pages.iter().zip(&agreements) {
                report.pages[*at].agreement = agreement.map(|[taught, _]| rounded(taught));
                report.pages[*at].default_agreement = agreement.map(|both| rounded(both[1]));
            }
            let known: Vec<[f32; 2]> = agreements.into_iter().flatten().collect();
            let mean = |which: usize| {
                let sum: f32 = known.iter().map(|both| both[which]).sum();
                (!known.is_empty()).then(|| rounded(sum / known.len() as f32))
            };
            report.kinds.push(TaughtKind {
                template: name,
                pages: pages.len(),
                agreement: mean(0),
                default_agreement: mean(1),
                coverage: None,
                contradictions,
            });
        }
        for kind in &mut report.kinds {
            kind.coverage = self.label_coverage(&kind.template, siblings);
        }
        report
    }

    /// The share of the pages of a kind that are laid out like a labelled page.
    fn label_coverage(&self, kind: &str, pages: &[&Page]) -> Option<f64> {
        let (mut covered, mut all) = (0, 0);
        for page in pages.iter().filter(|page| self.kind_of(page).0.name() == kind) {
            let coverage = self.mark(page).label_coverage()?;
            all += 1;
            covered += usize::from(coverage > 0.0);
        }
        (all > 0).then(|| rounded(covered as f32 / all as f32))
    }
}

/// Three decimal places: enough for a share, and the same on every machine.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1e3).round() / 1e3
}

impl TaughtPage {
    fn describe(&mut self, labels: &BlockLabels) {
        for label in &labels.blocks {
            match label {
                Some(content) if *content >= 0.5 => self.blocks[0] += 1,
                Some(_) => self.blocks[1] += 1,
                None => self.blocks[2] += 1,
            }
        }
        self.missing = rounded(labels.missing);
        self.is_cut = labels.is_cut;
        self.idle.clone_from(&labels.idle);
    }
}

impl AutoTemplate {
    /// Learns from labelled pages, with other weights of the default than those of the library;
    /// for each page how well the labels of the others, and the default, predict its labels.
    #[doc(hidden)]
    pub fn teach_with_model(
        &mut self,
        pages: &[(&Page, BlockLabels)],
        model: &Model,
    ) -> Vec<Option<[f32; 2]>> {
        let lessons: Vec<Lesson> = pages
            .iter()
            .map(|(page, labels)| self.lesson(&labels.id, page, labels.blocks.clone(), model))
            .collect();
        if lessons.is_empty() {
            self.set_taught(None);
            return Vec::new();
        }
        let taught = Taught::learn(&lessons);
        let agreement = |(at, lesson): (usize, &Lesson)| {
            let weighed = taught.weigh(&lesson.keys, &lesson.contents, Some(at))?;
            Some([lesson.agreement(&weighed.contents), lesson.agreement(&lesson.contents)])
        };
        let agreements = lessons.iter().enumerate().map(agreement).collect();
        self.set_taught(Some(taught));
        agreements
    }

    /// Texts on which labelled pages disagree, those on which most do first.
    fn contradictions(&self, pages: &[(&Page, BlockLabels)], ids: &[&str]) -> Vec<Contradiction> {
        let mut found: KeyedMap<u64, (String, [BTreeSet<usize>; 2])> = KeyedMap::default();
        for (at, (page, labels)) in pages.iter().enumerate() {
            self.see(page, |seen| {
                let keys = super::Keys::of(seen);
                for ((keys, block), label) in
                    keys.blocks.iter().zip(seen.blocks()).zip(&labels.blocks)
                {
                    let (Some(content), text @ 1..) = (label, keys.own[0]) else { continue };
                    let entry = found.entry(text).or_insert_with(|| {
                        (page.joined_text(block.nodes), [BTreeSet::new(), BTreeSet::new()])
                    });
                    entry.1[usize::from(*content < 0.5)].insert(at);
                }
            });
        }
        let mut found: Vec<(String, [BTreeSet<usize>; 2])> = found
            .into_values()
            .filter(|(_, sides)| sides[0].difference(&sides[1]).next().is_some())
            .filter(|(_, sides)| sides[1].difference(&sides[0]).next().is_some())
            .collect();
        let pages_of = |sides: &[BTreeSet<usize>; 2]| sides[0].len() + sides[1].len();
        found.sort_by(|(left, a), (right, b)| {
            pages_of(b).cmp(&pages_of(a)).then_with(|| left.cmp(right))
        });
        found.truncate(MAX_CONTRADICTIONS);
        let contradiction = |(text, sides): (String, [BTreeSet<usize>; 2])| {
            let [content, template] =
                sides.map(|side| side.into_iter().map(|at| ids[at].to_owned()).collect());
            Contradiction { text: text.chars().take(80).collect(), content, template }
        };
        found.into_iter().map(contradiction).collect()
    }
}

impl Template {
    /// Takes over the labels of an older template of the site, except of pages that are labelled
    /// again.
    pub(crate) fn keep_labels_of(&mut self, older: &Template) {
        for old in older.kinds() {
            let Learned::Auto(old_template) = old.learned() else { continue };
            let Some(old_labels) = old_template.taught() else { continue };
            // Numbers of kinds say nothing after learning again: labels of a kind that is gone go
            // to all, and each page finds those laid out like it.
            let names: Vec<String> = match self.kind(old.name()) {
                Some(kind) => vec![kind.name().to_owned()],
                None => self.kinds().iter().map(|kind| kind.name().to_owned()).collect(),
            };
            for name in names {
                let kind = self.kind_mut(&name).map(|kind| kind.learned_mut());
                let Some(Learned::Auto(template)) = kind else { continue };
                let joined = match template.taught() {
                    Some(taught) => taught.clone().joined_by(old_labels),
                    None => old_labels.clone(),
                };
                template.set_taught(Some(joined));
            }
        }
    }
}

impl Lesson {
    /// Content F1 by words of verdicts against the labels, as far as they say something.
    fn agreement(&self, contents: &[f32]) -> f32 {
        let words: Vec<f32> = self.keys.blocks.iter().map(|block| block.words).collect();
        let (mut both, mut all) = (0.0, 0.0);
        for ((is_kept, label), words) in
            kept(contents, &words).into_iter().zip(&self.labels).zip(&words)
        {
            let Some(label) = *label else { continue };
            both += if is_kept { label * words } else { 0.0 };
            all += if is_kept { *words } else { 0.0 } + label * words;
        }
        if all > 0.0 { 2.0 * both / all } else { 1.0 }
    }
}
