//! How a run ended.

use std::io::ErrorKind;
use std::process::ExitCode;

/// What the exit code says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// 0: all pages done.
    AllDone,
    /// 1: some pages or files failed; they are listed on standard error.
    SomeFailed,
    /// 2: the command could not run: usage, input or output.
    CannotRun,
}

/// The number for the shell.
pub fn code(exit: Exit) -> ExitCode {
    ExitCode::from(match exit {
        Exit::AllDone => 0,
        Exit::SomeFailed => 1,
        Exit::CannotRun => 2,
    })
}

/// Whoever read our output has seen enough: that is success.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    })
}
