//! `unmold strip`: pages without the templates of a file.

use std::path::Path;

use anyhow::{Context, Result};
use unmold::TemplateSet;

use crate::args::StripArgs;
use crate::exit::Exit;
use crate::input::Input;
use crate::report::Report;
use crate::stream::use_threads;
use crate::stripping::strip_all;

pub fn run(args: &StripArgs) -> Result<Exit> {
    use_threads(&args.run)?;
    let mut report = Report::new(&args.run);
    let templates = read_templates(&args.template)?;
    let input = Input::open(&args.input.inputs, &args.input.options())?;
    strip_all(&input, &args.input, &templates, &args.output, &mut report)?;
    Ok(report.finish())
}

/// Reads a template file, compressed or not.
pub fn read_templates(path: &Path) -> Result<TemplateSet> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let bytes = if bytes.starts_with(&zstd::zstd_safe::MAGICNUMBER.to_le_bytes()) {
        zstd::decode_all(&bytes[..]).with_context(|| format!("{} is damaged: learn again", path.display()))?
    } else {
        bytes
    };
    TemplateSet::from_json(&bytes).with_context(|| format!("cannot use {}", path.display()))
}
