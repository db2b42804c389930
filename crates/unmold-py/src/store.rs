//! Templates of many sites in one file.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use unmold_store::StoreError;

use crate::template::{Template, Templates};
use crate::with_causes;

/// A store by its path. The file is opened for each call: a connection must not be carried into a
/// forked process, and opening takes a fraction of what learning a template does.
#[pyclass(frozen, module = "unmold._unmold")]
pub struct Store {
    #[pyo3(get)]
    path: PathBuf,
}

fn failed(error: StoreError) -> PyErr {
    PyOSError::new_err(with_causes(&error))
}

/// Site, version, when it was stored, method, number of templates, pages learned from, bytes.
type EntryRow = (String, u32, String, String, u32, u32, i64);

#[pymethods]
impl Store {
    /// Makes the file if there is none.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Store> {
        py.detach(|| unmold_store::Store::open(&path)).map_err(failed)?;
        Ok(Store { path })
    }

    /// Adds a version for each site: site, version, and whether it is new.
    fn put(
        &self,
        py: Python<'_>,
        templates: &Bound<'_, Templates>,
    ) -> PyResult<Vec<(String, u32, bool)>> {
        let templates = templates.get();
        py.detach(|| unmold_store::Store::open(&self.path)?.put(&templates.union())).map_err(failed)
    }

    /// The newest template of a site, or one version of it.
    #[pyo3(signature = (site, version=None))]
    fn get(&self, py: Python<'_>, site: &str, version: Option<u32>) -> PyResult<Option<Template>> {
        let read = || {
            let store = unmold_store::Store::open_to_read(&self.path)?;
            match version {
                Some(version) => store.get_version(site, version),
                None => store.get(site),
            }
        };
        let set = py.detach(read).map_err(failed)?;
        Ok(set.map(|set| Template::new(site, Arc::new(set))))
    }

    /// Names of the sites, sorted.
    fn sites(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.detach(|| unmold_store::Store::open_to_read(&self.path)?.sites()).map_err(failed)
    }

    /// Every version of every site, sorted.
    fn versions(&self, py: Python<'_>) -> PyResult<Vec<EntryRow>> {
        let entries =
            py.detach(|| unmold_store::Store::open_to_read(&self.path)?.list()).map_err(failed)?;
        let row = |entry: unmold_store::Entry| {
            (
                entry.site,
                entry.version,
                entry.stored_at,
                entry.method,
                entry.templates,
                entry.pages,
                entry.bytes,
            )
        };
        Ok(entries.into_iter().map(row).collect())
    }
}
