//! `unmold`: removes the boilerplate that a site's pages share.
//!
//! `args` defines the command line and converts it to plain options. `commands` has one file per
//! command. All other modules know nothing about the command line; a test below checks that.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod cores;
mod drift;
mod exit;
mod geometry;
mod labels;
mod learning;
mod output;
mod records;
mod removed;
mod report;
mod sampling;
mod search;
mod stream;
mod stripping;
mod teaching;
mod templates;
#[cfg(feature = "view")]
mod view;

use clap::Parser;
use unmold_input as input;

use args::{Args, Command};
use exit::Exit;

fn main() -> std::process::ExitCode {
    let args = Args::parse();
    let outcome = match args.command {
        Command::Clean(args) => commands::clean::run(&args),
        Command::Learn(args) => commands::learn::run(&args),
        Command::Strip(args) => commands::strip::run(&args),
        Command::Teach(args) => commands::teach::run(&args),
        Command::Cluster(args) => commands::cluster::run(&args),
        Command::Show(args) => commands::show::run(&args),
        Command::Templates(args) => commands::templates::run(&args),
        Command::ExportRules(args) => commands::export_rules::run(&args),
        Command::Sections(args) => commands::sections::run(&args),
        Command::Records(args) => commands::records::run(&args),
        Command::Columns(args) => commands::columns::run(&args),
        Command::Index(args) => commands::index::run(&args),
        Command::Search(args) => commands::search::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::View(args) => commands::view::run(args),
        Command::Completions(args) => commands::manual::completions(&args),
        Command::Man(args) => commands::manual::man(&args),
    };
    exit::code(outcome.unwrap_or_else(|error| {
        if exit::is_broken_pipe(&error) {
            return Exit::AllDone;
        }
        report::say(&format!("{error:#}"));
        Exit::CannotRun
    }))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a source folder");
        entries
            .flat_map(|entry| {
                let path = entry.expect("an entry").path();
                if path.is_dir() { sources(&path) } else { vec![path] }
            })
            .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
            .collect()
    }

    #[test]
    fn only_args_and_commands_know_the_command_line() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let exempt = ["args", "commands", "main.rs"].map(|name| root.join(name));
        let (allowed, checked): (Vec<_>, Vec<_>) = sources(&root)
            .into_iter()
            .partition(|path| exempt.iter().any(|exempt| path.starts_with(exempt)));
        let names_args = |path: &PathBuf| {
            let text = std::fs::read_to_string(path).expect("a source file");
            text.contains("clap") || text.contains("crate::args")
        };
        assert!(allowed.iter().any(names_args), "the check finds nothing at all");
        let wrong: Vec<_> = checked.into_iter().filter(names_args).collect();
        assert!(wrong.is_empty(), "{wrong:?} must take plain options instead");
    }
}
