//! Node ids and ranges of them, in document order.

use std::fmt;
use std::iter::FusedIterator;

use serde::{Deserialize, Serialize};

/// A node of a page: its position in document order.
///
/// Ids of one page are the numbers from 0 to [`Page::len`](crate::Page::len); an id means nothing
/// without its page. To look something up in a vector with one entry per node, use
/// [`NodeId::index`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(u32);

impl NodeId {
    /// The root of every page.
    pub const ROOT: NodeId = NodeId(0);

    /// The node at a position in document order.
    #[inline]
    #[must_use]
    pub const fn new(position: u32) -> NodeId {
        NodeId(position)
    }

    /// The position in document order.
    #[inline]
    #[must_use]
    pub const fn position(self) -> u32 {
        self.0
    }

    /// The position in document order, as an index into a slice.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The position after this node, where its first child or the next node is.
    #[inline]
    #[must_use]
    pub const fn next(self) -> NodeId {
        NodeId(self.0 + 1)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A range of nodes in document order, such as a subtree. It iterates over its nodes.
///
/// ```
/// use unmold_html::{Limits, NodeId, Page};
///
/// let page = Page::parse(b"<ul><li>a<li>b</ul>", &Limits::default());
/// let body = page.body();
/// assert_eq!(body.len(), 6, "body, ul, and two times li and a text");
/// assert!(!body.contains(NodeId::ROOT));
/// let texts: Vec<&str> = body.map(|id| page.text(id)).filter(|text| !text.is_empty()).collect();
/// assert_eq!(texts, ["a", "b"]);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NodeRange {
    /// The first node.
    pub start: NodeId,
    /// The position after the last node.
    pub end: NodeId,
}

impl NodeRange {
    /// The nodes from `start` to before `end`.
    #[inline]
    #[must_use]
    pub const fn new(start: NodeId, end: NodeId) -> NodeRange {
        NodeRange { start, end }
    }

    /// The range of a single node.
    #[inline]
    #[must_use]
    pub const fn of(id: NodeId) -> NodeRange {
        NodeRange { start: id, end: id.next() }
    }

    /// Whether the node is in the range.
    #[inline]
    #[must_use]
    pub const fn contains(&self, id: NodeId) -> bool {
        self.start.0 <= id.0 && id.0 < self.end.0
    }

    /// Whether the range has no nodes.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.start.0 >= self.end.0
    }
}

impl Iterator for NodeRange {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        if NodeRange::is_empty(self) {
            return None;
        }
        let id = self.start;
        self.start = id.next();
        Some(id)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let length = self.end.index().saturating_sub(self.start.index());
        (length, Some(length))
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<NodeId> {
        let skipped = n.min(self.len());
        self.start = NodeId(self.start.0 + skipped as u32);
        self.next()
    }

    #[inline]
    fn count(self) -> usize {
        self.len()
    }

    #[inline]
    fn fold<B, F: FnMut(B, NodeId) -> B>(self, init: B, mut f: F) -> B {
        (self.start.0..self.end.0).fold(init, |value, position| f(value, NodeId(position)))
    }
}

impl DoubleEndedIterator for NodeRange {
    #[inline]
    fn next_back(&mut self) -> Option<NodeId> {
        if NodeRange::is_empty(self) {
            return None;
        }
        self.end = NodeId(self.end.0 - 1);
        Some(self.end)
    }
}

impl ExactSizeIterator for NodeRange {}

impl FusedIterator for NodeRange {}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u32, end: u32) -> NodeRange {
        NodeRange::new(NodeId(start), NodeId(end))
    }

    #[test]
    fn a_range_iterates_like_one_of_numbers() {
        for (start, end) in [(0, 0), (0, 1), (2, 7), (7, 2)] {
            let positions = |nodes: &mut dyn Iterator<Item = NodeId>| -> Vec<u32> {
                nodes.map(NodeId::position).collect()
            };
            let numbers = start..end;
            assert_eq!(positions(&mut range(start, end)), numbers.clone().collect::<Vec<_>>());
            let backwards: Vec<u32> = numbers.clone().rev().collect();
            assert_eq!(positions(&mut range(start, end).rev()), backwards);
            let every_second: Vec<u32> = numbers.clone().step_by(2).collect();
            assert_eq!(positions(&mut range(start, end).step_by(2)), every_second);
            let sum = range(start, end).fold(0, |sum, id| sum + id.position());
            assert_eq!(sum, numbers.clone().sum());
            assert_eq!(range(start, end).len(), numbers.len());
            assert_eq!(range(start, end).is_empty(), numbers.is_empty());
            for position in 0..9 {
                let contains = range(start, end).contains(NodeId(position));
                assert_eq!(contains, numbers.contains(&position));
                assert_eq!(
                    range(start, end).nth(position as usize).map(NodeId::position),
                    numbers.clone().nth(position as usize)
                );
            }
        }
    }

    #[test]
    fn both_ends_meet() {
        let mut nodes = range(0, 3);
        assert_eq!((nodes.next(), nodes.next_back()), (Some(NodeId(0)), Some(NodeId(2))));
        assert_eq!((nodes.next(), nodes.next_back(), nodes.next()), (Some(NodeId(1)), None, None));
    }
}
