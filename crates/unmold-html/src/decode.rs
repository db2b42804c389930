//! Finds the charset of a page and decodes its bytes.
//!
//! In this order: byte order mark; valid UTF-8 (nearly every page ends here, and text that is valid
//! UTF-8 by accident is rarer than a wrong label); the HTTP header; the page's own `meta`;
//! detection from the bytes.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

/// Number of bytes searched for a `meta` charset: four times as many as the standard says, since
/// real pages put long comments before it.
const META_PREFIX: usize = 4096;
/// Number of bytes, from the first non-ASCII byte on, that detection reads: it is slower than
/// parsing.
const DETECTION_WINDOW: usize = 16 << 10;
/// Number of bytes read to tell text from binary files.
const BINARY_PREFIX: usize = 4096;

/// A decoded page.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    /// Some bytes were invalid and have been replaced.
    pub(crate) damaged: bool,
}

/// Decodes a page; `None` for a binary file.
pub(crate) fn decode<'a>(bytes: &'a [u8], header: Option<&str>) -> Option<Decoded<'a>> {
    if has_binary_magic(bytes) {
        return None;
    }
    let decoded = decode_text(bytes, header);
    (!looks_binary(&decoded)).then_some(decoded)
}

fn decode_text<'a>(bytes: &'a [u8], header: Option<&str>) -> Decoded<'a> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, &bytes[length..]);
    }
    if let Some(encoding) = utf16_without_mark(bytes) {
        return decode_as(encoding, bytes);
    }
    let declared = || {
        header
            .and_then(|label| Encoding::for_label(label.as_bytes()))
            .or_else(|| meta_charset(bytes))
    };
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        // ISO-2022-JP is the one charset in use whose pages are all valid UTF-8.
        if memchr::memchr(0x1b, bytes).is_some() && declared() == Some(ISO_2022_JP) {
            return decode_as(ISO_2022_JP, bytes);
        }
        return Decoded { text: Cow::Borrowed(text), damaged: false };
    }
    match declared() {
        // Declared UTF-8 with a few invalid bytes is still UTF-8; with many, the label is wrong.
        Some(encoding) if encoding == UTF_8 && !is_mostly_utf8(bytes) => {
            decode_as(detect(bytes), bytes)
        }
        Some(encoding) => decode_as(encoding, bytes),
        None => decode_as(detect(bytes), bytes),
    }
}

fn decode_as<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let (text, damaged) = encoding.decode_without_bom_handling(bytes);
    Decoded { text, damaged }
}

fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good >= bad * 4
}

fn detect(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let window = &bytes[first..bytes.len().min(first + DETECTION_WINDOW)];
    detector.feed(window, true);
    detector.guess(None, Utf8Detection::Allow)
}

/// Recognises UTF-16 without a byte order mark: every other byte of the ASCII mark-up is zero.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let prefix = &bytes[..bytes.len().min(512) & !1];
    if prefix.len() < 8 {
        return None;
    }
    let zeros =
        |parity: usize| prefix.iter().skip(parity).step_by(2).filter(|&&byte| byte == 0).count();
    let half = prefix.len() / 2;
    match (zeros(0), zeros(1)) {
        (first, second) if second * 10 >= half * 7 && first * 10 <= half => Some(UTF_16LE),
        (first, second) if first * 10 >= half * 7 && second * 10 <= half => Some(UTF_16BE),
        _ => None,
    }
}

/// The charset declared by a `meta` tag near the start of the page.
fn meta_charset(bytes: &[u8]) -> Option<&'static Encoding> {
    let prefix = bytes[..bytes.len().min(META_PREFIX)].to_ascii_lowercase();
    memchr::memmem::find_iter(&prefix, b"<meta").find_map(|start| {
        let tag = &prefix[start..];
        let tag = &tag[..memchr::memchr(b'>', tag).unwrap_or(tag.len())];
        let value = &tag[memchr::memmem::find(tag, b"charset")? + b"charset".len()..];
        let value = value.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
        let value = value.strip_prefix(b"\"").or(value.strip_prefix(b"'")).unwrap_or(value);
        let end = value.iter().position(|b| b"\"' ;/\t\r\n".contains(b)).unwrap_or(value.len());
        match Encoding::for_label(&value[..end])? {
            // The label is readable as ASCII, so it cannot be UTF-16.
            encoding if encoding == UTF_16LE || encoding == UTF_16BE => Some(UTF_8),
            encoding => Some(encoding),
        }
    })
}

