//! Generalises the pattern of the pages so far to cover one more page.
//!
//! Siblings are aligned. What only one side has becomes optional, and what differs becomes an
//! alternative. Each step keeps both sides, so a page that a pattern matched is still matched
//! afterwards.

use super::items::{Item, ItemId, Items, Seq, near_diagonal};

/// Thresholds that control how far a pattern is generalised.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Thresholds {
    /// Minimum similarity of the entries of a list.
    pub(super) fold_similarity: f64,
    /// Minimum similarity of two items that are treated as the same.
    pub(super) align_similarity: f64,
    /// Whether patterns may have alternatives; otherwise both sides of a difference are optional.
    pub(super) alternatives: bool,
}

/// Builds and generalises patterns.
#[derive(Clone, Debug)]
pub(super) struct Generaliser {
    pub(super) items: Items,
    pub(super) settings: Thresholds,
    /// Labels of elements that every page has once. They always match, however different their
    /// content is.
    pub(super) always: Vec<u32>,
}

/// How a cell of an alignment is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Move {
    Start,
    /// This many items of the first and of the second sequence belong together.
    Pair(u32, u32),
    SkipFirst,
    SkipSecond,
}

/// A part of a merged sequence.
#[derive(Clone, Debug)]
enum Step {
    Keep(ItemId),
    Merge(ItemId, ItemId),
    /// The other side has one entry of a list, or the content of an option, unfolded.
    Unfolded {
        optional: bool,
        first: Seq,
        second: Seq,
    },
}

/// The item that a merged sequence becomes.
#[derive(Clone, Debug)]
enum Wrap {
    Nothing,
    Element(u32),
    Star,
    Optional,
    /// Alternative `index` of `alternatives`; the sequences of `rest` are added afterwards.
    Alternative {
        alternatives: Vec<Seq>,
        index: usize,
        rest: Vec<Seq>,
    },
}

/// A sequence that is being built.
#[derive(Clone, Debug)]
struct Frame {
    steps: std::vec::IntoIter<Step>,
    out: Seq,
    wrap: Wrap,
}

/// A merged item, or the sequence that has to be built first.
enum Merged {
    Done(ItemId),
    Open(Frame),
}

impl Generaliser {
    /// Whether nothing more may be folded or learned.
    pub(super) fn is_spent(&self) -> bool {
        self.items.is_spent()
    }

    /// Generalises `a` so that it also matches everything that `b` matches.
    pub(super) fn merge(&mut self, a: ItemId, b: ItemId) -> ItemId {
        match self.begin(a, b) {
            Merged::Done(id) => id,
            Merged::Open(frame) => self.run(frame)[0],
        }
    }

    /// [`Generaliser::merge`] of sequences.
    pub(super) fn merge_seqs(&mut self, first: &[ItemId], second: &[ItemId]) -> Seq {
        let frame = self.frame(first, second, Wrap::Nothing);
        self.run(frame)
    }

    /// Builds a sequence and everything below it. Not recursive, because pages can be deep.
    fn run(&mut self, frame: Frame) -> Seq {
        let mut open = vec![frame];
        loop {
            let Some(top) = open.last_mut() else { return Seq::new() };
            let merged = match top.steps.next() {
                Some(Step::Keep(id)) => Merged::Done(id),
                Some(Step::Merge(a, b)) => self.begin(a, b),
                Some(Step::Unfolded { optional, first, second }) => {
                    let wrap = if optional { Wrap::Optional } else { Wrap::Star };
                    Merged::Open(self.frame(&first, &second, wrap))
                }
                None => {
                    let Some(Frame { out, wrap, .. }) = open.pop() else { return Seq::new() };
                    if matches!(wrap, Wrap::Nothing) {
                        return out;
                    }
                    self.finish(out, wrap)
                }
            };
            match merged {
                Merged::Open(frame) => open.push(frame),
                Merged::Done(id) => match open.last_mut() {
                    Some(parent) => parent.out.push(id),
                    None => return vec![id],
                },
            }
        }
    }

    fn frame(&mut self, first: &[ItemId], second: &[ItemId], wrap: Wrap) -> Frame {
        Frame { steps: self.plan(first, second).into_iter(), out: Seq::new(), wrap }
    }

    fn finish(&mut self, out: Seq, wrap: Wrap) -> Merged {
        Merged::Done(match wrap {
            Wrap::Nothing | Wrap::Star => self.items.add(Item::Star(out)),
            Wrap::Element(label) => self.items.add(Item::Element { label, seq: out }),
            Wrap::Optional => self.items.add(Item::Optional(out)),
            Wrap::Alternative { mut alternatives, index, rest } => {
                alternatives[index] = out;
                return self.add_alternatives(alternatives, rest);
            }
        })
    }

