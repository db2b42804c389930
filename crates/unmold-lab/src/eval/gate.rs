//! The quality gate: compares scores with floors that are kept in a file and only rise.

use std::collections::BTreeMap;
use std::path::Path;

use crate::data::DataSet;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::score::SetScores;

/// Measures with floors.
const MEASURES: [&str; 5] = ["content F1", "template F1", "term F1", "retention", "chunk F1"];

/// Floors by set, method and measure.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, Debug)]
pub struct Baseline {
    sets: BTreeMap<String, SetFloors>,
}

#[derive(Clone, Default, PartialEq, Serialize, Deserialize, Debug)]
struct SetFloors {
    /// Hash of the pages and labels that the floors are valid for.
    hash: String,
    /// Sites to score.
    sites: Vec<String>,
    /// Floors by method and measure.
    floors: BTreeMap<String, BTreeMap<String, f64>>,
}

impl Baseline {
    /// Reads the file; without one there are no floors.
    pub fn read(path: &Path) -> Result<Baseline> {
        if !path.exists() {
            return Ok(Baseline::default());
        }
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text)
            .with_context(|| format!("{} is not a file of floors", path.display()))
    }

    /// The content of the file.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Whether the set has floors.
    pub fn holds(&self, set: &str) -> bool {
        self.sets.contains_key(set)
    }

    /// Whether the method has floors on the set.
    pub fn has_floors(&self, set: &str, method: &str) -> bool {
        self.sets.get(set).is_some_and(|set| set.floors.contains_key(method))
    }

    /// The names of sets with floors.
    pub fn sets(&self) -> impl Iterator<Item = &str> {
        self.sets.keys().map(String::as_str)
    }

    /// Keeps only the sites that the floors were taken from.
    pub fn restrict(&self, set: &mut DataSet) -> Result<()> {
        self.sets.get(&set.name).map_or(Ok(()), |floors| set.keep_sites(&floors.sites))
    }

    /// Lists the scores below their floors.
    pub fn complaints(&self, hash: &str, method: &str, scores: &SetScores) -> Vec<String> {
        let Some(set) = self.sets.get(&scores.set) else { return Vec::new() };
        if set.hash != hash {
            return vec![format!(
                "set {}: its pages or labels have changed since its floors were pinned \
                 ({hash}, not {}): --pin --allow-lower pins new ones",
                scores.set, set.hash
            )];
        }
        let Some(floors) = set.floors.get(method) else { return Vec::new() };
        let values = values(scores);
        let below =
            floors.iter().filter_map(|(measure, floor)| match values.get(measure).copied() {
                Some(value) if value >= *floor => None,
                Some(value) => Some(format!(
                    "{} {method}: {measure} fell to {value:.4}, the floor is {floor:.4}",
                    scores.set
                )),
                None => Some(format!("{} {method}: {measure} is no longer measured", scores.set)),
            });
        below.collect()
    }

    /// Takes scores as new floors, lower ones only if `lower`. Returns the refused scores.
    pub fn pin(
        &mut self,
        set: &DataSet,
        hash: &str,
        method: &str,
        scores: &SetScores,
        lower: bool,
    ) -> Vec<String> {
        let complaints = self.complaints(hash, method, scores);
        if !complaints.is_empty() && !lower {
            return complaints;
        }
        let floors = self.sets.entry(scores.set.clone()).or_default();
        floors.hash = hash.to_owned();
        floors.sites = set.sites.iter().map(|site| site.name.clone()).collect();
        let of_method = floors.floors.entry(method.to_owned()).or_default();
        // Rounded down, because the last digits of a sum may differ on another machine.
        let rounded = |(measure, value): (String, f64)| (measure, (value * 1e4).floor() / 1e4);
        of_method.extend(values(scores).into_iter().map(rounded));
        Vec::new()
    }
}

/// The scores that have floors: those of the set and, for single pages, content F1 of each type.
fn values(scores: &SetScores) -> BTreeMap<String, f64> {
    let of_set = |measure: &str| Some((measure.to_owned(), *scores.mean.get(measure)?));
    let of_type = |(kind, means): (&String, &BTreeMap<&'static str, f64>)| {
        Some((format!("content F1 of type {kind}"), *means.get("content F1")?))
    };
    let of_set = MEASURES.into_iter().filter_map(of_set);
    of_set.chain(scores.types.iter().filter_map(of_type)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(content_f1: f64) -> SetScores {
        SetScores {
            set: "s".to_owned(),
            mean: BTreeMap::from([("content F1", content_f1)]),
            types: BTreeMap::new(),
            worst: BTreeMap::new(),
            sites: Vec::new(),
        }
    }

    fn set() -> DataSet {
        DataSet { name: "s".to_owned(), sites: Vec::new(), groups: Vec::new(), repeats: None }
    }

    #[test]
    fn floors_only_rise_unless_told() {
        let mut baseline = Baseline::default();
        assert!(baseline.complaints("h", "m", &scores(0.1)).is_empty(), "no floors yet");
        assert!(baseline.pin(&set(), "h", "m", &scores(0.81239), false).is_empty());
        assert!(baseline.complaints("h", "m", &scores(0.8123)).is_empty());
        let fallen = baseline.complaints("h", "m", &scores(0.8122));
        assert!(fallen[0].contains("content F1 fell to 0.8122, the floor is 0.8123"), "{fallen:?}");
        assert_eq!(
            baseline.pin(&set(), "h", "m", &scores(0.5), false),
            baseline.complaints("h", "m", &scores(0.5))
        );
        assert!(!baseline.complaints("h", "m", &scores(0.5)).is_empty(), "the floor is unchanged");
        assert!(baseline.pin(&set(), "h", "m", &scores(0.5), true).is_empty());
        assert!(baseline.complaints("h", "m", &scores(0.5)).is_empty());
    }

    #[test]
    fn types_of_single_pages_have_floors_of_their_own() {
        let with_products = |product: f64| SetScores {
            types: BTreeMap::from([(
                "product".to_owned(),
                BTreeMap::from([("content F1", product)]),
            )]),
            ..scores(0.8)
        };
        let mut baseline = Baseline::default();
        baseline.pin(&set(), "h", "m", &with_products(0.6), false);
        assert!(baseline.complaints("h", "m", &with_products(0.6)).is_empty());
        let fallen = baseline.complaints("h", "m", &with_products(0.5));
        assert!(fallen[0].contains("type product fell to 0.5"), "{fallen:?}");
    }

    #[test]
    fn floors_hold_for_their_pages_only() {
        let mut baseline = Baseline::default();
        baseline.pin(&set(), "h", "m", &scores(0.8), false);
        assert!(baseline.complaints("other", "m", &scores(0.9))[0].contains("pages or labels"));
        let mut gone = scores(0.9);
        gone.mean.clear();
        assert!(baseline.complaints("h", "m", &gone)[0].contains("no longer measured"));
    }

    #[test]
    fn a_file_and_back() {
        let mut baseline = Baseline::default();
        baseline.pin(&set(), "h", "m", &scores(0.8), false);
        let back: Baseline =
            serde_json::from_str(&baseline.to_json().expect("JSON")).expect("floors");
        assert_eq!(back, baseline);
    }
}
