//! The pattern language, and how much two patterns have in common.
//!
//! Items are interned: equal items have equal numbers. What was computed for a pair of items is
//! therefore reused wherever the pair occurs again, on this page or another.

use unmold_html::hash::KeyedMap;

/// Number of an item.
pub(super) type ItemId = u32;
/// A sequence of items.
pub(super) type Seq = Vec<ItemId>;

/// A part of a pattern.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Item {
    /// One element (or text) with its children.
    Element { label: u32, seq: Seq },
    /// One or more times in a row.
    Star(Seq),
    /// Once or not at all.
    Optional(Seq),
    /// One of several.
    Or(Vec<Seq>),
}

impl Item {
    /// Number of items it holds, and of what it takes to hold none.
    fn length(&self) -> u64 {
        8 + match self {
            Item::Element { seq, .. } | Item::Star(seq) | Item::Optional(seq) => seq.len() as u64,
            Item::Or(alternatives) => {
                alternatives.iter().map(|seq| 4 + seq.len() as u64).sum::<u64>()
            }
        }
    }
}

/// Numbers the element names, consistently for all pages of a sample.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Names {
    names: Vec<String>,
    numbers: KeyedMap<String, u32>,
}

impl Names {
    /// The number of all names that no item has.
    pub(super) const UNKNOWN: u32 = u32::MAX;

    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    pub(super) fn known(&self, name: &str) -> u32 {
        self.numbers.get(name).copied().unwrap_or(Names::UNKNOWN)
    }

    pub(super) fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }
}

/// Alignments with more cells than this are restricted to a band around the diagonal.
const MAX_FULL_CELLS: usize = 1 << 16;
/// Minimum half width of the band.
const MIN_HALF_BAND: usize = 32;

/// The interned items.
#[derive(Clone, Default, Debug)]
pub(super) struct Items {
    items: Vec<Item>,
    numbers: KeyedMap<Item, ItemId>,
    sizes: Vec<u32>,
    /// Cached results of [`Items::common`].
    common: KeyedMap<(ItemId, ItemId), u32>,
    /// Number of alignment cells computed so far, which measures the cost of learning.
    pub(super) cells: u64,
    /// Numbers kept so far, which measures its memory.
    kept: u64,
    limits: Budget,
}

/// The time and memory that learning may take.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Budget {
    pub(super) max_cells: u64,
    /// Maximum of [`Items::kept`].
    pub(super) max_kept: u64,
}

impl Items {
    pub(super) fn within(limits: Budget) -> Items {
        Items { limits, ..Items::default() }
    }

    pub(super) fn add(&mut self, item: Item) -> ItemId {
        if let Some(&id) = self.numbers.get(&item) {
            return id;
        }
        let id = self.items.len() as ItemId;
        self.kept += item.length();
        self.sizes.push(self.measure(&item));
        self.items.push(item.clone());
        self.numbers.insert(item, id);
        id
    }

    /// Whether learning has taken all the time or memory it may take.
    pub(super) fn is_spent(&self) -> bool {
        self.cells > self.limits.max_cells || self.kept > self.limits.max_kept
    }

    fn measure(&self, item: &Item) -> u32 {
        let sum = |seq: &Seq| seq.iter().fold(0u32, |sum, &id| sum.saturating_add(self.size(id)));
        match item {
            Item::Element { seq, .. } => sum(seq).saturating_add(1),
            Item::Star(seq) | Item::Optional(seq) => sum(seq),
            Item::Or(alternatives) => alternatives.iter().map(sum).max().unwrap_or(0),
        }
    }

    pub(super) fn get(&self, id: ItemId) -> &Item {
        &self.items[id as usize]
    }

    /// Number of nodes of the largest tree that matches the item, with one entry per list.
    pub(super) fn size(&self, id: ItemId) -> u32 {
        self.sizes[id as usize]
    }

    pub(super) fn is_optional(&self, id: ItemId) -> bool {
        matches!(self.get(id), Item::Optional(_))
    }

    /// The content of a list or an option; any other item is its own body.
    pub(super) fn body(&self, id: ItemId) -> Seq {
        match self.get(id) {
            Item::Star(seq) | Item::Optional(seq) => seq.clone(),
            Item::Element { .. } | Item::Or(_) => vec![id],
        }
    }

    /// The share of the nodes of both items that can be paired.
    pub(super) fn similarity(&mut self, a: ItemId, b: ItemId) -> f64 {
        let sum = f64::from(self.size(a)) + f64::from(self.size(b));
        f64::from(2 * self.common(a, b)) / sum
    }

