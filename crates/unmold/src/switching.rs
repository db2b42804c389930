//! Chooses the index that answers a query: that of whole pages, or that of clean ones.
//!
//! Paper: the one of [chunk frequency](crate::methods::ChunkFrequency), section 4.3.1, which only
//! says what could be gained. A template hides pages among those that merely name the query in a
//! menu, so clean pages should answer. But where a template took the very words that are searched
//! for, only whole pages still have them.
//!
//! The rule and its threshold were chosen on one half of the queries of the experiment `search` and
//! are reported on the other (`docs/decisions/018-switching-engine.md`).

/// How many pages contain all words of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Matches {
    /// Of the whole pages.
    pub whole: usize,
    /// Of the same pages without their template.
    pub clean: usize,
    /// Number of pages.
    pub pages: usize,
}

/// Clean pages with fewer matches than this share of the whole ones' have lost the query.
const MIN_SHARE_LEFT: f64 = 0.1;

impl Matches {
    /// Whether whole pages should answer.
    #[must_use]
    pub fn prefer_whole(self) -> bool {
        (self.clean as f64) < MIN_SHARE_LEFT * self.whole as f64
    }
}
