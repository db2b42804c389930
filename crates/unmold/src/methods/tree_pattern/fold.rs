//! Turns a page into a pattern: siblings that repeat in a row become a list.

use super::items::{Item, ItemId, Items, Seq};
use super::merge::Generaliser;
use super::tree::Tree;

/// Maximum number of siblings in one entry of a list.
const MAX_PERIOD: usize = 8;
/// The same for more than [`MANY_SIBLINGS`] siblings.
const MAX_PERIOD_OF_MANY: usize = 4;
const MANY_SIBLINGS: usize = 400;
/// Maximum number of comparisons for a list of siblings, in addition to
/// [`COMPARISONS_PER_SIBLING`]. Repeats that are not found within it are not folded.
const MAX_COMPARISONS: usize = 1 << 20;
const COMPARISONS_PER_SIBLING: usize = 64;

/// Siblings `start..start + period * times` that repeat the first `period` of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Repeat {
    start: usize,
    period: usize,
    times: usize,
}

impl Repeat {
    fn length(&self) -> usize {
        self.period * self.times
    }
}

impl Generaliser {
    /// The pattern of one page: its tree with lists folded, from the leaves up.
    pub(super) fn pattern_of(&mut self, tree: &Tree) -> ItemId {
        let mut found: Vec<ItemId> = vec![0; tree.len() as usize];
        for id in (0..tree.len()).rev() {
            let seq: Seq = tree.children(id).iter().map(|&child| found[child as usize]).collect();
            let seq = self.fold(seq);
            found[id as usize] =
                self.items.add(Item::Element { label: tree.labels[id as usize], seq });
        }
        found[0]
    }

    /// Folds tandem repeats, starting with the one that covers the most siblings.
    pub(super) fn fold(&mut self, mut seq: Seq) -> Seq {
        let mut left = MAX_COMPARISONS + COMPARISONS_PER_SIBLING * seq.len();
        while !self.is_spent()
            && let Some(repeat) =
                best_repeat(&mut self.items, &seq, self.settings.fold_similarity, &mut left)
        {
            let Repeat { start, period, times } = repeat;
            let mut body = seq[start..start + period].to_vec();
            for time in 1..times {
                if self.is_spent() {
                    return seq;
                }
                let from = start + time * period;
                body = self.merge_seqs(&body, &seq[from..from + period]);
            }
            let is_list = body.len() == 1 && matches!(self.items.get(body[0]), Item::Star(_));
            let list = if is_list { body[0] } else { self.items.add(Item::Star(body)) };
            seq.splice(start..start + repeat.length(), [list]);
        }
        seq
    }
}

/// The repeat that covers the most siblings. Ties go to the shortest entry, then to the leftmost.
fn best_repeat(
    items: &mut Items,
    seq: &[ItemId],
    min_similarity: f64,
    left: &mut usize,
) -> Option<Repeat> {
    let max_period = if seq.len() > MANY_SIBLINGS { MAX_PERIOD_OF_MANY } else { MAX_PERIOD };
    let mut best: Option<Repeat> = None;
    for period in 1..=max_period.min(seq.len() / 2) {
        for start in 0..=seq.len() - 2 * period {
            let covered = best.map_or(0, |best| best.length());
            if (seq.len() - start) / period * period <= covered || *left == 0 {
                break;
            }
            let times = times(items, &seq[start..], period, min_similarity, left);
            let found = Repeat { start, period, times };
            if times >= 2 && found.length() > covered {
                best = Some(found);
            }
        }
    }
    best
}

/// How many times in a row the first `period` items occur.
fn times(
    items: &mut Items,
    seq: &[ItemId],
    period: usize,
    min_similarity: f64,
    left: &mut usize,
) -> usize {
    let entry = &seq[..period];
    let mut entries = seq.chunks_exact(period).skip(1);
    1 + entries
        .by_ref()
        .take_while(|other| {
            *left = left.saturating_sub(period);
            *left > 0
                && entry
                    .iter()
                    .zip(other.iter())
                    .all(|(&a, &b)| are_alike(items, a, b, min_similarity))
        })
        .count()
}

fn are_alike(items: &mut Items, a: ItemId, b: ItemId, min_similarity: f64) -> bool {
    let same_kind = match (items.get(a), items.get(b)) {
        (Item::Element { label, .. }, Item::Element { label: other, .. }) => label == other,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    };
    same_kind && items.is_similar(a, b, min_similarity)
}
