//! Reads and writes templates: one file for a few sites, or a store for many.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use anyhow::{Context, Result, bail};
use unmold::template::ReadError;
use unmold::{Template, TemplateSet};
use unmold_store::{Store, StoreReader, looks_like_store, pack, unpack};

use crate::output::Sink;
use crate::report::say;

/// Sites whose templates are kept in memory: a crawl moves among few at a time.
const MAX_SITES: usize = 1024;
/// Compression of template files: they are written once and read often.
const LEVEL: i32 = 19;

/// Templates to apply.
pub enum Templates {
    /// All templates, in memory.
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

/// The template of one site, or why it cannot be used.
type SiteCell = OnceLock<Result<Option<Arc<Template>>, String>>;

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
            let reader = StoreReader::open(path)?;
            return Ok(Templates::Store(SiteCache { reader, sites: RwLock::default() }));
        }
        let set = read(&read_bytes(path)?);
        Ok(set.with_context(|| format!("cannot use {}", path.display()))?.into())
    }

    /// Returns the template of a site, if it has one.
    pub fn for_site(&self, site: &str) -> Result<Option<Arc<Template>>> {
        match self {
            Templates::Set(set) => Ok(set.get(site).cloned()),
            Templates::Store(cache) => cache.for_site(site),
        }
    }

    /// Returns the template of a file that has no other.
    pub fn only(&self) -> Option<Arc<Template>> {
        match self {
            Templates::Set(set) if set.len() == 1 => set.iter().next().cloned(),
            _ => None,
        }
    }

    /// Returns the template of a site, whatever weights it was learned with.
    pub fn for_site_of_any_model(&self, site: &str) -> Result<Option<Arc<Template>>> {
        match self {
            Templates::Set(set) => Ok(set.get(site).cloned()),
            Templates::Store(cache) => Ok(cache.reader.get_of_any_model(site)?.map(Arc::new)),
        }
    }
}

impl SiteCache {
    fn for_site(&self, site: &str) -> Result<Option<Arc<Template>>> {
        let cell = self.cell(site);
        let template = cell.get_or_init(|| match self.reader.get(site) {
            Ok(template) => Ok(template.map(Arc::new)),
            Err(error) => Err(format!("{:#}", anyhow::Error::from(error))),
        });
        template.clone().map_err(anyhow::Error::msg)
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

/// Reads all templates of a file or a store, to apply them. Damaged templates of a store are
/// reported on standard error and left out.
pub fn read_templates(path: &Path) -> Result<TemplateSet> {
    let set = read_templates_of_any_model(path)?;
    for template in set.iter() {
        let checked = template.check_model();
        checked.with_context(|| format!("cannot use {} of {}", template.site(), path.display()))?;
    }
    Ok(set)
}

/// The same, whatever weights the templates were learned with.
pub fn read_templates_of_any_model(path: &Path) -> Result<TemplateSet> {
    if is_store(path)? {
        let (templates, damaged) = Store::open_to_read(path)?.get_all()?;
        for error in damaged {
            say(&format!("{}: {error}", path.display()));
        }
        return Ok(templates);
    }
    let set = TemplateSet::from_json_of_any_model(&read_bytes(path)?);
    set.with_context(|| format!("cannot use {}", path.display()))
}

/// The bytes of a file, decompressed if it is compressed as template files are.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    if !bytes.starts_with(&zstd::zstd_safe::MAGICNUMBER.to_le_bytes()) {
        return Ok(bytes);
    }
    unpack(&bytes).with_context(|| format!("{} is damaged: learn again", path.display()))
}

/// What happens to the file that templates are written to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replace {
    /// Replaced if it is a template file. Its corrections are kept.
    Templates,
    /// Replaced whatever it is. Corrections are kept if it is a template file.
    Anything,
}

/// Writes templates to a file or adds them to a store, depending on the file extension.
///
/// Corrections in an existing file or store are kept, so that learning again does not lose them.
pub fn write_templates(path: &Path, templates: &TemplateSet, replace: Replace) -> Result<()> {
    if names_store(path) {
        Store::open(path)?.put(templates)?;
        return Ok(());
    }
    let _lock = lock_folder_of(path);
    let templates = match older_templates(path, replace)? {
        Some(older) => Cow::Owned(templates.clone().with_overrides_of(&older)),
        None => Cow::Borrowed(templates),
    };
    write_file(path, &templates)
}

/// Adds templates to those in a file or store and replaces the older ones of their sites.
///
/// What others have written since the file was opened is kept. The old file is kept as `NAME.old`;
/// a store keeps all versions anyway.
pub fn update_templates(path: &Path, new: TemplateSet) -> Result<()> {
    if names_store(path) {
        Store::open(path)?.put(&new)?;
        return Ok(());
    }
    let _lock = lock_folder_of(path);
    let mut all = older_templates(path, Replace::Templates)?.unwrap_or_default();
    let new = new.with_overrides_of(&all);
    all.extend(new);
    if path.is_file() {
        let mut old = path.as_os_str().to_owned();
        old.push(".old");
        let bytes = std::fs::read(path)
            .with_context(|| format!("cannot keep the old version of {}", path.display()))?;
        let mut sink = Sink::create(Some(Path::new(&old)))?;
        sink.write(&bytes)?;
        sink.finish()?;
    }
    write_file(path, &all)
}

