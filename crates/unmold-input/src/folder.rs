//! Pages in a folder, walked in the byte order of their relative paths.

use std::cmp::Ordering;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::compression::Compression;
use super::error::InputError;
use super::format;
use super::options::InputOptions;
use super::origin::{Origin, cut, name_of};
use super::page::InputEvent;
use super::sites::{EXAMINED_BYTES, Pages, SiteBy, Sites, below};
use super::source::{Progress, Storage, read_at_most};

const NOT_HTML: &str = "not an HTML file";
const CONTAINER: &str = "archives inside a folder are not read: give the file itself";
const LINK_TO_FOLDER: &str = "link to a folder: not followed";
const NOT_A_FILE: &str = "not a regular file";

/// Enough to see a doctype or a first tag.
const SNIFFED: usize = 512;

/// A folder of pages, or of site folders.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    origin: Origin,
    /// What the ids of its pages start with, to be unique among several inputs.
    id_prefix: String,
    sites: Sites,
}

/// A page of a folder, not yet read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FolderPage {
    /// See [`RawPage::id`](crate::RawPage::id).
    pub id: String,
    /// Site that the page belongs to.
    pub site: String,
    /// The file. [`read_page_file`] reads it.
    pub path: PathBuf,
}

/// What a directory entry is, before its content is looked at.
enum Kind {
    Folder,
    Page,
    /// No extension: its first bytes decide.
    Unknown,
    Skip(&'static str),
}

impl Folder {
    /// Opens a folder. Its pages get ids that start with `id_prefix`.
    pub fn open(
        root: &Path,
        id_prefix: String,
        options: &InputOptions,
    ) -> Result<Folder, InputError> {
        fs::read_dir(root).map_err(|source| InputError::Path { path: root.to_owned(), source })?;
        let name = name_of(root);
        let origin = Origin::new(root.display().to_string(), name.clone(), options);
        let by = if options.site.is_some() { SiteBy::One } else { options.site_by };
        let sites = Sites::decide(name, by, &OnDisk(root));
        Ok(Folder { root: root.to_owned(), origin, id_prefix, sites })
    }

    /// What was decided about the sites of its pages, in words.
    pub fn note(&self) -> Option<&str> {
        self.sites.note.as_deref()
    }

    pub fn read(&self, progress: Progress) -> impl Iterator<Item = InputEvent> + Send + '_ {
        self.walk().filter_map(move |entry| match entry {
            Ok(entry) => self.read_entry(&entry, &progress),
            Err(error) => Some(self.unreadable(&error)),
        })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The pages that `read` gives, without their bytes.
    pub fn list(&self) -> impl Iterator<Item = Result<FolderPage, Box<InputEvent>>> + Send + '_ {
        self.walk().filter_map(move |entry| match entry {
            Ok(entry) => {
                let is_page = match kind_of(&entry) {
                    Ok(Kind::Page) => true,
                    Ok(Kind::Unknown) => starts_like_html(entry.path()).unwrap_or(false),
                    _ => false,
                };
                is_page.then(|| {
                    let id = id_below(&self.root, entry.path());
                    let head = || unpacked_bytes(entry.path(), EXAMINED_BYTES).unwrap_or_default();
                    let site = self.site_of(&id, head);
                    Ok(FolderPage { site, id: self.full_id(id), path: entry.into_path() })
                })
            }
            Err(error) => Some(Err(Box::new(self.unreadable(&error)))),
        })
    }

    /// The site of the page with this path below the folder.
    fn site_of(&self, path: &str, head: impl FnOnce() -> Vec<u8>) -> String {
        let given = self.origin.given_site.clone();
        given.unwrap_or_else(|| self.sites.site_of(path, head))
    }

    fn full_id(&self, path: String) -> String {
        if self.id_prefix.is_empty() { path } else { format!("{}{path}", self.id_prefix) }
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
        walk(&self.root)
    }

    fn read_entry(&self, entry: &DirEntry, progress: &Progress) -> Option<InputEvent> {
        let place = || entry.path().display().to_string();
        let event = match kind_of(entry) {
            Ok(Kind::Folder) => return None,
            Ok(Kind::Skip(why)) => return Some(InputEvent::Skipped { place: place(), why }),
            Ok(Kind::Page) => self.read_page(entry),
            Ok(Kind::Unknown) => self.read_if_html(entry),
            Err(error) => Err(error),
        };
        progress.add(size_of(entry.path()));
        Some(event.unwrap_or_else(|error| InputEvent::Problem {
            place: place(),
            what: format!("cannot read this file: {error}"),
        }))
    }

    fn read_if_html(&self, entry: &DirEntry) -> io::Result<InputEvent> {
        if starts_like_html(entry.path())? {
            return self.read_page(entry);
        }
        Ok(InputEvent::Skipped { place: entry.path().display().to_string(), why: NOT_HTML })
    }

