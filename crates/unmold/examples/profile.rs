//! Runs one stage on every page of a folder, for a profiler.
//!
//! `valgrind --tool=callgrind target/release/examples/profile STAGE FOLDER [EVERY]`, where STAGE is
//! `read`, `html5ever`, `parse`, `learn`, `mark` or `strip`. With EVERY, only every EVERY-th page
//! is used. `mark` and `strip` first learn from 24 pages of the folder: subtract the cost of
//! `learn`.

#![allow(clippy::disallowed_methods)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::path::Path;

use unmold::LearnedTemplate;
use unmold::page::Parser;
use unmold::{Auto, Method, Page, ParseOptions, Sample, strip};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (stage, folder) = (arguments[1].as_str(), Path::new(&arguments[2]));
    let every = arguments.get(3).and_then(|every| every.parse().ok()).unwrap_or(1);
    let pages: Vec<Vec<u8>> = common::html_files(folder)
        .iter()
        .step_by(every)
        .map(|file| std::fs::read(file).expect("readable"))
        .collect();
    let parse = |bytes: &[u8], parser| {
        Page::parse_with(bytes, &ParseOptions::default().with_parser(parser))
    };
    let template = ["learn", "mark", "strip"].contains(&stage).then(|| {
        let spread = pages.iter().step_by(pages.len().div_ceil(24).max(1));
        let sample: Vec<Page> = spread.map(|bytes| parse(bytes, Parser::Fast)).collect();
        Auto::default().learn(&Sample::new(sample.iter())).expect("pages")
    });
    for bytes in &pages {
        match (stage, &template) {
            ("html5ever", _) => drop(black_box(parse(bytes, Parser::Html5ever))),
            ("parse", _) => drop(black_box(parse(bytes, Parser::Fast))),
            ("mark", Some(template)) => drop(black_box(template.mark(&parse(bytes, Parser::Fast)))),
            ("strip", Some(template)) => {
                let page = parse(bytes, Parser::Fast);
                black_box(strip(&page, &template.mark(&page)).text());
            }
            _ => drop(black_box(bytes.len())),
        }
    }
    let bytes: usize = pages.iter().map(Vec::len).sum();
    println!("{stage}: {} pages, {bytes} bytes", pages.len());
}
