//! Root-to-node paths of element names.

use super::{NodeId, Page};

impl Page {
    /// The names from the root to the node, as `html/body/div/p`.
    pub fn path(&self, id: NodeId) -> String {
        let mut names: Vec<&str> = self.ancestors(id).map(|id| self.tag_name(id)).collect();
        names.reverse();
        names.push(self.tag_name(id));
        names.join("/")
    }

    /// A stable hash of each node's path, in document order: equal for equal paths of any two pages.
    pub fn path_hashes(&self) -> Vec<u64> {
        let mut hashes: Vec<u64> = Vec::with_capacity(self.len() as usize);
        for id in self.nodes() {
            let parent = self.parent(id).map_or(0, |parent| hashes[parent as usize]);
            hashes.push(xxhash_rust::xxh3::xxh3_64_with_seed(self.tag_name(id).as_bytes(), parent));
        }
        hashes
    }
}
