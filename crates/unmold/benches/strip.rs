//! The cost of stripping compared with parsing alone, set by set, in one run on one core.
//!
//! `UNMOLD_PAGES=CORPUS cargo bench -p unmold --bench strip`: each folder of the corpus is a set;
//! without it, the fixtures are the only one. A page is parsed, marked and written as text, with
//! the default and with chunk frequency; the templates are learned before, from 24 pages of each
//! site. The stages take turns, so that other work on the machine slows all of them alike; keep the
//! ratios, not the MB/s.

#![allow(clippy::disallowed_methods)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unmold::LearnedTemplate;
use unmold::{Auto, ChunkFrequency, Limits, Method, Page, Sample, Stripped, strip};

const ROUNDS: usize = 5;
const MAX_BYTES: usize = 40 << 20;
const SETS: [&str; 5] = ["sites", "docs", "swde", "big9", "dragnet"];

fn main() {
    let sets: Vec<PathBuf> = match std::env::var_os("UNMOLD_PAGES") {
        Some(corpus) => SETS.iter().map(|set| Path::new(&corpus).join(set)).collect(),
        None => vec![common::repository().join("fixtures")],
    };
    println!("median of {ROUNDS} rounds; multiples of the time to parse");
    println!(
        "{:10} {:>6} {:>7} {:>10} {:>9} {:>9} {:>16}",
        "", "pages", "MB", "parse MB/s", "text", "default", "chunk frequency"
    );
    for set in sets {
        measure(&set);
    }
}

/// A page and the name of its site.
struct Input {
    site: String,
    bytes: Vec<u8>,
}

fn measure(set: &Path) {
    let pages = read_pages(set);
    let bytes: usize = pages.iter().map(|page| page.bytes.len()).sum();
    let default = learn(&pages, &Auto::default());
    let chunks = learn(&pages, &ChunkFrequency::default());
    let [parsing, text, by_default, by_chunks] = in_turns(
        &pages,
        [
            &|input| drop(black_box(parse(input))),
            &|input| drop(black_box(Stripped::untouched(&parse(input)).text())),
            &|input| strip_with::<Auto>(&default, input),
            &|input| strip_with::<ChunkFrequency>(&chunks, input),
        ],
    );
    let of_parsing = |time: Duration| time.as_secs_f64() / parsing.as_secs_f64();
    println!(
        "{:10} {:6} {:7.1} {:10.1} {:8.2}x {:8.2}x {:15.2}x",
        set.file_name().unwrap_or_default().to_string_lossy(),
        pages.len(),
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / parsing.as_secs_f64(),
        of_parsing(text),
        of_parsing(by_default),
        of_parsing(by_chunks),
    );
}

/// The template of each site that has one, from at most 24 of its pages.
fn learn<M: Method>(pages: &[Input], method: &M) -> BTreeMap<String, M::Template> {
    let mut sites: BTreeMap<&str, Vec<&Input>> = BTreeMap::new();
    pages.iter().for_each(|page| sites.entry(&page.site).or_default().push(page));
    let learn = |pages: Vec<&Input>| {
        let spread = pages.iter().step_by(pages.len().div_ceil(24));
        let sample: Vec<Page> = spread.map(|page| parse(page)).collect();
        method.learn(&Sample::new(sample.iter())).ok()
    };
    let learned = sites.into_iter().map(|(site, pages)| (site.to_owned(), learn(pages)));
    learned.filter_map(|(site, template)| Some((site, template?))).collect()
}

fn parse(input: &Input) -> Page {
    Page::parse(&input.bytes, &Limits::default())
}

fn strip_with<M: Method>(templates: &BTreeMap<String, M::Template>, input: &Input) {
    let page = parse(input);
    if let Some(template) = templates.get(&input.site) {
        black_box(strip(&page, &template.mark(&page)).text());
    }
}

/// Median time of each stage on all pages.
fn in_turns<const N: usize>(pages: &[Input], stages: [&dyn Fn(&Input); N]) -> [Duration; N] {
    let mut times: [Vec<Duration>; N] = std::array::from_fn(|_| Vec::new());
    for _ in 0..ROUNDS {
        for (stage, times) in stages.iter().zip(&mut times) {
            let start = Instant::now();
            pages.iter().for_each(stage);
            times.push(start.elapsed());
        }
    }
    times.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    })
}

/// Pages spread over the whole set, about [`MAX_BYTES`] in total at most.
fn read_pages(set: &Path) -> Vec<Input> {
    let files = common::html_files(set);
    let size: u64 =
        files.iter().filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum();
    let step = (size as usize).div_ceil(MAX_BYTES).max(1);
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
