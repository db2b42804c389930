//! Means of scores by name.

use std::collections::BTreeMap;

use unmold::metrics::Agreement;

/// Sums of scores by name, with how many there are.
#[derive(Clone, Default, Debug)]
pub struct Means(BTreeMap<&'static str, (f64, usize)>);

impl Means {
    /// Adds a score.
    pub fn add(&mut self, name: &'static str, value: f64) {
        let (sum, number) = self.0.entry(name).or_default();
        *sum += value;
        *number += 1;
    }

    /// F, precision and recall under their names.
    pub fn add_agreement(&mut self, names: [&'static str; 3], agreement: Agreement) {
        for (name, value) in
            names.into_iter().zip([agreement.f1, agreement.precision, agreement.recall])
        {
            self.add(name, value);
        }
    }

    /// The mean of each score.
    pub fn means(&self) -> BTreeMap<&'static str, f64> {
        self.0.iter().map(|(&name, &(sum, number))| (name, sum / number as f64)).collect()
    }
}

/// Unweighted means of all that have the score.
pub fn mean_of<'a>(
    parts: impl Iterator<Item = &'a BTreeMap<&'static str, f64>>,
) -> BTreeMap<&'static str, f64> {
    let mut means = Means::default();
    for part in parts {
        for (&name, &value) in part {
            means.add(name, value);
        }
    }
    means.means()
}
