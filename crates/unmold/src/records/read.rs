//! Reads the values of a page's columns by look-ups: nothing is counted, nothing is compared.

use std::borrow::Cow;

use unmold_html::hash::{KeyedMap, KeyedSet};
use xxhash_rust::xxh3::xxh3_64;

use super::role::{Feature, How, Mode, Name, Place, Placing, Role};
use super::schema::{Schema, StoredNode, StoredTarget};
use super::structured;
use super::view::{
    self, MAX_LABEL, has_word, inline_label, is_skipped, marks_of, sign_beside, tag_of, with_sign,
};
use crate::page::{NodeId, Page};
use unmold_html::Tag;

/// Descendants that are looked at for marked elements, as in learning.
const SHAPE_NODES: u32 = 60;
/// Keys of one element name that a key is compared with if it was not seen.
const MAX_ALIKE: usize = 100;
/// Most texts of a subtree that are looked at, as in learning.
const MAX_LEAVES: usize = 400;

/// A value on a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Found<'p> {
    /// The text that it is in.
    pub node: NodeId,
    /// The value.
    pub text: &'p str,
    /// The whole text, which may have a label before the value.
    pub whole: &'p str,
    /// The currency sign that belongs to it, if an element of its own holds it, and whether it
    /// stands before the amount.
    pub sign: Option<(&'p str, bool)>,
    /// The entry of the list that it belongs to.
    pub record: Option<NodeId>,
}

impl<'p> Found<'p> {
    /// The value with its currency sign.
    pub fn value(&self) -> Cow<'p, str> {
        self.sign.map_or(Cow::Borrowed(self.text), |sign| Cow::Owned(with_sign(self.text, sign)))
    }
}

/// The values of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row<'p> {
    cells: Vec<Vec<Found<'p>>>,
    /// Empty unless structured data was read.
    structured: Vec<Vec<String>>,
}

impl<'p> Row<'p> {
    /// The values of each column, in document order.
    pub fn cells(&self) -> &[Vec<Found<'p>>] {
        &self.cells
    }

    /// The values of a column.
    ///
    /// # Panics
    /// The schema has no such column.
    pub fn texts(&self, column: usize) -> Vec<&'p str> {
        self.cells[column].iter().map(|found| found.text).collect()
    }

    /// What structured data says about a column, if it was read.
    pub fn structured(&self, column: usize) -> &[String] {
        self.structured.get(column).map_or(&[], Vec::as_slice)
    }

    /// Number of columns with a value.
    pub fn filled(&self) -> usize {
        self.cells.iter().filter(|cell| !cell.is_empty()).count()
    }
}

/// A schema ready to read pages. Make one and use it for all pages.
pub struct Reader<'s> {
    schema: &'s Schema,
    structured: bool,
    inline: KeyedSet<(u64, u32, u64)>,
    nodes: Vec<ReadyNode<'s>>,
}

struct ReadyNode<'s> {
    families: KeyedMap<u64, u32>,
    keys: &'s [(String, u32)],
    rules: Vec<Ready>,
    targets: KeyedMap<(u32, Role<u64>), StoredTarget>,
}

struct Ready {
    is_text: bool,
    mode: Mode<u64>,
    /// For look-ups.
    labels: KeyedSet<u64>,
    features: KeyedMap<Feature<u64>, usize>,
    /// Cells of the header of a table of records, with their columns.
    header: KeyedSet<(u32, u64)>,
    /// How siblings after each label get their places.
    places: KeyedMap<Option<u64>, Placing>,
    is_wanted: bool,
}

fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

impl Schema {
    /// Makes the schema ready to read pages.
    pub fn reader(&self) -> Reader<'_> {
        let inline = self.inline.iter();
        let inline = inline.map(|(key, depth, label)| (hash(key), *depth, hash(label)));
        Reader {
            schema: self,
            structured: false,
            inline: inline.collect(),
            nodes: self.nodes.iter().map(ReadyNode::new).collect(),
        }
    }
}

