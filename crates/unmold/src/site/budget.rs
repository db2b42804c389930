//! The memory that learning one site may take.
//!
//! A hundred pages of 15 MB compress to almost nothing, so the number of pages in a sample does not
//! bound its memory. Pages that do not fit the budget are left out of the sample, and the template
//! says how many: a site that is too large is learned from fewer pages, and never ends a run.

use crate::page::Page;

/// What is left of the memory for the sampled pages of one site.
///
/// ```
/// use unmold::site::SampleBudget;
/// use unmold::{Limits, Page};
///
/// let page = || Page::parse(b"<p>Tea", &Limits::default());
/// let mut budget = SampleBudget::new(2 * page().estimated_bytes());
/// let pages = budget.take(std::iter::repeat_with(page).take(3));
/// assert_eq!((pages.len(), budget.left_out()), (2, 1));
/// ```
#[derive(Clone, Debug)]
pub struct SampleBudget {
    left: usize,
    left_out: u32,
}

impl SampleBudget {
    /// Default of [`SampleBudget::new`]: 1 GiB, ten times what a hundred large pages take.
    pub const DEFAULT_BYTES: usize = 1 << 30;

    /// A budget of `bytes`, as [`Page::estimated_bytes`] counts them.
    #[must_use]
    pub fn new(bytes: usize) -> SampleBudget {
        SampleBudget { left: bytes, left_out: 0 }
    }

    /// Keeps the pages that fit. The result depends on their order, not on how many calls they are
    /// spread over.
    pub fn take(&mut self, pages: impl IntoIterator<Item = Page>) -> Vec<Page> {
        pages.into_iter().filter(|page| self.fits(page)).collect()
    }

    fn fits(&mut self, page: &Page) -> bool {
        let left = self.left.checked_sub(page.estimated_bytes());
        match left {
            Some(left) => self.left = left,
            None => self.left_out += 1,
        }
        left.is_some()
    }

    /// Number of pages that did not fit.
    pub fn left_out(&self) -> u32 {
        self.left_out
    }
}
