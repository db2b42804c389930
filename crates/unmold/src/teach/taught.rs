//! What labels say about the places and texts of a kind of page, and what that means for a page.
//!
//! Each labelled page votes: for every place on it, from the body down to single texts, with the
//! share of what is there that is content. A page that is to be judged asks the labelled pages laid
//! out like it; more similar pages count more. The votes become log-odds, drawn towards those of
//! the place around where few pages vote, and are added to the log-odds of the default with fixed
//! weights. time: a few look-ups for each block; space: the places of the labelled pages.

use serde::{Deserialize, Serialize};
use unmold_html::hash::KeyedMap;

use super::keys::{BlockKeys, Keys, OWN};
use super::number::{ln, log_odds};
use super::stored::Stored;
use super::weights::{CHOSEN, Tuning};

/// What was learned from labels.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub(crate) struct Taught {
    /// The labelled pages.
    pub(super) pages: Vec<TaughtPage>,
    /// Where the votes on each key are in `votes`.
    pub(super) index: KeyedMap<u64, (u32, u32)>,
    pub(super) votes: Vec<Vote>,
    /// How much labels count beside the default, in thousandths.
    pub(super) strength: u32,
    /// How votes are weighed, as [`Tuning::stored`]: a template is complete.
    pub(super) tuning: Vec<i32>,
}

/// A labelled page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct TaughtPage {
    /// Its id.
    pub id: String,
    /// Number of different paths with labelled blocks.
    pub places: u32,
}

/// What one page says about a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Vote {
    pub page: u16,
    /// Share that is content, in hundredths.
    pub content: u8,
}

/// A labelled page, ready to learn from.
pub(crate) struct Lesson {
    pub id: String,
    pub keys: Keys,
    /// For each block how much of it is content, as far as known.
    pub labels: Vec<Option<f32>>,
    /// For each block the probability that it is content by the default alone.
    pub contents: Vec<f32>,
}

/// What labels say about a block: log-odds from its places by names and by positions, and from its
/// own keys; how many pages know its place; how similar the most similar labelled page is.
pub(crate) const FEATURES: usize = OWN + 4;
/// Where in a row the number of pages is that know the place.
const PAGES: usize = OWN + 2;
/// A place is known if so many pages, counted by their similarity, have labels there.
const KNOWN: f32 = 0.2;
/// On a page with less than this share of its words at known places, labels say nothing about the
/// other places: only some blocks were labelled, or the page has another layout.
const COVERED: f32 = 0.3;

/// Blocks count by their words up to this many.
const MAX_WORDS: f32 = 20.0;
/// More labelled pages than this are not kept for a kind.
pub(super) const MAX_PAGES: usize = 1000;

impl Taught {
    /// Counts what the pages say.
    pub fn learn(lessons: &[Lesson]) -> Taught {
        let mut all: Vec<(u64, Vote)> = Vec::new();
        let mut pages = Vec::new();
        for lesson in lessons.iter().take(MAX_PAGES) {
            let page = pages.len() as u16;
            let mut sums: KeyedMap<u64, (f32, f32)> = KeyedMap::default();
            let mut places: Vec<u64> = Vec::new();
            for (block, label) in lesson.keys.blocks.iter().zip(&lesson.labels) {
                let Some(content) = *label else { continue };
                let words = block.words.clamp(1.0, MAX_WORDS);
                let mut add = |key: u64| {
                    let sum = sums.entry(key).or_default();
                    sum.0 += content * words;
                    sum.1 += words;
                };
                block.own.iter().filter(|&&key| key != 0).for_each(|&key| add(key));
                let mut at = block.element as usize;
                places.push(lesson.keys.elements[at].path);
                loop {
                    let element = &lesson.keys.elements[at];
                    add(element.path);
                    add(element.slot);
                    if element.parent as usize == at {
                        break;
                    }
                    at = element.parent as usize;
                }
            }
            places.sort_unstable();
            places.dedup();
            pages.push(TaughtPage { id: lesson.id.clone(), places: places.len() as u32 });
            let share = |(content, words): (f32, f32)| (content / words * 100.0).round() as u8;
            all.extend(
                sums.into_iter().map(|(key, sum)| (key, Vote { page, content: share(sum) })),
            );
        }
        all.sort_unstable_by_key(|&(key, vote)| (key, vote.page));
        Taught::of_votes(pages, all, 1000, CHOSEN.stored())
    }

    /// From votes sorted by key.
    pub(super) fn of_votes(
        pages: Vec<TaughtPage>,
        all: Vec<(u64, Vote)>,
        strength: u32,
        tuning: Vec<i32>,
    ) -> Taught {
        let mut index: KeyedMap<u64, (u32, u32)> = KeyedMap::default();
        for (at, &(key, _)) in all.iter().enumerate() {
            let range = index.entry(key).or_insert((at as u32, at as u32));
            range.1 = at as u32 + 1;
        }
        let votes = all.into_iter().map(|(_, vote)| vote).collect();
        Taught { pages, index, votes, strength, tuning }
    }

