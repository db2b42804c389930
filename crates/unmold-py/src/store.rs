//! A file with the templates of many sites.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use unmold_store::StoreError;

use crate::error::{other_model, unusable_store};
use crate::options::whole;
use crate::template::{Template, Templates};

/// A store, by its path. Each call opens the file: a connection must not survive a fork, and
/// opening is cheap compared with learning.
#[pyclass(frozen, module = "unmold._unmold")]
pub struct Store {
    #[pyo3(get)]
    path: PathBuf,
}

fn failed(error: StoreError) -> PyErr {
    unusable_store(&error)
}

/// The fields of an [`unmold_store::Entry`].
type EntryRow = (String, u32, String, String, u32, u32, i64);

#[pymethods]
impl Store {
    /// Creates the file if there is none.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Store> {
        py.detach(|| unmold_store::Store::open(&path)).map_err(failed)?;
        Ok(Store { path })
    }

    /// Adds a version for each site: its number, and whether it is new.
    fn put(
        &self,
        py: Python<'_>,
        templates: &Bound<'_, Templates>,
    ) -> PyResult<Vec<(String, u32, bool)>> {
        let templates = templates.get();
        py.detach(|| unmold_store::Store::open(&self.path)?.put(&templates.set)).map_err(failed)
    }

    /// The newest template of a site, or one version of it.
    #[pyo3(signature = (site, version=None))]
    fn get(
        &self,
        py: Python<'_>,
        site: &str,
        version: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Template>> {
        let version = version.map(|version| whole("version", version, 1)).transpose()?;
        // Larger numbers name no version.
        let version = version.map(|version| u32::try_from(version).unwrap_or(u32::MAX));
        let read = || {
            let store = unmold_store::Store::open_to_read(&self.path)?;
            match version {
                Some(version) => store.get_version(site, version),
                None => store.get_of_any_model(site),
            }
        };
        let found = py.detach(read).map_err(failed)?;
        if let Some(template) = &found {
            template.check_model().map_err(|error| other_model(site, &error))?;
        }
        Ok(found.map(|template| Template::new(Arc::new(template))))
    }

    /// The sites, sorted.
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
