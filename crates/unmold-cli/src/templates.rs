//! Reads and writes templates: one file for a few sites, or a store for many.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use anyhow::{Context, Result, bail};
use unmold::TemplateSet;
use unmold_store::{Store, StoreReader, looks_like_store, pack, unpack};

use crate::output::Sink;

/// Sites whose templates are kept in memory: a crawl moves among few at a time.
const MAX_SITES: usize = 1024;
/// Compression of template files: they are written once and read often.
const LEVEL: i32 = 19;

/// Templates to strip with.
pub enum Templates {
    /// All of them.
    Set(Arc<TemplateSet>),
    /// Those of a site are read when its first page comes.
    Store(SiteCache),
}

/// Templates of the sites that were asked for. Threads wait for each other only if they want the
/// same site at the same time; then one of them reads it for all.
pub struct SiteCache {
    reader: StoreReader,
    sites: RwLock<HashMap<String, Arc<SiteCell>>>,
}

/// The templates of one site, or why they cannot be used.
type SiteCell = OnceLock<Result<Arc<TemplateSet>, String>>;

impl From<TemplateSet> for Templates {
    fn from(set: TemplateSet) -> Templates {
        Templates::Set(Arc::new(set))
    }
}

impl Templates {
    /// Opens a file or a store.
    pub fn open(path: &Path) -> Result<Templates> {
        if is_store(path)? {
            let reader = StoreReader::open(path)?;
            return Ok(Templates::Store(SiteCache { reader, sites: RwLock::default() }));
        }
        read_templates(path).map(Templates::from)
    }

    /// A set that holds the templates of the site; an empty set if it has none.
    pub fn for_site(&self, site: &str) -> Result<Arc<TemplateSet>> {
        match self {
            Templates::Set(set) => Ok(set.clone()),
            Templates::Store(cache) => cache.for_site(site),
        }
    }
}

impl SiteCache {
    fn for_site(&self, site: &str) -> Result<Arc<TemplateSet>> {
        let cell = self.cell(site);
        let templates = cell.get_or_init(|| match self.reader.get(site) {
            Ok(set) => Ok(Arc::new(set.unwrap_or_default())),
            Err(error) => Err(format!("{:#}", anyhow::Error::from(error))),
        });
        templates.clone().map_err(anyhow::Error::msg)
    }

    fn cell(&self, site: &str) -> Arc<SiteCell> {
        let known = self.sites.read().unwrap_or_else(PoisonError::into_inner).get(site).cloned();
        known.unwrap_or_else(|| {
            let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
            if sites.len() >= MAX_SITES {
                sites.clear();
            }
            sites.entry(site.to_owned()).or_default().clone()
        })
    }
}

/// Reads all templates of a file, compressed or not, or of a store. Damaged templates of a store
/// are reported on standard error and left out.
pub fn read_templates(path: &Path) -> Result<TemplateSet> {
    if is_store(path)? {
        let (templates, damaged) = Store::open_to_read(path)?.get_all()?;
        for error in damaged {
            eprintln!("unmold: {}: {error}", path.display());
        }
        return Ok(templates);
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let bytes = if bytes.starts_with(&zstd::zstd_safe::MAGICNUMBER.to_le_bytes()) {
        unpack(&bytes).with_context(|| format!("{} is damaged: learn again", path.display()))?
    } else {
        bytes
    };
    TemplateSet::from_json(&bytes).with_context(|| format!("cannot use {}", path.display()))
}

/// Writes templates to a file, or adds them to a store if the name ends like that of one.
///
/// With `keep_old` a file that is replaced is kept beside it as `NAME.old`; a store keeps all
/// versions anyway.
pub fn write_templates(path: &Path, templates: &TemplateSet, keep_old: bool) -> Result<()> {
    if names_store(path) {
        Store::open(path)?.put(templates)?;
        return Ok(());
    }
    let json = templates.to_json();
    let bytes = if path.extension().is_some_and(|extension| extension == "zst") {
        pack(&json, LEVEL).context("cannot compress the templates")?
    } else {
        json.into_bytes()
    };
    if keep_old && path.is_file() {
        let mut old = path.as_os_str().to_owned();
        old.push(".old");
        std::fs::copy(path, &old)
            .with_context(|| format!("cannot keep the old {}", path.display()))?;
    }
    let mut sink = Sink::create(Some(path))?;
    sink.write(&bytes)?;
    sink.finish()
}

/// Opens an existing store; other files are an error.
pub fn open_store(path: &Path) -> Result<Store> {
    if !is_store(path)? {
        bail!("{} is not a template store: `unmold learn -t NAME.db` makes one", path.display());
    }
    Ok(Store::open(path)?)
}

/// Whether a file of this name is written as a store.
pub fn names_store(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        ["db", "sqlite", "sqlite3"].iter().any(|&known| extension == known)
    })
}

fn is_store(path: &Path) -> Result<bool> {
    let mut beginning = Vec::new();
    let file =
        std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    file.take(16)
        .read_to_end(&mut beginning)
        .with_context(|| format!("cannot read {}", path.display()))?;
    Ok(looks_like_store(&beginning))
}

#[cfg(test)]
mod tests {
    use unmold::{ChunkFrequency, Learned, Limits, Method, Page, Sample, Template};

    use super::*;

    /// A template of a made-up site; its menu is the name of the site.
    fn template(site: &str) -> TemplateSet {
        let pages = ["one", "two", "three"]
            .map(|word| Page::parse(format!("<p>{site}<p>{word}").as_bytes(), &Limits::default()));
        let learned = ChunkFrequency::default().learn(&Sample::new(&pages)).expect("three pages");
        let learned = Learned::ChunkFrequency(learned);
        TemplateSet::new([Template::new(format!("{site}#1"), site, learned)])
    }

    #[test]
    fn threads_read_different_sites_of_a_store() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.db");
        let sites: Vec<String> = (0..12).map(|number| format!("site-{number}")).collect();
        let all = TemplateSet::union(sites.iter().map(|site| template(site)));
        Store::open(&path).expect("a store").put(&all).expect("stored");
        let templates = Templates::open(&path).expect("a store");
        std::thread::scope(|scope| {
            for thread in 0..6 {
                let (templates, sites) = (&templates, &sites);
                scope.spawn(move || {
                    for round in 0..30 {
                        let site = &sites[(thread * 5 + round) % sites.len()];
                        let set = templates.for_site(site).expect("templates");
                        assert_eq!(*set, template(site));
                    }
                });
            }
        });
        // The same site is read once.
        let (first, second) = (templates.for_site("site-3"), templates.for_site("site-3"));
        assert!(Arc::ptr_eq(&first.expect("templates"), &second.expect("templates")));
        assert!(templates.for_site("unknown").expect("an empty set").templates().is_empty());
    }

    #[test]
    fn compressed_files_are_read_with_and_without_a_checksum() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.json.zst");
        write_templates(&path, &template("a"), false).expect("written");
        assert_eq!(read_templates(&path).expect("read"), template("a"));
        let mut bytes = std::fs::read(&path).expect("read");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, &bytes).expect("written");
        let error = format!("{:#}", read_templates(&path).expect_err("damaged"));
        assert!(error.contains("t.json.zst is damaged"), "{error}");
        let old = zstd::encode_all(template("a").to_json().as_bytes(), 19).expect("compressed");
        std::fs::write(&path, old).expect("written");
        assert_eq!(read_templates(&path).expect("read"), template("a"));
    }
}
