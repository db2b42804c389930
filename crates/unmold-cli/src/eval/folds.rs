//! Weights of the default that have not seen the site they are scored on.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::value::RawValue;
use unmold::pipeline::Model;

/// Written by `tools/fit`: the part of the sites that each site is in, and for each part the weights fitted without it.
#[derive(Deserialize)]
struct Stored<'a> {
    sites: BTreeMap<String, usize>,
    #[serde(borrow)]
    models: Vec<&'a RawValue>,
}

static FOLDS: LazyLock<(BTreeMap<String, usize>, Vec<Model>)> = LazyLock::new(|| {
    let stored: Stored = serde_json::from_slice(include_bytes!("folds.json")).expect("written by tools/fit");
    let model = |json: &&RawValue| Model::from_json(json.get().as_bytes()).expect("written by tools/fit");
    (stored.sites, stored.models.iter().map(model).collect())
});

/// The weights fitted without this site; the library's own for a site they were not fitted on.
pub fn model_without(set: &str, site: &str) -> &'static Model {
    let (sites, models) = &*FOLDS;
    sites.get(&format!("{set}/{site}")).and_then(|&fold| models.get(fold)).unwrap_or_else(|| Model::shipped())
}
