//! The pages that templates are learned from, drawn while batches pass by.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use unmold::site::{Draw, Lot, Serial};
use unmold::{LearnError, TemplateSet};

use crate::batch::{PageColumns, Pages, batch_of_lots, lots_of_sites, to_python};
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

/// Draws a sample of each site. Memory: twice the sample (see [`Draw`]); or only its lots, sixteen
/// bytes a page.
#[pyclass(frozen, module = "unmold._unmold")]
pub struct Sampler {
    options: Py<Options>,
    /// Whether the pages themselves are kept, to learn from.
    keep_pages: bool,
    sites: Mutex<Sites>,
}

type Sites = BTreeMap<String, Draw<Option<Drawn>>>;

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
            (0..pages.rows())
                .filter_map(|row| pages.page(row))
                .for_each(|page| self.add(&page, options))
        });
        Ok(())
    }

    /// Looks at pages.
    fn add_pages(&self, py: Python<'_>, pages: Vec<Py<Page>>) {
        let pages: Vec<&Page> = pages.iter().map(Py::get).collect();
        let options = self.options.get();
        py.detach(|| pages.iter().for_each(|page| self.add(&page.raw(), options)));
    }

    /// Looks at lots that other samplers hold.
    fn add_lots(&self, batch: PyRecordBatch) -> PyResult<()> {
        let batch = batch.into_inner();
        let most = self.options.get().sample;
        let mut sites = self.sites();
        for (site, lot) in lots_of_sites(&batch)? {
            draw_of(&mut sites, site, most).insert(lot, "", None);
        }
        Ok(())
    }

    /// The lots held: a batch of `site`, `pattern` and `rank`.
    fn lots<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sites = self.sites();
        let rows = sites
            .iter()
            .flat_map(|(site, draw)| draw.held().map(move |(lot, _)| (site.as_str(), lot)));
        let batch = batch_of_lots(rows);
        drop(sites);
        to_python(py, batch)
    }

    /// For each pattern of a site the largest rank drawn, as [`Sampler::lots`]; a site all of whose
    /// pages are drawn is left out.
    fn cuts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sites = self.sites();
        let cuts = sites.iter().filter_map(|(site, draw)| Some((site.as_str(), draw.cuts()?)));
        let rows = cuts.flat_map(|(site, cuts)| {
            cuts.into_iter().map(move |(pattern, rank)| (site, Lot { pattern, rank }))
        });
        let batch = batch_of_lots(rows);
        drop(sites);
        to_python(py, batch)
    }

    /// The pages held, from which other samplers may draw: a batch of `id`, `url`, `site`,
    /// `charset`, `html`.
    fn held<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sites = self.sites();
        let mut pages = PageColumns::default();
        for (site, draw) in sites.iter() {
            for page in draw.held().filter_map(|(_, page)| page.as_ref()) {
                pages.push(&page.raw(site));
            }
        }
        drop(sites);
        to_python(py, pages.finish())
    }

    /// Learns the templates of all sites, and says of which sites there is none and why. Empties
    /// the sampler.
    fn learn(&self, py: Python<'_>) -> PyResult<(Templates, Vec<(String, String)>)> {
        if !self.keep_pages {
            return Err(PyValueError::new_err(
                "this sampler kept lots only: make it with keep_pages=True",
            ));
        }
        let options = self.options.get();
        Ok(py.detach(|| {
            let sites = std::mem::take(&mut *self.sites());
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
    fn sites(&self) -> MutexGuard<'_, Sites> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, page: &Raw<'_>, options: &Options) {
        let lot = page.lot(options);
        let mut sites = self.sites();
        let draw = draw_of(&mut sites, page.site, options.sample);
        if !draw.takes(lot, page.id) {
            return;
        }
        let drawn = self.keep_pages.then(|| Drawn {
            id: page.id.to_owned(),
            url: page.url.map(str::to_owned),
            charset: page.charset.map(str::to_owned),
            html: page.read(options).to_vec(),
        });
        draw.insert(lot, page.id, drawn);
    }
}

fn draw_of<'a>(sites: &'a mut Sites, site: &str, most: usize) -> &'a mut Draw<Option<Drawn>> {
    sites.entry(site.to_owned()).or_insert_with(|| Draw::new(most))
}

fn learn_site(
    site: &str,
    draw: Draw<Option<Drawn>>,
    options: &Options,
) -> Result<TemplateSet, LearnError> {
    let parse = |page: Drawn| page.raw(site).parse(options);
    let pages: Vec<unmold::Page> = draw.into_pages().flatten().map(parse).collect();
    let pages: Vec<&unmold::Page> = pages.iter().collect();
    options.settings.learn_site(site, &pages, options.clustering.as_ref(), &Serial)
}
