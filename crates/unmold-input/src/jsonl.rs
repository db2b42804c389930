//! Pages in JSON Lines: `{"url": …, "html": …}`, perhaps with `"id"`; other fields are ignored.

use std::fmt;
use std::io::{BufRead, BufReader, Read};

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

use super::format::Compression;
use super::head::read_line;
use super::source::SourceFile;
use super::{Found, Origin};

/// Longest escape of one byte (`\u00XX`), and room for everything that is not the page.
const BYTES_PER_BYTE: usize = 6;
const ROOM_FOR_OTHER_FIELDS: usize = 64 << 10;

pub struct JsonlPages<'a> {
    reader: BufReader<Box<dyn Read + Send>>,
    origin: &'a Origin,
    line_number: u64,
    is_done: bool,
}

#[derive(Deserialize)]
struct Record {
    id: Option<serde_json::Value>,
    url: Option<String>,
    html: Html,
}

/// Text that may hold half of a surrogate pair (`\ud800`), which other JSON writers let pass.
struct Html(Vec<u8>);

/// How reading a line ended.
enum Line {
    Whole(Vec<u8>),
    TooLong,
    None,
}

impl<'a> JsonlPages<'a> {
    pub fn new(source: &SourceFile, packed: Compression, origin: &'a Origin) -> Self {
        let reader = BufReader::new(source.unpacked(packed));
        JsonlPages { reader, origin, line_number: 0, is_done: false }
    }

    fn longest_line(&self) -> usize {
        let page = self.origin.max_page_bytes.saturating_mul(BYTES_PER_BYTE);
        page.saturating_add(ROOM_FOR_OTHER_FIELDS)
    }

    fn read_line(&mut self) -> std::io::Result<Line> {
        let limit = self.longest_line();
        let mut line = Vec::new();
        self.line_number += 1;
        if read_line(&mut self.reader, &mut line, limit)? || line.len() < limit {
            return Ok(if line.is_empty() { Line::None } else { Line::Whole(line) });
        }
        drop(line);
        self.reader.skip_until(b'\n')?;
        Ok(Line::TooLong)
    }

    fn next_found(&mut self) -> std::io::Result<Option<Found>> {
        loop {
            match self.read_line()? {
                Line::None => return Ok(None),
                Line::TooLong => return Ok(Some(self.too_long())),
                Line::Whole(line) => {
                    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line).trim_ascii();
                    if !line.is_empty() {
                        return Ok(Some(self.parse(line)));
                    }
                }
            }
        }
    }

    fn parse(&self, line: &[u8]) -> Found {
        let bad = |what: String| Found::Problem { place: self.place(), what };
        let record: Record = match serde_json::from_slice(line) {
            Ok(record) => record,
            Err(error) => return bad(explained(&error)),
        };
        let id = match record.id {
            None | Some(serde_json::Value::Null) => None,
            Some(serde_json::Value::String(id)) => Some(id),
            Some(serde_json::Value::Number(id)) => Some(id.to_string()),
            Some(_) => return bad("\"id\" is neither text nor a number".to_owned()),
        };
        let id = id
            .or_else(|| record.url.clone())
            .unwrap_or_else(|| self.origin.numbered(self.line_number));
        self.origin.page(id, record.url, Some("utf-8".to_owned()), record.html.0)
    }

    fn too_long(&self) -> Found {
        let what = format!(
            "the line is longer than {} bytes, so its page is over the limit: skipped",
            self.longest_line()
        );
        Found::Problem { place: self.place(), what }
    }

    fn place(&self) -> String {
        format!("{}:{}", self.origin.name, self.line_number)
    }
}

impl Iterator for JsonlPages<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        if self.is_done {
            return None;
        }
        self.next_found().unwrap_or_else(|error| {
            self.is_done = true;
            let what = format!("cannot read on from this line: {error}");
            Some(Found::Problem { place: self.place(), what })
        })
    }
}

/// serde_json counts lines from the start of what it is given: always 1 here, so left out.
fn explained(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text);
    format!("not a JSON object with \"html\" and \"url\": {reason} (column {})", error.column())
}

impl<'de> Deserialize<'de> for Html {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(HtmlVisitor)
    }
}

struct HtmlVisitor;

impl Visitor<'_> for HtmlVisitor {
    type Value = Html;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("the text of a page in \"html\"")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Html, E> {
        Ok(Html(String::from_utf8_lossy(bytes).into_owned().into_bytes()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Html, E> {
        Ok(Html(text.as_bytes().to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::tests::{input_of, shown};
    use super::super::{Input, InputOptions};

    fn check(lines: &[u8], expected: &[&str]) {
        let (_folder, input) = input_of("some.jsonl", lines);
        assert_eq!(shown(&input), expected, "{}", lines.escape_ascii());
    }

    #[test]
    fn lines() {
        check(b"", &[]);
        check(b"\n \r\n", &[]);
        check(
            b"{\"url\":\"http://www.a.org/1\",\"html\":\"<p>x\"}\n{\"html\":\"y\"}",
            &["page http://www.a.org/1 a.org <p>x", "page some.jsonl:2 some y"],
        );
        check(
            b"\xEF\xBB\xBF{\"html\":\"\\u00e9\",\"id\":7,\"url\":null}\r\n",
            &["page 7 some \u{e9}"],
        );
        check(
            b"{\"html\":\"x\",\"id\":\"own\",\"url\":\"http://b.org/\",\"more\":[{}]}\n",
            &["page own b.org x"],
        );
        check(b"{\"html\":\"a\\ud800b\"}", &["page some.jsonl:1 some a\u{FFFD}\u{FFFD}\u{FFFD}b"]);
        check(b"{\"html\":\"a\xFFb\"}", &["page some.jsonl:1 some a\u{FFFD}b"]);
    }

    #[test]
    fn bad_lines_do_not_stop_the_run() {
        let lines = b"{\"html\":\"a\"}\n{broken\n\n[]\n{\"url\":\"x\"}\n{\"html\":null}\n{\"html\":\"b\",\"id\":[]}\n{\"html\":\"c\"}\n";
        let (_folder, input) = input_of("some.jsonl", lines);
        let found = shown(&input);
        assert_eq!(found.len(), 7, "{found:#?}");
        assert_eq!(found[0], "page some.jsonl:1 some a");
        assert_eq!(found[6], "page some.jsonl:8 some c");
        for (line, reason) in [
            (2, "key must be"),
            (4, "invalid"),
            (5, "missing field `html`"),
            (6, "invalid type: null"),
            (7, "\"id\""),
        ] {
            let wanted = format!("problem some.jsonl:{line} ");
            let problem = found.iter().find(|found| found.starts_with(&wanted)).unwrap();
            assert!(problem.contains(reason), "{problem}");
        }
    }

    #[test]
    fn long_lines_are_not_held() {
        let long = "x".repeat(200_000);
        let lines = format!("{{\"html\":\"{long}\"}}\n{{\"html\":\"{}\"}}\n", &long[..50]);
        let folder = tempfile::tempdir().unwrap();
        let path: PathBuf = folder.path().join("some.jsonl");
        std::fs::write(&path, lines).unwrap();
        let options = InputOptions { max_page_bytes: 20, ..InputOptions::default() };
        let found = shown(&Input::open(&[path], &options).unwrap());
        assert!(found[0].starts_with("problem some.jsonl:1 the line is longer"), "{found:?}");
        assert_eq!(found[1], format!("page some.jsonl:2 some {} cut", &long[..21]));
    }
}
