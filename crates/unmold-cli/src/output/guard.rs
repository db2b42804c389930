//! Refuses outputs that would overwrite an input, another output, or a file of somebody else.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde_json::Value;

/// Bytes of an existing file that are read to see what it is.
const MAX_LINE: u64 = 64 << 20;

/// What an existing file must hold to be replaced without `--force`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content<'a> {
    /// JSON lines whose objects have all of these keys.
    Lines(&'a [&'a str]),
    /// A first line that is this one.
    FirstLine(&'a str),
    /// Bytes that it starts with.
    Start(&'a str),
    /// Anything: what is written there cannot be recognised.
    Any,
}

/// The inputs and outputs of a run. Every output is checked before the work starts.
pub struct Guard {
    inputs: Vec<PathBuf>,
    outputs: Vec<(&'static str, PathBuf)>,
    force: bool,
}

impl Guard {
    pub fn new(inputs: &[PathBuf], force: bool) -> Guard {
        Guard { inputs: inputs.to_vec(), outputs: Vec::new(), force }
    }

    /// Adds a file that is read beside the pages.
    pub fn reads(&mut self, path: &Path) {
        self.inputs.push(path.to_owned());
    }

    /// Checks a file to be written; `None` is standard output. `flag` names it in messages.
    pub fn file(
        &mut self,
        flag: &'static str,
        path: Option<&Path>,
        content: Content,
    ) -> Result<()> {
        let path = path.unwrap_or(Path::new("-"));
        self.check_other_outputs(flag, path)?;
        if self.force || !path.is_file() {
            return Ok(());
        }
        if self.inputs.iter().any(|input| is_same(input, path)) {
            bail!(
                "{flag} {} is an input, which would be lost: choose another name, or pass --force",
                path.display()
            );
        }
        if !holds(path, content) {
            bail!(
                "{flag} {} exists and holds something else: choose another name, or pass --force \
                 to replace it",
                path.display()
            );
        }
        Ok(())
    }

    /// Checks a folder that gets a file for each page. `holds_pages` says that these files would be
    /// pages of the input if it was read again.
    pub fn folder(&mut self, flag: &'static str, path: &Path, holds_pages: bool) -> Result<()> {
        self.check_other_outputs(flag, path)?;
        if self.force {
            return Ok(());
        }
        let real = real_path(path);
        for input in self.inputs.iter().filter(|input| input.is_dir()) {
            let input_path = real_path(input);
            if real == input_path || holds_pages && real.starts_with(&input_path) {
                bail!(
                    "{flag} {} is in the input {}: choose a folder outside, or pass --force",
                    path.display(),
                    input.display()
                );
            }
        }
        Ok(())
    }

    /// Files that a page written to a folder must not replace.
    pub fn protected(&self) -> Vec<PathBuf> {
        if self.force {
            Vec::new()
        } else {
            self.inputs.iter().map(|path| real_path(path)).collect()
        }
    }

    fn check_other_outputs(&mut self, flag: &'static str, path: &Path) -> Result<()> {
        for (other_flag, other) in &self.outputs {
            if is_same(other, path) && !is_device(path) {
                bail!(
                    "{other_flag} and {flag} both write to {}: give two different files",
                    if is_stdout(path) { "standard output".into() } else { path.to_string_lossy() }
                );
            }
        }
        self.outputs.push((flag, path.to_owned()));
        Ok(())
    }
}

/// Whether writing to `path` would replace one of the `protected` files or a page below one of the
/// `protected` folders.
pub fn replaces_input(path: &Path, protected: &[PathBuf]) -> bool {
    !protected.is_empty()
        && path.exists()
        && protected.iter().any(|input| real_path(path).starts_with(input))
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn is_device(path: &Path) -> bool {
    !is_stdout(path) && path.exists() && !path.is_file() && !path.is_dir()
}

/// Whether two paths lead to one file: by links, by another spelling, or before it exists.
fn is_same(a: &Path, b: &Path) -> bool {
    if is_stdout(a) || is_stdout(b) {
        return a == b;
    }
    same_file::is_same_file(a, b).unwrap_or_else(|_| real_path(a) == real_path(b))
}

/// The path without links; of a path that does not exist yet, as much as there is.
fn real_path(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            real_path(parent).join(name)
        }
        _ => path.to_owned(),
    }
}

fn holds(path: &Path, content: Content) -> bool {
    if content == Content::Any {
        return true;
    }
    let Ok(file) = fs::File::open(path) else { return false };
    let mut line = Vec::new();
    if BufReader::new(file.take(MAX_LINE)).read_until(b'\n', &mut line).is_err() {
        return false;
    }
    if line.is_empty() {
        return true;
    }
    match (content, serde_json::from_slice::<Value>(&line)) {
        (Content::FirstLine(expected), _) => line == expected.as_bytes(),
        (Content::Start(expected), _) => line.starts_with(expected.as_bytes()),
        (Content::Lines(keys), Ok(Value::Object(object))) => {
            keys.iter().all(|key| object.contains_key(*key))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: Content = Content::Lines(&["id", "template"]);

    #[test]
    fn existing_files_are_replaced_only_if_they_hold_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("f");
        for (text, expected) in [
            ("", true),
            ("{\"id\":\"a\",\"template\":null}\n{", true),
            ("{\"id\":\"a\",\"html\":\"\"}\n", false),
            ("<p>page", false),
            ("[1]", false),
        ] {
            fs::write(&file, text).expect("writable");
            let check = |force| Guard::new(&[], force).file("-o", Some(&file), KEYS).is_ok();
            assert_eq!(check(false), expected, "{text}");
            assert!(check(true));
        }
        assert!(Guard::new(&[], false).file("-o", Some(&folder.path().join("new")), KEYS).is_ok());
    }

    #[test]
    fn outputs_are_two_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let (a, b) = (folder.path().join("a"), folder.path().join("x/../a"));
        let mut guard = Guard::new(&[], true);
        fs::create_dir(folder.path().join("x")).expect("writable");
        guard.file("-o", Some(&a), KEYS).expect("the first");
        let error = guard.file("--drift", Some(&b), KEYS).expect_err("the same").to_string();
        assert!(error.contains("-o and --drift both write to"), "{error}");
        guard.file("--keep-template", None, KEYS).expect("another");
        assert!(guard.file("--more", Some(Path::new("-")), KEYS).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_the_same_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("in.jsonl"), "{}").expect("writable");
        fs::hard_link(path("in.jsonl"), path("hard")).expect("a link");
        std::os::unix::fs::symlink(path("in.jsonl"), path("soft")).expect("a link");
        for name in ["hard", "soft", "./in.jsonl"] {
            let mut guard = Guard::new(&[path("in.jsonl")], false);
            let error = guard.file("-o", Some(&path(name)), Content::Any).expect_err(name);
            assert!(error.to_string().contains("is an input"), "{error}");
        }
    }

    #[test]
    fn folders_with_pages_are_not_inside_the_input() {
        let folder = tempfile::tempdir().expect("a folder");
        let (site, inside) = (folder.path().join("site"), folder.path().join("site/out/new"));
        fs::create_dir(&site).expect("writable");
        let check = |path: &Path, holds_pages| {
            Guard::new(std::slice::from_ref(&site), false).folder("-o", path, holds_pages).is_ok()
        };
        assert!(!check(&site, true) && !check(&site, false));
        assert!(!check(&inside, true) && check(&inside, false));
        assert!(check(folder.path(), true) && check(&folder.path().join("site2"), true));
        fs::write(site.join("a.html"), "x").expect("writable");
        let protected = Guard::new(std::slice::from_ref(&site), false).protected();
        assert!(replaces_input(&site.join("a.html"), &protected));
        assert!(!replaces_input(&site.join("b.html"), &protected));
    }
}
