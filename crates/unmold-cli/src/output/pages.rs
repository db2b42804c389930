//! Writes page records in the chosen format.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use unmold::Record;

use super::guard::replaces_input;
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

impl Format {
    /// Extensions of its files; the first is used for new ones.
    fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Jsonl => &["jsonl", "ndjson"],
            Format::Text => &["txt", "text"],
            Format::Markdown => &["md", "markdown"],
            Format::Html => &["html", "htm"],
        }
    }

    /// The format that the extension of a path names.
    pub fn of_path(path: &Path) -> Option<Format> {
        [Format::Jsonl, Format::Text, Format::Markdown, Format::Html]
            .into_iter()
            .find(|format| has_extension(path, format.extensions()))
    }
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension()
        .is_some_and(|own| extensions.iter().any(|extension| own.eq_ignore_ascii_case(extension)))
}

/// Whether pages in this format go into one file of this name; otherwise it is a folder.
pub fn names_file(format: Format, path: &Path) -> bool {
    match format {
        Format::Jsonl => true,
        _ => path.as_os_str() == "-" || !path.is_dir() && has_extension(path, format.extensions()),
    }
}

/// Writes page records in input order.
pub enum Output {
    Jsonl(Sink),
    Stream(Stream),
    Folder {
        folder: PathBuf,
        paths: PagePaths,
        /// Inputs, which are never replaced.
        protected: Vec<PathBuf>,
    },
}

impl Output {
    /// Opens the output early, so that a wrong path fails before the work starts. Pages written to
    /// a folder never replace a file in `protected`.
    pub fn create(format: Format, path: Option<&Path>, protected: Vec<PathBuf>) -> Result<Output> {
        if format == Format::Jsonl {
            return Ok(Output::Jsonl(Sink::create(path)?));
        }
        let Some(folder) = path.filter(|path| !names_file(format, path)) else {
            return Ok(Output::Stream(Stream { sink: Sink::create(path)?, first: None, pages: 0 }));
        };
        let extension = format.extensions()[0];
        if folder.exists() && !folder.is_dir() {
            bail!(
                "{} is a file: give a folder with -o, a name ending in .{extension}, or use \
                 --format jsonl",
                folder.display()
            );
        }
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let paths = PagePaths::new(extension);
        Ok(Output::Folder { folder: folder.to_owned(), paths, protected })
    }

    pub fn write(&mut self, record: &Record) -> Result<()> {
        match self {
            Output::Jsonl(sink) => {
                let mut line = serde_json::to_vec(record)?;
                line.push(b'\n');
                sink.write(&line)
            }
            Output::Stream(stream) => stream.write(record),
            Output::Folder { folder, paths, protected } => {
                let path = folder.join(paths.path(&record.id));
                if replaces_input(&path, protected) {
                    bail!(
                        "{} is an input, which would be lost: choose another folder with -o, or \
                         pass --force",
                        path.display()
                    );
                }
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
            Output::Jsonl(sink) => sink.finish(),
            Output::Stream(stream) => stream.finish(),
            Output::Folder { .. } => Ok(()),
        }
    }
}

/// All pages in one stream, each after a line with its id. One page alone has no such line.
pub struct Stream {
    sink: Sink,
    /// Id and text of the first page, until it is known whether another follows.
    first: Option<(String, String)>,
    pages: u64,
}

impl Stream {
    fn write(&mut self, record: &Record) -> Result<()> {
        self.pages += 1;
        if self.pages == 1 {
            self.first = Some((record.id.clone(), record.page.text.clone()));
            return Ok(());
        }
        if let Some((id, text)) = self.first.take() {
            self.sink.write(format!("==> {id} <==\n{}\n", text.trim_end()).as_bytes())?;
        }
        let (id, text) = (&record.id, record.page.text.trim_end());
        self.sink.write(format!("\n==> {id} <==\n{text}\n").as_bytes())
    }

    fn finish(mut self) -> Result<()> {
        if let Some((_, text)) = self.first.take() {
            self.sink.write(format!("{}\n", text.trim_end()).as_bytes())?;
        }
        self.sink.finish()
    }
}
