//! What is judged: a block is the text between two borders of block-level elements, what stands on one line.

use std::ops::Range;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::page::{Flow, Gap, NodeId, Page, Tag, comparison_form, push_word_key};

/// One block of a page with what can be counted in it.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// From its first to its last text.
    pub nodes: Range<NodeId>,
    /// The innermost block-level element around it.
    pub holder: NodeId,
    /// Number of words. Scripts without spaces count two signs as a word.
    pub words: f32,
    /// Words inside links.
    pub link_words: f32,
    /// Letters and digits.
    pub letters: u32,
    pub digits: u32,
    pub capitals: u32,
    /// Commas and the like.
    pub commas: u32,
    /// Full stops and the like.
    pub stops: u32,
    /// Signs that part entries of a menu: `|`, `»`, `·`, `©`.
    pub ornaments: u32,
    /// Whether it ends like a sentence.
    pub ends_sentence: bool,
    /// Number of links that begin in it.
    pub links: u32,
    /// Hash of its words.
    pub key: u64,
    /// Hash of its words with every number the same.
    pub masked: u64,
    /// Hash of names, ids and classes from the body to its holder.
    pub path: u64,
    /// Hash of the names only.
    pub trail: u64,
    /// Hash of names and positions among siblings of the same name: where on the page it stands.
    pub slot: u64,
    /// Hash of the target of its first link; 0 without one.
    pub target: u64,
    /// Keys of its texts with the words of each, when there are several.
    pub texts: Vec<(NodeId, u64, f32)>,
}

/// A page cut into blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    pub list: Vec<Block>,
    /// Number of blocks that begin before each node; one more entry than there are nodes.
    pub before: Vec<u32>,
}

impl Blocks {
    /// The blocks inside the subtree of `id`.
    pub fn within(&self, page: &Page, id: NodeId) -> Range<usize> {
        let subtree = page.subtree(id);
        self.before[subtree.start as usize] as usize..self.before[subtree.end as usize] as usize
    }

    pub fn of(page: &Page) -> Blocks {
        let mut cutter = Cutter::new(page);
        for id in page.body() {
            cutter.enter(id);
        }
        cutter.cut();
        let list = cutter.list;
        let mut before = Vec::with_capacity(page.len() as usize + 1);
        let mut next = 0;
        for id in 0..=page.len() {
            while next < list.len() && list[next].nodes.start < id {
                next += 1;
            }
            before.push(next as u32);
        }
        Blocks { list, before }
    }
}

/// Where the walk is, and the block it is in.
struct Cutter<'a> {
    page: &'a Page,
    open: Vec<Open>,
    list: Vec<Block>,
    current: Option<Block>,
    text: String,
    /// Key of the last text, and room to change it.
    key: Vec<u8>,
    masked: Vec<u8>,
    /// Children of each name that each open element has had so far, those of the innermost last.
    siblings: Vec<(Tag, u64)>,
}

struct Open {
    id: NodeId,
    end: NodeId,
    path: u64,
    trail: u64,
    slot: u64,
    block: bool,
    in_link: bool,
    /// Where its children begin among the siblings.
    children: usize,
    /// Lines of text in it so far.
    lines: u64,
}

