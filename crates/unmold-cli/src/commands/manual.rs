//! `unmold completions` and `unmold man`: generated from the command-line definition.

use std::io::Write;

use anyhow::{Context, Result};
use clap::CommandFactory;

use crate::args::{Args, CompletionArgs};
use crate::exit::Exit;

pub fn completions(args: &CompletionArgs) -> Result<Exit> {
    // Into memory first: the generator panics if the reader closes our output early.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "unmold", &mut script);
    std::io::stdout().write_all(&script).context("cannot write to standard output")?;
    Ok(Exit::AllDone)
}

pub fn man() -> Result<Exit> {
    let mut out = std::io::stdout();
    let command = Args::command();
    clap_mangen::Man::new(command.clone())
        .render(&mut out)
        .context("cannot write the manual page")?;
    for sub in command.get_subcommands() {
        let name = format!("unmold-{}", sub.get_name());
        clap_mangen::Man::new(sub.clone().name(name))
            .render(&mut out)
            .context("cannot write the manual page")?;
    }
    Ok(Exit::AllDone)
}
