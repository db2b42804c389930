//! What can be typed, and what it means when it is run.

mod cluster;
mod input;
mod method;
mod output;
mod search;
mod sections;
mod templates;
mod view;

pub use cluster::ClusterArgs;
pub use input::InputArgs;
pub use method::{MethodArgs, SampleSize};
pub use output::{Format, OutputArgs, RunArgs};
pub use search::{ExportArgs, IndexArgs, SearchArgs};
pub use sections::{SectionsArgs, SectionsFormat};
pub use templates::{ExportRulesArgs, RulesFormat, TemplatesArgs, TemplatesVerb};
pub use view::ViewArgs;

use std::path::PathBuf;

use clap::{Args as Flags, Parser, Subcommand};

/// Takes web pages out of their moulds: learns the template that the pages of a site share, and
/// strips it.
#[derive(Parser, Debug)]
#[command(name = "unmold", version, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
#[allow(clippy::large_enum_variant, reason = "one value in the life of the program")]
pub enum Command {
    /// Learn each site's template from a sample of its pages and strip it from all of them
    Clean(CleanArgs),
    /// Learn the templates and write them to a file
    Learn(LearnArgs),
    /// Strip pages with templates learned before
    Strip(StripArgs),
    /// Say which pages share a template
    Cluster(ClusterArgs),
    /// Show a page or a template file
    Show(ShowArgs),
    /// List, show, export and remove the templates of a store
    Templates(TemplatesArgs),
    /// Write the template as CSS selectors and XPaths, for other tools
    ExportRules(ExportRulesArgs),
    /// Cut pages into sections and say how important each is
    Sections(SectionsArgs),
    /// Build a search index of pages without their templates (needs the feature `search`)
    Index(IndexArgs),
    /// Search such an index
    Search(SearchArgs),
    /// Write pages without their templates for another search engine
    Export(ExportArgs),
    /// See in a browser what is template, and correct it (needs the feature `view`)
    View(ViewArgs),
    /// Print a completion script for a shell
    Completions(CompletionArgs),
    /// Print the manual page
    Man,
}

#[derive(Flags, Debug)]
pub struct CleanArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct LearnArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// File to write the templates to (compressed if it ends in .zst), or a store of many sites
    /// that keeps old versions (if it ends in .db)
    #[arg(short, long, value_name = "FILE")]
    pub template: PathBuf,
    /// Learn only the sites that have no template in the file yet, or whose pages no longer fit
    /// theirs
    #[arg(long)]
    pub update: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct StripArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// File that `unmold learn` wrote
    #[arg(short, long, value_name = "FILE")]
    pub template: PathBuf,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct ShowArgs {
    /// A page, or a file that `unmold learn` wrote
    pub file: PathBuf,
    /// Templates to mark the page with
    #[arg(short, long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// Site of the page [default: the folder it lies in, or the only template of the file]
    #[arg(long, value_name = "NAME")]
    pub site: Option<String>,
    /// Say for each text why it stays or goes
    #[arg(long, requires = "template")]
    pub explain: bool,
}

#[derive(Flags, Debug)]
pub struct CompletionArgs {
    pub shell: clap_complete::Shell,
}

/// A flag whose value is a share.
fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("give a number from 0 to 1, such as 0.25".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_flags_are_consistent() {
        Args::command().debug_assert();
    }
}
