//! The fast lane beside html5ever with the flat sink, set by set, in one run on one core.
//!
//! `UNMOLD_PAGES=CORPUS cargo bench -p unmold --bench lanes`: each folder of the corpus is a set;
//! without it the fixtures are the only one. The lanes take turns, so that a busy machine slows
//! both alike; the figures to keep are the ratios. The last is that of stripping with the default
//! (parse, mark, write text; learned before from 24 pages of each site) to the fast lane's parse
//! alone.

#![allow(clippy::disallowed_methods)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unmold::LearnedTemplate;
use unmold::page::{HandOver, Lane};
use unmold::pipeline::AutoTemplate;
use unmold::{Auto, Method, Page, ParseOptions, Sample, strip};

const ROUNDS: usize = 5;
const MOST_BYTES: usize = 40 << 20;
const SETS: [&str; 5] = ["sites", "docs", "swde", "big9", "dragnet"];

fn main() {
    let sets: Vec<PathBuf> = match std::env::var_os("UNMOLD_PAGES") {
        Some(corpus) => SETS.iter().map(|set| Path::new(&corpus).join(set)).collect(),
        None => vec![common::repository().join("fixtures")],
    };
    println!("median of {ROUNDS} rounds; kept: pages the fast lane does not hand over");
    println!(
        "{:10} {:>6} {:>7} {:>14} {:>10} {:>9} {:>9} {:>9}  handed over",
        "", "pages", "MB", "html5ever MB/s", "fast MB/s", "kept", "all", "strip"
    );
    for set in sets {
        measure(&set);
    }
}

/// A page and the site it is of.
struct Input {
    site: String,
    bytes: Vec<u8>,
}

fn measure(set: &Path) {
    let pages = read_pages(set);
    let bytes: usize = pages.iter().map(|page| page.bytes.len()).sum();
    let reasons: Vec<Option<HandOver>> =
        pages.iter().map(|page| parse(page, Lane::Fast).hand_over()).collect();
    let kept: Vec<&Input> = pages
        .iter()
        .zip(&reasons)
        .filter(|(_, reason)| reason.is_none())
        .map(|(page, _)| page)
        .collect();
    let all: Vec<&Input> = pages.iter().collect();
    let templates = learn(&all);
    let parse_by = |lane| move |page: &Input| drop(black_box(parse(page, lane)));
    let (by_html5ever, by_fast) = (parse_by(Lane::Html5ever), parse_by(Lane::Fast));
    let by_strip = |page: &Input| {
        let parsed = parse(page, Lane::Fast);
        black_box(strip(&parsed, &templates[&page.site].mark(&parsed)).text());
    };
    let [slow_kept, fast_kept, slow, fast, stripping] = in_turns([
        (&kept, &by_html5ever),
        (&kept, &by_fast),
        (&all, &by_html5ever),
        (&all, &by_fast),
        (&all, &by_strip),
    ]);
    let mut counts: BTreeMap<HandOver, usize> = BTreeMap::new();
    reasons.iter().flatten().for_each(|&reason| *counts.entry(reason).or_default() += 1);
    let listed: Vec<String> =
        counts.iter().map(|(reason, count)| format!("{} {count}", reason.name())).collect();
    println!(
        "{:10} {:6} {:7.1} {:14.1} {:10.1} {:8.2}x {:8.2}x {:8.2}x  {:.2} %: {}",
        set.file_name().unwrap_or_default().to_string_lossy(),
        pages.len(),
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / slow.as_secs_f64(),
        bytes as f64 / 1e6 / fast.as_secs_f64(),
        slow_kept.as_secs_f64() / fast_kept.as_secs_f64(),
        slow.as_secs_f64() / fast.as_secs_f64(),
        stripping.as_secs_f64() / fast.as_secs_f64(),
        100.0 * (pages.len() - kept.len()) as f64 / pages.len().max(1) as f64,
        listed.join(", ")
    );
}

/// The template of each site, from at most 24 of its pages.
fn learn(pages: &[&Input]) -> BTreeMap<String, AutoTemplate> {
    let mut sites: BTreeMap<&str, Vec<&Input>> = BTreeMap::new();
    pages.iter().for_each(|page| sites.entry(&page.site).or_default().push(page));
    let learn = |pages: Vec<&Input>| {
        let spread = pages.iter().step_by(pages.len().div_ceil(24));
        let sample: Vec<Page> = spread.map(|page| parse(page, Lane::Fast)).collect();
        Auto::default().learn(&Sample::new(sample.iter())).expect("pages")
    };
    sites.into_iter().map(|(site, pages)| (site.to_owned(), learn(pages))).collect()
}

fn parse(page: &Input, lane: Lane) -> Page {
    Page::parse_with(&page.bytes, &ParseOptions { lane, ..ParseOptions::default() })
}

/// Pages and what is done to each.
type Run<'a> = (&'a [&'a Input], &'a dyn Fn(&Input));

/// Median time of each run.
fn in_turns<const N: usize>(runs: [Run; N]) -> [Duration; N] {
    let mut times: [Vec<Duration>; N] = std::array::from_fn(|_| Vec::new());
    for _ in 0..ROUNDS {
        for ((pages, run), times) in runs.iter().zip(&mut times) {
            let start = Instant::now();
            pages.iter().for_each(|page| run(page));
            times.push(start.elapsed());
        }
    }
    times.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    })
}

/// Pages from all over the set.
fn read_pages(set: &Path) -> Vec<Input> {
    let files = common::html_files(set);
    let size: u64 =
        files.iter().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum();
    let step = (size as usize).div_ceil(MOST_BYTES).max(1);
    let read = |file: &PathBuf| Input {
        site: file
            .strip_prefix(set)
            .ok()
            .and_then(|path| path.iter().next())
            .unwrap_or_default()
            .display()
            .to_string(),
        bytes: std::fs::read(file).expect("readable"),
    };
    files.iter().step_by(step).map(read).collect()
}
