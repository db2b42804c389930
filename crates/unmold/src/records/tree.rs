//! The site tree: all pages of a kind merged from the root down, by counting.
//!
//! A node of the tree stands for elements that play the same part on their pages. Their children
//! are told apart by what most pages agree on: at most one of a family, a fixed number, the label
//! that a child is, has inside or follows. What is left is a list. Every text ends in one slot.
//!
//! time: O(nodes × depth), space: O(nodes). No pairwise alignment, no recursion.

use unmold_html::hash::{KeyedMap, KeyedSet};

use super::families::families;
use super::inner::by_inner;
use super::lists::{are_alike, are_homogeneous, is_positional};
use super::role::{How, Mode, Place, Placing, Role};
use super::rows::record_rows;
use super::runs::Run;
use super::sample::{Pages, TEXT};
use super::view::{ends_as_label, tag_of};

/// A label is on at least so many pages.
pub(super) const MIN_PAGES: usize = 3;
/// Share of parents that may have several of what is there once.
const MAX_REPEATS: f64 = 0.03;
/// Share of parents with the usual number of children that makes the number fixed.
const FIXED_SHARE: f64 = 0.95;
/// Most positions that are told apart.
const MAX_POSITIONS: usize = 40;
/// A text that so many parents have is a label.
const LABEL_SHARE: f64 = 0.5;
/// Children are labels if the mean share of parents that have their text is this.
const LABEL_WEIGHT: f64 = 0.6;

/// An element of a page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Instance {
    pub page: u32,
    pub node: u32,
}

/// A child of an instance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Child {
    pub instance: u32,
    pub position: u32,
    pub node: u32,
}

/// One step from the root of the tree down.
pub(super) struct Step {
    pub parent: Option<u32>,
    pub family: u32,
    pub role: Role<u32>,
}

/// A place for texts.
pub(super) struct Slot {
    pub step: u32,
    pub nodes: Vec<Instance>,
}

/// What a role leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Node(u32),
    Slot(u32),
}

/// How the children of a node are told apart.
#[derive(Default)]
pub(super) struct Node {
    /// Keys and the number of the rule for each.
    pub families: Vec<(u32, u32)>,
    pub rules: Vec<(u32, Mode<u32>)>,
    pub targets: Vec<(u32, Role<u32>, Target)>,
}

/// The tree.
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    pub slots: Vec<Slot>,
    pub steps: Vec<Step>,
}

impl Tree {
    pub fn learn(pages: &Pages) -> Tree {
        let mut tree = Tree { nodes: vec![Node::default()], slots: Vec::new(), steps: Vec::new() };
        let roots = (0..pages.views.len() as u32).map(|page| Instance { page, node: 0 }).collect();
        let mut stack: Vec<(u32, Option<u32>, Vec<Instance>)> = vec![(0, None, roots)];
        while let Some((number, step, instances)) = stack.pop() {
            if number_of_pages(&instances) < 2 && pages.views.len() > 2 {
                continue;
            }
            let mut visit = Visit::new(pages, &instances);
            visit.run();
            let Visit { families, rules, roles, .. } = visit;
            let mut targets = Vec::new();
            let first = stack.len();
            for (rule, role, children) in roles.in_order() {
                let family = rules[rule as usize].0;
                let of_role: Vec<Instance> = children
                    .iter()
                    .map(|child| Instance {
                        page: instances[child.instance as usize].page,
                        node: child.node,
                    })
                    .collect();
                tree.steps.push(Step { parent: step, family, role });
                let step = tree.steps.len() as u32 - 1;
                if family == TEXT {
                    tree.slots.push(Slot { step, nodes: of_role });
                    targets.push((rule, role, Target::Slot(tree.slots.len() as u32 - 1)));
                } else {
                    tree.nodes.push(Node::default());
                    let below = tree.nodes.len() as u32 - 1;
                    targets.push((rule, role, Target::Node(below)));
                    stack.push((below, Some(step), of_role));
                }
            }
            stack[first..].reverse();
            tree.nodes[number as usize] = Node { families, rules, targets };
        }
        tree
    }

    /// The steps of a slot, from the last to the first.
    pub fn steps_up(&self, step: u32) -> impl Iterator<Item = &Step> {
        std::iter::successors(Some(step), |&step| self.steps[step as usize].parent)
            .map(|step| &self.steps[step as usize])
    }
}

