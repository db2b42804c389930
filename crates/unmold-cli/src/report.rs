//! What the user is told while a run goes on, and at its end. All of it on standard error.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::args::RunArgs;
use crate::exit::Exit;
use crate::input::Input;

/// Messages of the same kind beyond this number are only counted, unless verbose.
const SHOWN: usize = 20;

pub struct Report {
    quiet: bool,
    verbose: bool,
    bar: ProgressBar,
    failures: usize,
    skipped: BTreeMap<&'static str, usize>,
    fallbacks: BTreeMap<&'static str, usize>,
}

impl Report {
    pub fn new(args: &RunArgs) -> Report {
        let (quiet, verbose) = (args.quiet, args.verbose);
        Report {
            quiet,
            verbose,
            bar: ProgressBar::hidden(),
            failures: 0,
            skipped: BTreeMap::new(),
            fallbacks: BTreeMap::new(),
        }
    }

    /// Shows a bar that follows what is read of `input` until the returned guard is dropped. If
    /// nobody is watching it shows nothing, and folders are not walked for their sizes.
    pub fn start(&mut self, what: &'static str, input: &Input) -> Watching {
        if self.quiet || !std::io::stderr().is_terminal() {
            return Watching { stop: None, thread: None };
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
        Watching { stop: Some(stop), thread: Some(thread) }
    }

    fn say(&self, message: &str) {
        self.bar.suspend(|| eprintln!("unmold: {message}"));
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
