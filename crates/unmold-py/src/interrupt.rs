//! Work that Ctrl-C stops.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pyo3::prelude::*;

use crate::error::os_error;

/// How often Python is asked whether the user has had enough.
const PERIOD: Duration = Duration::from_millis(50);

/// Runs `work` without the interpreter lock, on a thread of its own, and returns its result.
///
/// If a signal handler raises an exception, as that of Ctrl-C does, it is returned at once. The
/// thread then goes on for nobody until its work is done, since the library cannot be stopped.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::sync_channel(1);
    let run = move || {
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    };
    std::thread::Builder::new().spawn(run).map_err(|error| os_error(&error))?;
    loop {
        // A receiver cannot be shared, so it goes along and comes back.
        let (answer, same) = py.detach(move || (receiver.recv_timeout(PERIOD), receiver));
        receiver = same;
        match answer {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => unreachable!("the thread always answers"),
        }
    }
}
