//! What do all pages look like? Found out in the background, so that nobody waits for it.
//!
//! Pages are visited in an order that is spread over the input at any time: a chart of a hundred
//! pages is already one of the whole site. Ten bytes are kept for each page.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use unmold::Flag;

use super::state::{Viewer, lock, number_of};

/// What is kept of a page.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Seen {
    /// Number of its template.
    pub template: Option<u32>,
    pub template_share: f32,
    pub template_match: Option<f32>,
    /// A bit for each of [`FLAGS`].
    pub flags: u16,
}

/// The flags that are counted.
pub const FLAGS: [Flag; 8] = [
    Flag::TooLarge,
    Flag::Binary,
    Flag::Empty,
    Flag::BadCharset,
    Flag::NoTemplate,
    Flag::AllTemplate,
    Flag::Unclustered,
    Flag::SinglePage,
];

/// Why a page has the flag.
pub fn meaning(flag: Flag) -> &'static str {
    match flag {
        Flag::TooLarge => "over a limit: read as plain text",
        Flag::Binary => "not a text file",
        Flag::Empty => "no visible text and no image",
        Flag::BadCharset => "bytes that its charset does not know",
        Flag::NoTemplate => "the site gave too few pages to learn from",
        Flag::AllTemplate => "everything was template: nothing is left",
        Flag::Unclustered => "fits no cluster; the nearest template was used",
        Flag::SinglePage => "the only page of its site",
        _ => "",
    }
}

pub struct Survey {
    seen: Mutex<Vec<Option<Seen>>>,
    next: AtomicUsize,
    /// Rises when everything has to be seen again.
    round: AtomicU32,
}

impl Survey {
    pub fn new(pages: u32) -> Survey {
        Survey {
            seen: Mutex::new(vec![None; pages as usize]),
            next: AtomicUsize::new(0),
            round: AtomicU32::new(0),
        }
    }

    /// What was seen of these pages, in their order.
    pub fn of(&self, pages: &[u32]) -> Vec<(u32, Option<Seen>)> {
        let seen = lock(&self.seen);
        pages.iter().map(|&page| (page, seen[page as usize])).collect()
    }

    /// Forgets everything: a template has changed.
    pub fn start_again(&self) {
        let mut seen = lock(&self.seen);
        self.round.fetch_add(1, Ordering::SeqCst);
        seen.fill(None);
        self.next.store(0, Ordering::SeqCst);
    }

    fn keep(&self, round: u32, page: u32, found: Seen) {
        let mut seen = lock(&self.seen);
        if self.round.load(Ordering::SeqCst) == round {
            seen[page as usize] = Some(found);
        }
    }
}

/// Visits all pages, on half of the cores, again and again as templates change. Never ends.
pub fn run(viewer: &Arc<Viewer>) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for _ in 0..(cores / 2).max(1) {
        let viewer = Arc::clone(viewer);
        std::thread::spawn(move || {
            loop {
                if !visit_next(&viewer) {
                    std::thread::sleep(std::time::Duration::from_millis(200));
                }
            }
        });
    }
}

/// Visits all pages now, on all cores.
pub fn run_to_end(viewer: &Viewer) {
    use rayon::prelude::*;
    (0..viewer.catalog.len()).into_par_iter().for_each(|_| {
        visit_next(viewer);
    });
}

/// Visits one more page; false if there is none.
fn visit_next(viewer: &Viewer) -> bool {
    let survey = &viewer.survey;
    let round = survey.round.load(Ordering::SeqCst);
    if survey.next.load(Ordering::SeqCst) >= viewer.catalog.len() as usize {
        return false;
    }
    let at = survey.next.fetch_add(1, Ordering::SeqCst);
    let Some(page) = spread_order(at, viewer.catalog.len()) else { return false };
    // A page that cannot be read, or that makes us panic, is one that nothing is known of.
    let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let templates = viewer.templates();
        let clean = viewer.clean(page, &templates)?;
        let number = clean.template.as_deref().and_then(|name| number_of(&templates, name));
        anyhow::Ok((clean, number))
    }));
    let seen = match found {
        Ok(Ok((found, number))) => Seen {
            template: number.map(|number| number as u32),
            template_share: 1.0 - found.content_share as f32,
            template_match: found.template_match.map(|share| share as f32),
            flags: (0..)
                .zip(FLAGS)
                .filter(|(_, flag)| found.flags.contains(flag))
                .map(|(bit, _)| 1 << bit)
                .sum(),
        },
        _ => Seen { template: None, template_share: 0.0, template_match: None, flags: 0 },
    };
    survey.keep(round, page, seen);
    true
}

/// The page that is visited as the `at`th of `pages`: any beginning of the order is spread over all
/// of them.
fn spread_order(at: usize, pages: u32) -> Option<u32> {
    if at >= pages as usize {
        return None;
    }
    // A stride near the golden section of the number, without a common divisor with it, meets every
    // page once.
    let pages = u64::from(pages);
    let mut stride = ((pages as f64 * 0.618_033_988_75) as u64).max(1);
    while divisor(stride, pages) != 1 {
        stride += 1;
    }
    Some((at as u64 * stride % pages) as u32)
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_visited_once_and_any_beginning_is_spread() {
        for pages in [1u32, 2, 3, 4, 10, 97, 100, 1000, 4096] {
            let mut order: Vec<u32> =
                (0..pages as usize).filter_map(|at| spread_order(at, pages)).collect();
            if pages >= 100 {
                let mut tenth: Vec<u32> = order[..pages as usize / 10].to_vec();
                tenth.sort_unstable();
                let gap = tenth.windows(2).map(|pair| pair[1] - pair[0]).max();
                assert!(gap < Some(50), "{pages}: {gap:?}");
            }
            order.sort_unstable();
            assert!(order.into_iter().eq(0..pages));
            assert_eq!(spread_order(pages as usize, pages), None);
        }
    }
}
