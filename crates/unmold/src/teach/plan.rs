//! Which pages tell most when they are labelled.
//!
//! A label of a page says something about every place on it, so a page is worth what its places are
//! worth on all pages of its kind: the words there, more where the default is unsure. Places that
//! chosen pages have are worth less, so that the next page shows another variant. time: the pages
//! of a kind times the pages chosen.

use std::collections::BTreeMap;

use serde::Serialize;
use unmold_html::hash::KeyedMap;

use super::keys::{BlockKeys, Keys};
use super::render::render;
use crate::page::Page;
use crate::pipeline::{AutoTemplate, Model};
use crate::registry::Learned;
use crate::template::Template;

/// A page that is worth labelling, with its blocks numbered.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Question {
    /// The page.
    pub id: String,
    /// Its site.
    pub site: String,
    /// The template it belongs to.
    pub template: String,
    /// The number of its kind: pages with the same number are laid out alike. 0 if it is like few
    /// others.
    pub kind: usize,
    /// Number of pages of its kind that were looked at.
    pub kind_pages: usize,
    /// Share of the text of the site's pages that stands at places of this page, but of no page
    /// asked about before: what an answer covers.
    pub covers: f64,
    /// The same with all pages asked about before, and labels that are known.
    pub covered: f64,
    /// Number of blocks.
    pub blocks: usize,
    /// The page as a list of its blocks with their numbers.
    pub page: String,
}

/// How many pages are asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Pages of each kind.
    pub of_kind: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { of_kind: 3 }
    }
}

/// A page that can be asked about.
struct Candidate {
    kind: usize,
    /// Its places, sorted: what each is worth on it, and the words there.
    places: Vec<Place>,
}

#[derive(Clone, Copy)]
struct Place {
    path: u64,
    worth: f32,
    words: f32,
}

/// What is certain is still worth this much.
const CERTAIN: f32 = 0.15;
/// What a place is worth that is on as many labelled pages; nothing on more.
const LEFT: [f64; 4] = [1.0, 0.4, 0.2, 0.1];
/// Blocks count by their words up to this many.
const MAX_WORDS: f32 = 30.0;
/// With labels, pages are asked about that add this share of the site's text.
const WORTH_ASKING: f64 = 0.02;

impl Candidate {
    fn new(keys: &Keys, contents: &[f32], kind: usize) -> Candidate {
        let place = |(block, &content): (&BlockKeys, &f32)| {
            let unsure = 4.0 * content * (1.0 - content);
            let words = block.words.clamp(1.0, MAX_WORDS);
            let path = keys.elements[block.element as usize].path;
            Place { path, worth: words * (CERTAIN + unsure), words }
        };
        let mut all: Vec<Place> = keys.blocks.iter().zip(contents).map(place).collect();
        all.sort_by_key(|place| place.path);
        let mut places: Vec<Place> = Vec::new();
        for place in all {
            match places.last_mut().filter(|last| last.path == place.path) {
                Some(last) => {
                    last.worth += place.worth;
                    last.words += place.words;
                }
                None => places.push(place),
            }
        }
        Candidate { kind, places }
    }
}

/// What was asked about so far.
struct Asked<'a> {
    pages: &'a [Candidate],
    /// Words at each place, on all pages.
    words: KeyedMap<u64, f64>,
    all_words: f64,
    /// Labelled or chosen pages that have each place.
    times: KeyedMap<u64, usize>,
    covered: f64,
}

