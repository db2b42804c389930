//! Processes pages on all cores and returns the results in input order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

use anyhow::{Context, Result};
use rayon::prelude::*;
use unmold::{Limits, Page, ParseOptions};

use crate::input::{Found, Input, RawPage};
use crate::report::Report;

/// A batch ends at this many pages or bytes, whichever comes first. That keeps every core busy, and
/// memory does not grow with the input.
const BATCH_PAGES: usize = 256;
const BATCH_BYTES: usize = 8 << 20;

/// Sets the number of threads for the whole run; `None` is one per core.
pub fn use_threads(threads: Option<usize>) -> Result<()> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build_global()
        .context("cannot start worker threads")
}

/// How pages are parsed.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    pub limits: Limits,
    pub keep_hidden: bool,
}

impl ReadOptions {
    pub fn parse(&self, page: &RawPage) -> Page {
        Page::parse_with(&page.bytes, &self.parse_options(page))
    }

    pub fn parse_options(&self, page: &RawPage) -> ParseOptions {
        // Pages in a folder link to each other by relative paths, so the id serves as base URL.
        let url = page.url.clone().unwrap_or_else(|| format!("file:///{}", page.id));
        ParseOptions::default()
            .with_limits(self.limits.clone())
            .with_charset(page.charset.clone())
            .with_url(url)
            .with_keep_hidden(self.keep_hidden)
    }
}

/// Whether a pass over the input reports skipped and failed items. Some commands read the input
/// twice but report only once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Messages {
    Show,
    Hide,
}

/// Runs `work` on every page in parallel and passes the results to `take` in input order.
///
/// If `work` panics, the result for that page is `None` and the run continues.
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

/// Reads the input in batches; stops when the receiver is gone.
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
