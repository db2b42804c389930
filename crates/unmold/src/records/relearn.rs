//! Columns keep their ids and names when a schema is learned again: after more pages, after a
//! redesign.

use std::collections::{BTreeMap, BTreeSet};

use unmold_html::hash::KeyedMap;
use xxhash_rust::xxh3::xxh3_64;

use super::schema::{Column, Schema, unique};

/// Addresses whose values are kept, per column.
pub(super) const MAX_SEEN: usize = 16;
/// Addresses that both schemas must know, and the share with the same value.
const MIN_SHARED: usize = 3;
const MIN_SAME: f64 = 0.6;
/// Rarer columns may be missing by chance.
const MIN_COVER: u32 = 300;
/// A column is emptied if it has less than this share of its cover.
const EMPTIED: f64 = 0.25;

/// Whether a column has far fewer values than before, given its covers.
pub(super) fn is_emptied(before: u32, after: u32) -> bool {
    f64::from(after) < EMPTIED * f64::from(before)
}

/// Whether so few values can be chance: within three standard deviations of the number that pages
/// with this cover have. Covers are in thousandths.
fn is_chance(pages: u32, before: u32, after: u32) -> bool {
    let [pages, before, after] = [pages, before, after].map(f64::from);
    let [before, after] = [before / 1000.0, after / 1000.0];
    pages * (before - after) <= 3.0 * (pages * before * (1.0 - before)).sqrt()
}

/// What learning again did to the columns.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Changes {
    /// Names of columns that are gone.
    pub vanished: Vec<String>,
    /// Names of columns that are new.
    pub appeared: Vec<String>,
    /// Names of columns with far fewer values than before, with the cover before and after in
    /// thousandths.
    pub emptied: Vec<(String, u32, u32)>,
    /// Names of columns that were found again at another place.
    pub moved: Vec<String>,
}

impl Changes {
    /// Whether a user of the table has to know.
    pub fn is_empty(&self) -> bool {
        *self == Changes::default()
    }
}

/// Hashes of an address and of the value that a column has there.
pub(super) fn seen(url: &str, values: &str) -> (u32, u32) {
    (xxh3_64(url.as_bytes()) as u32, xxh3_64(values.as_bytes()) as u32)
}

impl Schema {
    /// Takes over ids, names and history of the columns of an older schema, as far as the data
    /// survives: by id, then by label and type, then by the values of addresses that both know.
    ///
    /// Corrections are taken over, too. A schema that was not learned again keeps its version.
    pub fn keep_columns_of(&mut self, older: &Schema) -> Changes {
        if self.is_same_as(older) {
            self.join_overrides_of(older);
            return Changes::default();
        }
        let matched = self.matches(older);
        self.version = older.version + 1;
        let mut changes = Changes::default();
        let mut ids: BTreeSet<String> = BTreeSet::new();
        let mut names: BTreeSet<String> = BTreeSet::new();
        for (at, old) in &matched {
            let (column, old) = (&mut self.columns[*at], &older.columns[*old]);
            let is_wanted = !old.corrected.dropped;
            if is_wanted && column.id != old.id && !old.aliases.contains(&column.id) {
                changes.moved.push(old.name.clone());
            }
            if is_wanted && is_emptied(old.cover, column.cover) {
                changes.emptied.push((old.name.clone(), old.cover, column.cover));
            }
            column.inherit(old);
            ids.insert(column.id.clone());
            names.insert(column.name.clone());
        }
        for (at, column) in self.columns.iter_mut().enumerate() {
            if !matched.contains_key(&at) {
                column.id = unique(&mut ids, column.id.clone(), "-");
                column.name = unique(&mut names, column.name.clone(), "_");
                column.since = self.version;
                changes.appeared.push(column.name.clone());
            }
        }
        let kept: BTreeSet<usize> = matched.into_values().collect();
        let gone = older.columns.iter().enumerate().filter(|(at, _)| !kept.contains(at));
        let wanted = gone.filter(|(_, column)| !column.corrected.dropped);
        changes.vanished = wanted.map(|(_, column)| column.name.clone()).collect();
        self.join_overrides_of(older);
        changes
    }

    /// Whether this is the older schema, perhaps with other corrections.
    fn is_same_as(&self, older: &Schema) -> bool {
        self.version == older.version
            && self.nodes == older.nodes
            && self.columns.len() == older.columns.len()
            && self.columns.iter().zip(&older.columns).all(|(new, old)| {
                (&new.id, new.cover, &new.examples) == (&old.id, old.cover, &old.examples)
            })
    }

