//! Destinations for clean pages: one stream, or a folder that mirrors the input.

mod guard;
mod pages;
mod path;
mod sink;

pub use guard::{Content, Guard};
pub use pages::{Format, Output, names_file};
pub use sink::Sink;
