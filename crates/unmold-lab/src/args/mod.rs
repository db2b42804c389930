//! The command line.

mod clustering;
mod eval;
mod geometry;

pub use eval::EvalArgs;
pub use geometry::GeometryArgs;

use clap::{Parser, Subcommand};

/// The laboratory of unmold: scores methods on labelled pages and runs the papers' experiments.
#[derive(Parser, Debug)]
#[command(name = "unmold-lab", version, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
#[allow(clippy::large_enum_variant, reason = "one value in the life of the program")]
pub enum Command {
    /// Score methods on labelled sites; run the papers' experiments
    Eval(EvalArgs),
    /// Record where a browser puts each node of each page
    Geometry(GeometryArgs),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_flags_are_consistent() {
        Args::command().debug_assert();
    }
}
