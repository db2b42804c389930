//! Scores methods on labelled sites. `docs/evaluation.md` defines the scores.

mod block_labels;
pub mod clusters;
pub mod contender;
pub mod experiments;
pub mod export;
pub mod folds;
pub mod gate;
pub mod gold_template;
pub mod labelled;
mod line_frequency;
pub mod means;
pub mod outputs;
pub mod records;
mod region;
pub mod score;
pub mod sections;
pub mod teaching;
mod truth;
