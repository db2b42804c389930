//! `--experiment`, `--all`, `--report`: runs experiments and writes their report.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use unmold_lab::data::DataSet;
use unmold_lab::eval::contender::Contender;
use unmold_lab::eval::experiments::bench::{Bench, Setup, timed};
use unmold_lab::eval::experiments::{EXPERIMENTS, Experiment, claims};
use unmold_lab::eval::labelled::LabelledSite;
use unmold_lab::eval::outputs::Outputs;
use unmold_lab::outcome::{Outcome, Place, Report};

use super::contenders::names;
use crate::args::EvalArgs;
use crate::commands::output::{create_folder, print_line, write_file};

/// Tells a terminal to clear the rest of the line.
const CLEAR_TO_END: &str = "\x1b[K";

/// Runs experiments on each set, prints their tables and writes the report.
pub fn run(args: &EvalArgs, sets: &[DataSet]) -> Result<ExitCode> {
    let chosen = chosen_experiments(args)?;
    let contenders = contenders(args);
    let peers = args.peers.as_deref().map_or_else(|| Ok(Vec::new()), Outputs::read_all)?;
    let is_watched = !args.quiet && std::io::stderr().is_terminal();
    let tell = |what: &str| {
        if is_watched {
            eprint!("\r{what}{CLEAR_TO_END}");
        }
    };
    let setup = Setup {
        contenders: &contenders,
        peers: &peers,
        seed: args.seed.unwrap_or(0),
        runs: args.runs,
        clustering: args.clustering.settings(),
        tell: &tell,
        pooled: RefCell::new(BTreeMap::new()),
    };
    let mut report = empty_report(args, &chosen);
    let mut seconds = vec![0.0; chosen.len()];
    for set in sets {
        tell(&format!("{}: reading", set.name));
        let sites = LabelledSite::read_all(set, args.keep_hidden)?;
        report.sets.push(describe(set, &sites)?);
        let is_repeated =
            set.repeats.as_ref().is_some_and(|other| sets.iter().any(|set| set.name == *other));
        let bench = Bench::new(&setup, &set.name, &sites, &set.groups, is_repeated);
        for (at, experiment) in chosen.iter().enumerate() {
            let (done, took) = timed(|| (experiment.run)(&bench, &mut report.outcomes[at]));
            done.with_context(|| {
                format!("experiment {}, set {}", experiment.about.name, set.name)
            })?;
            seconds[at] += took;
        }
    }
    for (at, experiment) in chosen.iter().enumerate() {
        let (done, took) = timed(|| (experiment.finish)(&setup, &mut report.outcomes[at]));
        done.with_context(|| format!("experiment {}", experiment.about.name))?;
        seconds[at] += took;
    }
    tell("");
    report.seconds = chosen.iter().map(|experiment| experiment.about.name).zip(seconds).collect();
    report.outcomes.retain(|outcome| !outcome.tables.is_empty());
    if args.all
        && let Some(claims) = claims::outcome(&report.outcomes, &report.command)
    {
        report.outcomes.insert(0, claims);
    }
    print_tables(&report)?;
    if let Some(folder) = &args.report {
        write_report(folder, &report)?;
    }
    match &args.known_broken {
        Some(file) => check_guards(file, &report.outcomes),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Fails if a guard is broken that is not in the file.
fn check_guards(file: &Path, outcomes: &[Outcome]) -> Result<ExitCode> {
    let known =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let known: BTreeSet<&str> = known.lines().map(str::trim).collect();
    let broken: BTreeSet<&str> =
        outcomes.iter().flat_map(|outcome| &outcome.broken).map(String::as_str).collect();
    let new: Vec<&str> = broken.difference(&known).copied().collect();
    if new.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("unmold-lab: the default is behind a method it is made of on: {}", new.join(", "));
    eprintln!("Mend it, or add the lines to {} and say why.", file.display());
    Ok(ExitCode::FAILURE)
}

/// The contenders asked for, or all.
fn contenders(args: &EvalArgs) -> Vec<(String, Contender)> {
    names(args).iter().map(|&name| (name.name(), name.contender())).collect()
}

fn empty_report(args: &EvalArgs, chosen: &[&Experiment]) -> Report {
    let command = |name: &str| {
        let peers = if name == "peers" && args.peers.is_some() { " --peers out/peers" } else { "" };
        format!("unmold-lab eval --experiment {name} FOLDER{peers}{}", typed_methods(args))
    };
    let what = if args.all {
        "--all".to_owned()
    } else {
        chosen.iter().map(|e| format!("--experiment {} ", e.about.name)).collect()
    };
    Report {
        command: format!(
            "unmold-lab eval {} FOLDER{} --report DIR",
            what.trim_end(),
            typed_methods(args)
        ),
        sets: Vec::new(),
        outcomes: chosen.iter().map(|e| Outcome::new(e.about, command(e.about.name))).collect(),
        seconds: Vec::new(),
    }
}

fn describe(set: &DataSet, sites: &[LabelledSite]) -> Result<String> {
    let pages: usize = sites.iter().map(|site| site.pages.len()).sum();
    let megabytes = sites.iter().map(|site| site.bytes).sum::<usize>() as f64 / 1e6;
    let (name, number, hash) = (&set.name, sites.len(), set.hash()?);
    Ok(format!("{name}: {number} sites, {pages} pages, {megabytes:.1} MB of HTML, hash {hash}"))
}

fn print_tables(report: &Report) -> Result<()> {
    for outcome in &report.outcomes {
        for table in outcome.tables.iter().filter(|table| table.place == Place::Everywhere) {
            print_line(&format!("{}: {}", outcome.about.name, table.text()))?;
        }
    }
    print_line(&report.running().text())
}

fn chosen_experiments(args: &EvalArgs) -> Result<Vec<&'static Experiment>> {
    if args.all {
        return Ok(EXPERIMENTS.iter().collect());
    }
    let default = ["scores".to_owned()];
    let wanted = if args.experiment.is_empty() { &default[..] } else { &args.experiment };
    wanted
        .iter()
        .map(|name| {
            EXPERIMENTS.iter().find(|experiment| experiment.about.name == name).with_context(|| {
                format!("no experiment is called {name}: --list shows their names")
            })
        })
        .collect()
}

fn typed_methods(args: &EvalArgs) -> String {
    args.method.iter().map(|&name| format!(" --method {}", name.name())).collect()
}

fn write_report(folder: &Path, report: &Report) -> Result<()> {
    create_folder(folder)?;
    write_file(&folder.join("report.html"), report.html().as_bytes())?;
    write_file(
        &folder.join("results.json"),
        (serde_json::to_string_pretty(&report.json())? + "\n").as_bytes(),
    )?;
    write_file(
        &folder.join("times.json"),
        (serde_json::to_string_pretty(&report.times())? + "\n").as_bytes(),
    )?;
    write_file(&folder.join("results.md"), report.markdown().as_bytes())?;
    for plot in report.outcomes.iter().flat_map(|outcome| &outcome.plots) {
        write_file(&folder.join(format!("{}.svg", plot.name)), plot.svg().as_bytes())?;
        write_file(&folder.join(format!("{}.png", plot.name)), &plot.png())?;
    }
    Ok(())
}
