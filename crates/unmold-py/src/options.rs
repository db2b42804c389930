//! The settings of all functions: the flags of the command that make sense without files.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use unmold::methods::Threshold;
use unmold::sections::Sectioning;
use unmold::{CleanOptions, Comments, Keep, Limits, PageKind, ParseOptions, Settings, TextFormat};

use crate::error::value_error;

/// Checked settings.
#[pyclass(frozen, module = "unmold._unmold")]
pub struct Options {
    pub settings: Settings,
    /// Number of pages of a site to learn from.
    pub sample: usize,
    pub clean: CleanOptions,
    pub limits: Limits,
    pub keep_hidden: bool,
    /// Also learn the table of each kind of page.
    pub records: bool,
}

fn keep(name: &str) -> PyResult<Keep> {
    match name {
        "all-unique" => Ok(Keep::AllUnique),
        "main" => Ok(Keep::Main),
        "article" => Ok(Keep::Article),
        _ => Err(value_error(format!(
            "keep is {name:?}: use \"all-unique\", \"main\" or \"article\""
        ))),
    }
}

fn kind(name: &str) -> PyResult<PageKind> {
    PageKind::named(name).ok_or_else(|| {
        let names = PageKind::ALL.map(PageKind::name).join(", ");
        value_error(format!("kind is {name:?}: use one of {names}"))
    })
}

fn format(name: &str) -> PyResult<TextFormat> {
    match name {
        "text" => Ok(TextFormat::Text),
        "plain" => Ok(TextFormat::Plain),
        "markdown" => Ok(TextFormat::Markdown),
        "html" => Ok(TextFormat::Html),
        _ => Err(value_error(format!(
            "format is {name:?}: use \"text\", \"plain\", \"markdown\" or \"html\""
        ))),
    }
}

fn comments(name: &str) -> PyResult<Comments> {
    match name {
        "keep" => Ok(Comments::Keep),
        "drop" => Ok(Comments::Drop),
        "separate" => Ok(Comments::Separate),
        _ => Err(value_error(format!(
            "comments is {name:?}: use \"keep\", \"drop\" or \"separate\""
        ))),
    }
}

/// A number of pages, or a share of them below 1.
fn threshold(value: f64) -> PyResult<Threshold> {
    match value {
        value if (0.0..1.0).contains(&value) => Ok(Threshold::Share(value)),
        value if value >= 1.0 && value.fract() == 0.0 && value < 1e9 => {
            Ok(Threshold::Pages(value as _))
        }
        _ => Err(value_error(format!(
            "threshold is {value}: use a number of pages such as 4, or a share such as 0.3"
        ))),
    }
}

/// Checks a number from 0 to 1.
pub fn share(name: &str, value: f64) -> PyResult<f64> {
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    Err(value_error(format!("{name} is {value}: use a number from 0 to 1, such as 0.25")))
}

/// Checks a whole number. PyO3 would raise an `OverflowError` that names neither value nor range.
pub fn whole(name: &str, value: &Bound<'_, PyAny>, min: u64) -> PyResult<u64> {
    match value.extract::<u64>() {
        Ok(number) if number >= min => Ok(number),
        Err(error) if !error.is_instance_of::<PyOverflowError>(value.py()) => {
            let message = format!("{name} is {}: use a whole number", value.repr()?);
            Err(PyTypeError::new_err(message))
        }
        Err(_) if value.gt(0)? => {
            Err(value_error(format!("{name} is {value}: use less than 2^64")))
        }
        _ => Err(value_error(format!("{name} is {value}: use a whole number of at least {min}"))),
    }
}

#[pymethods]
impl Options {
    #[new]
    #[pyo3(signature = (*, method, keep, kind, paper, sample, seed, cluster, threshold, format,
        comments, min_importance, keep_hidden, records, max_page_bytes, max_nodes, max_depth))]
    #[allow(clippy::too_many_arguments, reason = "one for each setting, named in Python")]
    fn new(
        method: &str,
        keep: &str,
        kind: Option<&str>,
        paper: bool,
        sample: &Bound<'_, PyAny>,
        seed: &Bound<'_, PyAny>,
        cluster: Option<bool>,
        threshold: Option<f64>,
        format: &str,
        comments: &str,
        min_importance: Option<f64>,
        keep_hidden: bool,
        records: bool,
        max_page_bytes: Option<&Bound<'_, PyAny>>,
        max_nodes: Option<&Bound<'_, PyAny>>,
        max_depth: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Options> {
        let method = method.parse().map_err(|error| value_error(format!("{error}")))?;
        let limit = |name, value: Option<&Bound<'_, PyAny>>, default: usize| match value {
            Some(value) => whole(name, value, 1).map(|number| number as usize),
            None => Ok(default),
        };
        let defaults = Limits::default();
        let limits = Limits::default()
            .with_bytes(limit("max_page_bytes", max_page_bytes, defaults.bytes)?)
            .with_nodes(limit("max_nodes", max_nodes, defaults.nodes)?)
            .with_depth(limit("max_depth", max_depth, defaults.depth)?);
        let min_importance =
            min_importance.map(|value| share("min_importance", value)).transpose()?;
        let settings = Settings::default()
            .with_method(method)
            .with_keep(self::keep(keep)?)
            .with_kind(kind.map(self::kind).transpose()?)
            .with_paper(paper)
            .with_seed(whole("seed", seed, 0)?)
            .with_threshold(threshold.map(self::threshold).transpose()?)
            // Pages of one table share a layout.
            .with_cluster(cluster.or(records.then_some(true)));
        settings.check().map_err(|error| value_error(error.to_string()))?;
        let sectioning = if paper { Sectioning::paper() } else { Sectioning::default() };
        Ok(Options {
            settings,
            sample: whole("sample", sample, 2)? as usize,
            clean: CleanOptions::default()
                .with_format(self::format(format)?)
                .with_comments(self::comments(comments)?)
                .with_min_importance(min_importance)
                .with_sectioning(sectioning),
            limits,
            keep_hidden,
            records,
        })
    }
}

impl Options {
    /// How a page is parsed.
    pub fn parse_options(&self, charset: Option<&str>, url: String) -> ParseOptions {
        ParseOptions::default()
            .with_limits(self.limits.clone())
            .with_charset(charset.map(str::to_owned))
            .with_url(url)
            .with_keep_hidden(self.keep_hidden)
    }
}
