//! Header lines, as both WARC records and HTTP responses have them.
//!
//! Our own reader instead of an HTTP library's: archives keep what servers really sent, and one
//! malformed line must not cost the page. Lines end in CRLF or LF, continue after leading white
//! space, and are ignored when they have no colon.

use std::io::{self, BufRead};

/// A head longer than this is no head. Real ones reach some ten KiB, with data: URLs more.
const MAX_HEAD: usize = 256 << 10;

#[derive(Debug, Default)]
pub struct Head {
    pub first_line: String,
    fields: Vec<(String, String)>,
    /// The empty line that ends a head was there.
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

/// Reads up to and with the empty line. `Ok(None)`: longer than any head may be.
pub fn read_head(reader: &mut dyn BufRead) -> io::Result<Option<Head>> {
    let mut head = Head::default();
    let mut left = MAX_HEAD;
    let mut line = Vec::new();
    let mut is_first = true;
    loop {
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

/// Appends one line with its end to `line`; false if it has no end within `limit` bytes.
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

    #[test]
    fn field_lines() {
        let check = |text: &str, name: &str, expected: Option<&str>| {
            let head = read_head(&mut text.as_bytes()).unwrap().unwrap();
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
        let endless = vec![b'a'; MAX_HEAD + 9];
        assert!(read_head(&mut endless.as_slice()).unwrap().is_none());
        let cut = read_head(&mut b"X\r\nA: 1\r\nB".as_slice()).unwrap().unwrap();
        assert!(!cut.complete);
        assert_eq!(cut.get("A"), Some("1"));
        assert_eq!(cut.get("B"), None);
    }
}
