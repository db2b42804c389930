//! The command line: flags, help texts, and their conversion to the options of other modules.

mod cluster;
mod help;
mod input;
mod method;
mod output;
mod parse;
mod records;
#[cfg(test)]
mod reference;
mod search;
mod sections;
mod teach;
mod templates;
mod view;

pub use cluster::ClusterArgs;
pub use input::InputArgs;
pub use method::MethodArgs;
pub use output::{OutputArgs, RunArgs};
pub use records::{ColumnsArgs, RecordsArgs};
#[cfg(feature = "search")]
pub use search::EngineName;
pub use search::{ExportArgs, IndexArgs, SearchArgs};
pub use sections::{SectionsArgs, SectionsFormat};
pub use teach::{PlanArgs, TeachArgs, TeachVerb};
pub use templates::{ExportRulesArgs, RulesFormat, TemplatesArgs, TemplatesVerb};
pub use view::ViewArgs;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args as Flags, Parser, Subcommand};
use unmold::sections::Sectioning;

use crate::stripping::StripOptions;

/// Removes the boilerplate that a site's pages share
///
/// unmold learns the template of each site from a sample of its pages and strips it from all of
/// them.
#[derive(Parser, Debug)]
#[command(name = "unmold", version, max_term_width = 100, after_long_help = help::UNMOLD)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
#[allow(clippy::large_enum_variant, reason = "created once per run")]
pub enum Command {
    /// Learn each site's template from a sample of its pages and strip it from all of them
    #[command(after_long_help = help::CLEAN)]
    Clean(CleanArgs),
    /// Learn templates and write them to a file
    #[command(after_long_help = help::LEARN)]
    Learn(LearnArgs),
    /// Strip pages with templates learned earlier
    #[command(after_long_help = help::STRIP)]
    Strip(StripArgs),
    /// Find the pages that are worth labelling
    #[command(after_long_help = help::TEACH)]
    Teach(TeachArgs),
    /// Group the pages that share a template
    #[command(after_long_help = help::CLUSTER)]
    Cluster(ClusterArgs),
    /// Print the tree of a page or the contents of a template file
    #[command(after_long_help = help::SHOW)]
    Show(ShowArgs),
    /// List, show, export and remove the templates in a store
    #[command(after_long_help = help::TEMPLATES)]
    Templates(TemplatesArgs),
    /// Write a template as CSS selectors or XPaths for other tools
    #[command(after_long_help = help::EXPORT_RULES)]
    ExportRules(ExportRulesArgs),
    /// Split pages into sections and rate the importance of each
    #[command(after_long_help = help::SECTIONS)]
    Sections(SectionsArgs),
    /// Turn the pages of each kind into a table with typed columns, without labels
    #[command(after_long_help = help::RECORDS)]
    Records(RecordsArgs),
    /// List and correct the columns of the tables in a template file
    #[command(after_long_help = help::COLUMNS)]
    Columns(ColumnsArgs),
    /// Build a search index of pages without their templates (requires the feature `search`)
    #[command(after_long_help = help::INDEX)]
    Index(IndexArgs),
    /// Search an index built by `unmold index` (requires the feature `search`)
    #[command(after_long_help = help::SEARCH)]
    Search(SearchArgs),
    /// Export pages without their templates to another search engine
    #[command(after_long_help = help::EXPORT)]
    Export(ExportArgs),
    /// Show template and content in a browser and correct them (requires the feature `view`)
    #[command(after_long_help = help::VIEW)]
    View(ViewArgs),
    /// Print a shell completion script
    #[command(after_long_help = help::COMPLETIONS)]
    Completions(CompletionArgs),
    /// Print a manual page, or write those of all commands
    #[command(after_long_help = help::MAN)]
    Man(ManArgs),
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
    /// Also learn the table that the pages of each kind make up, for `unmold records -t`
    ///
    /// Learns a template for each cluster of pages unless --no-cluster is given.
    #[arg(long)]
    pub records: bool,
    /// Also learn from labels of some pages: one JSON object a line with the page's `id` and the
    /// wanted `text`, or numbers of blocks or selectors to `keep` and `drop`
    ///
    /// `unmold teach plan` says which pages to label. docs/teaching.md describes the file.
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Write what became of the labels to this file: coverage, agreement, contradictions
    #[arg(long, value_name = "FILE", requires = "labels")]
    pub labels_report: Option<PathBuf>,
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
    pub fn options(&self) -> Result<StripOptions> {
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

#[derive(Flags, Debug)]
pub struct ManArgs {
    /// Command to describe [default: unmold itself]
    pub command: Option<String>,
    /// Write one page for each command to this folder
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    pub output: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_command_has_examples_and_exit_codes() {
        let mut commands = vec![Args::command()];
        while let Some(command) = commands.pop() {
            commands
                .extend(command.get_subcommands().filter(|sub| sub.get_name() != "help").cloned());
            let help = command.clone().render_long_help().to_string();
            let name = command.get_name();
            for part in ["Examples:\n  unmold ", "Exit codes:\n  0  "] {
                assert!(help.contains(part), "`unmold {name} --help` has no {part:?}");
            }
        }
    }

    #[test]
    fn flags_that_would_be_ignored_are_errors() {
        let check = |flags: &str| {
            let words = ["unmold", "clean", "site"].into_iter().chain(flags.split_whitespace());
            match Args::try_parse_from(words).expect("valid flags").command {
                Command::Clean(args) => args.method.options().map(drop),
                _ => unreachable!(),
            }
        };
        assert!(check("").is_ok() && check("--keep article").is_ok());
        let error = check("--method alignment --keep main").expect_err("ignored").to_string();
        assert!(error.contains("--keep means nothing to --method alignment"), "{error}");
        let words = "unmold sections site -t t.json --method alignment".split(' ');
        assert!(Args::try_parse_from(words).is_err());
    }

    #[test]
    fn command_line_definition_is_valid() {
        Args::command().debug_assert();
    }
}