    /// The columns that have far fewer values on other pages than on those that were learned from:
    /// name, cover before and after in thousandths. `filled` is the number of pages with a value in
    /// each column.
    pub fn emptied(&self, pages: u32, filled: &[u32]) -> Vec<(String, u32, u32)> {
        let columns = self.columns.iter().zip(filled);
        let wanted = columns.filter(|(column, _)| {
            column.is_written() && !column.is_hidden && column.cover >= MIN_COVER
        });
        wanted
            .map(|(column, &filled)| {
                (column, (u64::from(filled) * 1000 / u64::from(pages.max(1))) as u32)
            })
            .filter(|(column, after)| {
                is_emptied(column.cover, *after) && !is_chance(pages, column.cover, *after)
            })
            .map(|(column, after)| (column.name.clone(), column.cover, after))
            .collect()
    }

    /// Number of columns that continue columns of another schema.
    pub(crate) fn common_columns(&self, other: &Schema) -> usize {
        self.matches(other).len()
    }

    /// Columns and the older columns that they continue.
    fn matches(&self, older: &Schema) -> BTreeMap<usize, usize> {
        let mut matching = Matching { new: self, old: older, matched: BTreeMap::new() };
        matching.by(|column| {
            let own = std::iter::once(column.id.clone());
            own.chain(column.aliases.iter().cloned()).collect()
        });
        matching.by(|column| {
            let is_labelled = column.source.is_some_and(|source| source.is_label());
            let key = format!(
                "{} {} {:?}",
                column.label,
                column.learned_type().name(),
                column.table.is_some()
            );
            if is_labelled { vec![key] } else { Vec::new() }
        });
        matching.by_values();
        matching.matched
    }
}

struct Matching<'s> {
    new: &'s Schema,
    old: &'s Schema,
    matched: BTreeMap<usize, usize>,
}

impl Matching<'_> {
    fn open_old(&self) -> Vec<usize> {
        let taken: BTreeSet<usize> = self.matched.values().copied().collect();
        (0..self.old.columns.len()).filter(|at| !taken.contains(at)).collect()
    }

    fn open_new(&self) -> Vec<usize> {
        (0..self.new.columns.len()).filter(|at| !self.matched.contains_key(at)).collect()
    }

    /// Matches columns that share a key which no other has.
    fn by(&mut self, keys: impl Fn(&Column) -> Vec<String>) {
        let index = |columns: &[Column], open: Vec<usize>| {
            let mut index: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for at in open {
                for key in keys(&columns[at]) {
                    index.entry(key).or_default().push(at);
                }
            }
            index
        };
        let new = index(&self.new.columns, self.open_new());
        let old = index(&self.old.columns, self.open_old());
        let mut taken: BTreeSet<usize> = self.matched.values().copied().collect();
        for (key, of_new) in new {
            let of_old = old.get(&key).map_or(&[][..], Vec::as_slice);
            if let ([new], [old]) = (of_new.as_slice(), of_old)
                && !self.matched.contains_key(new)
                && taken.insert(*old)
            {
                self.matched.insert(*new, *old);
            }
        }
    }

    /// Matches columns that have the same values on the same addresses, best first.
    fn by_values(&mut self) {
        let mut pairs: Vec<(u32, usize, usize)> = Vec::new();
        for new in self.open_new() {
            let known: KeyedMap<u32, u32> = self.new.columns[new].seen.iter().copied().collect();
            for old in self.open_old() {
                let both: Vec<bool> = self.old.columns[old]
                    .seen
                    .iter()
                    .filter_map(|(url, value)| known.get(url).map(|new| new == value))
                    .collect();
                let same = both.iter().filter(|same| **same).count();
                if both.len() >= MIN_SHARED && same as f64 >= MIN_SAME * both.len() as f64 {
                    pairs.push(((1000 * same / both.len()) as u32, new, old));
                }
            }
        }
        pairs.sort_by_key(|&(same, new, old)| (std::cmp::Reverse(same), new, old));
        let mut taken: BTreeSet<usize> = self.matched.values().copied().collect();
        for (_, new, old) in pairs {
            if !self.matched.contains_key(&new) && taken.insert(old) {
                self.matched.insert(new, old);
            }
        }
    }
}

impl Column {
    /// Continues an older column.
    fn inherit(&mut self, old: &Column) {
        let mut aliases: BTreeSet<String> = old.aliases.iter().cloned().collect();
        aliases.insert(std::mem::replace(&mut self.id, old.id.clone()));
        aliases.remove(&self.id);
        self.aliases = aliases.into_iter().collect();
        self.name = old.learned_name().to_owned();
        self.since = old.since;
    }
}
