//! Finds labelled sets on disk. A manifest names the sets, their layout and where to get them.

mod classes;
mod gold;
mod layouts;
mod selector;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

pub use classes::{ClassRule, Group};
pub use gold::{Gold, PageFile, SiteFiles};
pub use layouts::Layout;
pub use selector::Selector;

/// The built-in manifest.
const BUILT_IN: &str = include_str!("../../sets.json");

/// A list of labelled sets.
#[derive(Clone, Deserialize, Debug)]
pub struct Manifest {
    /// The sets.
    pub sets: Vec<SetEntry>,
}

/// One set of a manifest.
#[derive(Clone, Deserialize, Debug)]
pub struct SetEntry {
    /// Its name.
    pub name: String,
    /// Its folder, relative to the folder given on the command line.
    pub path: PathBuf,
    /// Its layout on disk.
    #[serde(flatten)]
    pub layout: Layout,
    /// What it contains.
    pub what: String,
    /// How to get it.
    pub get: String,
    /// Sites that are mined together.
    #[serde(default)]
    pub groups: Vec<Group>,
    /// Another set with the same pages in another form, or with pages of the same sites.
    #[serde(default)]
    pub repeats: Option<String>,
}

/// A set found on disk.
#[derive(Clone, Debug)]
pub struct DataSet {
    /// Its name.
    pub name: String,
    /// Its sites, sorted by name.
    pub sites: Vec<SiteFiles>,
    /// Sites that are mined together.
    pub groups: Vec<Group>,
    /// Another set with the same pages in another form, or with pages of the same sites.
    pub repeats: Option<String>,
}

impl Manifest {
    /// The built-in manifest.
    pub fn built_in() -> Manifest {
        serde_json::from_str(BUILT_IN).expect("a test reads it")
    }

    /// Reads a manifest from a file.
    pub fn read(path: &Path) -> Result<Manifest> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text)
            .with_context(|| format!("{} is not a manifest of sets", path.display()))
    }

    /// Finds the sets of the manifest in `root`, and any other folders there with labelled sites.
    /// Sorted by name.
    pub fn find(&self, root: &Path) -> Result<Vec<DataSet>> {
        let root =
            root.canonicalize().with_context(|| format!("cannot open {}", root.display()))?;
        let mut found: Vec<DataSet> = Vec::new();
        for entry in &self.sets {
            // The folder may contain the sets, or be a set itself.
            let itself = root.file_name() == entry.path.file_name();
            let folder = if itself { root.clone() } else { root.join(&entry.path) };
            if folder.is_dir() && entry.layout.is_at(&folder) {
                let mut sites = entry
                    .layout
                    .read(&folder)
                    .with_context(|| format!("set {} in {}", entry.name, folder.display()))?;
                sites.retain(|site| !site.pages.is_empty());
                sites.sort_by(|left, right| left.name.cmp(&right.name));
                if !sites.is_empty() {
                    found.push(DataSet {
                        name: entry.name.clone(),
                        sites,
                        groups: entry.groups.clone(),
                        repeats: entry.repeats.clone(),
                    });
                }
            }
        }
        for (name, sites) in layouts::labelled_sets(&root)? {
            if found.iter().all(|set| set.name != name) {
                found.push(DataSet { name, sites, groups: Vec::new(), repeats: None });
            }
        }
        found.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(found)
    }

    /// Lists the sets in `root`, and those that are missing with instructions to get them.
    pub fn describe(&self, root: &Path) -> Result<String> {
        let found = self.find(root)?;
        let mut out = String::new();
        for set in &found {
            let pages: usize = set.sites.iter().map(|site| site.pages.len()).sum();
            out.push_str(&format!("{}: {} sites, {pages} pages\n", set.name, set.sites.len()));
        }
        for entry in &self.sets {
            if found.iter().all(|set| set.name != entry.name) {
                let place = root.join(&entry.path);
                out.push_str(&format!(
                    "{}: missing ({}). {} Get it: {} Put it into {}\n",
                    entry.name,
                    entry.layout.name(),
                    entry.what,
                    entry.get,
                    place.display()
                ));
            }
        }
        Ok(out)
    }
}

impl DataSet {
    /// A hash of all pages and labels.
    pub fn hash(&self) -> Result<String> {
        let mut parts = Vec::new();
        for site in &self.sites {
            for page in &site.pages {
                let gold = &page.gold;
                let bytes =
                    page.read().with_context(|| format!("cannot read {}", page.path.display()))?;
                let label = serde_json::json!([
                    site.name,
                    gold.file,
                    gold.kind,
                    gold.family,
                    gold.content,
                    gold.dont_care,
                    gold.attributes
                ]);
                parts.push((label.to_string(), xxhash_rust::xxh3::xxh3_64(&bytes)));
                if !gold.pairs.is_empty() {
                    let pairs = serde_json::json!([site.name, gold.file, gold.pairs]);
                    parts.push((pairs.to_string(), 0));
                }
            }
        }
        parts.sort();
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        for (label, bytes) in parts {
            hasher.update(label.as_bytes());
            hasher.update(&bytes.to_le_bytes());
        }
        Ok(format!("{:016x}", hasher.digest()))
    }

    /// Keeps only the named sites.
    pub fn keep_sites(&mut self, names: &[String]) -> Result<()> {
        for name in names {
            if self.sites.iter().all(|site| &site.name != name) {
                bail!("set {} has no site {name}: is the set complete?", self.name);
            }
        }
        self.sites.retain(|site| names.contains(&site.name));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_manifest_is_one() {
        let manifest = Manifest::built_in();
        let names: Vec<&str> = manifest.sets.iter().map(|set| set.name.as_str()).collect();
        for name in [
            "swde",
            "swde-full",
            "cleaneval",
            "dragnet-full",
            "l3s-gn1",
            "big9-full",
            "webkb",
            "wien",
            "swde-expanded",
            "exalg",
            "debian-docs",
        ] {
            assert!(names.contains(&name), "{name}");
        }
    }

    #[test]
    fn missing_sets_are_named_with_a_way_to_get_them() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let text = Manifest::built_in().describe(folder.path()).expect("describes");
        assert!(text.contains("webkb: missing") && text.contains("Get it: "), "{text}");
    }

    #[test]
    fn fixtures_are_a_set_and_hash_the_same_twice() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let sets = Manifest::built_in().find(&fixtures).expect("sets");
        assert_eq!((sets.len(), sets[0].name.as_str(), sets[0].sites.len()), (1, "fixtures", 6));
        let hash = sets[0].hash().expect("a hash");
        assert_eq!(hash, sets[0].hash().expect("a hash"));
        let mut fewer = sets[0].clone();
        fewer.keep_sites(&["wiki".to_owned()]).expect("a site");
        assert_ne!(hash, fewer.hash().expect("a hash"));
        assert!(fewer.keep_sites(&["nowhere".to_owned()]).is_err());
    }
}
