//! Checks whether a Markdown reader pairs emphasis delimiters as intended.
//!
//! CommonMark's rules (what may open, what may close, which lengths pair up) have so many
//! exceptions that no local rule for writing is both safe and permissive. So a block is first
//! written with all of the page's emphasis, and its delimiters are paired here the way a reader
//! does. Emphasis that would be read differently is dropped, and the block is written again.

use super::escape::{Class, class};

/// An emphasis delimiter in a text: `*`, `**` or `~~`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delimiter {
    /// Byte offset of its start.
    pub(super) at: usize,
    pub(super) character: char,
    pub(super) width: usize,
    pub(super) opens: bool,
    /// Index of the span that it opens or closes.
    pub(super) span: usize,
}

/// Some of the spans that would not be read as intended; empty only if there are none.
pub(super) fn misread(text: &str, delimiters: &[Delimiter]) -> Vec<usize> {
    if delimiters.is_empty() {
        return Vec::new();
    }
    for unknown in [Class::Punctuation, Class::Letter] {
        let groups = groups(text, delimiters, unknown);
        let wrong = ineffective(&groups);
        if !wrong.is_empty() {
            return wrong;
        }
        if let Some(span) = first_wrong_pair(&groups) {
            return vec![span];
        }
    }
    Vec::new()
}

/// Adjacent delimiters, which form a single run for a reader. The characters around the run decide
/// what it may do.
struct Group<'d> {
    delimiters: &'d [Delimiter],
    can_open: bool,
    can_close: bool,
}

fn groups<'d>(text: &str, delimiters: &'d [Delimiter], unknown: Class) -> Vec<Group<'d>> {
    let class = |c: Option<char>| match c.map(class) {
        None => Class::Space,
        Some(Class::Unknown) => unknown,
        Some(class) => class,
    };
    let joined =
        |a: &Delimiter, b: &Delimiter| a.at + a.width == b.at && a.character == b.character;
    let group = |delimiters: &'d [Delimiter]| {
        let (first, last) = (delimiters.first()?, delimiters.last()?);
        let before = class(text[..first.at].chars().next_back());
        let after = class(text[last.at + last.width..].chars().next());
        let flanks = |near: Class, far: Class| {
            near != Class::Space && (near != Class::Punctuation || far != Class::Letter)
        };
        Some(Group {
            delimiters,
            can_open: flanks(after, before),
            can_close: flanks(before, after),
        })
    };
    delimiters.chunk_by(joined).filter_map(group).collect()
}

/// Spans with a delimiter that cannot open or close at its position.
fn ineffective(groups: &[Group]) -> Vec<usize> {
    let fails = |group: &Group, delimiter: &Delimiter| {
        !if delimiter.opens { group.can_open } else { group.can_close }
    };
    groups
        .iter()
        .flat_map(|group| group.delimiters.iter().filter(move |delimiter| fails(group, delimiter)))
        .map(|delimiter| delimiter.span)
        .collect()
}

/// A run of delimiters waiting for its counterpart.
struct Opener<'d> {
    left: &'d [Delimiter],
    length: usize,
    can_close: bool,
}

/// Pairs the delimiters as CommonMark prescribes, up to the first wrong pair.
fn first_wrong_pair(groups: &[Group]) -> Option<usize> {
    // Never deeper than the number of kinds of emphasis, because the first wrong delimiter ends the
    // search.
    let mut open: Vec<Opener> = Vec::new();
    for group in groups {
        let length = width(group.delimiters);
        let mut left = group.delimiters;
        while let [first, others @ ..] = left {
            let Some(at) = open.iter().rposition(|opener| pairs(opener, group, length)) else {
                break;
            };
            if let Some(overtaken) = open.get(at + 1) {
                return overtaken.left.last().map(|delimiter| delimiter.span);
            }
            let opener = &mut open[at];
            let used = width(opener.left).min(width(left)).min(2);
            let (inner, outer) = opener.left.split_last()?;
            if first.opens || inner.span != first.span || first.width != used {
                return Some(first.span);
            }
            left = others;
            opener.left = outer;
            if outer.is_empty() {
                open.pop();
            }
        }
        if let Some(unpaired) = left.iter().find(|delimiter| !delimiter.opens) {
            return Some(unpaired.span);
        }
        if !left.is_empty() {
            open.push(Opener { left, length, can_close: group.can_close });
        }
    }
    open.last()?.left.last().map(|delimiter| delimiter.span)
}

fn width(delimiters: &[Delimiter]) -> usize {
    delimiters.iter().map(|delimiter| delimiter.width).sum()
}

fn pairs(opener: &Opener, group: &Group, length: usize) -> bool {
    let character = |delimiters: &[Delimiter]| delimiters.first().map(|d| d.character);
    let is_same = character(opener.left) == character(group.delimiters);
    // The "rule of three" keeps the inner delimiters of `*a**b**c*` from pairing with the outer
    // ones.
    let rule_of_three = (opener.can_close || group.can_open)
        && (opener.length + length).is_multiple_of(3)
        && !(opener.length.is_multiple_of(3) && length.is_multiple_of(3));
    group.can_close && is_same && !rule_of_three
}