/// Number of different pages; instances are in the order of pages.
pub(super) fn number_of_pages(instances: &[Instance]) -> usize {
    let changes = instances.windows(2).filter(|pair| pair[0].page != pair[1].page).count();
    changes + usize::from(!instances.is_empty())
}

/// Children by rule and role.
#[derive(Default)]
pub(super) struct Roles {
    numbers: KeyedMap<(u32, Role<u32>), usize>,
    roles: Vec<(u32, Role<u32>, Vec<Child>)>,
}

impl Roles {
    pub fn add(&mut self, rule: u32, role: Role<u32>, child: Child) {
        let next = self.roles.len();
        let at = *self.numbers.entry((rule, role)).or_insert(next);
        if at == next {
            self.roles.push((rule, role, Vec::new()));
        }
        self.roles[at].2.push(child);
    }

    /// In the order of their mean positions.
    fn in_order(mut self) -> Vec<(u32, Role<u32>, Vec<Child>)> {
        for (_, _, children) in &mut self.roles {
            children.sort_unstable();
        }
        self.roles.sort_by_cached_key(|(rule, role, children)| {
            let positions: u64 = children.iter().map(|child| u64::from(child.position)).sum();
            (positions * 1000 / children.len() as u64, *rule, *role)
        });
        self.roles
    }
}

/// The children of one family that are not placed yet.
struct Rest {
    rule: u32,
    children: Vec<Child>,
    singles: Vec<Option<u32>>,
    is_list: bool,
}

/// Telling apart the children of one node of the tree.
struct Visit<'v, 'a> {
    pages: &'v Pages<'a>,
    instances: &'v [Instance],
    families: Vec<(u32, u32)>,
    rules: Vec<(u32, Mode<u32>)>,
    roles: Roles,
    /// Labels of each instance: positions and texts.
    anchors: Vec<Vec<(u32, u32)>>,
}

impl<'v, 'a> Visit<'v, 'a> {
    fn new(pages: &'v Pages<'a>, instances: &'v [Instance]) -> Visit<'v, 'a> {
        Visit {
            pages,
            instances,
            families: Vec::new(),
            rules: Vec::new(),
            roles: Roles::default(),
            anchors: vec![Vec::new(); instances.len()],
        }
    }

    fn run(&mut self) {
        let by_family = self.by_family();
        let mut rest: Vec<Rest> = Vec::new();
        let mut unsure: Vec<Rest> = Vec::new();
        for (rule, (family, children)) in by_family.into_iter().enumerate() {
            let rule = rule as u32;
            let singles: Vec<Option<u32>> = children
                .iter()
                .map(|child| self.pages.single(self.page_of(child), child.node))
                .collect();
            match self.place_family(rule, family, &children, &singles) {
                Placed::Done(mode) => self.rules.push((family, mode)),
                Placed::List => {
                    self.rules.push((family, Mode::List { after: false }));
                    rest.push(Rest { rule, children, singles, is_list: true });
                }
                Placed::Unsure => {
                    self.rules.push((family, split(Vec::new())));
                    unsure.push(Rest { rule, children, singles, is_list: false });
                }
            }
        }
        for family in unsure {
            rest.extend(self.take_labels(family));
        }
        for anchors in &mut self.anchors {
            anchors.sort_unstable();
        }
        for family in rest {
            self.place_rest(family);
        }
    }

    fn page_of(&self, child: &Child) -> u32 {
        self.instances[child.instance as usize].page
    }

