//! Arguments of `unmold records`.

use std::path::PathBuf;

use clap::{Args as Flags, ValueEnum};
use unmold::records::ColumnType;

use super::input::InputArgs;
use super::method::{LEARNING_FLAGS, MethodArgs};
use super::output::RunArgs;
use crate::records::{ColumnEdit, Example, RecordsOptions, TableFormat};

#[derive(Flags, Debug)]
pub struct RecordsArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub method: MethodArgs,
    /// Template file or store written by `unmold learn --records` [default: learn from the input]
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with = "paper",
        conflicts_with_all = LEARNING_FLAGS
    )]
    pub template: Option<PathBuf>,
    /// Write to this file; .jsonl, .csv or .parquet says how [default: JSONL to standard output]
    ///
    /// In CSV and Parquet each kind of page is a table. If there are several, each goes to a file
    /// of its own, with the kind in its name. A folder, or a name that ends in /, gets a file for
    /// each kind, SITE/KIND.csv. Parquet needs the feature `parquet`.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Format of the files in a folder
    #[arg(long, value_enum, default_value_t = TableFormatName::Csv)]
    pub format: TableFormatName,
    /// Also write the text of numbers, dates and amounts, in columns that end in _raw
    #[arg(long)]
    pub raw: bool,
    /// Describe the columns of each kind in this JSON file
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// Write this many columns, the most likely wanted first, or `all`
    #[arg(long, value_name = "N", default_value = "30", value_parser = parse_columns)]
    pub columns: Columns,
    /// Write the column that these words describe, for example 'price|msrp'; repeat for more
    #[arg(long, value_name = "WORDS")]
    pub want: Vec<String>,
    /// Write the column that has this value on this page, for example page.html price='$9'
    #[arg(long, num_args = 2, value_names = ["PAGE", "NAME=VALUE"])]
    pub example: Vec<String>,
    /// Take values from structured data where pages have it: JSON-LD, Open Graph, microdata
    ///
    /// Columns that are there only are added. Without this flag structured data only helps to name
    /// columns.
    #[arg(long)]
    pub structured: bool,
    /// Write the records of lists to tables of their own
    #[arg(long, requires = "output")]
    pub explode: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Names of formats.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFormatName {
    Jsonl,
    Csv,
    Parquet,
}

#[derive(Flags, Debug)]
pub struct ColumnsArgs {
    /// Template file or store written by `unmold learn --records`
    pub template: PathBuf,
    /// Only this kind of page, for example shop#1
    #[arg(long, value_name = "NAME")]
    pub kind: Option<String>,
    /// Give a column another name
    #[arg(long, value_name = "COLUMN=NAME")]
    pub rename: Vec<String>,
    /// Leave a column out
    #[arg(long, value_name = "COLUMN")]
    pub drop: Vec<String>,
    /// Read the values of a column as this type
    ///
    /// Types are int, float, money, date, quantity, percent, url, email, phone, text and prose.
    #[arg(long = "type", value_name = "COLUMN=TYPE")]
    pub types: Vec<String>,
    /// Fill a column from another one on pages where it has no value; the other one is left out
    #[arg(long, value_name = "COLUMN=OTHER")]
    pub merge: Vec<String>,
    /// Split the values of a column into columns, for example size=width,height at ' x '
    #[arg(long, num_args = 2, value_names = ["COLUMN=NAME,NAME", "BETWEEN"])]
    pub split: Vec<String>,
    /// Undo all corrections of a column
    #[arg(long, value_name = "COLUMN")]
    pub undo: Vec<String>,
}

fn pair<'a>(flag: &str, text: &'a str) -> anyhow::Result<(&'a str, &'a str)> {
    match text.split_once('=') {
        Some((column, other)) if !column.is_empty() && !other.is_empty() => Ok((column, other)),
        _ => anyhow::bail!("{flag} {text:?}: expected COLUMN=…"),
    }
}

impl ColumnsArgs {
    /// The corrections, in the order in which they make sense: columns are undone first and
    /// renamed last.
    pub fn edits(&self) -> anyhow::Result<Vec<ColumnEdit>> {
        let mut edits = Vec::new();
        edits.extend(self.undo.iter().map(|column| ColumnEdit::Undo(column.clone())));
        for text in &self.types {
            let (column, name) = pair("--type", text)?;
            let kind = ColumnType::named(name)
                .ok_or_else(|| anyhow::anyhow!("--type {text:?}: no type {name:?}"))?;
            edits.push(ColumnEdit::Type(column.to_owned(), kind));
        }
        for text in &self.merge {
            let (column, other) = pair("--merge", text)?;
            edits.push(ColumnEdit::Merge(column.to_owned(), other.to_owned()));
        }
        for text in self.split.chunks(2) {
            let (column, names) = pair("--split", &text[0])?;
            let names = names.split(',').map(str::to_owned).collect();
            edits.push(ColumnEdit::Split(column.to_owned(), names, text[1].clone()));
        }
        edits.extend(self.drop.iter().map(|column| ColumnEdit::Drop(column.clone())));
        for text in &self.rename {
            let (column, name) = pair("--rename", text)?;
            edits.push(ColumnEdit::Rename(column.to_owned(), name.to_owned()));
        }
        Ok(edits)
    }
}

/// How many columns to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Columns(Option<usize>);

fn parse_columns(text: &str) -> Result<Columns, String> {
    match (text, text.parse()) {
        ("all", _) => Ok(Columns(None)),
        (_, Ok(columns)) if columns >= 1 => Ok(Columns(Some(columns))),
        _ => Err("expected a number of at least 1, or `all`".to_owned()),
    }
}

impl RecordsArgs {
    pub fn options(&self) -> anyhow::Result<RecordsOptions> {
        let examples = self.example.chunks(2).map(|pair| match pair {
            [page, value] => Example::new(page.into(), value),
            _ => anyhow::bail!("--example needs a page and a value"),
        });
        Ok(RecordsOptions {
            output: self.output.clone(),
            schema: self.schema.clone(),
            raw: self.raw,
            explode: self.explode,
            structured: self.structured,
            use_only_template: self.template.is_some(),
            format: match self.format {
                TableFormatName::Jsonl => TableFormat::Jsonl,
                TableFormatName::Csv => TableFormat::Csv,
                TableFormatName::Parquet => TableFormat::Parquet,
            },
            max_columns: self.columns.0,
            want: self.want.clone(),
            examples: examples.collect::<anyhow::Result<_>>()?,
        })
    }
}
