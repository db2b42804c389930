//! What somebody says about a page, and what that says about its blocks.

use serde::{Deserialize, Serialize};

use super::align::{BlockText, align};
use super::select::{Selector, SelectorError};
use crate::page::{NodeRange, Page, Tag};
use crate::pipeline::block_ranges;

/// What a person, a language model or another tool says about one page: a line of a file of labels.
///
/// Either `text`, the wanted text, or `keep` and `drop`, blocks by their numbers or selectors. With
/// `keep` alone the rest of the page is template, with `drop` alone it is content, with both what
/// is in `keep` but not in `drop` is content. With `partial` nothing is said about the rest.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// The page: its id or address.
    pub id: String,
    /// The site of the page, where ids are not unique.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The text that is wanted of the page, plain or Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What is content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<Vec<Pick>>,
    /// What is template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop: Option<Vec<Pick>>,
    /// Nothing is said about blocks that are neither in `keep` nor in `drop`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

/// Blocks of a page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Pick {
    /// The block with this number; the first is 1.
    Block(u32),
    /// Blocks from one number to another, such as `12-20`, or those in the elements that a CSS
    /// selector or an XPath selects.
    Selector(String),
}

/// Why a label cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    /// It says nothing.
    #[error("it has neither `text` nor `keep` nor `drop`")]
    Empty,
    /// It says two things.
    #[error("it has both `text` and `keep` or `drop`: give one of them")]
    Both,
    /// A block that the page does not have.
    #[error("block {number} is not on the page, which has {blocks}: was the page changed?")]
    NoBlock {
        /// Its number.
        number: u32,
        /// Number of blocks of the page.
        blocks: usize,
    },
    /// A selector that cannot be read.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// The text is of another page.
    #[error("{missing} % of its words are not on the page: is it the text of another page?")]
    OtherText {
        /// Words that are not on the page, in per cent.
        missing: u32,
    },
}

/// What a label says about the blocks of its page.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct BlockLabels {
    /// The id of the page.
    pub id: String,
    /// For each block how much of it is content, from 0 to 1; `None` where nothing is said.
    pub blocks: Vec<Option<f32>>,
    /// Share of the words of the wanted text that are not on the page.
    pub missing: f32,
    /// The wanted text stops in the middle of the page.
    pub is_cut: bool,
    /// Selectors that select nothing on the page.
    pub idle: Vec<String>,
}

/// A text with fewer of its words on the page is of another page.
const MAX_MISSING: f32 = 0.7;

impl Label {
    /// A label that says which text is wanted.
    #[must_use]
    pub fn of_text(id: impl Into<String>, text: impl Into<String>) -> Label {
        Label { id: id.into(), text: Some(text.into()), ..Label::default() }
    }

    /// What the label says about the blocks of its page.
    ///
    /// # Errors
    /// The label contradicts itself or is not about this page.
    pub fn on(&self, page: &Page) -> Result<BlockLabels, LabelError> {
        let ranges = block_ranges(page);
        let found = match (&self.text, self.keep.is_some() || self.drop.is_some()) {
            (Some(_), true) => Err(LabelError::Both),
            (None, false) => Err(LabelError::Empty),
            (Some(text), false) => by_text(page, &ranges, text),
            (None, true) => self.by_blocks(page, &ranges),
        };
        found.map(|found| BlockLabels { id: self.id.clone(), ..found })
    }

    fn by_blocks(&self, page: &Page, ranges: &[NodeRange]) -> Result<BlockLabels, LabelError> {
        let rest = match (self.partial, &self.keep) {
            (true, _) => None,
            (false, None) => Some(1.0),
            (false, Some(_)) => Some(0.0),
        };
        let mut blocks = vec![rest; ranges.len()];
        let mut idle = Vec::new();
        for (picks, content) in [(&self.keep, 1.0), (&self.drop, 0.0)] {
            for pick in picks.iter().flatten() {
                let picked = pick.blocks(page, ranges)?;
                if let (Pick::Selector(selector), true) = (pick, picked.is_empty()) {
                    idle.push(selector.clone());
                }
                picked.into_iter().for_each(|at| blocks[at] = Some(content));
            }
        }
        Ok(BlockLabels { id: String::new(), blocks, missing: 0.0, is_cut: false, idle })
    }
}

const HEADINGS: [Tag; 4] = [Tag::H1, Tag::H2, Tag::H3, Tag::H4];

