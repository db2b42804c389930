//! Where pages come from: folders, single files, WARC, JSONL, Parquet and standard input.
//!
//! Start with [`Input::open`], which checks every path and finds out its format, then
//! [`Input::read`], which gives the pages in a fixed order and may be called again.
//! Everything is streamed: at any time one page (or one line, or one small Parquet batch) is in
//! memory. The one thing that grows is the sorted list of names of the folder being walked.
//!
//! | file | the question it answers |
//! |---|---|
//! | `source`, `peek` | how are bytes read, counted and looked at in advance? |
//! | `format` | what kind of file is this? |
//! | `folder`, `warc`, `jsonl`, `parquet` | which pages are in it? |
//! | `members`, `head`, `http`, `coding` | how is a WARC taken apart, even a damaged one? |

mod coding;
mod folder;
mod format;
mod head;
mod http;
mod jsonl;
mod members;
#[cfg(feature = "parquet")]
mod parquet;
mod peek;
mod source;
mod warc;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, bail};
use unmold::site::host_of;

pub use folder::FolderPage;
pub use format::Format;

use folder::Folder;
use format::{Compression, Detected};
use source::{Place, Progress};

/// One page as it was found, before parsing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawPage {
    /// Path relative to the given folder with '/' separators; for WARC, JSONL and Parquet the
    /// record's own id or its URL. Ids are not made unique across several inputs.
    pub id: String,
    /// Address of the page, when the input names it.
    pub url: Option<String>,
    /// Site the page belongs to: host of the URL where there is one, the top input folder
    /// otherwise.
    pub site: String,
    /// Charset named by the HTTP header; `utf-8` where the container itself says so (a JSON or
    /// Parquet string), whatever the page's own `<meta>` claims about its former life.
    pub charset: Option<String>,
    /// The page, with all transfer and content codings removed.
    pub bytes: Vec<u8>,
    /// The page was longer than the limit: `bytes` holds only its beginning (limit + 1 bytes).
    pub truncated: bool,
}

/// What reading gives, in a fixed order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A page.
    Page(RawPage),
    /// Something that is no HTML page: counted, not an error.
    Skipped {
        /// File, and where in it.
        place: String,
        /// Why it was passed over.
        why: &'static str,
    },
    /// A bad file or record: reported, and the run goes on.
    Problem {
        /// File, and where in it: a byte offset, a line or a row.
        place: String,
        /// What is wrong.
        what: String,
    },
}

/// How to read.
#[derive(Debug, Clone)]
pub struct InputOptions {
    /// Treat all pages as one site of this name.
    pub site: Option<String>,
    /// Longer pages are cut, see [`RawPage::truncated`].
    pub max_page_bytes: usize,
    /// Format of standard input and of files whose extension says nothing; `None` = look inside.
    pub format: Option<Format>,
}

impl Default for InputOptions {
    fn default() -> Self {
        Self { site: None, max_page_bytes: 10 << 20, format: None }
    }
}

/// Checked inputs, ready to be read, once or several times.
///
/// Inputs are read in the order given. Ids stay relative to each input: two folders that hold
/// the same relative path give the same id twice, and nothing is prefixed.
#[derive(Debug)]
pub struct Input {
    sources: Vec<Source>,
    bytes_read: Arc<AtomicU64>,
}

/// What every reader needs to know to make a page out of bytes.
#[derive(Debug, Clone)]
struct Origin {
    /// Input as named by the user, for messages.
    name: String,
    /// Set when the user put all pages into one site.
    site_given: Option<String>,
    /// Site of pages without a usable URL.
    site_without_url: String,
    max_page_bytes: usize,
}

#[derive(Debug)]
enum Source {
    Folder(Folder),
    File { place: Place, detected: Detected, origin: Origin },
}

type Items<'a> = Box<dyn Iterator<Item = Found> + Send + 'a>;

/// One of the inputs, for those who want to come back to single pages.
pub enum Listed<'a> {
    /// A folder, with its pages by name: their bytes are not read.
    Folder {
        /// The folder as it was named.
        root: &'a Path,
        /// Its pages, in order.
        pages: Box<dyn Iterator<Item = Result<FolderPage, Box<Found>>> + Send + 'a>,
    },
    /// Anything else, which can only be read from the start.
    Stream(Items<'a>),
}