    /// These labels, and those of pages that were labelled before and are not labelled again.
    #[must_use]
    pub fn joined_by(self, older: &Taught) -> Taught {
        let mut pages = self.pages.clone();
        let mut all: Vec<(u64, Vote)> = self.keyed_votes().collect();
        let mut numbers: Vec<Option<u16>> = Vec::new();
        for page in &older.pages {
            let is_new = self.pages.iter().all(|known| known.id != page.id);
            let number = (is_new && pages.len() < MAX_PAGES).then_some(pages.len() as u16);
            numbers.push(number);
            pages.extend(number.map(|_| page.clone()));
        }
        all.extend(older.keyed_votes().filter_map(|(key, vote)| {
            Some((key, Vote { page: numbers[vote.page as usize]?, ..vote }))
        }));
        all.sort_unstable_by_key(|&(key, vote)| (key, vote.page));
        Taught::of_votes(pages, all, self.strength, self.tuning)
    }

    fn keyed_votes(&self) -> impl Iterator<Item = (u64, Vote)> + '_ {
        self.index.iter().flat_map(move |(&key, &(start, end))| {
            self.votes[start as usize..end as usize].iter().map(move |&vote| (key, vote))
        })
    }

    /// How votes are weighed.
    pub fn tuning(&self) -> Tuning {
        Tuning::from_stored(&self.tuning)
    }

    /// The labelled pages.
    pub fn pages(&self) -> &[TaughtPage] {
        &self.pages
    }

    /// Number of labelled pages with a place.
    pub fn labelled_pages(&self, path: u64) -> usize {
        self.votes_on(path).len()
    }

    fn votes_on(&self, key: u64) -> &[Vote] {
        match self.index.get(&key) {
            Some(&(start, end)) => &self.votes[start as usize..end as usize],
            None => &[],
        }
    }

    /// What the labels say about each block of a page, without those of the page at `without`.
    pub fn said(&self, keys: &Keys, without: Option<usize>, tuning: &Tuning) -> Said {
        let by_path: Vec<&[Vote]> =
            keys.elements.iter().map(|element| self.votes_on(element.path)).collect();
        let (weights, best) = self.weights(keys, &by_path, without, tuning.squares);
        let belief = tuning.belief;
        let path = self.beliefs(keys, &weights, belief, |at| by_path[at]);
        let slot = self.beliefs(keys, &weights, belief, |at| self.votes_on(keys.elements[at].slot));
        let (mut known, mut all) = (0.0, 0.0);
        let of_block = |block: &BlockKeys| {
            let at = block.element as usize;
            let mut row = [0.0; FEATURES];
            row[0] = path[at].0;
            row[1] = slot[at].0;
            for (value, &key) in row[2..].iter_mut().zip(&block.own).filter(|(_, key)| **key != 0) {
                let (content, template) = sums(self.votes_on(key), &weights);
                *value = ratio(content + tuning.smooth, template + tuning.smooth);
            }
            row[PAGES] = path[at].1.min(5.0);
            row[PAGES + 1] = best;
            let words = block.words.max(1.0);
            all += words;
            known += if path[at].1 >= KNOWN { words } else { 0.0 };
            row
        };
        let rows = keys.blocks.iter().map(of_block).collect();
        Said { rows, coverage: if all > 0.0 { known / all } else { 0.0 } }
    }

    /// How much each labelled page counts for a page, and how similar the most similar one is.
    fn weights(
        &self,
        keys: &Keys,
        by_path: &[&[Vote]],
        without: Option<usize>,
        squares: u32,
    ) -> (Vec<f32>, f32) {
        let mut places: Vec<(u64, u32)> = keys
            .blocks
            .iter()
            .map(|block| (keys.elements[block.element as usize].path, block.element))
            .collect();
        places.sort_unstable();
        places.dedup_by_key(|place| place.0);
        let mut shared = vec![0u32; self.pages.len()];
        for &(_, element) in &places {
            for vote in by_path[element as usize] {
                shared[vote.page as usize] += 1;
            }
        }
        let similarity = |(page, &shared): (&TaughtPage, &u32)| {
            let all = places.len() as u32 + page.places - shared.min(page.places);
            shared as f32 / all.max(1) as f32
        };
        let mut weights: Vec<f32> = self.pages.iter().zip(&shared).map(similarity).collect();
        if let Some(weight) = without.and_then(|without| weights.get_mut(without)) {
            *weight = 0.0;
        }
        let best = weights.iter().copied().fold(0.0, f32::max);
        for weight in &mut weights {
            *weight /= best.max(f32::MIN_POSITIVE);
            for _ in 0..squares {
                *weight *= *weight;
            }
        }
        (weights, best)
    }

    /// For each element the log-odds that what is in it is content, and how many pages say so.
    fn beliefs<'a>(
        &'a self,
        keys: &Keys,
        weights: &[f32],
        prior: f32,
        votes: impl Fn(usize) -> &'a [Vote],
    ) -> Vec<(f32, f32)> {
        let mut beliefs: Vec<(f32, f32)> = Vec::with_capacity(keys.elements.len());
        for (at, element) in keys.elements.iter().enumerate() {
            let above = beliefs.get(element.parent as usize).map_or(0.5, |belief| belief.0);
            let (content, template) = sums(votes(at), weights);
            let number = content + template;
            let belief = (content + prior * above) / (number + prior);
            beliefs.push((belief, number));
        }
        for belief in &mut beliefs {
            belief.0 = log_odds(belief.0);
        }
        beliefs
    }

    /// What labels say about each block, in words.
    pub fn explain(&self, keys: &Keys) -> Vec<Option<String>> {
        let Said { rows, coverage } = self.said(keys, None, &self.tuning());
        let of_block = |(block, row): (&BlockKeys, &[f32; FEATURES])| {
            if coverage < COVERED && row[PAGES] < KNOWN {
                return None;
            }
            let place = &keys.elements[block.element as usize];
            let own = |at: usize| (block.own[at] != 0).then(|| self.votes_on(block.own[at]));
            let known = [
                ("it is", own(0)),
                ("its place is", Some(self.votes_on(place.path))),
                ("its text is", own(1)),
            ];
            let known = known.into_iter().find_map(|(what, votes)| {
                votes.filter(|votes| !votes.is_empty()).map(|votes| (what, votes))
            });
            if let Some((what, votes)) = known {
                return Some(in_words(what, votes));
            }
            let mut at = place.parent as usize;
            loop {
                let element = &keys.elements[at];
                let votes = self.votes_on(element.path);
                if !votes.is_empty() {
                    return Some(in_words("what is around it is", votes));
                }
                if element.parent as usize == at {
                    return None;
                }
                at = element.parent as usize;
            }
        };
        keys.blocks.iter().zip(&rows).map(of_block).collect()
    }

    /// The verdicts of the default with what labels say; `None` if they say nothing about the page.
    pub fn weigh(&self, keys: &Keys, contents: &[f32], without: Option<usize>) -> Option<Weighed> {
        let tuning = self.tuning();
        let Said { rows, coverage } = self.said(keys, without, &tuning);
        let is_known: Vec<bool> = rows.iter().map(|row| row[PAGES] >= KNOWN).collect();
        if !is_known.contains(&true) {
            return None;
        }
        let strength = self.strength as f32 / 1000.0;
        let weigh = |at: usize| {
            if coverage < COVERED && !is_known[at] {
                return contents[at];
            }
            tuning.combined(&rows[at], contents[at], strength)
        };
        Some(Weighed { contents: (0..rows.len()).map(weigh).collect(), is_known, coverage })
    }
}

