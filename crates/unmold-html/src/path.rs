//! Paths from the root to a node.

use crate::node::NodeId;
use crate::page::Page;

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
    pub fn xpath(&self, id: NodeId) -> String {
        let mut steps: Vec<String> =
            std::iter::once(id).chain(self.ancestors(id)).map(|id| self.xpath_step(id)).collect();
        steps.reverse();
        format!("/{}", steps.join("/"))
    }

    /// The last part of [`Page::xpath`].
    pub fn xpath_step(&self, id: NodeId) -> String {
        let name = if self.is_text(id) { "text()" } else { self.tag_name(id) };
        let Some(parent) = self.parent(id) else { return name.to_owned() };
        let alike: Vec<NodeId> =
            self.children(parent).filter(|&other| self.tag(other) == self.tag(id)).collect();
        match alike.iter().position(|&other| other == id) {
            Some(at) if alike.len() > 1 => format!("{name}[{}]", at + 1),
            _ => name.to_owned(),
        }
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
