//! The shape of a page: only its element names, in document order.

use super::items::Names;
use crate::page::Page;

/// A tree of labels; ids are positions in document order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tree {
    pub(super) labels: Vec<u32>,
    sizes: Vec<u32>,
    /// Children of all nodes, grouped by parent.
    children: Vec<u32>,
    /// Where the children of each node begin in `children`.
    first: Vec<u32>,
}

impl Tree {
    pub(super) fn new(labels: Vec<u32>, sizes: Vec<u32>) -> Tree {
        let mut children = Vec::with_capacity(labels.len());
        let mut first = Vec::with_capacity(labels.len() + 1);
        for id in 0..labels.len() as u32 {
            first.push(children.len() as u32);
            let end = id + sizes[id as usize];
            let mut child = id + 1;
            while child < end {
                children.push(child);
                child += sizes[child as usize];
            }
        }
        first.push(children.len() as u32);
        Tree { labels, sizes, children, first }
    }

    /// The shape of a page; `number` maps a name to its number.
    pub(super) fn of_page<'a>(page: &'a Page, mut number: impl FnMut(&'a str) -> u32) -> Tree {
        let labels = page.nodes().map(|id| number(page.tag_name(id))).collect();
        Tree::new(labels, page.nodes().map(|id| page.size(id)).collect())
    }

    /// The shape of a page, with new numbers for names not seen before.
    pub(super) fn numbered(page: &Page, names: &mut Names) -> Tree {
        Tree::of_page(page, |name| names.number(name))
    }

    pub(super) fn len(&self) -> u32 {
        self.labels.len() as u32
    }

    pub(super) fn size(&self, id: u32) -> u32 {
        self.sizes[id as usize]
    }

    pub(super) fn children(&self, id: u32) -> &[u32] {
        &self.children[self.first[id as usize] as usize..self.first[id as usize + 1] as usize]
    }
}
