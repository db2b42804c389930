//! What tree patterns cost on real pages: `cargo run --release -p unmold --example tree_pattern_cost -- CORPUS SET…`
//!
//! Each site (`CORPUS/SET/SITE/pages/**`) is learned from the 15 pages whose size is nearest to 2000 nodes; then up to 65
//! pages spread over its list of files are marked. One core. Times of marking are given as multiples of parsing.

// The library is pure; a measurement reads files and the clock.
#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unmold::{Method, Page, ParseOptions, Sample, TreePattern};

const LEARN: usize = 15;
const NODES: u32 = 2000;
const TEST: usize = 65;

struct Row {
    site: String,
    nodes: u32,
    learn: Duration,
    parts: usize,
    parse: Duration,
    mark: Duration,
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let corpus = PathBuf::from(arguments.next().unwrap_or_else(|| ".".to_owned()));
    let mut rows = Vec::new();
    println!("{:32} {:>6} {:>10} {:>7} {:>12}", "site", "nodes", "learning", "parts", "mark / parse");
    for set in arguments {
        for site in folders(&corpus.join(&set))? {
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
    let (parse, mark): (f64, f64) = rows
        .iter()
        .fold((0.0, 0.0), |sum, row| (sum.0 + row.parse.as_secs_f64(), sum.1 + row.mark.as_secs_f64()));
    println!("all pages: marking takes {:.2} of the time of parsing", mark / parse.max(1e-9));
    Ok(())
}

fn line(row: &Row) -> String {
    let ratio = row.mark.as_secs_f64() / row.parse.as_secs_f64().max(1e-9);
    format!(
        "{:32} {:6} {:8.0} ms {:7} {ratio:12.2}",
        row.site,
        row.nodes,
        row.learn.as_secs_f64() * 1e3,
        row.parts
    )
}

fn measure(set: &str, site: &Path) -> std::io::Result<Option<Row>> {
    let root = site.join("pages");
    let mut files = Vec::new();
    collect_files(&root, &mut files)?;
    let read = |file: &PathBuf| -> std::io::Result<(Vec<u8>, Page)> {
        let bytes = std::fs::read(file)?;
        let page = Page::parse_with(&bytes, &ParseOptions::default());
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
    let (mut parse, mut mark) = (Duration::ZERO, Duration::ZERO);
    for bytes in &tested {
        let start = Instant::now();
        let page = Page::parse_with(bytes, &ParseOptions::default());
        parse += start.elapsed();
        let start = Instant::now();
        TreePattern::mark(&template, &page);
        mark += start.elapsed();
    }
    let name = site.file_name().unwrap_or_default().to_string_lossy();
    Ok(Some(Row { site: format!("{set}/{name}"), nodes, learn, parts: template.parts(), parse, mark }))
}

fn folders(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    entries.retain(|path| path.join("pages").is_dir());
    entries.sort();
    Ok(entries)
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            collect_files(&entry, files)?;
        } else {
            files.push(entry);
        }
    }
    Ok(())
}
