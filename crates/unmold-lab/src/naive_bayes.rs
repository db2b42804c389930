//! Multinomial Naive Bayes over counts of terms, with Laplace smoothing.
//!
//! Terms that do not occur in the training texts are ignored. Time O(classes · terms in the texts);
//! terms of other texts cost nothing. Space O(classes · terms).

use crate::terms::Sparse;

/// A model: logarithms of the smoothed term frequencies.
#[derive(Clone, Debug)]
pub struct NaiveBayes {
    priors: Vec<f64>,
    /// A row for each term, a column for each class. Rows of unknown terms are all 0, which does
    /// not affect any score.
    likelihoods: Vec<f64>,
}

impl NaiveBayes {
    /// Learns from texts with their classes. Classes are numbers below `classes`, terms below
    /// `terms`.
    pub fn learn<'a>(
        training: impl IntoIterator<Item = (&'a Sparse, usize)>,
        classes: usize,
        terms: usize,
    ) -> NaiveBayes {
        let mut likelihoods = vec![0.0; terms * classes];
        let (mut texts, mut totals) = (vec![0.0; classes], vec![0.0; classes]);
        let mut known: Vec<usize> = Vec::new();
        for (text, class) in training {
            texts[class] += 1.0;
            for &(term, count) in text {
                let row = &mut likelihoods[term as usize * classes..][..classes];
                if row.iter().all(|&count| count == 0.0) {
                    known.push(term as usize);
                }
                row[class] += count;
                totals[class] += count;
            }
        }
        for &term in &known {
            let row = &mut likelihoods[term * classes..][..classes];
            for (count, total) in row.iter_mut().zip(&totals) {
                *count = ((*count + 1.0) / (total + known.len() as f64)).ln();
            }
        }
        let all: f64 = texts.iter().sum();
        NaiveBayes { priors: texts.iter().map(|texts| (texts / all).ln()).collect(), likelihoods }
    }

    /// The most likely class of a text, the first on a tie.
    pub fn classify(&self, text: &Sparse) -> usize {
        let mut scores = self.priors.clone();
        for &(term, count) in text {
            let row = &self.likelihoods[term as usize * scores.len()..][..scores.len()];
            for (score, likelihood) in scores.iter_mut().zip(row) {
                *score += count * likelihood;
            }
        }
        let mut best = 0;
        for class in 1..scores.len() {
            if scores[class] > scores[best] {
                best = class;
            }
        }
        best
    }
}

/// A confusion matrix: answers counted by true and predicted class.
#[derive(Clone, Debug)]
pub struct Answers {
    classes: usize,
    counts: Vec<f64>,
}

impl Answers {
    /// An empty matrix.
    pub fn new(classes: usize) -> Answers {
        Answers { classes, counts: vec![0.0; classes * classes] }
    }

    /// Adds one answer.
    pub fn add(&mut self, truth: usize, given: usize) {
        self.counts[truth * self.classes + given] += 1.0;
    }

    /// Number of answers.
    pub fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// Share of correct answers.
    pub fn accuracy(&self) -> f64 {
        (0..self.classes).map(|class| self.counts[class * self.classes + class]).sum::<f64>()
            / self.total()
    }

    /// Macro F: the mean F of the classes that occur.
    pub fn macro_f(&self) -> f64 {
        let (mut sum, mut classes) = (0.0, 0.0);
        for class in 0..self.classes {
            let right = self.counts[class * self.classes + class];
            let truth: f64 = self.counts[class * self.classes..][..self.classes].iter().sum();
            let given: f64 =
                (0..self.classes).map(|row| self.counts[row * self.classes + class]).sum();
            if truth + given > 0.0 {
                sum += 2.0 * right / (truth + given);
                classes += 1.0;
            }
        }
        sum / classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::TermCounts;

    /// The worked example of section 13.2 of Manning, Raghavan and Schütze's textbook.
    #[test]
    fn the_textbook_example() {
        let counts = TermCounts::of(&[
            "Chinese Beijing Chinese",
            "Chinese Chinese Shanghai",
            "Chinese Macao",
            "Tokyo Japan Chinese",
            "Chinese Chinese Chinese Tokyo Japan unknown",
        ]);
        let training = counts.texts.iter().zip([0, 0, 0, 1]);
        let model = NaiveBayes::learn(training, 2, counts.terms);
        assert_eq!(model.classify(&counts.texts[4]), 0);
        let chinese = counts.number("chinese").expect("a term") as usize;
        assert!((model.likelihoods[chinese * 2].exp() - 3.0 / 7.0).abs() < 1e-12);
        assert!((model.likelihoods[chinese * 2 + 1].exp() - 2.0 / 9.0).abs() < 1e-12);
    }

    #[test]
    fn scores_of_answers() {
        let mut answers = Answers::new(3);
        for (truth, given) in [(0, 0), (0, 0), (0, 1), (1, 1)] {
            answers.add(truth, given);
        }
        assert_eq!(answers.accuracy(), 0.75);
        assert!((answers.macro_f() - (0.8 + 2.0 / 3.0) / 2.0).abs() < 1e-12);
    }
}
