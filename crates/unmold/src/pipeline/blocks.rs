//! What is judged: a block is the text between two borders of block-level elements, what stands on one line.

use std::ops::Range;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::page::{Flow, Gap, NodeId, Page, Tag, comparison_form, word_key};

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
    /// Children of each name that each element has had so far.
    siblings: FxHashMap<(NodeId, Tag), u64>,
}

struct Open {
    id: NodeId,
    end: NodeId,
    path: u64,
    trail: u64,
    slot: u64,
    block: bool,
    in_link: bool,
}

impl<'a> Cutter<'a> {
    fn new(page: &'a Page) -> Cutter<'a> {
        let (list, text) = (Vec::new(), String::new());
        Cutter { page, open: Vec::new(), list, current: None, text, siblings: FxHashMap::default() }
    }

    fn enter(&mut self, id: NodeId) {
        let mut cut = false;
        while let Some(top) = self.open.last().filter(|open| open.end <= id) {
            cut |= top.block;
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
        self.open.push(Open { id, end: id + self.page.size(id), path, trail, slot, block, in_link });
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
        let (parent, above) = self.open.last().map_or((id, 0), |open| (open.id, open.slot));
        let number = self.siblings.entry((parent, self.page.tag(id))).or_default();
        *number += 1;
        xxh3_64_with_seed(self.page.tag_name(id).as_bytes(), above.wrapping_mul(31).wrapping_add(*number))
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
                let holder = self.open.iter().rev().find(|open| open.block).unwrap_or(&self.open[0]);
                let line = self.siblings.entry((holder.id, Tag::TEXT)).or_default();
                *line += 1;
                self.current.insert(Block::at(id, holder, *line))
            }
        };
        let text = self.page.text(id);
        if block.nodes.end > block.nodes.start && self.page.gap(id) != Gap::None {
            self.text.push(' ');
        }
        self.text.push_str(text);
        let words = block.count(text);
        if in_link {
            block.link_words += words;
            if let Some(link) = self.open.iter().rev().find(|open| self.page.tag(open.id) == Tag::A) {
                block.add_link(self.page, link.id);
            }
        }
        block.texts.push((id, xxh3_64(key_of(text).as_bytes()), words));
        block.nodes.end = id + 1;
    }

    fn cut(&mut self) {
        let Some(mut block) = self.current.take() else { return };
        block.key = match block.texts[..] {
            [(_, key, _)] => key,
            _ => xxh3_64(key_of(&self.text).as_bytes()),
        };
        if block.texts.len() == 1 {
            block.texts.clear();
        }
        block.masked = block.key;
        if block.digits > 0 {
            block.masked = xxh3_64(without_numbers(&key_of(&self.text)).as_bytes());
        }
        block.ends_sentence = self.text.trim_end_matches(['"', '\'', '”', '’', ')', '»']).ends_with(is_stop);
        self.text.clear();
        self.list.push(block);
    }
}

impl Block {
    fn at(id: NodeId, holder: &Open, line: u64) -> Block {
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
            slot: holder.slot.rotate_left(7).wrapping_add(line),
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

    /// Counts what `text` holds; returns its words.
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
        let words = words as f32 + signs as f32 * 0.5;
        self.words += words;
        words
    }

    pub fn link_density(&self) -> f32 {
        self.link_words / self.words.max(0.5)
    }
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…')
}

/// The words in comparison form, one space between them; all of the text if it has no word.
fn key_of(text: &str) -> String {
    let key = word_key(text);
    if key.is_empty() { comparison_form(text).into_owned() } else { key }
}

/// Every number as `0`. Months stay: a date that changes by the day only is the same, one of another month is not.
fn without_numbers(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    let mut in_number = false;
    for c in key.chars() {
        let digit = c.is_ascii_digit();
        if !digit {
            out.push(c);
        } else if !in_number {
            out.push('0');
        }
        in_number = digit;
    }
    out
}
