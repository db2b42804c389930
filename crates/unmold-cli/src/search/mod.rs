//! Prepares pages for search, with content and template in separate fields.

#[cfg(feature = "search")]
mod engine;
mod pages;

#[cfg(feature = "search")]
#[cfg_attr(not(feature = "view"), allow(unused_imports))]
pub use engine::{Engine, Hit, Texts, Writer};
pub use pages::{Searchable, for_each_searchable};
