//! Features of labelled blocks, for `tools/fit`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use unmold_lab::data::DataSet;
use unmold_lab::eval::export::Export;
use unmold_lab::eval::labelled::LabelledSite;

use crate::args::EvalArgs;

pub fn write(args: &EvalArgs, path: &Path, sets: &[DataSet]) -> Result<ExitCode> {
    let mut export = Export::create(path)?;
    for set in sets {
        for site in LabelledSite::read_all(set, args.keep_hidden)? {
            export.add(&set.name, &site, &args.curve, args.by_type)?;
        }
    }
    export.finish()?;
    Ok(ExitCode::SUCCESS)
}
