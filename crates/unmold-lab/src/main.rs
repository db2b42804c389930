//! `unmold-lab`: what methods reach on labelled pages, and where a browser puts their nodes.

#![forbid(unsafe_code)]

mod args;
mod commands;

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

/// Exit codes: 0 success, 1 a score below its floor or a page that failed, 2 could not run.
fn main() -> ExitCode {
    let outcome = match Args::parse().command {
        Command::Eval(args) => commands::eval::run(&args),
        Command::Geometry(args) => commands::geometry::run(&args),
    };
    outcome.unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        eprintln!("unmold-lab: {error:#}");
        ExitCode::from(2)
    })
}

/// Whether the reader of our output has gone away, as `head` does: that is no failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let cause = error.root_cause().downcast_ref::<std::io::Error>();
    cause.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
