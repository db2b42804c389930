//! What is judged: a block is the text between two borders of block-level elements, what stands on one line.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::page::{Flow, Gap, NodeId, Page, Tag, comparison_form, is_word_character, push_word_key};

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
    /// Path of the block-level element around its holder.
    pub outer: u64,
    /// Hash of the names only.
    pub trail: u64,
    /// The trail with ids and classes of the holder and its parent: where the path is the page's own, since an element
    /// further up has the subjects of the page as classes, this is not.
    pub corner: u64,
    /// Hash of names and positions among siblings of the same name: where on the page it stands.
    pub slot: u64,
    /// Hash of the target of its first link; 0 without one.
    pub target: u64,
    /// Where its texts are in [`Blocks::texts`].
    texts: Range<u32>,
}

/// One text of a block of several.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    pub id: NodeId,
    /// Hash of its words.
    pub key: u64,
    pub words: f32,
}

/// A page cut into blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    pub list: Vec<Block>,
    /// Number of blocks that begin before each node; one more entry than there are nodes.
    pub before: Vec<u32>,
    /// Texts of the blocks that have several.
    texts: Vec<Text>,
}

impl Blocks {
    /// The blocks inside the subtree of `id`.
    pub fn within(&self, page: &Page, id: NodeId) -> Range<usize> {
        let subtree = page.subtree(id);
        self.before[subtree.start as usize] as usize..self.before[subtree.end as usize] as usize
    }

    /// The texts of a block, if it has several.
    pub fn texts_of(&self, block: &Block) -> &[Text] {
        &self.texts[block.texts.start as usize..block.texts.end as usize]
    }

    pub fn of(page: &Page) -> Blocks {
        let mut cutter = Cutter::new(page);
        for id in page.body() {
            cutter.enter(id);
        }
        cutter.cut();
        let Cutter { list, texts, .. } = cutter;
        let mut before = Vec::with_capacity(page.len() as usize + 1);
        let mut next = 0;
        for id in 0..=page.len() {
            while next < list.len() && list[next].nodes.start < id {
                next += 1;
            }
            before.push(next as u32);
        }
        Blocks { list, before, texts }
    }
}

/// Where the walk is, and the block it is in.
struct Cutter<'a> {
    page: &'a Page,
    open: Vec<Open>,
    list: Vec<Block>,
    texts: Vec<Text>,
    current: Option<Block>,
    /// Key of the current block so far, and room to change it.
    key: Vec<u8>,
    masked: Vec<u8>,
    /// Children of each name that each open element has had so far, those of the innermost last.
    siblings: Vec<(Tag, u64)>,
}

struct Open {
    id: NodeId,
    end: NodeId,
    /// Hash of its id and classes.
    names: u64,
    path: u64,
    trail: u64,
    corner: u64,
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
            texts: Vec::new(),
            current: None,
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
        let name = xxh3_64(self.page.tag_name(id).as_bytes());
        let (above, path, trail) =
            self.open.last().map_or((0, 0, 0), |open| (open.names, open.path, open.trail));
        // The body's classes say which page it is, not where on the page we are.
        let names = if self.open.is_empty() { 0 } else { self.names(id) };
        let (path, trail) = (mix(path.wrapping_add(names), name), mix(trail, name));
        let corner = mix(trail ^ names, above);
        let slot = self.slot(tag, name);
        let in_link = tag == Tag::A || self.open.last().is_some_and(|open| open.in_link);
        let (end, children) = (id + self.page.size(id), self.siblings.len());
        self.open.push(Open {
            id,
            end,
            names,
            path,
            trail,
            corner,
            slot,
            block,
            in_link,
            children,
            lines: 0,
        });
    }

    fn slot(&mut self, tag: Tag, name: u64) -> u64 {
        let (children, above) = self.open.last().map_or((0, 0), |open| (open.children, open.slot));
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
        mix(above.wrapping_mul(31).wrapping_add(number), name)
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
                let outer =
                    self.open[..holder].iter().rev().find(|open| open.block).map_or(0, |open| open.path);
                self.current.insert(Block::at(id, &self.open[holder], outer, self.texts.len()))
            }
        };
        let text = self.page.text(id);
        let goes_on = block.nodes.end > block.nodes.start
            && self.page.gap(id) == Gap::None
            && self.page.text(block.nodes.end - 1).ends_with(is_word_character)
            && text.starts_with(is_word_character);
        let (key, words) = push_text(&mut self.key, text, goes_on);
        block.count(text);
        block.words += words;
        block.end_with(text);
        if in_link {
            block.link_words += words;
            if let Some(link) = self.open.iter().rev().find(|open| self.page.tag(open.id) == Tag::A) {
                block.add_link(self.page, link.id);
            }
        }
        self.texts.push(Text { id, key, words });
        block.nodes.end = id + 1;
    }

    fn cut(&mut self) {
        let Some(mut block) = self.current.take() else { return };
        let first = block.texts.start as usize;
        if let [text] = self.texts[first..] {
            block.key = text.key;
            self.texts.truncate(first);
        } else {
            if self.key.is_empty() {
                let text = self.page.joined_text(block.nodes.clone());
                self.key.extend_from_slice(comparison_form(&text).as_bytes());
            }
            block.key = xxh3_64(&self.key);
        }
        block.texts.end = self.texts.len() as u32;
        block.masked = block.key;
        if block.digits > 0 {
            mask_numbers(&self.key, &mut self.masked);
            block.masked = xxh3_64(&self.masked);
        }
        self.key.clear();
        self.list.push(block);
    }
}

