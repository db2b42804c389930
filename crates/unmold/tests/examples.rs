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
