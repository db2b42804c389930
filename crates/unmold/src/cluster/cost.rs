//! Computes the cost of a clustering: the length of its description.
//!
//! Pages are 0/1 columns over paths. Their description consists of the templates, the cluster of
//! each page, and the differences. The exact cost is its entropy. The approximate cost, which all
//! algorithms use, counts ones and differences. It is a sum over clusters and does not need the
//! templates: in a cluster of `n` pages, a path that `s` of them have costs `min(s, n - s + 1)`. It
//! is either left out of the template, and `s` pages have it in addition, or part of the template,
//! and all but `s` pages lack it; the cheaper choice counts.

/// How many pages of a cluster have each path.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Counts {
    /// Number of pages.
    pub(super) pages: u32,
    /// Path and number of pages, sorted by path.
    pub(super) paths: Vec<(u32, u32)>,
    /// Approximate cost of the cluster.
    pub(super) cost: u64,
}

/// Cost of a path that `support` of `pages` pages have.
#[inline]
fn path_cost(support: u32, pages: u32) -> u64 {
    u64::from(support.min(pages - support + 1))
}

impl Counts {
    /// Counts of `pages` pages with the same paths.
    pub(crate) fn of_equal(paths: &[u32], pages: u32) -> Counts {
        let paths: Vec<(u32, u32)> = paths.iter().map(|&path| (path, pages)).collect();
        let cost = if pages == 0 { 0 } else { paths.len() as u64 };
        Counts { pages, paths, cost }
    }

    /// From pairs of a path and its number of pages, sorted by path.
    pub(crate) fn new(pages: u32, paths: Vec<(u32, u32)>) -> Counts {
        let cost = paths.iter().map(|&(_, support)| path_cost(support, pages)).sum();
        Counts { pages, paths, cost }
    }

    /// Counts of the union of two clusters.
    pub(crate) fn merged(&self, other: &Counts) -> Counts {
        let pages = self.pages + other.pages;
        let mut paths = Vec::with_capacity(self.paths.len().max(other.paths.len()));
        merge_join(&self.paths, &other.paths, |path, a, b| paths.push((path, a + b)));
        Counts::new(pages, paths)
    }

    /// Gain of merging the two: their cost apart minus their cost together. The straightforward
    /// version, used to test [`OneAgainstMany`].
    #[cfg(test)]
    pub(crate) fn gain(&self, other: &Counts) -> i64 {
        let pages = self.pages + other.pages;
        let mut together = 0;
        merge_join(&self.paths, &other.paths, |_, a, b| together += path_cost(a + b, pages));
        (self.cost + other.cost) as i64 - together as i64
    }

    /// The cheapest template: the paths that more than half of the pages have. Where both choices
    /// cost the same, at (pages + 1) / 2, the path is in, as in the paper.
    pub(crate) fn template(&self) -> Vec<u32> {
        let majority = self
            .paths
            .iter()
            .filter(|&&(_, support)| 2 * u64::from(support) > u64::from(self.pages));
        majority.map(|&(path, _)| path).collect()
    }
}

fn merge_join(a: &[(u32, u32)], b: &[(u32, u32)], mut take: impl FnMut(u32, u32, u32)) {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let ((path_a, count_a), (path_b, count_b)) = (a[i], b[j]);
        let path = path_a.min(path_b);
        let (take_a, take_b) = (path_a == path, path_b == path);
        take(path, if take_a { count_a } else { 0 }, if take_b { count_b } else { 0 });
        i += usize::from(take_a);
        j += usize::from(take_b);
    }
    a[i..].iter().for_each(|&(path, count)| take(path, count, 0));
    b[j..].iter().for_each(|&(path, count)| take(path, 0, count));
}

/// Computes the gains of merging one cluster with many others. The counts of the one are spread out
/// once, so each other cluster takes only as long as its own paths.
#[derive(Default, Debug)]
pub(crate) struct OneAgainstMany {
    spread: Vec<u32>,
    /// Cost of the one cluster's paths in a cluster of the given number of pages.
    alone: Vec<(u32, i64)>,
}

