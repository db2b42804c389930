//! What a person said about the columns of a table: other names and types, columns that are not
//! wanted, columns that belong together, values that hold several. It wins over what was learned,
//! also when the table is learned again.
//!
//! Nothing is deleted: each correction has a serial number, the last one wins, and
//! [`ColumnChange::Learned`] gives a column back.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::naming::snake_case;
use super::schema::{Column, Schema, unique};
use super::types::{ColumnType, column_type};

/// A correction of a column.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ColumnOverride {
    /// 1 for the first of a table, then ascending.
    pub serial: u32,
    /// The id of the column.
    pub column: String,
    /// What it says.
    #[serde(flatten)]
    pub change: ColumnChange,
}

/// What a correction says about a column.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ColumnChange {
    /// It has this name.
    Rename {
        /// The name.
        name: String,
    },
    /// It is not wanted.
    Drop,
    /// Its values have this type.
    Type {
        /// The type.
        #[serde(rename = "type")]
        kind: ColumnType,
    },
    /// Its values belong to another column, on pages that have none there.
    Merge {
        /// The id of the other column.
        into: String,
    },
    /// Its values hold several, which are columns of their own.
    Split(Split),
    /// As it was learned.
    Learned,
}

/// How a value is split into several.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Split {
    /// What stands between them.
    pub at: String,
    /// Names and types of the parts, in order. The last part holds the rest.
    pub parts: Vec<(String, ColumnType)>,
}

impl Split {
    /// The part of a value; `None` if the value has fewer.
    pub fn part<'v>(&self, value: &'v str, number: usize) -> Option<&'v str> {
        let mut parts = value.splitn(self.parts.len(), self.at.as_str());
        parts.nth(number).map(str::trim).filter(|part| !part.is_empty())
    }
}

/// What corrections make of a column.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Corrected {
    /// The name that was learned, if it has another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned_name: Option<String>,
    /// The type that was learned, if it has another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned_type: Option<ColumnType>,
    /// Whether it is not wanted.
    #[serde(default, skip_serializing_if = "super::schema::is_false")]
    pub dropped: bool,
    /// The id of the column that its values belong to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<String>,
    /// How its values are split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
}

impl Corrected {
    pub(super) fn is_none(&self) -> bool {
        *self == Corrected::default()
    }
}

/// Why a column cannot be corrected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorrectError {
    /// There is no such column.
    #[error("no column {0:?}: `unmold columns` lists them")]
    Unknown(String),
    /// The name has no letters or digits.
    #[error("{0:?} is no name: use letters, digits and _")]
    Nameless(String),
    /// Another column has the name.
    #[error("{0:?} is the name of another column: rename or drop that one first")]
    Taken(String),
    /// A column cannot be merged into itself, or into one that is not written.
    #[error("{0:?} cannot be merged into {1:?}: both must be columns of one table")]
    Unmergeable(String, String),
    /// Nothing to split at, or fewer than two parts.
    #[error("a split needs what stands between the parts, and names for at least two of them")]
    Unsplittable,
}

impl Column {
    /// Whether it is a column of the table: neither dropped nor part of another column.
    pub fn is_written(&self) -> bool {
        !self.corrected.dropped && self.corrected.into.is_none()
    }

    /// The name that was learned.
    pub fn learned_name(&self) -> &str {
        self.corrected.learned_name.as_deref().unwrap_or(&self.name)
    }

    /// The type that was learned.
    pub fn learned_type(&self) -> ColumnType {
        self.corrected.learned_type.unwrap_or(self.kind)
    }

    fn reset(&mut self) {
        let corrected = std::mem::take(&mut self.corrected);
        self.kind = corrected.learned_type.unwrap_or(self.kind);
        self.name = corrected.learned_name.unwrap_or_else(|| std::mem::take(&mut self.name));
    }

    fn is(&self, id: &str) -> bool {
        self.id == id || self.aliases.iter().any(|alias| alias == id)
    }
}

impl Schema {
    /// The corrections, oldest first.
    pub fn overrides(&self) -> &[ColumnOverride] {
        &self.overrides
    }

    /// The position of the column with this id or name.
    pub fn column(&self, id_or_name: &str) -> Option<usize> {
        let written = |column: &Column| column.name == id_or_name && column.is_written();
        let by_name = || self.columns.iter().position(|column| column.name == id_or_name);
        let by_id = self.columns.iter().position(|column| column.is(id_or_name));
        self.columns.iter().position(written).or(by_id).or_else(by_name)
    }

    /// Corrects the column with this id or name; returns the serial number of the correction.
    ///
    /// # Errors
    /// There is no such column, or the correction makes no sense.
    pub fn correct(&mut self, column: &str, change: ColumnChange) -> Result<u32, CorrectError> {
        let at = self.column(column).ok_or_else(|| CorrectError::Unknown(column.to_owned()))?;
        let change = self.checked(at, change)?;
        let serial = self.overrides.last().map_or(0, |last| last.serial).saturating_add(1);
        let column = self.columns[at].id.clone();
        self.overrides.push(ColumnOverride { serial, column, change });
        self.apply_overrides();
        Ok(serial)
    }