    fn read_page(&self, entry: &DirEntry) -> io::Result<InputEvent> {
        let bytes = unpacked_bytes(entry.path(), self.origin.read_limit())?;
        let id = id_below(&self.root, entry.path());
        let site = self.site_of(&id, || bytes[..bytes.len().min(EXAMINED_BYTES)].to_vec());
        let mut page = self.origin.page(self.full_id(id), None, None, bytes);
        page.site = site;
        Ok(InputEvent::Page(page))
    }

    fn unreadable(&self, error: &walkdir::Error) -> InputEvent {
        let path = error.path().unwrap_or(&self.root);
        let why = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
        InputEvent::Problem {
            place: path.display().to_string(),
            what: format!("cannot read this folder or entry: {why}"),
        }
    }
}

/// Looks into a folder to decide about its sites.
struct OnDisk<'a>(&'a Path);

impl Pages for OnDisk<'_> {
    fn entries(&self, folder: &str) -> (Vec<String>, bool) {
        let Ok(entries) = fs::read_dir(below(self.0, folder)) else { return (Vec::new(), false) };
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
            entries.flatten().map(|entry| entry.path()).partition(|path| path.is_dir());
        let mut names: Vec<String> =
            folders.iter().filter(|path| !path.is_symlink()).map(|path| name_of(path)).collect();
        names.sort_unstable();
        (names, files.iter().any(|path| is_page(path)))
    }

    fn pages<'b>(&'b self, folder: &'b str) -> Box<dyn Iterator<Item = String> + 'b> {
        let pages = walk(&below(self.0, folder)).flatten().filter(|entry| match kind_of(entry) {
            Ok(Kind::Page) => true,
            Ok(Kind::Unknown) => is_page(entry.path()),
            _ => false,
        });
        Box::new(pages.map(|entry| id_below(self.0, entry.path())))
    }

    fn bytes(&self, id: &str) -> Vec<u8> {
        unpacked_bytes(&below(self.0, id), EXAMINED_BYTES).unwrap_or_default()
    }
}

fn walk(root: &Path) -> impl Iterator<Item = walkdir::Result<DirEntry>> + Send + use<> {
    WalkDir::new(root).min_depth(1).sort_by(by_joined_path).into_iter()
}

fn id_below(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

/// The bytes of a page file as [`Input::read`](crate::Input::read) gives them, and whether they
/// were cut at the limit: decompressed if the name ends in `.gz` or `.zst`.
///
/// # Errors
/// The file cannot be read or decompressed.
pub fn read_page_file(path: &Path, max_page_bytes: usize) -> io::Result<(Vec<u8>, bool)> {
    let bytes = unpacked_bytes(path, max_page_bytes.saturating_add(1))?;
    Ok(cut(bytes, max_page_bytes))
}

fn unpacked_bytes(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    if !format::names_compressed(&name_of(path)) {
        return first_bytes(path, limit);
    }
    let source = Storage::Path(path.to_owned()).open(Progress::unwatched())?;
    let compression = Compression::of(&read_at_most(source.at(0), SNIFFED)?);
    read_at_most(source.unpacked(compression), limit)
}

/// Sorting the entries of each folder like this, with '/' after the names of folders, gives the
/// byte order of whole paths while only one listing per level is in memory.
fn by_joined_path(left: &DirEntry, right: &DirEntry) -> Ordering {
    joined_name(left).cmp(joined_name(right))
}

fn joined_name(entry: &DirEntry) -> impl Iterator<Item = u8> + '_ {
    let slash = entry.file_type().is_dir().then_some(b'/');
    entry.file_name().as_encoded_bytes().iter().copied().chain(slash)
}

fn kind_of(entry: &DirEntry) -> io::Result<Kind> {
    let is_link = entry.file_type().is_symlink();
    let file_type = match is_link.then(|| fs::metadata(entry.path())) {
        None => entry.file_type(),
        Some(Ok(metadata)) => metadata.file_type(),
        // A saved site often links to styles and fonts that are not there.
        Some(Err(error)) => match kind_by_name(&entry.file_name().to_string_lossy()) {
            Kind::Page => return Err(error),
            Kind::Skip(why) => return Ok(Kind::Skip(why)),
            _ => return Ok(Kind::Skip(NOT_HTML)),
        },
    };
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

/// The first bytes of a file. A file within the limit is read in one go, unless it does not know
/// its length, like a device.
fn first_bytes(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    if !(1..=limit as u64).contains(&file.metadata()?.len()) {
        return read_at_most(file, limit);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    // It may have grown since its length was asked for.
    bytes.truncate(limit);
    Ok(bytes)
}

fn starts_like_html(path: &Path) -> io::Result<bool> {
    Ok(format::looks_like_html(&first_bytes(path, SNIFFED)?))
}

fn size_of(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}