    /// The children by family, in the order of the families' keys.
    fn by_family(&mut self) -> Vec<(u32, Vec<Child>)> {
        let mut numbers: KeyedMap<u32, usize> = KeyedMap::default();
        let mut groups: Vec<(u32, Vec<Child>)> = Vec::new();
        for (instance, &Instance { page, node }) in self.instances.iter().enumerate() {
            let view = &self.pages.views[page as usize];
            for (position, &kid) in view.kids(node).iter().enumerate() {
                let key = view.keys[kid.index()];
                if matches!(tag_of(self.pages.keys.get(key)), "br" | "hr") {
                    continue;
                }
                let at = *numbers.entry(key).or_insert(groups.len());
                if at == groups.len() {
                    groups.push((key, Vec::new()));
                }
                groups[at].1.push(Child {
                    instance: instance as u32,
                    position: position as u32,
                    node: kid.position(),
                });
            }
        }
        let family = families(self.pages, self.instances, &groups);
        groups.sort_by_key(|&(key, _)| self.pages.keys.get(key));
        let mut heads: Vec<u32> = groups.iter().map(|(key, _)| family[key]).collect();
        heads.sort_by_key(|&key| self.pages.keys.get(key));
        heads.dedup();
        let rules: KeyedMap<u32, usize> =
            heads.iter().enumerate().map(|(rule, &head)| (head, rule)).collect();
        let mut by_family: Vec<(u32, Vec<Child>)> =
            heads.iter().map(|&head| (head, Vec::new())).collect();
        for (key, children) in groups {
            let rule = rules[&family[&key]];
            self.families.push((key, rule as u32));
            by_family[rule].1.extend(children);
        }
        for (_, children) in &mut by_family {
            children.sort_unstable();
        }
        by_family
    }

    fn place_family(
        &mut self,
        rule: u32,
        family: u32,
        children: &[Child],
        singles: &[Option<u32>],
    ) -> Placed {
        let counts = Counts::of(children);
        if counts.is_once() {
            let role = Role { how: How::Plain, place: Place::One };
            for &child in children {
                self.roles.add(rule, role, child);
            }
            let anchors = self.fixed_anchors(family, children, singles);
            return Placed::Done(Mode::Once { anchors });
        }
        let tag = tag_of(self.pages.keys.get(family));
        if tag == "tr"
            && let Some(rows) = record_rows(self.pages, self.instances, children)
        {
            for (&child, &is_header) in children.iter().zip(&rows.headers) {
                let role = if is_header {
                    Role { how: How::Header, place: Place::One }
                } else {
                    Role { how: How::Plain, place: Place::Rest }
                };
                self.roles.add(rule, role, child);
            }
            return Placed::Done(Mode::Rows { fixed: rows.fixed });
        }
        if !counts.is_fixed() {
            return Placed::Unsure;
        }
        if counts.usual >= 3
            && (are_homogeneous(self.pages, tag, children, singles, counts.usual)
                || are_alike(self.pages, self.instances, tag, children, singles, counts.usual))
        {
            return Placed::List;
        }
        if counts.usual > MAX_POSITIONS || !is_positional(children, singles, counts.parents) {
            return Placed::Unsure;
        }
        Placed::Done(self.place_positions(rule, family, children, singles, counts.usual as u32))
    }

    fn place_positions(
        &mut self,
        rule: u32,
        family: u32,
        children: &[Child],
        singles: &[Option<u32>],
        size: u32,
    ) -> Mode<u32> {
        let mut by_place: Vec<(Place, Vec<Child>, Vec<Option<u32>>)> = Vec::new();
        for (&child, number, &single) in numbered(children, singles) {
            let place = Placing::Positions(size).of(number);
            self.roles.add(rule, Role { how: How::Plain, place }, child);
            let at = by_place.iter().position(|&(known, ..)| known == place);
            let at = at.unwrap_or_else(|| {
                by_place.push((place, Vec::new(), Vec::new()));
                by_place.len() - 1
            });
            by_place[at].1.push(child);
            by_place[at].2.push(single);
        }
        let mut anchors: Vec<(Place, Vec<u32>)> = by_place
            .into_iter()
            .map(|(place, children, singles)| {
                (place, self.fixed_anchors(family, &children, &singles))
            })
            .collect();
        anchors.sort_by_key(|&(place, _)| place);
        Mode::Positions { size, anchors }
    }

