//! Pages in a Parquet file with the columns `html`, `url` and perhaps `id`, or under other names.
//!
//! Each row group is read by itself, so that damage in one leaves the others readable. Strings are
//! read as bytes: one that is not UTF-8 must not cost the rows around it.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Type as PhysicalType;
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, RowGroupMetaData,
};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::footer::has_booleans;
use super::options::Columns;
use super::origin::Origin;
use super::page::InputEvent;
use super::source::{SourceFile, read_at_most};

/// Rows in memory at a time: at most this many, and fewer if pages may be large.
const MAX_ROWS: usize = 16;
/// Bytes of pages in memory at a time, if the file is right about their sizes. A page may be
/// repeated in many rows, so the size of a row group bounds one page, not their sum.
const BATCH_BYTES: i64 = 64 << 20;

/// All pages of the file.
pub fn pages<'a>(
    source: &SourceFile,
    origin: &'a Origin,
) -> Box<dyn Iterator<Item = InputEvent> + Send + 'a> {
    match open(source, &origin.columns) {
        Err(what) => Box::new(std::iter::once(origin.problem(what))),
        Ok(file) => {
            let source = source.clone();
            let groups = 0..file.metadata.metadata().num_row_groups();
            Box::new(groups.flat_map(move |group| RowGroup::open(&source, &file, group, origin)))
        }
    }
}

struct File {
    metadata: ArrowReaderMetadata,
    /// The pages are strings, so their charset is UTF-8.
    is_text: bool,
}

fn open(source: &SourceFile, columns: &Columns) -> Result<File, String> {
    let name = &columns.html;
    if has_booleans(&footer_of(source).map_err(|error| error.to_string())?) {
        return Err("cannot read this Parquet file: its footer is damaged".to_owned());
    }
    let metadata = guarded(|| ArrowReaderMetadata::load(source.handle(), options()))
        .map_err(|error| format!("cannot read this Parquet file: {error}"))?;
    let Ok(html) = metadata.schema().field_with_name(name) else {
        let names: Vec<_> = metadata.schema().fields().iter().map(|field| field.name()).collect();
        return Err(format!(
            "no column {name:?} among {names:?}: name the one with the pages (--input-columns html=NAME)"
        ));
    };
    let is_text = match html.data_type() {
        DataType::Utf8 => true,
        DataType::Binary => false,
        other => return Err(format!("column {name:?} holds {other}, not strings or binaries")),
    };
    let metadata = guarded(|| with_strings_as_bytes(metadata.metadata(), columns))
        .map_err(|error| format!("cannot read this Parquet file: {error}"))?;
    Ok(File { metadata, is_text })
}

/// The bytes of the footer, as far as they are there: its length and `PAR1` end the file.
fn footer_of(source: &SourceFile) -> std::io::Result<Vec<u8>> {
    let Some(end) = source.len()?.checked_sub(8) else { return Ok(Vec::new()) };
    let tail = read_at_most(source.at(end), 4)?;
    let length = tail.try_into().map_or(0, u32::from_le_bytes);
    let start = end.saturating_sub(u64::from(length));
    read_at_most(source.at(start), (end - start) as usize)
}

/// Ignores the Arrow schema that the writer may have stored: without it there are only plain
/// strings and binaries, no views, large offsets or dictionaries.
fn options() -> ArrowReaderOptions {
    ArrowReaderOptions::new().with_skip_arrow_metadata(true)
}

/// The same file, with strings declared as bytes in our columns. The Parquet crate fails on a whole
/// batch if one string in it is not UTF-8, and does not let its readers choose another type.
fn with_strings_as_bytes(
    metadata: &ParquetMetaData,
    columns: &Columns,
) -> Result<ArrowReaderMetadata, ParquetError> {
    let file = metadata.file_metadata();
    let root = file.schema_descr().root_schema();
    let fields =
        root.get_fields().iter().map(|field| as_bytes(field, columns)).collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder(root.name()).with_fields(fields).build()?;
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(ToOwned::to_owned),
        None,
        Arc::new(SchemaDescriptor::new(Arc::new(schema))),
        None,
    );
    let metadata = ParquetMetaData::new(file, metadata.row_groups().to_vec());
    ArrowReaderMetadata::try_new(Arc::new(metadata), options())
}

