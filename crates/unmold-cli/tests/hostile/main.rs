//! Pages and archives made to stop a run: none may panic, abort, hang, or lose records, and time
//! grows about linearly with the input.
//!
//! `cargo test` runs the short form. `make hostile` sets `UNMOLD_HOSTILE=long`, which runs every
//! command on every page and prints a table.

#![cfg(unix)]

mod archives;
mod pages;
mod runs;

use std::fs;
use std::path::Path;

use pages::{BOMBS, Generator};
use runs::{Ended, Outcome, run};
use tempfile::TempDir;

/// Pages in each site.
const PAGES: usize = 3;
/// Time may grow with the size to this power.
const MAX_POWER: f64 = 1.3;
/// Differences in time below this are noise.
const MIN_SECONDS: f64 = 0.4;
/// Measurements of a stage that seems superlinear, of which the fastest counts.
const TRIES: usize = 3;

type Stage = (&'static str, &'static [&'static str]);

/// The commands, each with what it is about.
const STAGES: [Stage; 17] = [
    ("clean", &["clean"]),
    ("explain", &["clean", "--explain"]),
    ("text", &["clean", "--format", "text", "-o", "folder"]),
    ("markdown", &["clean", "--format", "markdown", "-o", "folder"]),
    ("html", &["clean", "--format", "html", "-o", "folder"]),
    ("importance", &["clean", "--min-importance", "0.3"]),
    ("chunk-frequency", &["clean", "--method", "chunk-frequency"]),
    ("alignment", &["clean", "--method", "alignment"]),
    ("tree-mapping", &["clean", "--method", "tree-mapping"]),
    ("tree-pattern", &["clean", "--method", "tree-pattern"]),
    ("sections", &["sections"]),
    ("records", &["records", "--columns", "all", "--structured"]),
    ("cluster", &["cluster"]),
    ("rules", &["export-rules"]),
    ("index", &["index", "-o", "index"]),
    ("viewer", &["view", "--export", "report"]),
    ("learn", &["learn", "-t", "t.json"]),
];

/// Stages that give a line for each page.
const LINES: [&str; 8] = [
    "clean",
    "explain",
    "importance",
    "chunk-frequency",
    "alignment",
    "tree-mapping",
    "tree-pattern",
    "sections",
];

/// Whether this build has the command.
fn is_built(stage: &Stage) -> bool {
    match stage.0 {
        "index" => cfg!(feature = "search"),
        "viewer" => cfg!(feature = "view"),
        _ => true,
    }
}

/// What the short form runs on each page.
const SHORT_STAGES: [&str; 5] = ["clean", "explain", "importance", "tree-pattern", "records"];

fn is_long() -> bool {
    std::env::var("UNMOLD_HOSTILE").is_ok_and(|form| form == "long")
}

#[derive(Default)]
struct Tally {
    inputs: usize,
    panics: usize,
    aborts: usize,
    hangs: usize,
    lost: usize,
    superlinear: usize,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, what: &str, outcome: &Outcome, lost: usize) {
        self.inputs += 1;
        match outcome.ended {
            Ended::Well => {}
            Ended::Panicked => self.panics += 1,
            Ended::Aborted => self.aborts += 1,
            Ended::Hung => self.hangs += 1,
        }
        self.lost += lost;
        if outcome.ended != Ended::Well || lost > 0 {
            let stderr: String = outcome.stderr.chars().take(300).collect();
            self.failures.push(format!("{what}: {:?}, {lost} lost: {stderr}", outcome.ended));
        }
    }

    fn finish(self) {
        println!(
            "inputs {}, panics {}, aborts {}, hangs {}, lost records {}, superlinear stages {}",
            self.inputs, self.panics, self.aborts, self.hangs, self.lost, self.superlinear
        );
        assert!(self.failures.is_empty(), "{}", self.failures.join("\n"));
    }
}

fn site(folder: &Path, generator: Generator, parts: usize) {
    let pages = folder.join("site");
    fs::create_dir_all(&pages).expect("a folder");
    for seed in 0..PAGES as u64 {
        fs::write(pages.join(format!("{seed}.html")), generator(parts, seed)).expect("written");
    }
}

/// Runs a stage on a site of this size. Returns how it went and how many records are missing.
fn run_stage(stage: &Stage, generator: Generator, parts: usize) -> (Outcome, usize) {
    let folder = TempDir::new().expect("a folder");
    site(folder.path(), generator, parts);
    let mut arguments = stage.1.to_vec();
    arguments.extend(["--quiet", "--threads", "2", "--site", "s", "site"]);
    let outcome = run(folder.path(), &arguments);
    let expected = if LINES.contains(&stage.0) { PAGES } else { 0 };
    let found = outcome.stdout.lines().count();
    (outcome, expected.saturating_sub(found))
}

/// Times of a stage at `parts`, twice and four times as many, without the time that it takes to
/// start, and the power with which they grow.
fn growth(stage: &Stage, generator: Generator, parts: usize) -> ([f64; 3], f64) {
    let start = run_stage(stage, generator, 1).0.seconds;
    let times = [1, 2, 4].map(|n| run_stage(stage, generator, n * parts).0.seconds - start);
    (times, (times[2] / times[0].max(0.02)).log(4.0))
}

fn check_growth(tally: &mut Tally, name: &str, stage: &Stage, generator: Generator, parts: usize) {
    let what = format!("{name}, {}", stage.0);
    let (outcome, lost) = run_stage(stage, generator, 4 * parts);
    tally.add(&what, &outcome, lost);
    if outcome.ended != Ended::Well || outcome.seconds < MIN_SECONDS {
        println!("{what:40} {:6.2} s", outcome.seconds);
        return;
    }
    let mut measured = Vec::new();
    for _ in 0..TRIES {
        let (times, power) = growth(stage, generator, parts);
        let [few, more, many] = times;
        println!("{what:40} {few:6.2} {more:6.2} {many:6.2} s, power {power:.2}");
        if many < MIN_SECONDS || power <= MAX_POWER {
            return;
        }
        measured.push((times, power));
    }
    // Steps with a budget, such as the cells of an alignment, grow with the square up to it.
    let (times, power) = growth(stage, generator, 4 * parts);
    println!("{what:40} {:6.2} {:6.2} {:6.2} s, power {power:.2}", times[0], times[1], times[2]);
    if power <= MAX_POWER {
        return;
    }
    measured.push((times, power));
    tally.superlinear += 1;
    tally.failures.push(format!("{what}: superlinear, {measured:?}"));
}

#[test]
fn no_page_stops_a_run_or_takes_more_than_its_share() {
    let mut tally = Tally::default();
    for (name, generator, parts) in BOMBS {
        for stage in STAGES.iter().filter(|stage| is_built(stage)) {
            if is_long() {
                check_growth(&mut tally, name, stage, generator, 2 * parts);
            } else if SHORT_STAGES.contains(&stage.0) {
                let (outcome, lost) = run_stage(stage, generator, parts);
                let what = format!("{name}, {}", stage.0);
                tally.add(&what, &outcome, lost);
            }
        }
    }
    tally.finish();
}

#[test]
fn damaged_archives_lose_only_what_is_damaged() {
    let mut tally = Tally::default();
    let rounds = if is_long() { 60 } else { 3 };
    for archive in archives::all() {
        for seed in 0..rounds {
            let folder = TempDir::new().expect("a folder");
            let (bytes, min_pages) = archive.damaged(seed);
            fs::write(folder.path().join(archive.file), bytes).expect("written");
            let outcome = run(folder.path(), &["clean", "--quiet", "--threads", "2", archive.file]);
            let pages = outcome.stdout.matches("Story number").count();
            let what = format!("{} {seed}", archive.file);
            tally.add(&what, &outcome, min_pages.saturating_sub(pages));
        }
    }
    tally.finish();
}

#[test]
fn many_sites_and_many_false_records_take_linear_time() {
    let mut tally = Tally::default();
    for (name, file, make) in archives::BOMBS {
        let seconds = |parts: usize| {
            let folder = TempDir::new().expect("a folder");
            fs::write(folder.path().join(file), make(parts)).expect("written");
            run(folder.path(), &["clean", "--quiet", "--threads", "2", file])
        };
        let parts = if is_long() { 20_000 } else { 2_000 };
        let many = seconds(4 * parts);
        tally.add(name, &many, 0);
        if many.seconds < MIN_SECONDS {
            continue;
        }
        let power = || (seconds(4 * parts).seconds / seconds(parts).seconds.max(0.02)).log(4.0);
        let powers: Vec<f64> = (0..TRIES).map(|_| power()).collect();
        if powers.iter().all(|&power| power > MAX_POWER) {
            tally.superlinear += 1;
            tally.failures.push(format!("{name}: superlinear, {powers:?}"));
        }
    }
    tally.finish();
}
