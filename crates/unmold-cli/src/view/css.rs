//! Style sheets of pages that lead nowhere: what they would fetch is mapped to files of the input,
//! or dropped.
//!
//! This keeps the browser from even asking. It is not what holds the line, the content security
//! policy is: CSS can be written in ways that no simple scanner sees through.

use memchr::memmem;

/// Rewrites the addresses in a style sheet: `map` says what becomes of each, `None` drops it.
/// Imports are addresses too. The result can stand in a `style` element or attribute.
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
    // The one thing that could end a style element.
    out.replace("</", "<\\/")
}

/// Where the next `url(` or `@import` begins.
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

/// Writes a `url(…)` anew; returns how much was read.
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

/// The place after the bracket that ends `url(…)`: one inside quotes does not.
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

/// Keeps an `@import` if its address is one of ours; returns how much was read.
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

/// The contents of the `style` elements of a page, which the tree does not keep. Those for print
/// are left out.
///
/// A plain scan over the bytes: what stands in comments and scripts is passed over, and a page in
/// UTF-16 gives none.
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
    fn style_elements_are_found_where_a_browser_finds_them() {
        let html =
            b"<STYLE type=text/css>a{}</Style><!-- <style>no</style> --><script>'<style>no</style>'</script>\
            <style media=print>no</style><textarea><style>no</style></textarea><style>b{}";
        assert_eq!(style_elements(html), ["a{}", "b{}"]);
        for end in 0..html.len() {
            style_elements(&html[..end]);
        }
    }
}
