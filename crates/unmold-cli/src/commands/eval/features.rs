//! Features of labelled blocks, for `tools/fit`.

use std::path::Path;

use anyhow::Result;
use unmold_lab::data::DataSet;

use super::read_sites;
use crate::args::EvalArgs;
use crate::eval::Export;
use crate::exit::Exit;

pub fn write(args: &EvalArgs, path: &Path, sets: &[DataSet]) -> Result<Exit> {
    let mut export = Export::create(path)?;
    for set in sets {
        for site in read_sites(set, args)? {
            export.add(&set.name, &site, &args.curve, args.by_type)?;
        }
    }
    export.finish()?;
    Ok(Exit::AllDone)
}
