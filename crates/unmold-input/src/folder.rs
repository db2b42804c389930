//! Pages in a folder, walked in the byte order of their relative paths.

use std::cmp::Ordering;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use walkdir::{DirEntry, WalkDir};

use super::source::Progress;
use super::{Found, InputOptions, Origin, format, read_at_most};

const NOT_HTML: &str = "not an HTML file";
const CONTAINER: &str = "archives inside a folder are not read: name the file itself";
const LINK_TO_FOLDER: &str = "link to a folder: not followed";
const NOT_A_FILE: &str = "not a regular file";

/// Enough to see a doctype or a first tag.
const SNIFFED: usize = 512;

/// A folder of pages, or of site folders.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    origin: Origin,
    /// No page lies directly in the folder: each folder below is a site.
    holds_sites: bool,
}

/// A page of a folder that was not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderPage {
    /// See [`RawPage::id`](crate::RawPage::id).
    pub id: String,
    /// Site the page belongs to.
    pub site: String,
    /// Where it lies.
    pub path: PathBuf,
}

/// What a directory entry is to us, before its content is asked.
enum Kind {
    Folder,
    Page,
    /// No extension: its first bytes decide.
    Unknown,
    Skip(&'static str),
}

impl Folder {
    pub fn open(root: &Path, options: &InputOptions) -> anyhow::Result<Folder> {
        let shown = root.display().to_string();
        let entries = fs::read_dir(root)
            .with_context(|| format!("cannot read folder {shown}: check its permissions"))?;
        let holds_sites = !entries.flatten().any(|entry| is_page(&entry.path()));
        let origin = Origin::new(shown, name_of(root), options);
        Ok(Folder { root: root.to_owned(), origin, holds_sites })
    }

    pub fn read(&self, progress: Progress) -> impl Iterator<Item = Found> + Send + '_ {
        self.walk().filter_map(move |entry| match entry {
            Ok(entry) => self.read_entry(&entry, &progress),
            Err(error) => Some(self.unreadable(&error)),
        })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The pages that `read` gives, without their bytes.
    pub fn list(&self) -> impl Iterator<Item = Result<FolderPage, Box<Found>>> + Send + '_ {
        self.walk().filter_map(move |entry| match entry {
            Ok(entry) => {
                let is_page = match kind_of(&entry) {
                    Ok(Kind::Page) => true,
                    Ok(Kind::Unknown) => starts_like_html(entry.path()).unwrap_or(false),
                    _ => false,
                };
                is_page.then(|| {
                    let id = self.id_of(entry.path());
                    Ok(FolderPage { site: self.site_of(&id), id, path: entry.into_path() })
                })
            }
            Err(error) => Some(Err(Box::new(self.unreadable(&error)))),
        })
    }

    /// The site of the page with this id.
    fn site_of(&self, id: &str) -> String {
        match id.split_once('/') {
            Some((site, _)) if self.holds_sites && self.origin.site_given.is_none() => {
                site.to_owned()
            }
            _ => self.origin.site_of(None),
        }
    }

    /// Sizes of all files that `read` looks into.
    pub fn bytes_on_disk(&self) -> u64 {
        let size = |entry: &DirEntry| match kind_of(entry) {
            Ok(Kind::Page | Kind::Unknown) => size_of(entry.path()),
            _ => 0,
        };
        self.walk().flatten().map(|entry| size(&entry)).sum()
    }

    fn walk(&self) -> impl Iterator<Item = walkdir::Result<DirEntry>> + Send + use<> {
        WalkDir::new(&self.root).min_depth(1).sort_by(by_joined_path).into_iter()
    }

    fn read_entry(&self, entry: &DirEntry, progress: &Progress) -> Option<Found> {
        let place = || entry.path().display().to_string();
        let found = match kind_of(entry) {
            Ok(Kind::Folder) => return None,
            Ok(Kind::Skip(why)) => return Some(Found::Skipped { place: place(), why }),
            Ok(Kind::Page) => self.read_page(entry),
            Ok(Kind::Unknown) => self.read_if_html(entry),
            Err(error) => Err(error),
        };
        progress.add(match &found {
            Ok(Found::Page(page)) if !page.truncated => page.bytes.len() as u64,
            _ => size_of(entry.path()),
        });
        Some(found.unwrap_or_else(|error| Found::Problem {
            place: place(),
            what: format!("cannot read this file: {error}"),
        }))
    }

