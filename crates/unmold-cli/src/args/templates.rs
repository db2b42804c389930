//! `unmold templates` and `unmold export-rules`.

use std::path::PathBuf;

use clap::{Args as Flags, Subcommand, ValueEnum};

use super::{InputArgs, MethodArgs, RunArgs};

#[derive(Flags, Debug)]
pub struct TemplatesArgs {
    #[command(subcommand)]
    pub verb: TemplatesVerb,
}

#[derive(Subcommand, Debug)]
pub enum TemplatesVerb {
    /// List the sites: version, method, pages learned from, when
    List {
        /// The store that `unmold learn -t NAME.db` wrote
        store: PathBuf,
        /// Old versions, too
        #[arg(long)]
        all: bool,
    },
    /// Show the templates of a site, as `unmold show` does
    Show {
        /// The store
        store: PathBuf,
        /// The site
        site: String,
        /// Another version than the newest
        #[arg(long, value_name = "N")]
        version: Option<u32>,
    },
    /// Write templates to a file that `unmold strip` reads
    Export {
        /// The store
        store: PathBuf,
        /// Only these sites
        sites: Vec<String>,
        /// The file [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Remove sites, or versions
    Rm {
        /// The store
        store: PathBuf,
        /// The sites
        sites: Vec<String>,
        /// Only this version of them
        #[arg(long, value_name = "N", requires = "sites")]
        version: Option<u32>,
        /// All old versions of all sites
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
    /// File that `unmold learn` wrote [default: learn from the input]
    #[arg(short, long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// File to write to [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// What to write
    #[arg(short, long, value_enum, default_value_t = RulesFormat::Table)]
    pub format: RulesFormat,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum RulesFormat {
    /// For people: each selector with the pages that have it and the words it takes
    Table,
    /// One record per site, with selectors, XPaths and supports
    Json,
    /// CSS selectors, one on a line
    Css,
    /// XPaths, one on a line
    Xpath,
    /// A list for `prune_xpath` of trafilatura
    Trafilatura,
    /// A value for `excluded_selector` of crawl4ai
    Crawl4ai,
    /// A site's file of ftr-site-config
    Ftr,
}