    /// Notes which of the children with one role are labels for what follows them.
    fn fixed_anchors(
        &mut self,
        family: u32,
        children: &[Child],
        singles: &[Option<u32>],
    ) -> Vec<u32> {
        let mut counts: KeyedMap<u32, usize> = KeyedMap::default();
        for &text in singles.iter().flatten() {
            *counts.entry(text).or_default() += 1;
        }
        let min = LABEL_SHARE * children.len() as f64;
        let mut labels = Vec::new();
        for (child, &single) in children.iter().zip(singles) {
            let Some(text) = single else { continue };
            if family == TEXT && self.is_separator(child, text) {
                continue;
            }
            let count = counts[&text];
            let has_colon = ends_as_label(self.pages.texts.get(text));
            if count as f64 >= min || has_colon && count >= MIN_PAGES {
                self.anchors[child.instance as usize].push((child.position, text));
                labels.push(text);
            }
        }
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// Whether a text stands between two alike elements, as `and` between links.
    fn is_separator(&self, child: &Child, text: u32) -> bool {
        let text = self.pages.texts.get(text);
        if text.chars().count() > 4 || text.ends_with(':') {
            return false;
        }
        let Instance { page, node } = self.instances[child.instance as usize];
        let view = &self.pages.views[page as usize];
        let kids = view.kids(node);
        let at = child.position as usize;
        let key = |at: usize| kids.get(at).map(|kid| view.keys[kid.index()]);
        at > 0 && key(at - 1).is_some_and(|before| before != TEXT && key(at + 1) == Some(before))
    }

    /// Takes the children that are labels themselves out of a family.
    fn take_labels(&mut self, family: Rest) -> Option<Rest> {
        let Rest { rule, children, singles, is_list } = family;
        let are_labels = self.labels(rule, &children, &singles);
        let mut labels = Vec::new();
        let mut left = Rest { rule, children: Vec::new(), singles: Vec::new(), is_list };
        for ((child, single), is_label) in children.into_iter().zip(singles).zip(are_labels) {
            match single.filter(|_| is_label) {
                Some(text) => {
                    self.roles.add(rule, Role { how: How::Is(text), place: Place::One }, child);
                    self.anchors[child.instance as usize].push((child.position, text));
                    labels.push(text);
                }
                None => {
                    left.children.push(child);
                    left.singles.push(single);
                }
            }
        }
        labels.sort_unstable();
        labels.dedup();
        self.rules[rule as usize].1 = split(labels);
        (!left.children.is_empty()).then_some(left)
    }

    /// Which children of a family are labels themselves.
    fn labels(&self, rule: u32, children: &[Child], singles: &[Option<u32>]) -> Vec<bool> {
        let family = self.rules[rule as usize].0;
        let mut of_text: KeyedMap<u32, KeyedSet<u32>> = KeyedMap::default();
        let mut repeated = 0;
        for (child, &single) in children.iter().zip(singles) {
            if let Some(text) = single
                && !of_text.entry(text).or_default().insert(child.instance)
            {
                repeated += 1;
            }
        }
        let candidates: Vec<Option<u32>> = children
            .iter()
            .zip(singles)
            .map(|(child, &single)| {
                single.filter(|&text| family != TEXT || !self.is_separator(child, text))
            })
            .collect();
        let texts: Vec<u32> = candidates.iter().flatten().copied().collect();
        let count = texts.len() as f64;
        if texts.is_empty()
            || count < 0.3 * children.len() as f64
            || f64::from(repeated) > 0.1 * count
        {
            return vec![false; children.len()];
        }
        let pages: KeyedMap<u32, usize> =
            of_text.iter().map(|(&text, of)| (text, self.pages_of(of))).collect();
        let parents = self.instances.len() as f64;
        let share = |of: &dyn Fn(u32) -> bool| {
            texts.iter().filter(|&&text| of(text)).count() as f64 / count
        };
        let weight =
            texts.iter().map(|text| of_text[text].len() as f64).sum::<f64>() / count / parents;
        let has_colon = |text: u32| ends_as_label(self.pages.texts.get(text));
        let colons = share(&has_colon);
        let recurring = share(&|text| pages[&text] >= 2);
        let tag = tag_of(self.pages.keys.get(family));
        let are_all = colons >= 0.7 && recurring >= 0.5
            || matches!(tag, "th" | "dt" | "label") && recurring >= 0.6 && weight >= 0.1
            || weight >= LABEL_WEIGHT && recurring >= 0.9;
        let is_label = |text: u32| {
            if are_all {
                return pages[&text] >= 2;
            }
            of_text[&text].len() as f64 >= LABEL_SHARE * parents
                || has_colon(text) && pages[&text] >= MIN_PAGES
        };
        candidates.into_iter().map(|text| text.is_some_and(is_label)).collect()
    }

    fn pages_of(&self, instances: &KeyedSet<u32>) -> usize {
        let pages: KeyedSet<u32> =
            instances.iter().map(|&instance| self.instances[instance as usize].page).collect();
        pages.len()
    }

    /// The nearest label before a child.
    fn anchor_of(&self, child: &Child) -> Option<u32> {
        let anchors = &self.anchors[child.instance as usize];
        let before = anchors.partition_point(|&(position, _)| position < child.position);
        before.checked_sub(1).map(|last| anchors[last].1)
    }

    fn by_anchor(&self, children: &[Child]) -> Vec<(Option<u32>, Vec<Child>)> {
        let mut numbers: KeyedMap<Option<u32>, usize> = KeyedMap::default();
        let mut by_anchor: Vec<(Option<u32>, Vec<Child>)> = Vec::new();
        for &child in children {
            let anchor = self.anchor_of(&child);
            let at = *numbers.entry(anchor).or_insert(by_anchor.len());
            if at == by_anchor.len() {
                by_anchor.push((anchor, Vec::new()));
            }
            by_anchor[at].1.push(child);
        }
        by_anchor.sort_by_key(|&(anchor, _)| anchor.map(|text| self.pages.texts.get(text)));
        by_anchor
    }

    /// Places children by the label before them, by what they have inside, or as a list.
    fn place_rest(&mut self, rest: Rest) {
        let Rest { rule, mut children, singles, is_list } = rest;
        let family = self.rules[rule as usize].0;
        if family == TEXT && !is_list {
            children = self.take_inline(rule, children);
        }
        if children.is_empty() {
            return;
        }
        let mut groups = self.by_anchor(&children);
        if is_list {
            let after = is_useful(&groups);
            for (anchor, children) in groups {
                let how = if after { How::After(anchor) } else { How::Plain };
                for child in children {
                    self.roles.add(rule, Role { how, place: Place::Rest }, child);
                }
            }
            self.rules[rule as usize].1 = Mode::List { after };
            return;
        }
        let many: usize = groups.iter().map(|(_, children)| repeats(children)).sum();
        let are_told_apart = is_useful(&groups) && many as f64 <= 0.1 * children.len() as f64;
        let nested = singles.iter().filter(|single| single.is_none()).count() as f64;
        let mut inner = Vec::new();
        if family != TEXT && !are_told_apart && nested >= 0.3 * singles.len() as f64 {
            let (found, left) = by_inner(self.pages, self.instances, children, |how, child| {
                self.roles.add(rule, Role { how, place: Place::One }, child);
            });
            inner = found;
            groups = self.by_anchor(&left);
        }
        let after = is_useful(&groups);
        let places = groups
            .into_iter()
            .map(|(anchor, children)| {
                let how = if after { How::After(anchor) } else { How::Plain };
                (anchor.filter(|_| after), self.place(rule, how, &children))
            })
            .collect();
        if let Mode::Split { inner: known, after: is_after, places: all, .. } =
            &mut self.rules[rule as usize].1
        {
            (*known, *is_after, *all) = (inner, after, places);
        }
    }

    /// Places the texts that are label and value.
    fn take_inline(&mut self, rule: u32, children: Vec<Child>) -> Vec<Child> {
        let mut left = Vec::new();
        for child in children {
            let view = &self.pages.views[self.page_of(&child) as usize];
            match view.splits.get(&child.node) {
                Some(split) => {
                    let how = How::Has(split.label);
                    self.roles.add(rule, Role { how, place: Place::One }, child);
                }
                None => left.push(child),
            }
        }
        left
    }

    /// Places the children that a label cannot tell apart.
    fn place(&mut self, rule: u32, how: How<u32>, children: &[Child]) -> Placing {
        let counts = Counts::of(children);
        let placing = if counts.is_once() {
            Placing::One
        } else if counts.is_fixed() && counts.usual <= MAX_POSITIONS {
            Placing::Positions(counts.usual as u32)
        } else if let Some(run) = self.run_of(children) {
            Placing::Run(run)
        } else if counts.parents >= 8 && self.has_head(children) {
            Placing::Head
        } else {
            Placing::List
        };
        for siblings in children.chunk_by(|left, right| left.instance == right.instance) {
            let places = placing.all(siblings.len(), |at| self.text_of(&siblings[at]));
            for (&child, place) in siblings.iter().zip(places) {
                self.roles.add(rule, Role { how, place }, child);
            }
        }
        placing
    }

    /// The first text of a child.
    fn text_of(&self, child: &Child) -> &'v str {
        let text = self.pages.first_text(self.page_of(child), child.node);
        text.map_or("", |text| self.pages.texts.get(text))
    }

