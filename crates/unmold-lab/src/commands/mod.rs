//! One module for each command: glue between the command line and the work.

pub mod eval;
pub mod geometry;
mod output;
