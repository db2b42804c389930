//! Pages in JSON Lines: `{"url": …, "html": …}`, perhaps with `"id"`, or under other names
//! ([`Columns`]); other fields are ignored.
//!
//! A bad line is reported and the next one is read. If a compressed file is damaged, reading goes
//! on at the next compressed member. Line numbers then no longer count the lines that were lost.

use std::fmt;
use std::io::{self, BufRead};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::compression::Compression;
use super::head::read_line;
use super::members::{Content, MemberStream};
use super::options::Columns;
use super::origin::Origin;
use super::page::InputEvent;
use super::peek::Peek;
use super::source::SourceFile;

/// Longest escape of one byte (`\u00XX`).
const BYTES_PER_BYTE: usize = 6;
/// Room for everything in a line that is not the page.
const ROOM_FOR_OTHER_FIELDS: usize = 64 << 10;

pub struct JsonlPages<'a> {
    stream: Peek<MemberStream>,
    origin: &'a Origin,
    line_number: u64,
    is_done: bool,
}

struct Record {
    id: Option<serde_json::Value>,
    url: Option<String>,
    html: Html,
}

/// Text that may hold half of a surrogate pair (`\ud800`), which other JSON writers allow.
struct Html(Vec<u8>);

/// How reading a line ended.
enum Line {
    Whole(Vec<u8>),
    TooLong,
    None,
}

impl<'a> JsonlPages<'a> {
    pub fn new(source: SourceFile, compression: Compression, origin: &'a Origin) -> Self {
        let stream = Peek::new(MemberStream::new(source, compression, Content::Lines));
        JsonlPages { stream, origin, line_number: 0, is_done: false }
    }

    fn max_line_bytes(&self) -> usize {
        let page = self.origin.max_page_bytes.saturating_mul(BYTES_PER_BYTE);
        page.saturating_add(ROOM_FOR_OTHER_FIELDS)
    }

    fn read_line(&mut self) -> io::Result<Line> {
        let limit = self.max_line_bytes();
        let mut line = Vec::new();
        self.line_number += 1;
        if read_line(&mut self.stream, &mut line, limit)? || line.len() < limit {
            if line.is_empty() {
                // The end of the file, or damage that the stream holds before.
                self.stream.inner_mut().advance()?;
                return Ok(Line::None);
            }
            return Ok(Line::Whole(line));
        }
        drop(line);
        self.stream.skip_until(b'\n')?;
        Ok(Line::TooLong)
    }

    fn next_event(&mut self) -> io::Result<Option<InputEvent>> {
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

    fn parse(&self, line: &[u8]) -> InputEvent {
        let mut reader = serde_json::Deserializer::from_slice(line);
        let record = RecordReader(&self.origin.columns).deserialize(&mut reader);
        let record = match record.and_then(|record| reader.end().map(|()| record)) {
            Ok(record) => record,
            Err(error) => return self.problem(explained(&error, &self.origin.columns)),
        };
        let id = match record.id {
            None | Some(serde_json::Value::Null) => None,
            Some(serde_json::Value::String(id)) => Some(id),
            Some(serde_json::Value::Number(id)) => Some(id.to_string()),
            Some(_) => return self.problem("\"id\" is neither a string nor a number".to_owned()),
        };
        let id = id
            .or_else(|| record.url.clone())
            .unwrap_or_else(|| self.origin.numbered(self.line_number));
        let charset = Some("utf-8".to_owned());
        InputEvent::Page(self.origin.page(id, record.url, charset, record.html.0))
    }

    fn too_long(&self) -> InputEvent {
        self.problem(format!(
            "the line is longer than {} bytes, so its page is over the limit of {}: skipped",
            self.max_line_bytes(),
            self.origin.max_page_bytes
        ))
    }

    /// Goes on at the next compressed member, if there is one.
    fn recover(&mut self, error: &io::Error) -> InputEvent {
        self.stream.clear();
        let rest = match self.stream.inner_mut().resync() {
            Ok(Some(position)) => format!("reading continues at byte {position} of the file"),
            Ok(None) | Err(_) => {
                self.is_done = true;
                "the rest of the file is lost".to_owned()
            }
        };
        self.problem(format!("cannot read or decompress this line: {error}; {rest}"))
    }

    fn problem(&self, what: String) -> InputEvent {
        let place = format!("{}:{}", self.origin.name, self.line_number);
        InputEvent::Problem { place, what }
    }
}

impl Iterator for JsonlPages<'_> {
    type Item = InputEvent;

    fn next(&mut self) -> Option<InputEvent> {
        if self.is_done {
            return None;
        }
        self.next_event().unwrap_or_else(|error| Some(self.recover(&error)))
    }
}

