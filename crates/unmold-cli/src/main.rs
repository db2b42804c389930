//! `unmold`: takes web pages out of their moulds.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod cores;
mod drift;
mod exit;
mod geometry;
mod learning;
mod output;
mod report;
mod sampling;
mod search;
mod stream;
mod stripping;
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
        Command::Cluster(args) => commands::cluster::run(&args),
        Command::Show(args) => commands::show::run(&args),
        Command::Templates(args) => commands::templates::run(&args),
        Command::ExportRules(args) => commands::export_rules::run(&args),
        Command::Sections(args) => commands::sections::run(&args),
        Command::Index(args) => commands::index::run(&args),
        Command::Search(args) => commands::search::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::View(args) => commands::view::run(args),
        Command::Completions(args) => commands::manual::completions(&args),
        Command::Man => commands::manual::man(),
    };
    exit::code(outcome.unwrap_or_else(|error| {
        if exit::is_broken_pipe(&error) {
            return Exit::AllDone;
        }
        eprintln!("unmold: {error:#}");
        Exit::CannotRun
    }))
}
