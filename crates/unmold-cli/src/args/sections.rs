//! `unmold sections`.

use std::path::PathBuf;

use clap::{Args as Flags, ValueEnum};
use unmold::sections::Sectioning;

use super::{InputArgs, MethodArgs, RunArgs, parse_share};

#[derive(Flags, Debug)]
pub struct SectionsArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// File that `unmold learn` wrote [default: learn from the input]
    #[arg(short, long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// File that `unmold-lab geometry` wrote [default: areas are estimated from the mark-up]
    #[arg(short, long, value_name = "FILE")]
    pub geometry: Option<PathBuf>,
    /// Compare the estimated areas with those of --geometry, and what follows from both
    #[arg(long, requires = "geometry")]
    pub compare: bool,
    /// File to write to [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// What to write
    #[arg(short, long, value_enum, default_value_t = SectionsFormat::Jsonl)]
    pub format: SectionsFormat,
    /// A section less important than this is noise
    #[arg(long, value_name = "0..1", default_value_t = Sectioning::default().noisy_below, value_parser = parse_share)]
    pub noisy_below: f64,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SectionsFormat {
    /// One record per page
    Jsonl,
    /// An outline for people
    Tree,
}
