//! Records as Python tuples and as Arrow columns, both derived from [`Record::FIELDS`].

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use unmold::Record;
use unmold::site::{FieldType, Value};

/// Names and types of the fields of a record, in order.
pub fn fields() -> Vec<(&'static str, &'static str)> {
    let type_name = |kind| match kind {
        FieldType::Text => "text",
        FieldType::Number => "number",
        FieldType::Texts => "texts",
    };
    Record::FIELDS.iter().map(|field| (field.name, type_name(field.kind))).collect()
}

/// The values of a record, in the order of its fields.
pub fn to_tuple<'py>(py: Python<'py>, record: &Record) -> PyResult<Bound<'py, PyTuple>> {
    let object = |value| match value {
        Value::Text(text) => text.into_bound_py_any(py),
        Value::Number(number) => number.into_bound_py_any(py),
        Value::Texts(texts) => texts.into_bound_py_any(py),
    };
    let values: Vec<_> = record.values().into_iter().map(object).collect::<PyResult<_>>()?;
    PyTuple::new(py, values)
}

/// A table of records that grows row by row.
pub struct RecordColumns {
    columns: Vec<Column>,
}

enum Column {
    Text(StringBuilder),
    Number(Float64Builder),
    Texts(ListBuilder<StringBuilder>),
}

impl RecordColumns {
    pub fn new() -> RecordColumns {
        let column = |kind| match kind {
            FieldType::Text => Column::Text(StringBuilder::new()),
            FieldType::Number => Column::Number(Float64Builder::new()),
            FieldType::Texts => Column::Texts(ListBuilder::new(StringBuilder::new())),
        };
        RecordColumns { columns: Record::FIELDS.iter().map(|field| column(field.kind)).collect() }
    }

    pub fn push(&mut self, record: &Record) {
        for (column, value) in self.columns.iter_mut().zip(record.values()) {
            match (column, value) {
                (Column::Text(builder), Value::Text(text)) => builder.append_option(text),
                (Column::Number(builder), Value::Number(number)) => builder.append_option(number),
                (Column::Texts(builder), Value::Texts(texts)) => {
                    builder.append_value(texts.into_iter().map(Some));
                }
                _ => unreachable!("a value has the type of its field"),
            }
        }
    }

    pub fn finish(self) -> Result<RecordBatch, ArrowError> {
        let array = |column| -> ArrayRef {
            match column {
                Column::Text(mut builder) => Arc::new(builder.finish()),
                Column::Number(mut builder) => Arc::new(builder.finish()),
                Column::Texts(mut builder) => Arc::new(builder.finish()),
            }
        };
        let columns = Record::FIELDS.iter().zip(self.columns);
        RecordBatch::try_from_iter_with_nullable(
            columns.map(|(field, column)| (field.name, array(column), true)),
        )
    }
}