/// What labels say about the blocks of a page.
pub(crate) struct Said {
    pub rows: Vec<[f32; FEATURES]>,
    /// Share of the page's words at places that labels know.
    pub coverage: f32,
}

/// The verdicts on the blocks of a page with what labels say.
pub(crate) struct Weighed {
    pub contents: Vec<f32>,
    /// Whether labels know the place of each block.
    pub is_known: Vec<bool>,
    /// Share of the page's words at such places.
    pub coverage: f32,
}

/// `its place is labelled on 3 pages: content on 2, template on 1`.
fn in_words(what: &str, votes: &[Vote]) -> String {
    let content = votes.iter().filter(|vote| vote.content > MIXED).count();
    let template = votes.iter().filter(|vote| vote.content < 100 - MIXED).count();
    let pages = |number: usize| format!("{number} page{}", if number == 1 { "" } else { "s" });
    let number = votes.len();
    let verdict = match (content, template) {
        _ if content == number => "content".to_owned(),
        _ if template == number => "template".to_owned(),
        (0, 0) => "both".to_owned(),
        (0, _) => format!("template on {template}, both on {}", number - template),
        (_, 0) => format!("content on {content}, both on {}", number - content),
        _ => format!("content on {content}, template on {template}"),
    };
    format!("{what} labelled on {}: {verdict}", pages(number))
}

/// A page that calls more than these hundredths of a place content calls it content.
const MIXED: u8 = 80;

/// Votes for content and for template.
fn sums(votes: &[Vote], weights: &[f32]) -> (f32, f32) {
    let (mut content, mut template) = (0.0, 0.0);
    for vote in votes {
        let (weight, share) = (weights[vote.page as usize], f32::from(vote.content) / 100.0);
        content += weight * share;
        template += weight * (1.0 - share);
    }
    (content, template)
}

fn ratio(content: f32, template: f32) -> f32 {
    if content == template { 0.0 } else { ln(f64::from(content / template)) as f32 }
}
