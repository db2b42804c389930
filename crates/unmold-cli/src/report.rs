//! Messages, progress and the final summary, all on standard error.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::exit::Exit;
use crate::input::Input;

/// Failures beyond this number are only counted, unless verbose.
const MAX_SHOWN: usize = 20;

/// How much to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verbosity {
    /// Failures only.
    Quiet,
    /// Also notes and the progress bar.
    Normal,
    /// Also details.
    Verbose,
}

/// Collects failures and prints messages.
pub struct Report {
    verbosity: Verbosity,
    bar: ProgressBar,
    failures: usize,
    skipped: BTreeMap<&'static str, usize>,
    fallbacks: BTreeMap<&'static str, usize>,
}

impl Report {
    pub fn new(verbosity: Verbosity) -> Report {
        Report {
            verbosity,
            bar: ProgressBar::hidden(),
            failures: 0,
            skipped: BTreeMap::new(),
            fallbacks: BTreeMap::new(),
        }
    }

    /// Shows a progress bar for `input` until the returned guard is dropped.
    ///
    /// If standard error is not a terminal, it shows nothing and does not walk folders for sizes.
    pub fn start(&mut self, what: &'static str, input: &Input) -> Progress {
        if self.verbosity == Verbosity::Quiet || !std::io::stderr().is_terminal() {
            return Progress { stop: None, thread: None };
        }
        let style = ProgressStyle::with_template("{msg:10} {bar:40} {bytes}/{total_bytes} {eta}");
        let bar = ProgressBar::new(input.total_bytes()).with_message(what);
        self.bar = match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        };
        let (bar, read) = (self.bar.clone(), input.progress());
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(Duration::from_millis(100))
                == Err(mpsc::RecvTimeoutError::Timeout)
            {
                bar.set_position(read.load(Ordering::Relaxed));
            }
            bar.finish_and_clear();
        });
        Progress { stop: Some(stop), thread: Some(thread) }
    }

    fn print(&self, message: &str) {
        self.bar.suspend(|| eprintln!("unmold: {message}"));
    }

    /// Reports a page or file that failed. Counts towards the exit code.
    pub fn failure(&mut self, place: &str, what: &str) {
        self.failures += 1;
        if self.failures <= MAX_SHOWN || self.verbosity == Verbosity::Verbose {
            self.print(&format!("{place}: {what}"));
        }
    }

    /// Prints a message unless quiet.
    pub fn note(&self, message: &str) {
        if self.verbosity != Verbosity::Quiet {
            self.print(message);
        }
    }

    /// Prints a message if verbose.
    pub fn detail(&self, message: &str) {
        if self.verbosity == Verbosity::Verbose {
            self.print(message);
        }
    }

    /// Notes that the input has no page.
    pub fn no_pages(&self) {
        self.note(
            "no HTML page in the input: give a folder, WARC or JSONL file with pages, or run with \
             -v to see what was skipped",
        );
    }

    /// Counts a skipped file.
    pub fn skipped(&mut self, place: &str, why: &'static str) {
        *self.skipped.entry(why).or_default() += 1;
        self.detail(&format!("{place}: skipped, {why}"));
    }

    /// Counts a page that the fast parser handed over to html5ever.
    pub fn fallback(&mut self, why: &'static str) {
        *self.fallbacks.entry(why).or_default() += 1;
    }

    /// Prints the summary and returns the exit status.
    pub fn finish(&self) -> Exit {
        for (why, number) in &self.skipped {
            self.note(&format!("skipped {number}: {why}"));
        }
        for (why, number) in &self.fallbacks {
            self.detail(&format!("parsed with html5ever: {number}, {why}"));
        }
        if self.failures > MAX_SHOWN && self.verbosity != Verbosity::Verbose {
            self.print(&format!("{} failures in total; run with -v to list them", self.failures));
        }
        if self.failures == 0 { Exit::AllDone } else { Exit::SomeFailed }
    }
}

/// Guard of a progress bar; removes the bar when dropped.
pub struct Progress {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
