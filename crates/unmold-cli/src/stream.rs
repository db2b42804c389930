//! Pages through all cores and out again in the order they came in.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::args::RunArgs;
use crate::input::{Found, Input, RawPage};
use crate::report::Report;

/// A batch ends at so many pages or bytes, whichever comes first: enough to keep every core busy,
/// little enough for memory not to depend on the input.
const BATCH_PAGES: usize = 256;
const BATCH_BYTES: usize = 8 << 20;

/// Sets the number of threads for the whole run.
pub fn use_threads(args: &RunArgs) -> Result<()> {
    let threads = args.threads.unwrap_or(0);
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .context("cannot start worker threads")
}

/// Whether a pass over the input reports what was skipped and what failed. One input may be read
/// twice, and is reported once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Messages {
    Show,
    Hide,
}

/// Runs `work` on every page, many at once, and gives the results to `take` in the order of the
/// input.
///
/// A page on which `work` panics gives `None`; the run goes on.
pub fn for_each_page<T: Send>(
    input: &Input,
    messages: Messages,
    report: &mut Report,
    work: impl Fn(&RawPage) -> T + Sync,
    mut take: impl FnMut(RawPage, Option<T>, &mut Report) -> Result<()>,
) -> Result<()> {
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel::<Vec<Found>>(1);
        scope.spawn(move || read_batches(input, &sender));
        for batch in receiver {
            let done: Vec<(Found, Option<T>)> = batch
                .into_par_iter()
                .map(|found| {
                    let result = match &found {
                        Found::Page(page) => catch_unwind(AssertUnwindSafe(|| work(page))).ok(),
                        _ => None,
                    };
                    (found, result)
                })
                .collect();
            for (found, result) in done {
                match found {
                    Found::Page(page) => take(page, result, report)?,
                    Found::Skipped { place, why } if messages == Messages::Show => {
                        report.skipped(&place, why)
                    }
                    Found::Problem { place, what } if messages == Messages::Show => {
                        report.failure(&place, &what)
                    }
                    Found::Skipped { .. } | Found::Problem { .. } => {}
                }
            }
        }
        Ok(())
    })
}

/// Stops when nobody takes the batches any more.
fn read_batches(input: &Input, sender: &mpsc::SyncSender<Vec<Found>>) {
    let mut batch = Vec::new();
    let mut bytes = 0;
    for found in input.read() {
        if let Found::Page(page) = &found {
            bytes += page.bytes.len();
        }
        batch.push(found);
        if batch.len() >= BATCH_PAGES || bytes >= BATCH_BYTES {
            bytes = 0;
            if sender.send(std::mem::take(&mut batch)).is_err() {
                return;
            }
        }
    }
    let _ = sender.send(batch);
}
