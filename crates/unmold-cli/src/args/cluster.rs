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
    /// Algorithm that chooses which clusters to merge
    #[arg(long, value_enum, default_value_t = AlgorithmName::Max)]
    pub algorithm: AlgorithmName,
    /// Features of the pages to compare
    #[arg(long, value_enum, default_value_t = PathsName::TagsWords)]
    pub paths: PathsName,
    /// Paths on at least N pages are essential; `mode` applies the paper's rule
    #[arg(long, value_name = "N", default_value = "3")]
    pub essential: EssentialRule,
    /// Join two clusters if one template contains at least this share of the other's paths, for
    /// example 0.99; a value above 1 joins none
    #[arg(long, value_name = "SHARE", default_value_t = 0.99)]
    pub join: f64,
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