    /// Merges two items. The order of the cases matters.
    fn begin(&mut self, a: ItemId, b: ItemId) -> Merged {
        if a == b {
            return Merged::Done(a);
        }
        match (self.items.get(a).clone(), self.items.get(b).clone()) {
            (Item::Element { label, seq }, Item::Element { seq: other, .. }) => {
                Merged::Open(self.frame(&seq, &other, Wrap::Element(label)))
            }
            (Item::Optional(seq), Item::Optional(other)) => {
                Merged::Open(self.frame(&seq, &other, Wrap::Optional))
            }
            (Item::Optional(seq), _) => Merged::Open(self.frame(&seq, &[b], Wrap::Optional)),
            (_, Item::Optional(seq)) => Merged::Open(self.frame(&[a], &seq, Wrap::Optional)),
            (Item::Or(alternatives), Item::Or(others)) => {
                self.add_alternatives(alternatives, others)
            }
            (Item::Or(alternatives), _) => self.add_alternatives(alternatives, vec![vec![b]]),
            (_, Item::Or(alternatives)) => self.add_alternatives(alternatives, vec![vec![a]]),
            _ => {
                let (first, second) = (self.items.body(a), self.items.body(b));
                Merged::Open(self.frame(&first, &second, Wrap::Star))
            }
        }
    }

    /// Merges each of `rest` into the alternative it has most in common with, or adds it as a new
    /// one.
    fn add_alternatives(&mut self, mut alternatives: Vec<Seq>, rest: Vec<Seq>) -> Merged {
        let mut rest = rest.into_iter();
        while let Some(block) = rest.next() {
            let mut best = (0, 0);
            for (index, alternative) in alternatives.iter().enumerate() {
                let common = self.items.common_of_seqs(alternative, &block);
                if common > best.0 {
                    best = (common, index);
                }
            }
            if best.0 == 0 {
                alternatives.push(block);
                continue;
            }
            let first = alternatives[best.1].clone();
            let wrap = Wrap::Alternative { alternatives, index: best.1, rest: rest.collect() };
            return Merged::Open(self.frame(&first, &block, wrap));
        }
        Merged::Done(self.items.add(Item::Or(alternatives)))
    }

    /// Plans how to merge two sequences.
    fn plan(&mut self, first: &[ItemId], second: &[ItemId]) -> Vec<Step> {
        // Pair equal ends right away: no alignment can do better.
        let equal_end =
            first.iter().rev().zip(second.iter().rev()).take_while(|(a, b)| a == b).count();
        let (first, end) = first.split_at(first.len() - equal_end);
        let second = &second[..second.len() - equal_end];
        let mut steps = Vec::new();
        let (mut only_first, mut only_second) = (Seq::new(), Seq::new());
        let (mut i, mut j) = (0, 0);
        for step in self.align(first, second) {
            match step {
                Move::Start => {}
                Move::SkipFirst => {
                    only_first.push(first[i]);
                    i += 1;
                }
                Move::SkipSecond => {
                    only_second.push(second[j]);
                    j += 1;
                }
                Move::Pair(a, b) => {
                    steps.extend(self.resolve(&mut only_first, &mut only_second));
                    let (to_i, to_j) = (i + a as usize, j + b as usize);
                    steps.push(self.pair(&first[i..to_i], &second[j..to_j]));
                    (i, j) = (to_i, to_j);
                }
            }
        }
        steps.extend(self.resolve(&mut only_first, &mut only_second));
        steps.extend(end.iter().map(|&id| Step::Keep(id)));
        steps
    }

    fn pair(&self, first: &[ItemId], second: &[ItemId]) -> Step {
        match (first, second) {
            (&[a], &[b]) => Step::Merge(a, b),
            (&[list], entry) => Step::Unfolded {
                optional: self.items.is_optional(list),
                first: self.items.body(list),
                second: entry.to_vec(),
            },
            (entry, rest) => Step::Unfolded {
                optional: self.items.is_optional(rest[0]),
                first: entry.to_vec(),
                second: self.items.body(rest[0]),
            },
        }
    }

    /// The alignment of greatest weight, as moves from left to right. Ties go to the first case in
    /// [`Generaliser::cell`].
    fn align(&mut self, first: &[ItemId], second: &[ItemId]) -> Vec<Move> {
        let mut rows: Vec<Row> = Vec::with_capacity(first.len() + 1);
        for i in 0..=first.len() {
            let (from, to) = if i == 0 {
                (0, second.len())
            } else {
                near_diagonal(i, first.len(), second.len())
            };
            rows.push(Row { from, cells: Vec::with_capacity(to + 1 - from) });
            for j in from..=to {
                let cell = self.cell(first, second, i, j, &rows);
                rows[i].cells.push(cell);
            }
            self.items.cells += (to + 1 - from) as u64;
        }
        let (mut i, mut j) = (first.len(), second.len());
        let mut moves = Vec::new();
        while i > 0 || j > 0 {
            let step = rows[i].get(j).map_or(Move::Start, |cell| cell.1);
            match step {
                Move::Pair(a, b) => (i, j) = (i - a as usize, j - b as usize),
                Move::SkipFirst => i -= 1,
                Move::SkipSecond => j -= 1,
                Move::Start => break,
            }
            moves.push(step);
        }
        moves.reverse();
        moves
    }

