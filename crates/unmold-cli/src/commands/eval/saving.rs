//! What methods leave of pages and make of sections, as files for other tools.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;
use unmold::sections::Sectioning;
use unmold_lab::data::DataSet;

use super::contenders::{contender, method_name, names};
use super::read_sites;
use crate::args::EvalArgs;
use crate::eval::{ScoredSection, SectionDraw, heading, save, score_sections};
use crate::exit::Exit;
use crate::output::Sink;

pub fn save_outputs(args: &EvalArgs, folder: &Path, sets: &[DataSet]) -> Result<Exit> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for &name in names(args) {
        let method = method_name(name);
        let mut sink = Sink::create(Some(&folder.join(format!("{method}.jsonl"))))?;
        sink.write(&heading(&format!("unmold {method}"))?)?;
        for set in sets {
            save(&mut sink, &set.name, &read_sites(set, args)?, &contender(name))?;
        }
        sink.finish()?;
    }
    Ok(Exit::AllDone)
}

/// One line for each section that the experiment `sections` scores, from which its thresholds were
/// chosen.
pub fn save_sections(args: &EvalArgs, path: &Path, sets: &[DataSet]) -> Result<Exit> {
    #[derive(Serialize)]
    struct Line<'a> {
        method: String,
        #[serde(flatten)]
        section: &'a ScoredSection,
    }
    let settings = Sectioning::default();
    let draw = SectionDraw { learn: 15, test: 65, seed: args.seed.unwrap_or(0), settings };
    let mut sink = Sink::create(Some(path))?;
    for set in sets {
        for site in read_sites(set, args)? {
            for &name in names(args) {
                let contender = contender(name).for_site(&set.name, &site.name);
                let scored = score_sections(&site, &contender, &draw);
                for section in scored.iter().flat_map(|(_, sections)| sections) {
                    let mut line =
                        serde_json::to_vec(&Line { method: method_name(name), section })?;
                    line.push(b'\n');
                    sink.write(&line)?;
                }
            }
        }
    }
    sink.finish()?;
    Ok(Exit::AllDone)
}
