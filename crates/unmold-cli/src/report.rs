//! What the user is told while a run goes on, and at its end. All of it on standard error.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::args::RunArgs;
use crate::exit::Exit;
use crate::input::Input;

/// Messages of the same kind beyond this number are only counted, unless verbose.
const SHOWN: usize = 20;

/// Returns a terminal to the start of the line and clears it.
const CLEAR_LINE: &str = "\r\x1b[K";

pub struct Report {
    quiet: bool,
    verbose: bool,
    failures: usize,
    skipped: BTreeMap<&'static str, usize>,
    fallbacks: BTreeMap<&'static str, usize>,
}

impl Report {
    pub fn new(args: &RunArgs) -> Report {
        let (quiet, verbose) = (args.quiet, args.verbose);
        Report { quiet, verbose, failures: 0, skipped: BTreeMap::new(), fallbacks: BTreeMap::new() }
    }

    /// Shows a bar that follows what is read of `input` until the returned guard is dropped. If
    /// nobody is watching it shows nothing, and folders are not walked for their sizes.
    pub fn start(&self, what: &'static str, input: &Input) -> Watching {
        if self.quiet || !std::io::stderr().is_terminal() {
            return Watching { stop: None, thread: None };
        }
        let (start, total, read) = (Instant::now(), input.total_bytes(), input.progress());
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let mut out = std::io::stderr();
            while stopped.recv_timeout(Duration::from_millis(100))
                == Err(mpsc::RecvTimeoutError::Timeout)
            {
                let bar = bar(what, read.load(Ordering::Relaxed), total, start.elapsed());
                let _ = write!(out, "{CLEAR_LINE}{bar}");
            }
            let _ = write!(out, "{CLEAR_LINE}");
        });
        Watching { stop: Some(stop), thread: Some(thread) }
    }

    fn say(&self, message: &str) {
        // A bar on this line is drawn again below the message.
        let clear = if std::io::stderr().is_terminal() { CLEAR_LINE } else { "" };
        eprintln!("{clear}unmold: {message}");
    }

    /// A page or file that failed.
    pub fn failure(&mut self, place: &str, what: &str) {
        self.failures += 1;
        if self.failures <= SHOWN || self.verbose {
            self.say(&format!("{place}: {what}"));
        }
    }

    /// Something unusual that is no failure.
    pub fn note(&self, message: &str) {
        if !self.quiet {
            self.say(message);
        }
    }

    /// Something that only the curious want to know.
    pub fn detail(&self, message: &str) {
        if self.verbose {
            self.say(message);
        }
    }

    pub fn skipped(&mut self, place: &str, why: &'static str) {
        *self.skipped.entry(why).or_default() += 1;
        self.detail(&format!("{place}: skipped, {why}"));
    }

    /// A page that the fast parser left to html5ever.
    pub fn fallback(&mut self, why: &'static str) {
        *self.fallbacks.entry(why).or_default() += 1;
    }

    /// Sums up; the exit code says whether everything worked.
    pub fn finish(&self) -> Exit {
        for (why, number) in &self.skipped {
            self.note(&format!("skipped {number}: {why}"));
        }
        for (why, number) in &self.fallbacks {
            self.detail(&format!("read by html5ever {number}: {why}"));
        }
        if self.failures > SHOWN && !self.verbose {
            self.say(&format!("{} failures in all, -v lists them", self.failures));
        }
        if self.failures == 0 { Exit::AllDone } else { Exit::SomeFailed }
    }
}

/// A progress bar in action.
pub struct Watching {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
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
        assert!(bar("reading", 0, 10, Duration::from_secs(1)).ends_with("0.0/0.0 MB "));
        assert!(!bar("reading", 0, 0, Duration::ZERO).contains('#'));
        let over = bar("reading", 12, 10, Duration::from_secs(1));
        assert!(over.contains(&"#".repeat(40)) && over.ends_with("0:00"), "{over}");
    }
}
