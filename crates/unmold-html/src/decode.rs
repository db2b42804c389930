//! Finds the charset of a page and decodes its bytes.
//!
//! In this order: byte order mark; UTF-16 and UTF-32 by their zeros; valid UTF-8 (nearly every page
//! ends here, and text that is valid UTF-8 by accident is rarer than a wrong label); the HTTP
//! header; the page's own `meta`; detection from the bytes, which prefers UTF-8 if only a few of
//! them are invalid.

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

/// Number of bytes in which NUL bytes are looked for to recognise UTF-16 and UTF-32.
const WIDE_PREFIX: usize = 512;

/// A page without the NUL bytes with which some archives and file systems pad it.
///
/// A file of nothing but NUL bytes is left alone: it is damaged, not empty. So are UTF-16 and
/// UTF-32, which have NUL bytes throughout: their padding is removed after decoding.
pub(crate) fn without_padding(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let start = &bytes[..length.min(WIDE_PREFIX)];
    let is_wide = start.starts_with(b"\xFF\xFE")
        || start.starts_with(b"\xFE\xFF")
        || memchr::memchr(0, start).is_some();
    if length == 0 || is_wide { bytes } else { &bytes[..length] }
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
    // The mark of UTF-32 in little endian begins with that of UTF-16.
    if let Some(read) = utf32_reader(bytes) {
        return decode_utf32(bytes, read);
    }
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return unpadded(decode_as(encoding, &bytes[length..]));
    }
    if let Some(encoding) = utf16_without_mark(bytes) {
        return unpadded(decode_as(encoding, bytes));
    }
    let declared = || {
        header
            .and_then(|label| Encoding::for_label(label.as_bytes()))
            .or_else(|| meta_charset(bytes))
    };
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        // ISO-2022-JP is the one charset in use whose pages are all valid UTF-8.
        if memchr::memchr(0x1b, bytes).is_some()
            && let Some(decoded) = decode_iso_2022_jp(bytes, declared())
        {
            return decoded;
        }
        return Decoded { text: Cow::Borrowed(text), damaged: false };
    }
    match declared() {
        // Declared UTF-8 with a few invalid bytes is still UTF-8; with many, the label is wrong.
        Some(encoding) if encoding == UTF_8 && !is_mostly_utf8(bytes) => {
            decode_as(detect(bytes), bytes)
        }
        Some(encoding) => decode_as(encoding, bytes),
        None if is_mostly_utf8(bytes) => decode_as(UTF_8, bytes),
        None => decode_as(detect(bytes), bytes),
    }
}

/// Decodes ISO-2022-JP if it is declared, or if nothing is and all its escapes make sense.
fn decode_iso_2022_jp<'a>(
    bytes: &'a [u8],
    declared: Option<&'static Encoding>,
) -> Option<Decoded<'a>> {
    let switches_to_kanji = |escape| memchr::memmem::find(bytes, escape).is_some();
    match declared {
        Some(encoding) => (encoding == ISO_2022_JP).then(|| decode_as(encoding, bytes)),
        None if switches_to_kanji(b"\x1b$B") || switches_to_kanji(b"\x1b$@") => {
            // The last character may be cut.
            let makes_sense = |decoded: &Decoded| {
                let text = decoded.text.trim_end_matches(char::REPLACEMENT_CHARACTER);
                !text.contains(char::REPLACEMENT_CHARACTER)
            };
            Some(decode_as(ISO_2022_JP, bytes)).filter(makes_sense)
        }
        None => None,
    }
}

/// Removes the NUL characters with which a page is padded.
fn unpadded(decoded: Decoded) -> Decoded {
    let length = decoded.text.trim_end_matches('\0').len();
    if length == 0 || length == decoded.text.len() {
        return decoded;
    }
    let text = match decoded.text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..length]),
        Cow::Owned(mut text) => {
            text.truncate(length);
            Cow::Owned(text)
        }
    };
    Decoded { text, ..decoded }
}

/// Reads the four bytes of a character in UTF-32.
type ReadUtf32 = fn([u8; 4]) -> u32;

/// Recognises UTF-32 by its byte order mark, or by the zeros of ASCII mark-up.
fn utf32_reader(bytes: &[u8]) -> Option<ReadUtf32> {
    let prefix = &bytes[..bytes.len().min(WIDE_PREFIX) & !3];
    let characters = prefix.len() / 4;
    let are = |read: ReadUtf32| {
        let (quads, _) = prefix.as_chunks::<4>();
        let ascii = quads.iter().filter(|&&quad| matches!(read(quad), 1..=0x7f)).count();
        let marked = quads.first().is_some_and(|&quad| read(quad) == 0xfeff);
        marked || characters >= 8 && ascii * 10 >= characters * 7
    };
    [u32::from_le_bytes as ReadUtf32, u32::from_be_bytes].into_iter().find(|&read| are(read))
}

