//! Reads a page over a limit without a tree, in one pass over its bytes.
//!
//! The result is `html > (head > title), body > div*`, with a `div` for each run of text between
//! two block-level tags. That is enough for chunk frequency and for output; no visible text is
//! lost.

use std::borrow::Cow;

use crate::arena::{Arena, Writer};
use crate::limits::Limits;
use crate::tag::{Flow, Tag};

pub(crate) fn parse(html: &str, limits: &Limits) -> Arena {
    let mut flat = Flat {
        writer: Writer::new(64, html.len()),
        in_block: false,
        blocks: 0,
        max_blocks: limits.nodes / 2,
    };
    flat.writer.open(Tag::HTML, false);
    let (before_title, title, after_title) = split_at_title(html);
    flat.title(title);
    flat.writer.open(Tag::BODY, false);
    for mut rest in [before_title, after_title] {
        while !rest.is_empty() {
            rest = flat.step(rest);
        }
    }
    flat.writer.finish()
}

/// The parts of the page before, in and after its title, if it has one near the start.
fn split_at_title(html: &str) -> (&str, &str, &str) {
    const NEAR: usize = 64 << 10;
    let near = html[..html.floor_char_boundary(NEAR)].to_ascii_lowercase();
    let Some(start) = near.find("<title") else { return (html, "", "") };
    let inside = after_tag(&html[start..]);
    let after = after_element(inside, "title");
    let end = inside.len() - after.len();
    let text = &inside[..end];
    (&html[..start], text.rfind("</").map_or(text, |tag| &text[..tag]), after)
}

struct Flat {
    writer: Writer,
    in_block: bool,
    blocks: usize,
    /// Text beyond this number of blocks goes into the last one.
    max_blocks: usize,
}

impl Flat {
    fn title(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.writer.open(Tag::HEAD, false);
            self.writer.open(Tag::TITLE, false);
            self.writer.text(&unescape(text));
            self.writer.close();
            self.writer.close();
        }
    }

    /// Reads one text, tag, comment or raw text element; returns the rest.
    fn step<'a>(&mut self, html: &'a str) -> &'a str {
        let Some(at) = tag_start(html) else {
            self.text(html);
            return "";
        };
        self.text(&html[..at]);
        let rest = &html[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            return after(comment, "-->");
        }
        let name_end = rest[1..]
            .find(|c: char| c.is_whitespace() || c == '>' || c == '/' && !rest.starts_with("</"));
        let name = rest[1..].get(..name_end.unwrap_or(rest.len() - 1)).unwrap_or("");
        let name = name.trim_start_matches('/').trim_end_matches('>').to_ascii_lowercase();
        let tag = Tag::known(&name);
        let rest = after_tag(rest);
        self.border(tag);
        match tag {
            Some(tag) if tag.is_never_shown() && tag != Tag::TEMPLATE => after_element(rest, &name),
            Some(Tag::IFRAME) => after_element(rest, &name),
            _ => rest,
        }
    }

    fn text(&mut self, raw: &str) {
        if raw.is_empty() {
            return;
        }
        if !self.in_block && !raw.trim().is_empty() {
            self.writer.open(Tag::DIV, false);
            self.in_block = true;
            self.blocks += 1;
        }
        self.writer.text(&unescape(raw));
    }

    fn border(&mut self, tag: Option<Tag>) {
        match tag.map_or(Flow::Block, Tag::flow) {
            Flow::Inline => {}
            Flow::Block if self.in_block && self.blocks < self.max_blocks => {
                self.writer.close();
                self.in_block = false;
            }
            _ => self.writer.text(" "),
        }
    }
}

/// Where the next tag, comment or declaration starts.
fn tag_start(html: &str) -> Option<usize> {
    memchr::memchr_iter(b'<', html.as_bytes()).find(|&at| {
        html.as_bytes()
            .get(at + 1)
            .is_some_and(|&c| c.is_ascii_alphabetic() || matches!(c, b'/' | b'!' | b'?'))
    })
}

fn after<'a>(html: &'a str, end: &str) -> &'a str {
    memchr::memmem::find(html.as_bytes(), end.as_bytes()).map_or("", |at| &html[at + end.len()..])
}

/// What follows the tag that `html` starts with. A `>` inside quotes does not end it.
fn after_tag(html: &str) -> &str {
    let mut quote = None;
    let mut previous = b' ';
    for (at, &byte) in html.as_bytes().iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') if previous == b'=' => quote = Some(byte),
            (None, b'>') => return &html[at + 1..],
            (None, _) => {}
        }
        if !byte.is_ascii_whitespace() {
            previous = byte;
        }
    }
    ""
}

/// What follows the end tag of the raw text element `name`.
fn after_element<'a>(html: &'a str, name: &str) -> &'a str {
    let bytes = html.as_bytes();
    memchr::memmem::find_iter(bytes, b"</")
        .find(|&at| {
            bytes[at + 2..]
                .get(..name.len())
                .is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()))
        })
        .map_or("", |at| after_tag(&html[at..]))
}

/// Decodes numeric references and those for the characters that mark-up must escape. Other named
/// references stay as they are.
fn unescape(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.as_bytes().iter().take(12).position(|&b| b == b';');
        match end.and_then(|end| Some((character(&rest[1..end])?, end))) {
            Some((c, end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|&c| c != '\0')
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Gap, Limits, Page};

    fn check(html: &str, title: Option<&str>, text: &str) {
        let page = Page::parse(html.as_bytes(), &Limits::default().with_depth(0));
        assert_eq!(page.title(), title, "{html}");
        assert_eq!(lines(&page), text, "{html}");
    }

    /// The visible text, with a line break at the border of each block.
    fn lines(page: &Page) -> String {
        let mut out = String::new();
        for id in page.visible_texts() {
            match page.gap(id) {
                _ if out.is_empty() => {}
                Gap::None => {}
                Gap::Space => out.push(' '),
                Gap::Line => out.push('\n'),
            }
            out.push_str(page.text(id));
        }
        out
    }

    #[test]
    fn text_between_block_tags() {
        check(
            "<title>T &amp; U</title><p>a <b>b</b>c<p title='x>y'>d</p><!-- e -->f",
            Some("T & U"),
            "a bc\nd\nf",
        );
        check("<script>if (a < b) { '</p>' }</script><style>p{}</style>x", None, "x");
        check("1 < 2 &#65;&#x42;&nosuch;<br>y<title>late", Some("late"), "1 < 2 AB&nosuch;\ny");
        check("<TITLE>one</TITLE><title>two</title>", Some("one"), "two");
        check("<p", None, "");
    }
}
