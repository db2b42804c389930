//! Reads layouts recorded by `unmold-lab geometry` and compares the estimated areas with them.

mod boxes;
mod compare;

pub use boxes::BoxFile;
pub use compare::Comparison;
