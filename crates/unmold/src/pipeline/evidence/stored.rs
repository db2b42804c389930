//! The form in which evidence is written into template files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use unmold_html::hash::{KeyedMap, KeyedSet, map_with_room};

use super::{Evidence, Place, Slot};
use crate::pipeline::kinds::Kinds;
use crate::pipeline::names::Names;

/// What the template file holds: one line for each place and slot, texts by the number of their
/// pages.
#[derive(Serialize, Deserialize)]
pub(super) struct Stored {
    pages: u32,
    prose_share: u32,
    own_words: u32,
    #[serde(default)]
    fields: u32,
    #[serde(default)]
    inner_fields: u32,
    /// Words of ids and classes that paths are made of, 16 hexadecimal digits each, sorted; absent:
    /// all words are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    names: Option<String>,
    #[serde(default)]
    usual_texts: u32,
    counts: Vec<Counted>,
    /// Paths around holders.
    #[serde(default)]
    regions: Vec<Settled>,
    /// `path pages blocks half_words half_link_words repeated content`.
    places: Vec<String>,
    /// `slot pages distinct`.
    slots: Vec<String>,
    /// `anchor pages distinct`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    anchors: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<StoredKind>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    kind_counts: Vec<Counted>,
    /// Texts at their place on which all pages agree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    settled: Vec<Settled>,
}

/// A kind of pages.
#[derive(Serialize, Deserialize)]
struct StoredKind {
    pages: u32,
    /// Its usual paths, 16 hexadecimal digits each, sorted.
    paths: String,
}

/// Texts on the same number of pages.
#[derive(Serialize, Deserialize)]
struct Counted {
    pages: u32,
    /// 16 hexadecimal digits each, sorted.
    hashes: String,
}

/// Texts at their place, or paths, with the same verdict.
#[derive(Serialize, Deserialize)]
struct Settled {
    /// The probability that they are content, in thousandths.
    content: u32,
    /// 16 hexadecimal digits each, sorted.
    hashes: String,
}

/// The keys of each value, 16 hexadecimal digits each, sorted.
fn by_value(map: KeyedMap<u64, u32>) -> BTreeMap<u32, String> {
    let mut keys: BTreeMap<u32, String> = BTreeMap::new();
    for (key, value) in sorted(map) {
        keys.entry(value).or_default().push_str(&format!("{key:016x}"));
    }
    keys
}

impl From<Evidence> for Stored {
    fn from(evidence: Evidence) -> Stored {
        let counted = |map| {
            by_value(map).into_iter().map(|(pages, hashes)| Counted { pages, hashes }).collect()
        };
        let judged = |map| {
            by_value(map).into_iter().map(|(content, hashes)| Settled { content, hashes }).collect()
        };
        let places = sorted(evidence.places).into_iter().map(|(key, place)| {
            let Place { pages, blocks, half_words, half_link_words, repeated, content } = place;
            format!(
                "{key:016x} {pages} {blocks} {half_words} {half_link_words} {repeated} {content}"
            )
        });
        let slots = |map| {
            let line =
                |(key, slot): (u64, Slot)| format!("{key:016x} {} {}", slot.pages, slot.distinct);
            sorted(map).into_iter().map(line).collect()
        };
        let kinds = evidence.kinds.stored().into_iter().map(|(pages, paths)| StoredKind {
            pages,
            paths: paths.iter().map(|path| format!("{path:016x}")).collect(),
        });
        Stored {
            pages: evidence.pages,
            prose_share: evidence.prose_share,
            own_words: evidence.own_words,
            fields: evidence.fields,
            inner_fields: evidence.inner_fields,
            names: evidence.names.into_known().map(joined),
            usual_texts: evidence.usual_texts,
            counts: counted(evidence.counts),
            regions: judged(evidence.regions),
            places: places.collect(),
            slots: slots(evidence.slots),
            anchors: slots(evidence.anchors),
            kinds: kinds.collect(),
            kind_counts: counted(evidence.kind_counts),
            settled: judged(evidence.settled),
        }
    }
}

/// Keys one after the other, sorted.
fn joined(keys: KeyedSet<u64>) -> String {
    let mut keys: Vec<u64> = keys.into_iter().collect();
    keys.sort_unstable();
    keys.iter().map(|key| format!("{key:016x}")).collect()
}

