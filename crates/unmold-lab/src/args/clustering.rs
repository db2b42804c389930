//! How pages are clustered: the same flags as those of `unmold cluster`.

use clap::Args as Flags;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use unmold::cluster::{Algorithm, Clustering, Essential, PathMode};
use unmold_lab::eval::clusters::ALGORITHMS;

#[derive(Flags, Debug)]
pub struct ClusteringArgs {
    /// How clusters are merged
    #[arg(long, default_value = "max", value_parser = algorithm())]
    algorithm: Algorithm,
    /// What is compared: tags, tags-text, tags-class, tags-attributes or tags-words
    #[arg(long, default_value = "tags-words", value_parser = path_mode)]
    paths: PathMode,
    /// Which paths are essential: those on at least N pages, or `mode`, the paper's rule
    #[arg(long, value_name = "N", default_value = "3", value_parser = essential)]
    essential: Essential,
    /// Join clusters if the template of one has at least this share of the paths of the other's;
    /// above 1, never join
    #[arg(long, value_name = "SHARE", default_value_t = 0.99)]
    join: f64,
}

impl ClusteringArgs {
    pub fn settings(&self) -> Clustering {
        Clustering {
            algorithm: self.algorithm,
            paths: self.paths,
            essential: self.essential,
            join: Some(self.join).filter(|&share| share <= 1.0),
            ..Clustering::default()
        }
    }
}

fn algorithm() -> impl TypedValueParser<Value = Algorithm> {
    PossibleValuesParser::new(ALGORITHMS.map(|(name, _)| name)).map(|chosen| {
        let found = ALGORITHMS.iter().find(|(name, _)| *name == chosen);
        found.map_or_else(Algorithm::default, |(_, algorithm)| *algorithm)
    })
}

fn path_mode(text: &str) -> Result<PathMode, serde::de::value::Error> {
    PathMode::deserialize(text.into_deserializer())
}

fn essential(text: &str) -> Result<Essential, String> {
    match (text, text.parse()) {
        ("mode", _) => Ok(Essential::Mode { min_support: 1 }),
        (_, Ok(pages)) if pages >= 1 => Ok(Essential::Support { pages }),
        _ => Err("give a number of pages, or `mode`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_library() {
        assert_eq!(path_mode("tags-class"), Ok(PathMode::TagsClass));
        assert!(path_mode("nothing").is_err());
        assert_eq!(essential("4"), Ok(Essential::Support { pages: 4 }));
        assert_eq!(essential("mode"), Ok(Essential::Mode { min_support: 1 }));
        assert!(essential("0").is_err() && essential("x").is_err());
    }
}
