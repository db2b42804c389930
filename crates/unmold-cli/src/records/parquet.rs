//! Tables as Parquet, by way of Arrow.

use std::io::Write;
use std::sync::Arc;

use anyhow::{Context, Result};
use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field as ArrowField, Fields, Schema as ArrowSchema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde_json::Value;
use unmold::records::{ColumnType, Field, Shape};

use crate::output::Sink;

/// Rows that are turned into Arrow at once.
const BATCH: usize = 1024;

/// A Parquet file that is being written.
pub struct ParquetTable {
    writer: ArrowWriter<SinkWriter>,
    schema: Arc<ArrowSchema>,
    rows: Vec<Vec<Value>>,
}

/// [`Sink`] as the writer of another library.
struct SinkWriter(Sink);

impl Write for SinkWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes).map_err(std::io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl ParquetTable {
    pub fn new(sink: Sink, fixed: &[&str], fields: &[Field]) -> Result<ParquetTable> {
        let fixed = fixed.iter().map(|&name| {
            let kind = if name == "position" { DataType::Int64 } else { DataType::Utf8 };
            ArrowField::new(name, kind, true)
        });
        let all: Fields = fixed.chain(fields.iter().map(arrow_field)).collect();
        let schema = Arc::new(ArrowSchema::new(all));
        let compression = Compression::ZSTD(ZstdLevel::default());
        let properties = WriterProperties::builder().set_compression(compression).build();
        let writer = ArrowWriter::try_new(SinkWriter(sink), schema.clone(), Some(properties))
            .context("cannot start the Parquet file")?;
        Ok(ParquetTable { writer, schema, rows: Vec::new() })
    }

    pub fn write(&mut self, fixed: &[Value], values: &[Value]) -> Result<()> {
        self.rows.push([fixed, values].concat());
        if self.rows.len() >= BATCH { self.write_batch() } else { Ok(()) }
    }

    fn write_batch(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        let column = |(at, field): (usize, &Arc<ArrowField>)| {
            let values: Vec<&Value> = rows.iter().map(|row| &row[at]).collect();
            array(field.data_type(), &values)
        };
        let columns = self.schema.fields().iter().enumerate().map(column).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), columns)?;
        self.writer.write(&batch).context("cannot write the Parquet file")
    }

    pub fn finish(mut self) -> Result<()> {
        self.write_batch()?;
        let SinkWriter(sink) = self.writer.into_inner().context("cannot write the Parquet file")?;
        sink.finish()
    }
}

fn arrow_field(field: &Field) -> ArrowField {
    let item = |kind: DataType| DataType::List(Arc::new(ArrowField::new("item", kind, true)));
    let kind = match &field.shape {
        Shape::Value(kind) => value_type(*kind),
        Shape::List(kind) => item(value_type(*kind)),
        Shape::Records(fields) => item(DataType::Struct(fields.iter().map(arrow_field).collect())),
        _ => DataType::Utf8,
    };
    ArrowField::new(&field.name, kind, true)
}

fn value_type(kind: ColumnType) -> DataType {
    let pair = |number: &str, text: &str| {
        DataType::Struct(Fields::from(vec![
            ArrowField::new(number, DataType::Float64, true),
            ArrowField::new(text, DataType::Utf8, true),
        ]))
    };
    match kind {
        ColumnType::Int => DataType::Int64,
        ColumnType::Float | ColumnType::Percent => DataType::Float64,
        ColumnType::Money => pair("amount", "currency"),
        ColumnType::Quantity => pair("value", "unit"),
        _ => DataType::Utf8,
    }
}

/// Values of one type. Types nest at most four deep.
fn array(kind: &DataType, values: &[&Value]) -> ArrayRef {
    match kind {
        DataType::Int64 => {
            let mut builder = Int64Builder::new();
            values.iter().for_each(|value| builder.append_option(value.as_i64()));
            Arc::new(builder.finish())
        }
        DataType::Float64 => {
            let mut builder = Float64Builder::new();
            values.iter().for_each(|value| builder.append_option(value.as_f64()));
            Arc::new(builder.finish())
        }
        DataType::Struct(fields) => {
            let nulls = NullBuffer::from_iter(values.iter().map(|value| value.is_object()));
            let column = |field: &Arc<ArrowField>| {
                let values: Vec<&Value> =
                    values.iter().map(|value| &value[field.name().as_str()]).collect();
                array(field.data_type(), &values)
            };
            let columns: Vec<ArrayRef> = fields.iter().map(column).collect();
            Arc::new(StructArray::new(fields.clone(), columns, Some(nulls)))
        }
        DataType::List(item) => {
            let of = |value: &&Value| value.as_array().map_or(0, Vec::len);
            let offsets = OffsetBuffer::from_lengths(values.iter().map(of));
            let nulls = NullBuffer::from_iter(values.iter().map(|value| value.is_array()));
            let items: Vec<&Value> =
                values.iter().filter_map(|value| value.as_array()).flatten().collect();
            let items = array(item.data_type(), &items);
            Arc::new(ListArray::new(item.clone(), offsets, items, Some(nulls)))
        }
        _ => {
            let mut builder = StringBuilder::new();
            values.iter().for_each(|value| builder.append_option(value.as_str()));
            Arc::new(builder.finish())
        }
    }
}
