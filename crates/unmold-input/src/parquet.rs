//! Pages in a Parquet file with the columns `html`, `url` and perhaps `id`.
//!
//! Each row group is read by itself, so that damage in one leaves the others readable.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};

use super::source::SourceFile;
use super::{Found, Items, Origin};

/// Rows in memory at a time: pages may be large.
const ROWS: usize = 16;
const COLUMNS: [&str; 3] = ["html", "url", "id"];

/// All pages of the file.
pub fn pages<'a>(source: &SourceFile, origin: &'a Origin) -> Items<'a> {
    match open(source) {
        Err(what) => Box::new(std::iter::once(origin.problem(what))),
        Ok(metadata) => {
            let source = source.clone();
            let groups = 0..metadata.metadata().num_row_groups();
            Box::new(
                groups.flat_map(move |group| RowGroup::open(&source, &metadata, group, origin)),
            )
        }
    }
}

/// The Arrow schema that the writer may have stored is left aside: then there are only plain
/// strings and binaries, and no views, large offsets or dictionaries.
fn open(source: &SourceFile) -> Result<ArrowReaderMetadata, String> {
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = guarded(|| ArrowReaderMetadata::load(source.handle(), options))
        .map_err(|error| format!("cannot read this Parquet file: {error}"))?;
    let Ok(html) = metadata.schema().field_with_name("html") else {
        let names: Vec<_> = metadata.schema().fields().iter().map(|field| field.name()).collect();
        return Err(format!("no column \"html\" among {names:?}: rename the one with the pages"));
    };
    match html.data_type() {
        DataType::Utf8 | DataType::Binary => Ok(metadata),
        other => Err(format!("column \"html\" holds {other}, not strings or binaries")),
    }
}

struct RowGroup<'a> {
    origin: &'a Origin,
    batches: Option<ParquetRecordBatchReader>,
    /// The batch being given out, and the next row in it.
    batch: Option<(RecordBatch, usize)>,
    /// Rows of the file up to now: the number of the next row, from 0.
    row: i64,
    problem: Option<String>,
}

impl<'a> RowGroup<'a> {
    fn open(
        source: &SourceFile,
        metadata: &ArrowReaderMetadata,
        group: usize,
        origin: &'a Origin,
    ) -> Self {
        let groups = &metadata.metadata().row_groups()[..group];
        let bytes_before: i64 = groups.iter().map(|group| group.compressed_size()).sum();
        source.progress().reached(bytes_before.unsigned_abs());
        let row = groups.iter().map(|group| group.num_rows()).sum();
        let (batches, problem) = match batches(source, metadata, group) {
            Ok(batches) => (Some(batches), None),
            Err(problem) => (None, Some(problem)),
        };
        RowGroup { origin, batches, batch: None, row, problem }
    }

    fn next_row(&mut self) -> Option<Found> {
        let (batch, index) = self.batch.as_mut()?;
        let found = found_in(batch, *index, self.row, self.origin);
        *index += 1;
        self.row += 1;
        if *index == batch.num_rows() {
            self.batch = None;
        }
        Some(found)
    }

    fn next_batch(&mut self) -> Option<()> {
        let batches = self.batches.as_mut()?;
        match guarded(|| batches.next().transpose()) {
            Ok(None) => return None,
            Ok(Some(batch)) if batch.num_rows() == 0 => {}
            Ok(Some(batch)) => self.batch = Some((batch, 0)),
            Err(problem) => {
                self.batches = None;
                self.problem = Some(problem);
            }
        }
        Some(())
    }

    fn take_problem(&mut self) -> Option<Found> {
        let what = self.problem.take()?;
        let place = place(self.origin, self.row);
        let what = format!("cannot read the rest of this row group: {what}");
        Some(Found::Problem { place, what })
    }
}

impl Iterator for RowGroup<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            if let Some(found) = self.next_row().or_else(|| self.take_problem()) {
                return Some(found);
            }
            self.next_batch()?;
        }
    }
}

fn batches(
    source: &SourceFile,
    metadata: &ArrowReaderMetadata,
    group: usize,
) -> Result<ParquetRecordBatchReader, String> {
    let file = source.handle().try_clone().map_err(|error| error.to_string())?;
    let wanted = ProjectionMask::columns(metadata.parquet_schema(), COLUMNS);
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
        .with_projection(wanted)
        .with_row_groups(vec![group])
        .with_batch_size(ROWS);
    guarded(|| builder.build())
}

/// The Parquet crate has assertions that damaged files trip over; they must not end the run.
fn guarded<T, E: std::fmt::Display>(step: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(step)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("the file is damaged".to_owned()),
    }
}

