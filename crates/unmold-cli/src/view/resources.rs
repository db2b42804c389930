//! Finds the images, fonts and style sheets of pages in the input folder, and nowhere else.

use std::path::{Component, Path, PathBuf};

use super::catalog::{Catalog, Entry};
use super::css;
use super::frame::{Resources, Sheet};

/// Maximum size of a served file in bytes.
const MAX_BYTES: u64 = 20 << 20;

/// Extensions and media types of files that may be served. No documents, no scripts.
const TYPES: [(&str, &str); 16] = [
    ("css", "text/css; charset=utf-8"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("ico", "image/x-icon"),
    ("svg", "image/svg+xml"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("ttf", "font/ttf"),
    ("otf", "font/otf"),
    ("eot", "application/vnd.ms-fontobject"),
    ("cur", "image/x-icon"),
];

/// A file in an input folder.
pub struct ServedFile {
    pub bytes: Vec<u8>,
    pub kind: &'static str,
}

/// Why a file is not served.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It does not exist, is outside the input folders, or has a type that is not served.
    NotFound,
    TooLarge,
}

fn kind_of(path: &str) -> Option<&'static str> {
    let (_, extension) = path.rsplit_once('.')?;
    let extension = extension.to_ascii_lowercase();
    TYPES.iter().find(|(name, _)| *name == extension).map(|(_, kind)| *kind)
}

/// Reads the file at `path` in an input folder. `path` is not trusted.
pub fn serve(catalog: &Catalog, root: u32, path: &str) -> Result<ServedFile, Refusal> {
    let folder = catalog.root(root).ok_or(Refusal::NotFound)?;
    let kind = kind_of(path).ok_or(Refusal::NotFound)?;
    let file = inside(folder, path).ok_or(Refusal::NotFound)?;
    let size = std::fs::metadata(&file).map_err(|_| Refusal::NotFound)?.len();
    if size > MAX_BYTES {
        return Err(Refusal::TooLarge);
    }
    let bytes = std::fs::read(&file).map_err(|_| Refusal::NotFound)?;
    Ok(ServedFile { bytes, kind })
}

/// Resolves a path below the folder, following links; `None` if it is not a file or leads outside.
fn inside(folder: &Path, path: &str) -> Option<PathBuf> {
    let relative = Path::new(path);
    let is_plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    if !is_plain || path.contains(['\\', '\0']) || path.is_empty() {
        return None;
    }
    let file = folder.join(relative).canonicalize().ok()?;
    (file.starts_with(folder) && file.is_file()).then_some(file)
}

/// Resolves the references of one page or style sheet.
pub struct Place<'a> {
    catalog: &'a Catalog,
    root: u32,
    /// Folder of the page or style sheet, relative to the root.
    folder: String,
    /// Folder that references starting with `/` are relative to.
    top: String,
}

impl<'a> Place<'a> {
    pub fn of(catalog: &'a Catalog, entry: &Entry) -> Option<Place<'a>> {
        let (root, folder) = catalog.folder_of(entry)?;
        let site = &catalog.site_of(entry).name;
        // If each folder is a site, its folder is the top.
        let top =
            if entry.id.split('/').next() == Some(site) { site.clone() } else { String::new() };
        Some(Place { catalog, root, folder: folder.to_owned(), top })
    }

    /// The place of a style sheet.
    pub fn of_file(catalog: &'a Catalog, root: u32, path: &str) -> Place<'a> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        Place { catalog, root, folder: folder.to_owned(), top: String::new() }
    }

    /// Resolves a reference to a path below the root; `None` if no such file may be served.
    fn resolve(&self, reference: &str) -> Option<String> {
        let reference = reference.trim();
        let is_address =
            reference.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'));
        if is_address || reference.starts_with("//") || reference.contains(['\\', '\0']) {
            return None;
        }
        let plain = reference.split(['?', '#']).next().unwrap_or_default();
        let decoded = percent_decoded(plain)?;
        let start = if decoded.starts_with('/') { &self.top } else { &self.folder };
        let mut steps: Vec<&str> = start.split('/').filter(|step| !step.is_empty()).collect();
        for step in decoded.split('/') {
            match step {
                "" | "." => {}
                ".." => drop(steps.pop()?),
                step => steps.push(step),
            }
        }
        let path = steps.join("/");
        kind_of(&path)?;
        inside(self.catalog.root(self.root)?, &path)?;
        Some(path)
    }
}

/// Whether a reference is an image or font in a `data:` URL.
fn is_data(reference: &str) -> bool {
    let start: String =
        reference.trim_start().chars().take(30).collect::<String>().to_ascii_lowercase();
    let known = ["data:image/", "data:font/", "data:application/font", "data:application/x-font"];
    known.iter().any(|kind| start.starts_with(kind))
}

/// Resources served by the server.
pub struct Served<'a> {
    pub place: Option<Place<'a>>,
    /// Prefix of all addresses.
    pub base: String,
}

