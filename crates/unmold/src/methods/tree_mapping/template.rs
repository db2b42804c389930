//! The template that tree mapping learns: a few trees, each node with the number of its pages.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unmold_html::hash::KeyedSet;

use super::find::Specimen;
use super::mapping::Costs;
use super::tree::{Index, Tree};
use crate::page::{Interner, LabelProfile, words};

/// The trees that the pages of a site share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredTrees", into = "StoredTrees")]
pub struct TreeTemplate {
    pub(super) stored: StoredTrees,
    pub(super) trees: Vec<(Tree, Index)>,
    /// Numbers of the labels and subtrees of `trees`.
    pub(super) numbers: Interner,
    /// Class and node of the subtrees that are recognised wherever they occur, sorted.
    pub(super) movable: Vec<(u32, u32)>,
}

/// A tree template as stored in the template file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct StoredTrees {
    /// Which properties of a node are compared.
    pub(super) labels: LabelProfile,
    /// Costs of deleting, inserting and replacing a node.
    pub(super) costs: (u8, u8, u8),
    /// Number of pages learned from.
    pub(super) pages: u32,
    /// Whether whole subtrees are recognised wherever they occur.
    pub(super) allow_moved: bool,
    /// Whether a list may have more entries than in the template.
    pub(super) repeats: bool,
    /// Number of pairs of pages that were too large to be mapped exactly.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) approximate_pairs: u32,
    pub(super) trees: Vec<TemplateTree>,
}

/// One tree of the template, from one page of the sample.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TemplateTree {
    /// Number of pages it was counted on.
    pub pages: u32,
    /// A node on at least this many of them is template.
    pub threshold: u32,
    /// Its nodes, in document order.
    pub nodes: Vec<TemplateNode>,
}

impl TemplateTree {
    /// `pages` as a share of the pages that the tree was counted on.
    pub(super) fn share(&self, pages: u32) -> f32 {
        pages as f32 / self.pages.max(1) as f32
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A node of the template.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TemplateNode {
    /// Number of ancestors. Nodes are in document order, so this determines the parent of each.
    pub depth: u32,
    /// The element's name; empty for a text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tag: String,
    /// The beginning of a text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Number of pages it is found on.
    pub pages: u32,
    /// Hash of the compared properties of the node.
    pub label: Hex64,
    /// Hash of the subtree, if enough pages have the whole subtree unchanged. Only for the topmost
    /// such nodes, and only if they contain two words or a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtree: Option<Hex128>,
}

macro_rules! hexadecimal {
    ($name:ident, $number:ty, $digits:literal) => {
        /// A hash, stored in hexadecimal because JSON numbers are not exact.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name(pub $number);

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&format!(concat!("{:0", $digits, "x}"), self.0))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
                <$number>::from_str_radix(&text, 16).map($name).map_err(serde::de::Error::custom)
            }
        }
    };
}

hexadecimal!(Hex64, u64, "16");
hexadecimal!(Hex128, u128, "32");

/// Why stored trees are invalid.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidTrees {
    #[error("tree {tree} of the template has a node at the impossible depth {depth}")]
    Depth { tree: usize, depth: u32 },
    #[error("tree {tree} of the template has no nodes")]
    Empty { tree: usize },
    #[error(
        "the edit costs {0:?} (delete, insert, replace) are invalid: replacing must cost more than \
         0 and no more than deleting and inserting together"
    )]
    Costs((u8, u8, u8)),
}

impl TryFrom<StoredTrees> for TreeTemplate {
    type Error = InvalidTrees;

    fn try_from(mut stored: StoredTrees) -> Result<TreeTemplate, InvalidTrees> {
        let (delete, insert, replace) = stored.costs;
        Costs::new(delete, insert, replace).ok_or(InvalidTrees::Costs(stored.costs))?;
        stored.pages = stored.pages.max(1);
        let mut numbers = Interner::default();
        let mut trees = Vec::new();
        for (number, tree) in stored.trees.iter().enumerate() {
            let sizes = sizes_of(number, &tree.nodes)?;
            let labels: Vec<u64> = tree.nodes.iter().map(|node| node.label.0).collect();
            let interned = Tree::interned(&labels, |id| sizes[id as usize], &mut numbers);
            let index = Index::of(&interned, |id| u64::from(tree.nodes[id as usize].pages));
            trees.push((interned, index));
        }
        let movable = movable(&stored, &numbers);
        Ok(TreeTemplate { stored, trees, numbers, movable })
    }
}

impl From<TreeTemplate> for StoredTrees {
    fn from(template: TreeTemplate) -> StoredTrees {
        template.stored
    }
}

/// The number of nodes of each subtree.
fn sizes_of(tree: usize, nodes: &[TemplateNode]) -> Result<Vec<u32>, InvalidTrees> {
    let mut sizes = vec![1; nodes.len()];
    let mut open: Vec<usize> = Vec::new();
    if nodes.is_empty() {
        return Err(InvalidTrees::Empty { tree });
    }
    for (id, node) in nodes.iter().enumerate() {
        let depth = node.depth as usize;
        if depth > open.len() || (depth == 0) != (id == 0) {
            return Err(InvalidTrees::Depth { tree, depth: node.depth });
        }
        open.truncate(depth);
        open.push(id);
        for &ancestor in &open[..depth] {
            sizes[ancestor] += 1;
        }
    }
    Ok(sizes)
}

