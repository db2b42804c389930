//! Writes page records in the chosen format.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use unmold::{CleanPage, Record};

use super::path::PagePaths;
use super::printable::{printable, printable_text};
use super::sink::Sink;

/// Output format of pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Jsonl,
    Text,
    Markdown,
    Html,
}

/// Writes page records in input order.
pub enum Output {
    Jsonl(Sink),
    /// All pages in one stream, each after a line with its id.
    Stream {
        sink: Sink,
        pages: u64,
    },
    Folder {
        folder: PathBuf,
        paths: PagePaths,
        format: Format,
    },
}

/// Marks a folder as incomplete while pages are written to it.
const INCOMPLETE: &str = ".unmold-incomplete";

impl Output {
    /// Opens the output early, so that a wrong path fails before the work starts.
    pub fn create(format: Format, path: Option<&Path>) -> Result<Output> {
        let extension = match format {
            Format::Jsonl => return Ok(Output::Jsonl(Sink::create(path)?)),
            Format::Text => "txt",
            Format::Markdown => "md",
            Format::Html => "html",
        };
        let Some(folder) = path else {
            return Ok(Output::Stream { sink: Sink::create(None)?, pages: 0 });
        };
        if folder.exists() && !folder.is_dir() {
            bail!("{} is a file: give a folder with -o, or use --format jsonl", folder.display());
        }
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let mark = "A run of unmold is writing here, or was stopped before it was complete.\n";
        std::fs::write(folder.join(INCOMPLETE), mark)
            .with_context(|| format!("cannot write in the folder {}", folder.display()))?;
        Ok(Output::Folder { folder: folder.to_owned(), paths: PagePaths::new(extension), format })
    }

    /// Writes a page. Returns the path of its file if that is not the one that its id gives.
    pub fn write(&mut self, record: &Record) -> Result<Option<PathBuf>> {
        match self {
            Output::Jsonl(sink) => {
                let mut line = serde_json::to_vec(record)?;
                line.push(b'\n');
                sink.write(&line)?;
                Ok(None)
            }
            Output::Stream { sink, pages } => {
                let blank = if *pages == 0 { "" } else { "\n" };
                *pages += 1;
                let (id, text) =
                    (printable(&record.id), printable_text(record.page.text.trim_end()));
                sink.write(format!("{blank}==> {id} <==\n{text}\n").as_bytes())?;
                Ok(None)
            }
            Output::Folder { folder, paths, format } => {
                let text = match format {
                    Format::Html => Cow::Borrowed(record.page.text.as_str()),
                    _ => printable_text(&record.page.text),
                };
                let chosen = paths.path(&record.id);
                let Err(error) = write_page(&folder.join(&chosen.path), &text) else {
                    return Ok(chosen.renamed.then_some(chosen.path));
                };
                // The file system refuses the name; if it refuses any other, it is not the name.
                let other = paths.plain(&record.id);
                match write_page(&folder.join(&other), &text) {
                    Ok(()) => Ok(Some(other)),
                    Err(_) => Err(error),
                }
            }
        }
    }

    /// Writes a record for input that could not be read. Only JSONL has a place for it.
    pub fn write_failure(&mut self, place: String, what: String) -> Result<()> {
        match self {
            Output::Jsonl(_) => {
                self.write(&Record::new(place, None, "", CleanPage::failed(what)))?;
                Ok(())
            }
            Output::Stream { .. } | Output::Folder { .. } => Ok(()),
        }
    }

    /// Flushes the output and gives the file its final name.
    pub fn finish(self) -> Result<()> {
        match self {
            Output::Jsonl(sink) | Output::Stream { sink, .. } => sink.finish(),
            Output::Folder { folder, .. } => std::fs::remove_file(folder.join(INCOMPLETE))
                .with_context(|| format!("cannot complete the folder {}", folder.display())),
        }
    }
}

fn write_page(path: &Path, text: &str) -> Result<()> {
    let mut sink = Sink::create(Some(path))?;
    sink.write(text.as_bytes())?;
    if !text.ends_with('\n') && !text.is_empty() {
        sink.write(b"\n")?;
    }
    sink.finish()
}
