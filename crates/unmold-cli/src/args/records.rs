//! Arguments of `unmold records`.

use std::path::PathBuf;

use clap::Args as Flags;

use super::input::InputArgs;
use super::method::{LEARNING_FLAGS, MethodArgs};
use super::output::RunArgs;
use crate::records::{Example, RecordsOptions};

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
    /// of its own, with the kind in its name. Parquet needs the feature `parquet`.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
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
    /// Write the records of lists to tables of their own
    #[arg(long, requires = "output")]
    pub explode: bool,
    #[command(flatten)]
    pub run: RunArgs,
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
            max_columns: self.columns.0,
            want: self.want.clone(),
            examples: examples.collect::<anyhow::Result<_>>()?,
        })
    }
}
