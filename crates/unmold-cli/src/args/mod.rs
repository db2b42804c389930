//! The command line: flags, help texts, and their conversion to the options of other modules.

mod cluster;
mod input;
mod method;
mod output;
mod parse;
mod search;
mod sections;
mod templates;
mod view;

pub use cluster::ClusterArgs;
pub use input::InputArgs;
pub use method::MethodArgs;
pub use output::{OutputArgs, RunArgs};
pub use search::{ExportArgs, IndexArgs, SearchArgs};
pub use sections::{SectionsArgs, SectionsFormat};
pub use templates::{ExportRulesArgs, RulesFormat, TemplatesArgs, TemplatesVerb};
pub use view::ViewArgs;

use std::path::PathBuf;

use clap::{Args as Flags, Parser, Subcommand};
use unmold::sections::Sectioning;

use crate::stripping::StripOptions;

/// Removes the boilerplate that a site's pages share
///
/// unmold learns the template of each site from a sample of its pages and strips it from all of
/// them.
#[derive(Parser, Debug)]
#[command(name = "unmold", version, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
#[allow(clippy::large_enum_variant, reason = "created once per run")]
pub enum Command {
    /// Learn each site's template from a sample of its pages and strip it from all of them
    Clean(CleanArgs),
    /// Learn templates and write them to a file
    Learn(LearnArgs),
    /// Strip pages with templates learned earlier
    Strip(StripArgs),
    /// Group the pages that share a template
    Cluster(ClusterArgs),
    /// Print the tree of a page or the contents of a template file
    Show(ShowArgs),
    /// List, show, export and remove the templates in a store
    Templates(TemplatesArgs),
    /// Write a template as CSS selectors or XPaths for other tools
    ExportRules(ExportRulesArgs),
    /// Split pages into sections and rate the importance of each
    Sections(SectionsArgs),
    /// Build a search index of pages without their templates (requires the feature `search`)
    Index(IndexArgs),
    /// Search an index built by `unmold index` (requires the feature `search`)
    Search(SearchArgs),
    /// Export pages without their templates to another search engine
    Export(ExportArgs),
    /// Show template and content in a browser and correct them (requires the feature `view`)
    View(ViewArgs),
    /// Print a shell completion script
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
    /// Write the templates to this file
    ///
    /// A name ending in .zst is compressed. A name ending in .db is a store, which holds many
    /// sites and keeps old versions.
    #[arg(short, long, value_name = "FILE")]
    pub template: PathBuf,
    /// Learn only sites that have no template yet or whose pages no longer fit it
    #[arg(long)]
    pub update: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct StripArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Template file or store written by `unmold learn`
    #[arg(short, long, value_name = "FILE")]
    pub template: PathBuf,
    /// Cut pages into sections as in the paper about them
    #[arg(long, requires = "min_importance")]
    pub paper: bool,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

impl StripArgs {
    pub fn options(&self) -> StripOptions {
        let paper = self.paper;
        self.output.options(if paper { Sectioning::paper() } else { Sectioning::default() })
    }
}

#[derive(Flags, Debug)]
pub struct ShowArgs {
    /// An HTML page, or a template file written by `unmold learn`
    pub file: PathBuf,
    /// Mark the page with the templates in this file
    #[arg(short, long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// Site of the page [default: name of its folder, or the only site in the template file]
    #[arg(long, value_name = "NAME")]
    pub site: Option<String>,
    /// Explain why each text is kept or removed
    #[arg(long, requires = "template")]
    pub explain: bool,
}

#[derive(Flags, Debug)]
pub struct CompletionArgs {
    pub shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn command_line_definition_is_valid() {
        Args::command().debug_assert();
    }
}
