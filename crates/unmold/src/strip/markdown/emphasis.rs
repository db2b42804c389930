//! Would a reader pair the marks of emphasis as we mean them?
//!
//! The rules of CommonMark (what may open, what may close, which lengths pair up) have so many
//! exceptions that no local rule for writing is both safe and generous. So a block is written as
//! the page has it, and its marks are paired here as a reader pairs them. Emphasis that is read in
//! another way is left out, and the block written anew.

use super::escape::{Class, class};

/// One mark of emphasis in a text, `*`, `**` or `~~`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delimiter {
    /// Where it starts.
    pub(super) at: usize,
    pub(super) mark: char,
    pub(super) width: usize,
    pub(super) opens: bool,
    /// The stretch of text it opens or closes.
    pub(super) span: usize,
}

/// The spans that would not be read as they are meant; perhaps not all of them, but none only if
/// there is none.
pub(super) fn misread(text: &str, delimiters: &[Delimiter]) -> Vec<usize> {
    if delimiters.is_empty() {
        return Vec::new();
    }
    for unknown in [Class::Punctuation, Class::Letter] {
        let groups = groups(text, delimiters, unknown);
        let wrong = powerless(&groups);
        if !wrong.is_empty() {
            return wrong;
        }
        if let Some(span) = first_wrong_pair(&groups) {
            return vec![span];
        }
    }
    Vec::new()
}

/// Marks without anything between them: to a reader one run, whose ends decide what it may do.
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
    let joined = |a: &Delimiter, b: &Delimiter| a.at + a.width == b.at && a.mark == b.mark;
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

/// Spans with a mark that stands where it cannot do its work.
fn powerless(groups: &[Group]) -> Vec<usize> {
    let fails = |group: &Group, mark: &Delimiter| {
        !if mark.opens { group.can_open } else { group.can_close }
    };
    groups
        .iter()
        .flat_map(|group| group.delimiters.iter().filter(move |mark| fails(group, mark)))
        .map(|mark| mark.span)
        .collect()
}

/// A run of marks that waits for its counterpart.
struct Opener<'d> {
    left: &'d [Delimiter],
    length: usize,
    can_close: bool,
}

/// Pairs the marks as CommonMark prescribes, up to the first pair that is not ours.
fn first_wrong_pair(groups: &[Group]) -> Option<usize> {
    // Never deeper than there are kinds of emphasis, because every mark that is not ours ends the
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
                return overtaken.left.last().map(|mark| mark.span);
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
        if let Some(unpaired) = left.iter().find(|mark| !mark.opens) {
            return Some(unpaired.span);
        }
        if !left.is_empty() {
            open.push(Opener { left, length, can_close: group.can_close });
        }
    }
    open.last()?.left.last().map(|mark| mark.span)
}

fn width(delimiters: &[Delimiter]) -> usize {
    delimiters.iter().map(|mark| mark.width).sum()
}

fn pairs(opener: &Opener, group: &Group, length: usize) -> bool {
    let same_mark = opener.left.first().map(|d| d.mark) == group.delimiters.first().map(|d| d.mark);
    // The "rule of three" keeps the marks inside `*a**b**c*` apart from those around it.
    let thirds = (opener.can_close || group.can_open)
        && (opener.length + length).is_multiple_of(3)
        && !(opener.length.is_multiple_of(3) && length.is_multiple_of(3));
    group.can_close && same_mark && !thirds
}
