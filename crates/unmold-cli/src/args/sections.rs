//! Arguments of `unmold sections`.

use std::path::PathBuf;

use clap::{Args as Flags, ValueEnum};
use unmold::sections::Sectioning;

use super::input::InputArgs;
use super::method::{LEARNING_FLAGS, MethodArgs};
use super::output::RunArgs;
use super::parse;

#[derive(Flags, Debug)]
pub struct SectionsArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Template file written by `unmold learn` [default: learn from the input]
    #[arg(short, long, value_name = "FILE", conflicts_with_all = LEARNING_FLAGS)]
    pub template: Option<PathBuf>,
    /// Layout recorded by `unmold-lab geometry` [default: estimate areas from the markup]
    #[arg(short, long, value_name = "FILE")]
    pub geometry: Option<PathBuf>,
    /// Print how well the estimated areas agree with --geometry instead of the sections
    #[arg(long, requires = "geometry")]
    pub compare: bool,
    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = SectionsFormat::Jsonl)]
    pub format: SectionsFormat,
    /// Treat sections below this importance as noise [default: 0.4, or 0.25 with --paper]
    #[arg(long, value_name = "0..1", value_parser = parse::share)]
    pub noisy_below: Option<f64>,
    #[command(flatten)]
    pub run: RunArgs,
}

impl SectionsArgs {
    pub fn sectioning(&self) -> Sectioning {
        let settings = self.method.sectioning();
        let noisy_below = self.noisy_below.unwrap_or(settings.noisy_below);
        Sectioning { noisy_below, ..settings }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SectionsFormat {
    /// One JSON record per page
    Jsonl,
    /// Indented outline to read
    Tree,
}
