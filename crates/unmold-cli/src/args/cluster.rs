//! `unmold cluster`, and how pages are clustered.

use std::path::PathBuf;

use clap::{Args as Flags, ValueEnum};
use unmold::cluster::{Algorithm, Clustering, Essential, PathMode};

use super::{InputArgs, RunArgs};

#[derive(Flags, Debug)]
pub struct ClusterArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub clustering: ClusteringArgs,
    /// Write a record for each page, with its cluster, as JSONL (- is standard output)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Keep the clusters of a file that `unmold learn` wrote, and put each page into the one it
    /// fits. Pages that fit none are clustered once there are more than 50 of them and more than 2
    /// % of the site's
    #[arg(short, long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Flags, Debug)]
pub struct ClusteringArgs {
    /// How clusters are merged
    #[arg(long, value_enum, default_value_t = AlgorithmName::Max)]
    pub algorithm: AlgorithmName,
    /// What of a page is compared
    #[arg(long, value_enum, default_value_t = PathsName::TagsWords)]
    pub paths: PathsName,
    /// Which paths are essential: those on at least N pages, or `mode`, the paper's rule
    #[arg(long, value_name = "N", default_value = "3")]
    pub essential: EssentialRule,
    /// Join clusters if the template of one has at least this share of the paths of the other's;
    /// more than 1 joins none
    #[arg(long, value_name = "SHARE", default_value_t = 0.99)]
    pub join: f64,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlgorithmName {
    /// Best pair of all by exact cost
    Mdl,
    /// Best pair of all by estimated cost
    Hash,
    /// Best pair of most similar clusters (Jaccard)
    Max,
    /// Best pair of most similar clusters (Dice)
    Dicemax,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathsName {
    /// Names of elements
    Tags,
    /// Names of elements, and texts
    TagsText,
    /// Names and classes of elements
    TagsClass,
    /// Names and classes of elements, and the other attributes that say what they are for
    TagsAttributes,
    /// Names of elements, and each word of their classes and of these attributes
    TagsWords,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EssentialRule(pub Essential);

impl std::str::FromStr for EssentialRule {
    type Err = String;

    fn from_str(text: &str) -> Result<EssentialRule, String> {
        match (text, text.parse()) {
            ("mode", _) => Ok(EssentialRule(Essential::Mode { least_support: 1 })),
            (_, Ok(pages)) if pages >= 1 => Ok(EssentialRule(Essential::Support { pages })),
            _ => Err("give a number of pages, or `mode`".to_owned()),
        }
    }
}

impl ClusteringArgs {
    pub fn settings(&self) -> Clustering {
        Clustering {
            algorithm: self.algorithm.algorithm(),
            paths: match self.paths {
                PathsName::Tags => PathMode::Tags,
                PathsName::TagsText => PathMode::TagsText,
                PathsName::TagsClass => PathMode::TagsClass,
                PathsName::TagsAttributes => PathMode::TagsAttributes,
                PathsName::TagsWords => PathMode::TagsWords,
            },
            essential: self.essential.0,
            join: Some(self.join).filter(|&share| share <= 1.0),
            ..Clustering::default()
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
