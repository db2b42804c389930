//! From the pages of a kind to a table, without labels: what varies in a template is data.
//!
//! [`Schema::learn`] merges pages of one kind into a tree, by counting; every place for text that
//! varies becomes a column with a name, a type and a rank. [`Schema::reader`] reads the columns of
//! any page of the kind by look-ups. `docs/records.md` describes it.

mod columns;
mod families;
mod inner;
mod lists;
mod locate;
mod naming;
mod overrides;
mod read;
mod relearn;
mod role;
mod rows;
mod runs;
mod sample;
mod schema;
mod structured;
mod table;
mod tree;
mod types;
mod view;
mod want;

pub use naming::NameSource;
pub use overrides::{ColumnChange, ColumnOverride, CorrectError, Corrected, Split};
pub use read::{Found, Reader, Row};
pub use relearn::Changes;
pub use schema::{Column, Schema};
pub use table::{Field, Shape, Table, TableOptions};
pub use types::{ColumnType, Typed, parse};
