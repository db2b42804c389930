//! A page before it is parsed, from Python values or from a row of a table.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyString;
use unmold::cluster::{Clustering, PathSet};
use unmold::site::SampleKey;
use unmold::{CleanPage, Record, clean_page};
use unmold_input::host_of;

use crate::error::{INTERNAL, too_long};
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

/// The bytes of a page, shared with Python where possible.
enum Html {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
    Mended(String),
}

impl Html {
    fn new(value: &Bound<'_, PyAny>) -> PyResult<Html> {
        let Ok(text) = value.cast::<PyString>() else {
            return match value.extract() {
                Ok(bytes) => Ok(Html::Bytes(bytes)),
                Err(_) => {
                    let found = value.get_type().name()?;
                    Err(PyTypeError::new_err(format!("html is of type {found}: give str or bytes")))
                }
            };
        };
        match PyBackedStr::try_from(text.clone()) {
            Ok(text) => Ok(Html::Text(text)),
            Err(_) => mended(text).map(Html::Mended),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Html::Text(text) => text.as_bytes(),
            Html::Bytes(bytes) => bytes,
            Html::Mended(text) => text.as_bytes(),
        }
    }
}

/// A string whose lone surrogates, which UTF-8 cannot hold, are replaced by U+FFFD.
fn mended(text: &Bound<'_, PyString>) -> PyResult<String> {
    let bytes: PyBackedBytes =
        text.call_method1("encode", ("utf-8", "surrogatepass"))?.extract()?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A string from Python, mended if need be.
pub struct Text(pub String);

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Text> {
        let text = value.cast::<PyString>()?;
        match text.extract() {
            Ok(text) => Ok(Text(text)),
            Err(_) => mended(&text).map(Text),
        }
    }
}

#[pymethods]
impl Page {
    #[new]
    #[pyo3(signature = (html, url=None, *, id=None, site=None, charset=None))]
    fn new(
        html: &Bound<'_, PyAny>,
        url: Option<Text>,
        id: Option<Text>,
        site: Option<Text>,
        charset: Option<Text>,
    ) -> PyResult<Page> {
        let [url, id, site, charset] = [url, id, site, charset].map(|text| text.map(|text| text.0));
        let html = Html::new(html)?;
        // A Python string is decoded already, whatever charset the page names.
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

/// A page, wherever its bytes are.
#[derive(Clone, Copy)]
pub struct Raw<'a> {
    pub id: &'a str,
    pub url: Option<&'a str>,
    pub site: &'a str,
    pub charset: Option<&'a str>,
    pub html: &'a [u8],
}

impl<'a> Raw<'a> {
    /// The bytes that are read: like the command, one more than allowed, so that the parser sees
    /// that the page is too long.
    pub fn read(&self, options: &Options) -> &'a [u8] {
        &self.html[..self.html.len().min(options.limits.bytes.saturating_add(1))]
    }

    pub fn sample_key(&self, options: &Options) -> SampleKey {
        SampleKey::new(self.read(options), self.url.unwrap_or(self.id), options.settings.seed)
    }

    pub fn parse(&self, options: &Options) -> unmold::Page {
        let url = self.url.map_or_else(|| format!("file:///{}", self.id), str::to_owned);
        unmold::Page::parse_with(self.read(options), &options.parse_options(self.charset, url))
    }

    /// Strips the page. Never fails: a page that cannot be read has an error in its record.
    pub fn clean(&self, template: Option<&unmold::Template>, options: &Options) -> Record {
        let work = || clean_page(template, &self.parse(options), &options.clean);
        let page = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(mut page) => {
                let limit = options.limits.bytes;
                let is_too_long = self.html.len() > limit;
                page.error = is_too_long.then(|| too_long(limit)).or(page.error);
                page
            }
            Err(_) => CleanPage::failed(INTERNAL),
        };
        self.record(page)
    }

    /// The record of what is left of the page.
    pub fn record(&self, page: CleanPage) -> Record {
        Record::new(self.id, self.url.map(str::to_owned), self.site, page)
    }
}

/// The cluster of each page among the pages of its site.
pub fn clusters(pages: &[&Page], options: &Options) -> Vec<Option<String>> {
    let mut sites: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, page) in pages.iter().enumerate() {
        sites.entry(&page.site).or_default().push(index);
    }
    let clustering = Clustering::default();
    let mut names = vec![None; pages.len()];
    for (site, members) in sites {
        let paths: Vec<PathSet> = members
            .iter()
            .map(|&index| PathSet::of(&pages[index].raw().parse(options), clustering.paths))
            .collect();
        for (&index, cluster) in members.iter().zip(clustering.cluster(&paths).of_page()) {
            names[index] = cluster.map(|cluster| format!("{site}#{}", cluster + 1));
        }
    }
    names
}