impl<'s> ReadyNode<'s> {
    fn new(node: &'s StoredNode) -> ReadyNode<'s> {
        let mut name = |name: Name<&String>| match name {
            Name::Text(text) | Name::Key(text) => hash(text),
        };
        let targets: KeyedMap<(u32, Role<u64>), StoredTarget> = node
            .targets
            .iter()
            .map(|(rule, role, target)| ((*rule, role.map(&mut name)), *target))
            .collect();
        let wanted: KeyedSet<u32> = node.targets.iter().map(|(rule, ..)| *rule).collect();
        let rules = node.rules.iter().enumerate().map(|(at, (family, mode))| {
            let mode = mode.map(&mut name);
            let (labels, features) = match &mode {
                Mode::Once { anchors } => (anchors.iter().copied().collect(), KeyedMap::default()),
                Mode::Split { labels, inner, .. } => {
                    let features = inner.iter().enumerate();
                    let features = features.map(|(at, (feature, _))| (*feature, at)).collect();
                    (labels.iter().copied().collect(), features)
                }
                _ => (KeyedSet::default(), KeyedMap::default()),
            };
            let header = match &mode {
                Mode::Rows { fixed } => fixed.iter().copied().collect(),
                _ => KeyedSet::default(),
            };
            let places = match &mode {
                Mode::Split { places, .. } => places.iter().cloned().collect(),
                _ => KeyedMap::default(),
            };
            let is_wanted = wanted.contains(&(at as u32));
            Ready { is_text: family == "#text", mode, labels, features, header, places, is_wanted }
        });
        let rules = rules.collect();
        let families = node.families.iter().map(|(key, rule)| (hash(key), *rule)).collect();
        ReadyNode { families, keys: &node.families, rules, targets }
    }

    /// The family of a key that was not seen: that of the key of the same element name with the
    /// most marks in common.
    fn nearest_family(&self, key: &str) -> Option<u32> {
        let tag = tag_of(key);
        let marks: Vec<&str> = marks_of(key).collect();
        let mut best: Option<(i32, u32)> = None;
        let alike = self.keys.iter().filter(|(known, _)| tag_of(known) == tag);
        for (known, rule) in alike.take(MAX_ALIKE) {
            let others: Vec<&str> = marks_of(known).collect();
            let both = marks.iter().filter(|mark| others.contains(mark)).count() as i32;
            let score = 12 * both - (marks.len() + others.len()) as i32;
            if best.is_none_or(|(best, _)| score > best) {
                best = Some((score, *rule));
            }
        }
        best.map(|(_, rule)| rule)
    }
}

impl Reader<'_> {
    /// The schema.
    pub fn schema(&self) -> &Schema {
        self.schema
    }

    /// Also reads structured data: JSON-LD, `meta` elements, microdata.
    #[must_use]
    pub fn with_structured(self, structured: bool) -> Self {
        Reader { structured, ..self }
    }

    /// The values of a page.
    pub fn read<'p>(&self, page: &'p Page) -> Row<'p> {
        let mut reading = Reading::new(self, page);
        if !self.nodes.is_empty() {
            reading.run();
        }
        let cells = reading.found.into_iter().map(|mut found| {
            // The main slots, or the first of their copies that has something.
            let turn = found.iter().map(|(turn, _)| *turn).min();
            found.retain(|(of, _)| Some(*of) == turn);
            found.sort_by_key(|(_, found)| found.node);
            found.into_iter().map(|(_, found)| found).collect()
        });
        let structured = match self.structured {
            true => structured::values(page, self.schema.columns()),
            false => Vec::new(),
        };
        Row { cells: cells.collect(), structured }
    }
}

/// A text of the page.
struct Leaf {
    node: NodeId,
    /// Hash of the text, or of the label of an inline pair.
    text: u64,
    is_short: bool,
    /// Where the value of an inline pair starts.
    value: Option<u32>,
}

