//! Template files, and stores for many sites.

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

/// Sites whose templates are held at once: a crawl jumps between few of them.
const SITES_AT_ONCE: usize = 1024;

/// Templates to strip with.
pub enum Templates {
    /// All of them.
    Set(Arc<TemplateSet>),
    /// Those of a site are read when its first page comes.
    Store(StoreReader),
}

/// A store, and what was read of it so far.
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
    /// Opens a file or a store, to apply its templates.
    pub fn open(path: &Path) -> Result<Templates> {
        Templates::open_with(path, TemplateSet::from_json)
    }

    /// Opens a file or a store whose templates may have been learned with other weights, to learn
    /// them again.
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

    /// The template of a site, if it has one.
    pub fn for_site(&self, site: &str) -> Result<Option<Arc<Template>>> {
        match self {
            Templates::Set(set) => Ok(set.get(site).cloned()),
            Templates::Store(reader) => reader.for_site(site),
        }
    }

    /// The template of a site, whatever weights it was learned with.
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

/// Locks even if another thread panicked: a page that panics must not take others with it.
fn lock(store: &Mutex<Store>) -> MutexGuard<'_, Store> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads all templates of a file or a store, to apply them.
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

/// The bytes of a template file, decompressed.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    if !bytes.starts_with(&zstd::zstd_safe::MAGICNUMBER.to_le_bytes()) {
        return Ok(bytes);
    }
    zstd::decode_all(&bytes[..])
        .with_context(|| format!("{} is damaged: learn again", path.display()))
}

/// Writes templates to a file, or adds them to a store, by the extension of the name.
///
/// Corrections in a file that is there already are taken over: learning again must not lose them. A
/// store takes over its own. With `keep_old` the old file stays beside the new one as `NAME.old`; a
/// store keeps all versions anyway.
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
            .with_context(|| format!("cannot keep the old {}", path.display()))?;
    }
    let mut sink = Sink::create(Some(path))?;
    sink.write(&bytes)?;
    sink.finish()
}

/// The templates in the file that is about to be replaced. Any other file is not ours to replace.
fn older_templates(path: &Path) -> Result<Option<TemplateSet>> {
    if !path.is_file() || std::fs::metadata(path).is_ok_and(|file| file.len() == 0) {
        return Ok(None);
    }
    let older = TemplateSet::from_json_of_any_model(&read_bytes(path)?);
    older.map(Some).with_context(|| {
        format!("{} is there and is not replaced: remove it, or give another name", path.display())
    })
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
