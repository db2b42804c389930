//! Why an input cannot be opened.

use std::io;
use std::path::PathBuf;

/// Why an input cannot be opened, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// There is nothing to read.
    #[error("no input given: name a folder, a file, or - for standard input")]
    NoInput,
    /// `-` is given more than once.
    #[error("standard input (-) is given twice but can be read only once: give it once")]
    StdinTwice,
    /// The path does not exist or may not be read.
    #[error("cannot read {}: check the path and its permissions", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The path opens, but its content cannot be read.
    #[error("cannot read {name}")]
    Read {
        /// The path, or `standard input`.
        name: String,
        /// What the system says.
        source: io::Error,
    },
    /// The file holds something that is not read.
    #[error("cannot use {name}: {advice}")]
    Unusable {
        /// The path, or `standard input`.
        name: String,
        /// What the file is, and what to do about it.
        advice: &'static str,
    },
    /// Standard input or a pipe cannot be copied to a temporary file.
    #[error(
        "cannot copy the input to {}: set TMPDIR to a folder with enough space", folder.display()
    )]
    Spool {
        /// The folder for temporary files.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}
