//! Unlabelled runs of varying length, such as the lines of an address of which some pages lack one:
//! values are put at positions by type and vocabulary, in order.
//!
//! Parents with the full number of values say what is usual at each position. If that tells the
//! positions apart, values of all parents go where they fit best; otherwise the run is a list.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::types::{Looks, looks};
use crate::page::{comparison_form, words};

/// Most positions of a run.
const MAX_SIZE: usize = 12;
/// Most values that are put at positions.
const MAX_VALUES: usize = 200;
/// Parents with the full number, at least and as a share of all.
const MIN_FULL: usize = 4;
const MIN_FULL_SHARE: f64 = 0.2;
/// Share of the values that must be recognised without their position, overall and at each one.
const MIN_KNOWN: f64 = 0.85;
const MIN_KNOWN_EACH: f64 = 0.7;
/// Most features that are kept for a position.
const MAX_FEATURES: usize = 60;
/// Smoothing of counts.
const SMOOTHING: f64 = 0.5;
/// What a position is worth, in thousandths: a value that says nothing still has one.
const BONUS: i32 = 500;

/// What is usual at each position: features of values and their weights, in thousandths.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Run {
    positions: Vec<BTreeMap<u32, i32>>,
}

impl Run {
    /// Learns a run from the values of each parent; `None` if positions cannot be told apart.
    pub fn learn(parents: &[Vec<&str>]) -> Option<Run> {
        let size = full_size(parents)?;
        let full = parents.iter().filter(|values| values.len() == size);
        let seeds: Vec<(usize, Vec<u32>)> = full
            .flat_map(|values| values.iter().map(|value| features(value)).enumerate())
            .collect();
        let counts = Counts::of(size, &seeds);
        if !counts.tell_apart(&seeds) {
            return None;
        }
        let run = counts.run();
        // What fits elsewhere makes positions known better.
        let mut all = Vec::new();
        for values in parents {
            let placed = run.assign(values);
            let known = values.iter().zip(placed);
            all.extend(known.filter_map(|(value, at)| Some((at? as usize, features(value)))));
        }
        Some(Counts::of(size, &all).run())
    }

    /// The positions of values, in order; `None` for those that fit nowhere.
    pub fn assign(&self, values: &[&str]) -> Vec<Option<u32>> {
        let (count, size) = (values.len(), self.positions.len());
        if count > MAX_VALUES {
            return vec![None; count];
        }
        let scores: Vec<Vec<i32>> = values
            .iter()
            .map(|value| {
                let features = features(value);
                let weights = |weights: &BTreeMap<u32, i32>| -> i32 {
                    BONUS + features.iter().filter_map(|f| weights.get(f)).sum::<i32>()
                };
                self.positions.iter().map(weights).collect()
            })
            .collect();
        // best[i][j]: the best sum for the values from i on with the positions from j on.
        let mut best = vec![vec![0i32; size + 1]; count + 1];
        for i in (0..count).rev() {
            for j in (0..size).rev() {
                let taken = scores[i][j] + best[i + 1][j + 1];
                best[i][j] = taken.max(best[i + 1][j]).max(best[i][j + 1]);
            }
        }
        let mut placed = vec![None; count];
        let (mut i, mut j) = (0, 0);
        while i < count && j < size {
            if best[i][j] == scores[i][j] + best[i + 1][j + 1] {
                placed[i] = Some(j as u32);
                (i, j) = (i + 1, j + 1);
            } else if best[i][j] == best[i][j + 1] {
                j += 1;
            } else {
                i += 1;
            }
        }
        placed
    }
}

/// The largest number of values that enough parents have.
fn full_size(parents: &[Vec<&str>]) -> Option<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for values in parents {
        *counts.entry(values.len()).or_default() += 1;
    }
    let min = (MIN_FULL as f64).max(MIN_FULL_SHARE * parents.len() as f64);
    let enough = counts.iter().rev().find(|&(_, &count)| count as f64 >= min);
    let size = enough.map(|(&size, _)| size)?;
    let longer: usize = counts.range(size + 1..).map(|(_, count)| count).sum();
    let is_usual = longer as f64 <= 0.1 * parents.len() as f64;
    (is_usual && (2..=MAX_SIZE).contains(&size)).then_some(size)
}

/// How many values at each position have a feature.
struct Counts {
    features: Vec<FxHashMap<u32, usize>>,
    values: Vec<usize>,
    all: FxHashMap<u32, usize>,
}

impl Counts {
    fn of(size: usize, values: &[(usize, Vec<u32>)]) -> Counts {
        let mut counts = Counts {
            features: vec![FxHashMap::default(); size],
            values: vec![0; size],
            all: FxHashMap::default(),
        };
        for (position, features) in values {
            counts.values[*position] += 1;
            for &feature in features {
                *counts.features[*position].entry(feature).or_default() += 1;
                *counts.all.entry(feature).or_default() += 1;
            }
        }
        counts
    }

