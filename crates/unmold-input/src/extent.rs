//! Where the block of a record really ends, when its length says "after the end of the file".
//!
//! Either the file is cut, or the length is wrong. A page may contain what looks like the next
//! record, so its own bytes prove nothing. The digest does: the crawler computed it over the whole
//! block. Without one, the length in the HTTP header can at least show that more was to come.

use std::io::{self, Read};

use sha1_smol::Sha1;

use super::head::{Head, read_head};
use super::peek::Peek;
use super::source::SourceFile;

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The block of a record in a plain file.
pub struct Extent<'a> {
    source: &'a SourceFile,
    start: u64,
    /// SHA-1 as the record says it, in base 32 or hexadecimal.
    digest: Option<&'a str>,
    /// Where the body of the HTTP response would end.
    end_of_body: Option<u64>,
}

impl<'a> Extent<'a> {
    pub fn new(source: &'a SourceFile, start: u64, head: &'a Head) -> io::Result<Extent<'a>> {
        let digest = head.get("WARC-Block-Digest").and_then(sha1_of);
        let is_whole = head.get("WARC-Truncated").is_none();
        let end_of_body = if is_whole { end_of_body(source, start)? } else { None };
        Ok(Extent { source, start, digest, end_of_body })
    }

    /// Whether the block may end before a record at `next`.
    pub fn may_end_before(&self, next: u64) -> io::Result<bool> {
        let end = next - self.line_ends_before(next)?;
        match self.digest {
            Some(digest) => self.has_digest(end, digest),
            None => Ok(self.end_of_body.is_none_or(|body| body <= end)),
        }
    }

    fn line_ends_before(&self, next: u64) -> io::Result<u64> {
        let from = next.saturating_sub(4).max(self.start);
        let mut before = Vec::new();
        self.source.at(from).take(next - from).read_to_end(&mut before)?;
        let ends: [&[u8]; 2] = [b"\r\n\r\n", b"\n\n"];
        let found = ends.into_iter().find(|line_ends| before.ends_with(line_ends));
        Ok(found.map_or(0, |line_ends| line_ends.len() as u64))
    }

    fn has_digest(&self, end: u64, expected: &str) -> io::Result<bool> {
        let mut sha1 = Sha1::new();
        let mut block = self.source.at(self.start).take(end - self.start);
        let mut buffer = vec![0; 64 << 10];
        loop {
            match block.read(&mut buffer)? {
                0 => break,
                count => sha1.update(&buffer[..count]),
            }
        }
        let digest = sha1.digest();
        let is = |text: &str| text.eq_ignore_ascii_case(expected);
        Ok(is(&base32(digest.bytes())) || is(&digest.to_string()))
    }
}

/// `sha1:VALUE`. Other functions are rare.
fn sha1_of(digest: &str) -> Option<&str> {
    let (function, value) = digest.split_once(':')?;
    let is_sha1 = function.eq_ignore_ascii_case("sha1") || function.eq_ignore_ascii_case("sha-1");
    is_sha1.then_some(value)
}

fn end_of_body(source: &SourceFile, start: u64) -> io::Result<Option<u64>> {
    let mut stream = Peek::new(source.at(start));
    let Some(head) = read_head(&mut stream, true)?.filter(|head| head.complete) else {
        return Ok(None);
    };
    let is_http = head.first_line.starts_with("HTTP/") && head.get("Transfer-Encoding").is_none();
    let length = head.get("Content-Length").and_then(|length| length.parse::<u64>().ok());
    let body = stream.inner().position() - stream.buffered() as u64;
    Ok(length.filter(|_| is_http).map(|length| body.saturating_add(length)))
}

fn base32(bytes: [u8; 20]) -> String {
    let (groups, _) = bytes.as_chunks::<5>();
    let digits = groups.iter().flat_map(|group| {
        let bits = group.iter().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
        (0..8).rev().map(move |digit| ALPHABET[(bits >> (5 * digit)) as usize & 31])
    });
    digits.map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_written_as_archives_do() {
        // RFC 4648 for the alphabet; the digest of nothing is in many archives.
        let nothing = Sha1::new().digest();
        assert_eq!(base32(nothing.bytes()), "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        assert_eq!(nothing.to_string(), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(sha1_of("sha1:AB"), Some("AB"));
        assert_eq!(sha1_of("SHA-1:AB"), Some("AB"));
        assert_eq!(sha1_of("md5:AB"), None);
    }
}
