//! Finds the sequence of tags and texts that most pages of a site have in common.
//!
//! Paper: Geraci and Maggini, *A multi-sequence alignment algorithm for web template detection*,
//! 2011 (`docs/methods/alignment.md`). Each page is a sequence of tokens. Needleman–Wunsch aligns
//! pages in pairs, then aligns the unions of those pairs, and so on up a binary tree. Tokens that
//! too few pages support are dropped on the way.
//!
//! time: t − 1 alignments to learn from t pages, one to mark a page; an alignment takes n·m / 64
//! steps with `lcs` scoring and n·m with the paper's. space: a few words per token, and at most
//! 16 MB for an alignment.
//!
//! Departures, all measured with `unmold-lab eval` (`docs/methods/alignment.md`):
//!
//! - Tokens come from the cleaned tree, so that removing them cannot break it.
//! - Scoring is `lcs`. The paper's loses matches when pages differ in length.
//! - Only content attributes are compared, and sentences are compared without their numbers and
//!   months.
//! - A token needs three of sixteen pages, and only tokens on less than an eighth of the pages are
//!   dropped before the root, because blocks that only some pages have are template too.
//! - A block that moved or occurs once more is recognised by its neighbours, because an alignment
//!   has only one place for it.
//! - The paper does not say how a template is removed. Here it is aligned with the page, and the
//!   nodes whose token has a partner are template.
//!
//! Thresholds: t = 16 is the paper's, chosen there on five sites. A support of 0.18 is ours, tuned
//! on the labelled sites that `docs/methods/alignment.md` scores: a support of a quarter loses 0.01
//! to 0.02 of template F1 there.

mod align;
mod consensus;
mod lcs;
mod needleman;
mod step;
mod tokens;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use unmold_html::hash::KeyedMap;

pub use align::Scoring;
pub use consensus::{Merge, Pruning};
pub use tokens::Identity;

use super::{LearnError, LearnedTemplate, Method, Part, Runner, Sample, Serial};
use crate::marks::{Marks, Source};
use crate::page::{Flag, LabelProfile, NodeId, Page};
use align::align;
use consensus::{Profile, distill};
use step::Step;
use tokens::{Equality, TokenTable, token_hash, visit_tokens};

/// Settings of the method.
#[derive(Clone, PartialEq, Debug)]
pub struct Alignment {
    /// Number of pages to learn from, the paper's t. A larger sample is reduced to this many by a
    /// random draw.
    pub pages: usize,
    /// How alignments are scored.
    pub scoring: Scoring,
    /// When two tokens are equal.
    pub identity: Identity,
    /// Compare sentences as if every number and month in them were 0, as [`LabelProfile::TagShown`]
    /// does.
    pub mask_digits: bool,
    /// Also mark texts that occur in another place than in the template, or more often, if both
    /// their neighbours match the template too.
    pub moved_blocks: bool,
    /// Which tokens are dropped on the way to the root of the tree.
    pub pruning: Pruning,
    /// A token on at least this share of the pages is template.
    pub support: f64,
    /// The share that a text in a slot needs. A text is in a slot if the tags around it are on at
    /// least twice as many pages as the text. Such texts are the values of a record: three pages
    /// with the same value are weak evidence.
    pub value_support: f64,
    /// Lower bound of the threshold: what only one page has is not shared.
    pub min_pages: u32,
    /// Seed for drawing and pairing the pages.
    pub seed: u64,
    /// Pages with more tokens than this are skipped when learning.
    pub max_tokens: usize,
}

impl Default for Alignment {
    fn default() -> Alignment {
        Alignment {
            pages: 16,
            scoring: Scoring::Lcs,
            identity: Identity::Profile(LabelProfile::TagContent),
            mask_digits: true,
            moved_blocks: true,
            pruning: Pruning::Eighth,
            support: 0.18,
            value_support: 0.25,
            min_pages: 2,
            seed: 0,
            max_tokens: 50_000,
        }
    }
}

impl Alignment {
    /// The paper's values: match 1, mismatch 0, gap −1, all attributes, sixteen pages, a support of
    /// one half.
    pub fn paper() -> Alignment {
        Alignment {
            scoring: Scoring::Paper,
            identity: Identity::AllAttributes,
            mask_digits: false,
            moved_blocks: false,
            pruning: Pruning::Half,
            support: 0.5,
            value_support: 0.0,
            min_pages: 1,
            ..Alignment::default()
        }
    }

