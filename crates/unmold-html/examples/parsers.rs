//! Compares the fast parser with html5ever on sets of pages and on generated pages, and counts how
//! often the fast parser falls back to html5ever.
//!
//! `cargo run --release -p unmold-html --example parsers -- GENERATED FOLDER…` compares every page
//! below each folder, whole and cut at a random byte; then GENERATED pages, half of them soup from
//! a grammar, half of them mutated pages. `UNMOLD_SEED` selects other generated pages.

#![allow(clippy::disallowed_methods)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/parsers.rs"]
mod parsers;

use std::collections::BTreeMap;
use std::path::Path;

use common::html_files;
use parsers::{Random, compare, html5lib_inputs, mutated, wild_soup};
use unmold_html::{FallbackReason, Limits};

#[derive(Default)]
struct Count {
    pages: usize,
    bytes: usize,
    reasons: BTreeMap<FallbackReason, usize>,
}

impl Count {
    fn add(&mut self, bytes: &[u8]) {
        self.pages += 1;
        self.bytes += bytes.len();
        if let Some(reason) = compare(bytes, &Limits::default(), false) {
            *self.reasons.entry(reason).or_default() += 1;
        }
    }

    fn print(&self, what: &str) {
        let fallbacks: usize = self.reasons.values().sum();
        let reasons: Vec<String> = self
            .reasons
            .iter()
            .map(|(reason, count)| format!("{} {count}", reason.name()))
            .collect();
        println!(
            "{what}: {} pages, {:.1} MB, no difference; {fallbacks} fallbacks ({:.2} %): {}",
            self.pages,
            self.bytes as f64 / 1e6,
            100.0 * fallbacks as f64 / self.pages.max(1) as f64,
            reasons.join(", ")
        );
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let generated: usize =
        arguments.next().and_then(|number| number.parse().ok()).unwrap_or(100_000);
    let seed: u64 =
        std::env::var("UNMOLD_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = Random::new(seed);
    let mut small: Vec<String> =
        common::shared("html5lib-tests").map(|root| html5lib_inputs(&root)).unwrap_or_default();
    for folder in arguments {
        small.extend(compare_folder(Path::new(&folder), &mut random));
    }
    let (mut soups, mut mutants) = (Count::default(), Count::default());
    for _ in 0..generated / 2 {
        soups.add(wild_soup(&mut random).as_bytes());
        if !small.is_empty() {
            let (one, other) = (random.below(small.len()), random.below(small.len()));
            let page = mutated(&mut random, &small[one], &small[other]);
            mutants.add(page.as_bytes());
        }
    }
    soups.print("soup");
    mutants.print("mutated");
}

/// Compares all pages of a folder, and returns the small ones.
fn compare_folder(folder: &Path, random: &mut Random) -> Vec<String> {
    let (mut whole, mut cut) = (Count::default(), Count::default());
    let mut small = Vec::new();
    for path in html_files(folder) {
        let bytes = std::fs::read(&path).expect("readable");
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            whole.add(&bytes);
            cut.add(&bytes[..random.below(bytes.len() + 1)]);
        }))
        .unwrap_or_else(|_| panic!("{}", path.display()));
        if bytes.len() < 6_000 && small.len() < 2_000 {
            small.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    whole.print(&folder.display().to_string());
    cut.print("  cut at random bytes");
    small
}
