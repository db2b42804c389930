//! Templates in files: one file for a few sites, or a store for many.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, bail};
use unmold::TemplateSet;
use unmold_store::{Store, looks_like_store};

use crate::output::Sink;

/// Sites whose templates are held at once: a crawl jumps between few of them.
const SITES_AT_ONCE: usize = 1024;

/// Templates to strip with.
pub enum Templates {
    /// All of them.
    Set(Arc<TemplateSet>),
    /// Those of a site are read when its first page comes.
    Store(Mutex<StoreReader>),
}

pub struct StoreReader {
    store: Store,
    read: HashMap<String, Arc<TemplateSet>>,
}

impl From<TemplateSet> for Templates {
    fn from(set: TemplateSet) -> Templates {
        Templates::Set(Arc::new(set))
    }
}

impl Templates {
    /// Opens a file or a store.
    pub fn open(path: &Path) -> Result<Templates> {
        if is_store(path)? {
            let store = Store::open_to_read(path)?;
            return Ok(Templates::Store(Mutex::new(StoreReader { store, read: HashMap::new() })));
        }
        read_templates(path).map(Templates::from)
    }

    /// Templates among which those of the site are; an empty set if it has none.
    pub fn for_site(&self, site: &str) -> Result<Arc<TemplateSet>> {
        match self {
            Templates::Set(set) => Ok(set.clone()),
            Templates::Store(reader) => {
                // A page that panics takes nothing down with it.
                let mut reader = reader.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                reader.for_site(site)
            }
        }
    }
}

impl StoreReader {
    fn for_site(&mut self, site: &str) -> Result<Arc<TemplateSet>> {
        if let Some(set) = self.read.get(site) {
            return Ok(set.clone());
        }
        let set = Arc::new(self.store.get(site)?.unwrap_or_default());
        if self.read.len() >= SITES_AT_ONCE {
            self.read.clear();
        }
        self.read.insert(site.to_owned(), set.clone());
        Ok(set)
    }
}

/// Reads all templates of a file, compressed or not, or of a store.
pub fn read_templates(path: &Path) -> Result<TemplateSet> {
    if is_store(path)? {
        let store = Store::open_to_read(path)?;
        let sets: Vec<TemplateSet> = store
            .sites()?
            .iter()
            .filter_map(|site| store.get(site).transpose())
            .collect::<Result<_, _>>()?;
        return Ok(TemplateSet::union(sets));
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let bytes = if bytes.starts_with(&zstd::zstd_safe::MAGICNUMBER.to_le_bytes()) {
        zstd::decode_all(&bytes[..])
            .with_context(|| format!("{} is damaged: learn again", path.display()))?
    } else {
        bytes
    };
    TemplateSet::from_json(&bytes).with_context(|| format!("cannot use {}", path.display()))
}

/// Writes templates to a file, or adds them to a store, by the ending of the name.
///
/// With `keep_old` a file that is replaced stays beside it as `NAME.old`; a store keeps all
/// versions anyway.
pub fn write_templates(path: &Path, templates: &TemplateSet, keep_old: bool) -> Result<()> {
    if names_store(path) {
        Store::open(path)?.put(templates)?;
        return Ok(());
    }
    let mut bytes = templates.to_json().into_bytes();
    if path.extension().is_some_and(|extension| extension == "zst") {
        bytes = zstd::encode_all(&bytes[..], 19).context("cannot compress the templates")?;
    }
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

/// Opens a store that is there, for those who want nothing else.
pub fn open_store(path: &Path) -> Result<Store> {
    if !is_store(path)? {
        bail!("{} is no template store: `unmold learn -t NAME.db` makes one", path.display());
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
