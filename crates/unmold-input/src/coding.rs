//! Removes the transfer and content codings of an HTTP body, one after the other.
//!
//! Archives often hold bodies that were decoded while the headers were kept, so a coding is
//! believed only if the bytes agree with it.

use std::io::{self, BufRead, ErrorKind, Read};

use brotli_decompressor::Decompressor;
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};

use super::format::{looks_like_html, looks_like_text};
use super::head::read_line;
use super::peek::Peek;

/// A body from which some of its codings have been removed.
pub type Body<'a> = Peek<Box<dyn Read + 'a>>;

/// More codings in a row than this are an attack, not a page.
const MAX_CODINGS: usize = 5;
/// Bodies are small; a buffer per coding need not be large.
const BUFFER: usize = 16 << 10;
/// Bytes that a trial decoding looks at, and the limit of what it unpacks.
const TRIAL: usize = 4 << 10;
const TRIAL_OUTPUT: u64 = 64 << 10;
/// Window of 8 MiB: RFC 9659 does not let a server ask for more.
const MAX_ZSTD_WINDOW_LOG: u32 = 23;

/// The body without `codings`, which are in the order in which they were applied.
pub fn decoded<'a>(body: &'a mut dyn Read, codings: &[String]) -> io::Result<Body<'a>> {
    if codings.len() > MAX_CODINGS {
        return Err(invalid("more content codings in a row than any server uses"));
    }
    let mut body = layer(body);
    for coding in codings.iter().rev() {
        body = without(body, coding)?;
    }
    Ok(body)
}

fn layer<'a>(reader: impl Read + 'a) -> Body<'a> {
    Peek::with_buffer(Box::new(reader), BUFFER)
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

fn without<'a>(mut body: Body<'a>, coding: &str) -> io::Result<Body<'a>> {
    let start = body.peek(TRIAL)?;
    if start.is_empty() || looks_like_html(start) {
        return Ok(body);
    }
    match coding {
        "chunked" if begins_chunk(start) => Ok(layer(Chunked::new(body))),
        "gzip" | "x-gzip" => without_gzip(body),
        "deflate" => Ok(without_deflate(body)),
        "br" => Ok(without_brotli(body)),
        "zstd" => without_zstd(body),
        // `identity`, and what servers put there by mistake, like `utf-8` or `none`.
        _ => Ok(body),
    }
}

fn without_gzip(mut body: Body<'_>) -> io::Result<Body<'_>> {
    let start = body.peek(2)?;
    if start.starts_with(&[0x1F, 0x8B]) {
        Ok(layer(GzipMembers::new(body)))
    } else if looks_like_text(start) {
        Ok(body)
    } else {
        Err(invalid("the header says gzip, but the body is not"))
    }
}

fn without_zstd(mut body: Body<'_>) -> io::Result<Body<'_>> {
    let start = body.peek(4)?;
    if start.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) {
        let mut decoder = zstd::Decoder::with_buffer(body)?;
        decoder.window_log_max(MAX_ZSTD_WINDOW_LOG)?;
        Ok(layer(decoder))
    } else if looks_like_text(start) {
        Ok(body)
    } else {
        Err(invalid("the header says zstd, but the body is not"))
    }
}

/// `deflate` means zlib, but some servers send the bare deflate stream.
fn without_deflate(mut body: Body<'_>) -> Body<'_> {
    let start = body.peek(TRIAL).unwrap_or_default();
    if decodes(ZlibDecoder::new(start)) {
        layer(ZlibDecoder::new(body))
    } else if !decodes(DeflateDecoder::new(start)) && looks_like_text(start) {
        body
    } else {
        layer(DeflateDecoder::new(body))
    }
}

/// Brotli has no magic number: the only way to tell is to try.
fn without_brotli(mut body: Body<'_>) -> Body<'_> {
    let start = body.peek(TRIAL).unwrap_or_default();
    if !decodes(Decompressor::new(start, TRIAL)) && looks_like_text(start) {
        body
    } else {
        layer(Decompressor::new(body, BUFFER))
    }
}

/// Whether something comes out, and nothing is wrong except that the sample ends.
fn decodes(decoder: impl Read) -> bool {
    let mut output = Vec::new();
    match decoder.take(TRIAL_OUTPUT).read_to_end(&mut output) {
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => false,
        _ => !output.is_empty(),
    }
}

/// gzip members one after the other. Like browsers, ignores what follows the last.
struct GzipMembers<'a> {
    /// `None` once everything is read.
    member: Option<GzDecoder<Body<'a>>>,
}

impl<'a> GzipMembers<'a> {
    fn new(body: Body<'a>) -> Self {
        GzipMembers { member: Some(GzDecoder::new(body)) }
    }
}

impl Read for GzipMembers<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(out)?;
            if count > 0 || out.is_empty() {
                return Ok(count);
            }
            let Some(mut rest) = self.member.take().map(GzDecoder::into_inner) else { break };
            if rest.peek(2)?.starts_with(&[0x1F, 0x8B]) {
                self.member = Some(GzDecoder::new(rest));
            }
        }
        Ok(0)
    }
}

