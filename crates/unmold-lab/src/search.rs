//! Compares search over whole pages with search over stripped pages (section 4.3 and figure 2 of
//! the chunk frequency paper).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use unmold::page::words;
use unmold::switching::{SiteMatches, prefers_whole};
use xxhash_rust::xxh3::xxh3_64;

use crate::bm25::{Bm25, Ranking};

/// A query and the texts it should find.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    /// Its words, in lower case.
    pub words: Vec<String>,
    /// Whether each text is relevant.
    pub relevant: Vec<bool>,
}

impl Query {
    /// Whether the rule of the switching engine was chosen on this query. The others, about half,
    /// say what it is worth.
    pub fn chose_the_rule(&self) -> bool {
        xxh3_64(self.words.join(" ").as_bytes()).is_multiple_of(2)
    }
}

/// Minimum number of pages that a query must be relevant for.
const MIN_RELEVANT: usize = 10;

/// Queries from labels: every value that the labels of at least ten pages contain as consecutive
/// words.
pub fn queries(attributes: &[&BTreeMap<String, Vec<String>>]) -> Vec<Query> {
    let values: Vec<Vec<String>> = attributes
        .iter()
        .map(|page| page.values().flatten().map(|value| word_key(value)).collect())
        .collect();
    let mut keys: Vec<&String> = values.iter().flatten().filter(|key| key.len() > 2).collect();
    keys.sort_unstable();
    keys.dedup();
    let pages_with = pages_by_word(&values);
    keys.into_iter()
        .filter_map(|key| {
            let words: Vec<String> = key.split_whitespace().map(str::to_owned).collect();
            let mut relevant = vec![false; values.len()];
            for &page in pages_with.get(words.first()?.as_str())? {
                relevant[page] = values[page].iter().any(|value| value.contains(key.as_str()));
            }
            let enough = relevant.iter().filter(|&&relevant| relevant).count() >= MIN_RELEVANT;
            enough.then_some(Query { words, relevant })
        })
        .collect()
}

/// Queries from classes: the name of a class should find its pages.
pub fn class_queries(classes: &[Option<usize>], names: &[String]) -> Vec<Query> {
    let query = |(class, name): (usize, &String)| Query {
        words: vec![name.clone()],
        relevant: classes.iter().map(|&of_page| of_page == Some(class)).collect(),
    };
    names.iter().enumerate().map(query).collect()
}

/// For each word, the pages whose values contain it: only these can contain a run of words that
/// begins with it.
fn pages_by_word(values: &[Vec<String>]) -> FxHashMap<&str, Vec<usize>> {
    let mut pages: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (page, values) in values.iter().enumerate() {
        for word in values.iter().flat_map(|value| value.split_whitespace()) {
            let known = pages.entry(word).or_default();
            if known.last() != Some(&page) {
                known.push(page);
            }
        }
    }
    pages
}

/// The lower-cased words of a text with a space on both sides of each, so that a run of words can
/// be searched as a substring.
fn word_key(value: &str) -> String {
    format!(" {} ", words(&value.to_lowercase()).collect::<Vec<_>>().join(" "))
}

/// Means over queries.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct SearchScores {
    /// Precision at 1, 5 and 10.
    pub precision_at: [f64; 3],
    /// Mean average precision.
    pub map: f64,
}

impl SearchScores {
    fn mean(rankings: &[Ranking]) -> SearchScores {
        let mean = |value: &dyn Fn(&Ranking) -> f64| {
            rankings.iter().map(value).sum::<f64>() / rankings.len().max(1) as f64
        };
        SearchScores {
            precision_at: [0, 1, 2].map(|depth| mean(&|ranking| ranking.precision_at[depth])),
            map: mean(&|ranking| ranking.average_precision),
        }
    }
}

/// Scores of an engine over whole pages and one over stripped pages.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The engine over whole pages.
    pub before: SearchScores,
    /// The engine over stripped pages.
    pub after: SearchScores,
    /// The engine that chooses for each query (see [`compare`]).
    pub switching: SearchScores,
    /// The better of the two for each query: an upper bound for any switching rule.
    pub best: SearchScores,
    /// Number of queries whose average precision rose, stayed the same and fell.
    pub improved_unchanged_worse: [usize; 3],
    /// Number of queries for which the switching engine asks the one over whole pages.
    pub switched_back: usize,
    /// Each query, in order.
    pub each: Vec<Asked>,
}

/// A query on both engines.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Asked {
    /// Pages with all words, over all sites.
    pub matches: SiteMatches,
    /// Whether whole pages answer.
    pub back: bool,
    /// Average precision on whole pages.
    pub before: f64,
    /// Average precision on clean pages.
    pub after: f64,
}

