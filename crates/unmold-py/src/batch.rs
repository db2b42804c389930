//! Arrow batches of pages and of records; their buffers are shared with Python.

use std::sync::Arc;

use arrow_array::builder::{LargeBinaryBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use unmold::CleanPage;
use unmold::site::SampleKey;
use unmold_input::host_of;

use crate::error::{NULL_HTML, value_error};
use crate::options::Options;
use crate::page::Raw;
use crate::record::RecordColumns;

/// A column of texts or bytes in any of Arrow's layouts.
struct Column<'a> {
    array: &'a ArrayRef,
}

impl<'a> Column<'a> {
    fn new(batch: &'a RecordBatch, name: &str) -> PyResult<Option<Column<'a>>> {
        let Some(array) = batch.column_by_name(name) else { return Ok(None) };
        match array.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {}
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView if name == "html" => {}
            // The type of a column that holds nothing but nulls.
            DataType::Null => return Ok(None),
            other => {
                let wanted = if name == "html" { "strings or bytes" } else { "strings" };
                let message = format!("column {name:?} holds {other}: give it as {wanted}");
                return Err(value_error(message));
            }
        }
        Ok(Some(Column { array }))
    }

    fn is_text(&self) -> bool {
        matches!(self.array.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
    }

    fn bytes(&self, row: usize) -> Option<&'a [u8]> {
        if self.array.is_null(row) {
            return None;
        }
        Some(match self.array.data_type() {
            DataType::Utf8 => self.array.as_string::<i32>().value(row).as_bytes(),
            DataType::LargeUtf8 => self.array.as_string::<i64>().value(row).as_bytes(),
            DataType::Utf8View => self.array.as_string_view().value(row).as_bytes(),
            DataType::Binary => self.array.as_binary::<i32>().value(row),
            DataType::LargeBinary => self.array.as_binary::<i64>().value(row),
            _ => self.array.as_binary_view().value(row),
        })
    }

    fn text(&self, row: usize) -> Option<&'a str> {
        match self.array.data_type() {
            _ if self.array.is_null(row) => None,
            DataType::Utf8 => Some(self.array.as_string::<i32>().value(row)),
            DataType::LargeUtf8 => Some(self.array.as_string::<i64>().value(row)),
            DataType::Utf8View => Some(self.array.as_string_view().value(row)),
            _ => None,
        }
    }
}

/// A batch of pages: column `html`, and optionally `id`, `url`, `site`, `charset`, and `error` for
/// rows without a page.
pub struct Pages<'a> {
    html: Column<'a>,
    error: Option<Column<'a>>,
    id: Option<Column<'a>>,
    url: Option<Column<'a>>,
    charset: Option<Column<'a>>,
    sites: Vec<String>,
}

impl<'a> Pages<'a> {
    pub fn new(batch: &'a RecordBatch) -> PyResult<Pages<'a>> {
        let Some(html) = Column::new(batch, "html")? else {
            let schema = batch.schema();
            let names: Vec<&str> =
                schema.fields().iter().map(|field| field.name().as_str()).collect();
            return Err(value_error(format!(
                "no column \"html\" among {names:?}: rename the one that holds the pages"
            )));
        };
        let (url, site) = (Column::new(batch, "url")?, Column::new(batch, "site")?);
        let text =
            |column: &Option<Column<'a>>, row| column.as_ref().and_then(|column| column.text(row));
        let site_of = |row| match text(&site, row) {
            Some(site) => site.to_owned(),
            None => text(&url, row).and_then(host_of).unwrap_or_default(),
        };
        let sites = (0..batch.num_rows()).map(site_of).collect();
        let (id, charset) = (Column::new(batch, "id")?, Column::new(batch, "charset")?);
        // A table may have a column of this name for another purpose.
        let error = Column::new(batch, "error").ok().flatten();
        Ok(Pages { html, error, id, url, charset, sites })
    }

    pub fn rows(&self) -> usize {
        self.sites.len()
    }

    /// The page of a row, and whether there is one: without one, its bytes are empty.
    fn row(&'a self, row: usize) -> (Raw<'a>, bool) {
        let text =
            |column: &Option<Column<'a>>| column.as_ref().and_then(|column| column.text(row));
        let url = text(&self.url);
        let html = self.html.bytes(row);
        let raw = Raw {
            id: text(&self.id).or(url).unwrap_or_default(),
            url,
            site: &self.sites[row],
            charset: if self.html.is_text() { Some("utf-8") } else { text(&self.charset) },
            html: html.unwrap_or_default(),
        };
        (raw, html.is_some())
    }

    /// Why there is no page in a row.
    fn error(&self, row: usize) -> &str {
        self.error.as_ref().and_then(|column| column.text(row)).unwrap_or(NULL_HTML)
    }

    /// The page of a row; `None` if it is null.
    pub fn page(&'a self, row: usize) -> Option<Raw<'a>> {
        let (raw, is_there) = self.row(row);
        is_there.then_some(raw)
    }
}

/// The sample keys of pages: `pattern` and `rank`, as signed numbers in the same order, for tables
/// without unsigned ones.
#[pyfunction]
pub fn sample_keys<'py>(
    py: Python<'py>,
    batch: PyRecordBatch,
    options: &Options,
) -> PyResult<Bound<'py, PyAny>> {
    let batch = batch.into_inner();
    let pages = Pages::new(&batch)?;
    let keys: Vec<Option<SampleKey>> = py.detach(|| {
        (0..pages.rows()).map(|row| pages.page(row).map(|page| page.sample_key(options))).collect()
    });
    to_python(py, RecordBatch::try_from_iter(key_columns(&keys)))
}

