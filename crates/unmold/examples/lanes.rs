//! Compares the fast lane with html5ever on whole sets of pages and on any number of made ones, and
//! counts hand-overs.
//!
//! `cargo run --release -p unmold --example lanes -- MADE FOLDER…`: every page below each folder,
//! whole and cut at a random byte; then MADE pages of grammar-based soup and of mutated pages. With
//! `UNMOLD_SEED` other ones are made.

#![allow(clippy::disallowed_methods)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::html_files;
use common::lanes::{Random, compare, html5lib_inputs, mutated, wild_soup};
use unmold::Limits;
use unmold::page::HandOver;

#[derive(Default)]
struct Count {
    pages: usize,
    bytes: usize,
    reasons: BTreeMap<HandOver, usize>,
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
        let handed: usize = self.reasons.values().sum();
        let reasons: Vec<String> = self
            .reasons
            .iter()
            .map(|(reason, count)| format!("{} {count}", reason.name()))
            .collect();
        println!(
            "{what}: {} pages, {:.1} MB, all alike; handed over {handed} ({:.2} %): {}",
            self.pages,
            self.bytes as f64 / 1e6,
            100.0 * handed as f64 / self.pages.max(1) as f64,
            reasons.join(", ")
        );
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let made: usize = arguments.next().and_then(|made| made.parse().ok()).unwrap_or(100_000);
    let seed: u64 =
        std::env::var("UNMOLD_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = Random::new(seed);
    let mut small: Vec<String> =
        common::shared("html5lib-tests").map(|root| html5lib_inputs(&root)).unwrap_or_default();
    for folder in arguments {
        small.extend(compare_folder(Path::new(&folder), &mut random));
    }
    let (mut soups, mut mutants) = (Count::default(), Count::default());
    for _ in 0..made / 2 {
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
