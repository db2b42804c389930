//! The examples run and print what their heads promise.

#![allow(clippy::disallowed_methods)]

mod common;

use std::process::Command;

use common::repository;

/// Runs an example on the bundled wiki. `cargo test` builds the examples beside the tests.
fn run(example: &str, arguments: &[&str]) -> String {
    let tests = std::env::current_exe().expect("the path of this test");
    let target = tests.parent().and_then(|deps| deps.parent()).expect("a target folder");
    let program = target.join("examples").join(example);
    let output = Command::new(&program)
        .current_dir(repository())
        .arg("fixtures/wiki/pages")
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}: run all of `cargo test`", program.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The lines of Rust in the README: `html` are the bytes of pages.
fn lines_of_the_readme(html: &[Vec<u8>]) -> Result<String, unmold::LearnError> {
    use unmold::{Limits, Page, Settings};
    let pages: Vec<Page> =
        html.iter().map(|bytes| Page::parse(bytes, &Limits::default())).collect();
    let template = unmold::learn(&pages, &Settings::default())?;
    let text = template.clean(&pages[0]).text;
    Ok(text)
}

#[test]
fn the_readme_shows_lines_that_run() {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("the README");
    let block = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next());
    let own: String = include_str!("examples.rs").split_whitespace().collect();
    let shown: String = block.expect("a block").split_whitespace().collect();
    assert!(own.contains(&shown), "{shown}");
    let folder = repository().join("fixtures/wiki/pages");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("pages")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    let html: Vec<Vec<u8>> =
        files.iter().map(|path| std::fs::read(path).expect("a page")).collect();
    let text = lines_of_the_readme(&html).expect("a template");
    assert!(text.contains("Ada Merrowby") && !text.contains("Privacy policy"), "{text}");
}

#[test]
fn a_folder_is_cleaned() {
    let text = run("clean_folder", &[]);
    assert!(text.contains("==> callow-lighthouse.html\nCallow Lighthouse\n"), "{text}");
    assert!(!text.contains("Privacy policy"), "the footer is gone");
}

#[test]
fn a_page_is_explained() {
    let text = run("explain_page", &["callow-lighthouse.html"]);
    let footer = text.lines().find(|line| line.contains("Privacy policy")).expect("the footer");
    assert!(footer.starts_with('-'), "{footer}");
    assert!(text.contains("text on 11 of 11 pages"), "{text}");
}

#[test]
fn a_stored_template_serves_threads() {
    let text = run("stored_template", &[]);
    assert_eq!(text.lines().count(), 11);
    assert!(
        text.lines().all(|line| line.contains(" characters, match 0.") || line.contains("1.00"))
    );
}
