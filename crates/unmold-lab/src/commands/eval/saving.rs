//! What methods leave of pages and make of sections, as files for other tools.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use unmold::sections::Sectioning;
use unmold_lab::data::DataSet;
use unmold_lab::eval::labelled::LabelledSite;
use unmold_lab::eval::outputs::{heading, save};
use unmold_lab::eval::sections::{ScoredSection, SectionDraw, score_sections};

use super::contenders::names;
use crate::args::EvalArgs;
use crate::commands::output::{create, create_folder, write_json_line};

pub fn save_outputs(args: &EvalArgs, folder: &Path, sets: &[DataSet]) -> Result<ExitCode> {
    create_folder(folder)?;
    for name in names(args) {
        let method = name.name();
        let mut out = create(Some(&folder.join(format!("{method}.jsonl"))))?;
        out.write_all(&heading(&format!("unmold {method}"))?)?;
        for set in sets {
            save(
                &mut out,
                &set.name,
                &LabelledSite::read_all(set, args.keep_hidden)?,
                &name.contender(),
            )?;
        }
        out.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One line for each section that the experiment `sections` scores, from which its thresholds were
/// chosen.
pub fn save_sections(args: &EvalArgs, path: &Path, sets: &[DataSet]) -> Result<ExitCode> {
    #[derive(Serialize)]
    struct Line<'a> {
        method: String,
        #[serde(flatten)]
        section: &'a ScoredSection,
    }
    let settings = Sectioning::default();
    let draw = SectionDraw { learn: 15, test: 65, seed: args.seed.unwrap_or(0), settings };
    let mut out = create(Some(path))?;
    for set in sets {
        for site in LabelledSite::read_all(set, args.keep_hidden)? {
            for name in names(args) {
                let contender = name.contender().for_site(&set.name, &site.name);
                let scored = score_sections(&site, &contender, &draw);
                for section in scored.iter().flat_map(|(_, sections)| sections) {
                    let line = Line { method: name.name(), section };
                    write_json_line(&mut out, &line)?;
                }
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
