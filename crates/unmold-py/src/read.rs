//! Reads pages from files as the command does.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use unmold_input::{Input, InputEvent, InputOptions, RawPage};

use crate::batch::{PageColumns, to_python};
use crate::error::os_error;
use crate::options::{Options, whole};
use crate::page::Raw;

/// A batch ends at this many bytes, however few rows it has.
const BATCH_BYTES: usize = 32 << 20;

type Events<'a> = Box<dyn Iterator<Item = InputEvent> + Send + 'a>;

self_cell::self_cell!(
    /// An input and the iterator that reads it.
    struct Reading {
        owner: Input,
        #[not_covariant]
        dependent: Events,
    }
);

/// Reads files in batches of `id`, `url`, `site`, `charset`, `html`.
#[pyclass(frozen, module = "unmold._unmold")]
pub struct Reader {
    reading: Mutex<Reading>,
    rows: usize,
    problems: Mutex<Vec<(String, String)>>,
}

#[pymethods]
impl Reader {
    #[new]
    fn new(
        paths: Vec<PathBuf>,
        site: Option<String>,
        rows: &Bound<'_, PyAny>,
        options: &Options,
    ) -> PyResult<Reader> {
        let rows = whole("rows", rows, 1)? as usize;
        let input =
            InputOptions::default().with_site(site).with_max_page_bytes(options.limits.bytes);
        let input = Input::open(&paths, &input).map_err(|error| os_error(&error))?;
        let reading = Reading::new(input, |input| Box::new(input.read()));
        Ok(Reader { reading: Mutex::new(reading), rows, problems: Mutex::default() })
    }

    /// What could not be read since the last call: place and reason.
    fn take_problems(&self) -> Vec<(String, String)> {
        std::mem::take(&mut *self.problems.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn __iter__(slf: Py<Reader>) -> Py<Reader> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match py.detach(|| self.next_batch()) {
            Some(batch) => to_python(py, batch).map(Some),
            None => Ok(None),
        }
    }
}

impl Reader {
    fn next_batch(&self) -> Option<Result<RecordBatch, ArrowError>> {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pages = PageColumns::default();
        while pages.rows < self.rows && pages.bytes < BATCH_BYTES {
            match reading.with_dependent_mut(|_, events| events.next()) {
                None => break,
                Some(InputEvent::Page(page)) => pages.push(&raw(&page)),
                Some(InputEvent::Skipped { .. }) => {}
                Some(InputEvent::Problem { place, what }) => {
                    self.problems
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((place, what));
                }
            }
        }
        (pages.rows > 0).then(|| pages.finish())
    }
}

fn raw(page: &RawPage) -> Raw<'_> {
    Raw {
        id: &page.id,
        url: page.url.as_deref(),
        site: &page.site,
        charset: page.charset.as_deref(),
        html: &page.bytes,
    }
}