impl<'a> Cutter<'a> {
    fn new(page: &'a Page) -> Cutter<'a> {
        Cutter {
            page,
            open: Vec::new(),
            list: Vec::new(),
            current: None,
            text: String::new(),
            key: Vec::new(),
            masked: Vec::new(),
            siblings: Vec::new(),
        }
    }

    fn enter(&mut self, id: NodeId) {
        let mut cut = false;
        while let Some(top) = self.open.last().filter(|open| open.end <= id) {
            cut |= top.block;
            self.siblings.truncate(top.children);
            self.open.pop();
        }
        if self.page.is_text(id) {
            if cut {
                self.cut();
            }
            self.add_text(id);
            return;
        }
        let tag = self.page.tag(id);
        let block = tag.flow() == Flow::Block;
        if cut || block {
            self.cut();
        }
        let (path, trail) = self.step(id);
        let slot = self.slot(id);
        let in_link = tag == Tag::A || self.open.last().is_some_and(|open| open.in_link);
        let (end, children) = (id + self.page.size(id), self.siblings.len());
        self.open.push(Open { id, end, path, trail, slot, block, in_link, children, lines: 0 });
    }

    /// Path and trail of an element.
    fn step(&self, id: NodeId) -> (u64, u64) {
        let (path, trail) = self.open.last().map_or((0, 0), |open| (open.path, open.trail));
        let name = self.page.tag_name(id).as_bytes();
        let trail = xxh3_64_with_seed(name, trail);
        // The body's classes say which page it is, not where on the page we are.
        let names = if self.open.is_empty() { 0 } else { self.names(id) };
        (xxh3_64_with_seed(name, path.wrapping_add(names)), trail)
    }

    fn slot(&mut self, id: NodeId) -> u64 {
        let (children, above) = self.open.last().map_or((0, 0), |open| (open.children, open.slot));
        let tag = self.page.tag(id);
        let number = match self.siblings[children..].iter_mut().find(|(name, _)| *name == tag) {
            Some((_, number)) => {
                *number += 1;
                *number
            }
            None => {
                self.siblings.push((tag, 1));
                1
            }
        };
        xxh3_64_with_seed(self.page.tag_name(id).as_bytes(), above.wrapping_mul(31).wrapping_add(number))
    }

    /// Id and classes without their digits, which number the page or the entry; order does not count.
    fn names(&self, id: NodeId) -> u64 {
        let mut sum = 0u64;
        for (name, value) in self.page.attributes(id) {
            if name != "class" && name != "id" {
                continue;
            }
            for word in value.split_ascii_whitespace() {
                let hash = if word.bytes().any(|byte| byte.is_ascii_digit()) {
                    let kept: Vec<u8> = word.bytes().filter(|byte| !byte.is_ascii_digit()).collect();
                    xxh3_64(&kept)
                } else {
                    xxh3_64(word.as_bytes())
                };
                sum = sum.wrapping_add(hash);
            }
        }
        sum
    }

    fn add_text(&mut self, id: NodeId) {
        let Some(top) = self.open.last() else { return };
        let in_link = top.in_link;
        let block = match &mut self.current {
            Some(block) => block,
            None => {
                let holder = self.open.iter().rposition(|open| open.block).unwrap_or(0);
                self.open[holder].lines += 1;
                self.current.insert(Block::at(id, &self.open[holder]))
            }
        };
        let text = self.page.text(id);
        if block.nodes.end > block.nodes.start && self.page.gap(id) != Gap::None {
            self.text.push(' ');
        }
        self.text.push_str(text);
        self.key.clear();
        let words = block.read(text, &mut self.key);
        if in_link {
            block.link_words += words;
            if let Some(link) = self.open.iter().rev().find(|open| self.page.tag(open.id) == Tag::A) {
                block.add_link(self.page, link.id);
            }
        }
        block.texts.push((id, xxh3_64(&self.key), words));
        block.nodes.end = id + 1;
    }

    fn cut(&mut self) {
        let Some(mut block) = self.current.take() else { return };
        match block.texts[..] {
            [(_, key, _)] => {
                block.key = key;
                block.texts.clear();
            }
            _ => {
                self.key.clear();
                push_key(&self.text, &mut self.key);
                block.key = xxh3_64(&self.key);
            }
        }
        block.masked = block.key;
        if block.digits > 0 {
            mask_numbers(&self.key, &mut self.masked);
            block.masked = xxh3_64(&self.masked);
        }
        block.ends_sentence = self.text.trim_end_matches(['"', '\'', '”', '’', ')', '»']).ends_with(is_stop);
        self.text.clear();
        self.list.push(block);
    }
}

impl Block {
    fn at(id: NodeId, holder: &Open) -> Block {
        Block {
            nodes: id..id,
            holder: holder.id,
            words: 0.0,
            link_words: 0.0,
            letters: 0,
            digits: 0,
            capitals: 0,
            commas: 0,
            stops: 0,
            ornaments: 0,
            ends_sentence: false,
            links: 0,
            key: 0,
            masked: 0,
            path: holder.path,
            trail: holder.trail,
            slot: holder.slot.rotate_left(7).wrapping_add(holder.lines),
            target: 0,
            texts: Vec::new(),
        }
    }

    fn add_link(&mut self, page: &Page, link: NodeId) {
        self.links += 1;
        if self.target == 0
            && let Some(target) = page.attribute(link, "href")
        {
            self.target = xxh3_64(target.as_bytes()) | 1;
        }
    }

    /// Counts what `text` holds, and appends its key; returns its words.
    fn read(&mut self, text: &str, key: &mut Vec<u8>) -> f32 {
        push_key(text, key);
        let words = if text.is_ascii() { self.count_ascii(text) } else { self.count(text) };
        self.words += words;
        words
    }

