//! A page before it is parsed, from Python's values or from a row of a table.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyString;
use unmold::TemplateSet;
use unmold::cluster::{Clustering, PathSet};
use unmold::site::{Lot, clean_page};
use unmold_input::host_of;

use crate::options::Options;

/// A page as it was fetched.
#[pyclass(frozen, module = "unmold._unmold")]
pub struct Page {
    html: Html,
    #[pyo3(get)]
    id: String,
    #[pyo3(get)]
    url: Option<String>,
    #[pyo3(get)]
    site: String,
    #[pyo3(get)]
    charset: Option<String>,
}

/// The page's bytes; where they can be, they are those that Python holds.
enum Html {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
    /// A text with half of a surrogate pair, which is no UTF-8.
    Mended(String),
}

impl Html {
    fn new(value: &Bound<'_, PyAny>) -> PyResult<Html> {
        let Ok(text) = value.cast::<PyString>() else {
            return Ok(Html::Bytes(value.extract()?));
        };
        if let Ok(text) = PyBackedStr::try_from(text.clone()) {
            return Ok(Html::Text(text));
        }
        let bytes: PyBackedBytes =
            text.call_method1("encode", ("utf-8", "surrogatepass"))?.extract()?;
        Ok(Html::Mended(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Html::Text(text) => text.as_bytes(),
            Html::Bytes(bytes) => bytes,
            Html::Mended(text) => text.as_bytes(),
        }
    }
}

#[pymethods]
impl Page {
    #[new]
    #[pyo3(signature = (html, url=None, *, id=None, site=None, charset=None))]
    fn new(
        html: &Bound<'_, PyAny>,
        url: Option<String>,
        id: Option<String>,
        site: Option<String>,
        charset: Option<String>,
    ) -> PyResult<Page> {
        let html = Html::new(html)?;
        // Python's text has been decoded already, whatever the page says of itself.
        let charset =
            if matches!(html, Html::Bytes(_)) { charset } else { Some("utf-8".to_owned()) };
        let site = site.or_else(|| url.as_deref().and_then(host_of)).unwrap_or_default();
        let id = id.or_else(|| url.clone()).unwrap_or_default();
        Ok(Page { html, id, url, site, charset })
    }

    /// The page as bytes.
    #[getter]
    fn html(&self) -> &[u8] {
        self.html.bytes()
    }

    fn __repr__(&self) -> String {
        format!("Page(id={:?}, site={:?}, {} bytes)", self.id, self.site, self.html.bytes().len())
    }
}

impl Page {
    pub fn raw(&self) -> Raw<'_> {
        Raw {
            id: &self.id,
            url: self.url.as_deref(),
            site: &self.site,
            charset: self.charset.as_deref(),
            html: self.html.bytes(),
        }
    }
}

/// A page wherever it lies.
#[derive(Clone, Copy)]
pub struct Raw<'a> {
    pub id: &'a str,
    pub url: Option<&'a str>,
    pub site: &'a str,
    pub charset: Option<&'a str>,
    pub html: &'a [u8],
}

impl<'a> Raw<'a> {
    /// What is read of the page: one byte more than allowed, so that a cut shows, as the command
    /// does.
    pub fn read(&self, options: &Options) -> &'a [u8] {
        &self.html[..self.html.len().min(options.limits.bytes.saturating_add(1))]
    }

    pub fn lot(&self, options: &Options) -> Lot {
        Lot::new(self.read(options), self.url.unwrap_or(self.id), options.seed)
    }

    pub fn parse(&self, options: &Options) -> unmold::Page {
        let place = self.url.map_or_else(|| format!("file:///{}", self.id), str::to_owned);
        unmold::Page::parse_with(
            self.read(options),
            &options.parse_options(self.charset, Some(&place)),
        )
    }

    /// Strips the page. Never fails: a page that cannot be read has an error in its row.
    pub fn clean(&self, templates: Option<&TemplateSet>, options: &Options) -> Row {
        let nothing = TemplateSet::default();
        let work = || {
            let page = self.parse(options);
            clean_page(templates.unwrap_or(&nothing), self.site, &page, &options.cleaning)
        };
        let Ok(clean) = catch_unwind(AssertUnwindSafe(work)) else {
            return Row::failed("internal error while stripping: please report this page");
        };
        let too_long = (self.html.len() > options.limits.bytes).then(|| {
            format!(
                "longer than {} bytes, only the beginning was read: raise max_page_bytes",
                options.limits.bytes
            )
        });
        Row {
            template: clean.template,
            title: clean.title,
            text: clean.text,
            content_share: four_places(clean.content_share),
            template_match: clean.template_match.map(four_places),
            flags: clean.flags.iter().map(|flag| flag.name()).collect(),
            error: too_long.or(clean.error.map(str::to_owned)),
        }
    }
}

/// As records have it.
pub fn four_places(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// What a record has beyond the page's id, URL and site, in its order.
pub struct Row {
    pub template: Option<String>,
    pub title: Option<String>,
    pub text: String,
    pub content_share: f64,
    pub template_match: Option<f64>,
    pub flags: Vec<&'static str>,
    pub error: Option<String>,
}

/// A [`Row`] in Python.
pub type RowTuple =
    (Option<String>, Option<String>, String, f64, Option<f64>, Vec<&'static str>, Option<String>);

impl Row {
    pub fn into_tuple(self) -> RowTuple {
        (
            self.template,
            self.title,
            self.text,
            self.content_share,
            self.template_match,
            self.flags,
            self.error,
        )
    }

    pub fn failed(error: &str) -> Row {
        Row {
            template: None,
            title: None,
            text: String::new(),
            content_share: 1.0,
            template_match: None,
            flags: Vec::new(),
            error: Some(error.to_owned()),
        }
    }
}

/// The cluster of each page among the pages of its site.
pub fn clusters(pages: &[&Page], options: &Options) -> Vec<Option<String>> {
    let mut sites: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, page) in pages.iter().enumerate() {
        sites.entry(&page.site).or_default().push(at);
    }
    let clustering = Clustering::default();
    let mut names = vec![None; pages.len()];
    for (site, members) in sites {
        let paths: Vec<PathSet> = members
            .iter()
            .map(|&at| PathSet::of(&pages[at].raw().parse(options), clustering.paths))
            .collect();
        for (&at, cluster) in members.iter().zip(clustering.cluster(&paths).of_page()) {
            names[at] = cluster.map(|cluster| format!("{site}#{}", cluster + 1));
        }
    }
    names
}
