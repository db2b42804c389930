//! Arguments of `unmold teach`.

use std::path::PathBuf;

use clap::{Args as Flags, Subcommand};

use super::help;
use super::input::InputArgs;
use super::method::MethodArgs;
use super::output::RunArgs;
use crate::teaching::PlanOptions;

#[derive(Flags, Debug)]
pub struct TeachArgs {
    #[command(subcommand)]
    pub verb: TeachVerb,
}

#[derive(Subcommand, Debug)]
#[allow(clippy::large_enum_variant, reason = "created once per run")]
pub enum TeachVerb {
    /// Write the pages that tell most when they are labelled, with their blocks numbered
    #[command(after_long_help = help::TEACH_PLAN)]
    Plan(PlanArgs),
}

#[derive(Flags, Debug)]
pub struct PlanArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Ask only for what the labels in this template file or store do not cover
    #[arg(short, long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Ask for at most this many pages, of all sites together [default: no limit]
    #[arg(long, value_name = "N")]
    pub budget: Option<usize>,
    /// Ask for at most this many pages of each kind of page
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub per_kind: usize,
    #[command(flatten)]
    pub run: RunArgs,
}

impl PlanArgs {
    pub fn options(&self) -> PlanOptions {
        PlanOptions { per_kind: self.per_kind, budget: self.budget }
    }
}
