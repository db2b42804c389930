//! A finished pattern: its parts in document order, and for each element an automaton that reads
//! its children.

use unmold_html::hash::KeyedMap;

use super::items::{Item, ItemId, Items, Names, Seq};

/// A part of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Part {
    Element(u32),
    Star,
    Optional,
    Or,
    /// One side of a [`Part::Or`].
    Alternative,
}

/// A pattern in document order. The parts below `id` are `id + 1..id + size(id)`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Pattern {
    pub(super) parts: Vec<Part>,
    pub(super) sizes: Vec<u32>,
    /// Class of each element: elements of one class match the same trees. Meaningless for other
    /// parts.
    pub(super) classes: Vec<u32>,
    pub(super) automata: Vec<Automaton>,
}

/// Reads the children of an element: states, and edges between them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Automaton {
    /// By state, the states that can be entered without reading a child.
    pub(super) free: Vec<Vec<u32>>,
    /// By state, the edges that read a child.
    pub(super) reading: Vec<Vec<Edge>>,
    pub(super) end: u32,
    /// Minimum number of nodes below the element.
    pub(super) min_nodes: u32,
    /// Distinct labels and classes of all edges, sorted.
    pub(super) readers: Vec<(u32, u32)>,
    /// Bits of the labels that may occur below the element, and of those that must.
    pub(super) may: u64,
    pub(super) must: u64,
}

/// An edge that reads a child with this label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    pub(super) label: u32,
    pub(super) class: u32,
    pub(super) to: u32,
    /// Position of the part, relative to the element.
    pub(super) offset: u32,
}

/// The bit of a label. Different labels may share a bit.
pub(super) fn bit(label: u32) -> u64 {
    1 << (label % 64)
}

impl Automaton {
    fn state(&mut self) -> u32 {
        self.free.push(Vec::new());
        self.reading.push(Vec::new());
        self.free.len() as u32 - 1
    }

    fn free(&mut self, from: u32, to: u32) {
        self.free[from as usize].push(to);
    }
}

impl Pattern {
    /// The pattern of an item.
    pub(super) fn of_item(items: &Items, root: ItemId) -> Pattern {
        enum Open<'a> {
            Item(ItemId),
            Alternative(&'a Seq),
            Close(usize),
        }
        let mut parts = Vec::new();
        let mut sizes: Vec<u32> = Vec::new();
        let mut open = vec![Open::Item(root)];
        while let Some(next) = open.pop() {
            let id = parts.len();
            let (part, seq): (Part, &[ItemId]) = match next {
                Open::Close(id) => {
                    sizes[id] = (parts.len() - id) as u32;
                    continue;
                }
                Open::Alternative(seq) => (Part::Alternative, seq),
                Open::Item(item) => match items.get(item) {
                    Item::Element { label, seq } => (Part::Element(*label), seq),
                    Item::Star(seq) => (Part::Star, seq),
                    Item::Optional(seq) => (Part::Optional, seq),
                    Item::Or(alternatives) => {
                        open.push(Open::Close(id));
                        open.extend(alternatives.iter().rev().map(Open::Alternative));
                        parts.push(Part::Or);
                        sizes.push(1);
                        continue;
                    }
                },
            };
            open.push(Open::Close(id));
            open.extend(seq.iter().rev().map(|&id| Open::Item(id)));
            parts.push(part);
            sizes.push(1);
        }
        Pattern::new(parts, sizes)
    }

    /// The pattern of parts in document order.
    pub(super) fn new(parts: Vec<Part>, sizes: Vec<u32>) -> Pattern {
        let mut pattern =
            Pattern { classes: vec![0; parts.len()], parts, sizes, automata: Vec::new() };
        let mut known: KeyedMap<Vec<(Part, u32)>, u32> = KeyedMap::default();
        let mut min_nodes = vec![0u32; pattern.parts.len()];
        let mut must = vec![0u64; pattern.parts.len()];
        for id in (0..pattern.parts.len()).rev() {
            pattern.measure(id, &mut min_nodes, &mut must);
            if !matches!(pattern.parts[id], Part::Element(_)) {
                continue;
            }
            let key = pattern.key(id);
            let next = pattern.automata.len() as u32;
            let class = *known.entry(key).or_insert(next);
            pattern.classes[id] = class;
            if class == next {
                let mut automaton = pattern.automaton(id);
                automaton.min_nodes = min_nodes[id] - 1;
                for child in pattern.children(id) {
                    automaton.must |= must[child];
                }
                pattern.automata.push(automaton);
            }
        }
        pattern
    }