fn decode_utf32(bytes: &[u8], read: ReadUtf32) -> Decoded<'_> {
    let (quads, rest) = bytes.as_chunks::<4>();
    let mut damaged = rest.iter().any(|&byte| byte != 0);
    let characters = quads.iter().map(|&quad| {
        char::from_u32(read(quad)).unwrap_or_else(|| {
            damaged = true;
            char::REPLACEMENT_CHARACTER
        })
    });
    let text: String = characters.filter(|&c| c != '\u{feff}').collect();
    unpadded(Decoded { text: Cow::Owned(text), damaged })
}

fn decode_as<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let (text, damaged) = encoding.decode_without_bom_handling(bytes);
    Decoded { text, damaged }
}

fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad, mut sure) = (0usize, 0usize, false);
    let end = bytes.len() - incomplete_end(bytes);
    for chunk in bytes[..end].utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        sure |= good == 1 && has_sure_character(chunk.valid());
        bad += usize::from(!chunk.invalid().is_empty());
    }
    // Two whole characters are no accident: one bad byte does not outweigh them on a short page.
    good >= bad * 4 && good > 0 || bad == 1 && (good >= 2 || sure)
}

/// Whether the first character beyond ASCII is no accident even if it is the only one: a Latin
/// letter in a word of small letters, or punctuation.
///
/// `ü` in `für` is `Ã¼` in windows-1252, where no capital stands inside such a word. But capitals
/// before a quotation mark (`«CAFÉ»`), and most pairs of KOI8-R, Shift_JIS and GBK, are other
/// characters of UTF-8. A character beside the bad byte is likely to be one word with it.
fn has_sure_character(valid: &str) -> bool {
    let Some((at, c)) = valid.char_indices().find(|(_, c)| !c.is_ascii()) else { return false };
    let before = valid[..at].chars().next_back();
    let after = valid[at + c.len_utf8()..].chars().next();
    let (Some(before), Some(after)) = (before, after) else { return false };
    match c {
        '\u{c0}'..='\u{17f}' => before.is_ascii_lowercase() || after.is_ascii_lowercase(),
        '\u{2010}'..='\u{203a}' | '€' => true,
        _ => false,
    }
}

/// Length of the character that the end of the page cuts in two. It says nothing about the charset.
fn incomplete_end(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    let last = tail.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    match std::str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => last.len(),
        _ => 0,
    }
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
    // The last character of UTF-16 in little endian ends with a zero that is no padding.
    let text = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 2);
    let prefix = &bytes[..text.min(bytes.len()).min(WIDE_PREFIX) & !1];
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

