//! Rows as users get them: typed values, lists, records of lists.

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value, json};

use super::read::{Found, Row};
use super::schema::{Column, Schema, unique};
use super::types::{ColumnType, Typed, parse};

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
    Column { column: usize, is_list: bool, kind: ColumnType },
    Records(Vec<(String, usize, ColumnType)>),
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
    /// The table that the schema makes up.
    pub fn table(&self, options: &TableOptions) -> Table {
        let own_name = |(at, column): (usize, &Column)| (at, column.name.clone());
        let all = || self.columns.iter().enumerate().map(own_name).collect();
        let chosen: Vec<(usize, String)> = options.columns.clone().unwrap_or_else(all);
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
                None => table.add(&mut taken, column, *at, field, options.raw),
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
}

impl Table {
    fn add(
        &mut self,
        taken: &mut BTreeSet<String>,
        column: &Column,
        at: usize,
        field: &str,
        raw: bool,
    ) {
        let mut add = |name: String, kind: ColumnType| {
            let shape = if column.is_list { Shape::List(kind) } else { Shape::Value(kind) };
            self.fields.push(Field { name: unique(taken, name, "_"), shape });
            self.sources.push(Source::Column { column: at, is_list: column.is_list, kind });
        };
        add(field.to_owned(), column.kind);
        if raw && column.kind.is_parsed() {
            add(format!("{field}_raw"), ColumnType::Text);
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
            let column = &schema.columns[at];
            let mut add = |name: String, kind: ColumnType| {
                let name = unique(&mut inside, name, "_");
                fields.push(Field { name: name.clone(), shape: Shape::Value(kind) });
                sources.push((name, at, kind));
            };
            add(column.name.clone(), column.kind);
            if options.raw && column.kind.is_parsed() {
                add(format!("{}_raw", column.name), ColumnType::Text);
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

    /// The records of each list that is a table of its own.
    pub fn exploded_values(&self, row: &Row) -> Vec<Vec<Value>> {
        let of_list = |source: &Source| match source.value(row) {
            Value::Array(records) => records,
            _ => Vec::new(),
        };
        self.exploded.iter().map(|(_, _, source)| of_list(source)).collect()
    }
}

impl Source {
    fn value(&self, row: &Row) -> Value {
        match self {
            Source::Column { column, is_list: false, kind } => {
                row.cells()[*column].first().map_or(Value::Null, |found| typed(found.text, *kind))
            }
            Source::Column { column, is_list: true, kind } => {
                let values: Vec<Value> = row.cells()[*column]
                    .iter()
                    .map(|found| typed(found.text, *kind))
                    .filter(|value| !value.is_null())
                    .collect();
                if values.is_empty() { Value::Null } else { Value::Array(values) }
            }
            Source::Records(fields) => records(fields, row),
        }
    }
}

/// The records of a list, in document order: values that share an entry of the list.
fn records(fields: &[(String, usize, ColumnType)], row: &Row) -> Value {
    let entry = |found: &Found| found.record.unwrap_or(found.node);
    let columns = || fields.iter().map(|(_, column, ..)| *column).collect::<BTreeSet<usize>>();
    let entries: BTreeSet<_> =
        columns().iter().flat_map(|&column| row.cells()[column].iter().map(entry)).collect();
    if entries.is_empty() {
        return Value::Null;
    }
    let record = |of| {
        let value = |column: usize, kind: ColumnType| {
            let mut found = row.cells()[column].iter().filter(|found| entry(found) == of);
            found.next().map_or(Value::Null, |found| typed(found.text, kind))
        };
        let fields = fields.iter();
        let fields = fields.map(|(name, column, kind)| (name.clone(), value(*column, *kind)));
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
