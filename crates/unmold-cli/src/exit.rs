//! Exit codes.

use std::io::ErrorKind;
use std::process::ExitCode;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// 0: all pages were processed.
    AllDone,
    /// 1: some pages or files failed and are listed on standard error, or a search found nothing.
    SomeFailed,
    /// 2: the command could not run because of wrong usage, input or output.
    CannotRun,
}

/// Converts to the process exit code.
pub fn code(exit: Exit) -> ExitCode {
    ExitCode::from(match exit {
        Exit::AllDone => 0,
        Exit::SomeFailed => 1,
        Exit::CannotRun => 2,
    })
}

/// Whether the reader closed our output early, as `head` does. That is not an error.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    })
}
