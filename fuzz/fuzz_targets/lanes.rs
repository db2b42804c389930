//! The fast lane gives the tree of html5ever: on any bytes, on soup from a grammar, and on the
//! bytes mutated with it.

#![no_main]

#[path = "../../crates/unmold/tests/common/lanes.rs"]
#[allow(dead_code)]
mod lanes;

use lanes::{Random, compare, mutated, wild_soup};
use libfuzzer_sys::fuzz_target;
use unmold::Limits;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { nodes: 20_000, depth: 128, attributes: 300, ..Limits::default() };
    let Some((head, page)) = bytes.split_at_checked(8) else {
        compare(bytes, &limits, false);
        return;
    };
    let seed = head.iter().fold(0, |seed, &byte| seed << 8 | u64::from(byte));
    compare(page, &limits, seed % 2 == 1);
    let mut random = Random::new(seed);
    let soup = wild_soup(&mut random);
    compare(soup.as_bytes(), &limits, false);
    let mutant = mutated(&mut random, &String::from_utf8_lossy(page), &soup);
    compare(mutant.as_bytes(), &limits, false);
});
