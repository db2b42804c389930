//! Checked inputs, and reading them one after the other.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::compression::Compression;
use super::error::InputError;
use super::folder::{Folder, FolderPage};
use super::format::{self, Detected, Format};
use super::jsonl::JsonlPages;
use super::options::InputOptions;
use super::origin::{Origin, name_of};
use super::page::InputEvent;
use super::source::{Progress, SourceFile, Storage, read_at_most};
use super::warc::WarcPages;

const STDIN: &str = "standard input";

/// Checked inputs, ready to be read, once or several times.
///
/// Inputs are read in the order given. The ids of pages in a folder are relative to it. If there
/// are several folders and HTML files, they are relative to the folder that these have in common,
/// so that each file has its own id.
#[derive(Debug)]
pub struct Input {
    sources: Vec<Source>,
    bytes_read: Arc<AtomicU64>,
}

#[derive(Debug)]
enum Source {
    Folder(Folder),
    File { storage: Storage, detected: Detected, origin: Origin },
}

type Events<'a> = Box<dyn Iterator<Item = InputEvent> + Send + 'a>;

/// One of the inputs, for those who want to come back to single pages.
pub enum Listed<'a> {
    /// A folder with the list of its pages, which are not read.
    Folder {
        /// The folder as it was given.
        root: &'a Path,
        /// Its pages, in order.
        pages: Box<dyn Iterator<Item = Result<FolderPage, Box<InputEvent>>> + Send + 'a>,
    },
    /// Anything else, which can only be read from the start.
    Stream(Events<'a>),
}

impl Input {
    /// Checks that every path exists and can be read, and finds out the format of each.
    ///
    /// Standard input (`-`) and named pipes are copied to an unnamed temporary file, because they
    /// have to be read more than once.
    ///
    /// # Errors
    /// A path cannot be used. The error says which, why, and what to do.
    pub fn open(paths: &[PathBuf], options: &InputOptions) -> Result<Input, InputError> {
        Self::open_with_stdin(paths, options, &mut std::io::stdin().lock())
    }

    pub(crate) fn open_with_stdin(
        paths: &[PathBuf],
        options: &InputOptions,
        stdin: &mut dyn Read,
    ) -> Result<Input, InputError> {
        if paths.is_empty() {
            return Err(InputError::NoInput);
        }
        if paths.iter().filter(|path| is_stdin(path)).count() > 1 {
            return Err(InputError::StdinTwice);
        }
        let prefixes = id_prefixes(paths);
        let open_one =
            |(path, prefix): (&PathBuf, String)| open_source(path, prefix, options, stdin);
        let sources = paths.iter().zip(prefixes).map(open_one).collect::<Result<_, _>>()?;
        Ok(Input { sources, bytes_read: Arc::default() })
    }

    /// What was decided about which pages are one site, and how to change it, in words.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().filter_map(|source| match source {
            Source::Folder(folder) => folder.note(),
            Source::File { .. } => None,
        })
    }

    /// Reads everything from the start.
    ///
    /// May be called again and gives the same events as long as the files do not change. All
    /// readings share the counter of [`Input::progress`]: finish or drop one before starting the
    /// next.
    pub fn read(&self) -> impl Iterator<Item = InputEvent> + Send + '_ {
        self.bytes_read.store(0, Ordering::Relaxed);
        self.sources.iter().flat_map(move |source| source.read(&self.bytes_read))
    }

    /// The inputs one by one, with the same pages as [`Input::read`] in the same order.
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
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.sources.iter().map(Source::bytes_on_disk).sum()
    }

    /// Counter of the bytes on disk read so far: grows to [`Input::total_bytes`] during
    /// [`Input::read`].
    #[must_use]
    pub fn progress(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }
}

impl Source {
    fn read(&self, counter: &Arc<AtomicU64>) -> Events<'_> {
        let progress = Progress::starting_now(counter);
        match self {
            Source::Folder(folder) => Box::new(folder.read(progress)),
            Source::File { storage, detected, origin } => {
                read_file(storage, *detected, origin, progress)
            }
        }
    }

    fn bytes_on_disk(&self) -> u64 {
        match self {
            Source::Folder(folder) => folder.bytes_on_disk(),
            Source::File { storage, .. } => storage.bytes_on_disk(),
        }
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn open_source(
    path: &Path,
    id_prefix: String,
    options: &InputOptions,
    stdin: &mut dyn Read,
) -> Result<Source, InputError> {
    if is_stdin(path) {
        return open_stdin(options, stdin);
    }
    let unreadable = |source| InputError::Path { path: path.to_owned(), source };
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        return Ok(Source::Folder(Folder::open(path, id_prefix, options)?));
    }
    let mut file = fs::File::open(path).map_err(unreadable)?;
    let storage = if metadata.is_file() {
        Storage::Path(path.to_owned())
    } else {
        Storage::spool(&mut file, &path.display().to_string())?
    };
    open_file(path, storage, id_prefix, options)
}