/// Runs all queries on both engines.
///
/// The switching engine follows [`prefers_whole`], which does not look at relevance; `sites` is the
/// site of each text.
pub fn compare(queries: &[Query], whole: &Bm25, stripped: &Bm25, sites: &[usize]) -> Comparison {
    let [mut of_whole, mut of_stripped, mut switched, mut best] = [const { Vec::new() }; 4];
    let mut counts = [0; 3];
    let mut switched_back = 0;
    let mut each = Vec::new();
    for query in queries {
        let on_whole = Ranking::of(&whole.search(&query.words), &query.relevant);
        let on_stripped = Ranking::of(&stripped.search(&query.words), &query.relevant);
        let matches = matches(&query.words, whole, stripped, sites);
        let back = prefers_whole(&matches);
        let matches = SiteMatches {
            pages: matches.iter().map(|site| site.pages).sum(),
            whole: matches.iter().map(|site| site.whole).sum(),
            clean: matches.iter().map(|site| site.clean).sum(),
        };
        let [before, after] = [on_whole, on_stripped].map(|ranking| ranking.average_precision);
        each.push(Asked { matches, back, before, after });
        switched_back += usize::from(back);
        let gain = on_stripped.average_precision - on_whole.average_precision;
        counts[if gain > 1e-9 {
            0
        } else if gain < -1e-9 {
            2
        } else {
            1
        }] += 1;
        best.push(if gain < 0.0 { on_whole } else { on_stripped });
        switched.push(if back { on_whole } else { on_stripped });
        of_whole.push(on_whole);
        of_stripped.push(on_stripped);
    }
    Comparison {
        before: SearchScores::mean(&of_whole),
        after: SearchScores::mean(&of_stripped),
        switching: SearchScores::mean(&switched),
        best: SearchScores::mean(&best),
        improved_unchanged_worse: counts,
        switched_back,
        each,
    }
}

/// The pages of each site that contain all words.
fn matches(words: &[String], whole: &Bm25, stripped: &Bm25, sites: &[usize]) -> Vec<SiteMatches> {
    let number = sites.iter().max().map_or(0, |last| last + 1);
    let mut matches = vec![SiteMatches::default(); number];
    for &site in sites {
        matches[site].pages += 1;
    }
    let clean = stripped.holding_all(words);
    for text in whole.holding_all(words) {
        matches[sites[text]].whole += 1;
        matches[sites[text]].clean += usize::from(clean.binary_search(&text).is_ok());
    }
    matches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_classes_find_their_pages() {
        let queries =
            class_queries(&[Some(1), None, Some(0)], &["canon".to_owned(), "sony".to_owned()]);
        let words: Vec<_> = queries.iter().map(|query| query.words.join(" ")).collect();
        assert_eq!(words, ["canon", "sony"]);
        assert_eq!(queries[0].relevant, [false, false, true]);
        assert_eq!(queries[1].relevant, [true, false, false]);
    }

    fn labels(makers: &[&str]) -> Vec<BTreeMap<String, Vec<String>>> {
        makers
            .iter()
            .map(|maker| BTreeMap::from([("maker".to_owned(), vec![(*maker).to_owned()])]))
            .collect()
    }

    #[test]
    fn queries_are_values_of_ten_pages() {
        let makers: Vec<&str> =
            (0..24).map(|n| if n % 2 == 0 { "Brand: Sony" } else { "sony" }).collect();
        let labels = labels(&makers);
        let queries = queries(&labels.iter().collect::<Vec<_>>());
        let found: Vec<(String, usize)> = queries
            .iter()
            .map(|query| (query.words.join(" "), query.relevant.iter().filter(|&&r| r).count()))
            .collect();
        assert_eq!(found, [("brand sony".to_owned(), 12), ("sony".to_owned(), 24)]);
    }

    #[test]
    fn menus_hide_what_is_sought() {
        let makers: Vec<&str> = (0..20).map(|n| if n < 10 { "nikon" } else { "sony" }).collect();
        let labels = labels(&makers);
        let queries = queries(&labels.iter().collect::<Vec<_>>());
        let after: Vec<String> = makers.iter().map(|maker| format!("camera by {maker}")).collect();
        // Half of the pages have a menu with the names of both makers.
        let before: Vec<String> =
            after
                .iter()
                .enumerate()
                .map(|(n, text)| {
                    if n % 2 == 0 { format!("{text} nikon nikon sony sony") } else { text.clone() }
                })
                .collect();
        // The pages with the menu are one site, where the names are template.
        let sites: Vec<usize> = (0..20).map(|n| n % 2).collect();
        let compared = compare(&queries, &Bm25::of(&before), &Bm25::of(&after), &sites);
        assert_eq!(compared.after.map, 1.0);
        assert!(compared.before.map < 1.0);
        assert_eq!((compared.improved_unchanged_worse, compared.switched_back), ([2, 0, 0], 0));
        // With everything stripped nothing is found, and switching falls back to whole pages.
        let nothing = vec![String::new(); 20];
        let lost = compare(&queries, &Bm25::of(&before), &Bm25::of(&nothing), &sites);
        assert_eq!((lost.after.map, lost.switched_back), (0.0, 2));
        assert_eq!(lost.switching, lost.before);
        assert_eq!(lost.best, lost.before);
    }
}
