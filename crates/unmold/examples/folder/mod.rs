//! The HTML files of a folder, for the examples.

use std::path::Path;

use unmold::{Limits, Page};

/// The pages of a folder with their names, sorted.
pub fn pages(folder: &Path) -> std::io::Result<Vec<(String, Page)>> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "html") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            pages.push((name, Page::parse(&std::fs::read(&path)?, &Limits::default())));
        }
    }
    pages.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(pages)
}