    /// What tells the positions of a run of single texts apart.
    fn run_of(&self, children: &[Child]) -> Option<Run> {
        let is_single = |child: &&Child| {
            self.pages.views[self.page_of(child) as usize].leaves(child.node).len() == 1
        };
        if children.iter().filter(is_single).count() as f64 <= 0.9 * children.len() as f64 {
            return None;
        }
        let parents: Vec<Vec<&str>> = children
            .chunk_by(|left, right| left.instance == right.instance)
            .map(|siblings| siblings.iter().map(|child| self.text_of(child)).collect())
            .collect();
        Run::learn(&parents)
    }

    /// Whether the first of each list has few values that the others never have.
    fn has_head(&self, children: &[Child]) -> bool {
        let (mut heads, mut tails) = (Vec::new(), KeyedSet::default());
        let mut number_of_tails = 0;
        for (child, number, _) in numbered(children, &vec![(); children.len()]) {
            let text = self.pages.first_text(self.page_of(child), child.node);
            if number == 0 {
                heads.push(text);
            } else {
                number_of_tails += 1;
                tails.insert(text);
            }
        }
        let count = heads.len() as f64;
        let in_tails = heads.iter().filter(|text| tails.contains(text)).count() as f64;
        let different: KeyedSet<Option<u32>> = heads.iter().copied().collect();
        f64::from(number_of_tails) >= 0.3 * count
            && different.len() as f64 <= 0.34 * count
            && in_tails <= 0.05 * count
    }
}

