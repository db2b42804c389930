//! Rewrites style sheets so that they load only files of the input.
//!
//! This avoids requests that would fail anyway. The content security policy is what enforces it: a
//! simple scanner cannot see through every way to write CSS.

use memchr::memmem;

/// Rewrites the addresses in a style sheet, including imports. `map` returns the new address, or
/// `None` to drop it. The result is safe in a `style` element or attribute.
pub fn clean(css: &str, map: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = next_address(rest) {
        let (before, address) = rest.split_at(at);
        out.push_str(before);
        let taken = match address.as_bytes()[0] {
            b'@' => import(address, map, &mut out),
            _ => url(address, map, &mut out),
        };
        rest = &address[taken..];
    }
    out.push_str(rest);
    // Nothing else could end a style element.
    out.replace("</", "<\\/")
}

/// Returns the position of the next `url(` or `@import`.
fn next_address(css: &str) -> Option<usize> {
    css.char_indices()
        .map(|(at, _)| at)
        .find(|&at| begins(&css[at..], "url(") || begins(&css[at..], "@import"))
}

fn begins(text: &str, with: &str) -> bool {
    text.len() >= with.len()
        && text.is_char_boundary(with.len())
        && text[..with.len()].eq_ignore_ascii_case(with)
}

/// Rewrites a `url(…)`; returns the number of bytes read.
fn url(text: &str, map: &dyn Fn(&str) -> Option<String>, out: &mut String) -> usize {
    let Some(end) = end_of_url(text) else { return text.len() };
    let address = text["url(".len()..end - 1].trim().trim_matches(['"', '\'']);
    match map(address) {
        Some(mapped) => {
            out.push_str("url(\"");
            out.push_str(&mapped.replace(['"', '\\', '\n', '\r'], ""));
            out.push_str("\")");
        }
        None => out.push_str("none"),
    }
    end
}

/// Returns the position after the closing bracket of `url(…)`, ignoring brackets in quotes.
fn end_of_url(text: &str) -> Option<usize> {
    let inner = text["url(".len()..].trim_start();
    let start = text.len() - inner.len();
    match inner.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let closed = start + 1 + inner[1..].find(quote)?;
            Some(closed + 1 + text[closed + 1..].find(')')? + 1)
        }
        _ => Some(start + inner.find(')')? + 1),
    }
}

/// Keeps an `@import` if `map` accepts its address; returns the number of bytes read.
fn import(text: &str, map: &dyn Fn(&str) -> Option<String>, out: &mut String) -> usize {
    let end = text.find(';').map_or(text.len(), |at| at + 1);
    let quoted = text[..end].split(['"', '\'']).nth(1);
    let bare = || {
        text[..end].split_once("url(").and_then(|(_, rest)| rest.split(')').next()).map(str::trim)
    };
    if let Some(mapped) = quoted.or_else(bare).and_then(map) {
        out.push_str(&format!("@import \"{}\";", mapped.replace(['"', '\\', '\n'], "")));
    }
    end
}

/// Returns the contents of a page's `style` elements, except those for print. The parsed tree does
/// not contain them.
///
/// Scans the bytes and skips comments and scripts. Finds nothing in pages encoded as UTF-16.
pub fn style_elements(html: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let lower = html.to_ascii_lowercase();
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'<', &lower[at..]) {
        at += next;
        let here = &lower[at..];
        if here.starts_with(b"<!--") {
            at += memmem::find(here, b"-->").unwrap_or(here.len());
        } else if here.starts_with(b"<script")
            || here.starts_with(b"<textarea")
            || here.starts_with(b"<title")
        {
            let end: &[u8] = if here[1] == b's' {
                b"</script"
            } else if here[2] == b'e' {
                b"</textarea"
            } else {
                b"</title"
            };
            at += memmem::find(here, end).unwrap_or(here.len());
        } else if here.starts_with(b"<style") {
            let open = memchr::memchr(b'>', here).map_or(here.len(), |end| end + 1);
            let end = memmem::find(&here[open.min(here.len())..], b"</style")
                .map_or(here.len(), |end| open + end);
            if memmem::find(&here[..open], b"print").is_none() {
                found.push(String::from_utf8_lossy(&html[at + open..at + end]).into_owned());
            }
            at += end;
        }
        at = (at + 1).min(lower.len());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(css: &str, expected: &str) {
        let map = |address: &str| (!address.contains(':')).then(|| format!("files/0/{address}"));
        assert_eq!(clean(css, &map), expected, "{css}");
    }

    #[test]
    fn addresses_are_mapped_or_dropped() {
        check("a{b:url(x.png)}", "a{b:url(\"files/0/x.png\")}");
        check("a{b:URL( 'x y.png' ) c}", "a{b:url(\"files/0/x y.png\") c}");
        check("a{b:url(\"x).png\")}", "a{b:url(\"files/0/x).png\")}");
        check("a{b:url(http://e.example/x.png)}", "a{b:none}");
        check("@import 'x.css'; p{}", "@import \"files/0/x.css\"; p{}");
        check("@import url(http://e.example/x.css); p{}", " p{}");
        check("@IMPORT url(x.css) screen; p{}", "@import \"files/0/x.css\"; p{}");
        check("p{}</style><script>", "p{}<\\/style><script>");
        check("url(", "");
        check("url('", "");
        check("é url(ü.png)", "é url(\"files/0/ü.png\")");
    }

    #[test]
    fn style_elements_are_found_as_in_a_browser() {
        let html =
            b"<STYLE type=text/css>a{}</Style><!-- <style>no</style> --><script>'<style>no</style>'</script>\
            <style media=print>no</style><textarea><style>no</style></textarea><style>b{}";
        assert_eq!(style_elements(html), ["a{}", "b{}"]);
        for end in 0..html.len() {
            style_elements(&html[..end]);
        }
    }
}
