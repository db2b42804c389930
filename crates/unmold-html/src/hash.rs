//! Hash maps whose keys come from pages.
//!
//! Whoever writes a page chooses its words, names and links. With a fixed hash function they could
//! choose keys that all collide, and every lookup would walk through all of them. These maps mix a
//! secret of the process into each hash. Their order therefore differs from run to run: sort before
//! anything of it reaches the output.

/// Mixes a secret of the process into each hash.
pub type KeyedState = foldhash::fast::RandomState;

/// A hash map for keys that come from pages.
pub type KeyedMap<K, V> = std::collections::HashMap<K, V, KeyedState>;

/// A hash set for keys that come from pages.
pub type KeyedSet<K> = std::collections::HashSet<K, KeyedState>;

/// A map with room for `entries`.
pub fn map_with_room<K, V>(entries: usize) -> KeyedMap<K, V> {
    KeyedMap::with_capacity_and_hasher(entries, KeyedState::default())
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use super::*;

    /// All these words have one hash under the hash function of rustc, whose seeds are fixed.
    #[test]
    fn words_made_to_collide_do_not() {
        let state = KeyedState::default();
        let word = |n: u32| format!("yyetibhuaxxdaaaa{n:08}ohrlfdju");
        let hashes: KeyedSet<u64> = (0..10_000).map(|n| state.hash_one(word(n))).collect();
        assert_eq!(hashes.len(), 10_000);
    }

    #[test]
    fn no_two_maps_have_one_secret() {
        let hash = || KeyedState::default().hash_one("the same word");
        assert_ne!(hash(), hash());
    }
}
