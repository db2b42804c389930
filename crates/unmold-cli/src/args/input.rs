//! Flags that select the input and say how to read it, shared by all commands that read pages.

use std::path::PathBuf;

use clap::{Args as Flags, ValueEnum};
use unmold::Limits;

use crate::input::{Format as InputFormat, InputOptions};
use crate::stream::ReadOptions;

#[derive(Flags, Debug)]
pub struct InputArgs {
    /// Folders, HTML files and archives to read; `-` reads standard input
    ///
    /// Archives are .warc[.gz], .jsonl[.gz|.zst] and .parquet; JSONL and Parquet need the columns
    /// `url` and `html`.
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Treat the whole input as one site [default: host of the URL, or the top-level folder]
    #[arg(long, value_name = "NAME")]
    pub site: Option<String>,
    /// Format of standard input and of files without a known extension [default: detect]
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<InputFormatName>,
    /// Keep elements hidden by an attribute, such as `hidden` or `style="display:none"`
    #[arg(long)]
    pub keep_hidden: bool,
    /// Read at most this many bytes of each page
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().bytes)]
    pub max_page_bytes: usize,
    /// Treat pages with more nodes than this as plain text
    #[arg(long, value_name = "NODES", default_value_t = Limits::default().nodes)]
    pub max_nodes: usize,
    /// Treat pages nested deeper than this as plain text
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
        let format = self.input_format.map(|format| match format {
            InputFormatName::Html => InputFormat::Html,
            InputFormatName::Warc => InputFormat::Warc,
            InputFormatName::Jsonl => InputFormat::Jsonl,
            InputFormatName::Parquet => InputFormat::Parquet,
        });
        InputOptions::default()
            .with_site(self.site.clone())
            .with_max_page_bytes(self.max_page_bytes)
            .with_format(format)
    }

    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            limits: Limits::default()
                .with_bytes(self.max_page_bytes)
                .with_nodes(self.max_nodes)
                .with_depth(self.max_depth),
            keep_hidden: self.keep_hidden,
        }
    }
}
