//! Labels of nodes and hashes of subtrees, to compare nodes within and across pages.
//!
//! A label identifies a node, a subtree hash identifies a node and everything below it. Both are
//! stable across machines and runs, so that a template file can store them. Methods that compare
//! many nodes map them to small numbers with an [`Interner`].

use crate::hash::KeyedMap;
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::node::NodeId;
use crate::page::Page;
use crate::tag::Tag;
use crate::words::{comparison_form, push_comparison_form, words};

/// Which properties of a node its label depends on.
///
/// Not `non_exhaustive`: a method that compares nodes should handle each profile.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LabelProfile {
    /// The element's name; for a text, its comparison form.
    Tag,
    /// [`LabelProfile::Tag`] and the attributes that are content: link targets, image sources, form
    /// values. Without them, two different images would be equal and content would be removed.
    #[default]
    TagContent,
    /// [`LabelProfile::TagContent`] without what is not shown: menu entries are equal wherever they
    /// lead. Numbers and dates inside sentences are equal too: "it was read 7 times since May 3,
    /// 2024" equals "it was read 12 times since June 5, 2023", but "7 doors" differs from "5
    /// doors".
    TagShown,
    /// [`LabelProfile::TagContent`] with `id` and `class`: sharper, but an active menu entry
    /// differs from an inactive one.
    TagIdClass,
}

impl Page {
    /// The label of each node, in document order.
    pub fn labels(&self, profile: LabelProfile) -> Vec<u64> {
        let base = self.link_base();
        let mut buffer = String::new();
        self.nodes()
            .map(|id| {
                buffer.clear();
                self.write_label(id, profile, base.as_ref(), &mut buffer);
                xxh3_64(buffer.as_bytes())
            })
            .collect()
    }

    /// The hash of each node's subtree, in document order, computed from the nodes' labels.
    pub fn subtree_hashes(&self, labels: &[u64]) -> Vec<u128> {
        subtree_hashes(labels, |position| self.size(NodeId::new(position)))
    }

    /// The address that relative links are resolved against: that of the `base` element if the page
    /// has one, else its own.
    #[doc(hidden)]
    pub fn link_base(&self) -> Option<Url> {
        let own = self.url().and_then(|url| Url::parse(url).ok());
        let base = self
            .before_body()
            .find(|&id| self.tag(id) == Tag::BASE)
            .and_then(|id| self.attribute(id, "href"));
        match (own, base) {
            (Some(own), Some(base)) => Some(own.join(base).unwrap_or(own)),
            (None, Some(base)) => Url::parse(base).ok(),
            (own, None) => own,
        }
    }

    fn write_label(&self, id: NodeId, profile: LabelProfile, base: Option<&Url>, out: &mut String) {
        if self.is_text(id) {
            out.push_str("#t:");
            if profile != LabelProfile::TagShown {
                push_comparison_form(out, self.text(id));
                return;
            }
            push_without_numbers_of_sentence(out, self.text(id));
            return;
        }
        out.push_str(self.tag_name(id));
        if profile == LabelProfile::Tag {
            return;
        }
        for &name in content_attributes(self.tag(id), profile) {
            if let Some(value) = self.attribute(id, name) {
                out.push('\0');
                out.push_str(name);
                out.push('=');
                match name {
                    "href" | "src" => push_link(out, value, base),
                    _ => push_words(out, value),
                }
            }
        }
        if profile == LabelProfile::TagIdClass {
            self.write_id_and_class(id, out);
        }
    }

    fn write_id_and_class(&self, id: NodeId, out: &mut String) {
        if let Some(value) = self.attribute(id, "id") {
            out.push_str("\0id=");
            push_words(out, value);
        }
        if let Some(value) = self.attribute(id, "class") {
            let mut classes: Vec<&str> = value.split_whitespace().collect();
            classes.sort_unstable();
            classes.dedup();
            out.push_str("\0class=");
            out.push_str(&classes.join(" "));
        }
    }
}

