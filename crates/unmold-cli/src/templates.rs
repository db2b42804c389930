//! Reads and writes template files and stores.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use anyhow::{Context, Result, bail};
use unmold::template::ReadError;
use unmold::{Template, TemplateSet};
use unmold_store::{Store, looks_like_store};

use crate::output::Sink;

/// Maximum number of sites whose templates stay in memory. A crawl switches between few sites.
const SITES_AT_ONCE: usize = 1024;

/// Templates to apply.
pub enum Templates {
    /// All templates, in memory.
    Set(Arc<TemplateSet>),
    /// Templates are read when the first page of their site arrives.
    Store(StoreReader),
}

/// A store with a cache of the templates read so far.
pub struct StoreReader {
    store: Mutex<Store>,
    read: RwLock<HashMap<String, Option<Arc<Template>>>>,
}

impl From<TemplateSet> for Templates {
    fn from(set: TemplateSet) -> Templates {
        Templates::Set(Arc::new(set))
    }
}

impl Templates {
    /// Opens a file or store to apply its templates.
    pub fn open(path: &Path) -> Result<Templates> {
        Templates::open_with(path, TemplateSet::from_json)
    }

    /// Opens a file or store to learn its templates again. They may have been learned with other
    /// weights.
    pub fn open_to_update(path: &Path) -> Result<Templates> {
        Templates::open_with(path, TemplateSet::from_json_of_any_model)
    }

    fn open_with(
        path: &Path,
        read: impl Fn(&[u8]) -> Result<TemplateSet, ReadError>,
    ) -> Result<Templates> {
        if is_store(path)? {
            let store = Mutex::new(Store::open_to_read(path)?);
            return Ok(Templates::Store(StoreReader { store, read: RwLock::default() }));
        }
        let set = read(&read_bytes(path)?);
        Ok(set.with_context(|| format!("cannot use {}", path.display()))?.into())
    }

    /// Returns the template of a site, if it has one.
    pub fn for_site(&self, site: &str) -> Result<Option<Arc<Template>>> {
        match self {
            Templates::Set(set) => Ok(set.get(site).cloned()),
            Templates::Store(reader) => reader.for_site(site),
        }
    }

    /// Returns the template of a site, whatever weights it was learned with.
    pub fn for_site_of_any_model(&self, site: &str) -> Result<Option<Arc<Template>>> {
        match self {
            Templates::Set(set) => Ok(set.get(site).cloned()),
            Templates::Store(reader) => {
                Ok(lock(&reader.store).get_of_any_model(site)?.map(Arc::new))
            }
        }
    }
}

impl StoreReader {
    fn for_site(&self, site: &str) -> Result<Option<Arc<Template>>> {
        let known = self.read.read().unwrap_or_else(PoisonError::into_inner).get(site).cloned();
        if let Some(template) = known {
            return Ok(template);
        }
        let template = lock(&self.store).get(site)?.map(Arc::new);
        let mut read = self.read.write().unwrap_or_else(PoisonError::into_inner);
        if read.len() >= SITES_AT_ONCE {
            read.clear();
        }
        read.insert(site.to_owned(), template.clone());
        Ok(template)
    }
}

/// Locks even if another thread panicked: one page that panics must not fail the others.
fn lock(store: &Mutex<Store>) -> MutexGuard<'_, Store> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads all templates of a file or store to apply them.
pub fn read_templates(path: &Path) -> Result<TemplateSet> {
    match Templates::open(path)? {
        Templates::Set(set) => Ok(Arc::unwrap_or_clone(set)),
        Templates::Store(reader) => {
            let store = lock(&reader.store);
            let mut set = TemplateSet::new();
            for site in store.sites()? {
                set.extend(store.get(&site)?);
            }
            Ok(set)
        }
    }
}

/// Reads a template file and decompresses it.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    if !bytes.starts_with(&zstd::zstd_safe::MAGICNUMBER.to_le_bytes()) {
        return Ok(bytes);
    }
    zstd::decode_all(&bytes[..])
        .with_context(|| format!("{} is damaged: learn it again", path.display()))
}

/// Writes templates to a file or adds them to a store, depending on the file extension.
///
/// Corrections in an existing file or store are kept, so that learning again does not lose them.
/// With `keep_old`, the old file is kept as `NAME.old`; a store keeps all versions anyway.
pub fn write_templates(path: &Path, templates: &TemplateSet, keep_old: bool) -> Result<()> {
    if names_store(path) {
        Store::open(path)?.put(templates)?;
        return Ok(());
    }
    let templates = match older_templates(path)? {
        Some(older) => Cow::Owned(templates.clone().with_overrides_of(&older)),
        None => Cow::Borrowed(templates),
    };
    let mut bytes = templates.to_json().into_bytes();
    if path.extension().is_some_and(|extension| extension == "zst") {
        bytes = zstd::encode_all(&bytes[..], 19).context("cannot compress the templates")?;
    }
    if keep_old && path.is_file() {
        let mut old = path.as_os_str().to_owned();
        old.push(".old");
        std::fs::copy(path, &old)
            .with_context(|| format!("cannot keep the old version of {}", path.display()))?;
    }
    let mut sink = Sink::create(Some(path))?;
    sink.write(&bytes)?;
    sink.finish()
}

/// Reads the templates in the file that is about to be replaced. Fails if it is another kind of
/// file, which must not be overwritten.
fn older_templates(path: &Path) -> Result<Option<TemplateSet>> {
    if !path.is_file() || std::fs::metadata(path).is_ok_and(|file| file.len() == 0) {
        return Ok(None);
    }
    let older = TemplateSet::from_json_of_any_model(&read_bytes(path)?);
    older.map(Some).with_context(|| {
        format!(
            "{} exists and is not a template file: remove it, or choose another name",
            path.display()
        )
    })
}

/// Opens an existing store; fails if the file is not one.
pub fn open_store(path: &Path) -> Result<Store> {
    if !is_store(path)? {
        bail!(
            "{} is not a template store: create one with `unmold learn -t NAME.db`",
            path.display()
        );
    }
    Ok(Store::open(path)?)
}

/// Whether a file with this name is written as a store.
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
