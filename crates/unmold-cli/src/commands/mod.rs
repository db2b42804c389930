//! One file for each command: glue between what was typed and the work.

pub mod clean;
pub mod eval;
pub mod geometry;
pub mod learn;
pub mod manual;
pub mod sections;
pub mod show;
pub mod strip;
