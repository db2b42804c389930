//! Arguments of `unmold index`, `unmold search` and `unmold export`.

use std::path::PathBuf;

use clap::{Args as Flags, ValueEnum};

use super::input::InputArgs;
use super::method::MethodArgs;
use super::output::RunArgs;

#[derive(Flags, Debug)]
pub struct IndexArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Folder for the index; must be empty or not exist yet
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct SearchArgs {
    /// Index built by `unmold index`
    #[arg(value_name = "DIR")]
    pub index: PathBuf,
    /// Query: words, "a phrase", +required, -excluded, title:word, site:NAME
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Which texts of the pages are searched
    #[arg(long, value_enum, default_value_t = EngineName::Switch)]
    pub engine: EngineName,
    /// Show at most this many pages
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
    /// Print one JSON object per page
    #[arg(long)]
    pub json: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineName {
    /// Whole pages, including their templates
    Whole,
    /// Pages without their templates; words of the template count little
    Clean,
    /// Clean pages, or whole pages where stripping took the words of the query from some pages
    Switch,
}

#[derive(Flags, Debug)]
pub struct ExportArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Write the format of the Elasticsearch and OpenSearch bulk API, which is the only one
    #[arg(long, hide = true)]
    pub bulk: bool,
    /// Name of the target index
    #[arg(long, value_name = "NAME", default_value = "pages")]
    pub index: String,
    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
}