fn found_in(batch: &RecordBatch, index: usize, row: i64, origin: &Origin) -> Found {
    let Some(html) = cell(batch, "html", index) else {
        return Found::Problem { place: place(origin, row), what: "\"html\" is null".to_owned() };
    };
    let is_text =
        batch.column_by_name("html").is_some_and(|column| *column.data_type() == DataType::Utf8);
    let text =
        |name| cell(batch, name, index).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let url = text("url");
    let id = text("id").or_else(|| url.clone()).unwrap_or_else(|| origin.numbered(row));
    let html = &html[..html.len().min(origin.read_limit())];
    origin.page(id, url, is_text.then(|| "utf-8".to_owned()), html.to_vec())
}

/// `None` for null, and for columns that are missing or of another type.
fn cell<'a>(batch: &'a RecordBatch, name: &str, index: usize) -> Option<&'a [u8]> {
    let column = batch.column_by_name(name).filter(|column| column.is_valid(index))?;
    match column.data_type() {
        DataType::Utf8 => Some(column.as_string::<i32>().value(index).as_bytes()),
        DataType::Binary => Some(column.as_binary::<i32>().value(index)),
        _ => None,
    }
}

fn place(origin: &Origin, row: i64) -> String {
    format!("{}, row {row}", origin.name)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, BinaryArray, DictionaryArray, Int64Array, LargeBinaryArray, LargeStringArray,
        StringArray, StringViewArray,
    };
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;

    use super::super::tests::{input_of, shown};
    use super::*;

    fn file_of(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let two_rows = WriterProperties::builder().set_max_row_group_row_count(Some(2)).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(two_rows)).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    }

    fn check(columns: Vec<(&str, ArrayRef)>, expected: &[&str]) {
        let (_folder, input) = input_of("some.parquet", &file_of(columns));
        assert_eq!(shown(&input), expected);
    }

    fn urls() -> ArrayRef {
        Arc::new(StringArray::from(vec![Some("http://www.a.org/1"), None, Some("urn:3")]))
    }

    #[test]
    fn all_kinds_of_strings() {
        let pages = || vec!["<p>1", "<p>2", "<p>3"];
        let bytes = || pages().into_iter().map(str::as_bytes).collect::<Vec<_>>();
        let kinds: [ArrayRef; 6] = [
            Arc::new(StringArray::from(pages())),
            Arc::new(LargeStringArray::from(pages())),
            Arc::new(StringViewArray::from(pages())),
            Arc::new(BinaryArray::from(bytes())),
            Arc::new(LargeBinaryArray::from(bytes())),
            Arc::new(pages().into_iter().collect::<DictionaryArray<Int32Type>>()),
        ];
        for kind in kinds {
            let expected = [
                "page http://www.a.org/1 a.org <p>1",
                "page some.parquet:1 some <p>2",
                "page urn:3 some <p>3",
            ];
            check(
                vec![
                    ("url", urls()),
                    ("more", Arc::new(Int64Array::from(vec![1, 2, 3]))),
                    ("html", kind),
                ],
                &expected,
            );
        }
    }

    #[test]
    fn ids_nulls_and_missing_columns() {
        let html = || Arc::new(StringArray::from(vec![Some("1"), None, Some("3")])) as ArrayRef;
        let id = Arc::new(StringArray::from(vec!["x", "y", "z"]));
        check(
            vec![("id", id), ("url", urls()), ("html", html())],
            &["page x a.org 1", "problem some.parquet, row 1 \"html\" is null", "page z some 3"],
        );
        check(
            vec![("html", html())],
            &[
                "page some.parquet:0 some 1",
                "problem some.parquet, row 1 \"html\" is null",
                "page some.parquet:2 some 3",
            ],
        );
        check(
            vec![("url", urls())],
            &[
                "problem some.parquet no column \"html\" among [\"url\"]: rename the one with the pages",
            ],
        );
    }

    #[test]
    fn damage_in_one_row_group_leaves_the_others() {
        let long = |n: usize| format!("<p>{n} {}", "x".repeat(50));
        let html = Arc::new(StringArray::from((0..6).map(long).collect::<Vec<_>>()));
        let mut file = file_of(vec![("html", html)]);
        // Make nonsense of the first page header.
        file[4..14].fill(0xFF);
        let (_folder, input) = input_of("some.parquet", &file);
        let found = shown(&input);
        assert!(
            found[0].starts_with("problem some.parquet, row 0 cannot read the rest"),
            "{found:?}"
        );
        assert_eq!(found.len(), 5, "{found:?}");
        let (_folder, input) = input_of("some.parquet", &file[..file.len() / 2]);
        assert!(shown(&input)[0].contains("cannot read this Parquet file"));
    }
}
