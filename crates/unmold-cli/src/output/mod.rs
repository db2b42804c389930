//! Destinations for clean pages: one stream, or a folder that mirrors the input.

mod pages;
mod path;
mod printable;
mod sink;

pub use pages::{Format, Output};
pub use printable::printable;
pub use sink::Sink;
