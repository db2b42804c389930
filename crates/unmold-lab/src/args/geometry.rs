//! `unmold-lab geometry`.

use std::path::PathBuf;

use clap::Args as Flags;

#[derive(Flags, Debug)]
pub struct GeometryArgs {
    /// Folders of HTML, HTML files, .warc[.gz], .jsonl[.gz|.zst] or .parquet with url and html; -
    /// is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Treat all pages as one site of this name [default: the host of the URL, else the top folder]
    #[arg(long, value_name = "NAME")]
    pub site: Option<String>,
    /// Keep elements that are hidden by an attribute, as `unmold sections --keep-hidden` does
    #[arg(long)]
    pub keep_hidden: bool,
    /// File to write the boxes to, as JSONL [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// The browser: Chromium or one like it [default: the first of chromium, chromium-browser,
    /// google-chrome on the PATH]
    #[arg(long, value_name = "PROGRAM")]
    pub browser: Option<PathBuf>,
    /// Only the first N pages of each site
    #[arg(long, value_name = "N")]
    pub pages: Option<usize>,
    /// Width of the window in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 1024)]
    pub width: u32,
    /// Give up on a page after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub patience: u64,
    /// Report only failures
    #[arg(short, long)]
    pub quiet: bool,
}
