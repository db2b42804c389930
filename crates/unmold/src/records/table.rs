//! Rows as users get them: typed values, lists, records of lists.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Number, Value, json};

use super::overrides::Split;
use super::read::{Found, Row};
use super::schema::{Column, Schema, unique};
use super::types::{ColumnType, Typed, parse};
use crate::page::NodeId;

/// Which columns a table has, and in which form.
///
/// ```
/// use unmold::records::{Schema, TableOptions};
///
/// let options = TableOptions::default().with_max_columns(Some(30));
/// assert!(Schema::default().table(&options).fields().is_empty());
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct TableOptions {
    /// Numbers and names of the columns, in order; `None` is all of them, by rank, with their own
    /// names.
    pub columns: Option<Vec<(usize, String)>>,
    /// Only so many, by rank.
    pub max_columns: Option<usize>,
    /// Add the text of each parsed value, in a column of its own.
    pub raw: bool,
    /// Leave lists of records out: they are tables of their own.
    pub explode: bool,
    /// Take values from structured data where a page has some, and add columns that are there only.
    /// The reader must read it, too: [`Reader::with_structured`](super::Reader::with_structured).
    pub structured: bool,
}

impl TableOptions {
    /// Sets [`TableOptions::columns`].
    #[must_use]
    pub fn with_columns(self, columns: Option<Vec<(usize, String)>>) -> TableOptions {
        TableOptions { columns, ..self }
    }

    /// Sets [`TableOptions::max_columns`].
    #[must_use]
    pub fn with_max_columns(self, max_columns: Option<usize>) -> TableOptions {
        TableOptions { max_columns, ..self }
    }

    /// Sets [`TableOptions::raw`].
    #[must_use]
    pub fn with_raw(self, raw: bool) -> TableOptions {
        TableOptions { raw, ..self }
    }

    /// Sets [`TableOptions::explode`].
    #[must_use]
    pub fn with_explode(self, explode: bool) -> TableOptions {
        TableOptions { explode, ..self }
    }

    /// Sets [`TableOptions::structured`].
    #[must_use]
    pub fn with_structured(self, structured: bool) -> TableOptions {
        TableOptions { structured, ..self }
    }
}

/// A field of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Field {
    /// Its name, unique in the table.
    pub name: String,
    /// What it holds.
    pub shape: Shape,
}

/// What a field holds.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// A value: an `int`, a `float`, `{amount, currency}`, `{value, unit}`, or a string.
    Value(ColumnType),
    /// Values.
    List(ColumnType),
    /// Records.
    Records(Vec<Field>),
}

/// What a field is filled from.
#[derive(Clone, Debug)]
enum Source {
    Value { cells: Cells, is_list: bool },
    Records(Vec<(String, Cells)>),
}

/// Which cells of a row a field gets, and what it makes of them.
#[derive(Clone, Debug)]
struct Cells {
    /// The column, and those that were merged into it.
    columns: Vec<usize>,
    kind: ColumnType,
    /// The part of each value.
    part: Option<(Split, usize)>,
    /// Whether structured data comes first.
    structured: bool,
}

/// The table of a kind of page.
#[derive(Clone, Debug)]
pub struct Table {
    fields: Vec<Field>,
    sources: Vec<Source>,
    /// Lists of records that are tables of their own.
    exploded: Vec<(String, Vec<Field>, Source)>,
}

impl Schema {
    /// The table that the schema makes up, corrections applied.
    pub fn table(&self, options: &TableOptions) -> Table {
        let is_there =
            |column: &Column| column.is_written() && (options.structured || !column.is_hidden);
        let own = self.columns.iter().enumerate().filter(|(_, column)| is_there(column));
        let own = || own.clone().map(|(at, column)| (at, column.name.clone())).collect();
        let chosen: Vec<(usize, String)> = options.columns.clone().unwrap_or_else(own);
        let mut taken: BTreeSet<String> = ["id", "url", "kind"].map(str::to_owned).into();
        let mut table = Table { fields: Vec::new(), sources: Vec::new(), exploded: Vec::new() };
        let mut done: BTreeSet<&str> = BTreeSet::new();
        let mut count = 0;
        for (at, field) in &chosen {
            let Some(column) = self.columns.get(*at) else { continue };
            if options.max_columns.is_some_and(|max| count >= max) {
                break;
            }
            match &column.table {
                None => table.add(&mut taken, self.fields_of(*at, field, options), options.raw),
                Some(name) if done.insert(name) => {
                    let of_list: Vec<usize> = chosen
                        .iter()
                        .map(|(other, _)| *other)
                        .filter(|&other| self.columns[other].table.as_ref() == Some(name))
                        .collect();
                    table.add_records(&mut taken, name, self, &of_list, options);
                }
                Some(_) => continue,
            }
            count += 1;
        }
        table
    }

