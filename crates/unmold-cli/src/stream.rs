//! Processes pages on all cores and returns the results in input order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

use anyhow::{Context, Result};
use rayon::prelude::*;
use unmold::{Limits, Page, ParseOptions};

use crate::input::{Input, InputEvent, RawPage};
use crate::report::Report;

/// A batch ends at this many pages or bytes, whichever comes first. That keeps every core busy, and
/// memory does not grow with the input.
const BATCH_PAGES: usize = 256;
const BATCH_BYTES: usize = 8 << 20;

/// More threads for each core than this only take processor time from each other.
const MAX_THREADS_PER_CORE: usize = 8;

/// Sets the number of threads for the whole run; `None` is one per core.
pub fn use_threads(threads: Option<usize>) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0).min(MAX_THREADS_PER_CORE * cores))
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
    for_each_event(input, messages, report, work, |event, result, report| {
        match event {
            InputEvent::Page(page) => take(page, result, report)?,
            InputEvent::Skipped { place, why } => report.skipped(&place, why),
            InputEvent::Problem { place, what } => report.failure(&place, &what),
        }
        Ok(())
    })
}

/// [`for_each_page`] that also passes on what is skipped and what failed, unless messages are
/// hidden.
pub fn for_each_event<T: Send>(
    input: &Input,
    messages: Messages,
    report: &mut Report,
    work: impl Fn(&RawPage) -> T + Sync,
    mut take: impl FnMut(InputEvent, Option<T>, &mut Report) -> Result<()>,
) -> Result<()> {
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel::<Vec<InputEvent>>(1);
        scope.spawn(move || read_batches(input, &sender));
        for batch in receiver {
            let done: Vec<(InputEvent, Option<T>)> = batch
                .into_par_iter()
                .map(|event| {
                    let result = match &event {
                        InputEvent::Page(page) => {
                            catch_unwind(AssertUnwindSafe(|| work(page))).ok()
                        }
                        _ => None,
                    };
                    (event, result)
                })
                .collect();
            for (event, result) in done {
                if let InputEvent::Page(page) = &event
                    && messages == Messages::Show
                {
                    report.page(&page.site);
                }
                if messages == Messages::Show || matches!(event, InputEvent::Page(_)) {
                    take(event, result, report)?;
                }
            }
        }
        Ok(())
    })
}

/// Reads the input in batches; stops when the receiver is gone.
fn read_batches(input: &Input, sender: &mpsc::SyncSender<Vec<InputEvent>>) {
    let mut batch = Vec::new();
    let mut bytes = 0;
    for event in input.read() {
        if let InputEvent::Page(page) = &event {
            bytes += page.bytes.len();
        }
        batch.push(event);
        if batch.len() >= BATCH_PAGES || bytes >= BATCH_BYTES {
            bytes = 0;
            if sender.send(std::mem::take(&mut batch)).is_err() {
                return;
            }
        }
    }
    let _ = sender.send(batch);
}
