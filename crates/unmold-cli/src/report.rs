//! Messages, progress and the final summary, all on standard error.

use std::collections::{BTreeMap, HashSet};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_64;

use crate::exit::Exit;
use crate::input::Input;
use crate::output::printable;

/// Failures beyond this number are only counted, unless verbose.
const MAX_SHOWN: usize = 20;

/// Fewer pages than this hardly show what they share.
const FEW_PAGES: u64 = 5;

/// Returns a terminal to the start of the line and clears it.
const CLEAR_LINE: &str = "\r\x1b[K";

/// Prints a message to standard error.
///
/// A message that nobody can read is no reason to stop: standard error may be closed or full.
pub fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "unmold: {}", printable(message));
}

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
    start: Instant,
    failures: usize,
    /// Messages about failures, some of which are not shown.
    messages: usize,
    pages: u64,
    /// Hashes of the names of the sites that the pages belong to.
    sites: HashSet<u64>,
    written: Option<u64>,
    /// Templates are learned from the pages.
    learns: bool,
    templates: Option<usize>,
    skipped: BTreeMap<&'static str, usize>,
    fallbacks: BTreeMap<&'static str, usize>,
    renamed: usize,
}

impl Report {
    pub fn new(verbosity: Verbosity) -> Report {
        Report {
            verbosity,
            start: Instant::now(),
            failures: 0,
            messages: 0,
            pages: 0,
            sites: HashSet::new(),
            written: None,
            learns: false,
            templates: None,
            skipped: BTreeMap::new(),
            fallbacks: BTreeMap::new(),
            renamed: 0,
        }
    }

    /// Shows a progress bar for `input` until the returned guard is dropped.
    ///
    /// If standard error is not a terminal, it shows nothing and does not walk folders for sizes.
    pub fn start(&self, what: &'static str, input: &Input) -> Progress {
        if self.verbosity == Verbosity::Quiet || !std::io::stderr().is_terminal() {
            return Progress { stop: None, thread: None };
        }
        let (start, total, read) = (Instant::now(), input.total_bytes(), input.progress());
        Progress::show(move || bar(what, read.load(Ordering::Relaxed), total, start.elapsed()))
    }

    /// Shows how many of `total` sites are done until the guard is dropped; `done` counts them.
    pub fn start_sites(&self, what: &'static str, total: usize, done: &Arc<AtomicU64>) -> Progress {
        if self.verbosity == Verbosity::Quiet || !std::io::stderr().is_terminal() {
            return Progress { stop: None, thread: None };
        }
        let (start, done) = (Instant::now(), Arc::clone(done));
        Progress::show(move || {
            sites_line(what, done.load(Ordering::Relaxed), total, start.elapsed())
        })
    }

    fn print(&self, message: &str) {
        // A bar on this line is drawn again below the message.
        if std::io::stderr().is_terminal() {
            let _ = write!(std::io::stderr(), "{CLEAR_LINE}");
        }
        say(message);
    }

    /// Reports a page or file that failed. Counts towards the exit code.
    pub fn failure(&mut self, place: &str, what: &str) {
        self.failures += 1;
        self.messages += 1;
        if self.messages <= MAX_SHOWN || self.verbosity == Verbosity::Verbose {
            self.print(&format!("{place}: {what}"));
        }
    }

