//! Measures the time of tree patterns on real pages:
//! `cargo run --release -p unmold --example tree_pattern_cost -- CORPUS SET…`
//!
//! For each site (`CORPUS/SET/SITE/pages/**`), learns from the 15 pages whose size is closest to
//! 2000 nodes, then marks up to 65 pages spread over its list of files, on one core. The times of
//! marking are given as multiples of parsing by html5ever and by the fast parser.

// The library does no I/O; a measurement reads files and the clock.
#![allow(clippy::disallowed_methods)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unmold::LearnedTemplate;
use unmold::page::Parser;
use unmold::{Method, Page, ParseOptions, Sample, TreePattern};

const LEARN: usize = 15;
const NODES: u32 = 2000;
const TEST: usize = 65;

struct Row {
    site: String,
    nodes: u32,
    learn: Duration,
    parts: usize,
    html5ever: Duration,
    fast: Duration,
    mark: Duration,
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let corpus = PathBuf::from(arguments.next().unwrap_or_else(|| ".".to_owned()));
    let mut rows = Vec::new();
    println!(
        "{:32} {:>6} {:>10} {:>7}  mark / html5ever, fast parser",
        "site", "nodes", "learning", "parts"
    );
    for set in arguments {
        for site in common::sites(&corpus.join(&set)) {
            if let Some(row) = measure(&set, &site)? {
                println!("{}", line(&row));
                rows.push(row);
            }
        }
    }
    let worst = rows.iter().max_by_key(|row| row.learn);
    let large: Vec<&Row> = rows.iter().filter(|row| row.nodes * 4 >= NODES * 3).collect();
    if let Some(worst) = worst {
        println!("slowest to learn: {}", line(worst));
    }
    if let Some(worst) = large.iter().max_by_key(|row| row.learn) {
        println!(
            "slowest of {} sites with pages of at least {} nodes: {}",
            large.len(),
            NODES * 3 / 4,
            line(worst)
        );
    }
    let sum = |time: fn(&Row) -> Duration| rows.iter().map(time).sum::<Duration>();
    let mark = sum(|row| row.mark);
    println!(
        "all pages: marking takes {:.2} of the time of html5ever, {:.2} of that of the fast parser",
        ratio(mark, sum(|row| row.html5ever)),
        ratio(mark, sum(|row| row.fast))
    );
    Ok(())
}

fn ratio(time: Duration, of: Duration) -> f64 {
    time.as_secs_f64() / of.as_secs_f64().max(1e-9)
}

fn line(row: &Row) -> String {
    format!(
        "{:32} {:6} {:8.0} ms {:7} {:17.2} {:10.2}",
        row.site,
        row.nodes,
        row.learn.as_secs_f64() * 1e3,
        row.parts,
        ratio(row.mark, row.html5ever),
        ratio(row.mark, row.fast)
    )
}

fn measure(set: &str, site: &Path) -> std::io::Result<Option<Row>> {
    let files = common::html_files(&site.join("pages"));
    let read = |file: &PathBuf| -> std::io::Result<(Vec<u8>, Page)> {
        let bytes = std::fs::read(file)?;
        let page = parse(&bytes, Parser::Fast);
        Ok((bytes, page))
    };
    let mut pages: Vec<(Vec<u8>, Page)> = files.iter().map(read).collect::<std::io::Result<_>>()?;
    if pages.len() < LEARN {
        return Ok(None);
    }
    let step = pages.len().div_ceil(TEST);
    let tested: Vec<Vec<u8>> = pages.iter().step_by(step).map(|(bytes, _)| bytes.clone()).collect();
    pages.sort_by_key(|(_, page)| page.len().abs_diff(NODES));
    let sample: Vec<&Page> = pages[..LEARN].iter().map(|(_, page)| page).collect();
    let nodes = sample.iter().map(|page| page.len()).sum::<u32>() / LEARN as u32;
    let settings = TreePattern { max_pages: LEARN, ..TreePattern::default() };
    let start = Instant::now();
    let Ok(template) = settings.learn(&Sample::new(sample)) else { return Ok(None) };
    let learn = start.elapsed();
    let mut row = Row {
        site: format!("{set}/{}", site.file_name().unwrap_or_default().to_string_lossy()),
        nodes,
        learn,
        parts: template.parts().len(),
        html5ever: Duration::ZERO,
        fast: Duration::ZERO,
        mark: Duration::ZERO,
    };
    for bytes in &tested {
        let (time, _) = timed(|| parse(bytes, Parser::Html5ever));
        row.html5ever += time;
        let (time, page) = timed(|| parse(bytes, Parser::Fast));
        row.fast += time;
        row.mark += timed(|| template.mark(&page)).0;
    }
    Ok(Some(row))
}

fn parse(bytes: &[u8], parser: Parser) -> Page {
    Page::parse_with(bytes, &ParseOptions::default().with_parser(parser))
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}
