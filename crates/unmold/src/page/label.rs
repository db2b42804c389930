//! When are two nodes, or two subtrees, the same?
//!
//! A label says what a node is, a subtree hash what it and everything below it is. Both are stable:
//! equal on every machine and in every run, so that a template file can store them. Methods that
//! compare many nodes intern them to small numbers with an [`Interner`].

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::words::push_comparison_form;
use super::{NodeId, Page, Tag, comparison_form, words};

/// What of a node goes into its label.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LabelProfile {
    /// The element's name; for a text its comparison form.
    Tag,
    /// [`LabelProfile::Tag`] and the attributes that are content: link targets, image sources, form
    /// values. Without them two different pictures are the same node and content is removed.
    #[default]
    TagContent,
    /// [`LabelProfile::TagContent`] without what is not shown: an entry of a menu is the same
    /// wherever it leads. Numbers and dates inside sentences count as equal: "it was read 7 times
    /// since May 3, 2024" is what "it was read 12 times since June 5, 2023" is, but "7 doors" is
    /// not "5 doors".
    TagShown,
    /// [`LabelProfile::TagContent`] and `id` and `class`: sharper, but an active menu entry is
    /// another node.
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

    /// The hash of each node's subtree, in document order, from the nodes' labels.
    pub fn subtree_hashes(&self, labels: &[u64]) -> Vec<u128> {
        subtree_hashes(labels, |id| self.size(id))
    }

    /// The address that relative links start from: `base` if the page has one, its own address
    /// otherwise.
    pub(crate) fn link_base(&self) -> Option<Url> {
        let own = self.url.as_deref().and_then(|url| Url::parse(url).ok());
        let head_end = self.body.unwrap_or(self.len());
        let base = (0..head_end)
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

/// Attributes that are content, sorted.
pub(crate) fn content_attributes(tag: Tag, profile: LabelProfile) -> &'static [&'static str] {
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

/// The comparison form of a text; if it is a sentence, with a `0` for each of its numbers and
/// months.
pub(crate) fn push_without_numbers_of_sentence(out: &mut String, text: &str) {
    let text = comparison_form(text);
    if is_sentence_with_number(&text) {
        push_without_numbers(out, &text);
    } else {
        out.push_str(&text);
    }
}

/// Words besides numbers that make a text a sentence: "read 1024 times since it was written" and
/// not "4 doors".
const WORDS_OF_A_SENTENCE: usize = 5;

fn is_sentence_with_number(text: &str) -> bool {
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    has_digit(text)
        && words(text).filter(|word| !has_digit(word)).take(WORDS_OF_A_SENTENCE).count()
            == WORDS_OF_A_SENTENCE
}

/// The text with a `0` for every number, and for the name of the month in a date: "3 May 2024",
/// "May 3, 2024". A name is known by the numbers beside it, in whatever language it is; so any word
/// between two numbers passes for one.
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

/// Cuts a text into numbers, words and what is between them.
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

/// The address a link leads to, without its fragment.
pub(crate) fn push_link(out: &mut String, value: &str, base: Option<&Url>) {
    let value = value.trim();
    let value = value.split_once('#').map_or(value, |(address, _)| address);
    // Most links are absolute: taking them apart to put them together again would cost more than
    // all other labels.
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

/// The hash of each subtree of a tree in document order: of its root's label and of its children's
/// hashes.
pub(crate) fn subtree_hashes(labels: &[u64], size: impl Fn(NodeId) -> u32) -> Vec<u128> {
    let mut hashes = vec![0u128; labels.len()];
    let mut buffer = Vec::new();
    for id in (0..labels.len() as NodeId).rev() {
        buffer.clear();
        buffer.extend_from_slice(&labels[id as usize].to_le_bytes());
        let end = id + size(id);
        let mut child = id + 1;
        while child < end {
            buffer.extend_from_slice(&hashes[child as usize].to_le_bytes());
            child += size(child);
        }
        hashes[id as usize] = xxh3_128(&buffer);
    }
    hashes
}

/// Gives equal labels and equal subtrees of several pages the same small number.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Interner {
    labels: FxHashMap<u64, u32>,
    classes: FxHashMap<u128, u32>,
}

impl Interner {
    /// Stands for whatever has no number; no number is equal to it.
    pub const UNKNOWN: u32 = u32::MAX;

    /// The number of each label.
    pub fn labels(&mut self, labels: &[u64]) -> Vec<u32> {
        labels.iter().map(|&label| number(&mut self.labels, label)).collect()
    }

    /// The class of each subtree: two subtrees are equal if and only if their classes are.
    pub fn classes(&mut self, hashes: &[u128]) -> Vec<u32> {
        hashes.iter().map(|&hash| number(&mut self.classes, hash)).collect()
    }

    /// The number of each label; [`Interner::UNKNOWN`] for those not numbered before.
    pub fn known_labels(&self, labels: &[u64]) -> Vec<u32> {
        labels
            .iter()
            .map(|label| self.labels.get(label).copied().unwrap_or(Interner::UNKNOWN))
            .collect()
    }

    /// The class of each subtree; [`Interner::UNKNOWN`] for those not numbered before.
    pub fn known_classes(&self, hashes: &[u128]) -> Vec<u32> {
        hashes
            .iter()
            .map(|hash| self.classes.get(hash).copied().unwrap_or(Interner::UNKNOWN))
            .collect()
    }
}

fn number<K: std::hash::Hash + Eq>(numbers: &mut FxHashMap<K, u32>, key: K) -> u32 {
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
    fn numbers_and_months_of_a_sentence_are_nought() {
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
    fn what_is_no_sentence_keeps_its_numbers() {
        for text in
            ["4 doors", "28 june 2013", "joined 12 feb 2011", "", "no number in these words at all"]
        {
            assert_eq!(compared(text), text);
        }
    }

    #[test]
    fn a_word_beside_one_number_is_kept() {
        let text = "it has room 12 on the ground floor";
        assert_eq!(compared(text), "it has room 0 on the ground floor");
    }
}