fn write_file(path: &Path, templates: &TemplateSet) -> Result<()> {
    let json = templates.to_json();
    let bytes = if path.extension().is_some_and(|extension| extension == "zst") {
        pack(&json, LEVEL).context("cannot compress the templates")?
    } else {
        json.into_bytes()
    };
    let mut sink = Sink::create(Some(path))?;
    sink.write(&bytes)?;
    sink.finish()
}

/// Makes other runs wait that write templates to the same folder, until the lock is dropped.
///
/// The folder is locked because the file is replaced. Where a folder cannot be locked, as on
/// Windows and some network file systems, runs do not wait for each other.
fn lock_folder_of(path: &Path) -> Option<std::fs::File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = std::fs::File::open(folder.unwrap_or(Path::new("."))).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

/// Fails if templates must not be written to `path`. Called before they are learned.
pub fn check_replaceable(path: &Path, replace: Replace) -> Result<()> {
    if !names_store(path) {
        older_templates(path, replace)?;
    }
    Ok(())
}

/// Reads the templates in the file that is about to be replaced. Fails if it is another kind of
/// file, which must not be overwritten.
fn older_templates(path: &Path, replace: Replace) -> Result<Option<TemplateSet>> {
    if !path.is_file() || std::fs::metadata(path).is_ok_and(|file| file.len() == 0) {
        return Ok(None);
    }
    let older = read_bytes(path).and_then(|bytes| Ok(TemplateSet::from_json_of_any_model(&bytes)?));
    match (older, replace) {
        (Ok(older), _) => Ok(Some(older)),
        (Err(_), Replace::Anything) => Ok(None),
        (Err(error), _) => Err(error.context(format!(
            "{} exists and is not a template file: choose another name, or pass --force to \
             replace it",
            path.display()
        ))),
    }
}

/// Opens an existing store; other files are an error.
pub fn open_store(path: &Path) -> Result<Store> {
    if !is_store(path)? {
        bail!("{} is not a template store: `unmold learn -t NAME.db` makes one", path.display());
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

#[cfg(test)]
mod tests {
    use unmold::methods::Serial;
    use unmold::{Limits, MethodName, Page, Settings};

    use super::*;

    /// The template of a made-up site; its menu is the name of the site.
    fn template(site: &str) -> Template {
        let pages = ["one", "two", "three"]
            .map(|word| Page::parse(format!("<p>{site}<p>{word}").as_bytes(), &Limits::default()));
        let settings = Settings::default().with_method(MethodName::ChunkFrequency);
        settings.learn_site(site, &pages.each_ref(), &Serial).expect("three pages")
    }

    fn set(site: &str) -> TemplateSet {
        TemplateSet::from_iter([template(site)])
    }

    #[test]
    fn threads_read_different_sites_of_a_store() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.db");
        let sites: Vec<String> = (0..12).map(|number| format!("site-{number}")).collect();
        let all = sites.iter().map(|site| template(site)).collect::<TemplateSet>();
        Store::open(&path).expect("a store").put(&all).expect("stored");
        let templates = Templates::open(&path).expect("a store");
        std::thread::scope(|scope| {
            for thread in 0..6 {
                let (templates, sites) = (&templates, &sites);
                scope.spawn(move || {
                    for round in 0..30 {
                        let site = &sites[(thread * 5 + round) % sites.len()];
                        let found = templates.for_site(site).expect("readable");
                        assert_eq!(found.as_deref(), Some(&template(site)));
                    }
                });
            }
        });
        // The same site is read once.
        let read = || templates.for_site("site-3").expect("readable").expect("a template");
        assert!(Arc::ptr_eq(&read(), &read()));
        assert!(templates.for_site("unknown").expect("readable").is_none());
    }

    #[test]
    fn compressed_files_are_read_with_and_without_a_checksum() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.json.zst");
        write_templates(&path, &set("a"), Replace::Templates).expect("written");
        assert_eq!(read_templates(&path).expect("read"), set("a"));
        let mut bytes = std::fs::read(&path).expect("read");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, &bytes).expect("written");
        let error = format!("{:#}", read_templates(&path).expect_err("damaged"));
        assert!(error.contains("t.json.zst is damaged"), "{error}");
        let old = zstd::encode_all(template("a").to_json().as_bytes(), 19).expect("compressed");
        std::fs::write(&path, old).expect("written");
        assert_eq!(read_templates(&path).expect("read"), set("a"));
    }
}
