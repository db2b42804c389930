//! Writes page records in the chosen format.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use unmold::{CleanPage, Record};

use super::fields::{OutputField, all_fields, csv_header, csv_line, front_matter, json_line};
use super::guard::replaces_input;
use super::path::PagePaths;
use super::printable::{printable, printable_text};
use super::sink::Sink;

/// Output format of pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Jsonl,
    Csv,
    Text,
    Markdown,
    Html,
}

impl Format {
    /// Extensions of its files; the first is used for new ones.
    fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Jsonl => &["jsonl", "ndjson"],
            Format::Csv => &["csv"],
            Format::Text => &["txt", "text"],
            Format::Markdown => &["md", "markdown"],
            Format::Html => &["html", "htm"],
        }
    }

    /// The format that the extension of a path names.
    pub fn of_path(path: &Path) -> Option<Format> {
        [Format::Jsonl, Format::Csv, Format::Text, Format::Markdown, Format::Html]
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
        Format::Jsonl | Format::Csv => true,
        _ => path.as_os_str() == "-" || !path.is_dir() && has_extension(path, format.extensions()),
    }
}

/// What of a record is written, and where.
#[derive(Debug)]
pub struct OutputOptions {
    pub format: Format,
    /// File or folder; `None` is standard output.
    pub path: Option<PathBuf>,
    /// Fields of the lines of JSON or CSV; `None` is all.
    pub fields: Option<Vec<OutputField>>,
    /// Write what is known about the page before its Markdown.
    pub front_matter: bool,
}

/// Writes page records in input order.
pub enum Output {
    Jsonl(Sink, Option<Vec<OutputField>>),
    Csv(Sink, Vec<OutputField>),
    Stream(Stream),
    Folder {
        folder: PathBuf,
        paths: PagePaths,
        format: Format,
        /// Inputs, which are never replaced.
        protected: Vec<PathBuf>,
        front_matter: bool,
    },
}

/// Marks a folder as incomplete while pages are written to it.
const INCOMPLETE: &str = ".unmold-incomplete";

impl Output {
    /// Opens the output early, so that a wrong path fails before the work starts. Pages written to
    /// a folder never replace a file in `protected`.
    pub fn create(options: &OutputOptions, protected: Vec<PathBuf>) -> Result<Output> {
        let OutputOptions { format, ref fields, front_matter, .. } = *options;
        let path = options.path.as_deref();
        match format {
            Format::Jsonl => return Ok(Output::Jsonl(Sink::create(path)?, fields.clone())),
            Format::Csv => {
                let fields = fields.clone().unwrap_or_else(all_fields);
                let mut sink = Sink::create(path)?;
                sink.write(csv_header(&fields).as_bytes())?;
                return Ok(Output::Csv(sink, fields));
            }
            Format::Text | Format::Markdown | Format::Html => {}
        }
        let Some(folder) = path.filter(|path| !names_file(format, path)) else {
            let sink = Sink::create(path)?;
            return Ok(Output::Stream(Stream { sink, first: None, pages: 0, front_matter }));
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
        let mark = "A run of unmold is writing here, or was stopped before it was complete.\n";
        std::fs::write(folder.join(INCOMPLETE), mark)
            .with_context(|| format!("cannot write in the folder {}", folder.display()))?;
        let paths = PagePaths::new(extension);
        // Only HTML could replace a page of an input folder.
        let protected = match format {
            Format::Html => protected,
            _ => protected.into_iter().filter(|path| !path.is_dir()).collect(),
        };
        Ok(Output::Folder { folder: folder.to_owned(), paths, format, protected, front_matter })
    }

    /// Writes a page. Returns the path of its file if that is not the one that its id gives.
    pub fn write(&mut self, record: &Record) -> Result<Option<PathBuf>> {
        match self {
            Output::Jsonl(sink, None) => {
                let mut line = serde_json::to_vec(record)?;
                line.push(b'\n');
                sink.write(&line)?;
                Ok(None)
            }
            Output::Jsonl(sink, Some(fields)) => {
                sink.write(json_line(record, fields)?.as_bytes())?;
                Ok(None)
            }
            Output::Csv(sink, fields) => {
                sink.write(csv_line(record, fields)?.as_bytes())?;
                Ok(None)
            }
            Output::Stream(stream) => {
                stream.write(record)?;
                Ok(None)
            }
            Output::Folder { folder, paths, format, protected, front_matter } => {
                let text = text_of(record, *front_matter)?;
                let text = match format {
                    Format::Html => Cow::Borrowed(text.as_str()),
                    _ => printable_text(&text),
                };
                let chosen = paths.path(&record.id);
                let path = folder.join(&chosen.path);
                if replaces_input(&path, protected) {
                    bail!(
                        "{} is an input, which would be lost: choose another folder with -o, or \
                         pass --force",
                        path.display()
                    );
                }
                let Err(error) = write_page(&path, &text) else {
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

    /// Writes a record for input that could not be read. Texts have no place for it.
    pub fn write_failure(&mut self, place: String, what: String) -> Result<()> {
        match self {
            Output::Jsonl(..) | Output::Csv(..) => {
                self.write(&Record::new(place, None, "", CleanPage::failed(what)))?;
                Ok(())
            }
            Output::Stream(_) | Output::Folder { .. } => Ok(()),
        }
    }

    /// Flushes the output and gives the file its final name.
    pub fn finish(self) -> Result<()> {
        match self {
            Output::Jsonl(sink, _) | Output::Csv(sink, _) => sink.finish(),
            Output::Stream(stream) => stream.finish(),
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

/// All pages in one stream, each after a line with its id. One page alone has no such line.
pub struct Stream {
    sink: Sink,
    /// Id and text of the first page, until it is known whether another follows.
    first: Option<(String, String)>,
    pages: u64,
    front_matter: bool,
}

/// The text of a page, after what is known about it if that is wanted.
fn text_of(record: &Record, with_front_matter: bool) -> Result<String> {
    let before = if with_front_matter { front_matter(record)? } else { String::new() };
    Ok(before + &record.page.text)
}

impl Stream {
    fn write(&mut self, record: &Record) -> Result<()> {
        self.pages += 1;
        let text = text_of(record, self.front_matter)?;
        if self.pages == 1 {
            self.first =
                Some((printable(&record.id).into_owned(), printable_text(&text).into_owned()));
            return Ok(());
        }
        if let Some((id, text)) = self.first.take() {
            self.sink.write(format!("==> {id} <==\n{}\n", text.trim_end()).as_bytes())?;
        }
        let (id, text) = (printable(&record.id), printable_text(text.trim_end()));
        self.sink.write(format!("\n==> {id} <==\n{text}\n").as_bytes())
    }

    fn finish(mut self) -> Result<()> {
        if let Some((_, text)) = self.first.take() {
            self.sink.write(format!("{}\n", text.trim_end()).as_bytes())?;
        }
        self.sink.finish()
    }
}