    /// The fields of a column, which are several if its values are split.
    fn fields_of(
        &self,
        at: usize,
        name: &str,
        options: &TableOptions,
    ) -> Vec<(String, Cells, bool)> {
        let column = &self.columns[at];
        let columns = self.merged_into(at);
        let is_list = columns.iter().any(|&column| self.columns[column].is_list);
        let cells = |kind, part| Cells {
            columns: columns.clone(),
            kind,
            part,
            structured: options.structured,
        };
        match &column.corrected.split {
            None => vec![(name.to_owned(), cells(column.kind, None), is_list)],
            Some(split) => {
                let parts = split.parts.iter().enumerate();
                let field = |(number, (name, kind)): (usize, &(String, ColumnType))| {
                    (name.clone(), cells(*kind, Some((split.clone(), number))), is_list)
                };
                parts.map(field).collect()
            }
        }
    }
}

impl Table {
    fn add(&mut self, taken: &mut BTreeSet<String>, fields: Vec<(String, Cells, bool)>, raw: bool) {
        for (name, cells, is_list) in fields {
            let mut add = |name: String, cells: Cells| {
                let kind = cells.kind;
                let shape = if is_list { Shape::List(kind) } else { Shape::Value(kind) };
                self.fields.push(Field { name: unique(taken, name, "_"), shape });
                self.sources.push(Source::Value { cells, is_list });
            };
            add(name.clone(), cells.clone());
            if raw && cells.kind.is_parsed() {
                add(format!("{name}_raw"), Cells { kind: ColumnType::Text, ..cells });
            }
        }
    }

    fn add_records(
        &mut self,
        taken: &mut BTreeSet<String>,
        name: &str,
        schema: &Schema,
        columns: &[usize],
        options: &TableOptions,
    ) {
        let mut inside: BTreeSet<String> = BTreeSet::new();
        if options.explode {
            inside.extend(["page", "position"].map(str::to_owned));
        }
        let (mut fields, mut sources) = (Vec::new(), Vec::new());
        for &at in columns {
            for (name, cells, _) in schema.fields_of(at, &schema.columns[at].name, options) {
                let mut add = |name: String, cells: Cells| {
                    let name = unique(&mut inside, name, "_");
                    fields.push(Field { name: name.clone(), shape: Shape::Value(cells.kind) });
                    sources.push((name, cells));
                };
                add(name.clone(), cells.clone());
                if options.raw && cells.kind.is_parsed() {
                    add(format!("{name}_raw"), Cells { kind: ColumnType::Text, ..cells });
                }
            }
        }
        let name = unique(taken, name.to_owned(), "_");
        if options.explode {
            self.exploded.push((name, fields, Source::Records(sources)));
        } else {
            self.fields.push(Field { name, shape: Shape::Records(fields) });
            self.sources.push(Source::Records(sources));
        }
    }

    /// The fields, without `id` and `url`, which are the caller's.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Names and fields of the lists that are tables of their own.
    pub fn exploded(&self) -> impl Iterator<Item = (&str, &[Field])> {
        self.exploded.iter().map(|(name, fields, _)| (name.as_str(), fields.as_slice()))
    }

    /// The values of a page, one for each field.
    pub fn values(&self, row: &Row) -> Vec<Value> {
        self.sources.iter().map(|source| source.value(row)).collect()
    }

    /// The columns that each field is filled from.
    pub fn columns_of_fields(&self) -> Vec<Vec<usize>> {
        let columns = |source: &Source| match source {
            Source::Value { cells, .. } => cells.columns.clone(),
            Source::Records(fields) => {
                fields.iter().flat_map(|(_, cells)| cells.columns.iter().copied()).collect()
            }
        };
        self.sources.iter().map(columns).collect()
    }

