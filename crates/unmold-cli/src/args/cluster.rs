//! Arguments of `unmold cluster`.

use std::path::PathBuf;

use clap::{Args as Flags, ValueEnum};
use unmold::cluster::{Algorithm, Clustering, Essential, PathMode};

use super::input::InputArgs;
use super::output::RunArgs;

#[derive(Flags, Debug)]
pub struct ClusterArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub clustering: ClusteringArgs,
    /// Write each page's cluster to this file as JSONL; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Assign pages to the clusters in this template file, written by `unmold learn`
    ///
    /// Pages that fit none of them are clustered on their own once there are more than 50 and they
    /// are more than 2 % of the site.
    #[arg(short, long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct ClusteringArgs {
    /// Use the paper's settings: --paths tags-text --essential mode --join 2 --min-cluster-pages 1
    /// --no-repair --no-polish, without a limit on the pages clustered; other flags change them
    #[arg(long)]
    pub paper: bool,
    /// Algorithm that chooses which clusters to merge [default: max]
    #[arg(long, value_enum)]
    pub algorithm: Option<AlgorithmName>,
    /// Features of the pages to compare [default: tags-words]
    #[arg(long, value_enum)]
    pub paths: Option<PathsName>,
    /// Paths on at least N pages are essential; `mode` applies the paper's rule [default: 3]
    #[arg(long, value_name = "N")]
    pub essential: Option<EssentialRule>,
    /// Join two clusters if one template contains at least this share of the other's paths, for
    /// example 0.99; a value above 1 joins none [default: 0.99]
    #[arg(long, value_name = "SHARE")]
    pub join: Option<f64>,
    /// Attach clusters of fewer pages to the most similar one, or leave their pages unclustered
    /// [default: 3]
    #[arg(long, value_name = "N")]
    pub min_cluster_pages: Option<usize>,
    /// Leave clusters alone that have lost all candidates to merge with, as in the paper
    #[arg(long)]
    pub no_repair: bool,
    /// End without trying all pairs of the clusters that are left, as in the paper
    #[arg(long)]
    pub no_polish: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlgorithmName {
    /// Best pair overall, by exact cost
    Mdl,
    /// Best pair overall, by estimated cost
    Hash,
    /// Best pair among the most similar clusters (Jaccard)
    Max,
    /// Best pair among the most similar clusters (Dice)
    Dicemax,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathsName {
    /// Element names
    Tags,
    /// Element names and texts
    TagsText,
    /// Element names and classes
    TagsClass,
    /// Element names, classes and other attributes that describe their purpose
    TagsAttributes,
    /// Element names and each word of their classes and of these attributes
    TagsWords,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EssentialRule(pub Essential);

impl std::str::FromStr for EssentialRule {
    type Err = String;

    fn from_str(text: &str) -> Result<EssentialRule, String> {
        match (text, text.parse()) {
            ("mode", _) => Ok(EssentialRule(Essential::Mode { min_support: 1 })),
            (_, Ok(pages)) if pages >= 1 => Ok(EssentialRule(Essential::Support { pages })),
            _ => Err("expected a number of pages, such as 3, or `mode`".to_owned()),
        }
    }
}

impl ClusteringArgs {
    pub fn settings(&self) -> Clustering {
        let base = if self.paper { Clustering::paper() } else { Clustering::default() };
        Clustering {
            algorithm: self.algorithm.map_or(base.algorithm, AlgorithmName::algorithm),
            paths: self.paths.map_or(base.paths, PathsName::mode),
            essential: self.essential.map_or(base.essential, |rule| rule.0),
            join: self.join.map_or(base.join, |share| Some(share).filter(|&share| share <= 1.0)),
            min_pages: self.min_cluster_pages.unwrap_or(base.min_pages),
            repair: base.repair && !self.no_repair,
            polish: base.polish && !self.no_polish,
            ..base
        }
    }
}

impl PathsName {
    fn mode(self) -> PathMode {
        match self {
            PathsName::Tags => PathMode::Tags,
            PathsName::TagsText => PathMode::TagsText,
            PathsName::TagsClass => PathMode::TagsClass,
            PathsName::TagsAttributes => PathMode::TagsAttributes,
            PathsName::TagsWords => PathMode::TagsWords,
        }
    }
}

impl AlgorithmName {
    pub fn algorithm(self) -> Algorithm {
        match self {
            AlgorithmName::Mdl => Algorithm::Mdl,
            AlgorithmName::Hash => Algorithm::Hash,
            AlgorithmName::Max => Algorithm::Max,
            AlgorithmName::Dicemax => Algorithm::DiceMax,
        }
    }
}
