//! The pages that templates are learned from, drawn while batches pass by.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{Int64Array, RecordBatch, StringArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use unmold::site::{Draw, Serial};
use unmold::{LearnError, TemplateSet};

use crate::batch::{PageColumns, Pages, signed, to_python};
use crate::options::Options;
use crate::page::{Page, Raw};
use crate::template::Templates;

/// A page that was drawn.
struct Drawn {
    id: String,
    url: Option<String>,
    charset: Option<String>,
    html: Vec<u8>,
}

impl Drawn {
    fn raw<'a>(&'a self, site: &'a str) -> Raw<'a> {
        let (url, charset) = (self.url.as_deref(), self.charset.as_deref());
        Raw { id: &self.id, url, site, charset, html: &self.html }
    }
}

/// Draws a sample of each site. Memory: the sample; or only its ranks, eight bytes a page.
#[pyclass(frozen, module = "unmold._unmold")]
pub struct Sampler {
    options: Py<Options>,
    /// Whether the pages themselves are kept, to learn from.
    keep_pages: bool,
    sites: Mutex<BTreeMap<String, Draw<Option<Drawn>>>>,
}

#[pymethods]
impl Sampler {
    #[new]
    fn new(options: Py<Options>, keep_pages: bool) -> Sampler {
        Sampler { options, keep_pages, sites: Mutex::default() }
    }

    /// Looks at the pages of a batch.
    fn add_batch(&self, py: Python<'_>, batch: PyRecordBatch) -> PyResult<()> {
        let batch = batch.into_inner();
        let pages = Pages::new(&batch)?;
        let options = self.options.get();
        py.detach(|| {
            (0..pages.rows()).filter_map(|row| pages.page(row)).for_each(|page| self.add(&page, options))
        });
        Ok(())
    }

    /// Looks at pages.
    fn add_pages(&self, py: Python<'_>, pages: Vec<Py<Page>>) {
        let pages: Vec<&Page> = pages.iter().map(Py::get).collect();
        let options = self.options.get();
        py.detach(|| pages.iter().for_each(|page| self.add(&page.raw(), options)));
    }

    /// The ranks drawn: a batch of `site` and `rank`.
    fn ranks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = sites.iter().flat_map(|(site, draw)| draw.ranks().map(move |rank| (site, signed(rank))));
        let (names, ranks): (Vec<&String>, Vec<i64>) = rows.unzip();
        let site = Arc::new(names.into_iter().map(Some).collect::<StringArray>());
        let batch = RecordBatch::try_from_iter([
            ("site", site as _),
            ("rank", Arc::new(Int64Array::from(ranks)) as _),
        ]);
        drop(sites);
        to_python(py, batch)
    }

    /// The pages drawn: a batch of `id`, `url`, `site`, `charset`, `html`.
    fn drawn<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pages = PageColumns::default();
        for (site, draw) in sites.iter() {
            for page in draw.pages().flatten() {
                pages.push(&page.raw(site));
            }
        }
        drop(sites);
        to_python(py, pages.finish())
    }

    /// Learns the templates of all sites, and says of which sites there is none and why. Empties the sampler.
    fn learn(&self, py: Python<'_>) -> PyResult<(Templates, Vec<(String, String)>)> {
        if !self.keep_pages {
            return Err(PyValueError::new_err("this sampler kept ranks only: make it with keep_pages=True"));
        }
        let options = self.options.get();
        Ok(py.detach(|| {
            let sites = std::mem::take(&mut *self.sites.lock().unwrap_or_else(PoisonError::into_inner));
            let (mut sets, mut without) = (Vec::new(), Vec::new());
            for (site, draw) in sites {
                match learn_site(&site, draw, options) {
                    Ok(set) => sets.push((site, set)),
                    Err(error) => without.push((site, error.to_string())),
                }
            }
            (Templates::new(sets), without)
        }))
    }
}

impl Sampler {
    fn add(&self, page: &Raw<'_>, options: &Options) {
        let rank = page.rank(options);
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if !sites.contains_key(page.site) {
            sites.insert(page.site.to_owned(), Draw::new(options.sample));
        }
        let Some(draw) = sites.get_mut(page.site).filter(|draw| draw.takes(rank, page.id)) else { return };
        let drawn = self.keep_pages.then(|| Drawn {
            id: page.id.to_owned(),
            url: page.url.map(str::to_owned),
            charset: page.charset.map(str::to_owned),
            html: page.read(options).to_vec(),
        });
        draw.insert(rank, page.id, drawn);
    }
}

fn learn_site(site: &str, draw: Draw<Option<Drawn>>, options: &Options) -> Result<TemplateSet, LearnError> {
    let parse = |page: Drawn| page.raw(site).parse(options);
    let pages: Vec<unmold::Page> = draw.into_pages().flatten().map(parse).collect();
    let pages: Vec<&unmold::Page> = pages.iter().collect();
    options.settings.learn_site(site, &pages, options.clustering.as_ref(), &Serial)
}
