//! Destinations for clean pages: one stream, or a folder that mirrors the input.

mod fields;
mod guard;
mod pages;
mod path;
mod printable;
mod sink;

pub use fields::{csv_header, parse_fields};
pub use guard::{Content, Guard};
pub use pages::{Format, Output, OutputOptions, names_file};
pub use printable::{print_text, printable, printable_text};
pub use sink::Sink;