    /// Computes the minimum number of nodes and the required labels from those of the parts below.
    fn measure(&self, id: usize, min_nodes: &mut [u32], must: &mut [u64]) {
        let (mut sum, mut smallest) = (0u32, u32::MAX);
        let (mut all, mut common) = (0, u64::MAX);
        for child in self.children(id) {
            sum = sum.saturating_add(min_nodes[child]);
            smallest = smallest.min(min_nodes[child]);
            all |= must[child];
            common &= must[child];
        }
        (min_nodes[id], must[id]) = match self.parts[id] {
            Part::Element(label) => (sum.saturating_add(1), bit(label) | all),
            Part::Star | Part::Alternative => (sum, all),
            Part::Optional => (0, 0),
            Part::Or if smallest == u32::MAX => (0, 0),
            Part::Or => (smallest, common),
        };
    }

    /// The key that identifies the class of an element: everything down to the next elements, and
    /// their classes.
    fn key(&self, id: usize) -> Vec<(Part, u32)> {
        let mut key = vec![(self.parts[id], 0)];
        let end = id + self.sizes[id] as usize;
        let mut at = id + 1;
        while at < end {
            match self.parts[at] {
                Part::Element(_) => {
                    key.push((self.parts[at], self.classes[at]));
                    at += self.sizes[at] as usize;
                }
                part => {
                    // The size determines where the part ends.
                    key.push((part, self.sizes[at]));
                    at += 1;
                }
            }
        }
        key
    }

    fn automaton(&self, element: usize) -> Automaton {
        struct Open {
            part: Part,
            end: usize,
            start: u32,
            ends: Vec<u32>,
        }
        let mut automaton = Automaton::default();
        let mut state = automaton.state();
        let mut open: Vec<Open> = Vec::new();
        let end = element + self.sizes[element] as usize;
        let mut at = element + 1;
        loop {
            while let Some(Open { part, start, ends, .. }) = open.pop_if(|open| open.end == at) {
                let last = state;
                match part {
                    Part::Alternative => {
                        if let Some(or) = open.last_mut() {
                            or.ends.push(last);
                            state = or.start;
                        }
                        continue;
                    }
                    Part::Star => automaton.free(last, start),
                    _ => {}
                }
                state = automaton.state();
                match part {
                    Part::Optional => {
                        automaton.free(last, state);
                        automaton.free(start, state);
                    }
                    Part::Or => ends.iter().for_each(|&end| automaton.free(end, state)),
                    _ => automaton.free(last, state),
                }
            }
            if at >= end {
                break;
            }
            let size = self.sizes[at] as usize;
            if let Part::Element(label) = self.parts[at] {
                let to = automaton.state();
                let offset = (at - element) as u32;
                let class = self.classes[at];
                automaton.reading[state as usize].push(Edge { label, class, to, offset });
                automaton.readers.push((label, class));
                automaton.may |= bit(label) | self.automata[class as usize].may;
                state = to;
                at += size;
                continue;
            }
            // A list and an alternative start in a state of their own. Otherwise going back to the
            // start would also allow what comes before it.
            let mut start = state;
            if matches!(self.parts[at], Part::Star | Part::Alternative) {
                start = automaton.state();
                automaton.free(state, start);
            }
            open.push(Open { part: self.parts[at], end: at + size, start, ends: Vec::new() });
            state = start;
            at += 1;
        }
        automaton.end = state;
        automaton.readers.sort_unstable();
        automaton.readers.dedup();
        automaton
    }

    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The parts directly below a part.
    pub(super) fn children(&self, id: usize) -> impl Iterator<Item = usize> + '_ {
        let end = id + self.sizes[id] as usize;
        let first = (id + 1 < end).then_some(id + 1);
        std::iter::successors(first, move |&child| {
            Some(child + self.sizes[child] as usize).filter(|&next| next < end)
        })
    }

    /// Minimum number of nodes of a tree that matches the element `id`.
    pub(super) fn min_size(&self, id: usize) -> u32 {
        self.automata[self.classes[id] as usize].min_nodes + 1
    }

    /// The list whose entries each element is a part of: the outermost, if lists are nested among
    /// its siblings.
    pub(super) fn lists(&self) -> Vec<Option<u32>> {
        let mut lists = vec![None; self.len()];
        // The end of each open part, and the list that elements directly inside it belong to.
        let mut open: Vec<(usize, Option<u32>)> = Vec::new();
        for (at, &part) in self.parts.iter().enumerate() {
            while open.pop_if(|open| open.0 == at).is_some() {}
            let outer = open.last().and_then(|open| open.1);
            let inner = match part {
                Part::Element(_) => {
                    lists[at] = outer;
                    None
                }
                Part::Star => outer.or(Some(at as u32)),
                Part::Optional | Part::Or | Part::Alternative => outer,
            };
            open.push((at + self.sizes[at] as usize, inner));
        }
        lists
    }

    /// Writes the pattern on one line: `ul{(li{a})*}`.
    pub(super) fn notation(&self, names: &Names) -> String {
        self.write(0, names)
    }

    /// Writes the part `root` and all below it.
    pub(super) fn write(&self, root: usize, names: &Names) -> String {
        let mut out = String::new();
        let mut open: Vec<(usize, &str)> = Vec::new();
        let end = root + self.sizes.get(root).map_or(0, |&size| size as usize);
        for at in root..end {
            while let Some((_, closing)) = open.pop_if(|open| open.0 == at) {
                out.push_str(closing);
            }
            let is_alternative = self.parts[at] == Part::Alternative;
            if !out.is_empty() && !out.ends_with(['{', '(', '|']) {
                out.push(if is_alternative { '|' } else { ' ' });
            }
            let (opening, closing) = match self.parts[at] {
                Part::Element(_) if self.sizes[at] > 1 => ("{", "}"),
                Part::Element(_) | Part::Alternative => ("", ""),
                Part::Star => ("(", ")*"),
                Part::Optional => ("(", ")?"),
                Part::Or => ("(", ")"),
            };
            if let Part::Element(label) = self.parts[at] {
                out.push_str(names.name(label));
            }
            out.push_str(opening);
            open.push((at + self.sizes[at] as usize, closing));
        }
        while let Some((_, closing)) = open.pop() {
            out.push_str(closing);
        }
        out
    }
}