impl OneAgainstMany {
    pub(crate) fn new(paths: usize) -> OneAgainstMany {
        OneAgainstMany { spread: vec![0; paths], alone: Vec::new() }
    }

    /// The gain of merging `one` with each of `others`, in their order.
    pub(crate) fn gains<'a>(
        &mut self,
        one: &Counts,
        others: impl Iterator<Item = &'a Counts>,
        mut take: impl FnMut(i64),
    ) {
        self.alone.clear();
        for &(path, count) in &one.paths {
            self.spread[path as usize] = count;
        }
        for other in others {
            let pages = one.pages + other.pages;
            let mut together = self.cost_alone(one, pages);
            for &(path, count) in &other.paths {
                let own = self.spread[path as usize];
                let without = own.min(pages - own + 1);
                let with = (own + count).min(pages - own - count + 1);
                together += i64::from(with) - i64::from(without);
            }
            take((one.cost + other.cost) as i64 - together);
        }
        for &(path, _) in &one.paths {
            self.spread[path as usize] = 0;
        }
    }

    fn cost_alone(&mut self, one: &Counts, pages: u32) -> i64 {
        match self.alone.binary_search_by_key(&pages, |known| known.0) {
            Ok(found) => self.alone[found].1,
            Err(place) => {
                let cost =
                    one.paths.iter().map(|&(_, support)| path_cost(support, pages) as i64).sum();
                self.alone.insert(place, (pages, cost));
                cost
            }
        }
    }
}

/// The exact description length of a clustering, with its parts, in bits.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct ExactCost {
    /// Total number of paths in the templates.
    pub template_paths: u64,
    /// Paths on pages but not in their templates.
    pub added: u64,
    /// Paths in templates but not on their pages.
    pub missing: u64,
    /// Bits for the templates.
    pub templates: f64,
    /// Bits for the cluster of each page.
    pub membership: f64,
    /// Bits for the differences.
    pub differences: f64,
}

impl ExactCost {
    /// The sum of all parts.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.templates + self.membership + self.differences
    }

    /// The approximate cost of the same clustering, which the algorithms reduce.
    #[must_use]
    pub fn approximate(&self) -> u64 {
        self.template_paths + self.added + self.missing
    }
}

/// A described cluster: the paths of its template and its pages, both by number.
pub type Described = (Vec<u32>, Vec<u32>);

/// The exact cost of describing `pages`, sorted sets out of `paths` paths, by `clusters`.
///
/// With `padded`, templates are counted as if there were as many clusters as pages, as in the
/// paper's example, so that the size does not depend on the number of clusters.
#[must_use]
pub fn exact_cost(
    pages: &[Vec<u32>],
    paths: usize,
    clusters: &[Described],
    padded: bool,
) -> ExactCost {
    let (mut template_paths, mut added, mut missing) = (0, 0, 0);
    for (template, members) in clusters {
        template_paths += template.len() as u64;
        for &member in members {
            let page = &pages[member as usize];
            let common = common(template, page);
            added += (page.len() - common) as u64;
            missing += (template.len() - common) as u64;
        }
    }
    let columns = if padded { pages.len() } else { clusters.len() };
    let (template_cells, cells) = ((paths * columns) as u64, (paths * pages.len()) as u64);
    let number = pages.len() as f64;
    ExactCost {
        template_paths,
        added,
        missing,
        templates: entropy_bits(&[template_paths, template_cells - template_paths]),
        membership: if pages.len() > 1 { number * number.log2() } else { 0.0 },
        differences: entropy_bits(&[added, missing, cells - added - missing]),
    }
}

/// Entropy of a sequence in which the symbols occur `counts` times, times its length.
fn entropy_bits(counts: &[u64]) -> f64 {
    let total = counts.iter().sum::<u64>() as f64;
    let bits = |&count: &u64| -(count as f64) * (count as f64 / total).log2();
    counts.iter().filter(|&&count| count > 0).map(bits).sum()
}

/// Number of paths that two sorted sets have in common.
pub(crate) fn common(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        both += usize::from(a[i] == b[j]);
        let (step_a, step_b) = (a[i] <= b[j], b[j] <= a[i]);
        i += usize::from(step_a);
        j += usize::from(step_b);
    }
    both
}
