//! Corrections of columns as the command line has them: with names instead of ids.

use std::fmt;

use anyhow::Result;
use unmold::records::{ColumnChange, ColumnType, Schema, Split};

/// A correction of a column, which is given by its name or id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ColumnEdit {
    Rename(String, String),
    Drop(String),
    Type(String, ColumnType),
    /// The column that stays, and the one that fills it.
    Merge(String, String),
    /// The column, the names of its parts, and what is between them.
    Split(String, Vec<String>, String),
    Undo(String),
}

impl ColumnEdit {
    /// The column that is corrected.
    pub fn column(&self) -> &str {
        match self {
            ColumnEdit::Merge(_, other) => other,
            ColumnEdit::Rename(column, _)
            | ColumnEdit::Drop(column)
            | ColumnEdit::Type(column, _)
            | ColumnEdit::Split(column, ..)
            | ColumnEdit::Undo(column) => column,
        }
    }

    /// Corrects a table; returns the serial number of the correction.
    pub fn apply(&self, schema: &mut Schema) -> Result<u32> {
        let change = match self {
            ColumnEdit::Rename(_, name) => ColumnChange::Rename { name: name.clone() },
            ColumnEdit::Drop(_) => ColumnChange::Drop,
            ColumnEdit::Type(_, kind) => ColumnChange::Type { kind: *kind },
            ColumnEdit::Merge(into, _) => ColumnChange::Merge { into: into.clone() },
            ColumnEdit::Split(column, names, at) => {
                let kind = |part: usize| schema.type_of_part(column, at, part, names.len());
                let parts = names.iter().enumerate().map(|(part, name)| (name.clone(), kind(part)));
                ColumnChange::Split(Split { at: at.clone(), parts: parts.collect() })
            }
            ColumnEdit::Undo(_) => ColumnChange::Learned,
        };
        Ok(schema.correct(self.column(), change)?)
    }
}

impl fmt::Display for ColumnEdit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ColumnEdit::Rename(column, name) => write!(f, "{column} is called {name}"),
            ColumnEdit::Drop(column) => write!(f, "{column} is dropped"),
            ColumnEdit::Type(column, kind) => write!(f, "{column} is read as {}", kind.name()),
            ColumnEdit::Merge(column, other) => write!(f, "{other} is merged into {column}"),
            ColumnEdit::Split(column, names, _) => {
                write!(f, "{column} is split into {}", names.join(", "))
            }
            ColumnEdit::Undo(column) => write!(f, "{column} is as learned"),
        }
    }
}