impl Block {
    fn at(id: NodeId, holder: &Open, outer: u64, first_text: usize) -> Block {
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
            outer,
            trail: holder.trail,
            corner: holder.corner,
            slot: holder.slot.rotate_left(7).wrapping_add(holder.lines),
            target: 0,
            texts: first_text as u32..first_text as u32,
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

    /// The last sign that is no closing quote or bracket decides.
    fn end_with(&mut self, text: &str) {
        let text = text.trim_end_matches(['"', '\'', '”', '’', ')', '»']);
        if !text.is_empty() {
            self.ends_sentence = text.ends_with(is_stop);
        }
    }

    fn count(&mut self, text: &str) {
        if text.is_ascii() { self.count_ascii(text) } else { self.count_any(text) }
    }

    /// [`Block::count_any`] for most texts: one addition for each byte. No field of the sum runs over within a chunk.
    fn count_ascii(&mut self, text: &str) {
        for chunk in text.as_bytes().chunks(255) {
            let sum: u64 = chunk.iter().map(|&byte| CLASSES[byte as usize]).sum();
            let [letters, digits, capitals, commas, stops, ornaments, ..] = sum.to_le_bytes().map(u32::from);
            self.letters += letters;
            self.digits += digits;
            self.capitals += capitals;
            self.commas += commas;
            self.stops += stops;
            self.ornaments += ornaments;
        }
    }

    fn count_any(&mut self, text: &str) {
        for c in text.chars() {
            if is_word_character(c) {
                self.letters += 1;
                self.digits += u32::from(c.is_ascii_digit());
                self.capitals +=
                    u32::from(if c.is_ascii() { c.is_ascii_uppercase() } else { c.is_uppercase() });
            } else {
                self.commas += u32::from(matches!(c, ',' | ';' | '，' | '、' | '；'));
                self.stops += u32::from(is_stop(c));
                self.ornaments +=
                    u32::from(matches!(c, '|' | '»' | '«' | '·' | '©' | '›' | '•' | '/' | '→' | '←'));
            }
        }
    }

    pub fn link_density(&self) -> f32 {
        self.link_words / self.words.max(0.5)
    }
}

/// One hash of two.
fn mix(above: u64, name: u64) -> u64 {
    let mixed = (above ^ name.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…')
}

/// What [`Block::count_any`] counts a byte of ASCII as, a byte for each of letters, digits, capitals, commas, stops and
/// ornaments.
static CLASSES: [u64; 256] = {
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
            table[byte as usize] |= (kinds[kind] as u64) << (8 * kind);
            kind += 1;
        }
        byte += 1;
    }
    table
};

/// Appends the words of a text to the key of its block, one space between words; returns the hash of what it appended
/// and the number of words. A text without words appends nothing, and its key is the text itself.
///
/// `goes_on`: the text begins within the last word.
fn push_text(key: &mut Vec<u8>, text: &str, goes_on: bool) -> (u64, f32) {
    let before = key.len();
    if before > 0 && !goes_on {
        key.push(b' ');
    }
    let start = key.len();
    push_word_key(text, key);
    if key.len() == start {
        key.truncate(before);
        return (xxh3_64(comparison_form(text).as_bytes()), 0.0);
    }
    let own = &key[start..];
    (xxh3_64(own), number_of_words(own))
}

/// Scripts without spaces count two signs as a word.
fn number_of_words(key: &[u8]) -> f32 {
    let spaces = key.iter().filter(|&&byte| byte == b' ').count();
    if key.is_ascii() {
        return (spaces + 1) as f32;
    }
    let (mut words, mut signs, mut in_word) = (0u32, 0u32, false);
    for c in std::str::from_utf8(key).unwrap_or_default().chars() {
        if c >= '\u{2e80}' {
            signs += 1;
        } else if c != ' ' && !in_word {
            words += 1;
        }
        in_word = c != ' ';
    }
    words as f32 + signs as f32 * 0.5
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
        fn ascii_is_counted_like_any_text(text in "[ -~]{0,600}") {
            let (mut fast, mut plain) = (empty(), empty());
            fast.count_ascii(&text);
            plain.count_any(&text);
            prop_assert_eq!(format!("{fast:?}"), format!("{plain:?}"));
        }

        #[test]
        fn keys_are_words_or_else_the_text(text in "[a-zA-Z0-9 ,.ÄßñЖ字|»-]{1,20}") {
            let mut key = Vec::new();
            let (hash, number) = push_text(&mut key, &text, true);
            let words = word_key(&text);
            prop_assert_eq!(String::from_utf8(key).unwrap(), words.as_str());
            let expected = if words.is_empty() { comparison_form(&text).into_owned() } else { words };
            prop_assert_eq!(hash, xxh3_64(expected.as_bytes()));
            prop_assert_eq!(number == 0.0, word_key(&text).is_empty());
        }

        #[test]
        fn the_key_of_a_block_is_that_of_its_text(texts in prop::collection::vec("[a-c ,字Ä|]{1,4}", 1..6)) {
            let html: String = texts.iter().enumerate().map(|(n, text)| if n % 2 == 0 { text.clone() } else { format!("<b>{text}</b>") }).collect();
            let page = Page::parse(format!("<p>{html}</p>").as_bytes(), &Limits::default());
            for block in Blocks::of(&page).list {
                let text = page.joined_text(block.nodes.clone());
                let words = word_key(&text);
                let expected = if words.is_empty() { comparison_form(&text).into_owned() } else { words };
                prop_assert_eq!(block.key, xxh3_64(expected.as_bytes()), "{}", text);
            }
        }
    }

    #[test]
    fn two_signs_are_a_word_where_there_are_no_spaces() {
        for (text, words) in [("one two", 2.0), ("東京タワー", 2.5), ("Äpfel und 字", 2.5), ("—", 0.0)]
        {
            assert_eq!(push_text(&mut Vec::new(), text, false).1, words, "{text}");
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