    fn cell(
        &mut self,
        first: &[ItemId],
        second: &[ItemId],
        i: usize,
        j: usize,
        rows: &[Row],
    ) -> (u32, Move) {
        let mut best = (0, Move::Start);
        let mut consider = |weight: u32, step: Move| {
            if best.1 == Move::Start || weight > best.0 {
                best = (weight, step);
            }
        };
        if i > 0 && j > 0 {
            let (a, b) = (first[i - 1], second[j - 1]);
            if let Some(before) = rows[i - 1].get(j - 1)
                && self.may_be_paired(a, b)
            {
                consider(before.0 + self.items.common(a, b), Move::Pair(1, 1));
            }
            if let Some(weight) = self.unfolded(a, &second[..j]) {
                let length = self.period(a);
                if let Some(before) = rows[i - 1].get(j - length) {
                    consider(before.0 + weight, Move::Pair(1, length as u32));
                }
            }
            if let Some(weight) = self.unfolded_second(&first[..i], b) {
                let length = self.period(b);
                if let Some(before) = rows[i - length].get(j - 1) {
                    consider(before.0 + weight, Move::Pair(length as u32, 1));
                }
            }
        }
        if let Some(before) = i.checked_sub(1).and_then(|above| rows[above].get(j)) {
            consider(before.0, Move::SkipFirst);
        }
        if let Some(before) = j.checked_sub(1).and_then(|left| rows[i].get(left)) {
            consider(before.0, Move::SkipSecond);
        }
        best
    }

    /// Number of items in an entry of a list or in an option; 0 for other items.
    fn period(&self, id: ItemId) -> usize {
        match self.items.get(id) {
            Item::Star(seq) | Item::Optional(seq) => seq.len(),
            Item::Element { .. } | Item::Or(_) => 0,
        }
    }

    /// The number of nodes that the entry of `list` has in common with the last items of `others`,
    /// if those are one unfolded entry.
    fn unfolded(&mut self, list: ItemId, others: &[ItemId]) -> Option<u32> {
        let length = self.period(list);
        if length < 2 || length > others.len() {
            return None;
        }
        let (entry, others) = (self.items.body(list), &others[others.len() - length..]);
        let fits = entry.iter().zip(others).all(|(&x, &y)| self.may_be_paired(x, y));
        fits.then(|| self.items.common_of_seqs(&entry, others))
    }

    /// [`Generaliser::unfolded`] with the sides exchanged, because [`Items::common`] is not
    /// symmetric.
    fn unfolded_second(&mut self, others: &[ItemId], list: ItemId) -> Option<u32> {
        let length = self.period(list);
        if length < 2 || length > others.len() {
            return None;
        }
        let (entry, others) = (self.items.body(list), &others[others.len() - length..]);
        let fits = others.iter().zip(&entry).all(|(&x, &y)| self.may_be_paired(x, y));
        fits.then(|| self.items.common_of_seqs(others, &entry))
    }

    fn may_be_paired(&mut self, a: ItemId, b: ItemId) -> bool {
        let min_similarity = self.settings.align_similarity;
        match (self.items.get(a), self.items.get(b)) {
            (Item::Element { label, .. }, Item::Element { label: other, .. }) => {
                label == other
                    && (self.always.contains(label) || self.items.is_similar(a, b, min_similarity))
            }
            _ => self.items.is_similar(a, b, min_similarity) && self.items.common(a, b) > 0,
        }
    }

    /// Merges the items between two pairs, which only one side has.
    fn resolve(&mut self, first: &mut Seq, second: &mut Seq) -> Vec<Step> {
        let (first, second) = (std::mem::take(first), std::mem::take(second));
        let all_optional = |items: &Items, seq: &Seq| seq.iter().all(|&id| items.is_optional(id));
        let seq = if all_optional(&self.items, &first)
            || all_optional(&self.items, &second)
            || !self.settings.alternatives
        {
            let mut seq = self.optional(first);
            seq.extend(self.optional(second));
            seq
        } else {
            let alternatives =
                match (self.only_alternatives(&first), self.only_alternatives(&second)) {
                    (Some(mut known), _) => {
                        known.push(second);
                        known
                    }
                    (None, Some(known)) => [vec![first], known].concat(),
                    (None, None) => vec![first, second],
                };
            vec![self.items.add(Item::Or(alternatives))]
        };
        seq.into_iter().map(Step::Keep).collect()
    }

    /// The alternatives, if the sequence consists of a single [`Item::Or`].
    fn only_alternatives(&self, seq: &[ItemId]) -> Option<Vec<Seq>> {
        match seq {
            &[only] => match self.items.get(only) {
                Item::Or(alternatives) => Some(alternatives.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    fn optional(&mut self, seq: Seq) -> Seq {
        if seq.iter().all(|&id| self.items.is_optional(id)) {
            return seq;
        }
        vec![self.items.add(Item::Optional(seq))]
    }
}

/// A row of an alignment: the cells from column `from` on.
struct Row {
    from: usize,
    cells: Vec<(u32, Move)>,
}

impl Row {
    fn get(&self, column: usize) -> Option<(u32, Move)> {
        self.cells.get(column.checked_sub(self.from)?).copied()
    }
}
