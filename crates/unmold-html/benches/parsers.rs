//! The fast parser and html5ever, set by set, in one run on one core.
//!
//! `UNMOLD_PAGES=CORPUS cargo bench -p unmold-html --bench parsers`: each folder of the corpus is a
//! set; without it, the fixtures are the only one. The parsers take turns, so that other work on
//! the machine slows both alike; keep the ratios, not the MB/s.

#![allow(clippy::disallowed_methods)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unmold_html::{FallbackReason, Page, ParseOptions, Parser};

const ROUNDS: usize = 5;
const MAX_BYTES: usize = 40 << 20;
const SETS: [&str; 5] = ["sites", "docs", "swde", "big9", "dragnet"];

fn main() {
    let sets: Vec<PathBuf> = match std::env::var_os("UNMOLD_PAGES") {
        Some(corpus) => SETS.iter().map(|set| Path::new(&corpus).join(set)).collect(),
        None => vec![common::repository().join("fixtures")],
    };
    println!("median of {ROUNDS} rounds; kept: pages that the fast parser reads itself");
    println!(
        "{:10} {:>6} {:>7} {:>14} {:>10} {:>9} {:>9}  fallbacks",
        "", "pages", "MB", "html5ever MB/s", "fast MB/s", "kept", "all"
    );
    for set in sets {
        measure(&set);
    }
}

fn measure(set: &Path) {
    let pages = read_pages(set);
    let bytes: usize = pages.iter().map(Vec::len).sum();
    let reasons: Vec<Option<FallbackReason>> =
        pages.iter().map(|page| parse(page, Parser::Fast).fallback()).collect();
    let all: Vec<&[u8]> = pages.iter().map(Vec::as_slice).collect();
    let kept: Vec<&[u8]> = all
        .iter()
        .zip(&reasons)
        .filter(|(_, reason)| reason.is_none())
        .map(|(&page, _)| page)
        .collect();
    let [slow_kept, fast_kept, slow, fast] = in_turns([
        (&kept, Parser::Html5ever),
        (&kept, Parser::Fast),
        (&all, Parser::Html5ever),
        (&all, Parser::Fast),
    ]);
    let mut counts: BTreeMap<FallbackReason, usize> = BTreeMap::new();
    reasons.iter().flatten().for_each(|&reason| *counts.entry(reason).or_default() += 1);
    let listed: Vec<String> =
        counts.iter().map(|(reason, count)| format!("{} {count}", reason.name())).collect();
    println!(
        "{:10} {:6} {:7.1} {:14.1} {:10.1} {:8.2}x {:8.2}x  {:.2} %: {}",
        set.file_name().unwrap_or_default().to_string_lossy(),
        pages.len(),
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / slow.as_secs_f64(),
        bytes as f64 / 1e6 / fast.as_secs_f64(),
        slow_kept.as_secs_f64() / fast_kept.as_secs_f64(),
        slow.as_secs_f64() / fast.as_secs_f64(),
        100.0 * (pages.len() - kept.len()) as f64 / pages.len().max(1) as f64,
        listed.join(", ")
    );
}

fn parse(bytes: &[u8], parser: Parser) -> Page {
    Page::parse_with(bytes, &ParseOptions::default().with_parser(parser))
}

/// Median time of each run.
fn in_turns<const N: usize>(runs: [(&[&[u8]], Parser); N]) -> [Duration; N] {
    let mut times: [Vec<Duration>; N] = std::array::from_fn(|_| Vec::new());
    for _ in 0..ROUNDS {
        for (&(pages, parser), times) in runs.iter().zip(&mut times) {
            let start = Instant::now();
            pages.iter().for_each(|page| drop(black_box(parse(page, parser))));
            times.push(start.elapsed());
        }
    }
    times.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    })
}

/// Pages spread over the whole set, about [`MAX_BYTES`] in total at most.
fn read_pages(set: &Path) -> Vec<Vec<u8>> {
    let files = common::html_files(set);
    let size: u64 =
        files.iter().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum();
    let step = (size as usize).div_ceil(MAX_BYTES).max(1);
    files.iter().step_by(step).map(|file| std::fs::read(file).expect("readable")).collect()
}
