//! The papers' experiments. Each is one entry of [`EXPERIMENTS`]: a description, and a function that takes a set and
//! adds rows to tables and points to plots.

mod curve;
mod mining;
mod scores;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result};
use rayon::prelude::*;
use unmold::{Page, Stripped, strip};
use unmold_lab::data::Group;
use unmold_lab::outcome::{About, Outcome};

use super::{Contender, Draw, LabelledSite, Outputs, SetScores, mean_of_sites, score_site};

/// An experiment that can be run.
pub struct Experiment {
    /// What it is.
    pub about: About,
    /// Adds what a set has to say. Sets that lack the labels it needs add nothing.
    pub run: fn(&Bench, &mut Outcome) -> Result<()>,
}

/// All of them, in the order of the report. A new one is a line here.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment { about: scores::ABOUT, run: scores::run },
    Experiment { about: scores::ABOUT_PEERS, run: scores::peers },
    Experiment { about: scores::ABOUT_SITES, run: scores::sites },
    Experiment { about: curve::ABOUT, run: curve::run },
    Experiment { about: mining::ABOUT_CLASSIFICATION, run: mining::classification },
    Experiment { about: mining::ABOUT_K_MEANS, run: mining::k_means },
    Experiment { about: mining::ABOUT_FPF, run: mining::furthest_point_first },
    Experiment { about: mining::ABOUT_SEARCH, run: mining::search },
];

/// Texts by method and number of pages learned from.
type TextsByMethod = BTreeMap<(String, Option<usize>), Rc<SiteTexts>>;

/// What an experiment works on: one set, and what is compared on it.
pub struct Bench<'a> {
    /// Name of the set.
    pub set: &'a str,
    /// Its sites.
    pub sites: &'a [LabelledSite],
    /// Sites that are mined together.
    pub groups: &'a [Group],
    /// What is compared, by name.
    pub contenders: &'a [(String, Contender)],
    /// Outputs of other tools.
    pub peers: &'a [Outputs],
    /// Draws samples and first centres.
    pub seed: u64,
    /// Runs of K-means.
    pub runs: usize,
    /// Told what is being done.
    pub tell: &'a (dyn Fn(&str) + Sync),
    /// Scores that several experiments need.
    pub scores: RefCell<BTreeMap<String, Rc<SetScores>>>,
    /// Texts that several experiments need.
    pub texts: RefCell<TextsByMethod>,
}

/// The text of each page of each site.
pub type SiteTexts = Vec<Vec<String>>;

impl Bench<'_> {
    /// Scores of a contender that learned from all pages.
    pub fn scores_of(&self, name: &str, contender: &Contender) -> Result<Rc<SetScores>> {
        if let Some(scores) = self.scores.borrow().get(name) {
            return Ok(scores.clone());
        }
        (self.tell)(&format!("{}: scores of {name}", self.set));
        let scores = Rc::new(self.score(contender, &Draw::default())?);
        self.scores.borrow_mut().insert(name.to_owned(), scores.clone());
        Ok(scores)
    }

    /// Scores of a contender on all sites.
    pub fn score(&self, contender: &Contender, draw: &Draw) -> Result<SetScores> {
        let sites = self
            .sites
            .par_iter()
            .map(|site| {
                let contender = contender.for_site(self.set, &site.name);
                score_site(site, &contender, draw).with_context(|| format!("site {}", site.name))
            })
            .collect::<Result<_>>()?;
        Ok(mean_of_sites(self.set, sites))
    }

    /// The texts of whole pages.
    pub fn before(&self) -> Rc<SiteTexts> {
        self.cached("", None, || {
            let text = |site: &LabelledSite| -> Vec<String> {
                site.pages.par_iter().map(|(_, page)| Stripped::untouched(page).text()).collect()
            };
            Ok(self.sites.par_iter().map(text).collect())
        })
        .unwrap_or_default()
    }

    /// The texts that a contender leaves, its templates learned from `sample` pages of each site drawn by chance, or
    /// from all.
    pub fn after(&self, name: &str, contender: &Contender, sample: Option<usize>) -> Result<Rc<SiteTexts>> {
        self.cached(name, sample, || {
            (self.tell)(&format!("{}: {name} strips all pages", self.set));
            let seed = self.seed;
            let text = |site: &LabelledSite| {
                let contender = contender.for_site(self.set, &site.name);
                stripped_texts(site, &contender, sample, seed).with_context(|| format!("site {}", site.name))
            };
            self.sites.par_iter().map(text).collect()
        })
    }

    fn cached(
        &self,
        name: &str,
        sample: Option<usize>,
        make: impl FnOnce() -> Result<SiteTexts>,
    ) -> Result<Rc<SiteTexts>> {
        let key = (name.to_owned(), sample);
        if let Some(texts) = self.texts.borrow().get(&key) {
            return Ok(texts.clone());
        }
        let texts = Rc::new(make()?);
        self.texts.borrow_mut().insert(key, texts.clone());
        Ok(texts)
    }

    /// Contenders that strip something.
    pub fn strippers(&self) -> impl Iterator<Item = (&str, &Contender)> {
        let all = self.contenders.iter().map(|(name, contender)| (name.as_str(), contender));
        all.filter(|(_, contender)| !matches!(contender, Contender::Full))
    }
}

fn stripped_texts(
    site: &LabelledSite,
    contender: &Contender,
    sample: Option<usize>,
    seed: u64,
) -> Result<Vec<String>> {
    let pages: Vec<&Page> = site.pages.iter().map(|(_, page)| page).collect();
    let mut learned_from: Vec<usize> = (0..pages.len()).collect();
    if let Some(sample) = sample {
        learned_from.sort_by_cached_key(|&index| {
            xxhash_rust::xxh3::xxh3_64_with_seed(site.pages[index].0.file.as_bytes(), seed)
        });
        learned_from.truncate(sample);
    }
    let learned_from: Vec<&Page> = learned_from.into_iter().map(|index| pages[index]).collect();
    let (marks, _) = contender.mark(&learned_from, &pages)?;
    Ok(pages.par_iter().zip(marks).map(|(page, marks)| strip(page, &marks).text()).collect())
}

/// Runs `work` and says how long it took, in seconds.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed().as_secs_f64())
}
