//! Tells what a file holds: by its extension if that is known, otherwise by its content.

use std::io::{self, Read};

use super::compression::Compression;
use super::source::{SourceFile, read_at_most};

/// What an input file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// One HTML page.
    Html,
    /// Web archive: HTTP responses as they came over the wire.
    Warc,
    /// One JSON object per line, with `html`, `url` and perhaps `id`.
    Jsonl,
    /// Parquet with columns `html`, `url` and perhaps `id`.
    Parquet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detected {
    pub format: Format,
    pub compression: Compression,
    /// The file cannot be used as it is: what it is, and what to do instead.
    pub unusable: Option<&'static str>,
}

/// Advice for a Parquet file in a build that does not read it.
pub const NO_PARQUET: &str =
    "this build does not read Parquet: build it with the feature `parquet` (--features parquet)";
const PACKED_PARQUET: &str =
    "a compressed Parquet file cannot be read in place: decompress it first (gunzip, unzstd)";

const HTML_EXTENSIONS: [&str; 8] = ["html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp"];

/// Files that would otherwise be taken for one odd page.
const NOT_PAGES: [(&[u8], &str); 5] = [
    (b"PK\x03\x04", "it is a ZIP archive: unpack it and give the folder"),
    (b"7z\xBC\xAF\x27\x1C", "it is a 7z archive: unpack it and give the folder"),
    (b"BZh", "bzip2 is not supported: decompress it first (bunzip2)"),
    (b"\xFD7zXZ\0", "xz is not supported: decompress it first (unxz)"),
    (b"ARROW1", "it is an Arrow file: write it as Parquet with columns url and html"),
];
const TAR: &str = "it is a tar archive: unpack it and give the folder";

/// Endings of compressed files. What is in them is told by their first bytes all the same.
const COMPRESSED_ENDINGS: [&str; 2] = [".gz", ".zst"];

/// Bytes of a file that sniffing looks at.
const SNIFFED: usize = 512;

/// Finds out what the file holds; `file_name` is `None` for standard input.
pub fn detect(
    source: &SourceFile,
    file_name: Option<&str>,
    given: Option<Format>,
) -> io::Result<Detected> {
    let start = read_at_most(source.at(0), SNIFFED)?;
    let known = file_name.and_then(by_extension);
    let compression = match file_name {
        // Whatever a page begins with, only its name says that it is compressed.
        Some(name) if known == Some(Format::Html) && !names_compressed(name) => Compression::None,
        _ => Compression::of(&start),
    };
    let (format, mut unusable) = match known.or(given) {
        Some(format) => (format, None),
        None => sniff(&unpacked_beginning(source, compression, start)),
    };
    if format == Format::Parquet {
        unusable = parquet_unusable(compression);
    }
    Ok(Detected { format, compression, unusable })
}

fn parquet_unusable(compression: Compression) -> Option<&'static str> {
    if !cfg!(feature = "parquet") {
        return Some(NO_PARQUET);
    }
    (compression != Compression::None).then_some(PACKED_PARQUET)
}

/// A damaged compressed file is judged by what can be decoded; reading will report the damage.
fn unpacked_beginning(source: &SourceFile, compression: Compression, raw: Vec<u8>) -> Vec<u8> {
    if compression == Compression::None {
        return raw;
    }
    let mut unpacked = Vec::new();
    let _ = source.unpacked(compression).take(SNIFFED as u64).read_to_end(&mut unpacked);
    unpacked
}

/// Format told by a file name, compression suffix aside.
fn by_extension(file_name: &str) -> Option<Format> {
    match extension(uncompressed_name(file_name))?.as_str() {
        "warc" => Some(Format::Warc),
        "jsonl" | "ndjson" => Some(Format::Jsonl),
        "parquet" => Some(Format::Parquet),
        _ => names_page(file_name).then_some(Format::Html),
    }
}

fn sniff(start: &[u8]) -> (Format, Option<&'static str>) {
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    if starts_record(start) {
        (Format::Warc, None)
    } else if start.starts_with(b"PAR1") {
        (Format::Parquet, None)
    } else if text.first() == Some(&b'{') || start.is_empty() {
        // Nothing at all is no lines: an empty pipe gives empty output, not an empty page.
        (Format::Jsonl, None)
    } else {
        (Format::Html, not_a_page(start))
    }
}

