//! Decodes character references and line ends as the standard's tokenizer does.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// Where text occurs. It decides what is a character reference: in attributes, `&copy=1` is not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    Text,
    Attribute,
    /// Raw text: `&` is an ampersand.
    Raw,
}

/// Appends `raw` with its character references decoded and its line ends as `\n`.
pub(super) fn push_decoded(out: &mut String, raw: &str, context: Context) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr2(b'&', b'\r', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let special = &rest[at..];
        if special.as_bytes()[0] == b'\r' {
            out.push('\n');
            rest = special.strip_prefix("\r\n").unwrap_or(&special[1..]);
        } else if context == Context::Raw {
            out.push('&');
            rest = &special[1..];
        } else {
            rest = push_reference(out, special, context);
        }
    }
    out.push_str(rest);
}

/// Appends the reference that `text` starts with, or a plain ampersand, and returns the rest.
fn push_reference<'a>(out: &mut String, text: &'a str, context: Context) -> &'a str {
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
        Some(byte) if byte.is_ascii_alphanumeric() => push_named(out, text, context),
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

/// Appends the numeric reference that `text` starts with and returns its length.
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
    out.push(character(number));
    Some(at + usize::from(bytes.get(at) == Some(&b';')))
}

fn character(number: u32) -> char {
    let replaced = match number {
        0 => None,
        0x80..=0x9f => C1_REPLACEMENTS[(number - 0x80) as usize].or(char::from_u32(number)),
        _ => char::from_u32(number),
    };
    replaced.unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Appends the longest named reference that `text` starts with and returns its length.
fn push_named(out: &mut String, text: &str, context: Context) -> Option<usize> {
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
    if context == Context::Attribute
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

    fn check(raw: &str, context: Context, expected: &str) {
        let mut out = String::new();
        push_decoded(&mut out, raw, context);
        assert_eq!(out, expected, "{raw}");
    }

    #[test]
    fn references_are_decoded_as_in_the_standard() {
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
            check(raw, Context::Text, text);
        }
        check("?a=1&copy=2&lt;&ampx&amp", Context::Attribute, "?a=1&copy=2<&ampx&");
        check("a &amp;\r\n", Context::Raw, "a &amp;\n");
    }
}
