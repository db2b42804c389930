//! Measures the time of tree mapping on real pages:
//! `cargo run --release -p unmold --example tree_mapping_cost -- CORPUS SET…`
//!
//! For each site (`CORPUS/SET/SITE/pages/**`), learns from 24 pages spread over its list of files,
//! marks every page by the linear mapping (R2) and by the exact one (R1), and compares the texts
//! that remain.

// The library does no I/O; a measurement reads files and the clock.
#![allow(clippy::disallowed_methods)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unmold::LearnedTemplate;
use unmold::page::Parser;
use unmold::page::words;
use unmold::{Method, Page, ParseOptions, Sample, TreeMapping, strip};

const SAMPLE: usize = 24;

#[derive(Default)]
struct Totals {
    sites: u32,
    pages: u32,
    nodes: u64,
    /// Parsing by html5ever, the baseline for marking.
    parse: Duration,
    fast: Duration,
    learn: Vec<(Duration, String)>,
    linear: Duration,
    exact: Duration,
    same_text: u32,
    words: usize,
    words_different: usize,
    approximate: u32,
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let corpus = PathBuf::from(arguments.next().unwrap_or_else(|| ".".to_owned()));
    for set in arguments {
        let mut totals = Totals::default();
        for site in common::sites(&corpus.join(&set)) {
            measure(&site, &mut totals)?;
        }
        print(&set, &totals);
    }
    Ok(())
}

fn measure(site: &Path, totals: &mut Totals) -> std::io::Result<()> {
    let root = site.join("pages");
    let name = site.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files = common::html_files(&root);
    let mut pages = Vec::new();
    for file in &files {
        let bytes = std::fs::read(file)?;
        let below = file.strip_prefix(&root).unwrap_or(file).display();
        let options = ParseOptions::default().with_url(format!("http://{name}.invalid/{below}"));
        let html5ever = options.clone().with_parser(Parser::Html5ever);
        let start = Instant::now();
        std::hint::black_box(Page::parse_with(&bytes, &html5ever));
        totals.parse += start.elapsed();
        let start = Instant::now();
        pages.push(Page::parse_with(&bytes, &options));
        totals.fast += start.elapsed();
    }
    let number = SAMPLE.min(pages.len());
    let sample: Vec<&Page> = (0..number).map(|at| &pages[at * pages.len() / number]).collect();
    let start = Instant::now();
    let Ok(template) = TreeMapping::default().learn(&Sample::new(sample)) else { return Ok(()) };
    totals.learn.push((start.elapsed(), name));
    totals.sites += 1;
    totals.approximate += template.approximate_pairs();
    for page in &pages {
        let start = Instant::now();
        let linear = template.mark(page);
        totals.linear += start.elapsed();
        let start = Instant::now();
        let exact = template.mark_exactly(page);
        totals.exact += start.elapsed();
        compare(&strip(page, &linear).text(), &strip(page, &exact).text(), totals);
        totals.pages += 1;
        totals.nodes += u64::from(page.len());
    }
    Ok(())
}

/// Counts the words that only one of the two texts has.
fn compare(linear: &str, exact: &str, totals: &mut Totals) {
    totals.same_text += u32::from(linear == exact);
    let sorted = |text: &str| {
        let mut all: Vec<String> = words(text).map(str::to_owned).collect();
        all.sort_unstable();
        all
    };
    let (first, second) = (sorted(linear), sorted(exact));
    let mut common = 0;
    let (mut i, mut j) = (0, 0);
    while i < first.len() && j < second.len() {
        match first[i].cmp(&second[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, common) = (i + 1, j + 1, common + 1),
        }
    }
    totals.words += second.len();
    totals.words_different += first.len() + second.len() - 2 * common;
}

fn print(set: &str, totals: &Totals) {
    let Totals {
        sites,
        pages,
        nodes,
        parse,
        fast,
        linear,
        exact,
        same_text,
        words,
        words_different,
        approximate,
        ..
    } = totals;
    let mut learn = totals.learn.clone();
    learn.sort();
    let share = |time: &Duration| time.as_secs_f64() / parse.as_secs_f64().max(1e-9);
    println!("{set}: {sites} sites, {pages} pages of {} nodes", nodes / u64::from(*pages).max(1));
    if let (Some(median), Some(max)) = (learn.get(learn.len() / 2), learn.last()) {
        println!(
            "  learning from {SAMPLE} pages: median {:.2?}, max {:.2?} ({})",
            median.0, max.0, max.1
        );
        println!("  pairs of pages mapped greedily: {approximate}");
    }
    println!(
        "  html5ever {parse:.2?}; R2 {linear:.2?} = {:.2} of it; R1 {exact:.2?} = {:.2}; fast parser {:.2}",
        share(linear),
        share(exact),
        share(fast)
    );
    let different = *words_different as f64 / (*words).max(1) as f64;
    println!(
        "  same text by R1 and R2 on {same_text} of {pages} pages; {:.2} % of the words different",
        100.0 * different
    );
}