    /// How much a feature speaks for a position; `own` is the position of a value that is left out.
    fn weight(&self, position: usize, feature: u32, own: Option<usize>) -> f64 {
        let count = |counts: &FxHashMap<u32, usize>| counts.get(&feature).copied().unwrap_or(0);
        let out = usize::from(own == Some(position));
        let here = (count(&self.features[position]) - out) as f64;
        let values = (self.values[position] - out) as f64;
        let out = usize::from(own.is_some());
        let all = (count(&self.all) - out) as f64;
        let total = (self.values.iter().sum::<usize>() - out) as f64;
        let share = |count: f64, of: f64| (count + SMOOTHING) / (of + 2.0 * SMOOTHING);
        (share(here, values) / share(all, total)).ln()
    }

    /// Whether values are recognised by the others at their position.
    fn tell_apart(&self, seeds: &[(usize, Vec<u32>)]) -> bool {
        let size = self.values.len();
        let mut known = vec![0usize; size];
        for (own, features) in seeds {
            let score = |position: usize| -> f64 {
                let said = features.iter().filter(|feature| self.all[feature] > 1);
                said.map(|&feature| self.weight(position, feature, Some(*own))).sum()
            };
            let mine = score(*own);
            let is_best = (0..size).all(|other| other == *own || score(other) < mine);
            known[*own] += usize::from(is_best);
        }
        let share = |known: usize, of: usize| known as f64 / of.max(1) as f64;
        share(known.iter().sum(), seeds.len()) >= MIN_KNOWN
            && known.iter().zip(&self.values).all(|(&k, &of)| share(k, of) >= MIN_KNOWN_EACH)
    }

    fn run(&self) -> Run {
        let position = |position: usize| {
            let often = self.all.iter().filter(|&(_, &count)| count > 1);
            let mut weights: Vec<(u32, i32)> = often
                .map(|(&feature, _)| {
                    (feature, (1000.0 * self.weight(position, feature, None)).round() as i32)
                })
                .collect();
            weights.sort_by_key(|&(feature, weight)| (std::cmp::Reverse(weight.abs()), feature));
            weights.truncate(MAX_FEATURES);
            weights.into_iter().collect()
        };
        Run { positions: (0..self.values.len()).map(position).collect() }
    }
}

/// What a value is recognised by: its type, its shape, its words, their number, the text itself.
fn features(value: &str) -> Vec<u32> {
    let number = |kind: u64, text: &str| xxh3_64_with_seed(text.as_bytes(), kind) as u32;
    let kind = match looks(value) {
        Looks::Typed(kind) => kind.name(),
        Looks::Nothing => "nothing",
    };
    let mut features = vec![number(0, kind), number(1, &shape(value)), number(2, value)];
    let mut count = 0;
    for word in words(value).take(12) {
        count += 1;
        let plain: String =
            comparison_form(word).chars().map(|c| if c.is_numeric() { '0' } else { c }).collect();
        features.push(number(3, &plain));
    }
    features.push(number(4, &count.min(6).to_string()));
    features.sort_unstable();
    features.dedup();
    features
}

/// Letters and digits as runs: `Monroeville, AL 36461` is `Aa, A 0`.
fn shape(value: &str) -> String {
    let mut shape = String::new();
    let mut last = ' ';
    for c in value.chars().take(40) {
        let kind = match c {
            c if c.is_numeric() => '0',
            c if c.is_uppercase() => 'A',
            c if c.is_alphabetic() => 'a',
            c => c,
        };
        if kind != last || !kind.is_alphanumeric() {
            shape.push(kind);
        }
        last = kind;
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    const CITIES: [&str; 4] =
        ["Troy, NY 12180", "Reno, NV 89501", "Bend, OR 97701", "Erie, PA 16501"];
    const PHONES: [&str; 4] =
        ["(251) 555-3156", "(303) 555-4222", "(814) 555-7000", "(541) 555-1234"];
    const STREETS: [&str; 4] = ["12 Main Street", "7 Hill Road", "400 Lake Street", "81 Mill Road"];

    fn addresses() -> Vec<Vec<&'static str>> {
        let mut parents: Vec<Vec<&str>> = Vec::new();
        for n in 0..12 {
            parents.push(vec![STREETS[n % 4], CITIES[n / 3], PHONES[(n + 1) % 4]]);
        }
        parents.push(vec![STREETS[0], PHONES[2]]);
        parents.push(vec![CITIES[1], PHONES[0]]);
        parents
    }

    #[test]
    fn values_go_to_the_positions_they_fit() {
        let run = Run::learn(&addresses()).expect("the lines differ");
        let check = |values: &[&str], expected: &[Option<u32>]| {
            assert_eq!(run.assign(values), expected, "{values:?}");
        };
        check(&["9 Pine Road", "Ames, IA 50010", "(515) 555-0000"], &[Some(0), Some(1), Some(2)]);
        check(&["9 Pine Road", "(515) 555-0000"], &[Some(0), Some(2)]);
        check(&["Ames, IA 50010"], &[Some(1)]);
        check(&[], &[]);
    }

    #[test]
    fn names_are_a_list() {
        let names = ["Ann Lee", "Bob Ray", "Cy Fox", "Di Roe", "Ed Poe", "Flo Day", "Gus Orr"];
        let parents: Vec<Vec<&str>> =
            (0..20).map(|n| (0..2 + n % 2).map(|m| names[(n * 3 + m * 2) % 7]).collect()).collect();
        assert_eq!(Run::learn(&parents), None);
    }
}
