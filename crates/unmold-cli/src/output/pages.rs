//! Writes page records in the chosen format.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use unmold::Record;

use super::path::PagePaths;
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
    },
}

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
        Ok(Output::Folder { folder: folder.to_owned(), paths: PagePaths::new(extension) })
    }

    pub fn write(&mut self, record: &Record) -> Result<()> {
        match self {
            Output::Jsonl(sink) => {
                let mut line = serde_json::to_vec(record)?;
                line.push(b'\n');
                sink.write(&line)
            }
            Output::Stream { sink, pages } => {
                let blank = if *pages == 0 { "" } else { "\n" };
                *pages += 1;
                sink.write(
                    format!("{blank}==> {} <==\n{}\n", record.id, record.page.text.trim_end())
                        .as_bytes(),
                )
            }
            Output::Folder { folder, paths } => {
                let path = folder.join(paths.path(&record.id));
                let mut sink = Sink::create(Some(&path))?;
                sink.write(record.page.text.as_bytes())?;
                if !record.page.text.ends_with('\n') && !record.page.text.is_empty() {
                    sink.write(b"\n")?;
                }
                sink.finish()
            }
        }
    }

    /// Flushes the output and gives the file its final name.
    pub fn finish(self) -> Result<()> {
        match self {
            Output::Jsonl(sink) | Output::Stream { sink, .. } => sink.finish(),
            Output::Folder { .. } => Ok(()),
        }
    }
}
