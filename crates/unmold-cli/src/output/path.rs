//! Chooses a safe file name for each page; the folder tree mirrors the input.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

/// Maximum length of a path component, in bytes: common file systems allow 255, and a suffix may
/// follow.
const MAX_COMPONENT_LEN: usize = 180;

/// Maximum length of a path, in bytes: with the output folder before it, it must stay below the
/// 4096 that Linux allows, and below the 1024 of macOS.
const MAX_PATH_LEN: usize = 700;

/// Assigns each page a unique path inside the output folder.
pub struct PagePaths {
    extension: &'static str,
    /// Hashes of the paths in use, in lower case: some file systems ignore case.
    files: HashSet<u64>,
    folders: HashSet<u64>,
}

/// The path of a page, relative to the output folder.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct PagePath {
    pub path: PathBuf,
    /// It is not the one that the id gives, because that is taken or too long.
    pub renamed: bool,
}

impl PagePaths {
    pub fn new(extension: &'static str) -> PagePaths {
        PagePaths { extension, files: HashSet::new(), folders: HashSet::new() }
    }

    /// Returns the path of page `id` relative to the output folder. It never leads outside.
    pub fn path(&mut self, id: &str) -> PagePath {
        let mut parts = safe_parts(id);
        let name = parts.pop().unwrap_or_else(|| "index".to_owned());
        let stem = without_html_extension(&name).to_owned();
        let length = parts.iter().map(|part| part.len() + 1).sum::<usize>() + name.len();
        if length > MAX_PATH_LEN {
            return PagePath { path: self.plain(id), renamed: true };
        }
        let (folder, moved) = self.folder(&parts);
        let plain = folder.join(format!("{stem}.{}", self.extension));
        if self.take_file(&plain) {
            return PagePath { path: plain, renamed: moved };
        }
        PagePath { path: self.numbered(&folder, &format!("{stem}-"), id), renamed: true }
    }

    /// Returns a short path for a page whose own cannot be used.
    pub fn plain(&mut self, id: &str) -> PathBuf {
        let host = safe_parts(id).into_iter().next().filter(|_| id.contains("://"));
        let (folder, _) = self.folder(host.as_slice());
        self.numbered(&folder, "page-", id)
    }

    /// A file name with a number that no other file has.
    fn numbered(&mut self, folder: &Path, start: &str, id: &str) -> PathBuf {
        let mut number = xxh3_64(id.as_bytes());
        loop {
            let path = folder.join(format!("{start}{number:016x}.{}", self.extension));
            if self.take_file(&path) {
                return path;
            }
            number = number.wrapping_add(1);
        }
    }

    /// The folder with these parts, and whether one of them had to be renamed: `a/b.md` may be a
    /// page, and `a/b.md/c` another.
    fn folder(&mut self, parts: &[String]) -> (PathBuf, bool) {
        let (mut folder, mut renamed) = (PathBuf::new(), false);
        for part in parts {
            let mut name = part.clone();
            while self.files.contains(&key(&folder.join(&name))) {
                name.push('_');
                renamed = true;
            }
            folder.push(name);
            self.folders.insert(key(&folder));
        }
        (folder, renamed)
    }

    /// Whether the path was free; it no longer is.
    fn take_file(&mut self, path: &Path) -> bool {
        !self.folders.contains(&key(path)) && self.files.insert(key(path))
    }
}

fn key(path: &Path) -> u64 {
    xxh3_64(path.to_string_lossy().to_lowercase().as_bytes())
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
            let found = PagePaths::new("txt").path(id);
            assert_eq!(found.path, PathBuf::from(expected), "{id}");
            assert!(!found.renamed);
        }
    }

    #[test]
    fn paths_are_unique() {
        let mut paths = PagePaths::new("md");
        let names: HashSet<PathBuf> =
            ["a.html", "a.htm", "A.html", "a.html"].map(|id| paths.path(id).path).into();
        assert_eq!(names.len(), 4);
        let long = "x".repeat(1000);
        assert!(paths.path(&long).path.to_string_lossy().len() < 230);
    }

    #[test]
    fn a_page_and_a_folder_never_have_one_name() {
        for ids in [["docs", "docs.md/intro"], ["docs.md/intro", "docs"]] {
            let mut paths = PagePaths::new("md");
            let found = ids.map(|id| paths.path(id));
            assert!(!found[0].renamed && found[1].renamed, "{found:?}");
            for (one, other) in [(0, 1), (1, 0)] {
                assert!(!found[one].path.starts_with(&found[other].path), "{found:?}");
            }
        }
    }

    #[test]
    fn long_addresses_get_short_names() {
        let mut paths = PagePaths::new("md");
        let id = format!("https://example.org/{}", "folder/".repeat(1000));
        let found = [paths.path(&id), paths.path(&id)];
        assert!(found[0].renamed && found[0] != found[1]);
        assert!(found[0].path.starts_with("example.org"), "{found:?}");
        assert!(found[0].path.to_string_lossy().len() < 100, "{found:?}");
    }
}
