//! Bytes on disk: opened as often as needed, read from any position, counted for the progress bar.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use super::compression::Compression;
use super::error::InputError;
use super::peek::BUFFER;

/// What holds the bytes of an input.
#[derive(Debug)]
pub enum Storage {
    Path(PathBuf),
    /// A temporary file without a name: it vanishes with the process, even if that is killed.
    Spooled(Arc<File>),
}

impl Storage {
    /// Copies a stream that can be read only once to a temporary file.
    pub fn spool(stream: &mut dyn Read, name: &str) -> Result<Storage, InputError> {
        let no_space = |source| InputError::Spool { folder: std::env::temp_dir(), source };
        let mut file = tempfile::tempfile().map_err(no_space)?;
        let mut buffer = vec![0; BUFFER];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return Ok(Storage::Spooled(Arc::new(file))),
                Ok(count) => file.write_all(&buffer[..count]).map_err(no_space)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(InputError::Read { name: name.to_owned(), source }),
            }
        }
    }

    pub fn open(&self, progress: Progress) -> io::Result<SourceFile> {
        let file = match self {
            Storage::Path(path) => Arc::new(File::open(path)?),
            Storage::Spooled(file) => Arc::clone(file),
        };
        Ok(SourceFile { file, position: 0, progress })
    }

    pub fn bytes_on_disk(&self) -> u64 {
        let metadata = match self {
            Storage::Path(path) => fs::metadata(path),
            Storage::Spooled(file) => file.metadata(),
        };
        metadata.map_or(0, |metadata| metadata.len())
    }
}

/// An open file with its own position.
///
/// Every read names its position, so any number of readers can share one handle: the spooled file
/// has no name to open it by again, and a duplicated handle would share its cursor.
#[derive(Debug, Clone)]
pub struct SourceFile {
    file: Arc<File>,
    position: u64,
    progress: Progress,
}

impl SourceFile {
    /// The same file, read from another position.
    pub fn at(&self, position: u64) -> SourceFile {
        SourceFile { position, ..self.clone() }
    }

    pub fn position(&self) -> u64 {
        self.position
    }

    pub fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// The content from the start, decompressed.
    pub fn unpacked(&self, compression: Compression) -> Box<dyn Read + Send> {
        let raw = BufReader::with_capacity(BUFFER, self.at(0));
        match compression {
            Compression::None => Box::new(raw),
            Compression::Gzip => Box::new(MultiGzDecoder::new(raw)),
            Compression::Zstd => match zstd::Decoder::with_buffer(raw) {
                Ok(decoder) => Box::new(decoder),
                Err(error) => Box::new(Failing(Some(error))),
            },
        }
    }

    #[cfg(feature = "parquet")]
    pub fn handle(&self) -> &File {
        &self.file
    }

    #[cfg(feature = "parquet")]
    pub fn progress(&self) -> &Progress {
        &self.progress
    }
}

impl Read for SourceFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = read_at(&self.file, out, self.position)?;
        self.position += count as u64;
        self.progress.reached(self.position);
        Ok(count)
    }
}

#[cfg(unix)]
fn read_at(file: &File, out: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, out, position)
}

#[cfg(windows)]
fn read_at(file: &File, out: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, out, position)
}

/// Reads up to `limit` bytes.
pub fn read_at_most(reader: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A reader that could not be set up: fails at the first read.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// The part of the run's bytes that one source has read.
#[derive(Debug, Clone)]
pub struct Progress {
    counter: Arc<AtomicU64>,
    /// What the sources before this one have read.
    base: u64,
}

impl Progress {
    pub fn starting_now(counter: &Arc<AtomicU64>) -> Self {
        Progress { counter: Arc::clone(counter), base: counter.load(Ordering::Relaxed) }
    }

    /// For looking into a file without counting it.
    pub fn unwatched() -> Self {
        Progress { counter: Arc::default(), base: 0 }
    }

    /// Never goes back: damaged archives are searched again from an earlier position.
    pub fn reached(&self, position: u64) {
        self.counter.fetch_max(self.base + position, Ordering::Relaxed);
    }

    pub fn add(&self, bytes: u64) {
        self.counter.fetch_add(bytes, Ordering::Relaxed);
    }
}
