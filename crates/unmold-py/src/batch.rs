//! Tables of pages: Arrow batches in and out, their buffers shared with Python.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, LargeBinaryBuilder, ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use unmold::site::Lot;
use unmold_input::host_of;

use crate::options::Options;
use crate::page::{Raw, Row};

/// A column of texts or bytes, however Arrow lays it out.
struct Column<'a> {
    array: &'a ArrayRef,
}

impl<'a> Column<'a> {
    fn new(batch: &'a RecordBatch, name: &str) -> PyResult<Option<Column<'a>>> {
        let Some(array) = batch.column_by_name(name) else { return Ok(None) };
        match array.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {}
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView if name == "html" => {}
            // What a table of nothing but nulls has.
            DataType::Null => return Ok(None),
            other => {
                let message = format!("column {name:?} holds {other}: give it as strings");
                return Err(PyValueError::new_err(message));
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

/// A batch of pages: column `html`, and `id`, `url`, `site`, `charset` where there are such.
pub struct Pages<'a> {
    html: Column<'a>,
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
            let message =
                format!("no column \"html\" among {names:?}: rename the one with the pages");
            return Err(PyValueError::new_err(message));
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
        Ok(Pages { html, id, url, charset, sites })
    }

    pub fn rows(&self) -> usize {
        self.sites.len()
    }

    /// The page of a row, even if there is none: then its bytes are `None`.
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

    /// The page of a row; `None` where it is null.
    pub fn page(&'a self, row: usize) -> Option<Raw<'a>> {
        let (raw, is_there) = self.row(row);
        is_there.then_some(raw)
    }
}

/// The lots of pages in the draw of their sites, `pattern` and `rank`: as signed numbers in the
/// same order, for tables that know no unsigned ones.
#[pyfunction]
pub fn lots<'py>(
    py: Python<'py>,
    batch: PyRecordBatch,
    options: &Options,
) -> PyResult<Bound<'py, PyAny>> {
    let batch = batch.into_inner();
    let pages = Pages::new(&batch)?;
    let lots: Vec<Option<Lot>> = py.detach(|| {
        (0..pages.rows()).map(|row| pages.page(row).map(|page| page.lot(options))).collect()
    });
    to_python(py, RecordBatch::try_from_iter(lot_columns(&lots)))
}

/// A batch of `site`, `pattern` and `rank`.
pub fn batch_of_lots<'a>(
    lots: impl Iterator<Item = (&'a str, Lot)>,
) -> Result<RecordBatch, ArrowError> {
    let (sites, lots): (Vec<&str>, Vec<Option<Lot>>) =
        lots.map(|(site, lot)| (site, Some(lot))).unzip();
    let site: ArrayRef = Arc::new(StringArray::from(sites));
    RecordBatch::try_from_iter([("site", site)].into_iter().chain(lot_columns(&lots)))
}

fn lot_columns(lots: &[Option<Lot>]) -> [(&'static str, ArrayRef); 2] {
    let column = |part: fn(Lot) -> u64| -> ArrayRef {
        Arc::new(lots.iter().map(|lot| lot.map(part).map(signed)).collect::<Int64Array>())
    };
    [("pattern", column(|lot| lot.pattern)), ("rank", column(|lot| lot.rank))]
}

/// Hands a batch to pyarrow.
pub fn to_python(
    py: Python<'_>,
    batch: Result<RecordBatch, ArrowError>,
) -> PyResult<Bound<'_, PyAny>> {
    let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
    PyRecordBatch::new(batch).into_pyarrow(py)
}

fn signed(number: u64) -> i64 {
    (number ^ (1 << 63)) as i64
}

fn unsigned(number: i64) -> u64 {
    number as u64 ^ (1 << 63)
}

/// The sites and lots of a batch that a sampler gave.
pub fn lots_of_sites(batch: &RecordBatch) -> PyResult<Vec<(&str, Lot)>> {
    let wrong =
        || PyValueError::new_err("not what Sampler.lots gave: it has site, pattern and rank");
    let site = Column::new(batch, "site")?.ok_or_else(wrong)?;
    let numbers =
        |name| batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int64Type>());
    let (pattern, rank) = numbers("pattern").zip(numbers("rank")).ok_or_else(wrong)?;
    let lot = |row| Lot { pattern: unsigned(pattern.value(row)), rank: unsigned(rank.value(row)) };
    Ok((0..batch.num_rows()).map(|row| (site.text(row).unwrap_or_default(), lot(row))).collect())
}

/// Strips every page of a batch; `find` gives the templates of a site.
pub fn clean<'t>(
    batch: &RecordBatch,
    options: &Options,
    find: impl Fn(&str) -> Option<&'t unmold::TemplateSet>,
) -> PyResult<Result<RecordBatch, ArrowError>> {
    let pages = Pages::new(batch)?;
    let mut records = Records::default();
    for row in 0..pages.rows() {
        let (raw, is_there) = pages.row(row);
        let clean = if is_there {
            raw.clean(find(raw.site), options)
        } else {
            Row::failed("\"html\" is null")
        };
        records.push(&raw, clean);
    }
    Ok(records.finish())
}

/// The records of pages, column by column.
#[derive(Default)]
struct Records {
    id: StringBuilder,
    url: StringBuilder,
    site: StringBuilder,
    template: StringBuilder,
    title: StringBuilder,
    text: StringBuilder,
    content_share: Float64Builder,
    template_match: Float64Builder,
    flags: ListBuilder<StringBuilder>,
    error: StringBuilder,
}

impl Records {
    fn push(&mut self, page: &Raw<'_>, row: Row) {
        self.id.append_value(page.id);
        self.url.append_option(page.url);
        self.site.append_value(page.site);
        self.template.append_option(row.template);
        self.title.append_option(row.title);
        self.text.append_value(row.text);
        self.content_share.append_value(row.content_share);
        self.template_match.append_option(row.template_match);
        self.flags.append_value(row.flags.into_iter().map(Some));
        self.error.append_option(row.error);
    }

    fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let columns: [(&str, ArrayRef, bool); 10] = [
            ("id", Arc::new(self.id.finish()), true),
            ("url", Arc::new(self.url.finish()), true),
            ("site", Arc::new(self.site.finish()), true),
            ("template", Arc::new(self.template.finish()), true),
            ("title", Arc::new(self.title.finish()), true),
            ("text", Arc::new(self.text.finish()), true),
            ("content_share", Arc::new(self.content_share.finish()), true),
            ("template_match", Arc::new(self.template_match.finish()), true),
            ("flags", Arc::new(self.flags.finish()), true),
            ("error", Arc::new(self.error.finish()), true),
        ];
        RecordBatch::try_from_iter_with_nullable(columns)
    }
}

/// Pages, column by column: a batch that [`Pages`] reads.
#[derive(Default)]
pub struct PageColumns {
    id: StringBuilder,
    url: StringBuilder,
    site: StringBuilder,
    charset: StringBuilder,
    /// Large: a sample of many sites may pass two gigabytes.
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