/// The attributes of an element that are content, sorted.
pub fn content_attributes(tag: Tag, profile: LabelProfile) -> &'static [&'static str] {
    match tag {
        Tag::A | Tag::OPTION if profile == LabelProfile::TagShown => &[],
        Tag::A => &["href"],
        Tag::IMG | Tag::IFRAME | Tag::EMBED | Tag::SOURCE | Tag::VIDEO | Tag::AUDIO => {
            &["alt", "src"]
        }
        Tag::INPUT => &["name", "type", "value"],
        Tag::OPTION => &["value"],
        _ => &[],
    }
}

/// Appends the comparison form of a text. If it is a sentence, its numbers and months become `0`.
pub fn push_without_numbers_of_sentence(out: &mut String, text: &str) {
    let text = comparison_form(text);
    if is_sentence_with_number(&text) {
        push_without_numbers(out, &text);
    } else {
        out.push_str(&text);
    }
}

/// Minimum number of words besides numbers in a sentence: "read 1024 times since it was written" is
/// one, "4 doors" is not.
const MIN_SENTENCE_WORDS: usize = 5;

fn is_sentence_with_number(text: &str) -> bool {
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    has_digit(text)
        && words(text).filter(|word| !has_digit(word)).take(MIN_SENTENCE_WORDS).count()
            == MIN_SENTENCE_WORDS
}

/// Appends the text with a `0` for every number, and for the name of the month in a date such as "3
/// May 2024" or "May 3, 2024". A month, in any language, is recognised by the numbers next to it,
/// so any word between two numbers counts as one.
fn push_without_numbers(out: &mut String, text: &str) {
    let pieces = pieces(text);
    let mut beside: Vec<Option<Piece>> = Vec::with_capacity(pieces.len() + 4);
    beside.extend([None; 2]);
    beside.extend(
        pieces.iter().filter(|(piece, _)| *piece != Piece::Other).map(|&(piece, _)| Some(piece)),
    );
    beside.extend([None; 2]);
    let mut at = 2;
    for (piece, text) in pieces {
        let is_month = beside[at + 1].is_some_and(Piece::is_number)
            && (beside[at - 1].is_some_and(Piece::is_number)
                || beside[at + 2] == Some(Piece::Year));
        match piece {
            Piece::Other => out.push_str(text),
            Piece::Word if !is_month => out.push_str(text),
            _ => out.push('0'),
        }
        at += usize::from(piece != Piece::Other);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Piece {
    Number,
    /// A number of four digits.
    Year,
    Word,
    Other,
}

impl Piece {
    fn is_number(self) -> bool {
        matches!(self, Piece::Number | Piece::Year)
    }
}

/// Splits a text into numbers, words and what is between them.
fn pieces(text: &str) -> Vec<(Piece, &str)> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let goes_on: fn(char) -> bool = match first {
            '0'..='9' => |c| c.is_ascii_digit() || matches!(c, '.' | ',' | ':'),
            _ if first.is_alphabetic() => |c| c.is_alphabetic(),
            _ => |c| !c.is_ascii_digit() && !c.is_alphabetic(),
        };
        let end = rest.find(|c| !goes_on(c)).unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let piece = match first {
            '0'..='9' if digits == 4 && !text.contains(':') => Piece::Year,
            '0'..='9' => Piece::Number,
            _ if first.is_alphabetic() => Piece::Word,
            _ => Piece::Other,
        };
        pieces.push((piece, text));
        rest = after;
    }
    pieces
}

/// Appends the address of a link without its fragment.
pub fn push_link(out: &mut String, value: &str, base: Option<&Url>) {
    let value = value.trim();
    let value = value.split_once('#').map_or(value, |(address, _)| address);
    // Most links are absolute. Parsing and writing them again would take longer than all other
    // labels.
    let absolute = value.starts_with("http://") || value.starts_with("https://");
    match base.filter(|_| !absolute).and_then(|base| base.join(value).ok()) {
        Some(url) => out.push_str(url.as_str()),
        None => out.push_str(value),
    }
}

