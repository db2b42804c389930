//! Classification of pages by Naive Bayes, to compare pages before and after their template is
//! removed (tables 3 to 6 of the tree mapping paper).

use crate::chance::Chance;
use crate::naive_bayes::{Answers, NaiveBayes};
use crate::terms::TermCounts;

/// Classified pages of several sites.
#[derive(Clone, Debug)]
pub struct Classified<'a> {
    /// Terms of each page.
    pub counts: &'a TermCounts,
    /// Class of each page, a number below `number_of_classes`.
    pub classes: &'a [usize],
    /// Site of each page.
    pub sites: &'a [usize],
    /// Number of classes.
    pub number_of_classes: usize,
}

impl Classified<'_> {
    fn test(&self, training: &[usize], test: &[usize], answers: &mut Answers) {
        let texts = training.iter().map(|&page| (&self.counts.texts[page], self.classes[page]));
        let model = NaiveBayes::learn(texts, self.number_of_classes, self.counts.terms);
        for &page in test {
            answers.add(self.classes[page], model.classify(&self.counts.texts[page]));
        }
    }

    /// Cross-validation: splits the pages into parts, with each class spread evenly over them, and
    /// classifies the pages of each part by a model of the other parts.
    pub fn cross_validation(&self, parts: usize, seed: u64) -> Answers {
        let mut part_of = vec![0; self.classes.len()];
        let mut seen = vec![0; self.number_of_classes];
        for page in Chance::new(seed).permutation(self.classes.len()) {
            let class = self.classes[page];
            part_of[page] = seen[class] % parts;
            seen[class] += 1;
        }
        self.leave_out(&part_of)
    }

    /// Classifies the pages of each site by a model of the other sites.
    pub fn leave_one_site_out(&self) -> Answers {
        self.leave_out(self.sites)
    }

    fn leave_out(&self, part_of: &[usize]) -> Answers {
        let mut answers = Answers::new(self.number_of_classes);
        for part in 0..part_of.iter().max().map_or(0, |last| last + 1) {
            let (test, training): (Vec<usize>, Vec<usize>) =
                (0..part_of.len()).partition(|&page| part_of[page] == part);
            if !test.is_empty() && !training.is_empty() {
                self.test(&training, &test, &mut answers);
            }
        }
        answers
    }

    /// Mean F and accuracy over all pairs of classes and all sites that can train them.
    pub fn pairs(&self, configuration: Configuration) -> PairScores {
        PairScores::mean(self.sums_of_pairs(configuration).into_iter().map(|(_, sums)| sums))
    }

    /// Mean F and accuracy of each pair of classes that some sites can train.
    pub fn each_pair(&self, configuration: Configuration) -> Vec<((usize, usize), PairScores)> {
        let trained =
            self.sums_of_pairs(configuration).into_iter().filter(|(_, sums)| sums.runs > 0);
        trained.map(|(pair, sums)| (pair, PairScores::mean(std::iter::once(sums)))).collect()
    }

    /// Sums over the runs of each pair of classes.
    fn sums_of_pairs(&self, configuration: Configuration) -> Vec<((usize, usize), PairScores)> {
        let sites = self.sites.iter().max().map_or(0, |last| last + 1);
        let mut pairs = Vec::new();
        for first in 0..self.number_of_classes {
            for second in first + 1..self.number_of_classes {
                let mut sums = PairScores::default();
                for (site_of_first, site_of_second) in configuration.trainings(sites) {
                    self.pair(
                        configuration,
                        [(first, site_of_first), (second, site_of_second)],
                        &mut sums,
                    );
                }
                pairs.push(((first, second), sums));
            }
        }
        pairs
    }

    fn pair(
        &self,
        configuration: Configuration,
        trained: [(usize, usize); 2],
        sums: &mut PairScores,
    ) {
        let pages: Vec<usize> = (0..self.classes.len())
            .filter(|&page| trained.iter().any(|t| t.0 == self.classes[page]))
            .collect();
        let is_training = |page: usize| trained.contains(&(self.classes[page], self.sites[page]));
        let (training, others): (Vec<usize>, Vec<usize>) =
            pages.into_iter().partition(|&page| is_training(page));
        let test: Vec<usize> = others
            .into_iter()
            .filter(|&page| configuration.tests(self.sites[page], [trained[0].1, trained[1].1]))
            .collect();
        let enough = |class: usize, pages: &[usize], min: usize| {
            pages.iter().filter(|&&page| self.classes[page] == class).count() >= min
        };
        if !trained
            .iter()
            .all(|&(class, _)| enough(class, &training, MIN_TRAINING) && enough(class, &test, 1))
        {
            return;
        }
        let answers = self.test_pair(trained[0].0, &training, &test);
        sums.f += answers.macro_f();
        sums.accuracy += answers.accuracy();
        sums.runs += 1;
    }

    /// Classifies the pages of two classes; pages of the other classes are ignored.
    fn test_pair(&self, first: usize, training: &[usize], test: &[usize]) -> Answers {
        let class = |page: usize| usize::from(self.classes[page] != first);
        let texts = training.iter().map(|&page| (&self.counts.texts[page], class(page)));
        let model = NaiveBayes::learn(texts, 2, self.counts.terms);
        let mut answers = Answers::new(2);
        for &page in test {
            answers.add(class(page), model.classify(&self.counts.texts[page]));
        }
        answers
    }
}