    /// [`Method::learn`], where the caller runs the merges of each level of the consensus tree.
    ///
    /// `run_level` calls [`Merge::run`] on each merge, in any order and on any number of threads;
    /// the result is the same.
    ///
    /// # Errors
    /// Fewer than two pages are within [`Alignment::max_tokens`].
    fn align(
        &self,
        sample: &Sample,
        run_level: impl FnMut(&mut [Merge]),
    ) -> Result<AlignmentTemplate, LearnError> {
        let mut table = TokenTable::default();
        let mut pages: Vec<Profile> = Vec::new();
        for page in sample.shuffled(self.seed) {
            if pages.len() >= self.pages.max(2) {
                break;
            }
            // A page over the parser's limits is a flat sequence of texts, without tags to align.
            if page.flags().contains(&Flag::TooLarge) {
                continue;
            }
            let tokens = table.read(page, self.equality());
            if tokens.len() <= self.max_tokens {
                pages.push(Profile::of_page(&tokens));
            }
        }
        if pages.len() < 2 {
            return Err(LearnError::NotEnoughPages { found: pages.len() });
        }
        let root = distill(pages, self.scoring, self.pruning, run_level);
        Ok(self.template(root, &table))
    }

    fn equality(&self) -> Equality {
        Equality { identity: self.identity, mask_digits: self.mask_digits }
    }

    fn template(&self, mut root: Profile, table: &TokenTable) -> AlignmentTemplate {
        let threshold = pages_of_share(self.support, root.pages).max(self.min_pages);
        root.drop_values_below(pages_of_share(self.value_support, root.pages), |token| {
            table.is_text(token)
        });
        root.drop_below(threshold);
        let tokens = root
            .tokens
            .iter()
            .map(|counted| TemplateToken {
                token: table.written(counted.token).to_owned(),
                pages: counted.pages,
            })
            .collect();
        AlignmentTemplate::from(StoredAlignment {
            scoring: self.scoring,
            equality: self.equality(),
            moved_blocks: self.moved_blocks,
            pages: root.pages,
            threshold,
            tokens,
        })
    }
}

/// The smallest number of pages that is at least the given share of `pages`.
fn pages_of_share(share: f64, pages: u32) -> u32 {
    // A share such as 0.3 has no exact binary form: allow for a millionth of a page of rounding.
    ((share * f64::from(pages) - 1e-6).ceil() as u32).max(1)
}

impl Method for Alignment {
    type Template = AlignmentTemplate;

    fn learn(&self, sample: &Sample) -> Result<AlignmentTemplate, LearnError> {
        self.learn_with(sample, &Serial)
    }

    fn learn_with(
        &self,
        sample: &Sample,
        runner: &dyn Runner,
    ) -> Result<AlignmentTemplate, LearnError> {
        self.align(sample, |merges| runner.merge(merges))
    }
}

/// A token of the template.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TemplateToken {
    /// The written form: `<a href="…">`, `</a>`, or a text in lower case with `&`, `<` and `"`
    /// escaped.
    pub token: String,
    /// Number of pages that have it in this place.
    pub pages: u32,
}

/// The sequence of tokens that a site's pages share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "StoredAlignment", into = "StoredAlignment")]
pub struct AlignmentTemplate {
    scoring: Scoring,
    equality: Equality,
    moved_blocks: bool,
    pages: u32,
    threshold: u32,
    tokens: Vec<TemplateToken>,
    /// Each token as a number; equal tokens have the same number.
    sequence: Vec<u32>,
    numbers: KeyedMap<u64, u32>,
}

/// An alignment template as stored in the template file.
#[derive(Serialize, Deserialize)]
struct StoredAlignment {
    scoring: Scoring,
    #[serde(flatten)]
    equality: Equality,
    moved_blocks: bool,
    /// Pages learned from.
    pages: u32,
    /// A token on at least this many pages is template.
    threshold: u32,
    tokens: Vec<TemplateToken>,
}

impl From<StoredAlignment> for AlignmentTemplate {
    fn from(stored: StoredAlignment) -> AlignmentTemplate {
        let StoredAlignment { scoring, equality, moved_blocks, pages, threshold, tokens } = stored;
        let mut numbers = KeyedMap::default();
        let sequence = (0..)
            .zip(&tokens)
            .map(|(number, token)| *numbers.entry(token_hash(&token.token)).or_insert(number))
            .collect();
        AlignmentTemplate {
            scoring,
            equality,
            moved_blocks,
            pages: pages.max(1),
            threshold,
            tokens,
            sequence,
            numbers,
        }
    }
}

impl From<AlignmentTemplate> for StoredAlignment {
    fn from(template: AlignmentTemplate) -> StoredAlignment {
        let AlignmentTemplate { scoring, equality, moved_blocks, pages, threshold, tokens, .. } =
            template;
        StoredAlignment { scoring, equality, moved_blocks, pages, threshold, tokens }
    }
}

/// The number of all tokens that are not in the template.
const UNKNOWN: u32 = u32::MAX;