fn as_bytes(field: &TypePtr, columns: &Columns) -> Result<TypePtr, ParquetError> {
    let is_ours = columns.names().contains(&field.name()) && field.is_primitive();
    if !is_ours || field.get_physical_type() != PhysicalType::BYTE_ARRAY {
        return Ok(field.clone());
    }
    let bytes = Type::primitive_type_builder(field.name(), PhysicalType::BYTE_ARRAY)
        .with_repetition(field.get_basic_info().repetition())
        .build()?;
    Ok(Arc::new(bytes))
}

struct RowGroup<'a> {
    origin: &'a Origin,
    is_text: bool,
    batches: Option<ParquetRecordBatchReader>,
    /// The batch being given out, and the next row in it.
    batch: Option<(RecordBatch, usize)>,
    /// Number of the next row in the file, from 0.
    row: i64,
    problem: Option<String>,
}

impl<'a> RowGroup<'a> {
    fn open(source: &SourceFile, file: &File, group: usize, origin: &'a Origin) -> Self {
        let groups = &file.metadata.metadata().row_groups()[..group];
        let bytes_before: i64 = groups.iter().map(|group| group.compressed_size()).sum();
        source.progress().reached(bytes_before.unsigned_abs());
        let row = groups.iter().map(|group| group.num_rows()).sum();
        let (batches, problem) = match batches(source, &file.metadata, group, &origin.columns) {
            Ok(batches) => (Some(batches), None),
            Err(problem) => (None, Some(problem)),
        };
        RowGroup { origin, is_text: file.is_text, batches, batch: None, row, problem }
    }

    fn next_row(&mut self) -> Option<InputEvent> {
        let (batch, index) = self.batch.as_mut()?;
        let event = event_of(batch, *index, self.row, self.is_text, self.origin);
        *index += 1;
        self.row += 1;
        if *index == batch.num_rows() {
            self.batch = None;
        }
        Some(event)
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

    fn take_problem(&mut self) -> Option<InputEvent> {
        let what = self.problem.take()?;
        let place = place(self.origin, self.row);
        let what = format!("cannot read the rest of this row group: {what}");
        Some(InputEvent::Problem { place, what })
    }
}

impl Iterator for RowGroup<'_> {
    type Item = InputEvent;

    fn next(&mut self) -> Option<InputEvent> {
        loop {
            if let Some(event) = self.next_row().or_else(|| self.take_problem()) {
                return Some(event);
            }
            self.next_batch()?;
        }
    }
}

fn batches(
    source: &SourceFile,
    metadata: &ArrowReaderMetadata,
    group: usize,
    columns: &Columns,
) -> Result<ParquetRecordBatchReader, String> {
    let file = source.handle().try_clone().map_err(|error| error.to_string())?;
    let wanted = ProjectionMask::columns(metadata.parquet_schema(), columns.names());
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
        .with_projection(wanted)
        .with_row_groups(vec![group])
        .with_batch_size(rows_at_a_time(metadata.metadata().row_group(group), &columns.html));
    guarded(|| builder.build())
}

fn rows_at_a_time(group: &RowGroupMetaData, html: &str) -> usize {
    let is_html = |column: &&ColumnChunkMetaData| column.column_path().parts() == [html];
    let bytes = group.columns().iter().find(is_html).map_or(0, |column| column.uncompressed_size());
    usize::try_from(BATCH_BYTES / bytes.max(1)).unwrap_or(1).clamp(1, MAX_ROWS)
}