impl Input {
    /// Checks that every path exists and can be read, and finds out the format of each.
    ///
    /// Standard input (`-`), and named pipes, are copied to an unnamed temporary file, because
    /// they have to be read more than once.
    ///
    /// # Errors
    /// Says which path cannot be used, why, and what to do.
    pub fn open(paths: &[PathBuf], options: &InputOptions) -> anyhow::Result<Input> {
        Self::open_with_stdin(paths, options, &mut std::io::stdin().lock())
    }

    fn open_with_stdin(
        paths: &[PathBuf],
        options: &InputOptions,
        stdin: &mut dyn Read,
    ) -> anyhow::Result<Input> {
        if paths.is_empty() {
            bail!("no input given: name a folder, a file, or - for standard input");
        }
        if paths.iter().filter(|path| is_stdin(path)).count() > 1 {
            bail!("standard input (-) is named twice, but can be read only once: name it once");
        }
        let open_one = |path: &PathBuf| open_source(path, options, stdin);
        let sources = paths.iter().map(open_one).collect::<anyhow::Result<_>>()?;
        Ok(Input { sources, bytes_read: Arc::default() })
    }

    /// Reads everything from the start.
    ///
    /// May be called again and gives the same items, as long as the files do not change. Reads
    /// share the counter of [`Input::progress`]: finish or drop one before starting the next.
    pub fn read(&self) -> impl Iterator<Item = Found> + Send + '_ {
        self.bytes_read.store(0, Ordering::Relaxed);
        self.sources.iter().flat_map(move |source| source.read(&self.bytes_read))
    }

    /// The inputs one by one. Gives the pages of [`Input::read`], in the same order.
    pub fn list(&self) -> impl Iterator<Item = Listed<'_>> {
        self.bytes_read.store(0, Ordering::Relaxed);
        self.sources.iter().map(|source| match source {
            Source::Folder(folder) => {
                Listed::Folder { root: folder.root(), pages: Box::new(folder.list()) }
            }
            Source::File { .. } => Listed::Stream(source.read(&self.bytes_read)),
        })
    }

    /// Bytes on disk of everything that may be a page. Walks the folders, so call it once.
    pub fn total_bytes(&self) -> u64 {
        self.sources.iter().map(Source::bytes_on_disk).sum()
    }

    /// Counter of the bytes on disk read so far: grows to [`Input::total_bytes`] during
    /// [`Input::read`].
    pub fn progress(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }
}

impl Source {
    fn read(&self, counter: &Arc<AtomicU64>) -> Items<'_> {
        let progress = Progress::starting_now(counter);
        match self {
            Source::Folder(folder) => Box::new(folder.read(progress)),
            Source::File { place, detected, origin } => {
                read_file(place, *detected, origin, progress)
            }
        }
    }

    fn bytes_on_disk(&self) -> u64 {
        match self {
            Source::Folder(folder) => folder.bytes_on_disk(),
            Source::File { place, .. } => place.bytes_on_disk(),
        }
    }
}

impl Origin {
    fn new(name: String, site_without_url: String, options: &InputOptions) -> Self {
        Origin {
            name,
            site_given: options.site.clone(),
            site_without_url,
            max_page_bytes: options.max_page_bytes,
        }
    }

    /// Bytes to read of a page: one more than allowed, so that a cut shows.
    fn read_limit(&self) -> usize {
        self.max_page_bytes.saturating_add(1)
    }

    fn site_of(&self, url: Option<&str>) -> String {
        self.site_given
            .clone()
            .or_else(|| url.and_then(host_of))
            .unwrap_or_else(|| self.site_without_url.clone())
    }

    fn page(
        &self,
        id: String,
        url: Option<String>,
        charset: Option<String>,
        mut bytes: Vec<u8>,
    ) -> Found {
        let truncated = bytes.len() > self.max_page_bytes;
        bytes.truncate(self.read_limit());
        bytes.shrink_to_fit();
        let site = self.site_of(url.as_deref());
        Found::Page(RawPage { id, url, site, charset, bytes, truncated })
    }

