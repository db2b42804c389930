//! What is left of a page when its template is gone? [`strip`] decides, the writers beside it
//! print.

mod html;
mod markdown;
mod text;

use crate::marks::Marks;
use crate::page::{NodeId, Page};

/// A page without its template.
#[derive(Clone, Debug)]
pub struct Stripped<'a> {
    page: &'a Page,
    removed: Vec<bool>,
}

/// Removes the largest subtrees that are template throughout.
///
/// An element that is template but holds content stays, as scaffolding. A text is never removed
/// unless it is itself template, whatever its ancestors are. The page's `head` stays.
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
    /// The page with everything still on it.
    pub fn untouched(page: &'a Page) -> Stripped<'a> {
        Stripped { page, removed: vec![false; page.len() as usize] }
    }

    /// The page this was made from.
    pub fn page(&self) -> &'a Page {
        self.page
    }

    /// Whether the node is still there.
    pub fn keeps(&self, id: NodeId) -> bool {
        !self.removed[id.index()]
    }

    /// The visible texts that are left, in document order.
    pub fn texts(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.page.visible_texts().filter(|&id| self.keeps(id))
    }

    /// The share of the page's visible text, in characters, that is left; 1 for a page without
    /// text.
    pub fn content_share(&self) -> f64 {
        let (mut all, mut left) = (0, 0);
        for id in self.page.visible_texts() {
            let length = self.page.text(id).chars().count();
            all += length;
            left += if self.keeps(id) { length } else { 0 };
        }
        if all == 0 { 1.0 } else { left as f64 / all as f64 }
    }

    /// Plain text: a line for every block, cells of a table row apart by a tab, `pre` as it was
    /// written.
    pub fn text(&self) -> String {
        text::write(self, |id| self.keeps(id))
    }

    /// The other half: the page with nothing on it but what was taken away, and the elements around
    /// that.
    pub fn template(&self) -> Stripped<'a> {
        let mut removed = vec![false; self.page.len() as usize];
        for id in self.page.body().rev() {
            let holds_template = self.removed[id.index()]
                || self.page.children(id).any(|child| !removed[child.index()]);
            removed[id.index()] = !holds_template && id != self.page.body().start;
        }
        Stripped { page: self.page, removed }
    }

    /// The text that was taken away, written like [`Stripped::text`].
    pub fn template_text(&self) -> String {
        text::write(self, |id| !self.keeps(id))
    }

    /// A complete HTML document.
    pub fn html(&self) -> String {
        html::write(self)
    }

    /// CommonMark with tables.
    pub fn markdown(&self) -> String {
        markdown::write(self)
    }
}

/// One step of a walk through a page.
enum Step {
    Enter(NodeId),
    Leave(NodeId),
}

/// Enters and leaves the nodes below `root` that `keeps` accepts, in document order, without
/// recursion. A node that is not kept is skipped with all below it.
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