/// Turns a panic into an error: damaged files trigger assertions in the Parquet crate.
fn guarded<T, E: std::fmt::Display>(step: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(step)) {
        Ok(result) => result.map_err(|error| readable(&error.to_string())),
        Err(_) => Err("the file is damaged".to_owned()),
    }
}

/// The message of an error, with advice where the Parquet crate gives none.
fn readable(error: &str) -> String {
    match error.split_once("Disabled feature at compile time: ") {
        Some((_, codec)) => {
            format!("compression with {codec} is not supported: write the file with zstd or snappy")
        }
        None => error.to_owned(),
    }
}

fn event_of(
    batch: &RecordBatch,
    index: usize,
    row: i64,
    is_text: bool,
    origin: &Origin,
) -> InputEvent {
    let columns = &origin.columns;
    let Some(html) = cell(batch, &columns.html, index) else {
        let what = format!("{:?} is null", columns.html);
        return InputEvent::Problem { place: place(origin, row), what };
    };
    let text = |name: &str| {
        cell(batch, name, index).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    let url = text(&columns.url);
    let id = text(&columns.id).or_else(|| url.clone()).unwrap_or_else(|| origin.numbered(row));
    let charset = is_text.then(|| "utf-8".to_owned());
    let html = &html[..html.len().min(origin.read_limit())];
    InputEvent::Page(origin.page(id, url, charset, html.to_vec()))
}

/// `None` for null, and for columns that are missing or of another type.
fn cell<'a>(batch: &'a RecordBatch, name: &str, index: usize) -> Option<&'a [u8]> {
    let column = batch.column_by_name(name).filter(|column| column.is_valid(index))?;
    match column.data_type() {
        DataType::Binary => Some(column.as_binary::<i32>().value(index)),
        _ => None,
    }
}

fn place(origin: &Origin, row: i64) -> String {
    format!("{}, row {row}", origin.name)
}

#[cfg(test)]
mod tests {
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

    /// Skipping two thousand million booleans takes seconds, and the file has 4 000 such lists.
    #[test]
    fn lists_of_booleans_in_a_footer_take_no_time() {
        let list = b"\xf1\xff\xff\xff\xff\x07";
        let footer = [b"\xf9\xf9\xa0\x1f".as_slice(), &list.repeat(4_000), b"\0"].concat();
        let length = (footer.len() as u32).to_le_bytes();
        let file = [b"PAR1", footer.as_slice(), &length, b"PAR1"].concat();
        let (_folder, input) = input_of("bomb.parquet", &file);
        let found = shown(&input);
        assert!(found[0].ends_with("its footer is damaged"), "{found:?}");
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
            &["problem some.parquet no column \"html\" among [\"url\"]: \
               name the one with the pages (--input-columns html=NAME)"],
        );
    }

    /// A string column is made invalid in the file itself: Arrow would refuse to write it.
    #[test]
    fn a_string_that_is_not_utf8_costs_no_row() {
        let html = Arc::new(StringArray::from(vec!["<p>one", "<p>tXo", "<p>three"]));
        let uncompressed = WriterProperties::builder().set_dictionary_enabled(false).build();
        let batch = RecordBatch::try_from_iter([("html", html as ArrayRef)]).unwrap();
        let mut writer =
            ArrowWriter::try_new(Vec::new(), batch.schema(), Some(uncompressed)).unwrap();
        writer.write(&batch).unwrap();
        let mut file = writer.into_inner().unwrap();
        let position = memchr::memmem::find(&file, b"tXo").unwrap() + 1;
        file[position] = 0xFF;
        let (_folder, input) = input_of("some.parquet", &file);
        assert_eq!(
            shown(&input),
            [
                "page some.parquet:0 some <p>one",
                "page some.parquet:1 some <p>t\u{FFFD}o",
                "page some.parquet:2 some <p>three",
            ]
        );
        let InputEvent::Page(page) = input.read().nth(1).unwrap() else { panic!() };
        assert_eq!(page.charset.as_deref(), Some("utf-8"));
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
