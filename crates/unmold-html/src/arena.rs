//! Writes the arena of a [`Page`](crate::Page) from front to back and cleans text on the way.
//!
//! Each run of white space becomes one space, texts are trimmed and empty ones are dropped. White
//! space removed by trimming is kept as the [`Gap`] before the next text, so that output separates
//! the words that were separate, and only those.

use std::ops::Range;

use crate::hash::KeyedMap;

use crate::names::{ATTRIBUTE_TABLE, ATTRIBUTES, NameKey};
use crate::tag::{FIRST_UNKNOWN, Flow, Tag};

/// What separates a text from the text before it.
///
/// Not `non_exhaustive`: these are all cases, and code that writes text should handle each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Gap {
    /// Nothing: the two may be parts of one word.
    None,
    /// White space, or something like an image.
    Space,
    /// The border of a block, or a line break.
    Line,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) parent: u32,
    pub(crate) size: u32,
    pub(crate) depth: u32,
    pub(crate) tag: Tag,
    /// Text: range in the text pool. Element: range of attributes.
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) gap: Gap,
    /// SVG or MathML.
    pub(crate) foreign: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Attr {
    pub(crate) name: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A preformatted text with its original white space.
#[derive(Clone, Debug)]
pub(crate) struct Preformatted {
    pub(crate) node: u32,
    pub(crate) text: String,
}

/// The finished arrays of a page.
#[derive(Clone, Default, Debug)]
pub(crate) struct Arena {
    pub(crate) nodes: Vec<Node>,
    pub(crate) attrs: Vec<Attr>,
    /// Texts and attribute values.
    pub(crate) pool: String,
    /// Names of elements and attributes that are not in the global tables.
    pub(crate) names: Vec<Box<str>>,
    pub(crate) preformatted: Vec<Preformatted>,
}

impl Arena {
    #[inline]
    pub(crate) fn tag_name(&self, tag: Tag) -> &str {
        tag.known_name().unwrap_or_else(|| &self.names[(tag.0 - FIRST_UNKNOWN) as usize])
    }

    pub(crate) fn attribute_name(&self, number: u32) -> &str {
        let number = number as usize;
        ATTRIBUTES.get(number).copied().unwrap_or_else(|| &self.names[number - ATTRIBUTES.len()])
    }

    /// The name and the value of an attribute.
    #[inline]
    pub(crate) fn attribute(&self, attr: &Attr) -> (&str, &str) {
        (self.attribute_name(attr.name), &self.pool[attr.start as usize..attr.end as usize])
    }
}

/// Writes an [`Arena`] in document order.
pub(crate) struct Writer {
    pub(crate) arena: Arena,
    numbers: KeyedMap<Box<str>, u32>,
    open: Vec<u32>,
    gap: Gap,
    /// Number of open elements that keep white space.
    pre: usize,
    /// White space inside `pre` since the last text.
    pre_space: String,
}

impl Writer {
    pub(crate) fn new(expected_nodes: usize, expected_text: usize) -> Writer {
        let arena = Arena {
            nodes: Vec::with_capacity(expected_nodes),
            attrs: Vec::with_capacity(expected_nodes),
            pool: String::with_capacity(expected_text),
            ..Arena::default()
        };
        Writer {
            arena,
            numbers: KeyedMap::default(),
            open: Vec::new(),
            gap: Gap::Line,
            pre: 0,
            pre_space: String::new(),
        }
    }

    /// The number of a name; equal names have equal numbers.
    pub(crate) fn intern(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.arena.names.len() as u32;
        self.arena.names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    /// The number of an attribute's name, for [`Arena::attribute_name`].
    pub(crate) fn attribute_name(&mut self, name: &str) -> u32 {
        let known = NameKey::new(name.as_bytes()).and_then(|key| ATTRIBUTE_TABLE.get(key));
        known.unwrap_or_else(|| ATTRIBUTES.len() as u32 + self.intern(name))
    }

    pub(crate) fn tag(&mut self, name: &str) -> Tag {
        Tag::known(name).unwrap_or_else(|| Tag(FIRST_UNKNOWN + self.intern(name)))
    }

    /// Opens an element. Its attributes follow with [`Writer::attr`], then its children.
    pub(crate) fn open(&mut self, tag: Tag, foreign: bool) {
        self.interrupt(tag);
        if tag.keeps_white_space() {
            self.pre += 1;
        }
        let start = self.arena.attrs.len() as u32;
        let id = self.push(tag, start, start);
        self.arena.nodes[id as usize].foreign = foreign;
        self.open.push(id);
    }

    /// Opens an element whose attributes are already in the arena.
    pub(crate) fn open_with(&mut self, tag: Tag, foreign: bool, attrs: Range<u32>) {
        self.interrupt(tag);
        if tag.keeps_white_space() {
            self.pre += 1;
        }
        let id = self.push(tag, attrs.start, attrs.end);
        self.arena.nodes[id as usize].foreign = foreign;
        self.open.push(id);
    }

    /// Whether the white space of the next text is kept.
    pub(crate) fn is_preformatted(&self) -> bool {
        self.pre > 0
    }

    pub(crate) fn attr(&mut self, name: u32, value: &str) {
        let start = self.arena.pool.len() as u32;
        self.arena.pool.push_str(value);
        self.arena.attrs.push(Attr { name, start, end: self.arena.pool.len() as u32 });
        if let Some(&id) = self.open.last() {
            self.arena.nodes[id as usize].end = self.arena.attrs.len() as u32;
        }
    }

    pub(crate) fn close(&mut self) {
        let Some(id) = self.open.pop() else { return };
        let length = self.arena.nodes.len() as u32;
        let node = &mut self.arena.nodes[id as usize];
        node.size = length - id;
        let tag = node.tag;
        self.interrupt(tag);
        if tag.keeps_white_space() {
            self.pre -= 1;
            self.pre_space.clear();
        }
    }

    pub(crate) fn text(&mut self, raw: &str) {
        let body = trim_start(raw);
        if body.len() < raw.len() {
            self.gap = self.gap.max(Gap::Space);
        }
        if self.pre > 0 {
            self.pre_space.push_str(&raw[..raw.len() - body.len()]);
        }
        let body = trim_end(body);
        if body.is_empty() {
            return;
        }
        let id = match self.text_to_continue() {
            Some(id) => {
                if self.gap != Gap::None {
                    self.arena.pool.push(' ');
                }
                id
            }
            None => {
                let start = self.arena.pool.len() as u32;
                self.push(Tag::TEXT, start, start)
            }
        };
        push_collapsed(&mut self.arena.pool, body);
        self.arena.nodes[id as usize].end = self.arena.pool.len() as u32;
        let after = &raw[body.as_ptr() as usize - raw.as_ptr() as usize + body.len()..];
        if self.pre > 0 {
            self.preformatted(id, body, after);
        }
        self.gap = if after.is_empty() { Gap::None } else { Gap::Space };
    }

    /// The last node, if it is a text that the next text continues: both have the same parent.
    fn text_to_continue(&self) -> Option<u32> {
        let last = self.arena.nodes.last()?;
        let continues = last.tag == Tag::TEXT && Some(&last.parent) == self.open.last();
        continues.then_some(self.arena.nodes.len() as u32 - 1)
    }

    fn preformatted(&mut self, node: u32, body: &str, after: &str) {
        match self.arena.preformatted.last_mut() {
            Some(last) if last.node == node => last.text.push_str(&self.pre_space),
            _ => self.arena.preformatted.push(Preformatted { node, text: self.pre_space.clone() }),
        }
        if let Some(last) = self.arena.preformatted.last_mut() {
            last.text.push_str(body);
        }
        self.pre_space.clear();
        self.pre_space.push_str(after);
    }

    fn push(&mut self, tag: Tag, start: u32, end: u32) -> u32 {
        let id = self.arena.nodes.len() as u32;
        let parent = self.open.last().copied().unwrap_or(id);
        let depth = self.open.len() as u32;
        self.arena.nodes.push(Node {
            parent,
            size: 1,
            depth,
            tag,
            start,
            end,
            gap: self.gap,
            foreign: false,
        });
        id
    }

    /// Notes the border of an element, which separates the texts on its two sides.
    fn interrupt(&mut self, tag: Tag) {
        self.gap = self.gap.max(match tag.flow() {
            Flow::Inline => Gap::None,
            Flow::Atomic => Gap::Space,
            Flow::Block => Gap::Line,
        });
    }

    pub(crate) fn finish(mut self) -> Arena {
        while !self.open.is_empty() {
            self.close();
        }
        self.arena
    }
}

/// `str::trim_start` with a fast path for ASCII.
fn trim_start(text: &str) -> &str {
    let bytes = text.as_bytes();
    match bytes.iter().position(|&byte| !is_space(byte)) {
        None => "",
        Some(at) if bytes[at].is_ascii() => &text[at..],
        Some(at) => text[at..].trim_start(),
    }
}

/// `str::trim_end` with a fast path for ASCII.
fn trim_end(text: &str) -> &str {
    let bytes = text.as_bytes();
    match bytes.iter().rposition(|&byte| !is_space(byte)) {
        None => "",
        Some(at) if bytes[at].is_ascii() => &text[..=at],
        Some(at) => text[..=at].trim_end(),
    }
}

/// ASCII white space.
fn is_space(byte: u8) -> bool {
    byte == b' ' || byte.wrapping_sub(9) < 5
}

/// Appends the words of `text`, with one space between them. `text` must be trimmed.
fn push_collapsed(pool: &mut String, text: &str) {
    let (mut rest, mut from) = (text, 0);
    while let Some(at) = next_odd_space(rest.as_bytes(), from) {
        let spaces = &rest[at..];
        let next = spaces.trim_start();
        if next.len() == spaces.len() {
            // A character that shares its first byte with some white space.
            from = rest.ceil_char_boundary(at + 1);
            continue;
        }
        pool.push_str(rest[..at].trim_end());
        pool.push(' ');
        (rest, from) = (next, 0);
    }
    pool.push_str(rest);
}

/// The first byte at or after `from` that may start white space other than a single space.
fn next_odd_space(text: &[u8], from: usize) -> Option<usize> {
    let (head, next) = (text.get(from..text.len().checked_sub(1)?)?, &text[from + 1..]);
    // The compiler vectorises whole chunks without an early exit.
    let chunks = head.chunks_exact(16).zip(next.chunks_exact(16));
    let plain = 16 * chunks.take_while(|(head, next)| are_collapsed(head, next)).count();
    let pairs = head[plain..].iter().zip(&next[plain..]);
    let odd = pairs.into_iter().position(|(&byte, &next)| is_odd(byte, next));
    odd.map(|odd| from + plain + odd)
}

fn are_collapsed(bytes: &[u8], next: &[u8]) -> bool {
    let bad = bytes.iter().zip(next).fold(false, |bad, (&byte, &next)| bad | is_odd(byte, next));
    !bad
}

fn is_odd(byte: u8, next: u8) -> bool {
    may_be_odd_space(byte) | ((byte == b' ') & (next == b' '))
}

/// Whether a byte is white space other than a space, or the first byte of such in UTF-8.
fn may_be_odd_space(byte: u8) -> bool {
    (byte.wrapping_sub(9) < 5) | (byte == 0xc2) | (byte.wrapping_sub(0xe1) < 3)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn trimming_agrees_with_the_standard_library() {
        for text in [
            "",
            " ",
            " a ",
            "\u{a0} a\u{3000}",
            "\u{1f}a\u{1f}",
            " \u{a0}",
            "é\u{2003}\n",
            "\u{b}\u{c}x\u{85}",
        ] {
            assert_eq!((trim_start(text), trim_end(text)), (text.trim_start(), text.trim_end()));
        }
    }

    #[test]
    fn no_white_space_escapes_the_fast_path() {
        for c in
            (0..=0x10ffff).filter_map(char::from_u32).filter(|&c| c.is_whitespace() && c != ' ')
        {
            assert_eq!(next_odd_space(format!("a{c}b").as_bytes(), 0), Some(1), "{c:?}");
        }
    }

    proptest! {
        #[test]
        fn collapsing_agrees_with_the_standard_library(text in "[a-c \n\u{a0}\u{2003}âé。]{0,60}") {
            let words: Vec<&str> = text.split_whitespace().collect();
            let mut pool = String::new();
            push_collapsed(&mut pool, text.trim());
            prop_assert_eq!(pool, words.join(" "));
        }
    }

    #[test]
    fn runs_of_white_space_become_one_space() {
        for (text, expected) in [
            ("a b", "a b"),
            ("a  b", "a b"),
            ("a\nb", "a b"),
            ("a\u{a0} b", "a b"),
            ("a\u{b}b", "a b"),
            ("a \tb", "a b"),
            ("a\u{85}b\u{1680}c\u{2003}d\u{2028}e\u{202f}f\u{205f}g\u{3000}h", "a b c d e f g h"),
            ("é ñ ’ 中", "é ñ ’ 中"),
            (
                "a text that is longer than sixteen bytes  with two spaces",
                "a text that is longer than sixteen bytes with two spaces",
            ),
            ("exactly 16 bytes  and two spaces", "exactly 16 bytes and two spaces"),
        ] {
            let mut pool = String::new();
            push_collapsed(&mut pool, text);
            assert_eq!(pool, expected);
        }
    }
}
