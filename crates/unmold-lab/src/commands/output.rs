//! Writes to standard output and to files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

/// Prints a line. A failure is an error, not a panic as with `println!`.
pub fn print_line(line: &str) -> Result<()> {
    writeln!(std::io::stdout(), "{line}").context("cannot write to standard output")
}

/// Opens a file, or standard output for `None` and `-`. Makes the folder of the file.
pub fn create(path: Option<&Path>) -> Result<BufWriter<Box<dyn Write>>> {
    let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
        return Ok(BufWriter::new(Box::new(std::io::stdout())));
    };
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(BufWriter::new(Box::new(file)))
}

pub fn create_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))
}

pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut out = create(Some(path))?;
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a record and the end of its line.
pub fn write_json_line(out: &mut impl Write, record: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    Ok(out.write_all(b"\n")?)
}