    /// Id of a page that has neither id nor URL: where it stands in its file.
    fn numbered(&self, number: impl std::fmt::Display) -> String {
        format!("{}:{number}", folder::name_of(Path::new(&self.name)))
    }

    fn problem(&self, what: impl std::fmt::Display) -> Found {
        Found::Problem { place: self.name.clone(), what: what.to_string() }
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn open_source(
    path: &Path,
    options: &InputOptions,
    stdin: &mut dyn Read,
) -> anyhow::Result<Source> {
    if is_stdin(path) {
        return open_stdin(options, stdin);
    }
    let shown = path.display();
    let metadata = fs::metadata(path)
        .with_context(|| format!("cannot read {shown}: check the path and its permissions"))?;
    if metadata.is_dir() {
        return Ok(Source::Folder(Folder::open(path, options)?));
    }
    let mut file = fs::File::open(path)
        .with_context(|| format!("cannot read {shown}: check its permissions"))?;
    let place = if metadata.is_file() {
        Place::Path(path.to_owned())
    } else {
        Place::spool(&mut file, &shown.to_string())?
    };
    open_file(path, place, options)
}

fn open_stdin(options: &InputOptions, stdin: &mut dyn Read) -> anyhow::Result<Source> {
    let place = Place::spool(stdin, "standard input")?;
    let detected = detect(&place, "standard input", None, options)?;
    let origin = Origin::new("-".to_owned(), "stdin".to_owned(), options);
    Ok(Source::File { place, detected, origin })
}

fn open_file(path: &Path, place: Place, options: &InputOptions) -> anyhow::Result<Source> {
    let shown = path.display().to_string();
    let file_name = folder::name_of(path);
    let detected = detect(&place, &shown, Some(&file_name), options)?;
    let site = match detected.format {
        Format::Html => folder::name_of(&path.with_file_name("")),
        _ => format::stem(&file_name).to_owned(),
    };
    let origin = Origin::new(shown, site, options);
    Ok(Source::File { place, detected, origin })
}

fn detect(
    place: &Place,
    shown: &str,
    file_name: Option<&str>,
    options: &InputOptions,
) -> anyhow::Result<Detected> {
    let detected = place
        .open(Progress::unwatched())
        .and_then(|source| format::detect(&source, file_name, options.format))
        .with_context(|| format!("cannot read {shown}"))?;
    if let Some(advice) = detected.unusable {
        bail!("cannot use {shown}: {advice}");
    }
    Ok(detected)
}

fn read_file<'a>(
    place: &'a Place,
    detected: Detected,
    origin: &'a Origin,
    progress: Progress,
) -> Items<'a> {
    let source = match place.open(progress.clone()) {
        Ok(source) => source,
        Err(error) => return Box::new(std::iter::once(origin.problem(error))),
    };
    let packed = detected.compression;
    let items: Items<'a> = match detected.format {
        Format::Html => Box::new(std::iter::once_with(move || one_page(&source, packed, origin))),
        Format::Warc => Box::new(warc::WarcPages::new(source, packed, origin)),
        Format::Jsonl => Box::new(jsonl::JsonlPages::new(&source, packed, origin)),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::pages(&source, origin),
        // `Input::open` has refused it already.
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Box::new(std::iter::once(origin.problem(format::NO_PARQUET))),
    };
    let size = place.bytes_on_disk();
    Box::new(items.chain(std::iter::from_fn(move || {
        progress.reached(size);
        None
    })))
}

/// A file that is one page: its id is the file name, or `-`.
fn one_page(source: &source::SourceFile, packed: Compression, origin: &Origin) -> Found {
    match read_at_most(source.unpacked(packed), origin.read_limit()) {
        Ok(bytes) => origin.page(folder::name_of(Path::new(&origin.name)), None, None, bytes),
        Err(error) => origin.problem(error),
    }
}

fn read_at_most(reader: impl Read, limit: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
