//! Families: keys of one element name that take turns on different pages, such as `div.sale` and
//! `div.regular`, and count as one.

use std::collections::BTreeMap;

use unmold_html::hash::KeyedMap;

use super::sample::{Pages, TEXT};
use super::tree::{Child, Instance};
use super::view::{marks_of, tag_of};

/// Most keys of one name that are compared.
const MAX_KEYS: usize = 40;
/// Children of a key whose shape is looked at.
const SHAPES: usize = 30;
/// Descendants that make up a shape.
const SHAPE_NODES: u32 = 150;
/// Similarity of the shapes of keys that never share a parent.
const MIN_ALIKE: f64 = 0.4;
/// Share of parents that keys may share and still take turns.
const MAX_SHARED: f64 = 0.02;

/// The children with one key, and what families are found by.
struct Group<'k> {
    key: u32,
    marks: Vec<&'k str>,
    instances: Vec<u32>,
    shape: Vec<(u32, u32)>,
    children: usize,
}

/// A key and the children that have it.
type KeyChildren = (u32, Vec<Child>);

/// The family of each key: the key of its most frequent member.
pub(super) fn families(
    pages: &Pages,
    instances: &[Instance],
    groups: &[KeyChildren],
) -> KeyedMap<u32, u32> {
    let mut family: KeyedMap<u32, u32> = groups.iter().map(|&(key, _)| (key, key)).collect();
    let mut by_tag: BTreeMap<&str, Vec<&KeyChildren>> = BTreeMap::new();
    for group in groups.iter().filter(|group| group.0 != TEXT) {
        by_tag.entry(tag_of(pages.keys.get(group.0))).or_default().push(group);
    }
    for (tag, mut members) in by_tag.into_iter().filter(|(_, members)| members.len() > 1) {
        members.sort_by_key(|(key, children)| {
            (std::cmp::Reverse(children.len()), pages.keys.get(*key).to_owned())
        });
        let mut heads: Vec<Group> = Vec::new();
        for (key, children) in members.into_iter().take(MAX_KEYS) {
            let group = Group::new(pages, instances, *key, children);
            match heads.iter_mut().find(|head| head.takes(&group, tag)) {
                Some(head) => {
                    family.insert(group.key, head.key);
                    head.instances.extend_from_slice(&group.instances);
                    head.instances.sort_unstable();
                    head.instances.dedup();
                }
                None => heads.push(group),
            }
        }
    }
    family
}

impl<'k> Group<'k> {
    fn new(pages: &'k Pages, instances: &[Instance], key: u32, children: &[Child]) -> Group<'k> {
        let mut counts: KeyedMap<(u32, u32), usize> = KeyedMap::default();
        for child in children.iter().take(SHAPES) {
            let view = &pages.views[instances[child.instance as usize].page as usize];
            for part in view.shape(child.node, SHAPE_NODES) {
                *counts.entry(part).or_default() += 1;
            }
        }
        let looked_at = children.len().min(SHAPES);
        let mut shape: Vec<(u32, u32)> = counts
            .into_iter()
            .filter(|&(_, count)| count * 3 >= looked_at)
            .map(|(part, _)| part)
            .collect();
        shape.sort_unstable();
        let mut of: Vec<u32> = children.iter().map(|child| child.instance).collect();
        of.sort_unstable();
        of.dedup();
        let marks = marks_of(pages.keys.get(key)).collect();
        Group { key, marks, instances: of, shape, children: children.len() }
    }

    fn repeats(&self) -> bool {
        self.children as f64 > 1.3 * self.instances.len() as f64
    }

    /// Whether the other key belongs to this one's family.
    fn takes(&self, other: &Group, tag: &str) -> bool {
        let alike = jaccard(&self.shape, &other.shape);
        let both = shared(&self.instances, &other.instances) as f64;
        let take_turns =
            both <= MAX_SHARED * self.instances.len().min(other.instances.len()) as f64;
        let share_marks = self.marks.iter().any(|mark| other.marks.contains(mark));
        if take_turns {
            let empty = self.shape.is_empty() || other.shape.is_empty();
            let unmarked = self.marks.is_empty() || other.marks.is_empty();
            return alike >= MIN_ALIKE
                || empty && (unmarked || share_marks)
                || tag == "tr" && self.marks == other.marks;
        }
        let both_large = self.shape.len() >= 3 && other.shape.len() >= 3;
        alike >= 0.8 && self.shape.len() >= 3 && self.repeats() && other.repeats()
            || share_marks && alike >= 0.6 && both_large
    }
}

fn shared<T: Ord>(left: &[T], right: &[T]) -> usize {
    left.iter().filter(|item| right.binary_search(item).is_ok()).count()
}

fn jaccard<T: Ord>(left: &[T], right: &[T]) -> f64 {
    let both = shared(left, right);
    both as f64 / (left.len() + right.len() - both).max(1) as f64
}
