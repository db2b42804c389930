//! `--baseline`: compares scores with their floors.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use unmold_lab::data::DataSet;
use unmold_lab::eval::gate::Baseline;
use unmold_lab::eval::labelled::LabelledSite;
use unmold_lab::eval::score::Draw;

use super::contenders::names;
use super::scores::{heading, line, score};
use crate::args::EvalArgs;
use crate::commands::output::{print_line, write_file};

/// Fails if a score is below its floor. With `--pin`, takes the scores as floors.
pub fn run(args: &EvalArgs, path: &Path, sets: Vec<DataSet>) -> Result<ExitCode> {
    let mut baseline = Baseline::read(path)?;
    let is_empty = baseline.sets().next().is_none();
    let mut complaints = Vec::new();
    for name in baseline.sets() {
        if sets.iter().all(|set| set.name != name) {
            eprintln!("unmold-lab: set {name} not found: its floors are not checked");
        }
    }
    print_line(&heading())?;
    for mut set in sets {
        // A set gets floors if it is named, or if there are no floors yet: not every set in the
        // folders needs some.
        let new = args.pin && (args.set.contains(&set.name) || is_empty);
        if !new && !baseline.holds(&set.name) {
            continue;
        }
        baseline.restrict(&mut set)?;
        let hash = set.hash()?;
        let sites = LabelledSite::read_all(&set, args.keep_hidden)?;
        for name in names(args) {
            if !new && !baseline.has_floors(&set.name, &name.name()) {
                continue;
            }
            let row = score(&name.contender(), name, &set.name, &sites, &Draw::default(), args)?;
            print_line(&line(&row))?;
            complaints.extend(if args.pin {
                baseline.pin(&set, &hash, &row.method, &row.scores, args.allow_lower)
            } else {
                baseline.complaints(&hash, &row.method, &row.scores)
            });
        }
    }
    complaints.dedup();
    for complaint in &complaints {
        eprintln!("unmold-lab: {complaint}");
    }
    if !complaints.is_empty() {
        let what = if args.pin {
            "nothing was written: add --allow-lower to lower floors"
        } else {
            "some scores are below their floors"
        };
        eprintln!("unmold-lab: {what} ({})", path.display());
        return Ok(ExitCode::FAILURE);
    }
    if args.pin {
        write_file(path, baseline.to_json()?.as_bytes())?;
    } else {
        print_line("No score is below its floor.")?;
    }
    Ok(ExitCode::SUCCESS)
}
