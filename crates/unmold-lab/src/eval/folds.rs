//! Weights of the default that were fitted without the site they are scored on.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::value::RawValue;
use unmold::pipeline::Model;

/// The folds that `tools/fit` wrote: the fold of each site, and for each fold the weights fitted
/// without it.
#[derive(Deserialize)]
struct Stored<'a> {
    sites: BTreeMap<String, usize>,
    #[serde(borrow)]
    models: Vec<&'a RawValue>,
}

static FOLDS: LazyLock<(BTreeMap<String, usize>, Vec<Model>)> = LazyLock::new(|| {
    let stored: Stored =
        serde_json::from_slice(include_bytes!("folds.json")).expect("written by tools/fit");
    let model =
        |json: &&RawValue| Model::from_json(json.get().as_bytes()).expect("written by tools/fit");
    (stored.sites, stored.models.iter().map(model).collect())
});

/// Manuals of the public set and the same manuals in the set `docs`: both are scored with weights
/// fitted without either.
const SAME_MANUAL: [(&str, &str); 6] = [
    ("debian-docs/cmake-doc", "docs/cmake-doc"),
    ("debian-docs/ghc-doc", "docs/ghc-doc"),
    ("debian-docs/gimp-help-en", "docs/gimp-help-en"),
    ("debian-docs/openjdk-doc", "docs/openjdk-17-doc"),
    ("debian-docs/postgresql-doc", "docs/postgresql-doc-15"),
    ("debian-docs/python-doc", "docs/python3.11-doc"),
];

/// The weights fitted without this site; the library's own weights if the site is in no fold.
pub fn model_without(set: &str, site: &str) -> &'static Model {
    let fold = fold_of(set, site).and_then(|fold| FOLDS.1.get(fold));
    fold.unwrap_or_else(|| Model::shipped())
}

/// The fold of a site; `None` if it is in none.
pub fn fold_of(set: &str, site: &str) -> Option<usize> {
    let site = format!("{set}/{site}");
    let same = SAME_MANUAL.iter().find(|(public, _)| *public == site);
    let site = same.map_or(site.as_str(), |(_, ours)| ours);
    FOLDS.0.get(site).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_manual_is_scored_without_ours() {
        for (public, ours) in SAME_MANUAL {
            assert!(FOLDS.0.contains_key(ours), "{ours}");
            let model = |path: &str| {
                let (set, site) = path.split_once('/').expect("a set and a site");
                std::ptr::from_ref(model_without(set, site))
            };
            assert_eq!(model(public), model(ours));
            assert_ne!(model(public), std::ptr::from_ref(Model::shipped()));
        }
    }
}
