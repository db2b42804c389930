//! One file per command: converts arguments to options and calls the modules that do the work.

pub mod clean;
pub mod cluster;
pub mod columns;
pub mod export;
pub mod export_rules;
pub mod index;
pub mod learn;
pub mod manual;
pub mod records;
pub mod search;
pub mod sections;
pub mod show;
pub mod strip;
pub mod teach;
pub mod templates;
pub mod view;
