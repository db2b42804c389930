//! How templates are learned: the same for every command that learns.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as Flags, ValueEnum};
use unmold::methods::Threshold;
use unmold::{Keep, MethodName, Settings};

#[derive(Flags, Debug)]
pub struct MethodArgs {
    /// How the template is learned
    #[arg(long, value_name = "METHOD", default_value_t, value_parser = method_parser())]
    pub method: MethodName,
    /// auto: what of a page is kept
    #[arg(long, value_enum, default_value_t = KeepName::Main)]
    pub keep: KeepName,
    /// Use the settings of the method's paper
    #[arg(long)]
    pub paper: bool,
    /// Pages of each site to learn from, of all patterns of address: a number, or `all` to count
    /// the whole site
    #[arg(long, value_name = "N", default_value = "100")]
    pub sample: SampleSize,
    /// Draws another sample
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// Learn a template for each cluster of pages [default for alignment, tree-mapping and
    /// page-clusters]
    #[arg(long, overrides_with = "no_cluster")]
    pub cluster: bool,
    /// Learn one template for the whole site [default for chunk-frequency]
    #[arg(long, overrides_with = "cluster")]
    pub no_cluster: bool,
    /// chunk-frequency: a chunk on more pages than this is template; a number of pages, or a share
    /// such as 30%
    #[arg(long, value_name = "PAGES", value_parser = parse_threshold)]
    pub threshold: Option<Threshold>,
}

/// Accepts the names of the library's methods.
fn method_parser() -> impl TypedValueParser<Value = MethodName> {
    let value = |method: &MethodName| PossibleValue::new(method.name()).help(method.summary());
    PossibleValuesParser::new(MethodName::ALL.iter().map(value))
        .try_map(|name| name.parse::<MethodName>())
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeepName {
    /// Everything but the template: nothing that is unique is lost
    AllUnique,
    /// The main content, comments included
    Main,
    /// The main content, in doubt without it
    Article,
}

impl From<KeepName> for Keep {
    fn from(name: KeepName) -> Keep {
        match name {
            KeepName::AllUnique => Keep::AllUnique,
            KeepName::Main => Keep::Main,
            KeepName::Article => Keep::Article,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleSize {
    Pages(usize),
    All,
}

impl std::str::FromStr for SampleSize {
    type Err = String;

    fn from_str(text: &str) -> Result<SampleSize, String> {
        match text {
            "all" => Ok(SampleSize::All),
            _ => match text.parse() {
                Ok(pages) if pages >= 2 => Ok(SampleSize::Pages(pages)),
                _ => Err("give a number of at least 2, or `all`".to_owned()),
            },
        }
    }
}

fn parse_threshold(text: &str) -> Result<Threshold, String> {
    let wrong = || "give a number of pages such as 4, or a share such as 30%".to_owned();
    match text.strip_suffix('%') {
        Some(percent) => match percent.parse::<f64>() {
            Ok(percent) if (0.0..=100.0).contains(&percent) => {
                Ok(Threshold::Share(percent / 100.0))
            }
            _ => Err(wrong()),
        },
        None => text.parse().map(Threshold::Pages).map_err(|_| wrong()),
    }
}

impl MethodArgs {
    /// The settings that these flags ask for.
    pub fn settings(&self) -> Settings {
        Settings::default()
            .with_method(self.method)
            .with_keep(self.keep.into())
            .with_paper(self.paper)
            .with_seed(self.seed)
            .with_threshold(self.threshold)
            .with_cluster((self.cluster || self.no_cluster).then_some(self.cluster))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_pages_or_shares() {
        assert_eq!(parse_threshold("4"), Ok(Threshold::Pages(4)));
        assert_eq!(parse_threshold("30%"), Ok(Threshold::Share(0.3)));
        for wrong in ["", "-1", "x", "130%", "%"] {
            assert!(parse_threshold(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_sample_has_at_least_two_pages() {
        assert_eq!("all".parse(), Ok(SampleSize::All));
        assert_eq!("24".parse(), Ok(SampleSize::Pages(24)));
        assert!("1".parse::<SampleSize>().is_err());
    }
}