fn sorted<V>(map: KeyedMap<u64, V>) -> Vec<(u64, V)> {
    let mut entries: Vec<(u64, V)> = map.into_iter().collect();
    entries.sort_unstable_by_key(|entry| entry.0);
    entries
}

/// A line of a stored template that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is damaged: learn the template again")]
pub(in crate::pipeline) struct Damaged(String);

impl TryFrom<Stored> for Evidence {
    type Error = Damaged;

    fn try_from(stored: Stored) -> Result<Evidence, Damaged> {
        let Stored { pages, prose_share, own_words, fields, inner_fields, usual_texts, .. } =
            stored;
        let mut evidence = Evidence {
            pages,
            prose_share,
            own_words,
            fields,
            inner_fields,
            usual_texts,
            ..Evidence::default()
        };
        let known =
            stored.names.map(|hashes| keys(&hashes).collect::<Result<_, _>>()).transpose()?;
        evidence.names = Names::from_known(known);
        evidence.counts = counts(&stored.counts, stored.pages)?;
        evidence.regions = verdicts(&stored.regions)?;
        evidence.settled = verdicts(&stored.settled)?;
        evidence.places = room_for(stored.places.len());
        for line in &stored.places {
            let (key, [pages, blocks, half_words, half_link_words, repeated, content]) =
                numbers(line)?;
            let place = Place { pages, blocks, half_words, half_link_words, repeated, content };
            evidence.places.insert(key, place);
        }
        evidence.slots = slots(&stored.slots)?;
        evidence.anchors = slots(&stored.anchors)?;
        let kinds = stored.kinds.iter().map(|kind| {
            Ok((kind.pages, keys(&kind.paths).collect::<Result<Vec<u64>, Damaged>>()?))
        });
        evidence.kinds = Kinds::from_stored(kinds.collect::<Result<Vec<_>, _>>()?.into_iter());
        evidence.kind_counts = counts(&stored.kind_counts, stored.pages)?;
        Ok(evidence.with_usual_places_counted())
    }
}

fn slots(lines: &[String]) -> Result<KeyedMap<u64, Slot>, Damaged> {
    let mut slots = room_for(lines.len());
    for line in lines {
        let (key, [pages, distinct]) = numbers(line)?;
        slots.insert(key, Slot { pages, distinct });
    }
    Ok(slots)
}

fn counts(stored: &[Counted], pages: u32) -> Result<KeyedMap<u64, u32>, Damaged> {
    let mut map = room_for(stored.iter().map(|counted| counted.hashes.len() / 16).sum());
    for &Counted { pages: count, ref hashes } in stored {
        // A count of one is never kept, and would be less than the page itself.
        if count < 2 || count > pages {
            return Err(Damaged(format!("counts of {count} pages")));
        }
        for key in keys(hashes) {
            map.insert(key?, count);
        }
    }
    Ok(map)
}

fn verdicts(stored: &[Settled]) -> Result<KeyedMap<u64, u32>, Damaged> {
    let mut map = room_for(stored.iter().map(|settled| settled.hashes.len() / 16).sum());
    for &Settled { content, ref hashes } in stored {
        if content > 1000 {
            return Err(Damaged(format!("a verdict of {content} thousandths")));
        }
        for key in keys(hashes) {
            map.insert(key?, content);
        }
    }
    Ok(map)
}

fn room_for<V>(entries: usize) -> KeyedMap<u64, V> {
    map_with_room(entries)
}

/// The keys that are written one after the other.
fn keys(hashes: &str) -> impl Iterator<Item = Result<u64, Damaged>> + '_ {
    hashes.as_bytes().chunks(16).map(|key| hex(std::str::from_utf8(key).unwrap_or_default()))
}

fn hex(text: &str) -> Result<u64, Damaged> {
    if text.len() != 16 {
        return Err(Damaged(text.to_owned()));
    }
    u64::from_str_radix(text, 16).map_err(|_| Damaged(text.to_owned()))
}

/// A key and the numbers behind it.
fn numbers<const N: usize>(line: &str) -> Result<(u64, [u32; N]), Damaged> {
    let damaged = || Damaged(line.to_owned());
    let mut fields = line.split(' ');
    let key = hex(fields.next().unwrap_or_default())?;
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = fields.next().and_then(|field| field.parse().ok()).ok_or_else(damaged)?;
    }
    if fields.next().is_some() { Err(damaged()) } else { Ok((key, numbers)) }
}
