//! The cost of a page and of what is computed from it, compared with `scraper`, which parses with
//! the same html5ever into a tree of its own.
//!
//! `cargo bench -p unmold-html --bench parse` reads the pages below the folder `UNMOLD_PAGES`, or
//! the fixtures. The stages take turns, so that other work on the machine slows all of them alike;
//! keep the ratios, not the MB/s.

#![allow(clippy::disallowed_methods)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unmold_html::{Delimiters, LabelProfile, Limits, Page};

const ROUNDS: usize = 7;
const MAX_BYTES: usize = 60 << 20;

fn main() {
    let root = std::env::var_os("UNMOLD_PAGES")
        .map_or_else(|| Path::new("../../fixtures").to_owned(), PathBuf::from);
    let pages = read_pages(&root);
    let bytes: usize = pages.iter().map(String::len).sum();
    println!("{} pages, {:.1} MB, median of {ROUNDS} rounds", pages.len(), bytes as f64 / 1e6);

    type Stage<'a> = (&'a str, &'a dyn Fn(&str));
    let stages: [Stage; 5] = [
        ("scraper::Html::parse_document", &|html| {
            drop(black_box(scraper::Html::parse_document(html)))
        }),
        ("Page::parse", &|html| drop(black_box(parse(html)))),
        ("  + chunks", &|html| drop(black_box(parse(html).chunks(Delimiters::Texts)))),
        ("  + labels, subtree hashes", &|html| drop(black_box(hashes(&parse(html))))),
        ("  + all: chunks, labels, hashes, paths", &|html| {
            let page = parse(html);
            black_box((page.chunks(Delimiters::Texts), hashes(&page), page.path_hashes()));
        }),
    ];
    let mut times = vec![Vec::new(); stages.len()];
    for _ in 0..ROUNDS {
        for ((_, stage), times) in stages.iter().zip(&mut times) {
            let start = Instant::now();
            pages.iter().for_each(|html| stage(html));
            times.push(start.elapsed());
        }
    }
    let medians: Vec<Duration> = times.into_iter().map(median).collect();
    println!("{:42} {:>8} {:>10} {:>10}", "", "MB/s", "of scraper", "of parse");
    for ((name, _), time) in stages.iter().zip(&medians) {
        let ratio = |other: Duration| time.as_secs_f64() / other.as_secs_f64();
        let speed = bytes as f64 / 1e6 / time.as_secs_f64();
        println!("{name:42} {speed:8.1} {:10.3} {:10.3}", ratio(medians[0]), ratio(medians[1]));
    }
}

fn parse(html: &str) -> Page {
    Page::parse(html.as_bytes(), &Limits::default())
}

fn hashes(page: &Page) -> Vec<u128> {
    page.subtree_hashes(&page.labels(LabelProfile::TagContent))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Pages of all folders in turn, so that the limit on bytes excludes no site.
fn read_pages(root: &Path) -> Vec<String> {
    let mut folders = vec![root.to_owned()];
    let mut pages = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut paths: Vec<PathBuf> =
            entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        paths.sort();
        for (index, path) in paths.into_iter().enumerate() {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                pages.extend(
                    std::fs::read(&path)
                        .map(|bytes| (index, String::from_utf8_lossy(&bytes).into_owned())),
                );
            }
        }
    }
    pages.sort_by_key(|(index, _)| *index);
    let mut bytes = 0;
    pages
        .into_iter()
        .map(|(_, html)| html)
        .take_while(|html| {
            bytes += html.len();
            bytes < MAX_BYTES
        })
        .collect()
}
