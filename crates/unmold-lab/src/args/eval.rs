//! `unmold-lab eval`.

use std::path::PathBuf;

use clap::Args as Flags;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use unmold_lab::eval::contender::ContenderName;

use super::clustering::ClusteringArgs;

#[derive(Flags, Debug)]
pub struct EvalArgs {
    /// Folders with labelled sets: SITE/pages/** and SITE/gold.jsonl up to two levels down, or a
    /// layout named in --sets
    #[arg(required = true)]
    pub folders: Vec<PathBuf>,
    /// Method to score [default: all, each with our settings and with its paper's]
    #[arg(long, value_name = "NAME", value_parser = contender_parser())]
    pub method: Vec<ContenderName>,
    /// Run this experiment (see --list) [default: scores]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["curve", "json"])]
    pub experiment: Vec<String>,
    /// With --experiment guards: a file of guards that are known to be broken, as `SET PAGES`, one
    /// a line; fail if another one is
    #[arg(long, value_name = "FILE", requires = "experiment")]
    pub known_broken: Option<PathBuf>,
    /// Run all experiments
    #[arg(long, conflicts_with_all = ["experiment", "curve", "json"])]
    pub all: bool,
    /// Write the experiments' report to this folder: report.html, results.json, times.json,
    /// results.md, plots
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Also score outputs of other tools: a folder of files written by tools/peers.py
    #[arg(long, value_name = "DIR")]
    pub peers: Option<PathBuf>,
    /// List the experiments, and the sets that are found or missing
    #[arg(long)]
    pub list: bool,
    /// Manifest of sets [default: built in]
    #[arg(long, value_name = "FILE")]
    pub sets: Option<PathBuf>,
    /// Compare with the floors in this file; fail if a score is below its floor
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["experiment", "all", "curve", "sample"]
    )]
    pub baseline: Option<PathBuf>,
    /// Raise the floors to the scores reached, and add missing floors
    #[arg(long, requires = "baseline")]
    pub pin: bool,
    /// With --pin: also lower floors, and accept changed sets
    #[arg(long, requires = "pin")]
    pub allow_lower: bool,
    /// Write the output of each method for each page to DIR/METHOD.jsonl, for other scorers. The
    /// files contain text of the pages
    #[arg(long, value_name = "DIR")]
    pub save_outputs: Option<PathBuf>,
    /// Learn from the first N pages of each site and score the others
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// With --sample: draw the pages with this seed, as learning does, instead of taking the first
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Draw by chance alone, regardless of address patterns
    #[arg(long)]
    pub by_chance: bool,
    /// Learn a template for each page type, from N pages of the type
    #[arg(long)]
    pub by_type: bool,
    /// Score with samples of each of these sizes: the learning curve
    #[arg(
        long,
        value_name = "N,N,…",
        value_delimiter = ',',
        conflicts_with_all = ["sample", "json"]
    )]
    pub curve: Vec<usize>,
    /// Draw the curves of template F and of the time as NAME.svg and NAME-time.svg
    #[arg(long, value_name = "NAME", requires = "curve")]
    pub plot: Option<PathBuf>,
    /// Learn a template for each cluster of pages of a site
    #[arg(long)]
    pub clustered: bool,
    #[command(flatten)]
    pub clustering: ClusteringArgs,
    /// Write every scored section with all its measurements as JSONL, instead of scores
    #[arg(long, value_name = "FILE")]
    pub each_section: Option<PathBuf>,
    /// Use only the sets with these names
    #[arg(long, value_name = "NAME")]
    pub set: Vec<String>,
    /// Also print the curve of each site
    #[arg(long, requires = "curve")]
    pub each_site: bool,
    /// Write all scores, including those of each site, as JSON
    #[arg(long)]
    pub json: bool,
    /// Write the features of every labelled block, to fit the weights of the default, instead of
    /// scores
    #[arg(long, value_name = "FILE")]
    pub export: Option<PathBuf>,
    /// Keep elements hidden by an attribute
    #[arg(long)]
    pub keep_hidden: bool,
    /// Number of runs of K-means
    #[arg(long, value_name = "N", default_value_t = 800)]
    pub runs: usize,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Show no progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

/// Accepts the names of baselines and methods.
fn contender_parser() -> impl TypedValueParser<Value = ContenderName> {
    let names = ContenderName::all().into_iter().map(|name| PossibleValue::new(name.name()));
    PossibleValuesParser::new(names).map(|name| {
        let found = ContenderName::all().into_iter().find(|known| known.name() == name);
        found.expect("only names of contenders are accepted")
    })
}