/// The subtrees that are recognised wherever they occur, sorted by class; none unless the template
/// allows it.
fn movable(stored: &StoredTrees, numbers: &Interner) -> Vec<(u32, u32)> {
    if !stored.allow_moved {
        return Vec::new();
    }
    let nodes = stored.trees.iter().flat_map(|tree| &tree.nodes);
    let (ids, hashes): (Vec<u32>, Vec<u128>) =
        (0..).zip(nodes).filter_map(|(id, node)| node.subtree.map(|hash| (id, hash.0))).unzip();
    let mut movable: Vec<(u32, u32)> =
        numbers.known_classes(&hashes).into_iter().zip(ids).collect();
    movable.sort_unstable();
    movable.dedup_by_key(|&mut (class, _)| class);
    movable
}

impl TreeTemplate {
    /// The smallest share of the pages of a kind that makes a node template.
    pub fn threshold(&self) -> f32 {
        self.stored.trees.iter().map(|tree| tree.share(tree.threshold)).fold(1.0, f32::min)
    }

    /// Which properties of a node are compared.
    pub fn label_profile(&self) -> LabelProfile {
        self.stored.labels
    }

    /// Number of pairs of pages that were too large to be mapped exactly.
    pub fn approximate_pairs(&self) -> u32 {
        self.stored.approximate_pairs
    }

    /// The trees. [`Marks::source`](crate::Marks::source) numbers their nodes consecutively across
    /// all trees.
    pub fn trees(&self) -> &[TemplateTree] {
        &self.stored.trees
    }

    /// Whether the template has no text and no image: it describes a layout and removes nothing.
    pub fn is_structure_only(&self) -> bool {
        self.trees()
            .iter()
            .flat_map(|tree| &tree.nodes)
            .all(|node| node.text.is_empty() && node.tag != "img")
    }

    /// Describes a node in one line. Nodes are numbered consecutively across all trees.
    pub(super) fn describe_node(&self, number: u32) -> Option<String> {
        let mut rest = number as usize;
        let tree = self.trees().iter().find(|tree| {
            let here = rest < tree.nodes.len();
            rest -= if here { 0 } else { tree.nodes.len() };
            here
        })?;
        Some(format!(
            "{}, on {} of {} pages",
            path(&tree.nodes, rest),
            tree.nodes[rest].pages,
            tree.pages
        ))
    }
}

impl TemplateNode {
    /// The element name, or the text in quotes.
    pub(super) fn display_label(&self) -> String {
        if self.text.is_empty() { self.tag.clone() } else { format!("{:?}", self.text) }
    }
}

/// The names from below `body` to the node, such as `div > ul > li`.
fn path(tree: &[TemplateNode], id: usize) -> String {
    let mut names = vec![name(&tree[id])];
    let mut depth = tree[id].depth;
    for node in tree[..id].iter().rev() {
        if node.depth < depth {
            depth = node.depth;
            if depth >= 2 {
                names.push(name(node));
            }
        }
    }
    names.reverse();
    names.join(" > ")
}

fn name(node: &TemplateNode) -> String {
    if node.tag.is_empty() { format!("\"{}\"", node.text) } else { node.tag.clone() }
}

/// The nodes of `kept` in their stored form.
pub(super) fn nodes_of(
    kept: &Specimen,
    pages: impl Fn(u32) -> u32,
    is_whole: impl Fn(u32) -> bool,
    hashes: &[u128],
) -> Vec<TemplateNode> {
    let tree = &kept.tree;
    let mut depths = vec![0; tree.len() as usize];
    let mut inside_whole = vec![false; tree.len() as usize];
    let mut nodes = Vec::with_capacity(depths.len());
    for id in 0..tree.len() {
        let depth: u32 = depths[id as usize];
        let topmost = is_whole(id) && !inside_whole[id as usize];
        for &child in tree.children(id) {
            depths[child as usize] = depth + 1;
            inside_whole[child as usize] = is_whole(id);
        }
        let subtree = (topmost && is_distinctive(kept, id)).then(|| Hex128(hashes[id as usize]));
        nodes.push(TemplateNode {
            depth,
            tag: kept.outline.tag(id).to_owned(),
            text: kept.outline.text(id).to_owned(),
            pages: pages(id),
            label: Hex64(kept.labels[id as usize]),
            subtree,
        });
    }
    nodes
}

/// Whether a subtree has a link or at least two words, so that it is more than a rule or a line
/// break.
fn is_distinctive(kept: &Specimen, id: u32) -> bool {
    let nodes = id..id + kept.tree.size(id);
    let mut count = 0;
    nodes.into_iter().any(|id| {
        count += words(kept.outline.text(id)).take(2).count();
        count >= 2 || kept.outline.tag(id) == "a"
    })
}

/// Removes trees that equal an earlier one.
pub(super) fn without_repeated(trees: Vec<TemplateTree>) -> Vec<TemplateTree> {
    let mut seen: KeyedSet<Vec<(u32, Hex64)>> = KeyedSet::default();
    trees
        .into_iter()
        .filter(|tree| seen.insert(tree.nodes.iter().map(|n| (n.depth, n.label)).collect()))
        .collect()
}
