//! What experiments work on. Results that several experiments need are computed once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result};
use rayon::prelude::*;
use unmold::cluster::Clustering;
use unmold::{Page, Stripped, strip};

use crate::data::Group;
use crate::eval::clusters::ClusterPages;
use crate::eval::contender::Contender;
use crate::eval::labelled::LabelledSite;
use crate::eval::outputs::Outputs;
use crate::eval::score::{
    Draw, SetScores, SiteScores, mean_of_sites, score_site, score_site_with_texts,
};

/// What all sets have in common.
pub struct Setup<'a> {
    /// Contenders by name.
    pub contenders: &'a [(String, Contender)],
    /// Outputs of other tools.
    pub peers: &'a [Outputs],
    /// Seed of samples and initial centres.
    pub seed: u64,
    /// Number of runs of K-means.
    pub runs: usize,
    /// How pages are clustered.
    pub clustering: Clustering,
    /// Reports progress.
    pub tell: &'a (dyn Fn(&str) + Sync),
    /// Pages of the sets so far, as paths, without sets that repeat the pages of another.
    pub pooled: Kept<String, Vec<ClusterPages>>,
}

impl Setup<'_> {
    /// The same method with its paper's settings, and its name; `None` if there are no such
    /// settings, or if it is among the contenders anyway.
    pub fn paper_of(&self, name: &str, contender: &Contender) -> Option<(String, Contender)> {
        let name = format!("{name}-paper");
        let is_listed = self.contenders.iter().any(|(listed, _)| *listed == name);
        let paper = contender.paper().filter(|_| !is_listed && !contender.is_paper())?;
        Some((name, paper))
    }

    /// Contenders that strip something.
    pub fn strippers(&self) -> impl Iterator<Item = (&str, &Contender)> {
        let all = self.contenders.iter().map(|(name, contender)| (name.as_str(), contender));
        all.filter(|(_, contender)| !matches!(contender, Contender::Full))
    }
}

/// One set and the shared results on it.
pub struct Bench<'a> {
    /// What all sets have in common.
    pub setup: &'a Setup<'a>,
    /// Name of the set.
    pub set: &'a str,
    /// Its sites.
    pub sites: &'a [LabelledSite],
    /// Sites that are mined together.
    pub groups: &'a [Group],
    /// Whether another set of this run has the same pages in another form, or pages of the same
    /// sites. Expensive experiments skip such a set.
    pub is_repeated: bool,
    whole: Kept<String, Whole>,
    sampled: Kept<(String, usize), Vec<SiteScores>>,
    texts: Kept<(String, usize), SiteTexts>,
    before: RefCell<Option<Rc<SiteTexts>>>,
    cluster_pages: RefCell<Option<Rc<Vec<ClusterPages>>>>,
}

/// Cached results.
type Kept<K, V> = RefCell<BTreeMap<K, Rc<V>>>;

/// The text of each page of each site.
pub type SiteTexts = Vec<Vec<String>>;

/// Outputs and scores of a contender that learned from all pages.
struct Whole {
    scores: SetScores,
    texts: Rc<SiteTexts>,
}

