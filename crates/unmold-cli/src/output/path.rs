//! Chooses a safe file name for each page; the folder tree mirrors the input.

use std::collections::HashSet;
use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

/// Maximum length of a path component, in bytes: common file systems allow 255, and a suffix may
/// follow.
const MAX_COMPONENT_LEN: usize = 180;

/// Assigns each page a unique path inside the output folder.
pub struct PagePaths {
    extension: &'static str,
    taken: HashSet<u64>,
}

impl PagePaths {
    pub fn new(extension: &'static str) -> PagePaths {
        PagePaths { extension, taken: HashSet::new() }
    }

    /// Returns the path of page `id` relative to the output folder. It never leads outside.
    pub fn path(&mut self, id: &str) -> PathBuf {
        let mut parts = safe_parts(id);
        let name = parts.pop().unwrap_or_else(|| "index".to_owned());
        let stem = without_html_extension(&name);
        let mut folder: PathBuf = parts.iter().collect();
        let plain = format!("{stem}.{}", self.extension);
        // Ids can collide: `a.html` and `a.htm`, or `a` and `A` on case-insensitive file systems.
        let key =
            |name: &str| xxh3_64(folder.join(name).to_string_lossy().to_lowercase().as_bytes());
        let name = if self.taken.insert(key(&plain)) {
            plain
        } else {
            let mut number = xxh3_64(id.as_bytes());
            loop {
                let name = format!("{stem}-{number:016x}.{}", self.extension);
                if self.taken.insert(key(&name)) {
                    break name;
                }
                number = number.wrapping_add(1);
            }
        };
        folder.push(name);
        folder
    }
}

fn safe_parts(id: &str) -> Vec<String> {
    let id = id.split_once("://").map_or(id, |(_, rest)| rest);
    let (path, query) = id.split_once('?').map_or((id, None), |(path, query)| (path, Some(query)));
    let mut parts: Vec<String> = path
        .split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "." | ".."))
        .map(safe_part)
        .collect();
    if path.ends_with('/') || parts.is_empty() {
        parts.push("index".to_owned());
    }
    if let (Some(query), Some(last)) = (query, parts.last_mut()) {
        *last = safe_part(&format!("{last}@{}", query.replace('/', "_")));
    }
    parts
}

/// Replaces characters that some file systems forbid, and shortens long names.
fn safe_part(part: &str) -> String {
    let safe = |c: char| if c.is_control() || "<>:\"|?*\\/".contains(c) { '_' } else { c };
    let name: String = part.chars().map(safe).collect();
    if name.len() <= MAX_COMPONENT_LEN {
        return name;
    }
    let cut = name.floor_char_boundary(MAX_COMPONENT_LEN);
    format!("{}-{:016x}", &name[..cut], xxh3_64(part.as_bytes()))
}

fn without_html_extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, "html" | "htm" | "xhtml" | "shtml")) if !stem.is_empty() => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_mirror_the_input_and_stay_inside_the_output_folder() {
        for (id, expected) in [
            ("news/42.html", "news/42.txt"),
            ("a.b.htm", "a.b.txt"),
            ("https://example.org/", "example.org/index.txt"),
            ("https://example.org/a/b?page=2", "example.org/a/b@page=2.txt"),
            ("../../etc/passwd", "etc/passwd.txt"),
            ("/absolute", "absolute.txt"),
            ("c:\\x\\..\\y", "c_/x/y.txt"),
            ("", "index.txt"),
        ] {
            assert_eq!(PagePaths::new("txt").path(id), PathBuf::from(expected), "{id}");
        }
    }

    #[test]
    fn paths_are_unique() {
        let mut paths = PagePaths::new("md");
        let names: HashSet<PathBuf> =
            ["a.html", "a.htm", "A.html", "a.html"].map(|id| paths.path(id)).into();
        assert_eq!(names.len(), 4);
        let long = "x".repeat(1000);
        assert!(paths.path(&long).to_string_lossy().len() < 230);
    }
}
