//! `unmold completions` and `unmold man`: generated from the command-line definition.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::{Command, CommandFactory};

use crate::args::{Args, CompletionArgs, ManArgs};
use crate::exit::Exit;

pub fn completions(args: &CompletionArgs) -> Result<Exit> {
    // Into memory first: the generator panics if the reader closes our output early.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "unmold", &mut script);
    std::io::stdout().write_all(&script).context("cannot write to standard output")?;
    Ok(Exit::AllDone)
}

pub fn man(args: &ManArgs) -> Result<Exit> {
    let unmold = Args::command();
    match (&args.output, &args.command) {
        (Some(folder), _) => write_all(unmold, folder)?,
        (None, None) => print(unmold)?,
        (None, Some(name)) => match unmold.find_subcommand(name) {
            Some(command) => print(command.clone().name(format!("unmold-{name}")))?,
            None => bail!("no command {name:?}: `unmold --help` lists them"),
        },
    }
    Ok(Exit::AllDone)
}

fn print(command: Command) -> Result<()> {
    clap_mangen::Man::new(command)
        .render(&mut std::io::stdout())
        .context("cannot write the manual page")
}

/// Writes `unmold.1`, `unmold-clean.1` and so on.
fn write_all(command: Command, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command.disable_help_subcommand(true), folder))
        .with_context(|| format!("cannot write manual pages to {}", folder.display()))
}
