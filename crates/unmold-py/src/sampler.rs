//! Samples of the pages of each site, drawn while batches pass by.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use unmold::methods::Serial;
use unmold::site::{SampleBudget, SampleKey};
use unmold::{LearnError, TemplateSet};

use crate::batch::{PageColumns, Pages, batch_of_keys, keys_of_sites, to_python};
use crate::error::value_error;
use crate::interrupt::interruptible;
use crate::options::Options;
use crate::page::{Page, Raw};
use crate::template::Templates;

/// A page in a sample.
struct Sampled {
    id: String,
    url: Option<String>,
    charset: Option<String>,
    html: Vec<u8>,
}

impl Sampled {
    fn new(page: &Raw<'_>, options: &Options) -> Sampled {
        Sampled {
            id: page.id.to_owned(),
            url: page.url.map(str::to_owned),
            charset: page.charset.map(str::to_owned),
            html: page.read(options).to_vec(),
        }
    }

    fn raw<'a>(&'a self, site: &'a str) -> Raw<'a> {
        let (url, charset) = (self.url.as_deref(), self.charset.as_deref());
        Raw { id: &self.id, url, site, charset, html: &self.html }
    }
}

/// Draws a sample of each site. It holds twice as many pages as are wanted, or only their keys, of
/// sixteen bytes each.
#[pyclass(frozen, module = "unmold._unmold")]
pub struct Sampler {
    options: Py<Options>,
    /// Whether the pages are kept, to learn from.
    keep_pages: bool,
    sites: Mutex<Sites>,
}

type SiteSampler = unmold::site::Sampler<Option<Sampled>>;
type Sites = BTreeMap<String, SiteSampler>;

#[pymethods]
impl Sampler {
    #[new]
    fn new(options: Py<Options>, keep_pages: bool) -> Sampler {
        Sampler { options, keep_pages, sites: Mutex::default() }
    }

    /// Offers the pages of a batch.
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

    /// Offers pages.
    fn add_pages(&self, py: Python<'_>, pages: Vec<Py<Page>>) {
        let pages: Vec<&Page> = pages.iter().map(Py::get).collect();
        let options = self.options.get();
        py.detach(|| pages.iter().for_each(|page| self.add(&page.raw(), options)));
    }

    /// Offers the keys that another sampler holds.
    fn add_keys(&self, batch: PyRecordBatch) -> PyResult<()> {
        let batch = batch.into_inner();
        let max_pages = self.options.get().sample;
        let mut sites = self.sites();
        for (site, key) in keys_of_sites(&batch)? {
            sampler_of(&mut sites, site, max_pages).insert(key, "", None);
        }
        Ok(())
    }

    /// The keys held: a batch of `site`, `pattern` and `rank`.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sites = self.sites();
        let rows = sites
            .iter()
            .flat_map(|(site, sampler)| sampler.held().map(move |(key, _)| (site.as_str(), key)));
        let batch = batch_of_keys(rows);
        drop(sites);
        to_python(py, batch)
    }

    /// The largest rank in the sample for each pattern of a site, laid out as [`Sampler::keys`]. A
    /// site whose pages are all in the sample is left out.
    fn cuts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sites = self.sites();
        let cuts =
            sites.iter().filter_map(|(site, sampler)| Some((site.as_str(), sampler.cuts()?)));
        let rows = cuts.flat_map(|(site, cuts)| {
            cuts.into_iter().map(move |(pattern, rank)| (site, SampleKey { pattern, rank }))
        });
        let batch = batch_of_keys(rows);
        drop(sites);
        to_python(py, batch)
    }

    /// The pages held, which can be offered to other samplers: a batch of `id`, `url`, `site`,
    /// `charset`, `html`.
    fn held<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sites = self.sites();
        let mut pages = PageColumns::default();
        for (site, sampler) in sites.iter() {
            for page in sampler.held().filter_map(|(_, page)| page.as_ref()) {
                pages.push(&page.raw(site));
            }
        }
        drop(sites);
        to_python(py, pages.finish())
    }

    /// Learns the templates of all sites; says which sites have none, and why. Empties the sampler.
    fn learn(&self, py: Python<'_>) -> PyResult<(Templates, Vec<(String, String)>)> {
        if !self.keep_pages {
            return Err(value_error("this sampler holds keys only: make it with keep_pages=True"));
        }
        let (sites, options) = (std::mem::take(&mut *self.sites()), self.options.clone_ref(py));
        interruptible(py, move || {
            let (mut set, mut without) = (TemplateSet::new(), Vec::new());
            for (site, sampler) in sites {
                match learn_or_say_why(&site, sampler, options.get()) {
                    Ok(template) => set.insert(template),
                    Err(why) => without.push((site, why)),
                }
            }
            (Templates { set }, without)
        })
    }
}

impl Sampler {
    fn sites(&self) -> MutexGuard<'_, Sites> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, page: &Raw<'_>, options: &Options) {
        let key = page.sample_key(options);
        let mut sites = self.sites();
        let sampler = sampler_of(&mut sites, page.site, options.sample);
        if sampler.takes(key, page.id) {
            let sampled = self.keep_pages.then(|| Sampled::new(page, options));
            sampler.insert(key, page.id, sampled);
        }
    }
}

fn sampler_of<'a>(sites: &'a mut Sites, site: &str, max_pages: usize) -> &'a mut SiteSampler {
    sites.entry(site.to_owned()).or_insert_with(|| SiteSampler::new(max_pages))
}

/// A mistake of ours costs one site, as in the command.
fn learn_or_say_why(
    site: &str,
    sampler: SiteSampler,
    options: &Options,
) -> Result<unmold::Template, String> {
    match catch_unwind(AssertUnwindSafe(|| learn_site(site, sampler, options))) {
        Ok(learned) => learned.map_err(|error| error.to_string()),
        Err(_) => Err("internal error while learning: please report this site".to_owned()),
    }
}

fn learn_site(
    site: &str,
    sampler: SiteSampler,
    options: &Options,
) -> Result<unmold::Template, LearnError> {
    let parse = |page: Sampled| page.raw(site).parse(options);
    let mut budget = SampleBudget::new(SampleBudget::DEFAULT_BYTES);
    let pages = budget.take(sampler.into_pages().flatten().map(parse));
    let pages: Vec<&unmold::Page> = pages.iter().collect();
    let mut template = options.settings.learn_site(site, &pages, &Serial)?;
    if options.records {
        template.learn_records(&pages);
    }
    Ok(template.with_pages_over_budget(budget.left_out()))
}