    /// Counts failures that are reported in one message.
    pub fn count_failures(&mut self, number: u64) {
        self.failures += number as usize;
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

    /// Counts a page that was read.
    pub fn page(&mut self, site: &str) {
        self.pages += 1;
        self.sites.insert(xxh3_64(site.as_bytes()));
    }

    /// Counts pages that were written.
    pub fn wrote(&mut self, pages: u64) {
        *self.written.get_or_insert(0) += pages;
    }

    /// Says that templates are learned from the pages.
    pub fn learns(&mut self) {
        self.learns = true;
    }

    /// Says how many templates were learned.
    pub fn learned(&mut self, templates: usize) {
        self.templates = Some(templates);
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

    /// Counts a page that was written under another name than its id gives.
    pub fn renamed(&mut self, id: &str, path: &Path) {
        self.renamed += 1;
        self.detail(&format!("{id}: written as {}", path.display()));
    }

    /// Prints the summary and returns the exit status.
    pub fn finish(&self) -> Exit {
        for (why, number) in &self.fallbacks {
            self.detail(&format!("parsed with html5ever: {number}, {why}"));
        }
        if self.renamed > 0 {
            self.note(&format!(
                "{} pages were written under other names, since theirs were taken or too long; run \
                 with -v to list them",
                self.renamed
            ));
        }
        if self.messages > MAX_SHOWN && self.verbosity != Verbosity::Verbose {
            self.print(&format!("{} failures in total; run with -v to list them", self.failures));
        }
        if self.learns && (1..FEW_PAGES).contains(&self.pages) {
            self.note(
                "hint: templates are learned from what pages of a site share; give 20 to 100 of \
                 them for a good one",
            );
        }
        if self.pages > 0 || !self.skipped.is_empty() || self.failures > 0 {
            self.note(&self.summary());
        }
        if self.failures == 0 { Exit::AllDone } else { Exit::SomeFailed }
    }
}

impl Report {
    /// `64 pages of 6 sites, 64 written, 0 failed, skipped 3 (not an HTML file: 3), 1.2 s`.
    fn summary(&self) -> String {
        let plural = |number: u64| if number == 1 { "" } else { "s" };
        let (pages, sites) = (self.pages, self.sites.len() as u64);
        let mut line = format!("{pages} page{} of {sites} site{}", plural(pages), plural(sites));
        if let Some(templates) = self.templates {
            line.push_str(&format!(", {templates} template{}", plural(templates as u64)));
        }
        if let Some(written) = self.written {
            line.push_str(&format!(", {written} written"));
        }
        line.push_str(&format!(", {} failed", self.failures));
        if !self.skipped.is_empty() {
            let all: usize = self.skipped.values().sum();
            let reasons: Vec<String> =
                self.skipped.iter().map(|(why, number)| format!("{why}: {number}")).collect();
            line.push_str(&format!(", skipped {all} ({})", reasons.join("; ")));
        }
        format!("{line}, {:.1} s", self.start.elapsed().as_secs_f64())
    }
}

/// Guard of a progress bar; removes the bar when dropped.
pub struct Progress {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Progress {
    /// Draws a line again and again.
    fn show(line: impl Fn() -> String + Send + 'static) -> Progress {
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let mut out = std::io::stderr();
            while stopped.recv_timeout(Duration::from_millis(100))
                == Err(mpsc::RecvTimeoutError::Timeout)
            {
                let _ = write!(out, "{CLEAR_LINE}{}", line());
            }
            let _ = write!(out, "{CLEAR_LINE}");
        });
        Progress { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// `learning   3 of 48 sites, 12 s`.
fn sites_line(what: &str, done: u64, total: usize, elapsed: Duration) -> String {
    format!("{what:10} {done} of {total} sites, {} s", elapsed.as_secs())
}

/// A progress bar: what is done, bytes read and in all, and the time left as minutes and seconds.
fn bar(what: &str, done: u64, total: u64, elapsed: Duration) -> String {
    const WIDTH: usize = 40;
    let share = if total == 0 { 0.0 } else { (done as f64 / total as f64).min(1.0) };
    let full = "#".repeat((share * WIDTH as f64) as usize);
    let left = elapsed.as_secs_f64() * (1.0 - share) / share;
    let left = if left.is_finite() {
        format!("{}:{:02}", left as u64 / 60, left as u64 % 60)
    } else {
        String::new()
    };
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    format!("{what:10} {full:-<WIDTH$} {:.1}/{:.1} MB {left}", megabytes(done), megabytes(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shows_what_is_done_and_how_long_it_will_take() {
        let half = bar("learning", 5_000_000, 10_000_000, Duration::from_secs(75));
        let (full, empty) = ("#".repeat(20), "-".repeat(20));
        assert_eq!(half, format!("learning   {full}{empty} 5.0/10.0 MB 1:15"));
        assert_eq!(
            sites_line("learning", 3, 48, Duration::from_secs(12)),
            "learning   3 of 48 sites, 12 s"
        );
        assert!(bar("reading", 0, 10, Duration::from_secs(1)).ends_with("0.0/0.0 MB "));
        assert!(!bar("reading", 0, 0, Duration::ZERO).contains('#'));
        let over = bar("reading", 12, 10, Duration::from_secs(1));
        assert!(over.contains(&"#".repeat(40)) && over.ends_with("0:00"), "{over}");
    }
}
