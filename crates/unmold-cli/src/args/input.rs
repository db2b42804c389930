//! Flags that select the input and say how to read it, shared by all commands that read pages.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args as Flags, ValueEnum};
use unmold::Limits;

use crate::input::{Columns, Format as InputFormat, Input, InputOptions, SiteBy};
use crate::report::Report;
use crate::stream::ReadOptions;

#[derive(Flags, Debug)]
pub struct InputArgs {
    /// Folders, HTML files and archives to read; `-` reads standard input
    ///
    /// Archives are .warc[.gz], .jsonl[.gz|.zst] and .parquet; JSONL and Parquet need the columns
    /// `url` and `html` (see --input-columns).
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Treat the whole input as one site of this name
    #[arg(long, value_name = "NAME", conflicts_with = "site_by")]
    pub site: Option<String>,
    /// How to tell which pages are one site
    #[arg(long, value_enum, default_value_t = SiteByName::Auto)]
    pub site_by: SiteByName,
    /// Format of standard input and of files without a known extension [default: detect]
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<InputFormatName>,
    /// Names of the columns of JSONL and Parquet files, for example html=content,url=link,id=doc
    #[arg(long, value_name = "LIST", value_parser = Columns::parse)]
    pub input_columns: Option<Columns>,
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
pub enum SiteByName {
    /// By the host of the URL; in folders by host-like names, canonical links and shared text
    Auto,
    /// By the host of the URL, of the folder, or of the page's canonical link
    Host,
    /// Each top-level folder is a site
    Folder,
    /// Each input is one site
    One,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum InputFormatName {
    Html,
    Warc,
    Jsonl,
    Parquet,
}

impl InputArgs {
    fn options(&self) -> InputOptions {
        let format = self.input_format.map(|format| match format {
            InputFormatName::Html => InputFormat::Html,
            InputFormatName::Warc => InputFormat::Warc,
            InputFormatName::Jsonl => InputFormat::Jsonl,
            InputFormatName::Parquet => InputFormat::Parquet,
        });
        InputOptions::default()
            .with_site(self.site.clone())
            .with_site_by(match self.site_by {
                SiteByName::Auto => SiteBy::Auto,
                SiteByName::Host => SiteBy::Host,
                SiteByName::Folder => SiteBy::Folder,
                SiteByName::One => SiteBy::One,
            })
            .with_max_page_bytes(self.max_page_bytes)
            .with_format(format)
            .with_columns(self.input_columns.clone().unwrap_or_default())
    }

    /// Opens the input and says which pages are taken as one site.
    pub fn open(&self, report: &Report) -> Result<Input> {
        let input = Input::open(&self.inputs, &self.options())?;
        input.notes().for_each(|note| report.note(note));
        Ok(input)
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
