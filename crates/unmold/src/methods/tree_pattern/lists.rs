//! The place of the nodes of a page in lists.

use super::matching::Fit;

/// The place of a node in a list: which list, and which part of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListPlace {
    /// Number of the list. Siblings with the same number are repetitions.
    pub list: u32,
    /// Number of the part. Siblings with the same number are the same part of different entries.
    pub part: u32,
}

/// The place of each node, given the list of each part.
pub(super) fn list_places(lists: &[Option<u32>], fit: &Fit) -> Vec<Option<ListPlace>> {
    let place = |part: u32| lists[part as usize].map(|list| ListPlace { list, part });
    fit.parts.iter().map(|part| part.and_then(place)).collect()
}