/// Reading one page.
struct Reading<'r, 's, 'p> {
    reader: &'r Reader<'s>,
    page: &'p Page,
    keys: Vec<Option<u64>>,
    leaves: Vec<Leaf>,
    first_leaf: Vec<u32>,
    found: Vec<Vec<(u32, Found<'p>)>>,
    key: String,
}

/// A child of the node that is read.
#[derive(Clone, Copy)]
struct Kid {
    position: u32,
    node: NodeId,
}

impl<'r, 's, 'p> Reading<'r, 's, 'p> {
    fn new(reader: &'r Reader<'s>, page: &'p Page) -> Reading<'r, 's, 'p> {
        let mut reading = Reading {
            reader,
            page,
            keys: vec![None; page.len() as usize],
            leaves: Vec::new(),
            first_leaf: Vec::with_capacity(page.len() as usize + 1),
            found: vec![Vec::new(); reader.schema.columns.len()],
            key: String::new(),
        };
        reading.find_leaves();
        reading
    }

    fn find_leaves(&mut self) {
        let mut skipped_to = NodeId::ROOT;
        for id in self.page.nodes() {
            self.first_leaf.push(self.leaves.len() as u32);
            if id < skipped_to {
                continue;
            }
            if !self.page.is_text(id) {
                if is_skipped(self.page, id) {
                    skipped_to = self.page.subtree(id).end;
                }
                continue;
            }
            let text = self.page.text(id);
            if !has_word(text) {
                continue;
            }
            match self.inline(id, text) {
                Some((label, start)) => self.leaves.push(Leaf {
                    node: id,
                    text: label,
                    is_short: true,
                    value: Some(start),
                }),
                None => self.leaves.push(Leaf {
                    node: id,
                    text: hash(text),
                    is_short: text.len() <= MAX_LABEL,
                    value: None,
                }),
            }
        }
        self.first_leaf.push(self.leaves.len() as u32);
    }

    /// The label and the start of the value, if the text is such a pair.
    fn inline(&mut self, id: NodeId, text: &str) -> Option<(u64, u32)> {
        if self.reader.inline.is_empty() {
            return None;
        }
        let (label, value) = inline_label(text)?;
        let parent = self.page.parent(id)?;
        let key = (self.key_of(parent), self.page.depth(id), hash(&format!("{label}:")));
        let is_known = self.reader.inline.contains(&key);
        is_known.then(|| (key.2, (text.len() - value.len()) as u32))
    }

    fn key_of(&mut self, id: NodeId) -> u64 {
        if let Some(key) = self.keys[id.index()] {
            return key;
        }
        self.key.clear();
        self.reader.schema.names.push_key(self.page, id, &mut self.key);
        let key = hash(&self.key);
        self.keys[id.index()] = Some(key);
        key
    }

    fn leaves(&self, id: NodeId) -> &[Leaf] {
        let start = self.first_leaf[id.index()] as usize;
        let end = self.first_leaf[self.page.subtree(id).end.index()] as usize;
        &self.leaves[start..end.min(start + MAX_LEAVES)]
    }

    /// The first text below a node.
    fn first_text(&self, id: NodeId) -> &'p str {
        self.leaves(id).first().map_or("", |leaf| self.page.text(leaf.node))
    }

    /// The only text below a node, if it can be a label.
    fn single(&self, id: NodeId) -> Option<u64> {
        match self.leaves(id) {
            [leaf] if leaf.is_short && leaf.value.is_none() => Some(leaf.text),
            _ => None,
        }
    }

    fn run(&mut self) {
        let mut stack: Vec<(NodeId, u32, Option<NodeId>)> = vec![(NodeId::ROOT, 0, None)];
        let mut roles: Vec<(u32, Role<u64>, NodeId)> = Vec::new();
        while let Some((id, node, record)) = stack.pop() {
            roles.clear();
            let ready = &self.reader.nodes[node as usize];
            self.roles_of(id, ready, &mut roles);
            for (rule, role, child) in roles.drain(..) {
                let record = if role.place == Place::Rest { Some(child) } else { record };
                match ready.targets.get(&(rule, role)) {
                    Some(&StoredTarget::Node(node)) => stack.push((child, node, record)),
                    Some(&StoredTarget::Column(column, turn)) => {
                        let found = self.found_at(child, record);
                        self.found[column as usize].push((turn, found));
                    }
                    None => {}
                }
            }
        }
    }

