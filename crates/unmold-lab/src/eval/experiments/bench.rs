//! What an experiment works on, and what several of them need and nobody wants to do twice.

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

/// What is the same for all sets.
pub struct Setup<'a> {
    /// What is compared, by name.
    pub contenders: &'a [(String, Contender)],
    /// Outputs of other tools.
    pub peers: &'a [Outputs],
    /// Draws samples and first centres.
    pub seed: u64,
    /// Runs of K-means.
    pub runs: usize,
    /// How pages are clustered.
    pub clustering: Clustering,
    /// Told what is being done.
    pub tell: &'a (dyn Fn(&str) + Sync),
    /// Pages of the sets so far, as paths: those whose pages no other set has.
    pub pooled: Kept<String, Vec<ClusterPages>>,
}

impl Setup<'_> {
    /// Contenders that strip something.
    pub fn strippers(&self) -> impl Iterator<Item = (&str, &Contender)> {
        let all = self.contenders.iter().map(|(name, contender)| (name.as_str(), contender));
        all.filter(|(_, contender)| !matches!(contender, Contender::Full))
    }
}

/// One set, and what is compared on it.
pub struct Bench<'a> {
    /// What is the same for all sets.
    pub setup: &'a Setup<'a>,
    /// Name of the set.
    pub set: &'a str,
    /// Its sites.
    pub sites: &'a [LabelledSite],
    /// Sites that are mined together.
    pub groups: &'a [Group],
    /// Another set of this run holds the same pages in another form, or pages of the same sites:
    /// what costs much and says the same again is left out.
    pub is_repeated: bool,
    whole: Kept<String, Whole>,
    sampled: Kept<(String, usize), Vec<SiteScores>>,
    texts: Kept<(String, usize), SiteTexts>,
    before: RefCell<Option<Rc<SiteTexts>>>,
    cluster_pages: RefCell<Option<Rc<Vec<ClusterPages>>>>,
}

/// What was made once.
type Kept<K, V> = RefCell<BTreeMap<K, Rc<V>>>;

/// The text of each page of each site.
pub type SiteTexts = Vec<Vec<String>>;

/// What a contender that learned from all pages leaves, and its scores.
struct Whole {
    scores: SetScores,
    texts: Rc<SiteTexts>,
}

impl<'a> Bench<'a> {
    /// A set on which nothing was done yet.
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

    /// Says what is being done.
    pub fn tell(&self, what: &str) {
        (self.setup.tell)(&format!("{}: {what}", self.set));
    }

    /// Whether the content of any page is labelled.
    pub fn has_content(&self) -> bool {
        self.sites.iter().any(LabelledSite::has_content)
    }

    /// Pages of the largest site.
    pub fn most_pages(&self) -> usize {
        self.sites.iter().map(|site| site.pages.len()).max().unwrap_or(0)
    }

    /// Scores of a contender that learned from all pages.
    pub fn scores_of(&self, name: &str, contender: &Contender) -> Result<SetScores> {
        Ok(self.whole(name, contender)?.scores.clone())
    }

    /// Scores on each site of templates that were learned from `size` pages drawn by chance; from
    /// all pages of a site that has no more.
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

    /// The same, not kept.
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

    /// The texts that a contender leaves, its templates learned from `sample` pages of each site
    /// drawn by chance, or from all.
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

    /// Pages as paths. Kept for the end, unless another set has them too.
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
    let learned = contender.learn(&learned_from)?;
    Ok(site.pages.par_iter().map(|(_, page)| strip(page, &learned.mark(page)).text()).collect())
}

/// Runs `work` and says how long it took, in seconds.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed().as_secs_f64())
}