fn not_a_page(start: &[u8]) -> Option<&'static str> {
    if start.get(257..262) == Some(b"ustar") {
        return Some(TAR);
    }
    NOT_PAGES.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, advice)| *advice)
}

/// Bytes that [`starts_record`] looks at.
pub const RECORD_START: usize = 7;

/// Whether a WARC record begins here (`WARC/1.0`, `WARC/1.1`; archives of 2008 say `WARC/0.18`).
pub fn starts_record(bytes: &[u8]) -> bool {
    matches!(bytes, [b'W', b'A', b'R', b'C', b'/', digit, b'.', ..] if digit.is_ascii_digit())
}

/// Whether the name ends like that of a page, compressed or not.
pub fn names_page(file_name: &str) -> bool {
    extension(uncompressed_name(file_name))
        .is_some_and(|extension| HTML_EXTENSIONS.contains(&extension.as_str()))
}

/// Whether the name ends like that of a container, which is read only if it is given itself.
pub fn names_container(file_name: &str) -> bool {
    by_extension(file_name).is_some_and(|format| format != Format::Html)
}

/// Whether the name ends like that of a compressed file.
pub fn names_compressed(file_name: &str) -> bool {
    uncompressed_name(file_name).len() < file_name.len()
}

/// The name without `.gz` or `.zst`.
fn uncompressed_name(file_name: &str) -> &str {
    let mut names = COMPRESSED_ENDINGS.iter().filter_map(|ending| strip_ending(file_name, ending));
    names.next().unwrap_or(file_name)
}

/// The name without this ending, unless nothing would be left of it.
fn strip_ending<'a>(file_name: &'a str, ending: &str) -> Option<&'a str> {
    let (name, found) = file_name.split_at_checked(file_name.len().checked_sub(ending.len())?)?;
    (found.eq_ignore_ascii_case(ending) && !name.is_empty()).then_some(name)
}

/// The extension in lower case. What follows a `?` belongs to a query that `wget` saved in the
/// name (`list.php?page=2`); endings like `2` in `release-1.2` are not extensions.
pub fn extension(file_name: &str) -> Option<String> {
    let (stem, extension) = file_name.split('?').next()?.rsplit_once('.')?;
    let is_word = extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.chars().all(|c| c.is_ascii_alphanumeric());
    (is_word && !stem.is_empty()).then(|| extension.to_ascii_lowercase())
}

/// The file name without the extensions of containers: `crawl-7.warc.gz` → `crawl-7`.
pub fn stem(file_name: &str) -> &str {
    let endings = COMPRESSED_ENDINGS.into_iter().chain([".warc", ".jsonl", ".ndjson", ".parquet"]);
    endings.fold(file_name, |name, ending| strip_ending(name, ending).unwrap_or(name))
}

/// Whether these first bytes look like HTML: the rules of the WHATWG MIME Sniffing Standard, with
/// more of the elements that real pages without a doctype begin with.
pub fn looks_like_html(start: &[u8]) -> bool {
    let start = &start[..start.len().min(SNIFFED)];
    let narrow = without_wide_zeros(start);
    let text = narrow.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&narrow).trim_ascii_start();
    let lower = text.to_ascii_lowercase();
    if lower.starts_with(b"<?xml") {
        return memchr::memmem::find(&lower, b"<html").is_some();
    }
    let Some(tag) = lower.strip_prefix(b"<") else { return false };
    tag.starts_with(b"!--") || begins_known_tag(tag)
}

fn begins_known_tag(tag: &[u8]) -> bool {
    const FIRST_TAGS: [&str; 28] = [
        "!doctype", "html", "head", "body", "title", "meta", "link", "script", "style", "base",
        "iframe", "frameset", "div", "table", "center", "font", "form", "main", "section",
        "article", "header", "nav", "h1", "h2", "a", "b", "br", "p",
    ];
    let name_length = tag.iter().position(|byte| b" \t\r\n\x0C>/".contains(byte));
    let Some(name) = name_length.map(|length| &tag[..length]) else { return false };
    let rest = tag[name.len()..].trim_ascii_start();
    match name {
        b"!doctype" => rest.starts_with(b"html"),
        _ => FIRST_TAGS.iter().any(|known| known.as_bytes() == name),
    }
}

