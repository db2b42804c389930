//! Scores methods on labelled pages and runs the experiments of the papers on template detection.
//!
//! * [`data`]: finds labelled sets on disk. A manifest names them and their layouts.
//! * [`eval`]: scores methods on labelled sites; its `experiments` produce the papers' tables and
//!   figures.
//! * [`classification`] (Naive Bayes), [`clustering`] (K-means, furthest point first) and
//!   [`search`] (BM25): the effect of templates on mining. They take texts and do not know where
//!   these come from.
//! * [`outcome`] (tables, report) and [`chart`] (SVG and PNG): the results.
//! * [`geometry`]: records where a browser puts each node.
//!
//! Everything is seeded: the same pages give the same numbers. The command `unmold-lab` is a thin
//! layer on top.

pub mod bm25;
pub mod chance;
pub mod chart;
pub mod classification;
pub mod clustering;
pub mod data;
pub mod eval;
pub mod geometry;
pub mod naive_bayes;
pub mod outcome;
pub mod search;
pub mod terms;