/// So few control characters are accidents, however short the page is.
const MAX_BAD: usize = 4;

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
    let bad = control + replaced;
    bad > MAX_BAD && bad * 10 > prefix.chars().count()
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
    fn iso_2022_jp_is_recognised_by_its_escapes() {
        check(b"<p>\x1b$B$3$s$K$A$O\x1b(B</p>", None, "<p>こんにちは</p>");
        check(b"<p>\x1b$B$3$s$K$A$", None, "<p>こんにち\u{fffd}");
        // Colours of a terminal, and an escape that leads nowhere.
        check(b"<pre>\x1b[31mred\x1b[0m</pre>", None, "<pre>\x1b[31mred\x1b[0m</pre>");
        check(b"<p>\x1b$B cut \xc3\xa9", None, "<p>\x1b$B cut é");
        check(b"<p>\x1b$B$3\x1b(B", Some("utf-8"), "<p>\x1b$B$3\x1b(B");
    }

    #[test]
    fn utf32_is_recognised_with_and_without_a_mark() {
        let html = "<html><body><p>Grüße 𝄞</p></body></html>";
        let little: Vec<u8> = html.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        let big: Vec<u8> = html.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
        for (mark, bytes) in [(b"\xff\xfe\0\0", little), (b"\0\0\xfe\xff", big)] {
            check(&bytes, None, html);
            check(&[mark, bytes.as_slice()].concat(), None, html);
            check(&[bytes.as_slice(), &[0; 40]].concat(), None, html);
        }
    }

    #[test]
    fn an_invalid_byte_does_not_garble_a_page_without_a_label() {
        let html = "<p>Größe, Maß, Füße, Öl und Übermut";
        for at in [3, 10, html.len()] {
            let mut bytes = html.as_bytes().to_vec();
            bytes.insert(at, 0xff);
            let decoded = decode(&bytes, None).expect("text");
            assert_eq!(decoded.text.replace('\u{fffd}', ""), html);
            assert!(decoded.damaged, "flagged");
        }
        // Cut inside a character.
        let cut = "<p>Größe".as_bytes();
        let cut = &cut[..cut.len() - 2];
        assert_eq!(decode(cut, None).expect("text").text, "<p>Grö\u{fffd}");
        check("<p>Grüße\u{0}".as_bytes(), None, "<p>Grüße\u{0}");
        check(b"<p>Gr\xc3\xbc\xc3\x9fe\xff", None, "<p>Grüße\u{fffd}");
        check(b"<p>caf\xe9", None, "<p>café");
    }

    /// UTF-8 with one bad byte, and short pages in other charsets that have a pair of bytes which
    /// is a character of UTF-8, too.
    #[test]
    fn one_bad_byte_and_one_good_character() {
        for (bytes, expected) in [
            (b"<p>Gr\xc3\xbcn\xff".as_slice(), "<p>Grün\u{fffd}"),
            (b"\xff<p>f\xc3\xbcr</p>", "\u{fffd}<p>für</p>"),
            (b"<p>caf\xc3\xa9</p> \x80 <p>", "<p>café</p> \u{fffd} <p>"),
            (b"<p>It\xe2\x80\x99s \xfe<p>", "<p>It’s \u{fffd}<p>"),
            (b"<p>10 \xe2\x82\xac \xff", "<p>10 € \u{fffd}"),
            (b"<p>\xc3\x9cber \xa0alles", "<p>Über \u{fffd}alles"),
            (b"<meta charset=utf-8>Gr\xc3\xbcn\xff", "<meta charset=utf-8>Grün\u{fffd}"),
            // windows-1252
            (b"<p>\xabCAF\xc9\xbb</p>", "<p>«CAFÉ»</p>"),
            (b"<p>\x93\xc9\x94</p>", "<p>“É”</p>"),
            (b"<p>d\xe9j\xe0\xa0\xbb</p>", "<p>déjà\u{a0}»</p>"),
            (b"<p>f\xfcr</p>", "<p>für</p>"),
        ] {
            check(bytes, None, expected);
        }
    }

    /// How words in other charsets look as UTF-8: each has one whole character and one bad byte.
    #[test]
    fn short_pages_in_other_charsets_are_not_taken_for_damaged_utf8() {
        for (bytes, charset) in [
            (b"<p>\xabIRM\xc3\xbb</p>".as_slice(), "windows-1252"),
            (b"<p>\xf7\xd3\xa3</p>", "KOI8-R"),
            (b"<p>\xc5\xdd\xa3</p>", "KOI8-R"),
            (b"<p>\xde\xa3\xcd</p>", "KOI8-R"),
            (b"<p>\xbb\xee\xb6\xaf</p>", "GBK"),
            (b"<p>\xc3\xbb\xd3\xd0</p>", "GBK"),
            (b"<p>\xc3\xbf\xcc\xec</p>", "GBK"),
            (b"a\xc3\xbd\xc4b", "Shift_JIS"),
            (b"<p>\xc3\xbd\xc4</p>", "Shift_JIS"),
        ] {
            assert!(!is_mostly_utf8(bytes), "{charset}: {}", bytes.escape_ascii());
        }
        check(
            b"<p>\xb9\xd8\xd3\xda\xce\xd2\xc3\xc7 \xc3\xbb\xd3\xd0</p>",
            None,
            "<p>关于我们 没有</p>",
        );
        check(
            b"<p>\xee\xcf\xd7\xcf\xd3\xd4\xc9 \xc9 \xd7\xd3\xa3</p>",
            None,
            "<p>Новости и всё</p>",
        );
        check(b"<p>\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd</p>", None, "<p>こんにちは</p>");
    }

    #[test]
    fn padding_is_not_part_of_a_page() {
        for (bytes, expected) in [
            (b"<p>x".as_slice(), b"<p>x".as_slice()),
            (b"<p>x\0\0\0\0", b"<p>x"),
            (b"", b""),
            (b"\0\0\0", b"\0\0\0"),
            (b"<\0p\0>\0x\0", b"<\0p\0>\0x\0"),
            (b"\xFF\xFEa\x04\x2E\x04\n\0", b"\xFF\xFEa\x04\x2E\x04\n\0"),
            (b"<p>a\0b\0\0", b"<p>a\0b\0\0"),
        ] {
            assert_eq!(without_padding(bytes), expected, "{}", bytes.escape_ascii());
        }
        let html = "<html><body><p>Grüße</p></body></html>";
        let mut padded: Vec<u8> = html.encode_utf16().flat_map(u16::to_le_bytes).collect();
        padded.resize(5000, 0);
        check(&padded, None, html);
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
