//! Which pages are read, and how: the same for every command.

use std::path::PathBuf;

use clap::{Args as Flags, ValueEnum};
use unmold::{Limits, ParseOptions};

use crate::input::{Format as InputFormat, InputOptions, RawPage};

#[derive(Flags, Debug)]
pub struct InputArgs {
    /// Folders of HTML, HTML files, .warc[.gz], .jsonl[.gz|.zst] or .parquet with url and html; -
    /// is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Treat all pages as one site of this name [default: the host of the URL, else the top folder]
    #[arg(long, value_name = "NAME")]
    pub site: Option<String>,
    /// Format of standard input and of files whose name says nothing [default: look inside]
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<InputFormatName>,
    /// Keep elements that are hidden by an attribute
    #[arg(long)]
    pub keep_hidden: bool,
    /// Read at most this many bytes of a page
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().bytes)]
    pub max_page_bytes: usize,
    /// Take a page with more nodes as plain text
    #[arg(long, value_name = "NODES", default_value_t = Limits::default().nodes)]
    pub max_nodes: usize,
    /// Take a page that is nested deeper as plain text
    #[arg(long, value_name = "LEVELS", default_value_t = Limits::default().depth)]
    pub max_depth: usize,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum InputFormatName {
    Html,
    Warc,
    Jsonl,
    Parquet,
}

impl InputArgs {
    pub fn options(&self) -> InputOptions {
        InputOptions {
            site: self.site.clone(),
            max_page_bytes: self.max_page_bytes,
            format: self.input_format.map(|format| match format {
                InputFormatName::Html => InputFormat::Html,
                InputFormatName::Warc => InputFormat::Warc,
                InputFormatName::Jsonl => InputFormat::Jsonl,
                InputFormatName::Parquet => InputFormat::Parquet,
            }),
        }
    }

    pub fn limits(&self) -> Limits {
        Limits::default()
            .with_bytes(self.max_page_bytes)
            .with_nodes(self.max_nodes)
            .with_depth(self.max_depth)
    }

    /// How `page` is to be parsed.
    pub fn parse_options(&self, page: &RawPage) -> ParseOptions {
        // Pages of a folder link to each other by relative paths: the id is as good a base as an
        // address.
        let url = page.url.clone().unwrap_or_else(|| format!("file:///{}", page.id));
        ParseOptions::default()
            .with_limits(self.limits())
            .with_charset(page.charset.clone())
            .with_url(url)
            .with_keep_hidden(self.keep_hidden)
    }
}
