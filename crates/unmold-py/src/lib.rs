//! The Python module `unmold._unmold`: a thin layer between Python's values and the library. What
//! is documented for users stands in `python/unmold`.
//!
//! There is no thread and no pool in here: Spark and multiprocessing fork their workers, and a pool
//! does not survive a fork. All work is done without the interpreter's lock, so Python's own
//! threads run side by side.

mod batch;
mod options;
mod page;
mod read;
mod sampler;
mod store;
mod template;

use pyo3::prelude::*;

#[pymodule]
mod _unmold {
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
    use crate::template::{Template, Templates};

    #[pymodule_export]
    use super::{cluster, host_of, sections};
    #[pymodule_export]
    use crate::batch::lots;
}

/// The message of an error, and of those that caused it.
fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.fold(error.to_string(), |message, cause| format!("{message}: {cause}"))
}

/// Site of a URL, or `None`.
#[pyfunction]
fn host_of(url: &str) -> Option<String> {
    unmold_input::host_of(url)
}

/// Which cluster of its site each page belongs to.
#[pyfunction]
fn cluster(
    py: Python<'_>,
    pages: Vec<Py<page::Page>>,
    options: &options::Options,
) -> Vec<Option<String>> {
    let pages: Vec<&page::Page> = pages.iter().map(Py::get).collect();
    py.detach(|| page::clusters(&pages, options))
}

/// The sections of a page, as tuples.
#[pyfunction]
fn sections(
    py: Python<'_>,
    page: &Bound<'_, page::Page>,
    template: Option<&Bound<'_, template::Template>>,
    options: &options::Options,
    noisy_below: Option<f64>,
) -> Vec<template::SectionRow> {
    let (page, template) = (page.get(), template.map(Bound::get));
    py.detach(|| template::sections_of(page, template, options, noisy_below))
}
