//! Paths from the root to a node.

use crate::hash::KeyedMap;
use crate::node::NodeId;
use crate::page::Page;
use crate::tag::Tag;

impl Page {
    /// The element names from the root to the node, such as `html/body/div/p`.
    pub fn path(&self, id: NodeId) -> String {
        let mut names: Vec<&str> = self.ancestors(id).map(|id| self.tag_name(id)).collect();
        names.reverse();
        names.push(self.tag_name(id));
        names.join("/")
    }

    /// The XPath of the node, such as `/html/body/div[2]/ul/li[1]`. Siblings with the same name
    /// have a number; scripts and hidden elements, which are not part of the page, are not counted.
    ///
    /// Counts the siblings of the node and of its ancestors: for many nodes of a page, use
    /// [`Page::xpaths`].
    pub fn xpath(&self, id: NodeId) -> String {
        join_steps(std::iter::once(id).chain(self.ancestors(id)).map(|id| counted_step(self, id)))
    }

    /// The XPaths of all nodes, in time linear in the page.
    pub fn xpaths(&self) -> XPaths<'_> {
        XPaths::new(self)
    }

    /// A stable hash of each node's path, in document order. Equal paths have equal hashes, on all
    /// pages.
    pub fn path_hashes(&self) -> Vec<u64> {
        let mut hashes: Vec<u64> = Vec::with_capacity(self.len() as usize);
        for id in self.nodes() {
            let parent = self.parent(id).map_or(0, |parent| hashes[parent.index()]);
            hashes.push(xxhash_rust::xxh3::xxh3_64_with_seed(self.tag_name(id).as_bytes(), parent));
        }
        hashes
    }
}

/// The XPaths of the nodes of a page, see [`Page::xpath`].
#[derive(Debug)]
pub struct XPaths<'a> {
    page: &'a Page,
    /// By node, its position among the siblings with its name.
    positions: Vec<u32>,
    /// By node, whether it has siblings with its name.
    is_numbered: Vec<bool>,
}

impl<'a> XPaths<'a> {
    fn new(page: &'a Page) -> XPaths<'a> {
        let mut positions = vec![0; page.len() as usize];
        let mut is_numbered = vec![false; page.len() as usize];
        let mut last: KeyedMap<Tag, NodeId> = KeyedMap::default();
        for parent in page.nodes().filter(|&id| page.size(id) > 1) {
            last.clear();
            for child in page.children(parent) {
                if let Some(before) = last.insert(page.tag(child), child) {
                    positions[child.index()] = positions[before.index()] + 1;
                    is_numbered[before.index()] = true;
                    is_numbered[child.index()] = true;
                }
            }
        }
        XPaths { page, positions, is_numbered }
    }

    /// The XPath of the node.
    pub fn of(&self, id: NodeId) -> String {
        join_steps(std::iter::once(id).chain(self.page.ancestors(id)).map(|id| self.step(id)))
    }

    /// The last part of the XPath.
    pub fn step(&self, id: NodeId) -> String {
        let position = self.positions[id.index()] as usize;
        step(self.page, id, Some(position).filter(|_| self.is_numbered[id.index()]))
    }
}

/// Joins the steps from a node up to the root.
fn join_steps(steps: impl Iterator<Item = String>) -> String {
    let mut steps: Vec<String> = steps.collect();
    steps.reverse();
    format!("/{}", steps.join("/"))
}

/// The step of a node whose siblings have not been counted.
fn counted_step(page: &Page, id: NodeId) -> String {
    let Some(parent) = page.parent(id) else { return step(page, id, None) };
    let alike: Vec<NodeId> =
        page.children(parent).filter(|&other| page.tag(other) == page.tag(id)).collect();
    let at = alike.iter().position(|&other| other == id);
    step(page, id, at.filter(|_| alike.len() > 1))
}

fn step(page: &Page, id: NodeId, position: Option<usize>) -> String {
    let name = if page.is_text(id) { "text()" } else { page.tag_name(id) };
    match position {
        Some(position) => format!("{name}[{}]", position + 1),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn the_xpaths_of_all_nodes_are_those_of_each() {
        let html = b"<div>a<p>b<p>c<x-y>d</x-y><p>e</div>f<div><ul><li>g<li>h</ul>i<br>j</div>";
        let page = Page::parse(html, &Limits::default());
        let paths = page.xpaths();
        for id in page.nodes() {
            assert_eq!(paths.of(id), page.xpath(id));
        }
        assert_eq!(page.xpath(page.visible_texts().last().unwrap()), "/html/body/div[2]/text()[2]");
    }
}
