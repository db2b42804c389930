//! The papers' experiments. Each is one entry of [`EXPERIMENTS`]: a description, a function that
//! adds rows to tables and points to plots for a set, and optionally one that is called after the
//! last set.

mod alignment;
pub mod bench;
pub mod claims;
mod clusters;
mod curve;
mod guards;
mod metadata;
mod mining;
mod no_template;
mod records;
mod scores;
mod sections;
mod tables;
mod teach;

use anyhow::Result;

use self::bench::{Bench, Setup};
use crate::outcome::{About, Outcome};

/// An experiment.
pub struct Experiment {
    /// Its description.
    pub about: About,
    /// Adds the results of a set; nothing if the set lacks the necessary labels.
    pub run: fn(&Bench, &mut Outcome) -> Result<()>,
    /// Adds the results over all sets.
    pub finish: fn(&Setup, &mut Outcome) -> Result<()>,
}

impl Experiment {
    /// An experiment without results over all sets.
    const fn of_each_set(about: About, run: fn(&Bench, &mut Outcome) -> Result<()>) -> Experiment {
        Experiment { about, run, finish: |_, _| Ok(()) }
    }
}

/// All experiments, in the order of the report.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment::of_each_set(scores::ABOUT, scores::run),
    Experiment::of_each_set(scores::ABOUT_PEERS, scores::peers),
    Experiment { about: no_template::ABOUT, run: |_, _| Ok(()), finish: no_template::run },
    Experiment::of_each_set(scores::ABOUT_SITES, scores::sites),
    Experiment::of_each_set(tables::ABOUT, tables::run),
    Experiment::of_each_set(guards::ABOUT, guards::run),
    Experiment::of_each_set(sections::ABOUT, sections::run),
    Experiment::of_each_set(curve::ABOUT, curve::run),
    Experiment::of_each_set(alignment::ABOUT, alignment::run),
    Experiment { about: clusters::ABOUT, run: clusters::run, finish: clusters::pooled },
    Experiment { about: clusters::ABOUT_COST, run: clusters::collect, finish: clusters::cost },
    Experiment::of_each_set(clusters::ABOUT_CLUSTERED, clusters::clustered),
    Experiment::of_each_set(mining::ABOUT_CLASSIFICATION, mining::classification),
    Experiment::of_each_set(mining::ABOUT_K_MEANS, mining::k_means),
    Experiment::of_each_set(mining::ABOUT_FPF, mining::furthest_point_first),
    Experiment::of_each_set(mining::ABOUT_SEARCH, mining::search),
    Experiment::of_each_set(records::ABOUT, records::run),
    Experiment::of_each_set(metadata::ABOUT, metadata::run),
    Experiment::of_each_set(teach::ABOUT, teach::run),
];
