//! Removes the template from a page. [`strip`] decides what stays, the submodules write it.

mod comments;
mod fragment;
mod furniture;
mod html;
mod markdown;
mod options;
mod text;

use crate::marks::Marks;
use crate::page::{NodeId, Page};

pub use options::{Images, Links, WriteOptions};

/// A page without its template.
#[derive(Clone, Debug)]
pub struct Stripped<'a> {
    page: &'a Page,
    removed: Vec<bool>,
}

/// Removes the largest subtrees that consist of template only.
///
/// An element that is template but holds content stays, as scaffolding. A text is only removed if
/// it is itself template, whatever its ancestors are. The page's `head` stays.
#[must_use]
pub fn strip<'a>(page: &'a Page, marks: &Marks) -> Stripped<'a> {
    let body = page.body();
    let mut removed = vec![false; page.len() as usize];
    for id in body.clone().rev() {
        removed[id.index()] = id != body.start
            && marks.is_template(id)
            && page.children(id).all(|child| removed[child.index()]);
    }
    Stripped { page, removed }
}

impl<'a> Stripped<'a> {
    /// The whole page, with nothing removed.
    #[must_use]
    pub fn untouched(page: &'a Page) -> Stripped<'a> {
        Stripped { page, removed: vec![false; page.len() as usize] }
    }

    /// The original page.
    pub fn page(&self) -> &'a Page {
        self.page
    }

    /// Whether the node was kept.
    pub fn keeps(&self, id: NodeId) -> bool {
        !self.removed[id.index()]
    }

    /// The visible texts that were kept, in document order.
    pub fn texts(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.page.visible_texts().filter(|&id| self.keeps(id))
    }

    /// The share of the page's visible text, in characters, that was kept; 1 for a page without
    /// text.
    #[must_use]
    pub fn content_share(&self) -> f64 {
        let (mut all, mut kept) = (0, 0);
        for id in self.page.visible_texts() {
            let length = self.page.text(id).chars().count();
            all += length;
            kept += if self.keeps(id) { length } else { 0 };
        }
        if all == 0 { 1.0 } else { kept as f64 / all as f64 }
    }

    /// Plain text: one line per block, tabs between the cells of a table row, `pre` as written.
    #[must_use]
    pub fn text(&self) -> String {
        text::write(self, |id| self.keeps(id))
    }

    /// The complement: only what was removed, and the elements around it.
    #[must_use]
    pub fn template(&self) -> Stripped<'a> {
        let mut removed = vec![false; self.page.len() as usize];
        for id in self.page.body().rev() {
            let holds_template = self.removed[id.index()]
                || self.page.children(id).any(|child| !removed[child.index()]);
            removed[id.index()] = !holds_template && id != self.page.body().start;
        }
        Stripped { page: self.page, removed }
    }

    /// The removed text, formatted like [`Stripped::text`].
    #[must_use]
    pub fn template_text(&self) -> String {
        text::write(self, |id| !self.keeps(id))
    }

    /// Plain text to read: paragraphs apart, bullets and numbers before the items of lists.
    #[must_use]
    pub fn plain(&self) -> String {
        markdown::write_plain(self)
    }

    /// Removes what belongs to no text: permalinks and edit links of headings, spacers, images
    /// among removed texts.
    #[must_use]
    pub fn without_furniture(mut self) -> Stripped<'a> {
        furniture::remove(self.page, &mut self.removed);
        self
    }

    /// A complete HTML document.
    #[must_use]
    pub fn html(&self) -> String {
        self.html_with(WriteOptions::default())
    }

    /// A complete HTML document, or the content alone ([`WriteOptions::fragment`]).
    #[must_use]
    pub fn html_with(&self, options: WriteOptions) -> String {
        if options.fragment { fragment::write(self, options) } else { html::write(self, options) }
    }

    /// What is left without comments of readers, and the comments alone; `None` if there are none.
    #[must_use]
    pub fn without_comments(&self) -> Option<(Stripped<'a>, Stripped<'a>)> {
        let regions = comments::regions(self);
        if regions.is_empty() {
            return None;
        }
        let mut text = self.clone();
        let mut comments =
            Stripped { page: self.page, removed: vec![true; self.page.len() as usize] };
        comments.removed[..self.page.body().start.index()].fill(false);
        for region in regions {
            for id in self.page.subtree(region) {
                text.removed[id.index()] = true;
                comments.removed[id.index()] = self.removed[id.index()];
            }
            for id in self.page.ancestors(region) {
                comments.removed[id.index()] = false;
            }
        }
        Some((text, comments))
    }

    /// CommonMark with tables.
    #[must_use]
    pub fn markdown(&self) -> String {
        self.markdown_with(WriteOptions::default())
    }

    /// CommonMark with tables.
    #[must_use]
    pub fn markdown_with(&self, options: WriteOptions) -> String {
        markdown::write(self, options)
    }
}

/// One step of a walk through a page.
enum Step {
    Enter(NodeId),
    Leave(NodeId),
}

/// Enters and leaves the nodes below `root` that `keeps` accepts, in document order, without
/// recursion. Skips the subtrees of all other nodes.
fn walk(page: &Page, root: NodeId, keeps: impl Fn(NodeId) -> bool, mut visit: impl FnMut(Step)) {
    let mut open: Vec<NodeId> = Vec::new();
    let mut id = root;
    let end = page.subtree(root).end;
    while id < end {
        while let Some(&top) = open.last().filter(|&&top| page.subtree(top).end <= id) {
            open.pop();
            visit(Step::Leave(top));
        }
        if !keeps(id) {
            id = page.subtree(id).end;
            continue;
        }
        visit(Step::Enter(id));
        open.push(id);
        id = id.next();
    }
    while let Some(top) = open.pop() {
        visit(Step::Leave(top));
    }
}
