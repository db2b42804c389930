//! Scores methods on labelled sites. `docs/evaluation.md` defines the scores.

mod block_labels;
pub mod clusters;
pub mod contender;
pub mod experiments;
pub mod export;
mod folds;
pub mod gate;
pub mod gold_template;
pub mod labelled;
mod line_frequency;
mod means;
pub mod outputs;
pub mod records;
mod region;
pub mod score;
pub mod sections;
mod truth;
