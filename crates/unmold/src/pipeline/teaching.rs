//! The default and labels: pages as teaching sees them, and what it learned.

use super::blocks::Blocks;
use super::contents;
use super::features::Features;
use super::model::Model;
use super::names::Names;
use super::seen::Seen;
use super::template::AutoTemplate;
use crate::page::{NodeRange, Page};
use crate::teach::{Keys, Lesson};

/// From the first to the last text of each block of a page.
pub(crate) fn block_ranges(page: &Page) -> Vec<NodeRange> {
    let blocks = Blocks::of(page, &Names::default());
    blocks.list.into_iter().map(|block| block.nodes).collect()
}

/// Which blocks stay, given the probability that each is content, and its words.
pub(crate) fn kept(contents: &[f32], words: &[f32]) -> Vec<bool> {
    let threshold = super::cut::threshold(contents, |at| words[at].max(super::MIN_WORDS));
    contents.iter().map(|&content| content >= threshold).collect()
}

impl AutoTemplate {
    /// Does something with a page as teaching sees it.
    pub(crate) fn see<T>(&self, page: &Page, look: impl FnOnce(&Seen) -> T) -> T {
        let evidence = self.evidence();
        let blocks = Blocks::of(page, &evidence.names);
        look(&Seen { page, blocks: &blocks, evidence })
    }

    fn features<'a>(&self, seen: &Seen<'a>, model: &'a Model) -> Features<'a> {
        let &Seen { page, blocks, evidence } = seen;
        Features::new(page, blocks, evidence, model.lexicon()).with_kind(model, self.page_kind())
    }

    /// The number of the kind of page it is; 0 if it is of none.
    pub(crate) fn kind_number(&self, page: &Page) -> usize {
        self.see(page, |seen| seen.kind()).map_or(0, |kind| kind + 1)
    }

    /// A labelled page, ready to learn from, with what the default says about its blocks.
    pub(crate) fn lesson(
        &self,
        id: &str,
        page: &Page,
        labels: Vec<Option<f32>>,
        model: &Model,
    ) -> Lesson {
        self.see(page, |seen| Lesson {
            id: id.to_owned(),
            keys: Keys::of(seen),
            labels,
            contents: contents(&self.features(seen, model), seen.evidence, model),
        })
    }
}
