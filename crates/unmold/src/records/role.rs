//! What tells the children of a node apart, and how a page's children are told apart again.
//!
//! The types are generic over the label: numbers while learning, text in the template file, hashes
//! while a page is read.

use serde::{Deserialize, Serialize};

use super::runs::Run;

/// What a child is for its parent, beside its family.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(super) struct Role<L> {
    pub how: How<L>,
    pub place: Place,
}

/// What tells a child from its siblings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum How<L> {
    /// Its family, and its place there.
    Plain,
    /// It is itself this label.
    Is(L),
    /// It has this text inside.
    Has(L),
    /// It has an element with this key inside.
    With(L),
    /// The nearest label before it; `None` before the first label.
    After(Option<L>),
    /// It is the header of a table of records.
    Header,
}

/// Which of the siblings with one role a child is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Place {
    /// The only one.
    One,
    /// The one at this position.
    At(u32),
    /// Any of a list.
    Rest,
}

/// How siblings with one role get their places.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Placing {
    /// There is one.
    One,
    /// There are so many, always.
    Positions(u32),
    /// The first differs from the others.
    Head,
    /// By what their texts look like.
    Run(Run),
    /// A list.
    List,
}

impl Placing {
    /// The place of the sibling with number `position`.
    pub fn of(&self, position: u32) -> Place {
        match *self {
            Placing::One => Place::One,
            Placing::Positions(size) if position < size => Place::At(position),
            Placing::Head if position == 0 => Place::At(0),
            _ => Place::Rest,
        }
    }

    /// The places of siblings with these texts.
    pub fn all<'t>(&self, count: usize, text: impl Fn(usize) -> &'t str) -> Vec<Place> {
        match self {
            Placing::Run(run) => {
                let texts: Vec<&str> = (0..count).map(text).collect();
                let placed = run.assign(&texts).into_iter();
                placed.map(|at| at.map_or(Place::Rest, Place::At)).collect()
            }
            _ => (0..count).map(|at| self.of(at as u32)).collect(),
        }
    }
}

/// A text or a marked element inside a child.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(super) struct Feature<L> {
    /// Key of the text's parent, or of the element.
    pub key: L,
    /// Depth below the child.
    pub depth: u32,
    /// The text; `None` for an element.
    #[serde(default = "no_text", skip_serializing_if = "Option::is_none")]
    pub text: Option<L>,
}

fn no_text<L>() -> Option<L> {
    None
}

/// How the children of one family are told apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mode<L> {
    /// There is at most one.
    Once { anchors: Vec<L> },
    /// There are always so many. Anchors are labels for what follows them.
    Positions { size: u32, anchors: Vec<(Place, Vec<L>)> },
    /// Rows of a table of records; `fixed` are cells of its header, with their columns.
    Rows { fixed: Vec<(u32, L)> },
    /// A list; `after` if the label before it matters.
    List { after: bool },
    /// By the label that the child is, has inside or follows.
    Split {
        labels: Vec<L>,
        #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
        inner: Vec<(Feature<L>, How<L>)>,
        after: bool,
        places: Vec<(Option<L>, Placing)>,
    },
}

impl<L> Role<L> {
    pub fn map<M>(&self, f: &mut impl FnMut(Name<&L>) -> M) -> Role<M> {
        Role { how: self.how.map(f), place: self.place }
    }
}

/// What a label is a name of: keys and texts are numbered apart.
pub(super) enum Name<L> {
    Text(L),
    Key(L),
}

impl<L> How<L> {
    pub fn map<M>(&self, f: &mut impl FnMut(Name<&L>) -> M) -> How<M> {
        match self {
            How::Plain => How::Plain,
            How::Is(label) => How::Is(f(Name::Text(label))),
            How::Has(label) => How::Has(f(Name::Text(label))),
            How::With(key) => How::With(f(Name::Key(key))),
            How::After(label) => How::After(label.as_ref().map(|label| f(Name::Text(label)))),
            How::Header => How::Header,
        }
    }
}

impl<L> Feature<L> {
    pub fn map<M>(&self, f: &mut impl FnMut(Name<&L>) -> M) -> Feature<M> {
        Feature {
            key: f(Name::Key(&self.key)),
            depth: self.depth,
            text: self.text.as_ref().map(|text| f(Name::Text(text))),
        }
    }
}

impl<L> Mode<L> {
    pub fn map<M>(&self, f: &mut impl FnMut(Name<&L>) -> M) -> Mode<M> {
        let texts = |texts: &[L], f: &mut dyn FnMut(Name<&L>) -> M| -> Vec<M> {
            texts.iter().map(|text| f(Name::Text(text))).collect()
        };
        match self {
            Mode::Once { anchors } => Mode::Once { anchors: texts(anchors, f) },
            Mode::Positions { size, anchors } => {
                let anchors = anchors.iter().map(|(place, labels)| (*place, texts(labels, f)));
                Mode::Positions { size: *size, anchors: anchors.collect() }
            }
            Mode::Rows { fixed } => Mode::Rows {
                fixed: fixed.iter().map(|(at, text)| (*at, f(Name::Text(text)))).collect(),
            },
            Mode::List { after } => Mode::List { after: *after },
            Mode::Split { labels, inner, after, places } => Mode::Split {
                labels: texts(labels, f),
                inner: inner.iter().map(|(feature, how)| (feature.map(f), how.map(f))).collect(),
                after: *after,
                places: places
                    .iter()
                    .map(|(label, placing)| {
                        (label.as_ref().map(|label| f(Name::Text(label))), placing.clone())
                    })
                    .collect(),
            },
        }
    }
}