/// A batch of `site`, `pattern` and `rank`.
pub fn batch_of_keys<'a>(
    keys: impl Iterator<Item = (&'a str, SampleKey)>,
) -> Result<RecordBatch, ArrowError> {
    let (sites, keys): (Vec<&str>, Vec<Option<SampleKey>>) =
        keys.map(|(site, key)| (site, Some(key))).unzip();
    let site: ArrayRef = Arc::new(StringArray::from(sites));
    RecordBatch::try_from_iter([("site", site)].into_iter().chain(key_columns(&keys)))
}

fn key_columns(keys: &[Option<SampleKey>]) -> [(&'static str, ArrayRef); 2] {
    let column = |part: fn(SampleKey) -> u64| -> ArrayRef {
        Arc::new(keys.iter().map(|key| key.map(part).map(signed)).collect::<Int64Array>())
    };
    [("pattern", column(|key| key.pattern)), ("rank", column(|key| key.rank))]
}

/// Hands a batch to pyarrow.
pub fn to_python(
    py: Python<'_>,
    batch: Result<RecordBatch, ArrowError>,
) -> PyResult<Bound<'_, PyAny>> {
    let batch = batch.map_err(|error| value_error(error.to_string()))?;
    PyRecordBatch::new(batch).into_pyarrow(py)
}

fn signed(number: u64) -> i64 {
    (number ^ (1 << 63)) as i64
}

fn unsigned(number: i64) -> u64 {
    number as u64 ^ (1 << 63)
}

/// The sites and keys of a batch that [`batch_of_keys`] made.
pub fn keys_of_sites(batch: &RecordBatch) -> PyResult<Vec<(&str, SampleKey)>> {
    let wrong = || value_error("no site, pattern and rank: give the batch that Sampler.keys gave");
    let site = Column::new(batch, "site")?.ok_or_else(wrong)?;
    let numbers =
        |name| batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int64Type>());
    let (pattern, rank) = numbers("pattern").zip(numbers("rank")).ok_or_else(wrong)?;
    let key =
        |row| SampleKey { pattern: unsigned(pattern.value(row)), rank: unsigned(rank.value(row)) };
    Ok((0..batch.num_rows()).map(|row| (site.text(row).unwrap_or_default(), key(row))).collect())
}

/// Strips every page of a batch; `find` gives the template of a site.
pub fn clean<'t>(
    batch: &RecordBatch,
    options: &Options,
    find: impl Fn(&str) -> Option<&'t unmold::Template>,
) -> PyResult<Result<RecordBatch, ArrowError>> {
    let pages = Pages::new(batch)?;
    let mut records = RecordColumns::new();
    for row in 0..pages.rows() {
        let (raw, is_there) = pages.row(row);
        records.push(&if is_there {
            raw.clean(find(raw.site), options)
        } else {
            raw.record(CleanPage::failed(pages.error(row)))
        });
    }
    Ok(records.finish())
}

/// A table of pages that grows row by row, laid out as [`Pages`] reads it.
#[derive(Default)]
pub struct PageColumns {
    id: StringBuilder,
    url: StringBuilder,
    site: StringBuilder,
    charset: StringBuilder,
    /// Large, because a sample of many sites may exceed two gigabytes.
    html: LargeBinaryBuilder,
    pub rows: usize,
    pub bytes: usize,
}

impl PageColumns {
    pub fn push(&mut self, page: &Raw<'_>) {
        self.id.append_value(page.id);
        self.url.append_option(page.url);
        self.site.append_value(page.site);
        self.charset.append_option(page.charset);
        self.html.append_value(page.html);
        self.rows += 1;
        self.bytes += page.html.len();
    }

    pub fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let columns: [(&str, ArrayRef, bool); 5] = [
            ("id", Arc::new(self.id.finish()), true),
            ("url", Arc::new(self.url.finish()), true),
            ("site", Arc::new(self.site.finish()), true),
            ("charset", Arc::new(self.charset.finish()), true),
            ("html", Arc::new(self.html.finish()), true),
        ];
        RecordBatch::try_from_iter_with_nullable(columns)
    }
}
