//! `unmold index`, `unmold search` and `unmold export`.

use std::path::PathBuf;

use clap::Args as Flags;

use super::{InputArgs, MethodArgs, RunArgs};

#[derive(Flags, Debug)]
pub struct IndexArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Folder for the index; must not exist, or be empty
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct SearchArgs {
    /// Folder that `unmold index` wrote
    #[arg(value_name = "DIR")]
    pub index: PathBuf,
    /// Words, "a phrase", +must -not, title:word, site:NAME
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Search whole pages, templates and all, to see the difference
    #[arg(long)]
    pub raw: bool,
    /// Show at most this many pages
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
    /// One JSON object per page
    #[arg(long)]
    pub json: bool,
}

#[derive(Flags, Debug)]
pub struct ExportArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Lines for the bulk interface of Elasticsearch and OpenSearch
    #[arg(long, required = true)]
    pub bulk: bool,
    /// Name of the index that the lines go to
    #[arg(long, value_name = "NAME", default_value = "pages")]
    pub index: String,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
}
