//! Test data: sites of labelled sets and of the fixtures.

#![allow(dead_code, unused_imports, clippy::disallowed_methods)]

#[path = "../../../unmold-html/tests/common/mod.rs"]
mod html;

use std::path::{Path, PathBuf};

pub use html::*;
use unmold::{Limits, Page};

/// The sites of a labelled set, sorted: folders that hold `pages`.
pub fn sites(set: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(set).expect("folder").map(|entry| entry.expect("entry").path());
    let mut sites: Vec<PathBuf> = entries.filter(|path| path.join("pages").is_dir()).collect();
    sites.sort();
    sites
}

/// The pages of a fixture site, by file name.
pub fn fixture(site: &str) -> Vec<(String, Page)> {
    let pages = read_pages(&repository().join("fixtures").join(site).join("pages"));
    assert!(pages.len() >= 8, "{site} has too few pages");
    pages
}

/// The pages below a folder, by their paths in it.
pub fn read_pages(root: &Path) -> Vec<(String, Page)> {
    let page = |path: PathBuf| {
        let name = path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
        (name, Page::parse(&std::fs::read(&path).expect("readable"), &Limits::default()))
    };
    html_files(root).into_iter().map(page).collect()
}
