//! Boxes that `unmold-lab geometry` recorded, and how well the estimate agrees with them.

mod boxes;
mod compare;

pub use boxes::BoxFile;
pub use compare::Comparison;