fn open_stdin(options: &InputOptions, stdin: &mut dyn Read) -> Result<Source, InputError> {
    let storage = Storage::spool(stdin, STDIN)?;
    let detected = detect(&storage, STDIN, None, options)?;
    let origin = Origin::new("-".to_owned(), "stdin".to_owned(), options);
    Ok(Source::File { storage, detected, origin })
}

fn open_file(
    path: &Path,
    storage: Storage,
    id_prefix: String,
    options: &InputOptions,
) -> Result<Source, InputError> {
    let shown = path.display().to_string();
    let file_name = name_of(path);
    let detected = detect(&storage, &shown, Some(&file_name), options)?;
    let site = match detected.format {
        Format::Html => name_of(&path.with_file_name("")),
        _ => format::stem(&file_name).to_owned(),
    };
    let origin = Origin::new(shown, site, options).with_id_prefix(id_prefix);
    Ok(Source::File { storage, detected, origin })
}

/// What the ids of each input start with. With one folder or file nothing is needed; several are
/// told apart by their paths below the folder that they have in common.
fn id_prefixes(paths: &[PathBuf]) -> Vec<String> {
    let full = |path: &PathBuf| match path.components().any(|part| part == Component::ParentDir) {
        true => fs::canonicalize(path).ok(),
        false => std::path::absolute(path).ok(),
    };
    // A folder is in the prefix of its pages, a file is not in its own. Archives name their pages.
    let around = |path: &PathBuf| match path.is_dir() {
        true => full(path),
        false if is_stdin(path) || format::names_container(&name_of(path)) => None,
        false => full(path).and_then(|path| path.parent().map(Path::to_owned)),
    };
    let folders: Vec<Option<PathBuf>> = paths.iter().map(around).collect();
    let mut known = folders.iter().flatten();
    let Some(mut common) = known.next().cloned() else { return vec![String::new(); paths.len()] };
    for folder in known {
        while !folder.starts_with(&common) && common.pop() {}
    }
    let prefix = |folder: &Option<PathBuf>| {
        let below = folder.as_ref().and_then(|folder| folder.strip_prefix(&common).ok());
        below.map_or_else(String::new, |below| {
            below.iter().map(|part| format!("{}/", part.to_string_lossy())).collect()
        })
    };
    folders.iter().map(prefix).collect()
}

fn detect(
    storage: &Storage,
    name: &str,
    file_name: Option<&str>,
    options: &InputOptions,
) -> Result<Detected, InputError> {
    let detected = storage
        .open(Progress::unwatched())
        .and_then(|source| format::detect(&source, file_name, options.format))
        .map_err(|source| InputError::Read { name: name.to_owned(), source })?;
    match detected.unusable {
        Some(advice) => Err(InputError::Unusable { name: name.to_owned(), advice }),
        None => Ok(detected),
    }
}

fn read_file<'a>(
    storage: &'a Storage,
    detected: Detected,
    origin: &'a Origin,
    progress: Progress,
) -> Events<'a> {
    let source = match storage.open(progress.clone()) {
        Ok(source) => source,
        Err(error) => return Box::new(std::iter::once(origin.problem(error))),
    };
    let compression = detected.compression;
    let events: Events<'a> = match detected.format {
        Format::Html => {
            Box::new(std::iter::once_with(move || one_page(&source, compression, origin)))
        }
        Format::Warc => Box::new(WarcPages::new(source, compression, origin)),
        Format::Jsonl => Box::new(JsonlPages::new(source, compression, origin)),
        #[cfg(feature = "parquet")]
        Format::Parquet => super::parquet::pages(&source, origin),
        // `Input::open` has refused it already.
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Box::new(std::iter::once(origin.problem(format::NO_PARQUET))),
    };
    let size = storage.bytes_on_disk();
    Box::new(events.chain(std::iter::from_fn(move || {
        progress.reached(size);
        None
    })))
}

/// A file that is one page: its id is the file name, or `-`.
fn one_page(source: &SourceFile, compression: Compression, origin: &Origin) -> InputEvent {
    match read_at_most(source.unpacked(compression), origin.read_limit()) {
        Ok(bytes) => {
            let name = name_of(Path::new(&origin.name));
            let id = format!("{}{name}", origin.id_prefix);
            InputEvent::Page(origin.page_of_file(id, bytes))
        }
        Err(error) => origin.problem(format_args!("cannot read this file: {error}")),
    }
}
