//! `unmold records`: turns the pages of each kind into a table.

use anyhow::Result;

use crate::args::RecordsArgs;
use crate::exit::Exit;
use crate::learning::learn;
use crate::output::{Content, Guard};
use crate::records::{TableFormat, names_folder, write_tables};
use crate::report::Report;
use crate::stream::{Messages, use_threads};
use crate::templates::read_templates;

pub fn run(args: &RecordsArgs) -> Result<Exit> {
    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    let options = args.options()?;
    let read = args.input.read_options();
    let mut guard = Guard::new(&args.input.inputs, args.run.force);
    args.template.iter().for_each(|path| guard.reads(path));
    match args.output.as_deref() {
        Some(path) if names_folder(path) => guard.folder("-o", path, false)?,
        path => guard.file("-o", path, TableFormat::of(path)?.content(false))?,
    }
    if args.schema.is_some() {
        guard.file("--schema", args.schema.as_deref(), Content::Any)?;
    }
    let input = args.input.open(&report)?;
    let templates = match &args.template {
        Some(file) => read_templates(file)?,
        None => {
            let learning = args.method.options()?.with_records();
            learn(&input, &read, &learning, Messages::Hide, &mut report)?
        }
    };
    write_tables(&input, &read, &templates, &options, &mut guard, &mut report)?;
    Ok(report.finish())
}