    /// The records of each list that is a table of its own.
    pub fn exploded_values(&self, row: &Row) -> Vec<Vec<Value>> {
        let of_list = |source: &Source| match source.value(row) {
            Value::Array(records) => records,
            _ => Vec::new(),
        };
        self.exploded.iter().map(|(_, _, source)| of_list(source)).collect()
    }
}

impl Cells {
    /// The part of a value that the field gets, as JSON.
    fn typed(&self, text: &str) -> Value {
        match &self.part {
            None => typed(text, self.kind),
            Some((split, number)) => {
                split.part(text, *number).map_or(Value::Null, |part| typed(part, self.kind))
            }
        }
    }

    /// What structured data says, if it is asked and of the type.
    fn structured(&self, row: &Row) -> Vec<Value> {
        let columns = self.columns.iter().filter(|_| self.structured);
        let texts = columns.flat_map(|&column| row.structured(column));
        texts.map(|text| self.typed(text)).filter(|value| !value.is_null()).collect()
    }

    /// The texts of the first column that has some.
    fn found<'r, 'p>(&self, row: &'r Row<'p>) -> &'r [Found<'p>] {
        let mut cells = self.columns.iter().map(|&column| row.cells()[column].as_slice());
        cells.find(|cell| !cell.is_empty()).unwrap_or(&[])
    }

    /// All values on the page, in document order.
    fn list(&self, row: &Row) -> Vec<Value> {
        let structured = self.structured(row);
        if !structured.is_empty() {
            return structured;
        }
        let mut found: Vec<&Found> =
            self.columns.iter().flat_map(|&column| &row.cells()[column]).collect();
        found.sort_by_key(|found| found.node);
        let values = found.into_iter().map(|found| self.typed(&found.value()));
        values.filter(|value| !value.is_null()).collect()
    }
}

impl Source {
    fn value(&self, row: &Row) -> Value {
        match self {
            Source::Value { cells, is_list: false } => {
                let structured = cells.structured(row).into_iter().next();
                let text = || cells.found(row).first().map(|found| cells.typed(&found.value()));
                structured.or_else(text).unwrap_or(Value::Null)
            }
            Source::Value { cells, is_list: true } => {
                let values = cells.list(row);
                if values.is_empty() { Value::Null } else { Value::Array(values) }
            }
            Source::Records(fields) => records(fields, row),
        }
    }
}

/// The records of a list, in document order: values that share an entry of the list.
fn records(fields: &[(String, Cells)], row: &Row) -> Value {
    let entry = |found: &Found| found.record.unwrap_or(found.node);
    // The first value of each column in each entry.
    let mut values: BTreeMap<(NodeId, usize), &Found> = BTreeMap::new();
    let mut entries: BTreeSet<NodeId> = BTreeSet::new();
    let columns: BTreeSet<usize> =
        fields.iter().flat_map(|(_, cells)| cells.columns.iter().copied()).collect();
    for column in columns {
        for found in &row.cells()[column] {
            entries.insert(entry(found));
            values.entry((entry(found), column)).or_insert(found);
        }
    }
    if entries.is_empty() {
        return Value::Null;
    }
    let record = |of: NodeId| {
        let value = |cells: &Cells| {
            let mut found = cells.columns.iter().filter_map(|&column| values.get(&(of, column)));
            found.next().map_or(Value::Null, |found| cells.typed(&found.value()))
        };
        let fields = fields.iter().map(|(name, cells)| (name.clone(), value(cells)));
        Value::Object(fields.collect::<Map<String, Value>>())
    };
    Value::Array(entries.into_iter().map(record).collect())
}

/// A value as JSON; null if it is not of the type.
fn typed(text: &str, kind: ColumnType) -> Value {
    let number = |number: f64| Number::from_f64(number).map_or(Value::Null, Value::Number);
    match parse(text, kind) {
        Some(Typed::Int(value)) => value.into(),
        Some(Typed::Float(value)) => number(value),
        Some(Typed::Money(amount, currency)) => {
            json!({"amount": number(amount), "currency": currency})
        }
        Some(Typed::Quantity(value, unit)) => json!({"value": number(value), "unit": unit}),
        Some(Typed::Date(text) | Typed::Text(text)) => text.into(),
        None => Value::Null,
    }
}