    fn found_at(&self, node: NodeId, record: Option<NodeId>) -> Found<'p> {
        let whole = self.page.text(node);
        let value = self.leaves(node).first().and_then(|leaf| leaf.value);
        let text = value.map_or(whole, |start| &whole[start as usize..]);
        Found { node, text, whole, sign: sign_beside(self.page, node), record }
    }

    /// The roles of the children of a node, as they were learned.
    fn roles_of(
        &mut self,
        id: NodeId,
        ready: &ReadyNode,
        roles: &mut Vec<(u32, Role<u64>, NodeId)>,
    ) {
        let families = self.by_family(id, ready);
        let mut anchors: Vec<(u32, u64)> = Vec::new();
        let mut rest: Vec<(u32, Vec<Kid>)> = Vec::new();
        for (rule, kids) in families.into_iter().enumerate().filter(|(_, kids)| !kids.is_empty()) {
            let (number, Ready { mode, labels, header, .. }) = (rule as u32, &ready.rules[rule]);
            let mut left = Vec::new();
            for (at, &kid) in kids.iter().enumerate() {
                let mut add = |how, place| roles.push((number, Role { how, place }, kid.node));
                match mode {
                    Mode::Once { .. } => {
                        add(How::Plain, Place::One);
                        if let Some(text) = self.single(kid.node).filter(|t| labels.contains(t)) {
                            anchors.push((kid.position, text));
                        }
                    }
                    Mode::Positions { size, anchors: of_place } => {
                        let place = Placing::Positions(*size).of(at as u32);
                        add(How::Plain, place);
                        let known = of_place.iter().find(|(known, _)| *known == place);
                        let single = self.single(kid.node);
                        if let (Some((_, known)), Some(text)) = (known, single)
                            && known.contains(&text)
                        {
                            anchors.push((kid.position, text));
                        }
                    }
                    Mode::Rows { .. } => {
                        if self.is_header(kid.node, header) {
                            add(How::Header, Place::One);
                        } else {
                            add(How::Plain, Place::Rest);
                        }
                    }
                    Mode::Split { .. } => {
                        match self.single(kid.node).filter(|text| labels.contains(text)) {
                            Some(text) => {
                                add(How::Is(text), Place::One);
                                anchors.push((kid.position, text));
                            }
                            None => left.push(kid),
                        }
                    }
                    Mode::List { .. } => left.push(kid),
                }
            }
            if !left.is_empty() && ready.rules[rule].is_wanted {
                rest.push((number, left));
            }
        }
        anchors.sort_unstable();
        for (rule, kids) in rest {
            self.place_rest(rule, &ready.rules[rule as usize], kids, &anchors, roles);
        }
    }

    /// The children by the rule for them.
    fn by_family(&mut self, id: NodeId, ready: &ReadyNode) -> Vec<Vec<Kid>> {
        let mut families: Vec<Vec<Kid>> = vec![Vec::new(); ready.rules.len()];
        let mut kids = Vec::new();
        view::kids(self.page, id, &mut kids);
        for (position, &node) in kids.iter().enumerate() {
            if matches!(self.page.tag(node), Tag::BR | Tag::HR) {
                continue;
            }
            let key = self.key_of(node);
            let rule = ready.families.get(&key).copied().or_else(|| {
                self.key.clear();
                self.reader.schema.names.push_key(self.page, node, &mut self.key);
                ready.nearest_family(&self.key)
            });
            if let Some(rule) = rule {
                families[rule as usize].push(Kid { position: position as u32, node });
            }
        }
        families
    }

    fn is_header(&self, row: NodeId, fixed: &KeyedSet<(u32, u64)>) -> bool {
        let is_cell = |id: &NodeId| matches!(self.page.tag(*id), Tag::TD | Tag::TH);
        let (mut full, mut known) = (0, 0);
        for (column, cell) in self.page.children(row).filter(is_cell).enumerate() {
            if let Some(leaf) = self.leaves(cell).first() {
                full += 1;
                known += usize::from(fixed.contains(&(column as u32, leaf.text)));
            }
        }
        full >= 3 && known * 10 >= full * 7
    }

    fn place_rest(
        &mut self,
        rule: u32,
        ready: &Ready,
        kids: Vec<Kid>,
        anchors: &[(u32, u64)],
        roles: &mut Vec<(u32, Role<u64>, NodeId)>,
    ) {
        let anchor_of = |kid: &Kid| {
            let before = anchors.partition_point(|&(position, _)| position < kid.position);
            before.checked_sub(1).map(|last| anchors[last].1)
        };
        let (after, is_list, inner) = match &ready.mode {
            Mode::List { after } => (*after, true, &[][..]),
            Mode::Split { after, inner, .. } => (*after, false, &inner[..]),
            _ => return,
        };
        let mut numbers: KeyedMap<Option<u64>, usize> = KeyedMap::default();
        let mut by_anchor: Vec<(Option<u64>, Vec<NodeId>)> = Vec::new();
        for kid in kids {
            if let Some(how) = self.inner_role(ready, kid.node, inner) {
                roles.push((rule, Role { how, place: Place::One }, kid.node));
                continue;
            }
            let anchor = anchor_of(&kid).filter(|_| after);
            let at = *numbers.entry(anchor).or_insert(by_anchor.len());
            if at == by_anchor.len() {
                by_anchor.push((anchor, Vec::new()));
            }
            by_anchor[at].1.push(kid.node);
        }
        for (anchor, kids) in by_anchor {
            let how = if after { How::After(anchor) } else { How::Plain };
            let unknown = if kids.len() == 1 { Placing::One } else { Placing::List };
            let placing = match ready.places.get(&anchor) {
                Some(placing) => placing,
                None if is_list => &Placing::List,
                None => &unknown,
            };
            let placed = placing.all(kids.len(), |at| self.first_text(kids[at]));
            for (&node, place) in kids.iter().zip(placed) {
                roles.push((rule, Role { how, place }, node));
            }
        }
    }

    /// The role that something inside a child gives it.
    fn inner_role(
        &mut self,
        ready: &Ready,
        id: NodeId,
        inner: &[(Feature<u64>, How<u64>)],
    ) -> Option<How<u64>> {
        if ready.is_text {
            let leaf = self.leaves(id).first().filter(|leaf| leaf.value.is_some())?;
            return Some(How::Has(leaf.text));
        }
        if inner.is_empty() {
            return None;
        }
        let depth = self.page.depth(id);
        let mut first: Option<usize> = None;
        let leaves = self.first_leaf[id.index()] as usize
            ..self.first_leaf[self.page.subtree(id).end.index()] as usize;
        let is_one = leaves.len() == 1 && self.leaves[leaves.start].value.is_none();
        for at in leaves.take(MAX_LEAVES).filter(|_| !is_one) {
            let Leaf { node, text, is_short, .. } = self.leaves[at];
            if !is_short {
                continue;
            }
            let Some(parent) = self.page.parent(node) else { continue };
            let key = self.key_of(parent);
            let depth = self.page.depth(node) - depth;
            let feature = Feature { key, depth, text: Some(text) };
            if let Some(&at) = ready.features.get(&feature) {
                first = Some(first.map_or(at, |known| known.min(at)));
            }
        }
        let below = self.page.subtree(id).skip(1).take(SHAPE_NODES as usize - 1);
        for node in below.filter(|&node| !self.page.is_text(node)).collect::<Vec<_>>() {
            let key = self.key_of(node);
            let feature = Feature { key, depth: self.page.depth(node) - depth, text: None };
            if let Some(&at) = ready.features.get(&feature) {
                first = Some(first.map_or(at, |known| known.min(at)));
            }
        }
        first.map(|at| inner[at].1)
    }
}
