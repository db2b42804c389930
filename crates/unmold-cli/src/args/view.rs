//! `unmold view`.

use std::path::PathBuf;

use clap::Args as Flags;

use super::{InputArgs, MethodArgs, RunArgs};

#[derive(Flags, Debug)]
#[cfg_attr(not(feature = "view"), allow(dead_code))]
pub struct ViewArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// File that `unmold learn` wrote; corrections are saved in it [default: learn from the input]
    #[arg(short, long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// Folder that `unmold index` wrote, to search before and after (needs the feature `search`)
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Write a static report into this folder instead of serving
    #[arg(long, value_name = "DIR")]
    pub export: Option<PathBuf>,
    /// With --export: show at most this many pages of each template
    #[arg(long, value_name = "N", default_value_t = 20, requires = "export")]
    pub export_pages: usize,
    /// Port to listen on, at 127.0.0.1 only [default: any free one]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true,
        conflicts_with = "export"
    )]
    pub port: u16,
    #[command(flatten)]
    pub run: RunArgs,
}
