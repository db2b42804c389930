//! `docs/cli.md`, written from the command-line definition.

use clap::{Command, CommandFactory};

use super::Args;

const HEAD: &str = "\
# The command line

Generated from the definition of the command line. `UNMOLD_WRITE_DOCS=1 cargo test -p unmold-cli
reference` writes it again. [cookbook.md](cookbook.md) has tasks instead of flags.
";

/// The help of a command and of its own commands, one section each.
fn section(command: &Command, name: &str, out: &mut String) {
    let mut shown = command.clone().bin_name(name).term_width(100);
    let help = shown.render_long_help().to_string();
    let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    out.push_str(&format!("\n## {name}\n```text\n{}\n```\n", lines.join("\n")));
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        section(sub, &format!("{name} {}", sub.get_name()), out);
    }
}

#[test]
fn reference_is_up_to_date() {
    let mut expected = HEAD.to_owned();
    section(&Args::command(), "unmold", &mut expected);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");
    if std::env::var_os("UNMOLD_WRITE_DOCS").is_some() {
        std::fs::write(path, &expected).expect("docs/cli.md is writable");
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == expected,
        "docs/cli.md is out of date: run `UNMOLD_WRITE_DOCS=1 cargo test -p unmold-cli reference`"
    );
}
