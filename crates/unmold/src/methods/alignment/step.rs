//! The columns of an alignment, shared by the aligners.

/// One column of an alignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// A token of each sequence. The two may differ only with the paper's scores.
    Both(usize, usize),
    /// A token of the first sequence alone.
    First(usize),
    /// A token of the second sequence alone.
    Second(usize),
}