    /// Whether the similarity is at least `min_similarity`. Often the sizes alone rule it out.
    pub(super) fn is_similar(&mut self, a: ItemId, b: ItemId, min_similarity: f64) -> bool {
        if a == b {
            return true;
        }
        let (a_size, b_size) = (f64::from(self.size(a)), f64::from(self.size(b)));
        2.0 * a_size.min(b_size) / (a_size + b_size) >= min_similarity
            && self.similarity(a, b) >= min_similarity
    }

    /// Number of nodes that can be paired if order and ancestry are preserved; 0 once learning has
    /// taken all it may take.
    pub(super) fn common(&mut self, a: ItemId, b: ItemId) -> u32 {
        if let Some(known) = self.known_common(a, b) {
            return known;
        }
        // Each pair on the stack needs the pairs above it.
        let mut open = vec![(a, b)];
        while let Some(&(a, b)) = open.last() {
            if self.is_spent() {
                return 0;
            }
            if self.known_common(a, b).is_some() {
                open.pop();
                continue;
            }
            let pairings = self.pairings(a, b);
            let before = open.len();
            for (first, second) in &pairings {
                for (i, &x) in first.iter().enumerate() {
                    let (from, to) = near_diagonal(i + 1, first.len(), second.len());
                    let near = second[from.max(1) - 1..to].iter().map(|&y| (x, y));
                    open.extend(near.filter(|&(x, y)| self.known_common(x, y).is_none()));
                }
            }
            if open.len() > before {
                continue;
            }
            let best =
                pairings.iter().map(|(first, second)| self.common_of_seqs(first, second)).max();
            let both_elements = matches!(self.get(a), Item::Element { .. })
                && matches!(self.get(b), Item::Element { .. });
            self.kept += 4;
            self.common.insert((a, b), best.unwrap_or(0) + u32::from(both_elements));
            open.pop();
        }
        self.known_common(a, b).unwrap_or(0)
    }

    /// The result of [`Items::common`] if it needs no alignment or is cached.
    fn known_common(&self, a: ItemId, b: ItemId) -> Option<u32> {
        if a == b {
            return Some(self.size(a));
        }
        if let (Item::Element { label, seq }, Item::Element { label: other, seq: others }) =
            (self.get(a), self.get(b))
        {
            if label != other {
                return Some(0);
            }
            if seq.is_empty() || others.is_empty() {
                return Some(1);
            }
        }
        self.common.get(&(a, b)).copied()
    }

    /// The pairs of sequences to align to find what two items have in common; the best one counts.
    fn pairings(&self, a: ItemId, b: ItemId) -> Vec<(Seq, Seq)> {
        match (self.get(a), self.get(b)) {
            (Item::Or(alternatives), _) => {
                alternatives.iter().map(|seq| (seq.clone(), self.body(b))).collect()
            }
            (_, Item::Or(alternatives)) => {
                alternatives.iter().map(|seq| (self.body(a), seq.clone())).collect()
            }
            (Item::Element { seq, .. }, Item::Element { seq: others, .. }) => {
                vec![(seq.clone(), others.clone())]
            }
            _ => vec![(self.body(a), self.body(b))],
        }
    }

    /// [`Items::common`] of sequences.
    pub(super) fn common_of_seqs(&mut self, first: &[ItemId], second: &[ItemId]) -> u32 {
        let mut row = vec![0u32; second.len() + 1];
        for (i, &x) in first.iter().enumerate() {
            let near = near_diagonal(i + 1, first.len(), second.len());
            // Outside the band the row keeps the values of earlier rows, which are lower bounds.
            let (from, to) = (near.0.max(1), near.1);
            let mut diagonal = row[from - 1];
            for j in from..=to {
                let above = row[j];
                let here = match self.known_common(x, second[j - 1]) {
                    Some(known) => known,
                    None => self.common(x, second[j - 1]),
                };
                row[j] = above.max(row[j - 1]).max(diagonal + here);
                diagonal = above;
            }
            self.cells += (to + 1 - from) as u64;
        }
        row[second.len()]
    }
}

/// The columns to compute in row `i` of an alignment of `rows` with `columns`: all of them, unless
/// the matrix is very large.
pub(super) fn near_diagonal(i: usize, rows: usize, columns: usize) -> (usize, usize) {
    if rows * columns <= MAX_FULL_CELLS {
        return (0, columns);
    }
    let half = (MAX_FULL_CELLS / rows / 2).max(columns / rows + 2).max(MIN_HALF_BAND);
    let centre = i * columns / rows;
    (centre.saturating_sub(half), (centre + half).min(columns))
}
