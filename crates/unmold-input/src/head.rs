//! Header lines, which WARC records and HTTP responses have in common.
//!
//! Not an HTTP library's reader: archives keep what servers really sent, and one malformed line
//! must not cost the page. Lines end in CRLF or LF, continue after leading white space, and are
//! ignored if they have no colon.

use std::io::{self, BufRead, Read};

use super::format::{RECORD_START, starts_record};
use super::peek::Peek;

/// Longest head that is read. Real ones reach about ten KiB, more with `data:` URLs.
const MAX_HEAD: usize = 256 << 10;

#[derive(Debug, Default)]
pub struct Head {
    pub first_line: String,
    fields: Vec<(String, String)>,
    /// The empty line that ends a head was found.
    pub complete: bool,
}

impl Head {
    /// First value of the field, without the white space around it.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let same_name = move |field: &&(String, String)| field.0.eq_ignore_ascii_case(name);
        self.fields.iter().filter(same_name).map(|(_, value)| value.trim())
    }

    fn add_line(&mut self, line: &str) {
        if line.starts_with([' ', '\t'])
            && let Some((_, value)) = self.fields.last_mut()
        {
            value.push(' ');
            value.push_str(line.trim());
        } else if let Some((name, value)) = line.split_once(':') {
            self.fields.push((name.trim().to_owned(), value.trim().to_owned()));
        }
    }
}

/// Reads up to and including the empty line that ends a head. `Ok(None)`: the head is longer than
/// any may be.
///
/// With `in_warc` it also stops before a line that begins a WARC record.
pub fn read_head<R: Read>(reader: &mut Peek<R>, in_warc: bool) -> io::Result<Option<Head>> {
    let mut head = Head::default();
    let mut left = MAX_HEAD;
    let mut line = Vec::new();
    let mut is_first = true;
    loop {
        if in_warc && !is_first && is_at_record(reader)? {
            return Ok(Some(head));
        }
        line.clear();
        if !read_line(reader, &mut line, left)? {
            // The limit, or the end of the input in the middle of a line.
            return Ok((line.len() < left).then_some(head));
        }
        left -= line.len();
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        if text.is_empty() {
            head.complete = true;
            return Ok(Some(head));
        }
        if is_first {
            head.first_line = text.to_owned();
            is_first = false;
        } else {
            head.add_line(text);
        }
    }
}

/// Looks at a whole `WARC/1.` only if the first character fits: to look ahead over the end of a
/// short record would be to blame it for damage in the next.
fn is_at_record<R: Read>(reader: &mut Peek<R>) -> io::Result<bool> {
    Ok(reader.fill_buf()?.first() == Some(&b'W') && starts_record(reader.peek(RECORD_START)?))
}

/// Appends one line with its line end to `line`; false if there is none within `limit` bytes.
pub fn read_line(reader: &mut dyn BufRead, line: &mut Vec<u8>, limit: usize) -> io::Result<bool> {
    while line.len() < limit {
        let available = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if available.is_empty() {
            return Ok(false);
        }
        let available = &available[..available.len().min(limit - line.len())];
        let end = memchr::memchr(b'\n', available);
        let count = end.map_or(available.len(), |end| end + 1);
        line.extend_from_slice(&available[..count]);
        reader.consume(count);
        if end.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head_of(text: &[u8]) -> Option<Head> {
        read_head(&mut Peek::new(text), false).unwrap()
    }

    #[test]
    fn field_lines() {
        let check = |text: &str, name: &str, expected: Option<&str>| {
            let head = head_of(text.as_bytes()).unwrap();
            assert_eq!(head.get(name), expected, "{text:?}");
            assert!(head.complete);
        };
        check("X\r\nA: 1\r\nB:2\r\n\r\nA: 3", "a", Some("1"));
        check("X\nA: 1\nB:  2 \n\n", "b", Some("2"));
        check("X\r\nA: 1\r\n\tmore\r\n\r\n", "A", Some("1 more"));
        check("X\r\nno colon\r\nA : 1\r\n\r\n", "A", Some("1"));
        check("X\r\n\r\nA: 1\r\n\r\n", "A", None);
    }

    #[test]
    fn endless_and_cut_heads() {
        assert!(head_of(&vec![b'a'; MAX_HEAD + 9]).is_none());
        let cut = head_of(b"X\r\nA: 1\r\nB").unwrap();
        assert!(!cut.complete);
        assert_eq!(cut.get("A"), Some("1"));
        assert_eq!(cut.get("B"), None);
    }

    #[test]
    fn a_head_stops_before_another_record() {
        let mut text =
            Peek::new(b"WARC/1.0\r\nWARC-Type: a\r\nWARC/1.1\r\nB: 2\r\n\r\n".as_slice());
        let head = read_head(&mut text, true).unwrap().unwrap();
        assert!(!head.complete);
        assert_eq!((head.get("WARC-Type"), head.get("B")), (Some("a"), None));
        assert!(text.peek(1).unwrap().starts_with(b"WARC/1.1"));
    }
}