    fn read_if_html(&self, entry: &DirEntry) -> io::Result<Found> {
        if starts_like_html(entry.path())? {
            return self.read_page(entry);
        }
        Ok(Found::Skipped { place: entry.path().display().to_string(), why: NOT_HTML })
    }

    fn read_page(&self, entry: &DirEntry) -> io::Result<Found> {
        let bytes = first_bytes(entry.path(), self.origin.read_limit())?;
        let id = self.id_of(entry.path());
        let site = self.site_of(&id);
        let mut found = self.origin.page(id, None, None, bytes);
        if let Found::Page(page) = &mut found {
            page.site = site;
        }
        Ok(found)
    }

    fn id_of(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    }

    fn unreadable(&self, error: &walkdir::Error) -> Found {
        let path = error.path().unwrap_or(&self.root);
        let why = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
        Found::Problem {
            place: path.display().to_string(),
            what: format!("cannot read this folder or its entry: {why}"),
        }
    }
}

/// The name of a file or folder as the user sees it; `.` and `..` are looked up.
pub fn name_of(path: &Path) -> String {
    let plain = path.file_name().map(ToOwned::to_owned);
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let looked_up =
        || fs::canonicalize(path).ok().and_then(|path| path.file_name().map(ToOwned::to_owned));
    match plain.or_else(looked_up) {
        Some(name) => name.to_string_lossy().into_owned(),
        None => "root".to_owned(),
    }
}

/// Sorting each folder so, with '/' after the names of folders, gives the byte order of whole
/// paths while only one listing per level is in memory.
fn by_joined_path(left: &DirEntry, right: &DirEntry) -> Ordering {
    joined_name(left).cmp(joined_name(right))
}

fn joined_name(entry: &DirEntry) -> impl Iterator<Item = u8> + '_ {
    let slash = entry.file_type().is_dir().then_some(b'/');
    entry.file_name().as_encoded_bytes().iter().copied().chain(slash)
}

fn kind_of(entry: &DirEntry) -> io::Result<Kind> {
    let is_link = entry.file_type().is_symlink();
    let file_type =
        if is_link { fs::metadata(entry.path())?.file_type() } else { entry.file_type() };
    Ok(match (file_type.is_dir(), file_type.is_file()) {
        (true, _) if is_link => Kind::Skip(LINK_TO_FOLDER),
        (true, _) => Kind::Folder,
        // Opening a named pipe would wait for a writer that never comes.
        (_, false) => Kind::Skip(NOT_A_FILE),
        (_, true) => kind_by_name(&entry.file_name().to_string_lossy()),
    })
}

fn kind_by_name(file_name: &str) -> Kind {
    if format::names_page(file_name) {
        Kind::Page
    } else if format::names_container(file_name) {
        Kind::Skip(CONTAINER)
    } else if format::extension(file_name).is_some() {
        Kind::Skip(NOT_HTML)
    } else {
        Kind::Unknown
    }
}

fn is_page(path: &Path) -> bool {
    path.is_file()
        && match kind_by_name(&name_of(path)) {
            Kind::Page => true,
            Kind::Unknown => starts_like_html(path).unwrap_or(false),
            _ => false,
        }
}

/// The first bytes of a file. One that is within the limit is read at once and not in small steps,
/// unless it does not know its length, as devices do.
fn first_bytes(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    if !(1..=limit as u64).contains(&file.metadata()?.len()) {
        return read_at_most(file, limit);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    // It may have grown meanwhile.
    bytes.truncate(limit);
    Ok(bytes)
}

fn starts_like_html(path: &Path) -> io::Result<bool> {
    Ok(format::looks_like_html(&first_bytes(path, SNIFFED)?))
}

fn size_of(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}