/// Longest chunk-size line, with extensions.
const MAX_SIZE_LINE: usize = 4 << 10;

fn begins_chunk(start: &[u8]) -> bool {
    let line_end = memchr::memchr(b'\n', start).unwrap_or(start.len());
    chunk_size(&start[..line_end]).is_some()
}

fn chunk_size(line: &[u8]) -> Option<u64> {
    let size = line.split(|byte| *byte == b';').next()?.trim_ascii();
    let is_hex = !size.is_empty() && size.iter().all(u8::is_ascii_hexdigit);
    let size = std::str::from_utf8(size).ok().filter(|_| is_hex)?;
    u64::from_str_radix(size, 16).ok()
}

struct Chunked<'a> {
    body: Body<'a>,
    left_in_chunk: u64,
    is_first: bool,
    is_done: bool,
}

impl<'a> Chunked<'a> {
    fn new(body: Body<'a>) -> Self {
        Chunked { body, left_in_chunk: 0, is_first: true, is_done: false }
    }

    fn start_chunk(&mut self) -> io::Result<()> {
        let mut line = Vec::new();
        if !self.is_first {
            read_line(&mut self.body, &mut line, 2)?;
            if !line.trim_ascii().is_empty() {
                return Err(invalid("a chunk of the body is longer than its size says"));
            }
            line.clear();
        }
        self.is_first = false;
        let has_end = read_line(&mut self.body, &mut line, MAX_SIZE_LINE)?;
        // A missing last chunk is common and harmless: the server hung up after the page.
        if line.is_empty() {
            self.is_done = true;
            return Ok(());
        }
        let size = chunk_size(&line).filter(|_| has_end || line.len() < MAX_SIZE_LINE);
        self.left_in_chunk = size.ok_or_else(|| invalid("a chunk of the body has no size"))?;
        self.is_done = self.left_in_chunk == 0;
        Ok(())
    }
}