fn by_text(page: &Page, ranges: &[NodeRange], text: &str) -> Result<BlockLabels, LabelError> {
    let block = |range: &NodeRange| BlockText {
        text: page.joined_text(range.clone()),
        is_heading: page.ancestors(range.start).take(3).any(|id| HEADINGS.contains(&page.tag(id))),
    };
    let aligned = align(&ranges.iter().map(block).collect::<Vec<_>>(), text);
    if aligned.missing > MAX_MISSING {
        return Err(LabelError::OtherText { missing: (aligned.missing * 100.0) as u32 });
    }
    let (blocks, missing, is_cut) = (aligned.blocks, aligned.missing, aligned.is_cut);
    Ok(BlockLabels { id: String::new(), blocks, missing, is_cut, idle: Vec::new() })
}

impl BlockLabels {
    /// These labels, and where they say nothing, those of an earlier label of the page.
    #[must_use]
    pub fn over(mut self, earlier: &BlockLabels) -> BlockLabels {
        for (block, earlier) in self.blocks.iter_mut().zip(&earlier.blocks) {
            *block = block.or(*earlier);
        }
        self
    }
}

impl Pick {
    /// The positions of the blocks.
    fn blocks(&self, page: &Page, ranges: &[NodeRange]) -> Result<Vec<usize>, LabelError> {
        match self {
            Pick::Block(number) => numbered(*number, *number, ranges.len()),
            Pick::Selector(selector) => {
                let numbers = selector.split_once('-');
                let numbers =
                    numbers.map(|(first, last)| (first.trim().parse(), last.trim().parse()));
                if let Some((Ok(first), Ok(last))) = numbers {
                    return numbered(first, last, ranges.len());
                }
                let nodes = selector.parse::<Selector>()?.select(page);
                let mut found = Vec::new();
                for id in nodes {
                    let subtree = page.subtree(id);
                    let first = ranges.partition_point(|range| range.end <= subtree.start);
                    let inside = ranges[first..].iter().take_while(|r| r.start < subtree.end);
                    found.extend(first..first + inside.count());
                }
                Ok(found)
            }
        }
    }
}

/// The positions of the blocks from one number to another.
fn numbered(first: u32, last: u32, blocks: usize) -> Result<Vec<usize>, LabelError> {
    for number in [first, last] {
        if number == 0 || number as usize > blocks {
            return Err(LabelError::NoBlock { number, blocks });
        }
    }
    Ok((first as usize - 1..last as usize).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    const PAGE: &str = "<nav><a>Home</a></nav><div id=x class='post main'><h1>Tea</h1><p>Green \
                        tea.</p><p class=share>Share</p></div><p>Imprint</p>";

    fn labels(json: &str) -> Result<String, LabelError> {
        let page = Page::parse(PAGE.as_bytes(), &Limits::default());
        let label: Label = serde_json::from_str(json).expect("a label");
        let letter = |block: &Option<f32>| match block {
            Some(content) if *content > 0.5 => '+',
            Some(_) => '-',
            None => '?',
        };
        label.on(&page).map(|labels| labels.blocks.iter().map(letter).collect())
    }

    #[test]
    fn labels_by_number_text_and_selector_say_the_same() {
        let check = |json: &str, expected: &str| {
            assert_eq!(labels(json).as_deref(), Ok(expected), "{json}");
        };
        check(r#"{"id": "a", "keep": [2, 3]}"#, "-++--");
        check(r#"{"id": "a", "drop": [1, 4, 5]}"#, "-++--");
        check(r#"{"id": "a", "drop": [1, "4-5"]}"#, "-++--");
        check(r##"{"id": "a", "keep": ["#x"], "drop": [".share"]}"##, "-++--");
        check(r#"{"id": "a", "keep": ["div.post > h1, div.post p"], "drop": [4]}"#, "-++--");
        check(r#"{"id": "a", "keep": ["/html/body/div"], "drop": ["p.share"]}"#, "-++--");
        check(r#"{"id": "a", "text": "Tea\n\nGreen tea."}"#, "-++--");
        check(r#"{"id": "a", "keep": [2], "drop": [1], "partial": true}"#, "-+???");
    }

    #[test]
    fn labels_that_cannot_be_used_say_why() {
        assert_eq!(labels(r#"{"id": "a"}"#), Err(LabelError::Empty));
        assert_eq!(labels(r#"{"id": "a", "text": "x", "keep": [1]}"#), Err(LabelError::Both));
        let no_block = LabelError::NoBlock { number: 6, blocks: 5 };
        assert_eq!(labels(r#"{"id": "a", "keep": [6]}"#), Err(no_block));
        assert!(matches!(
            labels(r#"{"id": "a", "keep": ["p:hover"]}"#),
            Err(LabelError::Selector(_))
        ));
        let other = r#"{"id": "a", "text": "Words of quite another page about coffee"}"#;
        assert!(matches!(labels(other), Err(LabelError::OtherText { .. })));
    }
}
