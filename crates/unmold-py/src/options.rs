//! What a caller may set: the flags of the command that make sense without files.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use unmold::cluster::Clustering;
use unmold::methods::Threshold;
use unmold::site::{Choice, Cleaning, Form, Settings};
use unmold::{Keep, Limits, ParseOptions};

/// Checked settings, ready to run.
#[pyclass(frozen, module = "unmold._unmold")]
pub struct Options {
    pub settings: Settings,
    pub clustering: Option<Clustering>,
    /// Pages of a site to learn from.
    pub sample: usize,
    pub seed: u64,
    pub cleaning: Cleaning,
    pub limits: Limits,
    pub keep_hidden: bool,
}

fn wrong(what: String) -> PyErr {
    PyValueError::new_err(what)
}

fn keep(name: &str) -> PyResult<Keep> {
    match name {
        "all-unique" => Ok(Keep::AllUnique),
        "main" => Ok(Keep::Main),
        "article" => Ok(Keep::Article),
        _ => Err(wrong(format!("keep is {name:?}: give \"all-unique\", \"main\" or \"article\""))),
    }
}

fn form(name: &str) -> PyResult<Form> {
    match name {
        "text" => Ok(Form::Text),
        "markdown" => Ok(Form::Markdown),
        "html" => Ok(Form::Html),
        _ => Err(wrong(format!("format is {name:?}: give \"text\", \"markdown\" or \"html\""))),
    }
}

/// A number of pages, or a share of them below 1.
fn threshold(value: f64) -> PyResult<Threshold> {
    match value {
        value if (0.0..1.0).contains(&value) => Ok(Threshold::Share(value)),
        value if value >= 1.0 && value.fract() == 0.0 && value < 1e9 => {
            Ok(Threshold::Pages(value as _))
        }
        _ => Err(wrong(format!(
            "threshold is {value}: give a number of pages such as 4, or a share such as 0.3"
        ))),
    }
}

#[pymethods]
impl Options {
    #[new]
    #[pyo3(signature = (*, method, keep, paper, sample, seed, cluster, threshold, format, least_importance,
        keep_hidden, max_page_bytes, max_nodes, max_depth))]
    #[allow(clippy::too_many_arguments, reason = "one for each setting, named in Python")]
    fn new(
        method: &str,
        keep: &str,
        paper: bool,
        sample: usize,
        seed: u64,
        cluster: Option<bool>,
        threshold: Option<f64>,
        format: &str,
        least_importance: Option<f64>,
        keep_hidden: bool,
        max_page_bytes: Option<usize>,
        max_nodes: Option<usize>,
        max_depth: Option<usize>,
    ) -> PyResult<Options> {
        if sample < 2 {
            return Err(wrong(format!("sample is {sample}: give a number of at least 2")));
        }
        if let Some(share) = least_importance.filter(|share| !(0.0..=1.0).contains(share)) {
            return Err(wrong(format!(
                "least_importance is {share}: give a number from 0 to 1, such as 0.25"
            )));
        }
        let choice = Choice {
            method: method.parse().map_err(wrong)?,
            keep: self::keep(keep)?,
            paper,
            seed,
            threshold: threshold.map(self::threshold).transpose()?,
            cluster,
        };
        let defaults = Limits::default();
        let limits = Limits::default()
            .with_bytes(max_page_bytes.unwrap_or(defaults.bytes))
            .with_nodes(max_nodes.unwrap_or(defaults.nodes))
            .with_depth(max_depth.unwrap_or(defaults.depth));
        Ok(Options {
            settings: choice.settings(),
            clustering: choice.clustering(),
            sample,
            seed,
            cleaning: Cleaning { form: form(format)?, least_importance, explain: false },
            limits,
            keep_hidden,
        })
    }
}

impl Options {
    /// How a page is parsed.
    pub fn parse_options(&self, charset: Option<&str>, url: Option<&str>) -> ParseOptions {
        ParseOptions::default()
            .with_limits(self.limits.clone())
            .with_charset(charset.map(str::to_owned))
            .with_url(url.map(str::to_owned))
            .with_keep_hidden(self.keep_hidden)
    }
}
