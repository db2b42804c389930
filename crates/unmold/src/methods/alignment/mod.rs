//! Finds: the sequence of tags and texts that most pages of a site have in common.
//!
//! Paper: Geraci and Maggini, *A multi-sequence alignment algorithm for web template detection*,
//! 2011 (`docs/methods/alignment.md`). Each page is a sequence of tokens; Needleman–Wunsch aligns
//! two of them; the unions are aligned again, in a binary tree, and what too few pages support is
//! dropped on the way.
//!
//! time: t − 1 alignments to learn from t pages, one to mark a page; an alignment costs n·m / 64
//! steps with `lcs` scoring and n·m with the paper's. space: a few words a token, and at most 16 MB
//! for an alignment.
//!
//! Departures, all measured with `unmold-lab eval` (`docs/methods/alignment.md`): tokens come from
//! the cleaned tree, so that removing them cannot break it; `lcs` scoring instead of the paper's,
//! which gives up matches when pages differ in length; only the attributes that are content are compared,
//! and sentences without their numbers and months; a token needs three of sixteen pages and only
//! what less than an eighth have is dropped before the root, because blocks that only some pages
//! have are template too; a block that stands elsewhere or once more is found by its neighbours,
//! because an alignment has one place for it. The paper does not say how a template is removed:
//! here it is aligned with the page, and the nodes whose token has a partner are template.
//!
//! Thresholds: t = 16 is the paper's, chosen there on five sites. A support of 0.18 is ours, tuned
//! on the labelled sites that `docs/methods/alignment.md` scores: a quarter costs 0.01 to 0.02 of
//! template F1 there.

mod align;
mod consensus;
mod lcs;
mod needleman;
mod tokens;

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use align::Scoring;
pub use consensus::{Merge, Pruning};
pub use tokens::Identity;

use super::{LearnError, LearnedTemplate, Method, Part, Runner, Sample, Serial};
use crate::marks::{Marks, Source};
use crate::page::{Flag, LabelProfile, NodeId, Page};
use align::{Step, align};
use consensus::{Profile, distill};
use tokens::{Equality, TokenTable, token_hash, visit_tokens};

/// Settings of the method.
#[derive(Clone, PartialEq, Debug)]
pub struct Alignment {
    /// Pages to learn from, the paper's t; of a larger sample, this many are drawn.
    pub pages: usize,
    /// What is a good alignment.
    pub scoring: Scoring,
    /// When two tokens are equal.
    pub identity: Identity,
    /// Compare sentences as if every number and month in them were 0, as [`LabelProfile::TagShown`]
    /// does.
    pub mask_digits: bool,
    /// Also mark texts that stand elsewhere than the template says, or more often, if both their
    /// neighbours are the template's too.
    pub moved_blocks: bool,
    /// What is dropped on the way to the root of the tree.
    pub pruning: Pruning,
    /// A token on at least this share of the pages is template.
    pub support: f64,
    /// A text in a slot needs this share: one whose tags are on at least twice as many pages as
    /// itself. Such texts are the values of a record; three pages that have the same one say
    /// little.
    pub value_support: f64,
    /// The threshold is at least this many pages: what a single page has is not shared.
    pub least_pages: u32,
    /// Draws the pages and pairs them.
    pub seed: u64,
    /// Pages of more tokens than this are not learned from.
    pub most_tokens: usize,
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
            least_pages: 2,
            seed: 0,
            most_tokens: 50_000,
        }
    }
}

impl Alignment {
    /// The paper's values: match 1, mismatch 0, gap −1, all attributes, sixteen pages, one half.
    pub fn paper() -> Alignment {
        Alignment {
            scoring: Scoring::Paper,
            identity: Identity::AllAttributes,
            mask_digits: false,
            moved_blocks: false,
            pruning: Pruning::Half,
            support: 0.5,
            value_support: 0.0,
            least_pages: 1,
            ..Alignment::default()
        }
    }

    /// [`Method::learn`], with the merges of each level of the consensus tree in the caller's
    /// hands.
    ///
    /// `run_level` calls [`Merge::run`] on each, on as many threads as it likes; the result does
    /// not depend on how.
    ///
    /// # Errors
    /// Fewer than two pages of bearable size share nothing.
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
            // A page over the limits is read as a flat sequence of texts, which has no tags to
            // align.
            if page.flags().contains(&Flag::TooLarge) {
                continue;
            }
            let tokens = table.read(page, self.equality());
            if tokens.len() <= self.most_tokens {
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
        let threshold = least_pages(self.support, root.pages).max(self.least_pages);
        root.drop_values_below(least_pages(self.value_support, root.pages), |token| {
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

/// The least number of pages that is the given share of `pages`.
fn least_pages(share: f64, pages: u32) -> u32 {
    // A share such as 0.3 is a little less or more than it says; a millionth of a page decides
    // nothing.
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
    /// As it is written: `<a href="…">`, `</a>`, or a text in lower case with `&`, `<` and `"`
    /// escaped.
    pub token: String,
    /// Pages that have it here.
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
    /// Each token as a number; equal tokens have the same.
    sequence: Vec<u32>,
    numbers: FxHashMap<u64, u32>,
}

/// What the template file holds.
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
        let mut numbers = FxHashMap::default();
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

/// The number of every token that the template does not have.
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
            // Only texts: a tag between the right neighbours says too little.
            let moved =
                self.moved(&numbers).into_iter().filter(|&(_, at)| page.is_text(tokens[at].node));
            moved.for_each(|(part, at)| mark(part, tokens[at].node));
        }
        // What stands in its place is explained by its place.
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

    /// The tokens in their order, end tags included.
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

    /// What it takes for a token of a page to be the template's.
    pub fn identity(&self) -> Identity {
        self.equality.identity
    }

    /// How it is aligned with a page.
    pub fn scoring(&self) -> Scoring {
        self.scoring
    }

    /// The tokens, in the order in which they stand on pages.
    pub fn tokens(&self) -> &[TemplateToken] {
        &self.tokens
    }

    fn number(&self, written: &str) -> u32 {
        self.numbers.get(&token_hash(written)).copied().unwrap_or(UNKNOWN)
    }

    fn share(&self, pages: u32) -> f32 {
        pages as f32 / self.pages as f32
    }

    /// How much of the template is in its place on a page: tokens count by the pages that have
    /// them, since a banner that half of the pages have is no sign of a redesign when it is
    /// missing.
    fn share_found(&self, partners: &[(usize, usize)]) -> f32 {
        let all: u64 = self.tokens.iter().map(|token| u64::from(token.pages)).sum();
        let here: u64 = partners.iter().map(|&(part, _)| u64::from(self.tokens[part].pages)).sum();
        if all == 0 { 1.0 } else { here as f32 / all as f32 }
    }

    /// The tokens that stand between the same two neighbours on the page and in the template.
    fn moved(&self, page: &[u32]) -> Vec<(usize, usize)> {
        let mut blocks: FxHashMap<&[u32], usize> = FxHashMap::default();
        for (part, block) in self.sequence.windows(3).enumerate() {
            blocks.entry(block).or_insert(part + 1);
        }
        let known = |(at, block): (usize, &[u32])| blocks.get(block).map(|&part| (part, at + 1));
        page.windows(3).enumerate().filter_map(known).collect()
    }

    /// The positions in the template and on the page of the tokens that are aligned and equal.
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
