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

    /// Whether each command of the documents has flags that exist.
    #[test]
    fn commands_in_documents_are_understood() {
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let mut number = 0;
        for folder in [docs.clone(), docs.join("methods"), docs.join("decisions")] {
            for entry in std::fs::read_dir(folder).expect("documents") {
                let path = entry.expect("an entry").path();
                if path.extension().is_none_or(|extension| extension != "md") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).expect("a document");
                let text = text.replace("\\\n", " ");
                let commands = text.lines().filter(|line| line.starts_with("unmold-lab "));
                for command in commands {
                    let command = command.split(" #").next().unwrap_or(command);
                    let parsed = Args::try_parse_from(command.split_whitespace());
                    assert!(parsed.is_ok(), "{}: `{command}`: {parsed:?}", path.display());
                    number += 1;
                }
            }
        }
        assert!(number >= 6, "{number} commands only: has their form changed?");
    }
}
