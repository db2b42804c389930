//! Arguments of `unmold templates` and `unmold export-rules`.

use std::path::PathBuf;

use clap::{Args as Flags, Subcommand, ValueEnum};

use super::help;
use super::input::InputArgs;
use super::method::{LEARNING_FLAGS, MethodArgs};
use super::output::RunArgs;

#[derive(Flags, Debug)]
pub struct TemplatesArgs {
    #[command(subcommand)]
    pub verb: TemplatesVerb,
}

#[derive(Subcommand, Debug)]
pub enum TemplatesVerb {
    /// List all sites with version, method, number of sampled pages and date
    #[command(after_long_help = help::TEMPLATES_LIST)]
    List {
        /// Store written by `unmold learn -t NAME.db`
        store: PathBuf,
        /// Include old versions
        #[arg(long)]
        all: bool,
    },
    /// Print the templates of a site, like `unmold show`
    #[command(after_long_help = help::TEMPLATES_SHOW)]
    Show {
        /// Store written by `unmold learn -t NAME.db`
        store: PathBuf,
        /// Name of the site
        site: String,
        /// Version to show [default: the newest]
        #[arg(long, value_name = "N")]
        version: Option<u32>,
    },
    /// Write templates to a file for `unmold strip`
    #[command(after_long_help = help::TEMPLATES_EXPORT)]
    Export {
        /// Store written by `unmold learn -t NAME.db`
        store: PathBuf,
        /// Export only these sites
        sites: Vec<String>,
        /// Write to this file [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Remove sites or versions
    #[command(after_long_help = help::TEMPLATES_RM)]
    Rm {
        /// Store written by `unmold learn -t NAME.db`
        store: PathBuf,
        /// Sites to remove
        sites: Vec<String>,
        /// Remove only this version
        #[arg(long, value_name = "N", requires = "sites")]
        version: Option<u32>,
        /// Remove all old versions of all sites
        #[arg(long, conflicts_with_all = ["sites", "version"], required_unless_present = "sites")]
        old: bool,
    },
}

#[derive(Flags, Debug)]
pub struct ExportRulesArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Template file written by `unmold learn` [default: learn from the input]
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with = "paper",
        conflicts_with_all = LEARNING_FLAGS
    )]
    pub template: Option<PathBuf>,
    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = RulesFormat::Table)]
    pub format: RulesFormat,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum RulesFormat {
    /// Table to read: each selector with its pages and the words it removes
    Table,
    /// One JSON record per site, with selectors, XPaths and page counts
    Json,
    /// One CSS selector per line
    Css,
    /// One XPath per line
    Xpath,
    /// List for trafilatura's `prune_xpath`
    Trafilatura,
    /// Value for crawl4ai's `excluded_selector`
    Crawl4ai,
    /// Site file for ftr-site-config
    Ftr,
}
