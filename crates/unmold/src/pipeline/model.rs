//! The verdict on a block: a sum of small decision trees, fitted on labelled sites by `tools/fit`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::features::NAMES;

/// The weights that come with the library, fitted on all labelled sites.
static SHIPPED: LazyLock<Model> = LazyLock::new(|| {
    Model::from_json(include_bytes!("model.json")).expect("the model that is part of the library is sound")
});

/// Decision trees over the features of a block.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    nodes: Vec<Node>,
    groups: Vec<Group>,
    base: f32,
}

/// How many trees are walked side by side: the processor waits for none of them alone.
const SIDE_BY_SIDE: usize = 5;

/// Trees that are walked side by side.
#[derive(Clone, PartialEq, Debug)]
struct Group {
    /// First node of each.
    roots: [u32; SIDE_BY_SIDE],
    /// Steps after which all walks have ended.
    depth: u32,
}

/// A split, or a leaf: whoever stands on a leaf stays there.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Node {
    /// Of a leaf: its value.
    threshold: f32,
    feature: u32,
    /// At or below the threshold, and above it: an index instead of a branch that nobody can foresee.
    children: [u32; 2],
}

/// How a model is written down.
#[derive(Deserialize)]
struct Stored {
    features: Vec<String>,
    base: f32,
    trees: Vec<StoredTree>,
}

#[derive(Deserialize)]
struct StoredTree {
    feature: Vec<u32>,
    threshold: Vec<f32>,
    low: Vec<i32>,
    high: Vec<i32>,
    value: Vec<f32>,
}

/// Why weights cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Not JSON of the right shape.
    #[error("not a model: {0}")]
    Syntax(#[from] serde_json::Error),
    /// Made for other features.
    #[error("the model was fitted on other features: fit it again with tools/fit")]
    OtherFeatures,
    /// A tree points outside itself.
    #[error("a tree of the model is damaged: fit it again with tools/fit")]
    Damaged,
}

impl Model {
    /// The model that comes with the library.
    pub fn shipped() -> &'static Model {
        &SHIPPED
    }

    /// Reads weights as `tools/fit` writes them.
    ///
    /// # Errors
    /// What is not a model of this version's features.
    pub fn from_json(bytes: &[u8]) -> Result<Model, ModelError> {
        let stored: Stored = serde_json::from_slice(bytes)?;
        if stored.features != NAMES {
            return Err(ModelError::OtherFeatures);
        }
        // What fills up the last group: a leaf that says nothing.
        let nothing = Node { threshold: 0.0, feature: 0, children: [0; 2] };
        let mut model = Model { nodes: vec![nothing], groups: Vec::new(), base: stored.base };
        for trees in stored.trees.chunks(SIDE_BY_SIDE) {
            let mut group = Group { roots: [0; SIDE_BY_SIDE], depth: 0 };
            for (root, tree) in group.roots.iter_mut().zip(trees) {
                *root = model.nodes.len() as u32;
                group.depth = group.depth.max(model.add(tree)?);
            }
            model.groups.push(group);
        }
        Ok(model)
    }

    /// Appends a tree, first its splits, then its leaves; returns its depth.
    fn add(&mut self, tree: &StoredTree) -> Result<u32, ModelError> {
        let (splits, leaves) = (tree.feature.len(), tree.value.len());
        let sound = tree.threshold.len() == splits
            && tree.low.len() == splits
            && tree.high.len() == splits
            && splits > 0
            && tree.feature.iter().all(|&feature| (feature as usize) < NAMES.len());
        if !sound {
            return Err(ModelError::Damaged);
        }
        let first = self.nodes.len();
        let mut depths = vec![0; splits + leaves];
        for at in 0..splits {
            let mut children = [0; 2];
            for (child, &stored) in children.iter_mut().zip([&tree.low[at], &tree.high[at]]) {
                // Children come after their parent, so that every walk ends.
                let inside = match stored {
                    leaf if leaf < 0 && ((!leaf) as usize) < leaves => splits + (!leaf) as usize,
                    split if split > at as i32 && (split as usize) < splits => split as usize,
                    _ => return Err(ModelError::Damaged),
                };
                depths[inside] = depths[at] + 1;
                *child = (first + inside) as u32;
            }
            self.nodes.push(Node { threshold: tree.threshold[at], feature: tree.feature[at], children });
        }
        for &value in &tree.value {
            let here = self.nodes.len() as u32;
            self.nodes.push(Node { threshold: value, feature: 0, children: [here; 2] });
        }
        Ok(depths.into_iter().max().unwrap_or(0))
    }

    /// How sure it is that a block with these features is content, in `0.0..=1.0`.
    pub(super) fn content(&self, row: &[f32]) -> f32 {
        let mut sum = self.base;
        for (number, group) in self.groups.iter().enumerate() {
            if number == FIRST && sum.abs() > FAR {
                break;
            }
            let mut walks = group.roots;
            for _ in 0..group.depth {
                for at in &mut walks {
                    let node = &self.nodes[*at as usize];
                    *at = node.children[usize::from(row[node.feature as usize] > node.threshold)];
                }
            }
            sum += walks.iter().map(|&leaf| self.nodes[leaf as usize].threshold).sum::<f32>();
        }
        squash(sum)
    }
}

/// A sum that is [`FAR`] from 0 after so many groups is not turned by the others: most blocks need no more.
const FIRST: usize = 30 / SIDE_BY_SIDE;
const FAR: f32 = 2.0;

/// From the whole line to `0.0..=1.0` by arithmetic that is the same on every machine, which `exp` is not.
fn squash(sum: f32) -> f32 {
    0.5 + 0.5 * sum / (1.0 + sum.abs())
}