impl Pattern {
    /// Writes the pattern on lines of about `width` characters, indented by depth. A part that fits
    /// on one line is not broken.
    pub(super) fn outline(&self, names: &Names, width: usize) -> String {
        let lengths = self.lengths(names);
        let mut out = String::new();
        let mut open: Vec<(usize, &str)> = Vec::new();
        let mut at = 0;
        while at < self.len() {
            while let Some((_, closing)) = open.pop_if(|open| open.0 == at) {
                line(&mut out, open.len(), closing);
            }
            let indent = 2 * open.len().min(40);
            let bar = if self.parts[at] == Part::Alternative { "| " } else { "" };
            if lengths[at] + indent <= width || self.sizes[at] == 1 {
                line(&mut out, open.len(), &format!("{bar}{}", self.write(at, names)));
                at += self.sizes[at] as usize;
                continue;
            }
            let (opening, closing) = match self.parts[at] {
                Part::Element(label) => (format!("{}{{", names.name(label)), "}"),
                Part::Star => ("(".to_owned(), ")*"),
                Part::Optional => ("(".to_owned(), ")?"),
                Part::Or => ("(".to_owned(), ")"),
                Part::Alternative => ("|".to_owned(), ""),
            };
            line(&mut out, open.len(), &opening);
            open.push((at + self.sizes[at] as usize, closing));
            at += 1;
        }
        while let Some((_, closing)) = open.pop() {
            line(&mut out, open.len(), closing);
        }
        out
    }

    /// Upper bound of the length of each part on one line, including everything below it.
    fn lengths(&self, names: &Names) -> Vec<usize> {
        let mut lengths = vec![0; self.len()];
        for id in (0..self.len()).rev() {
            let below: usize = self.children(id).map(|child| lengths[child] + 1).sum();
            lengths[id] = below
                + match self.parts[id] {
                    Part::Element(label) => names.name(label).len() + 2,
                    _ => 3,
                };
        }
        lengths
    }
}

/// Writes a line, unless `text` is empty.
fn line(out: &mut String, depth: usize, text: &str) {
    if !text.is_empty() {
        out.extend(std::iter::repeat_n("  ", depth.min(40)));
        out.push_str(text);
        out.push('\n');
    }
}