/// Makes UTF-16 with a byte order mark readable enough for sniffing.
fn without_wide_zeros(start: &[u8]) -> Vec<u8> {
    match start {
        [0xFF, 0xFE, rest @ ..] | [0xFE, 0xFF, rest @ ..] => {
            rest.iter().copied().filter(|byte| *byte != 0).collect()
        }
        _ => start.to_vec(),
    }
}

/// Whether these first bytes hold no "binary data byte" of the same standard. NUL bytes at the end
/// are padding.
pub fn looks_like_text(start: &[u8]) -> bool {
    let start = &start[..start.len().min(SNIFFED)];
    let length = start.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let is_binary = |byte: &u8| matches!(byte, 0x00..=0x08 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F);
    (length > 0 || start.is_empty()) && !start[..length].iter().any(is_binary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_recognized_by_its_first_bytes() {
        let check = |start: &[u8], expected: bool| {
            assert_eq!(looks_like_html(start), expected, "{}", start.escape_ascii());
        };
        check(b"<!DOCTYPE html><p>", true);
        check(b"\xEF\xBB\xBF \r\n<HTML lang=en>", true);
        check(b"<!-- saved -->", true);
        check(b"<?xml version='1.0'?>\n<html xmlns=''>", true);
        check(b"<?xml version='1.0'?><rss>", false);
        check(b"<!DOCTYPE svg>", false);
        check(b"<bold>", false);
        check(b"<div\nclass=a>", true);
        check(b"\xFF\xFE<\0h\0t\0m\0l\0>\0", true);
        check(b"plain text <html>", false);
        check(b"", false);
    }

    #[test]
    fn extensions() {
        let check = |name: &str, page: bool, format: Option<Format>| {
            assert_eq!(names_page(name), page, "{name}");
            assert_eq!(by_extension(name), format, "{name}");
        };
        check("a.html", true, Some(Format::Html));
        check("A.HTM", true, Some(Format::Html));
        check("list.php?page=2.5", true, Some(Format::Html));
        check("a.html.gz", true, Some(Format::Html));
        check("a.HTML.ZST", true, Some(Format::Html));
        check("list.php?page=2.gz", true, Some(Format::Html));
        check("a.gz", false, None);
        check(".html.gz", false, None);
        check("x.warc.gz", false, Some(Format::Warc));
        check("x.WARC", false, Some(Format::Warc));
        check("x.jsonl.zst", false, Some(Format::Jsonl));
        check("x.ndjson", false, Some(Format::Jsonl));
        check("x.parquet", false, Some(Format::Parquet));
        check("README", false, None);
        assert_eq!(extension("release-1.2"), None);
        assert_eq!(extension(".htaccess"), None);
        assert_eq!(extension("x.tar.GZ").as_deref(), Some("gz"));
    }

    #[test]
    fn text_is_recognized_by_its_first_bytes() {
        let check = |start: &[u8], expected: bool| {
            assert_eq!(looks_like_text(start), expected, "{}", start.escape_ascii());
        };
        check(b"plain, caf\xE9", true);
        check(b"plain\0\0\0", true);
        check(b"", true);
        check(b"\0\0\0", false);
        check(b"pl\0ain", false);
        check(b"\x89PNG\r\n\x1a\n", false);
    }

    #[test]
    fn stems() {
        let check = |name: &str, expected: &str| assert_eq!(stem(name), expected);
        check("crawl-7.warc.gz", "crawl-7");
        check("a.b.jsonl.zst", "a.b");
        check("X.WARC", "X");
        check("strange", "strange");
        check(".warc", ".warc");
        check(".warc.gz", ".warc");
    }

    #[test]
    fn content_decides_where_the_name_does_not() {
        let check = |start: &[u8], format: Format| assert_eq!(sniff(start).0, format);
        check(b"WARC/1.0\r\n", Format::Warc);
        check(b" \n{\"html\":1}", Format::Jsonl);
        check(b"PAR1....", Format::Parquet);
        check(b"<p>", Format::Html);
        check(b"", Format::Jsonl);
        assert!(sniff(b"PK\x03\x04...").1.is_some());
    }
}
