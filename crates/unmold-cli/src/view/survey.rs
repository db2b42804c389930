//! Statistics of all pages, collected in the background by `surveyor`. Takes ten bytes per page.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use unmold::Flag;

use super::sync::lock;

/// Statistics of one page.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Seen {
    /// Number of the page's template.
    pub template: Option<u32>,
    pub template_share: f32,
    pub template_match: Option<f32>,
    /// A bit for each of [`FLAGS`].
    pub flags: u16,
}

/// The flags that the survey counts.
pub const FLAGS: [Flag; 11] = [
    Flag::TooLarge,
    Flag::Binary,
    Flag::Empty,
    Flag::BadCharset,
    Flag::NoTemplate,
    Flag::AllTemplate,
    Flag::NearlyEmpty,
    Flag::Unclustered,
    Flag::SinglePage,
    Flag::OverBudget,
    Flag::Unlabelled,
];

/// Explains why a page has the flag.
pub fn meaning(flag: Flag) -> &'static str {
    match flag {
        Flag::TooLarge => "over a limit, read as plain text",
        Flag::Binary => "not a text file",
        Flag::Empty => "no visible text and no image",
        Flag::BadCharset => "contains bytes that are invalid in its charset",
        Flag::NoTemplate => "too few pages of the site to learn a template",
        Flag::AllTemplate => "everything is template, nothing is left",
        Flag::NearlyEmpty => "nearly everything is template, a line or two are left",
        Flag::Unclustered => "fits no cluster, stripped with the closest template",
        Flag::SinglePage => "the only page of its site",
        Flag::OverBudget => "the sample of its site took too much memory and was made smaller",
        _ => "",
    }
}

/// Statistics of all pages visited so far.
pub struct Survey {
    pages: u32,
    seen: Mutex<Vec<Option<Seen>>>,
    next: AtomicUsize,
    /// Incremented when all pages have to be visited again.
    round: AtomicU32,
}

impl Survey {
    pub fn new(pages: u32) -> Survey {
        Survey {
            pages,
            seen: Mutex::new(vec![None; pages as usize]),
            next: AtomicUsize::new(0),
            round: AtomicU32::new(0),
        }
    }

    /// Returns the statistics of these pages, in the same order.
    pub fn of(&self, pages: &[u32]) -> Vec<(u32, Option<Seen>)> {
        let seen = lock(&self.seen);
        pages.iter().map(|&page| (page, seen[page as usize])).collect()
    }

    /// Discards all statistics because a template has changed.
    pub fn restart(&self) {
        let mut seen = lock(&self.seen);
        self.round.fetch_add(1, Ordering::SeqCst);
        seen.fill(None);
        self.next.store(0, Ordering::SeqCst);
    }

    /// Claims the next position to visit, and the current round; `None` if all are taken.
    pub fn next(&self) -> Option<(usize, u32)> {
        let round = self.round.load(Ordering::SeqCst);
        if self.next.load(Ordering::SeqCst) >= self.pages as usize {
            return None;
        }
        let at = self.next.fetch_add(1, Ordering::SeqCst);
        (at < self.pages as usize).then_some((at, round))
    }

    /// Stores the statistics of a page, unless the survey was restarted since `round`.
    pub fn store(&self, round: u32, page: u32, found: Seen) {
        let mut seen = lock(&self.seen);
        if self.round.load(Ordering::SeqCst) == round {
            seen[page as usize] = Some(found);
        }
    }
}
