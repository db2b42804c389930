//! Flags for the output and for the run itself, shared by all commands that process pages.

use std::path::PathBuf;

use clap::{Args as Flags, ValueEnum};
use unmold::sections::Sectioning;
use unmold::{CleanOptions, TextFormat};

use super::parse;
use crate::output::Format;
use crate::report::Verbosity;
use crate::stripping::StripOptions;

#[derive(Flags, Debug)]
pub struct OutputArgs {
    /// Write to this file (jsonl) or folder (other formats) [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = FormatName::Jsonl)]
    pub format: FormatName,
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
    /// Pages are cut into sections by `sectioning`.
    pub fn options(&self, sectioning: Sectioning) -> StripOptions {
        let text_format = match self.format {
            FormatName::Jsonl | FormatName::Text => TextFormat::Text,
            FormatName::Markdown => TextFormat::Markdown,
            FormatName::Html => TextFormat::Html,
        };
        StripOptions {
            clean: CleanOptions::default()
                .with_format(text_format)
                .with_min_importance(self.min_importance)
                .with_sectioning(sectioning)
                .with_explain(self.explain),
            format: self.format.into(),
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
    /// Number of worker threads, at most 1024 [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
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
