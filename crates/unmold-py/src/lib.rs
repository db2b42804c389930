//! The Python module `unmold._unmold`: converts between Python values and the library. The
//! documentation for users is in `python/unmold`.
//!
//! There is no thread pool: Spark and multiprocessing fork their workers, and a pool does not
//! survive a fork. All work is done without the interpreter lock, so Python threads run in
//! parallel. What may take long has a thread for the time of the call ([`interrupt`]).

mod batch;
mod error;
mod interrupt;
mod options;
mod page;
mod read;
mod record;
mod sampler;
mod store;
mod tables;
mod template;

use pyo3::prelude::*;

#[pymodule]
mod _unmold {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::options::Options;
    #[pymodule_export]
    use crate::page::Page;
    #[pymodule_export]
    use crate::read::Reader;
    #[pymodule_export]
    use crate::sampler::Sampler;
    #[pymodule_export]
    use crate::store::Store;
    #[pymodule_export]
    use crate::tables::Columns;
    #[pymodule_export]
    use crate::template::{Template, Templates};

    #[pymodule_export]
    use super::{cluster, host_of, sections};
    #[pymodule_export]
    use crate::batch::sample_keys;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let methods: Vec<&str> = unmold::MethodName::ALL.iter().map(|name| name.name()).collect();
        module.add("METHODS", methods)?;
        module.add("RECORD_FIELDS", crate::record::fields())
    }
}

/// Site of a URL, or `None`.
#[pyfunction]
fn host_of(url: page::Text) -> Option<String> {
    unmold_input::host_of(&url.0)
}

/// Cluster of each page among the pages of its site.
#[pyfunction]
fn cluster(
    py: Python<'_>,
    pages: Vec<Py<page::Page>>,
    options: Py<options::Options>,
) -> PyResult<Vec<Option<String>>> {
    interrupt::interruptible(py, move || {
        let pages: Vec<&page::Page> = pages.iter().map(Py::get).collect();
        page::clusters(&pages, options.get())
    })
}

/// The sections of a page, as tuples.
#[pyfunction]
fn sections(
    py: Python<'_>,
    page: &Bound<'_, page::Page>,
    template: Option<&Bound<'_, template::Template>>,
    options: &options::Options,
    noisy_below: Option<f64>,
) -> PyResult<Vec<template::SectionRow>> {
    let noisy_below = noisy_below.map(|value| options::share("noisy_below", value)).transpose()?;
    let (page, template) = (page.get(), template.map(Bound::get));
    Ok(py.detach(|| template::sections_of(page, template, options, noisy_below)))
}