impl Read for Chunked<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.left_in_chunk == 0 && !self.is_done {
            self.start_chunk()?;
        }
        if self.is_done || out.is_empty() {
            return Ok(0);
        }
        let available = self.body.fill_buf()?;
        if available.is_empty() {
            return Err(io::Error::new(ErrorKind::UnexpectedEof, "the body ends within a chunk"));
        }
        let wanted = usize::try_from(self.left_in_chunk).unwrap_or(usize::MAX);
        let count = available.len().min(out.len()).min(wanted);
        out[..count].copy_from_slice(&available[..count]);
        self.body.consume(count);
        self.left_in_chunk -= count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    const PAGE: &[u8] = b"<!DOCTYPE html><title>A page</title><p>Some text, some more text.";
    /// `PAGE` compressed by `brotli -q 11`.
    const PAGE_BROTLI: &[u8] = &[
        0x1B, 0x40, 0x00, 0x60, 0x9C, 0x07, 0x76, 0x0C, 0x99, 0x26, 0x69, 0x0D, 0x7C, 0x09, 0xD0,
        0x47, 0xA8, 0xF4, 0x6C, 0x7B, 0x9B, 0x6B, 0x10, 0x1F, 0x38, 0x39, 0x15, 0x34, 0x55, 0x2E,
        0x65, 0xB0, 0x01, 0x07, 0x4E, 0x4B, 0x38, 0x2F, 0x34, 0xD0, 0x70, 0x06, 0x34, 0xAD, 0xBE,
        0x60, 0x4C, 0x2A, 0x47, 0x04, 0xC8, 0x19, 0xF1, 0x8C, 0x03, 0x95, 0x73, 0x1E, 0x82, 0x45,
        0x03, 0x00,
    ];

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn chunked(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for chunk in bytes.chunks(7) {
            out.extend(format!("{:x};name=value\r\n", chunk.len()).bytes());
            out.extend(chunk);
            out.extend(b"\r\n");
        }
        out.extend(b"0\r\nTrailer: x\r\n\r\n");
        out
    }

    fn decode(mut body: &[u8], codings: &[&str]) -> io::Result<Vec<u8>> {
        let codings: Vec<String> = codings.iter().map(ToString::to_string).collect();
        let mut bytes = Vec::new();
        decoded(&mut body, &codings)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    #[test]
    fn codings_are_removed() {
        let check = |body: &[u8], codings: &[&str]| {
            let bytes = decode(body, codings).unwrap();
            assert_eq!(
                bytes.escape_ascii().to_string(),
                PAGE.escape_ascii().to_string(),
                "{codings:?}"
            );
        };
        check(PAGE, &[]);
        check(&chunked(PAGE), &["chunked"]);
        check(&gzip(PAGE), &["gzip"]);
        check(&gzip(PAGE), &["x-gzip"]);
        check(&[gzip(&PAGE[..9]), gzip(&PAGE[9..])].concat(), &["gzip"]);
        check(&[gzip(PAGE), b"\r\n trailing".to_vec()].concat(), &["gzip"]);
        check(&chunked(&gzip(PAGE)), &["gzip", "chunked"]);
        check(&zlib(PAGE), &["deflate"]);
        check(&raw_deflate(PAGE), &["deflate"]);
        check(PAGE_BROTLI, &["br"]);
        check(&zstd::encode_all(PAGE, 3).unwrap(), &["zstd"]);
        check(&gzip(&zlib(PAGE)), &["deflate", "gzip"]);
        check(&chunked(&gzip(PAGE_BROTLI)), &["br", "gzip", "chunked"]);
        check(&chunked(PAGE)[..chunked(PAGE).len() - 17], &["chunked"]);
    }

    #[test]
    fn a_body_that_was_decoded_before_is_left_alone() {
        for coding in ["chunked", "gzip", "x-gzip", "deflate", "br", "zstd", "identity", "utf-8"] {
            for page in [
                PAGE,
                b"Just some text without a tag.",
                b"Just some text with padding.\0\0\0\0",
                b"Der Zug f\xE4hrt ab <b>heute</b>.",
            ] {
                assert_eq!(decode(page, &[coding]).unwrap(), page, "{coding}");
            }
        }
        assert_eq!(decode(&gzip(PAGE), &["gzip", "chunked"]).unwrap(), PAGE);
        assert_eq!(decode(&chunked(PAGE), &["gzip", "chunked"]).unwrap(), PAGE);
        assert_eq!(decode(b"", &["gzip"]).unwrap(), b"");
    }

    #[test]
    fn damage_is_reported() {
        let check = |body: &[u8], coding: &str| {
            assert!(decode(body, &[coding]).is_err(), "{coding} {}", body.escape_ascii());
        };
        check(&gzip(PAGE)[..40], "gzip");
        check(&zstd::encode_all(PAGE, 3).unwrap()[..30], "zstd");
        check(&PAGE_BROTLI[..30], "br");
        check(b"\x89PNG\r\n\x1a\n", "gzip");
        check(b"5\r\nab", "chunked");
        check(b"2\r\nabcd\r\n", "chunked");
        check(b"2\r\nab\r\nxyz\r\n", "chunked");
        check(b"ffffffffffffffff\r\nab", "chunked");
    }

    #[test]
    fn many_codings_are_refused() {
        assert!(decode(PAGE, &["gzip"; 6]).is_err());
    }
}
