//! Measures the time and memory of clustering many pages: real pages whose text and structure are
//! perturbed by a seeded generator.
//!
//! ```sh
//! cargo run --release --example cluster_scale -- FOLDER 12500,25000,50000,100000
//! ```
//! `FOLDER` is searched for `.html` and `.htm` files. Every generated page is different: each word
//! of its text is replaced, and in many places elements are inserted, wrapped around others or
//! removed. On Linux the peak memory and the CPU time are printed too; on a busy machine the CPU
//! time is less than the elapsed time.

#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unmold::cluster::{Clustering, PathSet};
use unmold::{Limits, Page};

const SEED: u64 = 1;
/// Maximum number of pages read from the folder; more would add nothing new.
const MAX_SOURCES: usize = 6000;
/// One in this many tags is changed.
const TAGS_PER_CHANGE: u64 = 60;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(numbers)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: cluster_scale FOLDER N,N,…");
        std::process::exit(2);
    };
    let numbers: Vec<usize> = numbers.split(',').filter_map(|number| number.parse().ok()).collect();
    let mut files = Vec::new();
    find_pages(Path::new(&folder), &mut files)?;
    // Every n-th page, so that all sites are included.
    let step = files.len().div_ceil(MAX_SOURCES).max(1);
    let sources: Vec<Vec<u8>> =
        files.iter().step_by(step).map(std::fs::read).collect::<std::io::Result<_>>()?;
    if sources.is_empty() {
        eprintln!("no .html or .htm file in {folder}");
        std::process::exit(2);
    }
    let settings = Clustering::default();
    let (mut pages, mut parsing) = (Vec::new(), Duration::ZERO);
    println!(
        "pages   different  clusters  unclustered  cost before  cost after  parsing s  clustering s      CPU time s  memory MiB"
    );
    for number in numbers {
        while pages.len() < number {
            let mut random =
                Random(SEED ^ (pages.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let source = &sources[pages.len() % sources.len()];
            let html = perturbed(&String::from_utf8_lossy(source), &mut random);
            let start = Instant::now();
            pages.push(PathSet::of(
                &Page::parse(html.as_bytes(), &Limits::default()),
                settings.paths,
            ));
            parsing += start.elapsed();
        }
        let (start, worked) = (Instant::now(), cpu_seconds());
        let found = settings.cluster(&pages[..number]);
        let took = start.elapsed();
        let worked = cpu_seconds().zip(worked).map(|(now, before)| now - before);
        println!(
            "{number:6}  {:9}  {:8}  {:11}  {:11}  {:10}  {:9.1}  {:12.1}  {:>14}  {:10}",
            found.distinct(),
            found.clusters().len(),
            found.of_page().iter().filter(|cluster| cluster.is_none()).count(),
            found.costs().first().unwrap_or(&0),
            found.costs().last().unwrap_or(&0),
            parsing.as_secs_f64(),
            took.as_secs_f64(),
            worked.map_or_else(|| "?".to_owned(), |seconds| format!("{seconds:.1}")),
            peak_memory_kib().map_or_else(|| "?".to_owned(), |kib| (kib / 1024).to_string()),
        );
    }
    Ok(())
}

/// CPU time of this thread, which is the only one.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    text.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The page with other words, and with some elements added, wrapped and dropped.
fn perturbed(html: &str, random: &mut Random) -> String {
    const ADDED: [&str; 8] = [
        "<p><em>x</em></p>",
        "<ul><li>x</li></ul>",
        "<blockquote>x</blockquote>",
        "<table><tr><td>x</td></tr></table>",
        "<h3>x</h3>",
        "<aside class=\"promo\">x</aside>",
        "<dl><dt>x</dt></dl>",
        "<figure><img alt=\"x\"></figure>",
    ];
    let mut out = String::with_capacity(html.len() + html.len() / 8);
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        push_other_words(&mut out, &rest[..open], random);
        let Some(close) = rest[open..].find('>') else { break };
        let tag = &rest[open..=open + close];
        match random.next() % (3 * TAGS_PER_CHANGE) {
            0 => out.push_str(ADDED[(random.next() % ADDED.len() as u64) as usize]),
            1 => out.push_str("<span>"),
            // Drop only tags that are not part of the page frame.
            2 if ["<p", "<b", "<i", "<a", "<l"].iter().any(|start| tag.starts_with(start))
                && !tag.starts_with("<bo") =>
            {
                rest = &rest[open + close + 1..];
                continue;
            }
            _ => {}
        }
        out.push_str(tag);
        rest = &rest[open + close + 1..];
        // Copy the content of scripts and styles unchanged.
        if tag.starts_with("<script") || tag.starts_with("<style") {
            let end = rest.find("</").unwrap_or(rest.len());
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        }
    }
    out.push_str(rest);
    out
}

fn push_other_words(out: &mut String, text: &str, random: &mut Random) {
    for word in text.split_inclusive(char::is_whitespace) {
        if word.trim().is_empty() || word.starts_with('&') {
            out.push_str(word);
        } else {
            out.push_str(&format!("w{:x} ", random.next() % 100_000));
        }
    }
}

fn find_pages(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "html" || extension == "htm")
            {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(())
}

fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
