//! Checks that the fast parser builds the same tree as html5ever: from arbitrary bytes, from
//! generated soup, and from the bytes mutated with that soup.

#![no_main]

#[path = "../../crates/unmold-html/tests/common/parsers.rs"]
#[allow(dead_code)]
mod parsers;

use libfuzzer_sys::fuzz_target;
use parsers::{Random, compare, mutated, wild_soup};
use unmold_html::Limits;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::default().with_nodes(20_000).with_depth(128).with_attributes(300);
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
