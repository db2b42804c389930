//! Writes a table as JSONL, CSV or Parquet.

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::{Map, Value};
use unmold::records::{ColumnType, Field, Shape};

use crate::output::{Content, Sink, printable_text};

/// How a table is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFormat {
    Jsonl,
    Csv,
    Parquet,
}

impl TableFormat {
    /// By the extension of the file.
    pub fn of(output: Option<&Path>) -> Result<TableFormat> {
        let Some(path) = output.filter(|path| path.as_os_str() != "-") else {
            return Ok(TableFormat::Jsonl);
        };
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match extension.as_str() {
            "jsonl" | "ndjson" => Ok(TableFormat::Jsonl),
            "csv" => Ok(TableFormat::Csv),
            "parquet" => TableFormat::Parquet.checked(),
            _ => bail!("{}: name it .jsonl, .csv or .parquet", path.display()),
        }
    }

    /// The format, if this build writes it.
    pub fn checked(self) -> Result<TableFormat> {
        if self == TableFormat::Parquet && !cfg!(feature = "parquet") {
            bail!(
                "this build writes no Parquet: build with `--features parquet`, or write .csv or \
                 .jsonl"
            );
        }
        Ok(self)
    }

    pub fn extension(self) -> &'static str {
        match self {
            TableFormat::Jsonl => "jsonl",
            TableFormat::Csv => "csv",
            TableFormat::Parquet => "parquet",
        }
    }

    /// What a file of this format holds that may be replaced: a table of pages or of a list.
    pub fn content(self, is_list: bool) -> Content<'static> {
        match (self, is_list) {
            (TableFormat::Jsonl, false) => Content::Lines(&["id", "url"]),
            (TableFormat::Jsonl, true) => Content::Lines(&["page", "position"]),
            (TableFormat::Csv, false) => Content::Start("id,url"),
            (TableFormat::Csv, true) => Content::Start("page,position"),
            (TableFormat::Parquet, _) => Content::Start("PAR1"),
        }
    }
}

/// A table that is being written.
pub struct TableWriter {
    fields: Vec<Field>,
    /// Names of the fields before those of the schema.
    fixed: &'static [&'static str],
    target: Target,
}

enum Target {
    Jsonl(Sink),
    Csv(Sink),
    #[cfg(feature = "parquet")]
    Parquet(Box<super::parquet::ParquetTable>),
}

impl TableWriter {
    pub fn create(
        format: TableFormat,
        path: Option<&Path>,
        fixed: &'static [&'static str],
        fields: &[Field],
    ) -> Result<TableWriter> {
        let mut sink = Sink::create(path)?;
        let target = match format {
            TableFormat::Jsonl => Target::Jsonl(sink),
            TableFormat::Csv => {
                let mut header: Vec<String> = fixed.iter().map(|name| (*name).to_owned()).collect();
                fields.iter().for_each(|field| csv_names(field, &mut header));
                sink.write(csv_line(&header).as_bytes())?;
                Target::Csv(sink)
            }
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => {
                Target::Parquet(Box::new(super::parquet::ParquetTable::new(sink, fixed, fields)?))
            }
            #[cfg(not(feature = "parquet"))]
            TableFormat::Parquet => bail!("this build writes no Parquet"),
        };
        Ok(TableWriter { fields: fields.to_vec(), fixed, target })
    }

    /// The values of a record, in the order of the fields.
    pub fn in_order(&self, record: &Map<String, Value>) -> Vec<Value> {
        let value = |field: &Field| record.get(&field.name).cloned().unwrap_or_default();
        self.fields.iter().map(value).collect()
    }

    /// Writes a row: the fixed values, and one for each field.
    pub fn write(&mut self, fixed: &[Value], values: &[Value]) -> Result<()> {
        match &mut self.target {
            Target::Jsonl(sink) => {
                let names = self.fields.iter().map(|field| field.name.as_str());
                let line = json_line(self.fixed, fixed, names, values)?;
                sink.write(line.as_bytes())
            }
            Target::Csv(sink) => {
                let mut cells: Vec<String> = fixed.iter().map(csv_cell).collect();
                for (field, value) in self.fields.iter().zip(values) {
                    csv_cells(field, value, &mut cells);
                }
                sink.write(csv_line(&cells).as_bytes())
            }
            #[cfg(feature = "parquet")]
            Target::Parquet(table) => table.write(fixed, values),
        }
    }

    /// Writes a row of a table whose fields differ from row to row.
    pub fn write_as(&mut self, fields: &[Field], fixed: &[Value], values: &[Value]) -> Result<()> {
        let Target::Jsonl(sink) = &mut self.target else {
            bail!("only JSONL holds rows of several kinds");
        };
        let names = fields.iter().map(|field| field.name.as_str());
        sink.write(json_line(self.fixed, fixed, names, values)?.as_bytes())
    }

    pub fn finish(self) -> Result<()> {
        match self.target {
            Target::Jsonl(sink) | Target::Csv(sink) => sink.finish(),
            #[cfg(feature = "parquet")]
            Target::Parquet(table) => table.finish(),
        }
    }
}

/// A row as JSON, in the order of the fields.
fn json_line<'f>(
    fixed_names: &[&str],
    fixed: &[Value],
    names: impl Iterator<Item = &'f str>,
    values: &[Value],
) -> Result<String> {
    let mut line = String::from("{");
    let mut add = |name: &str, value: &Value| -> Result<()> {
        if line.len() > 1 {
            line.push(',');
        }
        line.push_str(&serde_json::to_string(name)?);
        line.push(':');
        line.push_str(&serde_json::to_string(value)?);
        Ok(())
    };
    for (name, value) in fixed_names.iter().zip(fixed) {
        add(name, value)?;
    }
    for (name, value) in names.zip(values) {
        add(name, value)?;
    }
    line.push_str("}\n");
    Ok(line)
}

/// The parts of a value that have a column of their own in CSV.
fn parts(shape: &Shape) -> Option<[&'static str; 2]> {
    match shape {
        Shape::Value(ColumnType::Money) => Some(["amount", "currency"]),
        Shape::Value(ColumnType::Quantity) => Some(["value", "unit"]),
        _ => None,
    }
}

fn csv_names(field: &Field, names: &mut Vec<String>) {
    names.push(field.name.clone());
    if let Some([_, second]) = parts(&field.shape) {
        names.push(format!("{}_{second}", field.name));
    }
}

fn csv_cells(field: &Field, value: &Value, cells: &mut Vec<String>) {
    match parts(&field.shape) {
        Some(parts) => cells.extend(parts.map(|part| csv_cell(&value[part]))),
        None => cells.push(csv_cell(value)),
    }
}

/// A list of texts is joined; what else has parts is JSON.
fn csv_cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) if values.iter().all(|value| !value.is_object()) => {
            values.iter().map(csv_cell).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

fn csv_line(cells: &[String]) -> String {
    let quoted = |cell: &String| {
        let cell = printable_text(cell);
        if cell.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.into_owned()
        }
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_lists_joined() {
        let cells = ["a,b", "say \"x\"", "plain"].map(str::to_owned);
        assert_eq!(csv_line(&cells), "\"a,b\",\"say \"\"x\"\"\",plain\n");
        assert_eq!(csv_cell(&serde_json::json!(["a", "b"])), "a; b");
        assert_eq!(csv_cell(&Value::Null), "");
        assert_eq!(csv_line(&["a\u{1b}[2J".to_owned()]), "a\u{fffd}[2J\n");
    }
}
