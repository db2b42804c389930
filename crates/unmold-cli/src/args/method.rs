//! Flags that say how templates are learned, shared by all commands that learn.

use anyhow::{Result, anyhow, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as Flags, ValueEnum};
use unmold::methods::Threshold;
use unmold::sections::Sectioning;
use unmold::site::SampleBudget;
use unmold::{Keep, MethodName, PageKind, Settings, SettingsError};

use super::cluster::AlgorithmName;
use crate::learning::LearnOptions;
use crate::sampling::SampleSize;

/// Flags that mean nothing if templates are read instead of learned. `--paper` is one more, except
/// where pages are cut into sections.
pub const LEARNING_FLAGS: [&str; 8] =
    ["method", "keep", "kind", "pages", "cluster", "no_cluster", "threshold", "algorithm"];

#[derive(Flags, Debug)]
pub struct MethodArgs {
    /// Method that learns the template [default: auto]
    #[arg(long, value_name = "METHOD", value_parser = method_parser())]
    pub method: Option<MethodName>,
    /// What to keep of each page (only with --method auto) [default: main]
    #[arg(long, value_enum)]
    pub keep: Option<KeepName>,
    /// What kind of pages they are (only with --method auto) [default: found for each page]
    ///
    /// What is content depends on it. Records say in `kind` what was found.
    #[arg(long, value_name = "KIND", value_parser = kind_parser())]
    pub kind: Option<PageKind>,
    /// Use the settings from the paper that describes the method
    ///
    /// `sections` and --min-importance use those for sections, too, and --method tree-pattern
    /// unless another one is given.
    #[arg(long)]
    pub paper: bool,
    /// Learn from this many pages of each site, for example 24, or from `all` pages
    ///
    /// The sample covers all URL patterns of the site.
    #[arg(long, value_name = "N", default_value = "100", value_parser = parse_sample)]
    pub sample: SampleSize,
    /// Maximum memory for the sampled pages of a site, in bytes
    ///
    /// A site that needs more is learned from fewer pages, and its pages are flagged `over_budget`.
    #[arg(long, value_name = "BYTES", default_value_t = SampleBudget::DEFAULT_BYTES)]
    pub max_sample_bytes: usize,
    /// Learn from at most this many pages of the sample, or of each cluster in it (only with
    /// --method alignment [default: 16], tree-mapping [default: 25] and tree-pattern [default: 24])
    ///
    /// The papers call it t, MaxPages and k. A sample smaller than this is enlarged.
    #[arg(long, value_name = "N", value_parser = parse_pages)]
    pub pages: Option<usize>,
    /// Seed of the sample; another seed draws other pages
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// Learn one template for each cluster of pages [default for alignment, tree-mapping and
    /// page-clusters]
    #[arg(long, overrides_with = "no_cluster")]
    pub cluster: bool,
    /// Learn one template for the whole site [default for chunk-frequency]
    #[arg(long, overrides_with = "cluster")]
    pub no_cluster: bool,
    /// Algorithm that finds the clusters [default: max]
    #[arg(long, value_enum)]
    pub algorithm: Option<AlgorithmName>,
    /// Treat chunks on more pages than this as template, for example 4 or 30% (only with --method
    /// chunk-frequency)
    #[arg(long, value_name = "PAGES", value_parser = parse_threshold)]
    pub threshold: Option<Threshold>,
}

/// Accepts the names of the library's methods.
fn method_parser() -> impl TypedValueParser<Value = MethodName> {
    let value = |method: &MethodName| PossibleValue::new(method.name()).help(method.summary());
    PossibleValuesParser::new(MethodName::ALL.iter().map(value))
        .try_map(|name| name.parse::<MethodName>())
}

/// Accepts the names of the kinds of pages.
fn kind_parser() -> impl TypedValueParser<Value = PageKind> {
    PossibleValuesParser::new(PageKind::ALL.map(PageKind::name))
        .try_map(|name| PageKind::named(&name).ok_or("no kind of page"))
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeepName {
    /// Everything but the template; keeps all unique text
    AllUnique,
    /// Main content with comments
    Main,
    /// Main content; drops borderline blocks
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

fn parse_sample(text: &str) -> Result<SampleSize, String> {
    match (text, text.parse()) {
        ("all", _) => Ok(SampleSize::All),
        (_, Ok(pages)) if pages >= 2 => Ok(SampleSize::Pages(pages)),
        _ => Err("expected a number of at least 2, or `all`".to_owned()),
    }
}

fn parse_pages(text: &str) -> Result<usize, String> {
    let pages = text.parse().ok().filter(|&pages| pages >= 2);
    pages.ok_or_else(|| "expected a number of at least 2".to_owned())
}

fn parse_threshold(text: &str) -> Result<Threshold, String> {
    let wrong = || "expected a number of pages, such as 4, or a percentage, such as 30%".to_owned();
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
    /// The settings for texts.
    pub fn options(&self) -> Result<LearnOptions> {
        self.options_of(self.method.unwrap_or_default())
    }

    /// The settings for sections: with --paper, the method is that of the paper about sections.
    pub fn options_for_sections(&self) -> Result<LearnOptions> {
        let default = if self.paper { MethodName::TreePattern } else { MethodName::default() };
        self.options_of(self.method.unwrap_or(default))
    }

    /// How pages are cut into sections.
    pub fn sectioning(&self) -> Sectioning {
        if self.paper { Sectioning::paper() } else { Sectioning::default() }
    }

    fn options_of(&self, method: MethodName) -> Result<LearnOptions> {
        if self.keep.is_some() && method != MethodName::Auto {
            bail!("--keep means nothing to --method {method}, only to --method auto");
        }
        if self.kind.is_some() && method != MethodName::Auto {
            bail!("--kind means nothing to --method {method}, only to --method auto");
        }
        let settings = Settings::default()
            .with_method(method)
            .with_keep(self.keep.map(Keep::from).unwrap_or_default())
            .with_kind(self.kind)
            .with_paper(self.paper)
            .with_seed(self.seed)
            .with_pages(self.pages)
            .with_threshold(self.threshold)
            .with_cluster((self.cluster || self.no_cluster).then_some(self.cluster))
            .with_algorithm(self.algorithm.map(AlgorithmName::algorithm));
        settings.check().map_err(|error| anyhow!("{}: {error}", flag_of(&error)))?;
        let sample = match (self.sample, self.pages) {
            (SampleSize::Pages(sample), Some(pages)) => SampleSize::Pages(sample.max(pages)),
            (sample, _) => sample,
        };
        let max_sample_bytes = self.max_sample_bytes;
        Ok(LearnOptions { settings, sample, max_sample_bytes, records: false, labels: None })
    }
}

/// The flag that an error is about.
fn flag_of(error: &SettingsError) -> &'static str {
    match error {
        SettingsError::NoPaper { .. } => "--paper",
        SettingsError::NoLimit { .. } => "--pages",
        SettingsError::NoThreshold { .. } => "--threshold",
        SettingsError::NoClusters { .. } => "--algorithm",
        _ => "--method",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threshold_is_page_count_or_percentage() {
        assert_eq!(parse_threshold("4"), Ok(Threshold::Pages(4)));
        assert_eq!(parse_threshold("30%"), Ok(Threshold::Share(0.3)));
        for wrong in ["", "-1", "x", "130%", "%"] {
            assert!(parse_threshold(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sample_has_at_least_two_pages() {
        assert_eq!(parse_sample("all"), Ok(SampleSize::All));
        assert_eq!(parse_sample("24"), Ok(SampleSize::Pages(24)));
        assert!(parse_sample("1").is_err());
    }
}