impl Resources for Served<'_> {
    fn file(&self, reference: &str) -> Option<String> {
        if is_data(reference) {
            return Some(reference.to_owned());
        }
        let place = self.place.as_ref()?;
        Some(format!(
            "{}/files/{}/{}",
            self.base,
            place.root,
            percent_encoded(&place.resolve(reference)?)
        ))
    }

    fn sheet(&self, reference: &str) -> Option<Sheet> {
        self.file(reference).filter(|address| !is_data(address)).map(Sheet::Link)
    }
}

/// Resources embedded as `data:` URLs, for exported reports.
pub struct Embedded<'a> {
    pub place: Option<Place<'a>>,
}

/// Maximum size of an embedded image in bytes; larger ones are left out.
const MAX_EMBEDDED: usize = 512 << 10;

impl Resources for Embedded<'_> {
    fn file(&self, reference: &str) -> Option<String> {
        use base64::Engine;
        if is_data(reference) {
            return Some(reference.to_owned());
        }
        let place = self.place.as_ref()?;
        let file = serve(place.catalog, place.root, &place.resolve(reference)?).ok()?;
        let is_small = file.bytes.len() <= MAX_EMBEDDED && !file.kind.starts_with("text/");
        let encoded = || base64::engine::general_purpose::STANDARD.encode(&file.bytes);
        is_small.then(|| format!("data:{};base64,{}", file.kind, encoded()))
    }

    fn sheet(&self, reference: &str) -> Option<Sheet> {
        let place = self.place.as_ref()?;
        let path = place.resolve(reference)?;
        let file = serve(place.catalog, place.root, &path).ok()?;
        let inner = Embedded { place: Some(Place::of_file(place.catalog, place.root, &path)) };
        let sheet = String::from_utf8_lossy(&file.bytes).into_owned();
        Some(Sheet::Inline(css::clean(&sheet, &|reference| inner.file(reference))))
    }
}

pub fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let digits = text
                .get(at + 1..at + 3)
                .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
            out.push(u8::from_str_radix(digits?, 16).ok()?);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).ok()
}

fn percent_encoded(path: &str) -> String {
    use std::fmt::Write;
    path.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            out.push(byte as char);
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_outside_the_folder_are_refused() {
        let outer = tempfile::tempdir().expect("a folder");
        let folder = outer.path().join("input");
        std::fs::create_dir_all(folder.join("img")).expect("a folder");
        for path in ["input/img/a.png", "secret.png"] {
            std::fs::write(outer.path().join(path), "x").expect("writable");
        }
        let folder = folder.canonicalize().expect("a folder");
        assert!(inside(&folder, "img/a.png").is_some());
        let outside = outer.path().join("secret.png").display().to_string();
        for path in [
            "../secret.png",
            "img/../../secret.png",
            "..",
            "",
            "img",
            "img/b.png",
            "..\\secret.png",
            "a\0.png",
            "./img/../a.png",
            &outside,
        ] {
            assert_eq!(inside(&folder, path), None, "{path}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outer.path().join("secret.png"), folder.join("link.png"))
                .expect("a link");
            assert_eq!(inside(&folder, "link.png"), None, "a link to the outside");
        }
    }

    #[test]
    fn only_images_styles_and_fonts_are_served() {
        for (path, served) in [
            ("a.css", true),
            ("b/c.PNG", true),
            ("a.html", false),
            ("a.js", false),
            ("passwd", false),
            ("a.", false),
        ] {
            assert_eq!(kind_of(path).is_some(), served, "{path}");
        }
    }

    #[test]
    fn percent_encoding() {
        assert_eq!(percent_decoded("a%20b%2F").as_deref(), Some("a b/"));
        for wrong in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(percent_decoded(wrong), None);
        }
        assert_eq!(percent_encoded("a b/ü#.png"), "a%20b/%C3%BC%23.png");
    }
}