fn has_binary_magic(bytes: &[u8]) -> bool {
    const MAGIC: [&[u8]; 8] = [
        b"%PDF-",
        b"\x89PNG",
        b"\xff\xd8\xff",
        b"GIF8",
        b"PK\x03\x04",
        b"\x1f\x8b",
        b"\x7fELF",
        b"RIFF",
    ];
    MAGIC.iter().any(|magic| bytes.starts_with(magic))
}

/// Whether more than a tenth of the characters are control characters, which no page has in any
/// charset. A few NUL bytes are no reason.
fn looks_binary(decoded: &Decoded) -> bool {
    let prefix = &decoded.text[..decoded.text.floor_char_boundary(BINARY_PREFIX)];
    let is_control = |byte: u8| byte < b' ' && !(9..=13).contains(&byte);
    if !decoded.damaged && !prefix.bytes().fold(false, |found, byte| found | is_control(byte)) {
        return false;
    }
    let control = prefix.bytes().filter(|&byte| is_control(byte)).count();
    let replaced =
        if decoded.damaged { prefix.matches(char::REPLACEMENT_CHARACTER).count() } else { 0 };
    (control + replaced) * 10 > prefix.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], header: Option<&str>, expected: &str) {
        let decoded = decode(bytes, header).expect("text");
        assert_eq!(decoded.text, expected);
    }

    #[test]
    fn sources_of_the_charset_have_an_order() {
        check(b"\xef\xbb\xbfcaf\xc3\xa9", Some("windows-1252"), "café");
        check(b"\xff\xfeh\0i\0", None, "hi");
        check("<p>caf\u{e9}".as_bytes(), Some("iso-8859-1"), "<p>café");
        check(b"caf\xe9", Some("iso-8859-1"), "café");
        check(b"<meta charset=koi8-r>\xf0", Some("iso-8859-1"), "<meta charset=koi8-r>ð");
        check(b"<meta charset=koi8-r>\xf0", None, "<meta charset=koi8-r>П");
        let pragma =
            b"<META http-equiv='Content-Type' content='text/html; CHARSET=windows-1251'>\xcf";
        check(
            pragma,
            None,
            "<META http-equiv='Content-Type' content='text/html; CHARSET=windows-1251'>П",
        );
        check(
            b"<p>Les \xe9l\xe8ves sont all\xe9s \xe0 l'\xe9cole",
            None,
            "<p>Les élèves sont allés à l'école",
        );
    }

    #[test]
    fn a_wrong_label_does_not_garble_the_page() {
        check(
            "<meta charset=iso-8859-1>naïve".as_bytes(),
            Some("utf-8"),
            "<meta charset=iso-8859-1>naïve",
        );
        check(
            b"<meta charset=utf-8>Stra\xdfe, Gr\xfc\xdfe",
            None,
            "<meta charset=utf-8>Straße, Grüße",
        );
        check(b"<meta charset=utf-16>caf\xe9 cr\xe8me", None, "<meta charset=utf-16>café crème");
        check(b"no such label \xe9t\xe9", Some("x-nonsense"), "no such label été");
    }

    #[test]
    fn utf16_is_recognised_without_a_mark() {
        let html = "<html><body><p>Grüße</p></body></html>";
        let little: Vec<u8> = html.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = html.encode_utf16().flat_map(u16::to_be_bytes).collect();
        check(&little, None, html);
        check(&big, None, html);
    }

    #[test]
    fn iso_2022_jp_is_valid_utf8_and_still_decoded_when_declared() {
        check(b"<meta charset=iso-2022-jp>\x1b$B$3\x1b(B", None, "<meta charset=iso-2022-jp>こ");
    }

    #[test]
    fn binary_files_are_rejected_but_not_pages_with_a_few_nul_bytes() {
        assert!(decode(b"%PDF-1.4 blah", None).is_none());
        assert!(decode(&[0u8; 100], None).is_none());
        assert!(decode(&[0, 159, 146, 150, 1, 2, 3, 4, 5, 6, 7, 8], None).is_none());
        check(b"<p>a\0b and a good deal of text", None, "<p>a\0b and a good deal of text");
        check(b"", None, "");
    }
}
