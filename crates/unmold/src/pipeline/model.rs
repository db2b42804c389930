//! The verdict on a block: a sum of small decision trees, fitted on labelled sites by `tools/fit`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use super::evidence::ForestChoice;
use super::features::NAMES;
use super::lexicon::Lexicon;
use super::page_kind::{self, KINDS, KindShares, PageKind};

/// The weights that come with the library, fitted on all labelled sites.
static SHIPPED: LazyLock<Model> = LazyLock::new(|| {
    Model::from_json(include_bytes!("model.json"))
        .expect("the model that is part of the library is sound")
});

/// The weights: three forests, because what tells content from the rest differs. Who wrote a text
/// and when is marginal to an article, but all there is to a record; and a page without a site has
/// no counts to go by.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    id: String,
    lexicon: Lexicon,
    usual: Forest,
    records: Forest,
    alone: Forest,
    /// Whether a page is of each kind.
    kinds: [Forest; KINDS],
}

/// The trees that judge the blocks of a site: of one forest, or the mean of both.
#[derive(Clone, Copy)]
pub(super) struct Trees<'a> {
    forest: &'a Forest,
    other: Option<&'a Forest>,
}

/// Decision trees over the features of a block.
#[derive(Clone, PartialEq, Debug)]
struct Forest {
    groups: Vec<[Tree; SIDE_BY_SIDE]>,
    base: f32,
}

/// How many trees are walked side by side: the processor waits for none of them alone.
const SIDE_BY_SIDE: usize = 5;

/// Levels of splits of a tree.
const DEPTH: usize = 6;

/// Places of a tree's splits, and of its leaves.
const PLACES: usize = 1 << DEPTH;

/// A tree all of whose leaves are at the same depth, so that every walk has as many steps and none
/// a branch that nobody can foresee. Splits are numbered from 1; below the *n*-th are the splits,
/// at the end the leaves, 2*n* and 2*n* + 1.
#[derive(Clone, PartialEq, Debug)]
struct Tree {
    /// At or below it the first of the two is next. Infinite where the tree has a leaf further up.
    thresholds: [f32; PLACES],
    features: [u8; PLACES],
    leaves: [f32; PLACES],
}

impl Tree {
    /// A leaf that says nothing.
    const EMPTY: Tree =
        Tree { thresholds: [f32::INFINITY; PLACES], features: [0; PLACES], leaves: [0.0; PLACES] };
}

/// Room for the features of a block: a power of two, so that no index needs to be checked.
const ROOM: usize = 256;
const _: () = assert!(NAMES.len() <= ROOM && page_kind::NAMES.len() <= ROOM);

/// How a model is written down.
#[derive(Deserialize)]
struct Stored {
    features: Vec<String>,
    /// Hashes of words, and the weight of each.
    words: Vec<u32>,
    weights: Vec<f32>,
    usual: StoredForest,
    records: StoredForest,
    alone: StoredForest,
    /// What pages as a whole are judged by, and the trees of each kind of page.
    page_features: Vec<String>,
    kinds: BTreeMap<String, StoredForest>,
}

#[derive(Deserialize)]
struct StoredForest {
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
    /// A tree points outside itself, or is too deep.
    #[error("a tree of the model is damaged or deeper than 6 splits: fit it again with tools/fit")]
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
        if stored.features != NAMES || stored.page_features != page_kind::NAMES {
            return Err(ModelError::OtherFeatures);
        }
        let id = format!("{:016x}", xxh3_64(bytes));
        if stored.words.len() != stored.weights.len() {
            return Err(ModelError::Damaged);
        }
        let of_kind = |kind: PageKind| {
            let forest = stored.kinds.get(kind.name()).ok_or(ModelError::Damaged)?;
            Forest::of(forest, page_kind::NAMES.len())
        };
        let kinds: Vec<Forest> =
            PageKind::ALL.into_iter().map(of_kind).collect::<Result<_, ModelError>>()?;
        let of_blocks = |forest| Forest::of(forest, NAMES.len());
        Ok(Model {
            id,
            lexicon: Lexicon::new(stored.words.into_iter().zip(stored.weights)),
            usual: of_blocks(&stored.usual)?,
            records: of_blocks(&stored.records)?,
            alone: of_blocks(&stored.alone)?,
            kinds: kinds.try_into().map_err(|_| ModelError::Damaged)?,
        })
    }

    /// The hash of the weights. Templates name the model they were learned with.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What words weigh.
    pub(super) fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// How far a page is of each kind, by what it shows as a whole.
    pub(super) fn kinds(&self, row: &[f32]) -> KindShares {
        KindShares::of(std::array::from_fn(|kind| self.kinds[kind].content(row)))
    }

    /// The trees for a site.
    pub(super) fn with(&self, choice: ForestChoice) -> Trees<'_> {
        let (forest, other) = match choice {
            ForestChoice::Usual => (&self.usual, None),
            ForestChoice::Records => (&self.records, None),
            ForestChoice::Mean => (&self.usual, Some(&self.records)),
            ForestChoice::Alone => (&self.alone, None),
        };
        Trees { forest, other }
    }
}

impl Trees<'_> {
    /// The probability that a block with these features is content.
    pub fn content(&self, features: &[f32]) -> f32 {
        let content = self.forest.content(features);
        self.other.map_or(content, |other| (content + other.content(features)) / 2.0)
    }
}

