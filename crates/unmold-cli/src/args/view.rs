//! Arguments of `unmold view`.

use std::path::PathBuf;

use clap::Args as Flags;

use super::input::InputArgs;
use super::method::{LEARNING_FLAGS, MethodArgs};
use super::output::RunArgs;

#[derive(Flags, Debug)]
#[cfg_attr(not(feature = "view"), allow(dead_code))]
pub struct ViewArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Template file written by `unmold learn`; saves corrections to it [default: learn from the
    /// input]
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with = "paper",
        conflicts_with_all = LEARNING_FLAGS
    )]
    pub template: Option<PathBuf>,
    /// Also add corrections to this file of labels, for `unmold learn --labels`
    #[arg(long, value_name = "FILE", conflicts_with = "export")]
    pub labels: Option<PathBuf>,
    /// Index built by `unmold index`, to compare search results (requires the feature `search`)
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Write a static report to this folder instead of starting a server
    #[arg(long, value_name = "DIR")]
    pub export: Option<PathBuf>,
    /// Include at most this many pages of each template in the report
    #[arg(long, value_name = "N", default_value_t = 20, requires = "export")]
    pub export_pages: usize,
    /// Port to listen on, on 127.0.0.1 only [default: any free port]
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