impl<'a> Asked<'a> {
    fn new(pages: &'a [Candidate], labelled: impl Fn(u64) -> usize) -> Asked<'a> {
        let (mut words, mut times): (KeyedMap<u64, f64>, KeyedMap<u64, usize>) = Default::default();
        let (mut all_words, mut covered) = (0.0, 0.0);
        for place in pages.iter().flat_map(|page| &page.places) {
            *words.entry(place.path).or_default() += f64::from(place.words);
            let known = *times.entry(place.path).or_insert_with(|| labelled(place.path));
            all_words += f64::from(place.words);
            covered += if known > 0 { f64::from(place.words) } else { 0.0 };
        }
        Asked { pages, words, all_words, times, covered }
    }

    /// The pages of a kind that tell most, with what each covers and what is covered with it.
    fn choose(&mut self, members: &[usize], number: usize, min: f64) -> Vec<(usize, [f64; 2])> {
        let mut worth: KeyedMap<u64, f64> = KeyedMap::default();
        for place in members.iter().flat_map(|&at| &self.pages[at].places) {
            *worth.entry(place.path).or_default() += f64::from(place.worth);
        }
        let mut open = members.to_vec();
        let mut chosen = Vec::new();
        while chosen.len() < number && !open.is_empty() {
            let gain = |&at: &usize| -> f64 {
                let of_place = |place: &Place| {
                    worth[&place.path] * LEFT.get(self.times[&place.path]).copied().unwrap_or(0.0)
                };
                self.pages[at].places.iter().map(of_place).sum()
            };
            let gains = open.iter().map(gain).enumerate();
            let best = gains.reduce(|best, next| if next.1 > best.1 { next } else { best });
            let Some((position, _)) = best else { break };
            let at = open.remove(position);
            let adds = self.adds(at);
            if adds < min {
                continue;
            }
            for place in &self.pages[at].places {
                *self.times.entry(place.path).or_default() += 1;
            }
            self.covered += adds * self.all_words;
            chosen.push((at, [adds, self.covered / self.all_words.max(1.0)]));
        }
        chosen
    }

    /// Share of all words at places that a page would add.
    fn adds(&self, at: usize) -> f64 {
        let new = self.pages[at].places.iter().filter(|place| self.times[&place.path] == 0);
        new.map(|place| self.words[&place.path]).sum::<f64>() / self.all_words.max(1.0)
    }
}

impl AutoTemplate {
    /// The pages that tell most when they are labelled, `number` of each kind, or of all: their
    /// positions and kinds, what each covers, and what is covered with it.
    #[doc(hidden)]
    pub fn plan_with_model(
        &self,
        pages: &[&Page],
        number: usize,
        by_kind: bool,
        model: &Model,
    ) -> Vec<(usize, usize, [f64; 2])> {
        let candidate = |page: &&Page| {
            let lesson = self.lesson("", page, Vec::new(), model);
            Candidate::new(&lesson.keys, &lesson.contents, self.kind_number(page))
        };
        let candidates: Vec<Candidate> = pages.iter().map(candidate).collect();
        let taught = self.taught();
        let labelled = |path| taught.map_or(0, |taught| taught.labelled_pages(path));
        let mut asked = Asked::new(&candidates, labelled);
        let mut kinds: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, candidate) in candidates.iter().enumerate() {
            kinds.entry(if by_kind { candidate.kind } else { 0 }).or_default().push(at);
        }
        let mut kinds: Vec<Vec<usize>> = kinds.into_values().collect();
        kinds.sort_by_key(|members| std::cmp::Reverse(members.len()));
        let min = if taught.is_some() { WORTH_ASKING } else { 0.0 };
        let mut chosen = Vec::new();
        for members in &kinds {
            let of_kind = asked.choose(members, number, min);
            chosen.extend(of_kind.into_iter().map(|(at, adds)| (at, candidates[at].kind, adds)));
        }
        chosen
    }
}

impl Template {
    /// The pages of a site that tell most when they are labelled. Pages whose places are known from
    /// labels are not asked about again.
    ///
    /// Only templates of the default method can be taught; others give no questions.
    pub fn questions(&self, pages: &[(&str, &Page)], budget: Budget) -> Vec<Question> {
        let mut of_template: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, (_, page)) in pages.iter().enumerate() {
            of_template.entry(self.kind_of(page).0.name()).or_default().push(at);
        }
        let mut questions = Vec::new();
        for (name, members) in of_template {
            let Some(Learned::Auto(template)) = self.kind(name).map(|kind| kind.learned()) else {
                continue;
            };
            let of_kind: Vec<&Page> = members.iter().map(|&at| pages[at].1).collect();
            let model = Model::shipped();
            let kinds: Vec<usize> = of_kind.iter().map(|page| template.kind_number(page)).collect();
            let share = members.len() as f64 / pages.len().max(1) as f64;
            for (at, kind, [covers, covered]) in
                template.plan_with_model(&of_kind, budget.of_kind, true, model)
            {
                let (id, page) = pages[members[at]];
                let (text, blocks) = render(page);
                questions.push(Question {
                    id: id.to_owned(),
                    site: self.site().to_owned(),
                    template: name.to_owned(),
                    kind,
                    kind_pages: kinds.iter().filter(|&&other| other == kind).count(),
                    covers: rounded(covers * share),
                    covered: rounded(covered * share),
                    blocks,
                    page: text,
                });
            }
        }
        questions
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