impl Forest {
    /// The trees of a forest over so many features.
    fn of(stored: &StoredForest, features: usize) -> Result<Forest, ModelError> {
        let unfold = |tree: &StoredTree| tree.unfold(features);
        let trees: Vec<Tree> = stored.trees.iter().map(unfold).collect::<Result<_, _>>()?;
        let group = |trees: &[Tree]| {
            std::array::from_fn(|at| trees.get(at).unwrap_or(&Tree::EMPTY).clone())
        };
        Ok(Forest { groups: trees.chunks(SIDE_BY_SIDE).map(group).collect(), base: stored.base })
    }

    fn content(&self, features: &[f32]) -> f32 {
        let mut row = [0.0; ROOM];
        row[..features.len()].copy_from_slice(features);
        let mut sum = self.base;
        for (number, group) in self.groups.iter().enumerate() {
            if is_clear(number, sum) {
                break;
            }
            let mut walks = [1; SIDE_BY_SIDE];
            for _ in 0..DEPTH {
                for (at, tree) in walks.iter_mut().zip(group) {
                    let feature = row[tree.features[*at % PLACES] as usize % ROOM];
                    *at = 2 * *at + usize::from(feature > tree.thresholds[*at % PLACES]);
                }
            }
            sum += walks.iter().zip(group).map(|(at, tree)| tree.leaves[at % PLACES]).sum::<f32>();
        }
        probability(sum)
    }
}

impl StoredTree {
    fn unfold(&self, features: usize) -> Result<Tree, ModelError> {
        let (splits, leaves) = (self.feature.len(), self.value.len());
        let sound =
            self.threshold.len() == splits && self.low.len() == splits && self.high.len() == splits;
        if !sound || self.feature.iter().any(|&feature| feature as usize >= features) {
            return Err(ModelError::Damaged);
        }
        let mut tree = Tree::EMPTY;
        let mut open = vec![(0, 1)];
        while let Some((node, at)) = open.pop() {
            match node {
                leaf if leaf < 0 && ((!leaf) as usize) < leaves => {
                    let mut at = at;
                    while at < PLACES {
                        at *= 2;
                    }
                    tree.leaves[at - PLACES] = self.value[(!leaf) as usize];
                }
                split if split >= 0 && (split as usize) < splits && at < PLACES => {
                    let split = split as usize;
                    tree.thresholds[at] = self.threshold[split];
                    tree.features[at] = self.feature[split] as u8;
                    open.extend([(self.low[split], 2 * at), (self.high[split], 2 * at + 1)]);
                }
                _ => return Err(ModelError::Damaged),
            }
        }
        Ok(tree)
    }
}

/// Whether the groups that are left would not turn a sum: most blocks need no more than the first.
fn is_clear(groups: usize, sum: f32) -> bool {
    groups > 0 && groups.is_multiple_of(STOP) && sum.abs() > FAR
}

/// After every so many groups the walk ends if the sum is this far from 0.
const STOP: usize = 30 / SIDE_BY_SIDE;
const FAR: f32 = 2.0;

/// The probability that a sum stands for: the logistic function, by arithmetic that is the same on
/// every machine, which the `exp` of a system's library is not.
pub(crate) fn probability(sum: f32) -> f32 {
    // e^-x as (e^(-x/256))^256, by the first terms of its series.
    let part = -f64::from(sum.clamp(-30.0, 30.0)) / 256.0;
    let mut power = 1.0 + part * (1.0 + part * (0.5 + part * (1.0 / 6.0 + part / 24.0)));
    for _ in 0..8 {
        power *= power;
    }
    (1.0 / (1.0 + power)) as f32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// [`Forest::content`] by the trees as they are stored.
    fn plain_content(stored: &StoredForest, row: &[f32]) -> f32 {
        let leaf = |tree: &StoredTree| {
            let mut at = 0;
            while at >= 0 {
                let split = at as usize;
                let is_high = row[tree.feature[split] as usize] > tree.threshold[split];
                at = if is_high { tree.high[split] } else { tree.low[split] };
            }
            tree.value[!at as usize]
        };
        let mut sum = stored.base;
        for (number, trees) in stored.trees.chunks(SIDE_BY_SIDE).enumerate() {
            if is_clear(number, sum) {
                break;
            }
            sum += trees.iter().map(leaf).sum::<f32>();
        }
        probability(sum)
    }

    #[test]
    fn probabilities_are_those_of_the_logistic_function() {
        for sum in [-40.0f32, -7.5, -1.0, 0.0, 0.3, 2.0, 9.0, 40.0] {
            let exact = 1.0 / (1.0 + f64::from(-sum).exp());
            assert!((f64::from(probability(sum)) - exact).abs() < 1e-6, "{sum}");
        }
    }

    proptest! {
        #[test]
        fn trees_of_one_depth_say_the_same(row in proptest::collection::vec(-2f32..60.0, NAMES.len())) {
            let stored: Stored = serde_json::from_slice(include_bytes!("model.json")).unwrap();
            let [usual, records, alone] =
                [&stored.usual, &stored.records, &stored.alone].map(|forest| plain_content(forest, &row));
            let mean = (usual + records) / 2.0;
            for (choice, content) in [
                (ForestChoice::Usual, usual),
                (ForestChoice::Records, records),
                (ForestChoice::Mean, mean),
                (ForestChoice::Alone, alone),
            ] {
                prop_assert_eq!(Model::shipped().with(choice).content(&row), content);
            }
        }
    }
}
