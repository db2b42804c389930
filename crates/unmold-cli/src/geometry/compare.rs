//! Compares estimated areas with those of a browser, page by page.

use std::collections::BTreeMap;
use std::fmt::Write;

use unmold::page::Flow;
use unmold::sections::{Areas, Section};
use unmold::{NodeId, Page};

/// Agreement of two sets of areas on one page.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    /// Spearman's rank correlation of the block areas; `None` with fewer than three blocks.
    pub rank: Option<f64>,
    /// Share of the text that both rate alike, as noise or not.
    pub same_decision: f64,
    /// Share of section starts that both have in common.
    pub same_cut: f64,
}

impl Comparison {
    pub fn of(
        page: &Page,
        (first, first_cut): (&Areas, &[Section]),
        (second, second_cut): (&Areas, &[Section]),
        noisy_below: f64,
    ) -> Comparison {
        let blocks: Vec<NodeId> = page
            .body()
            .filter(|&id| {
                !page.is_text(id) && page.tag(id).flow() == Flow::Block && second.area(id) > 0.0
            })
            .collect();
        let ranks =
            |areas: &Areas| ranks(&blocks.iter().map(|&id| areas.area(id)).collect::<Vec<_>>());
        let rank = (blocks.len() > 2).then(|| correlation(&ranks(first), &ranks(second)));
        let (a, b) = (noisy(page, first_cut, noisy_below), noisy(page, second_cut, noisy_below));
        let length = |id: NodeId| page.text(id).chars().count();
        let all: usize = page.visible_texts().map(length).sum();
        let same: usize =
            page.visible_texts().filter(|&id| a[id.index()] == b[id.index()]).map(length).sum();
        let starts =
            |cut: &[Section]| cut.iter().map(|section| section.nodes[0]).collect::<Vec<_>>();
        let (a, b) = (starts(first_cut), starts(second_cut));
        let common = a.iter().filter(|id| b.binary_search(id).is_ok()).count();
        let share =
            |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
        Comparison {
            rank: rank.flatten(),
            same_decision: share(same, all),
            same_cut: share(2 * common, a.len() + b.len()),
        }
    }

    /// Formats the means per site and over all sites.
    pub fn table(pages: &[(String, Comparison)]) -> String {
        let mut sites: BTreeMap<&str, Vec<Comparison>> = BTreeMap::new();
        for (site, comparison) in pages {
            sites.entry(site).or_default().push(*comparison);
        }
        let mut out = format!(
            "{:28} {:>6} {:>18} {:>14} {:>9}\n",
            "site", "pages", "rank correlation", "same decision", "same cut"
        );
        let mut sums = (0.0, 0.0, 0.0);
        for (site, pages) in &sites {
            let mean = |value: &dyn Fn(&Comparison) -> Option<f64>| {
                let values: Vec<f64> = pages.iter().filter_map(value).collect();
                values.iter().sum::<f64>() / values.len().max(1) as f64
            };
            let row =
                (mean(&|c| c.rank), mean(&|c| Some(c.same_decision)), mean(&|c| Some(c.same_cut)));
            let _ = writeln!(
                out,
                "{site:28} {:6} {:18.3} {:14.3} {:9.3}",
                pages.len(),
                row.0,
                row.1,
                row.2
            );
            sums = (sums.0 + row.0, sums.1 + row.1, sums.2 + row.2);
        }
        let number = sites.len().max(1) as f64;
        let _ = writeln!(
            out,
            "{:28} {:6} {:18.3} {:14.3} {:9.3}",
            "mean of sites",
            pages.len(),
            sums.0 / number,
            sums.1 / number,
            sums.2 / number
        );
        out
    }
}

/// Returns for each node whether it is in a noisy section.
fn noisy(page: &Page, cut: &[Section], noisy_below: f64) -> Vec<bool> {
    let mut noisy = vec![false; page.len() as usize];
    for section in cut.iter().filter(|section| section.importance < noisy_below) {
        for id in section.nodes.iter().flat_map(|&node| page.subtree(node)) {
            noisy[id.index()] = true;
        }
    }
    noisy
}

/// Returns the rank of each value; equal values share the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let end = start
            + order[start..].iter().take_while(|&&at| values[at] == values[order[start]]).count();
        for &at in &order[start..end] {
            ranks[at] = (start + end - 1) as f64 / 2.0;
        }
        start = end;
    }
    ranks
}

/// Pearson's correlation; `None` if one side does not vary.
fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut both, mut only_a, mut only_b) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        both += (x - mean_a) * (y - mean_b);
        only_a += (x - mean_a).powi(2);
        only_b += (y - mean_b).powi(2);
    }
    (only_a > 0.0 && only_b > 0.0).then(|| both / (only_a * only_b).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_ranks_and_ranks_correlate() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 9.0]), [1.5, 0.0, 1.5, 3.0]);
        assert_eq!(correlation(&[0.0, 1.0, 2.0], &[2.0, 4.0, 6.0]), Some(1.0));
        assert_eq!(correlation(&[0.0, 1.0, 2.0], &[3.0, 2.0, 1.0]), Some(-1.0));
        assert_eq!(correlation(&[0.0, 1.0], &[1.0, 1.0]), None);
    }
}
