//! Character references and line ends, as the standard's tokenizer reads them.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// Where a character reference stands; in attributes `&copy=1` is no reference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Text,
    Attribute,
    /// Raw text and CDATA: `&` is an ampersand.
    Literal,
}

/// Appends `raw` with its character references replaced and its line ends as `\n`.
pub(super) fn push_decoded(out: &mut String, raw: &str, place: Place) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr2(b'&', b'\r', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let special = &rest[at..];
        if special.as_bytes()[0] == b'\r' {
            out.push('\n');
            rest = special.strip_prefix("\r\n").unwrap_or(&special[1..]);
        } else if place == Place::Literal {
            out.push('&');
            rest = &special[1..];
        } else {
            rest = push_reference(out, special, place);
        }
    }
    out.push_str(rest);
}

/// Reads the reference that `text` begins with, if it is one; returns what follows it.
fn push_reference<'a>(out: &mut String, text: &'a str, place: Place) -> &'a str {
    for (name, character) in
        [("&amp;", '&'), ("&nbsp;", '\u{a0}'), ("&quot;", '"'), ("&lt;", '<'), ("&gt;", '>')]
    {
        if let Some(rest) = text.strip_prefix(name) {
            out.push(character);
            return rest;
        }
    }
    let length = match text.as_bytes().get(1) {
        Some(b'#') => push_numeric(out, text),
        Some(byte) if byte.is_ascii_alphanumeric() => push_named(out, text, place),
        _ => None,
    };
    match length {
        Some(length) => &text[length..],
        None => {
            out.push('&');
            &text[1..]
        }
    }
}

/// Length of the numeric reference that `text` begins with.
fn push_numeric(out: &mut String, text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (base, digits) = if matches!(bytes.get(2), Some(b'x' | b'X')) { (16, 3) } else { (10, 2) };
    let mut at = digits;
    let mut number = 0u32;
    while let Some(digit) = bytes.get(at).and_then(|&byte| char::from(byte).to_digit(base)) {
        number = number.saturating_mul(base).saturating_add(digit).min(0x11_0000);
        at += 1;
    }
    if at == digits {
        return None;
    }
    out.push(numbered(number));
    Some(at + usize::from(bytes.get(at) == Some(&b';')))
}

fn numbered(number: u32) -> char {
    let replaced = match number {
        0 => None,
        0x80..=0x9f => C1_REPLACEMENTS[(number - 0x80) as usize].or(char::from_u32(number)),
        _ => char::from_u32(number),
    };
    replaced.unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Length of the longest named reference that `text` begins with.
fn push_named(out: &mut String, text: &str, place: Place) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut found = None;
    let mut end = 2;
    while let Some(&characters) = text.get(1..end).and_then(|name| NAMED_ENTITIES.get(name)) {
        if characters.0 != 0 {
            found = Some((end, characters));
        }
        end += 1;
    }
    let (end, (first, second)) = found?;
    let next = bytes.get(end);
    if place == Place::Attribute
        && bytes[end - 1] != b';'
        && next.is_some_and(|&byte| byte == b'=' || byte.is_ascii_alphanumeric())
    {
        return None;
    }
    out.extend(char::from_u32(first));
    if second != 0 {
        out.extend(char::from_u32(second));
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, place: Place, expected: &str) {
        let mut out = String::new();
        push_decoded(&mut out, raw, place);
        assert_eq!(out, expected, "{raw}");
    }

    #[test]
    fn references_of_the_standard() {
        for (raw, text) in [
            ("a &amp; b &lt;&gt;&quot;&nbsp;", "a & b <>\"\u{a0}"),
            ("&notit; &notin; &not", "¬it; ∉ ¬"),
            (
                "&#65;&#x42&#0;&#x80;&#xd800;&#99999999999;&#x110000;",
                "AB\u{fffd}€\u{fffd}\u{fffd}\u{fffd}",
            ),
            ("&#; &#x; & && &;&x;", "&#; &#x; & && &;&x;"),
            ("a\r\nb\rc\n", "a\nb\nc\n"),
            ("&NotEqualTilde;", "≂̸"),
            ("&é;", "&é;"),
        ] {
            check(raw, Place::Text, text);
        }
        check("?a=1&copy=2&lt;&ampx&amp", Place::Attribute, "?a=1&copy=2<&ampx&");
        check("a &amp;\r\n", Place::Literal, "a &amp;\n");
    }
}
