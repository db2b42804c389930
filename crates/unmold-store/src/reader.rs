//! Reads a store from many threads at once.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use unmold::Template;

use super::error::StoreError;
use super::store::Store;

/// A store that many threads read at once without waiting for each other.
///
/// Each call uses a connection of its own. There are as many connections as there were calls at the
/// same time.
#[derive(Debug)]
pub struct StoreReader {
    path: PathBuf,
    idle: Mutex<Vec<Store>>,
}

impl StoreReader {
    /// Opens an existing store.
    ///
    /// # Errors
    /// There is none, or it cannot be used.
    pub fn open(path: &Path) -> Result<StoreReader, StoreError> {
        let first = Store::open_to_read(path)?;
        Ok(StoreReader { path: path.to_owned(), idle: Mutex::new(vec![first]) })
    }

    /// The newest template of a site, ready to be applied.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub fn get(&self, site: &str) -> Result<Option<Template>, StoreError> {
        self.with_store(|store| store.get(site))
    }

    /// The newest template of a site, whatever weights it was learned with.
    ///
    /// # Errors
    /// As [`Store::get_of_any_model`].
    pub fn get_of_any_model(&self, site: &str) -> Result<Option<Template>, StoreError> {
        self.with_store(|store| store.get_of_any_model(site))
    }

    fn with_store<T>(
        &self,
        read: impl FnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let store = match idle {
            Some(store) => store,
            None => Store::open_to_read(&self.path)?,
        };
        let found = read(&store);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(store);
        found
    }
}