    /// [`Block::count`] for most texts.
    fn count_ascii(&mut self, text: &str) -> f32 {
        let mut words = 0;
        let mut last = 0;
        let mut counts = [0u32; 6];
        for byte in text.bytes() {
            let class = CLASSES[byte as usize];
            words += u32::from(class & !last & 1);
            for (bit, count) in counts.iter_mut().enumerate() {
                *count += u32::from((class >> bit) & 1);
            }
            last = class;
        }
        let [letters, digits, capitals, commas, stops, ornaments] = counts;
        self.letters += letters;
        self.digits += digits;
        self.capitals += capitals;
        self.commas += commas;
        self.stops += stops;
        self.ornaments += ornaments;
        words as f32
    }

    fn count(&mut self, text: &str) -> f32 {
        let (mut words, mut signs, mut in_word) = (0u32, 0u32, false);
        for c in text.chars() {
            let is_letter =
                if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { c.is_alphanumeric() };
            if is_letter {
                self.letters += 1;
                self.digits += u32::from(c.is_ascii_digit());
                self.capitals += u32::from(c.is_uppercase());
                if c >= '\u{2e80}' {
                    signs += 1;
                } else if !in_word {
                    words += 1;
                }
            } else {
                self.commas += u32::from(matches!(c, ',' | ';' | '，' | '、' | '；'));
                self.stops += u32::from(is_stop(c));
                self.ornaments +=
                    u32::from(matches!(c, '|' | '»' | '«' | '·' | '©' | '›' | '•' | '/' | '→' | '←'));
            }
            in_word = is_letter;
        }
        words as f32 + signs as f32 * 0.5
    }

    pub fn link_density(&self) -> f32 {
        self.link_words / self.words.max(0.5)
    }
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…')
}

/// What [`Block::count`] counts a byte of ASCII as: bits for letters, digits, capitals, commas, stops, ornaments.
static CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0u8;
    while byte < 128 {
        let kinds = [
            byte.is_ascii_alphanumeric() || byte == b'_',
            byte.is_ascii_digit(),
            byte.is_ascii_uppercase(),
            matches!(byte, b',' | b';'),
            matches!(byte, b'.' | b'!' | b'?'),
            matches!(byte, b'|' | b'/'),
        ];
        let mut kind = 0;
        while kind < kinds.len() {
            table[byte as usize] |= (kinds[kind] as u8) << kind;
            kind += 1;
        }
        byte += 1;
    }
    table
};

/// Appends the words in comparison form, one space between them; all of the text if it has no word.
fn push_key(text: &str, key: &mut Vec<u8>) {
    let start = key.len();
    push_word_key(text, key);
    if key.len() == start {
        key.extend_from_slice(comparison_form(text).as_bytes());
    }
}

/// The key with every number as `0`. Months stay: a date that changes by the day only is the same, one of another month
/// is not.
fn mask_numbers(key: &[u8], masked: &mut Vec<u8>) {
    masked.clear();
    let mut in_number = false;
    for &byte in key {
        let digit = byte.is_ascii_digit();
        if !digit {
            masked.push(byte);
        } else if !in_number {
            masked.push(b'0');
        }
        in_number = digit;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::page::{Limits, word_key};

    fn empty() -> Block {
        let page = Page::parse(b"<p>x", &Limits::default());
        let mut block = Blocks::of(&page).list.remove(0);
        (block.words, block.letters) = (0.0, 0);
        block
    }

    proptest! {
        #[test]
        fn ascii_is_counted_like_any_text(text in "[ -~]{0,40}") {
            let (mut fast, mut plain) = (empty(), empty());
            prop_assert_eq!(fast.count_ascii(&text), plain.count(&text));
            prop_assert_eq!(format!("{fast:?}"), format!("{plain:?}"));
        }

        #[test]
        fn keys_are_words_or_else_the_text(text in "[a-zA-Z0-9 ,.ÄßñЖ字|»-]{1,20}") {
            let mut key = Vec::new();
            push_key(&text, &mut key);
            let words = word_key(&text);
            let expected = if words.is_empty() { comparison_form(&text).into_owned() } else { words };
            prop_assert_eq!(String::from_utf8(key).unwrap(), expected);
        }
    }

    #[test]
    fn numbers_are_masked_as_a_whole() {
        let mut masked = Vec::new();
        mask_numbers("12 may 2026 ж3".as_bytes(), &mut masked);
        assert_eq!(String::from_utf8(masked).unwrap(), "0 may 0 ж0");
    }

    #[test]
    fn slots_count_siblings_of_a_name_and_lines() {
        let html = "<ul><li>a<li>b</ul><p>c<p>d<div>e<p>f</p>g<p>h</p></div>";
        let slots: Vec<u64> = Blocks::of(&Page::parse(html.as_bytes(), &Limits::default()))
            .list
            .iter()
            .map(|b| b.slot)
            .collect();
        let mut different = slots.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!((slots.len(), different.len()), (8, 8));
    }
}
