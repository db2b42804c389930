//! `unmold-lab eval`: scores of methods on labelled sites, and the papers' experiments. What was asked
//! for decides which of the modules runs; they share only what is here.

mod contenders;
mod curve;
mod experiments;
mod features;
mod gate;
mod saving;
mod scores;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use unmold_lab::data::{DataSet, Manifest};
use unmold_lab::eval::experiments::EXPERIMENTS;

use crate::args::EvalArgs;
use crate::commands::output::print_line;

pub fn run(args: &EvalArgs) -> Result<ExitCode> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.unwrap_or(0))
        .build_global()
        .context("cannot start worker threads")?;
    let manifest = args.sets.as_deref().map_or_else(|| Ok(Manifest::built_in()), Manifest::read)?;
    if args.list {
        return list(args, &manifest);
    }
    let sets = find_sets(args, &manifest)?;
    if let Some(folder) = &args.save_outputs {
        saving::save_outputs(args, folder, &sets)
    } else if let Some(path) = &args.baseline {
        gate::run(args, path, sets)
    } else if let Some(path) = &args.export {
        features::write(args, path, &sets)
    } else if let Some(path) = &args.each_section {
        saving::save_sections(args, path, &sets)
    } else if !args.curve.is_empty() {
        curve::run(args, &sets)
    } else if args.all || !args.experiment.is_empty() || args.report.is_some() {
        experiments::run(args, &sets)
    } else {
        scores::run(args, &sets)
    }
}

fn find_sets(args: &EvalArgs, manifest: &Manifest) -> Result<Vec<DataSet>> {
    let mut sets: Vec<DataSet> = Vec::new();
    for folder in &args.folders {
        sets.extend(manifest.find(folder)?);
    }
    sets.retain(|set| args.set.is_empty() || args.set.contains(&set.name));
    sets.sort_by(|left, right| left.name.cmp(&right.name));
    if sets.is_empty() {
        bail!(
            "no labelled site found: give a folder with SITE/gold.jsonl and SITE/pages, or see --list"
        );
    }
    Ok(sets)
}

fn list(args: &EvalArgs, manifest: &Manifest) -> Result<ExitCode> {
    print_line("Experiments (--experiment NAME, or --all):")?;
    for experiment in EXPERIMENTS {
        print_line(&format!("  {:16} {}", experiment.about.name, experiment.about.title))?;
    }
    for folder in &args.folders {
        print_line(&format!("Sets in {}:", folder.display()))?;
        for line in manifest.describe(folder)?.lines() {
            print_line(&format!("  {line}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
