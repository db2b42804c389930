//! `unmold-lab eval`.

use std::path::PathBuf;

use clap::Args as Flags;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use unmold_lab::eval::contender::ContenderName;

use super::clustering::ClusteringArgs;

#[derive(Flags, Debug)]
pub struct EvalArgs {
    /// Folders with labelled sets: SITE/pages/** and SITE/gold.jsonl up to two levels down, or a
    /// layout that --sets names
    #[arg(required = true)]
    pub folders: Vec<PathBuf>,
    /// What to score [default: all; for experiments, all but the papers' settings]
    #[arg(long, value_name = "NAME", value_parser = contender_parser())]
    pub method: Vec<ContenderName>,
    /// Run this experiment (see --list) [default: scores]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["curve", "json"])]
    pub experiment: Vec<String>,
    /// Run all experiments
    #[arg(long, conflicts_with_all = ["experiment", "curve", "json"])]
    pub all: bool,
    /// Write the experiments' report to this folder: report.html, results.json, times.json,
    /// results.md, plots
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Outputs of other tools to score beside ours: a folder of files that tools/peers.py wrote
    #[arg(long, value_name = "DIR")]
    pub peers: Option<PathBuf>,
    /// List the experiments, and the sets that are there or missing
    #[arg(long)]
    pub list: bool,
    /// A manifest of sets [default: the one built in]
    #[arg(long, value_name = "FILE")]
    pub sets: Option<PathBuf>,
    /// Compare with the floors of this file; fail if a score fell
    #[arg(long, value_name = "FILE", conflicts_with_all = ["experiment", "all", "curve", "sample"])]
    pub baseline: Option<PathBuf>,
    /// Raise the floors of the baseline to the scores reached, and add those it lacks
    #[arg(long, requires = "baseline")]
    pub pin: bool,
    /// With --pin: lower floors, too, and take over changed sets
    #[arg(long, requires = "pin")]
    pub allow_lower: bool,
    /// Write what each method leaves of each page to DIR/METHOD.jsonl, for other scorers. Holds
    /// text of the pages
    #[arg(long, value_name = "DIR")]
    pub save_outputs: Option<PathBuf>,
    /// Learn from the first N pages of each site and score the others
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// Draw those N pages, as learning draws them, instead of taking the first
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Draw them by chance alone, whatever the patterns of their addresses
    #[arg(long)]
    pub by_chance: bool,
    /// Learn a template for each type of page, from N pages of the type
    #[arg(long)]
    pub by_type: bool,
    /// Score with samples of these sizes, one after the other: the curve of the score against the
    /// pages learned from
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', conflicts_with_all = ["sample", "json"])]
    pub curve: Vec<usize>,
    /// Draw the curves of template F, and of the time, as SVG files NAME.svg and NAME-time.svg
    #[arg(long, value_name = "NAME", requires = "curve")]
    pub plot: Option<PathBuf>,
    /// Learn a template for each cluster of pages of a site
    #[arg(long)]
    pub clustered: bool,
    #[command(flatten)]
    pub clustering: ClusteringArgs,
    /// Instead of scores write every scored section, with what is known of it, as JSONL
    #[arg(long, value_name = "FILE")]
    pub each_section: Option<PathBuf>,
    /// Only sets of these names
    #[arg(long, value_name = "NAME")]
    pub set: Vec<String>,
    /// Also print the curve of each site
    #[arg(long, requires = "curve")]
    pub each_site: bool,
    /// Write all scores, each site's too, as JSON
    #[arg(long)]
    pub json: bool,
    /// Instead of scores write the features of every labelled block, from which the default's
    /// weights are fitted
    #[arg(long, value_name = "FILE")]
    pub export: Option<PathBuf>,
    /// Keep elements that are hidden by an attribute
    #[arg(long)]
    pub keep_hidden: bool,
    /// Runs of K-means in the clustering experiment
    #[arg(long, value_name = "N", default_value_t = 800)]
    pub runs: usize,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// No progress on standard error
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