/// serde_json counts lines from the start of what it is given: always 1 here, so left out.
fn explained(error: &serde_json::Error, columns: &Columns) -> String {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text);
    let Columns { html, url, .. } = columns;
    format!("not a JSON object with {html:?} and {url:?}: {reason} (column {})", error.column())
}

/// Reads an object whose fields have these names.
struct RecordReader<'a>(&'a Columns);

impl<'de> DeserializeSeed<'de> for RecordReader<'_> {
    type Value = Record;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Record, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RecordReader<'_> {
    type Value = Record;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record, A::Error> {
        let Columns { html: html_name, url: url_name, id: id_name } = self.0;
        let (mut id, mut url, mut html) = (None, None, None);
        while let Some(name) = map.next_key::<std::borrow::Cow<str>>()? {
            if name == html_name.as_str() {
                html = Some(map.next_value::<Html>()?);
            } else if name == url_name.as_str() {
                url = map.next_value()?;
            } else if name == id_name.as_str() {
                id = map.next_value()?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        let html = html.ok_or_else(|| A::Error::custom(format!("missing field `{html_name}`")))?;
        Ok(Record { id, url, html })
    }
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
    use std::io::Write;
    use std::path::PathBuf;

    use super::super::tests::{gzip, input_of, shown};
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
    fn columns_may_have_other_names() {
        let lines = b"{\"content\":\"x\",\"html\":1,\"link\":\"http://a.org/\",\"doc\":5}";
        let (folder, _) = input_of("some.jsonl", lines);
        let columns = super::Columns::parse("html=content, url=link,id=doc").unwrap();
        let options = InputOptions::default().with_columns(columns);
        let input = Input::open(&[folder.path().join("some.jsonl")], &options).unwrap();
        assert_eq!(shown(&input), ["page 5 a.org x"]);
        for wrong in ["html", "html=", "text=x"] {
            assert!(super::Columns::parse(wrong).is_err(), "{wrong}");
        }
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
    fn long_lines_are_skipped() {
        let long = "x".repeat(200_000);
        let lines = format!("{{\"html\":\"{long}\"}}\n{{\"html\":\"{}\"}}\n", &long[..50]);
        let folder = tempfile::tempdir().unwrap();
        let path: PathBuf = folder.path().join("some.jsonl");
        std::fs::write(&path, lines).unwrap();
        let options = InputOptions::default().with_max_page_bytes(20);
        let found = shown(&Input::open(&[path], &options).unwrap());
        assert!(found[0].starts_with("problem some.jsonl:1 the line is longer"), "{found:?}");
        assert_eq!(found[1], format!("page some.jsonl:2 some {} cut", &long[..21]));
    }
    /// Six lines in three members.
    fn members(pack: fn(&[u8]) -> Vec<u8>) -> Vec<Vec<u8>> {
        let line =
            |n: usize| format!("{{\"id\":\"{n}\",\"html\":\"<p>page {n}, {}\"}}\n", n * 77777);
        (0..3).map(|n| pack([line(2 * n), line(2 * n + 1)].concat().as_bytes())).collect()
    }

    /// With a checksum, as gzip always has one.
    fn zstd(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_damaged_member_costs_only_its_lines() {
        for (name, pack) in
            [("some.jsonl.gz", gzip as fn(&[u8]) -> Vec<u8>), ("some.jsonl.zst", zstd)]
        {
            let parts = members(pack);
            let (_folder, input) = input_of(name, &parts.concat());
            let whole = shown(&input);
            assert_eq!(whole.len(), 6, "{whole:?}");
            let (start, end) = (parts[0].len(), parts[0].len() + parts[1].len());
            for position in start..end {
                let mut damaged = parts.concat();
                damaged[position] ^= 0x55;
                let (_folder, input) = input_of(name, &damaged);
                let found = shown(&input);
                for line in [&whole[..2], &whole[4..]].concat() {
                    assert!(found.contains(&line), "{name} byte {position}: {found:#?}");
                }
            }
            let mut damaged = parts.concat();
            damaged[start..start + 4].fill(0);
            let (_folder, input) = input_of(name, &damaged);
            let found = shown(&input);
            assert!(
                found[2].starts_with(&format!("problem {name}:3 cannot read or decompress"))
                    && found[2].ends_with(&format!("reading continues at byte {end} of the file")),
                "{found:#?}"
            );
            assert_eq!(found.len(), 5, "{found:#?}");
        }
    }

    #[test]
    fn a_cut_file_is_reported_with_its_line() {
        let whole = members(gzip).concat();
        let (_folder, input) = input_of("some.jsonl.gz", &whole[..whole.len() - 9]);
        let found = shown(&input);
        assert_eq!(found[..4].iter().filter(|line| line.starts_with("page ")).count(), 4);
        let last = found.last().unwrap();
        assert!(last.starts_with("problem some.jsonl.gz:"), "{last}");
        assert!(last.ends_with("the rest of the file is lost"), "{last}");
    }
}