enum Placed {
    Done(Mode<u32>),
    List,
    Unsure,
}

fn split(labels: Vec<u32>) -> Mode<u32> {
    Mode::Split { labels, inner: Vec::new(), after: false, places: Vec::new() }
}

/// Whether labels tell groups apart.
fn is_useful(groups: &[(Option<u32>, Vec<Child>)]) -> bool {
    groups.len() > 1 || groups.iter().any(|(anchor, _)| anchor.is_some())
}

/// Number of children that are not the first of their parent.
fn repeats(children: &[Child]) -> usize {
    children.windows(2).filter(|pair| pair[0].instance == pair[1].instance).count()
}

/// Children of a family with their number among those of one parent. They are sorted by parent.
pub(super) fn numbered<'c, T: Copy>(
    children: &'c [Child],
    with: &'c [T],
) -> impl Iterator<Item = (&'c Child, u32, &'c T)> {
    let mut last = (u32::MAX, 0);
    children.iter().zip(with).map(move |(child, with)| {
        last = if last.0 == child.instance { (last.0, last.1 + 1) } else { (child.instance, 0) };
        (child, last.1, with)
    })
}

/// How many children parents have.
struct Counts {
    parents: usize,
    repeating: usize,
    /// The usual number of children, and how many parents have it.
    usual: usize,
    with_usual: usize,
}

impl Counts {
    fn of(children: &[Child]) -> Counts {
        let mut sizes: KeyedMap<usize, usize> = KeyedMap::default();
        for family in children.chunk_by(|left, right| left.instance == right.instance) {
            *sizes.entry(family.len()).or_default() += 1;
        }
        let mut sizes: Vec<(usize, usize)> = sizes.into_iter().collect();
        sizes.sort_by_key(|&(size, count)| (std::cmp::Reverse(count), size));
        let parents = sizes.iter().map(|&(_, count)| count).sum();
        let (usual, with_usual) = sizes.first().copied().unwrap_or_default();
        let once = sizes.iter().find(|&&(size, _)| size == 1).map_or(0, |&(_, count)| count);
        Counts { parents, repeating: parents - once, usual, with_usual }
    }

    fn is_once(&self) -> bool {
        self.repeating as f64 <= MAX_REPEATS * self.parents as f64
    }

    fn is_fixed(&self) -> bool {
        self.with_usual as f64 >= FIXED_SHARE * self.parents as f64
    }
}
