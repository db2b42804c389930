//! Visits all pages in the background and fills the survey.
//!
//! The order of the visits is spread over the input, so that charts of the first hundred pages
//! already show the whole site.

use std::sync::Arc;

use rayon::prelude::*;

use super::state::{Viewer, number_of};
use super::survey::{FLAGS, Seen};

/// Visits all pages on half of the cores, and again whenever templates change. Never ends.
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
    (0..viewer.catalog.len()).into_par_iter().for_each(|_| {
        visit_next(viewer);
    });
}

/// Visits one more page; returns false if there is none left.
fn visit_next(viewer: &Viewer) -> bool {
    let Some((at, round)) = viewer.survey.next() else { return false };
    let Some(page) = spread_order(at, viewer.catalog.len()) else { return false };
    // Pages that cannot be read or that cause a panic get empty statistics.
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
    viewer.survey.store(round, page, seen);
    true
}

/// Returns the page to visit at position `at`. Every prefix of the order is spread over all pages.
fn spread_order(at: usize, pages: u32) -> Option<u32> {
    if at >= pages as usize {
        return None;
    }
    // A stride close to the golden ratio of the number of pages and coprime to it visits every page
    // once.
    let pages = u64::from(pages);
    let mut stride = ((pages as f64 * 0.618_033_988_75) as u64).max(1);
    while gcd(stride, pages) != 1 {
        stride += 1;
    }
    Some((at as u64 * stride % pages) as u32)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_visited_once_and_every_prefix_is_spread() {
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