/// A site trains a class only if it has at least this many pages of it.
const MIN_TRAINING: usize = 3;

/// Which pages train a pair of classes, and which test it. The table that defines the three
/// configurations is missing from our copy of the paper. These follow its description: one site
/// trains each class, and what the test pages share with the training pages ranges from nothing to
/// the wrong template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Configuration {
    /// One site trains both classes; all other sites test them.
    SameSite,
    /// A different site trains each class; all other sites test them.
    OtherSites,
    /// A different site trains each class; all remaining pages test them, including those of the
    /// two sites, whose template suggests the wrong class.
    CrossedSites,
}

impl Configuration {
    /// All configurations, in the order of the paper's numbers 1, 2, 3.
    pub const ALL: [Configuration; 3] =
        [Configuration::SameSite, Configuration::OtherSites, Configuration::CrossedSites];

    fn trainings(self, sites: usize) -> Vec<(usize, usize)> {
        let pairs = (0..sites).flat_map(|first| (0..sites).map(move |second| (first, second)));
        pairs
            .filter(|(first, second)| (first == second) == (self == Configuration::SameSite))
            .collect()
    }

    fn tests(self, site: usize, trained: [usize; 2]) -> bool {
        self == Configuration::CrossedSites || !trained.contains(&site)
    }
}

/// Means over runs.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct PairScores {
    /// Mean F.
    pub f: f64,
    /// Mean accuracy.
    pub accuracy: f64,
    /// Number of runs.
    pub runs: usize,
}

impl PairScores {
    /// The mean over all runs, from sums over runs.
    fn mean(sums: impl Iterator<Item = PairScores>) -> PairScores {
        let mut all = PairScores::default();
        for sum in sums {
            all.f += sum.f;
            all.accuracy += sum.accuracy;
            all.runs += sum.runs;
        }
        let runs = all.runs.max(1) as f64;
        PairScores { f: all.f / runs, accuracy: all.accuracy / runs, runs: all.runs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sites with two classes each. A site repeats its own name so often that it outweighs the
    /// words of the class.
    fn pages(template: bool) -> (TermCounts, Vec<usize>, Vec<usize>) {
        let (mut texts, mut classes, mut sites) = (Vec::new(), Vec::new(), Vec::new());
        for site in 0..3 {
            for class in 0..2 {
                for page in 0..4 {
                    let menu = if template {
                        format!(" site{site} menu{site}").repeat(8)
                    } else {
                        String::new()
                    };
                    texts.push(format!("word{class} other{page} word{class}{menu}"));
                    classes.push(class);
                    sites.push(site);
                }
            }
        }
        (TermCounts::of(&texts), classes, sites)
    }

    #[test]
    fn a_template_misleads_when_sites_are_crossed() {
        let score = |template: bool, configuration| {
            let (counts, classes, sites) = pages(template);
            let classified = Classified {
                counts: &counts,
                classes: &classes,
                sites: &sites,
                number_of_classes: 2,
            };
            classified.pairs(configuration)
        };
        assert_eq!(score(false, Configuration::CrossedSites).accuracy, 1.0);
        // Of 16 test pages, 4 of each of the two training sites get the class that their site
        // trained.
        assert_eq!(
            score(true, Configuration::CrossedSites),
            PairScores { f: 0.5, accuracy: 0.5, runs: 6 }
        );
        assert_eq!(
            score(true, Configuration::SameSite),
            PairScores { f: 1.0, accuracy: 1.0, runs: 3 }
        );
        assert_eq!(score(true, Configuration::OtherSites).accuracy, 1.0);
    }

    #[test]
    fn every_page_is_tested_once() {
        let (counts, classes, sites) = pages(true);
        let classified =
            Classified { counts: &counts, classes: &classes, sites: &sites, number_of_classes: 2 };
        assert_eq!(classified.cross_validation(5, 1).total(), 24.0);
        assert_eq!(classified.leave_one_site_out().total(), 24.0);
        assert_eq!(classified.leave_one_site_out().accuracy(), 1.0);
    }
}
