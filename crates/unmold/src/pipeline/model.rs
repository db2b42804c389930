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
    /// First node of each tree; a tree that is one leaf is stored as two equal ones.
    roots: Vec<u32>,
    leaves: Vec<f32>,
    base: f32,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Node {
    threshold: f32,
    feature: u16,
    /// At or below the threshold, and above it: an index instead of a branch that nobody can foresee. Negative:
    /// `!index` of a leaf.
    children: [i32; 2],
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
    feature: Vec<u16>,
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
        let mut model = Model { nodes: Vec::new(), roots: Vec::new(), leaves: Vec::new(), base: stored.base };
        for tree in &stored.trees {
            model.add(tree)?;
        }
        Ok(model)
    }

    fn add(&mut self, tree: &StoredTree) -> Result<(), ModelError> {
        let (splits, leaves) = (tree.feature.len(), tree.value.len());
        let sound = tree.threshold.len() == splits
            && tree.low.len() == splits
            && tree.high.len() == splits
            && splits > 0
            && tree.feature.iter().all(|&feature| (feature as usize) < NAMES.len());
        if !sound {
            return Err(ModelError::Damaged);
        }
        let (first, first_leaf) = (self.nodes.len() as i32, self.leaves.len() as i32);
        for at in 0..splits {
            // Children come after their parent, so that every walk ends.
            let child = |child: i32| match child {
                leaf if leaf < 0 && ((!leaf) as usize) < leaves => Ok(!(!leaf + first_leaf)),
                split if split > at as i32 && (split as usize) < splits => Ok(split + first),
                _ => Err(ModelError::Damaged),
            };
            self.nodes.push(Node {
                threshold: tree.threshold[at],
                feature: tree.feature[at],
                children: [child(tree.low[at])?, child(tree.high[at])?],
            });
        }
        self.roots.push(first as u32);
        self.leaves.extend(&tree.value);
        Ok(())
    }

    /// How sure it is that a block with these features is content, in `0.0..=1.0`.
    pub(super) fn content(&self, row: &[f32]) -> f32 {
        let mut sum = self.base;
        for (number, &root) in self.roots.iter().enumerate() {
            if number == FIRST && sum.abs() > FAR {
                break;
            }
            let mut at = root as i32;
            while at >= 0 {
                let node = &self.nodes[at as usize];
                at = node.children[usize::from(row[node.feature as usize] > node.threshold)];
            }
            sum += self.leaves[!at as usize];
        }
        squash(sum)
    }
}

/// A sum that is [`FAR`] from 0 after so many trees is not turned by the others: most blocks need no more.
const FIRST: usize = 30;
const FAR: f32 = 2.0;

/// From the whole line to `0.0..=1.0` by arithmetic that is the same on every machine, which `exp` is not.
fn squash(sum: f32) -> f32 {
    0.5 + 0.5 * sum / (1.0 + sum.abs())
}
