//! Flags for the output and for the run itself, shared by all commands that process pages.

use std::path::PathBuf;

use clap::{Args as Flags, ValueEnum};
use unmold::{CleanOptions, TextFormat};

use super::parse;
use crate::output::Format;
use crate::report::Verbosity;
use crate::stripping::StripOptions;

#[derive(Flags, Debug)]
pub struct OutputArgs {
    /// Write to this file or folder [default: standard output]
    ///
    /// A name that ends in .jsonl, .md, .txt or .html is one file for all pages. Other names are
    /// folders with a file for each page, or a file in the format jsonl.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Output format
    ///
    /// Default: what the extension of the output says, such as `-o page.md`; otherwise jsonl.
    #[arg(short, long, value_enum)]
    pub format: Option<FormatName>,
    /// Remove whole sections below this importance instead of single texts
    ///
    /// The value is a number from 0 to 1; the paper uses 0.25.
    #[arg(long, value_name = "0..1", value_parser = parse::share)]
    pub min_importance: Option<f64>,
    /// Write the removed text, too: one JSONL record per template with text, HTML and Markdown
    #[arg(long, value_name = "FILE")]
    pub keep_template: Option<PathBuf>,
    /// Add the field `explanation` to each record: why each block is kept or removed
    #[arg(long)]
    pub explain: bool,
    /// Write how well the pages fit each template, as JSONL
    ///
    /// A low fit usually means that the site was redesigned.
    #[arg(long, value_name = "FILE")]
    pub drift: Option<PathBuf>,
}

impl OutputArgs {
    pub fn options(&self) -> StripOptions {
        let named = self.output.as_deref().filter(|path| !path.is_dir()).and_then(Format::of_path);
        let format = self.format.map(Format::from).or(named).unwrap_or(Format::Jsonl);
        let text_format = match format {
            Format::Jsonl | Format::Text => TextFormat::Text,
            Format::Markdown => TextFormat::Markdown,
            Format::Html => TextFormat::Html,
        };
        StripOptions {
            clean: CleanOptions::default()
                .with_format(text_format)
                .with_min_importance(self.min_importance)
                .with_explain(self.explain),
            format,
            output: self.output.clone(),
            removed: self.keep_template.clone(),
            drift: self.drift.clone(),
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormatName {
    /// One JSON record per page, with its text
    Jsonl,
    /// Plain text
    Text,
    /// CommonMark with tables
    Markdown,
    /// HTML without the template
    Html,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Format {
        match name {
            FormatName::Jsonl => Format::Jsonl,
            FormatName::Text => Format::Text,
            FormatName::Markdown => Format::Markdown,
            FormatName::Html => Format::Html,
        }
    }
}

#[derive(Flags, Debug)]
pub struct RunArgs {
    /// Number of worker threads [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Replace inputs and files that unmold did not write
    #[arg(long)]
    pub force: bool,
    /// Print errors only
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print skipped files and details about the learned templates
    #[arg(short, long)]
    pub verbose: bool,
}

impl RunArgs {
    pub fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        }
    }
}