impl<'a> Bench<'a> {
    /// A set without results yet.
    pub fn new(
        setup: &'a Setup<'a>,
        set: &'a str,
        sites: &'a [LabelledSite],
        groups: &'a [Group],
        is_repeated: bool,
    ) -> Bench<'a> {
        Bench {
            setup,
            set,
            sites,
            groups,
            is_repeated,
            whole: RefCell::default(),
            sampled: RefCell::default(),
            texts: RefCell::default(),
            before: RefCell::default(),
            cluster_pages: RefCell::default(),
        }
    }

    /// Reports progress on this set.
    pub fn tell(&self, what: &str) {
        (self.setup.tell)(&format!("{}: {what}", self.set));
    }

    /// Whether the content of any page is labelled.
    pub fn has_content(&self) -> bool {
        self.sites.iter().any(LabelledSite::has_content)
    }

    /// Number of pages of the largest site.
    pub fn max_pages(&self) -> usize {
        self.sites.iter().map(|site| site.pages.len()).max().unwrap_or(0)
    }

    /// Scores of a contender that learned from all pages.
    pub fn scores_of(&self, name: &str, contender: &Contender) -> Result<SetScores> {
        Ok(self.whole(name, contender)?.scores.clone())
    }

    /// Scores on each site with templates learned from `size` drawn pages, or from all pages of a
    /// site that has no more.
    pub fn sampled_scores(
        &self,
        name: &str,
        contender: &Contender,
        size: usize,
    ) -> Result<Rc<Vec<SiteScores>>> {
        cached(&self.sampled, (name.to_owned(), size), || {
            self.tell(&format!("scores of {name}, learned from {size} pages"));
            self.score_each(contender, size)
        })
    }

    /// Like [`Bench::sampled_scores`], but not cached.
    pub fn score_each(&self, contender: &Contender, size: usize) -> Result<Vec<SiteScores>> {
        let draw = Draw { sample: Some(size), seed: Some(self.setup.seed), ..Draw::default() };
        let score = |site: &LabelledSite| {
            let contender = contender.for_site(self.set, &site.name);
            score_site(site, &contender, &draw).with_context(|| format!("site {}", site.name))
        };
        self.sites.par_iter().map(score).collect()
    }

    /// The texts of whole pages.
    pub fn before(&self) -> Rc<SiteTexts> {
        let text = |site: &LabelledSite| -> Vec<String> {
            site.pages.par_iter().map(|(_, page)| Stripped::untouched(page).text()).collect()
        };
        let mut before = self.before.borrow_mut();
        before.get_or_insert_with(|| Rc::new(self.sites.par_iter().map(text).collect())).clone()
    }

    /// The outputs of a contender with templates learned from `sample` drawn pages of each site, or
    /// from all pages.
    pub fn after(
        &self,
        name: &str,
        contender: &Contender,
        sample: Option<usize>,
    ) -> Result<Rc<SiteTexts>> {
        let Some(sample) = sample else { return Ok(self.whole(name, contender)?.texts.clone()) };
        cached(&self.texts, (name.to_owned(), sample), || {
            self.tell(&format!("{name}, learned from {sample} pages, strips all pages"));
            let seed = self.setup.seed;
            let text = |site: &LabelledSite| {
                let contender = contender.for_site(self.set, &site.name);
                let texts = stripped_texts(site, &contender, sample, seed);
                texts.with_context(|| format!("site {}", site.name))
            };
            self.sites.par_iter().map(text).collect()
        })
    }

    /// Pages as paths. Also added to [`Setup::pooled`], unless another set has the same pages.
    pub fn cluster_pages(&self) -> Rc<Vec<ClusterPages>> {
        let mut known = self.cluster_pages.borrow_mut();
        let pages = known.get_or_insert_with(|| {
            let mode = self.setup.clustering.paths;
            Rc::new(self.sites.iter().map(|site| ClusterPages::of(self.set, site, mode)).collect())
        });
        if !self.is_repeated {
            self.setup.pooled.borrow_mut().insert(self.set.to_owned(), pages.clone());
        }
        pages.clone()
    }

    fn whole(&self, name: &str, contender: &Contender) -> Result<Rc<Whole>> {
        cached(&self.whole, name.to_owned(), || {
            self.tell(&format!("scores of {name}"));
            let run = |site: &LabelledSite| {
                let contender = contender.for_site(self.set, &site.name);
                let done = score_site_with_texts(site, &contender, &Draw::default());
                done.with_context(|| format!("site {}", site.name))
            };
            let done = self.sites.par_iter().map(run).collect::<Result<Vec<_>>>()?;
            let (scores, texts): (Vec<_>, Vec<_>) = done.into_iter().unzip();
            let texts = texts.into_iter().map(|texts| texts.into_values().collect()).collect();
            Ok(Whole { scores: mean_of_sites(self.set, scores), texts: Rc::new(texts) })
        })
    }
}

fn cached<K: Ord, V>(
    known: &Kept<K, V>,
    key: K,
    make: impl FnOnce() -> Result<V>,
) -> Result<Rc<V>> {
    if let Some(value) = known.borrow().get(&key) {
        return Ok(value.clone());
    }
    let value = Rc::new(make()?);
    known.borrow_mut().insert(key, value.clone());
    Ok(value)
}

fn stripped_texts(
    site: &LabelledSite,
    contender: &Contender,
    sample: usize,
    seed: u64,
) -> Result<Vec<String>> {
    let mut order: Vec<&(_, Page)> = site.pages.iter().collect();
    order.sort_by_cached_key(|(gold, _)| {
        xxhash_rust::xxh3::xxh3_64_with_seed(gold.file.as_bytes(), seed)
    });
    let learned_from: Vec<&Page> = order.iter().take(sample).map(|(_, page)| page).collect();
    let learned = contender.learn_or_nothing(&learned_from)?;
    Ok(site.pages.par_iter().map(|(_, page)| strip(page, &learned.mark(page)).text()).collect())
}

/// Runs `work` and measures its time in seconds.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed().as_secs_f64())
}
