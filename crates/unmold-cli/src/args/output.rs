//! What is written, and how the work runs: the same for every command that writes pages.

use std::path::PathBuf;

use clap::{Args as Flags, ValueEnum};
use unmold::{CleanOptions, TextFormat};

use super::parse_share;

#[derive(Flags, Debug)]
pub struct OutputArgs {
    /// File for jsonl, folder for the other formats [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// What to write
    #[arg(short, long, value_enum, default_value_t = Format::Jsonl)]
    pub format: Format,
    /// Strip whole sections less important than this instead of single texts; 0.25 is the paper's
    /// threshold of noise
    #[arg(long, value_name = "0..1", value_parser = parse_share)]
    pub min_importance: Option<f64>,
    /// Write the other half, too: each template once, as text, html and markdown, in a JSONL file
    #[arg(long, value_name = "FILE")]
    pub keep_template: Option<PathBuf>,
    /// Say for each block of a page why it stays or goes, in the field `explanation` of its record
    #[arg(long)]
    pub explain: bool,
    /// Write how the pages fit each template, as JSONL: those of a redesigned site do not
    #[arg(long, value_name = "FILE")]
    pub drift: Option<PathBuf>,
}

impl OutputArgs {
    /// How pages are cleaned.
    pub fn options(&self) -> CleanOptions {
        let format = match self.format {
            Format::Jsonl | Format::Text => TextFormat::Text,
            Format::Markdown => TextFormat::Markdown,
            Format::Html => TextFormat::Html,
        };
        CleanOptions::default()
            .with_format(format)
            .with_min_importance(self.min_importance)
            .with_explain(self.explain)
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// One record per page with its text
    Jsonl,
    /// Plain text
    Text,
    /// CommonMark with tables
    Markdown,
    /// The page without its template
    Html,
}

#[derive(Flags, Debug)]
pub struct RunArgs {
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Say nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say what was skipped and what was learned
    #[arg(short, long)]
    pub verbose: bool,
}
