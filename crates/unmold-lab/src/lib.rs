//! The experiments of the papers on template detection, on any labelled set of pages.
//!
//! * Where does labelled data come from? [`data`]: layouts of public sets on disk, named by a
//!   manifest.
//! * What do templates do to mining? [`classification`] (Naive Bayes), [`clustering`] (K-means,
//!   furthest point first) and [`search`] (BM25): each takes texts before and after, and knows
//!   nothing of how they were made.
//! * How is it shown? [`outcome`] (tables, report) and [`chart`] (SVG and PNG).
//!
//! Everything is seeded: the same pages give the same numbers.

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
