//! Keeps the templates of many sites in one file, with their history, for a crawl that goes on.
//!
//! A [`Store`] is an SQLite database. Each time the templates of a site change, a version is added;
//! [`Store::get`] gives the newest. Writes are atomic, even if the machine stops in the middle of
//! one. Readers do not wait for a writer and see what was there before; with a [`StoreReader`] they
//! do not wait for each other either. Damage in the templates of one site does not affect others.
//!
//! This is a crate of its own because the library opens no files and its users should not have to
//! build a database.

mod error;
mod pack;
mod reader;
mod store;

pub use error::StoreError;
pub use pack::{MAX_JSON_BYTES, pack, unpack};
pub use reader::StoreReader;
pub use store::{Entry, Store, looks_like_store};
