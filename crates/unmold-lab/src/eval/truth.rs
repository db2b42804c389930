//! What a page is scored against. It is computed once for each page, which is then scored for every
//! method and every sample size.
//!
//! Words are numbered, so that a score is arithmetic over counts. `plain_scores` in the tests
//! computes the same from bags of words.

use rustc_hash::FxHashMap;
use unmold::metrics::{Agreement, Bag, ChunkDetection};
use unmold::page::{Delimiters, words};
use unmold::{Marks, NodeRange, Page, Stripped};

use super::means::Means;
use crate::data::Gold;

/// A labelled page, ready to score outputs.
#[derive(Debug)]
pub struct Truth {
    /// Number of each word of the page and of its labels.
    numbers: FxHashMap<String, usize>,
    /// Count of each word on the page.
    body: Vec<usize>,
    dont_care: Vec<usize>,
    content: Option<ContentTruth>,
    /// Attribute values on the page, as words with spaces between and around them.
    values: Vec<String>,
}

#[derive(Debug)]
struct ContentTruth {
    /// Counts of words, without those that may stay or be removed.
    content: Vec<usize>,
    template: Vec<usize>,
    /// Chunks, and whether each is template: whether most of its words are not in the content.
    chunks: Vec<(NodeRange, bool)>,
}

impl Truth {
    /// Computes the truth of a page from its label.
    pub fn of(gold: &Gold, page: &Page) -> Truth {
        let body_text = Stripped::untouched(page).text();
        let chunks = |content: &str| true_chunks(page, &Bag::of(content), Delimiters::Extended);
        Truth::of_text(gold, &body_text, chunks)
    }

    fn of_text(
        gold: &Gold,
        body_text: &str,
        chunks: impl FnOnce(&str) -> Vec<(NodeRange, bool)>,
    ) -> Truth {
        let mut numbers = FxHashMap::default();
        let mut body = number_words(&mut numbers, body_text);
        let mut dont_care = number_words(&mut numbers, &gold.dont_care.join("\n"));
        let mut content = gold.content.as_deref().map(|text| number_words(&mut numbers, text));
        for counts in [&mut body, &mut dont_care].into_iter().chain(content.as_mut()) {
            counts.resize(numbers.len(), 0);
        }
        let content = content.zip(gold.content.as_deref()).map(|(content, text)| ContentTruth {
            template: minus(&minus(&body, &content), &dont_care),
            content: minus(&content, &dont_care),
            chunks: chunks(text),
        });
        let page = sequence(body_text);
        let mut values: Vec<String> =
            gold.attributes.values().flatten().map(|value| sequence(value)).collect();
        values.retain(|value| value.len() > 2 && page.contains(value.as_str()));
        Truth { numbers, body, dont_care, content, values }
    }

    /// Scores an output for the page, made by any tool.
    pub fn score_text(&self, out_text: &str) -> Means {
        let mut means = Means::default();
        let (out, unknown) = self.count(out_text);
        let body_words = total(&self.body);
        if body_words > 0 {
            means.add("removed share", 1.0 - (total(&out) + unknown) as f64 / body_words as f64);
        }
        if let Some(truth) = &self.content {
            let kept = minus(&out, &self.dont_care);
            let agreement = Agreement::of(
                common(&kept, &truth.content),
                total(&kept) + unknown,
                total(&truth.content),
            );
            means.add_agreement(["content F1", "content P", "content R"], agreement);
            let found = minus(&minus(&self.body, &out), &self.dont_care);
            let template = &truth.template;
            let agreement = Agreement::of(common(&found, template), total(&found), total(template));
            means.add_agreement(["template F1", "template P", "template R"], agreement);
            let both = found
                .iter()
                .zip(template)
                .filter(|&(&found, &truth)| found > 0 && truth > 0)
                .count();
            let agreement = Agreement::of(both, distinct(&found), distinct(template));
            means.add_agreement(["term F1", "term P", "term R"], agreement);
            if body_words > 0 {
                means.add("template share", total(template) as f64 / body_words as f64);
            }
        }
        if !self.values.is_empty() {
            let out = sequence(out_text);
            let kept = self.values.iter().filter(|value| out.contains(value.as_str())).count();
            means.add("retention", kept as f64 / self.values.len() as f64);
        }
        means
    }

    /// Scores the chunks marked as template, if the content is labelled.
    pub fn detect_chunks(&self, page: &Page, marks: &Marks) -> Option<ChunkDetection> {
        Some(detect(page, marks, &self.content.as_ref()?.chunks))
    }

    /// Scores the table text chunks marked as template, cut as in the chunk frequency paper; `None`
    /// if the content is not labelled or no such chunk is template.
    pub fn detect_tables(&self, gold: &Gold, page: &Page, marks: &Marks) -> Option<ChunkDetection> {
        let content = Bag::of(gold.content.as_deref()?);
        let chunks = true_chunks(page, &content, Delimiters::Paper);
        chunks.iter().any(|chunk| chunk.1).then(|| detect(page, marks, &chunks))
    }

    /// Counts each known word of a text, and the words that are neither on the page nor in its
    /// label.
    fn count(&self, text: &str) -> (Vec<usize>, usize) {
        let mut counts = vec![0; self.numbers.len()];
        let mut unknown = 0;
        for word in words(&text.to_lowercase()) {
            match self.numbers.get(word) {
                Some(&number) => counts[number] += 1,
                None => unknown += 1,
            }
        }
        (counts, unknown)
    }
}