fn push_words(out: &mut String, value: &str) {
    for word in value.split_whitespace() {
        out.push_str(word);
        out.push(' ');
    }
}

/// The hash of each subtree of a tree whose nodes are numbered in document order. It depends on the
/// label of the root and the hashes of its children; `size` is the number of nodes of a subtree.
pub fn subtree_hashes(labels: &[u64], size: impl Fn(u32) -> u32) -> Vec<u128> {
    let mut hashes = vec![0u128; labels.len()];
    let mut buffer = Vec::new();
    for node in (0..labels.len() as u32).rev() {
        buffer.clear();
        buffer.extend_from_slice(&labels[node as usize].to_le_bytes());
        let end = node + size(node);
        let mut child = node + 1;
        while child < end {
            buffer.extend_from_slice(&hashes[child as usize].to_le_bytes());
            child += size(child);
        }
        hashes[node as usize] = xxh3_128(&buffer);
    }
    hashes
}

/// Maps labels and subtree hashes of several pages to small numbers; equal ones get equal numbers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Interner {
    labels: KeyedMap<u64, u32>,
    classes: KeyedMap<u128, u32>,
}

impl Interner {
    /// Stands for whatever has no number. It differs from all numbers.
    pub const UNKNOWN: u32 = u32::MAX;

    /// The number of each label.
    pub fn labels(&mut self, labels: &[u64]) -> Vec<u32> {
        labels.iter().map(|&label| number(&mut self.labels, label)).collect()
    }

    /// The class of each subtree. Two subtrees are equal if and only if their classes are.
    pub fn classes(&mut self, hashes: &[u128]) -> Vec<u32> {
        hashes.iter().map(|&hash| number(&mut self.classes, hash)).collect()
    }

    /// The number of each label; [`Interner::UNKNOWN`] for those without one.
    pub fn known_labels(&self, labels: &[u64]) -> Vec<u32> {
        labels
            .iter()
            .map(|label| self.labels.get(label).copied().unwrap_or(Interner::UNKNOWN))
            .collect()
    }

    /// The class of each subtree; [`Interner::UNKNOWN`] for those without one.
    pub fn known_classes(&self, hashes: &[u128]) -> Vec<u32> {
        hashes
            .iter()
            .map(|hash| self.classes.get(hash).copied().unwrap_or(Interner::UNKNOWN))
            .collect()
    }
}

fn number<K: std::hash::Hash + Eq>(numbers: &mut KeyedMap<K, u32>, key: K) -> u32 {
    let next = numbers.len() as u32;
    *numbers.entry(key).or_insert(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(text: &str) -> String {
        let mut out = String::new();
        push_without_numbers_of_sentence(&mut out, text);
        out
    }

    #[test]
    fn numbers_and_months_of_a_sentence_become_zero() {
        let modified = "this page was last modified on 0 0 0 0 0";
        assert_eq!(compared("This page was last modified on 28 June 2013 at 13:54"), modified);
        assert_eq!(compared("This page was last modified on 3 März 2014 at 1:02"), modified);
        let changed = "the page was last changed on 0 0 0 by";
        assert_eq!(compared("The page was last changed on May 3, 2024 by"), changed);
        assert_eq!(
            compared("It was read 1,024 times since it was written"),
            "it was read 0 times since it was written"
        );
    }

    #[test]
    fn other_texts_keep_their_numbers() {
        for text in
            ["4 doors", "28 june 2013", "joined 12 feb 2011", "", "no number in these words at all"]
        {
            assert_eq!(compared(text), text);
        }
    }

    #[test]
    fn a_word_next_to_one_number_is_kept() {
        let text = "it has room 12 on the ground floor";
        assert_eq!(compared(text), "it has room 0 on the ground floor");
    }
}