impl LearnedTemplate for AlignmentTemplate {
    fn mark(&self, page: &Page) -> Marks {
        let mut tokens = Vec::new();
        let mut numbers = Vec::new();
        visit_tokens(page, self.equality, |token, written| {
            tokens.push(token);
            numbers.push(self.number(written));
        });
        let partners = self.partners(&numbers);
        let mut marks = Marks::with_threshold(page, self.share(self.threshold));
        let mut mark = |part: usize, node: NodeId| {
            marks.set(node, self.share(self.tokens[part].pages), Some(Source::Part(part as u32)));
        };
        if self.moved_blocks {
            // Only texts: a tag between the same neighbours is too weak as evidence.
            let moved =
                self.moved(&numbers).into_iter().filter(|&(_, at)| page.is_text(tokens[at].node));
            moved.for_each(|(part, at)| mark(part, tokens[at].node));
        }
        // Tokens in their place overwrite the source set for moved ones.
        let in_place = partners.iter().filter(|&&(_, at)| !tokens[at].is_end);
        in_place.for_each(|&(part, at)| mark(part, tokens[at].node));
        marks.set_template_match(self.share_found(&partners));
        marks
    }

    fn pages(&self) -> u32 {
        self.pages
    }

    fn parts(&self) -> Vec<Part> {
        let mut depth = 0u32;
        let mut parts = Vec::new();
        for (number, token) in (0..).zip(&self.tokens) {
            if token.token.starts_with("</") {
                depth = depth.saturating_sub(1);
                continue;
            }
            let part = Part::new(Some(number), token.token.clone(), token.pages, self.pages);
            parts.push(part.at_depth(depth));
            depth += u32::from(token.token.starts_with('<'));
        }
        parts
    }

    fn describe(&self, part: u32) -> Option<String> {
        let TemplateToken { token, pages, .. } = self.tokens.get(part as usize)?;
        Some(format!("{token}, on {pages} of {} pages", self.pages))
    }

    fn text(&self) -> String {
        let tokens = self.tokens.iter().map(|token| token.token.as_str());
        let text = tokens.filter(|token| !token.starts_with('<')).collect::<Vec<_>>().join("\n");
        text.replace("&lt;", "<").replace("&quot;", "\"").replace("&amp;", "&")
    }

    /// The tokens in document order, end tags included.
    fn show(&self) -> String {
        let (pages, threshold) = (self.pages, self.threshold);
        let mut out = format!("learned from {pages} pages, template on at least {threshold}\n");
        for TemplateToken { token, pages: here, .. } in &self.tokens {
            out.push_str(&format!("{here:>6} of {pages}  {token}\n"));
        }
        out
    }
}

impl AlignmentTemplate {
    /// A token on at least this many pages is template.
    pub fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Whether sentences are compared as if every number and month in them were 0.
    pub fn masks_digits(&self) -> bool {
        self.equality.mask_digits
    }

    /// When a token of a page equals one of the template.
    pub fn identity(&self) -> Identity {
        self.equality.identity
    }

    /// How the alignment with a page is scored.
    pub fn scoring(&self) -> Scoring {
        self.scoring
    }

    /// The tokens in document order.
    pub fn tokens(&self) -> &[TemplateToken] {
        &self.tokens
    }

    /// The tokens of a page as this template compares them, each with its node; an end tag has the
    /// node of its start tag.
    pub fn tokens_of(&self, page: &Page) -> Vec<(NodeId, String)> {
        let mut tokens = Vec::new();
        visit_tokens(page, self.equality, |token, written| {
            tokens.push((token.node, written.to_owned()));
        });
        tokens
    }

    fn number(&self, written: &str) -> u32 {
        self.numbers.get(&token_hash(written)).copied().unwrap_or(UNKNOWN)
    }

    fn share(&self, pages: u32) -> f32 {
        pages as f32 / self.pages as f32
    }

    /// The share of the template that is in its place on a page. Tokens are weighted by the number
    /// of pages that have them: a missing banner does not suggest a redesign if only half of the
    /// pages have it anyway.
    fn share_found(&self, partners: &[(usize, usize)]) -> f32 {
        let all: u64 = self.tokens.iter().map(|token| u64::from(token.pages)).sum();
        let here: u64 = partners.iter().map(|&(part, _)| u64::from(self.tokens[part].pages)).sum();
        if all == 0 { 1.0 } else { here as f32 / all as f32 }
    }

    /// The tokens that have the same two neighbours on the page and in the template, as pairs of
    /// positions in the template and on the page.
    fn moved(&self, page: &[u32]) -> Vec<(usize, usize)> {
        let mut blocks: KeyedMap<&[u32], usize> = KeyedMap::default();
        for (part, block) in self.sequence.windows(3).enumerate() {
            blocks.entry(block).or_insert(part + 1);
        }
        let known = |(at, block): (usize, &[u32])| blocks.get(block).map(|&part| (part, at + 1));
        page.windows(3).enumerate().filter_map(known).collect()
    }

    /// The tokens that are aligned and equal, as pairs of positions in the template and on the
    /// page.
    fn partners(&self, page: &[u32]) -> Vec<(usize, usize)> {
        align(&self.sequence, page, self.scoring)
            .into_iter()
            .filter_map(|step| match step {
                Step::Both(part, at) if self.sequence[part] == page[at] => Some((part, at)),
                _ => None,
            })
            .collect()
    }
}