/// Counts the chunks whose texts are all marked.
fn detect(page: &Page, marks: &Marks, chunks: &[(NodeRange, bool)]) -> ChunkDetection {
    let (mut common, mut found, mut truth) = (0, 0, 0);
    for (nodes, is_template) in chunks {
        let called = nodes.clone().filter(|&id| page.is_text(id)).all(|id| marks.is_template(id));
        truth += usize::from(*is_template);
        found += usize::from(called);
        common += usize::from(called && *is_template);
    }
    ChunkDetection::of(common, found, truth)
}

fn true_chunks(page: &Page, content: &Bag, delimiters: Delimiters) -> Vec<(NodeRange, bool)> {
    let chunks = page.chunks(delimiters).into_iter().filter(|chunk| !chunk.key.is_empty());
    let judged = chunks.map(|chunk| {
        let bag = Bag::of(&chunk.key);
        (chunk.nodes, bag.common(content) * 2 < bag.len())
    });
    judged.collect()
}

/// Counts the words of a text; new words get the next number.
fn number_words(numbers: &mut FxHashMap<String, usize>, text: &str) -> Vec<usize> {
    let mut counts = vec![0; numbers.len()];
    for word in words(&text.to_lowercase()) {
        let number = numbers.get(word).copied().unwrap_or_else(|| {
            counts.push(0);
            numbers.insert(word.to_owned(), counts.len() - 1);
            counts.len() - 1
        });
        counts[number] += 1;
    }
    counts
}

fn minus(left: &[usize], right: &[usize]) -> Vec<usize> {
    left.iter().zip(right).map(|(left, right)| left.saturating_sub(*right)).collect()
}

fn common(left: &[usize], right: &[usize]) -> usize {
    left.iter().zip(right).map(|(left, right)| left.min(right)).sum()
}

fn total(counts: &[usize]) -> usize {
    counts.iter().sum()
}

fn distinct(counts: &[usize]) -> usize {
    counts.iter().filter(|&&count| count > 0).count()
}

/// The words of a text with spaces between and around them: consecutive words are a substring.
pub fn sequence(text: &str) -> String {
    let mut sequence = String::from(" ");
    for word in words(&text.to_lowercase()) {
        sequence.push_str(word);
        sequence.push(' ');
    }
    // Two spaces if there are no words, as if an empty word were between them.
    if sequence.len() == 1 {
        sequence.push(' ');
    }
    sequence
}

#[cfg(test)]
mod tests {
    use crate::chance::Chance;

    use super::*;

    /// The definitions of `docs/evaluation.md`, taken literally.
    fn plain_scores(gold: &Gold, body_text: &str, out_text: &str) -> Means {
        let mut means = Means::default();
        let (body, out) = (Bag::of(body_text), Bag::of(out_text));
        if !body.is_empty() {
            means.add("removed share", 1.0 - out.len() as f64 / body.len() as f64);
        }
        if let Some(content) = &gold.content {
            let (content, dont_care) = (Bag::of(content), Bag::of(&gold.dont_care.join("\n")));
            let kept = out.clone().minus(&dont_care);
            let agreement = Agreement::of_bags(&kept, &content.clone().minus(&dont_care));
            means.add_agreement(["content F1", "content P", "content R"], agreement);
            let truth = body.clone().minus(&content).minus(&dont_care);
            let found = body.clone().minus(&out).minus(&dont_care);
            means.add_agreement(
                ["template F1", "template P", "template R"],
                Agreement::of_bags(&found, &truth),
            );
            means.add_agreement(
                ["term F1", "term P", "term R"],
                Agreement::of_terms(&found, &truth),
            );
            if !body.is_empty() {
                means.add("template share", truth.len() as f64 / body.len() as f64);
            }
        }
        let spaced =
            |text: &str| format!(" {} ", words(&text.to_lowercase()).collect::<Vec<_>>().join(" "));
        let values: Vec<String> =
            gold.attributes.values().flatten().map(|value| spaced(value)).collect();
        let present: Vec<&String> = values
            .iter()
            .filter(|value| value.len() > 2 && spaced(body_text).contains(*value))
            .collect();
        if !present.is_empty() {
            let kept =
                present.iter().filter(|value| spaced(out_text).contains(value.as_str())).count();
            means.add("retention", kept as f64 / present.len() as f64);
        }
        means
    }

    /// Some words, many of them repeated, with other characters between them.
    fn text(chance: &mut Chance, max: usize) -> String {
        let all = ["Tea", "tea", "TEA!", "cake", "milk", "é", "7", "a", "–", "x_y"];
        let number = chance.below(max + 1);
        (0..number).map(|_| all[chance.below(all.len())]).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn counts_and_bags_give_the_same_scores() {
        let mut chance = Chance::new(1);
        for _ in 0..5000 {
            let mut gold = Gold::default();
            if chance.below(4) > 0 {
                gold.content = Some(text(&mut chance, 8));
            }
            gold.dont_care = (0..chance.below(3)).map(|_| text(&mut chance, 2)).collect();
            let values = (0..chance.below(3)).map(|_| text(&mut chance, 2)).collect();
            gold.attributes.insert("value".to_owned(), values);
            let (body, mut out) = (text(&mut chance, 12), text(&mut chance, 12));
            if chance.below(3) == 0 {
                out += " words that only another tool has";
            }
            let truth = Truth::of_text(&gold, &body, |_| Vec::new());
            assert_eq!(
                truth.score_text(&out).means(),
                plain_scores(&gold, &body, &out).means(),
                "{gold:?} {body:?} {out:?}"
            );
        }
    }
}