    /// A correction with names as names of columns are, and ids for columns.
    fn checked(&self, at: usize, change: ColumnChange) -> Result<ColumnChange, CorrectError> {
        let plain = |name: String| match snake_case(&name) {
            plain if plain.is_empty() => Err(CorrectError::Nameless(name)),
            plain => Ok(plain),
        };
        let is_taken = |name: &str| {
            let mut others = self.columns.iter().enumerate().filter(|&(other, _)| other != at);
            others.any(|(_, column)| column.is_written() && column.name == name)
        };
        Ok(match change {
            ColumnChange::Rename { name } => {
                let name = plain(name)?;
                if is_taken(&name) {
                    return Err(CorrectError::Taken(name));
                }
                ColumnChange::Rename { name }
            }
            ColumnChange::Merge { into } => {
                let own = &self.columns[at];
                let other =
                    self.column(&into).ok_or_else(|| CorrectError::Unknown(into.clone()))?;
                let target = &self.columns[other];
                if other == at || !target.is_written() || target.table != own.table {
                    return Err(CorrectError::Unmergeable(own.name.clone(), into));
                }
                ColumnChange::Merge { into: target.id.clone() }
            }
            ColumnChange::Split(Split { at, parts }) => {
                if at.is_empty() || parts.len() < 2 {
                    return Err(CorrectError::Unsplittable);
                }
                let parts = parts.into_iter().map(|(name, kind)| Ok((plain(name)?, kind)));
                ColumnChange::Split(Split { at, parts: parts.collect::<Result<_, _>>()? })
            }
            other => other,
        })
    }

    /// The type that a part of a column's values has, as far as its examples say.
    pub fn type_of_part(&self, column: &str, at: &str, part: usize, parts: usize) -> ColumnType {
        let Some(column) = self.column(column) else { return ColumnType::Text };
        let examples = self.columns[column].examples.iter();
        let values = examples.filter_map(|value| value.splitn(parts, at).nth(part));
        column_type(values.map(str::trim))
    }

    /// Takes over the corrections of an older schema, before those of this one.
    pub(super) fn join_overrides_of(&mut self, older: &Schema) {
        let own = std::mem::take(&mut self.overrides);
        self.overrides = older.overrides.clone();
        for one in own.into_iter().filter(|one| !older.overrides.contains(one)) {
            let last = self.overrides.last().map_or(0, |last| last.serial);
            let serial = one.serial.max(last.saturating_add(1));
            self.overrides.push(ColumnOverride { serial, ..one });
        }
        self.apply_overrides();
    }

    /// Brings the columns into the state that the corrections say. Corrections of columns that are
    /// gone wait for them to come back.
    fn apply_overrides(&mut self) {
        self.columns.iter_mut().for_each(Column::reset);
        let overrides = std::mem::take(&mut self.overrides);
        for ColumnOverride { column, change, .. } in &overrides {
            let Some(at) = self.columns.iter().position(|known| known.is(column)) else { continue };
            self.apply(at, change);
        }
        self.overrides = overrides;
    }

    fn apply(&mut self, at: usize, change: &ColumnChange) {
        match change {
            ColumnChange::Rename { name } => {
                self.make_room_for(at, name);
                let column = &mut self.columns[at];
                let learned = std::mem::replace(&mut column.name, name.clone());
                column.corrected.learned_name.get_or_insert(learned);
            }
            ColumnChange::Drop => self.columns[at].corrected.dropped = true,
            ColumnChange::Type { kind } => {
                let column = &mut self.columns[at];
                let learned = std::mem::replace(&mut column.kind, *kind);
                column.corrected.learned_type.get_or_insert(learned);
            }
            ColumnChange::Merge { into } => {
                let target = self.columns.iter().position(|known| known.is(into));
                if let Some(target) = target.filter(|&target| target != at) {
                    self.columns[at].corrected.into = Some(self.columns[target].id.clone());
                    // No circles: what others are merged into stands by itself.
                    self.columns[target].corrected.into = None;
                }
            }
            ColumnChange::Split(split) => self.columns[at].corrected.split = Some(split.clone()),
            ColumnChange::Learned => self.columns[at].reset(),
        }
    }

    /// Gives another column another name if it has this one: what a person says wins.
    fn make_room_for(&mut self, at: usize, name: &str) {
        let others = self.columns.iter().enumerate().filter(|&(other, _)| other != at);
        let Some(other) = others.filter(|(_, column)| column.name == name).map(|(at, _)| at).next()
        else {
            return;
        };
        let mut taken: BTreeSet<String> =
            self.columns.iter().map(|column| column.name.clone()).collect();
        let free = unique(&mut taken, name.to_owned(), "_");
        let column = &mut self.columns[other];
        let learned = std::mem::replace(&mut column.name, free);
        column.corrected.learned_name.get_or_insert(learned);
    }

    /// The columns whose values a column has, itself first.
    pub(super) fn merged_into(&self, at: usize) -> Vec<usize> {
        let id = &self.columns[at].id;
        let others = self.columns.iter().enumerate();
        let merged = others.filter(|(_, other)| {
            !other.corrected.dropped && other.corrected.into.as_deref() == Some(id)
        });
        std::iter::once(at).chain(merged.map(|(other, _)| other)).collect()
    }

    /// The column that is written for this one; `None` if it is dropped.
    pub(super) fn written_for(&self, at: usize) -> Option<usize> {
        let column = &self.columns[at];
        if column.corrected.dropped {
            return None;
        }
        match &column.corrected.into {
            Some(into) => self.columns.iter().position(|other| &other.id == into),
            None => Some(at),
        }
    }
}
