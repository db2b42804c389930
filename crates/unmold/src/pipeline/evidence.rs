//! What a sample of the site's pages says about texts and places: how many pages have each.
//!
//! This is the learned template in the form in which it is applied: every question about a block of
//! an unseen page is one look-up. Texts anywhere are what chunk frequency counts; texts in their
//! slot are what tree mapping and alignment see; places, with how often they repeat and how much
//! their texts differ, are what tree patterns see.

mod stored;

use serde::{Deserialize, Serialize};
use stored::Stored;
use unmold_html::hash::{KeyedMap, KeyedSet};

use super::blocks::{Block, Blocks, mix};
use super::details::masked_key;
use super::features::Prose;
use super::kinds::Kinds;
use super::names::Names;
use super::page_kind::PageKind;
use crate::page::Page;

/// What is known about a place: a path of names, ids and classes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// Pages that have it.
    pub pages: u32,
    /// Blocks at it, on all pages.
    pub blocks: u32,
    /// Half words in them, and inside links.
    pub half_words: u32,
    pub half_link_words: u32,
    /// Blocks at it whose text is on other pages too.
    pub repeated: u32,
    /// Mean probability that it is content, weighted by words, in thousandths.
    pub content: u32,
}

/// What is known about a position on the page.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    /// Pages that have a text there.
    pub pages: u32,
    /// Different texts there.
    pub distinct: u32,
}

/// Counts over the pages of a sample. What is on one page only is left out.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub(super) struct Evidence {
    pub pages: u32,
    /// How much of what is a page's own is prose, in thousandths; mean of the sample.
    pub prose_share: u32,
    /// Words that are a page's own; mean of the sample.
    pub own_words: u32,
    /// Share of a page's own words that is in fields, in thousandths; mean of the sample.
    pub fields: u32,
    /// The same without fields that nothing of the page's own follows.
    pub inner_fields: u32,
    /// The words of ids and classes that paths are made of.
    pub names: Names,
    /// The kinds of pages of the site.
    pub kinds: Kinds,
    counts: KeyedMap<u64, u32>,
    /// The same among the pages of one kind.
    kind_counts: KeyedMap<u64, u32>,
    /// Positions counted from the nearest common text before.
    anchors: KeyedMap<u64, Slot>,
    /// For each path around a holder, the mean probability that what is inside is content, in
    /// thousandths.
    regions: KeyedMap<u64, u32>,
    places: KeyedMap<u64, Place>,
    slots: KeyedMap<u64, Slot>,
    /// Texts at their place on which all pages agree, with the probability that they are content,
    /// in thousandths.
    settled: KeyedMap<u64, u32>,
    /// Number of places that most pages have.
    usual_places: u32,
    /// Number of texts that most pages have at the same place.
    usual_texts: u32,
}

/// Mean of verdicts by words. Sums are of whole numbers, so that the order of pages does not show
/// in the last digit.
#[derive(Default)]
struct Mean {
    sum: u64,
    weight: u64,
}

impl Mean {
    fn add(&mut self, block: &Block, content: f32) {
        let words = (block.words * 2.0).max(1.0) as u64;
        self.sum += (content * 1000.0).round() as u64 * words;
        self.weight += words;
    }

    fn thousandths(&self) -> u32 {
        (self.sum / self.weight.max(1)) as u32
    }
}

/// The range of some verdicts.
pub(super) struct Agreement {
    /// Witnesses who gave them, and the last of these.
    witnesses: u32,
    last: Option<usize>,
    min: f32,
    max: f32,
}

impl Default for Agreement {
    fn default() -> Agreement {
        Agreement { witnesses: 0, last: None, min: f32::INFINITY, max: f32::NEG_INFINITY }
    }
}

impl Agreement {
    /// Hears the next verdict; those of a witness come one after the other.
    pub fn add(&mut self, witness: usize, content: f32) {
        self.witnesses += u32::from(self.last.replace(witness) != Some(witness));
        self.min = self.min.min(content);
        self.max = self.max.max(content);
    }

    /// The verdict, if enough witnesses are sure of the same: halfway between the extremes, so that
    /// their order does not show in the last digit.
    pub fn verdict(&self, enough: u32) -> Option<f32> {
        let agree = self.max <= SURE || self.min >= 1.0 - SURE;
        (agree && self.witnesses >= enough).then_some((self.min + self.max) / 2.0)
    }
}

/// A verdict within this of either end is sure.
const SURE: f32 = 0.1;
/// So many pages of the sample settle a question.
const SETTLING_PAGES: u32 = 2;

/// Which trees judge the blocks of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ForestChoice {
    /// Those to which the values of a record (author, date, rating) are marginal.
    Usual,
    /// Those to which these values are content.
    Records,
    /// The mean of both: the sample is too small to tell.
    Mean,
    /// Those for a page without a site.
    Alone,
}

/// Kinds of things counted, so that one map holds them all.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// A text or a block, anywhere.
    Text = 1,
    /// A block with every number the same.
    Masked = 2,
    /// A block at its place.
    Placed = 3,
    /// The target of a link.
    Target = 4,
    /// A block in its slot.
    Slotted = 5,
    /// A block at its distance from the nearest common text before.
    Anchored = 6,
    /// A path, for kinds of pages.
    Path = 7,
    /// A slot, for kinds of pages.
    Slot = 8,
}

/// A text on this share of the other pages is an anchor for what follows.
const ANCHOR: f32 = 0.3;
/// Blocks further from their anchor have none.
const MAX_FROM_ANCHOR: u64 = 3;

/// Weight of the site's share among the pages of a kind: as if so many more pages had been seen.
const SITE_PAGES: f32 = 2.0;

fn tagged(kind: Kind, key: u64) -> u64 {
    (key ^ kind as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn of_kind(kind: usize, key: u64) -> u64 {
    mix(key, kind as u64 + 1)
}

/// The block at its place.
pub(super) fn placed(block: &Block) -> u64 {
    block.path.rotate_left(17) ^ block.key
}

/// The block in its slot.
pub(super) fn slotted(block: &Block) -> u64 {
    block.slot.rotate_left(29) ^ block.key
}

/// What kind of block it is: of few words, some or many, mostly links or not, on other pages or
/// not.
fn kind_of(block: &Block, is_repeated: bool) -> u64 {
    let length = [4.0, 15.0].iter().filter(|&&min| block.words >= min).count() as u64;
    let (linked, repeated) =
        (u64::from(block.link_words * 2.0 > block.words), u64::from(is_repeated));
    1 + length * 4 + linked * 2 + repeated
}

/// Paths and trails are kept in one map.
fn place_of_trail(block: &Block) -> u64 {
    block.trail.rotate_left(1)
}

/// How much the verdicts on other blocks at the same path count, and those on all blocks in the
/// element around it.
const OF_PLACE: f32 = 0.4;
const OF_REGION: f32 = 0.2;

/// What has more words is no value.
const MAX_VALUE_WORDS: f32 = 8.0;
/// From this share of the other pages on a text is template, even if its slot holds another text on
/// most pages.
pub(super) const COMMON_VALUE: f32 = 0.8;
/// A site shows records if at least so much of what is its pages' own stands in fields and no more
/// than so much is prose, in thousandths. Chosen on the labelled sites that are scored. On few
/// pages teasers that take turns look the same.
const MIN_FIELDS: u32 = 120;
const MAX_PROSE: u32 = 720;
const MIN_RECORDS: u32 = 20;
/// With so much in inner fields a site is judged with care, chosen likewise; with fewer pages than
/// these any site may need it.
const MIN_INNER_FIELDS: u32 = 100;
const FEW_PAGES: u32 = 5;

impl Evidence {
    /// Counts what the pages, cut into blocks, have in common.
    pub fn learn(names: Names, sample: &[&Page], pages: &[Blocks]) -> Evidence {
        let mut evidence = Evidence { names, pages: pages.len() as u32, ..Evidence::default() };
        let mut seen: KeyedSet<u64> = KeyedSet::default();
        for (page, blocks) in sample.iter().zip(pages) {
            seen.clear();
            evidence.count_texts(page, blocks, &mut seen);
        }
        evidence.counts.retain(|_, &mut count| count >= 2);
        for blocks in pages {
            seen.clear();
            evidence.count_places(blocks, &mut seen);
        }
        evidence.weigh_prose(pages);
        evidence.count_anchored(pages);
        evidence.kinds = Kinds::learn(pages);
        evidence.count_kinds(pages);
        evidence.places.retain(|_, place| place.pages >= 2);
        evidence.slots.retain(|_, slot| slot.pages >= 2);
        evidence.usual_texts = evidence.usual_texts_of(pages.iter());
        evidence.with_usual_places_counted()
    }

    fn count_texts(&mut self, page: &Page, blocks: &Blocks, seen: &mut KeyedSet<u64>) {
        for block in &blocks.list {
            let here = tagged(Kind::Slotted, slotted(block));
            if seen.insert(here) {
                let slot = self.slots.entry(block.slot).or_default();
                slot.pages += 1;
                slot.distinct += u32::from(!self.counts.contains_key(&here));
            }
            seen.extend(blocks.texts_of(block).iter().map(|text| tagged(Kind::Text, text.key)));
            seen.insert(tagged(Kind::Text, block.key));
            seen.insert(tagged(Kind::Masked, masked_key(page, block)));
            seen.insert(tagged(Kind::Placed, placed(block)));
            if block.target != 0 {
                seen.insert(tagged(Kind::Target, block.target));
            }
        }
        #[allow(clippy::iter_over_hash_type, reason = "counts do not depend on the order")]
        for &key in &*seen {
            *self.counts.entry(key).or_default() += 1;
        }
    }

    /// Counts texts by their distance from the nearest common text before them.
    fn count_anchored(&mut self, pages: &[Blocks]) {
        if self.pages < 2 {
            return;
        }
        let mut counts: KeyedMap<u64, u32> = KeyedMap::default();
        let mut seen: KeyedSet<u64> = KeyedSet::default();
        for blocks in pages {
            seen.clear();
            for (block, anchor) in blocks.list.iter().zip(self.anchors_of(blocks)) {
                if anchor == 0 || !seen.insert(anchor) {
                    continue;
                }
                let count = counts.entry(tagged(Kind::Anchored, anchor ^ block.key)).or_default();
                let slot = self.anchors.entry(anchor).or_default();
                slot.pages += 1;
                slot.distinct += u32::from(*count == 0);
                *count += 1;
            }
        }
        self.anchors.retain(|_, slot| slot.pages >= 2);
        counts.retain(|_, count| *count >= 2);
        self.counts.extend(counts);
    }

    /// For each block its position counted from the nearest common text before it; 0 if that is
    /// too far away.
    pub fn anchors_of(&self, blocks: &Blocks) -> Vec<u64> {
        let (mut anchor, mut distance) = (0u64, 0);
        let of_block = |block: &Block| {
            distance += 1;
            let here = if anchor == 0 || distance > MAX_FROM_ANCHOR {
                0
            } else {
                mix(anchor.wrapping_add(distance), 1) | 1
            };
            if self.on_others(Kind::Text, block.key) >= ANCHOR {
                (anchor, distance) = (block.key | 1, 0);
            }
            here
        };
        blocks.list.iter().map(of_block).collect()
    }

    /// What is known about a position counted from its anchor.
    pub fn anchored(&self, anchor: u64) -> Slot {
        self.anchors.get(&anchor).copied().unwrap_or_default()
    }

    /// Counts again among the pages of each kind what the site has on two pages at least.
    fn count_kinds(&mut self, pages: &[Blocks]) {
        if self.kinds.len() == 0 {
            return;
        }
        let mut seen: KeyedSet<u64> = KeyedSet::default();
        for blocks in pages {
            let Some(kind) = self.kinds.of(blocks) else { continue };
            seen.clear();
            for block in &blocks.list {
                let texts = [
                    tagged(Kind::Text, block.key),
                    tagged(Kind::Placed, placed(block)),
                    tagged(Kind::Slotted, slotted(block)),
                ];
                seen.extend(texts.iter().filter(|key| self.counts.contains_key(key)));
                seen.insert(tagged(Kind::Path, block.path));
                seen.insert(tagged(Kind::Slot, block.slot));
            }
            #[allow(clippy::iter_over_hash_type, reason = "counts do not depend on the order")]
            for &key in &seen {
                *self.kind_counts.entry(of_kind(kind, key)).or_default() += 1;
            }
        }
        self.kind_counts.retain(|_, count| *count >= 2);
    }

    /// The share of the other pages of a kind that have it too, drawn towards the share of all
    /// pages that do.
    pub fn on_others_of_kind(
        &self,
        kind: Option<usize>,
        what: Kind,
        key: u64,
        of_site: f32,
    ) -> f32 {
        let Some(kind) = kind else { return of_site };
        let key = of_kind(kind, tagged(what, key));
        let count = self.kind_counts.get(&key).copied().unwrap_or(1);
        let others = self.kinds.pages(kind).saturating_sub(1) as f32;
        ((count - 1) as f32 + SITE_PAGES * of_site) / (others + SITE_PAGES)
    }

    /// How many of the words that are a page's own, or in fields, are in fields: short texts whose
    /// slot most pages have and that differ from page to page. The second number leaves out fields
    /// with nothing of the page's own behind them: when it was last changed and how often it was
    /// read is in the footer of many pages.
    fn shares_of_fields(&self, blocks: &Blocks) -> [f32; 2] {
        let (mut own, mut in_fields, mut followed) = (0.0, 0.0, 0.0);
        for block in &blocks.list {
            let slot = self.slot(block);
            let usual = slot.pages * 5 >= self.pages * 3 && slot.distinct * 10 >= slot.pages;
            let is_own = self.on_others(Kind::Text, block.key) < 0.2;
            if usual && block.words <= MAX_VALUE_WORDS && self.varies(block) {
                in_fields += block.words;
            } else if is_own {
                followed = in_fields;
            }
            if is_own {
                own += block.words;
            }
        }
        [in_fields, followed].map(|fields| fields / (fields + own).max(1.0))
    }

    /// Whether the slot of a block holds other texts on many pages.
    pub fn varies(&self, block: &Block) -> bool {
        let slot = self.slot(block);
        let here = self.count(Kind::Slotted, slotted(block));
        slot.pages * 4 >= self.pages && here * 5 < slot.pages * 4
    }

    /// Whether the text is on many pages with other numbers: the most common of a few dates.
    pub fn has_other_numbers(&self, page: &Page, block: &Block) -> bool {
        let same = self.count(Kind::Text, block.key);
        let any = self.count(Kind::Masked, masked_key(page, block));
        same * 5 < any * 4
    }

    /// Which trees judge this site. With few pages, rotating teasers look like the fields of a
    /// record.
    pub fn forest(&self, kind: PageKind) -> ForestChoice {
        let has_fields = self.inner_fields >= MIN_INNER_FIELDS;
        match self.pages {
            0..2 => ForestChoice::Alone,
            2..FEW_PAGES if has_fields => ForestChoice::Records,
            2..FEW_PAGES => ForestChoice::Mean,
            FEW_PAGES..MIN_RECORDS if has_fields && self.prose_share > MAX_PROSE => {
                ForestChoice::Mean
            }
            _ if has_fields => ForestChoice::Records,
            // A record on a site of other things.
            _ if kind == PageKind::Product => ForestChoice::Mean,
            _ => ForestChoice::Usual,
        }
    }

    /// Whether the block is a value that happens to be frequent, on a site that shows records: the
    /// most common of a few genres. Articles have such places too (who wrote it, and when), but
    /// they are little of what is theirs.
    pub fn is_value_of_record(&self, page: &Page, block: &Block) -> bool {
        let of_records =
            self.pages >= MIN_RECORDS && self.fields >= MIN_FIELDS && self.prose_share <= MAX_PROSE;
        of_records
            && block.words <= MAX_VALUE_WORDS
            && self.count(Kind::Text, block.key) >= 2
            && self.on_others(Kind::Text, block.key) < COMMON_VALUE
            && (self.varies(block) || self.has_other_numbers(page, block))
    }

    fn weigh_prose(&mut self, pages: &[Blocks]) {
        let all: Vec<Prose> = pages.iter().map(|blocks| Prose::of(blocks, self)).collect();
        let mean = |value: fn(&Prose) -> f32| {
            let sum: u64 = all.iter().map(|prose| value(prose).round() as u64).sum();
            (sum / all.len().max(1) as u64) as u32
        };
        self.prose_share = mean(|prose| prose.share() * 1000.0);
        self.own_words = mean(|prose| prose.own);
        let mut sums = [0; 2];
        for blocks in pages {
            for (sum, share) in sums.iter_mut().zip(self.shares_of_fields(blocks)) {
                *sum += (share * 1000.0).round() as u64;
            }
        }
        [self.fields, self.inner_fields] = sums.map(|sum| (sum / pages.len().max(1) as u64) as u32);
    }

    fn count_places(&mut self, blocks: &Blocks, seen: &mut KeyedSet<u64>) {
        for block in &blocks.list {
            let repeated = self.on_others(Kind::Text, block.key) > 0.0;
            for key in [block.path, place_of_trail(block)] {
                let place = self.places.entry(key).or_default();
                place.pages += u32::from(seen.insert(key));
                place.blocks += 1;
                place.half_words += (block.words * 2.0) as u32;
                place.half_link_words += (block.link_words * 2.0) as u32;
                place.repeated += u32::from(repeated);
            }
        }
    }

    /// Keeps for each path the mean of the verdicts on the sample's blocks there, and around it.
    pub fn remember(&mut self, pages: &[Blocks], verdicts: &[Vec<f32>]) {
        let (mut places, mut regions): (KeyedMap<u64, Mean>, KeyedMap<u64, Mean>) =
            Default::default();
        let blocks = pages.iter().flat_map(|blocks| &blocks.list);
        for (block, &content) in blocks.zip(verdicts.iter().flatten()) {
            places.entry(block.path).or_default().add(block, content);
            // What is on one page only is left out, as everywhere.
            if self.places.contains_key(&block.path) {
                regions.entry(block.outer).or_default().add(block, content);
            }
        }
        #[allow(clippy::iter_over_hash_type, reason = "each path is on its own")]
        for (path, mean) in places {
            if let Some(place) = self.places.get_mut(&path) {
                place.content = mean.thousandths();
            }
        }
        self.regions = regions.into_iter().map(|(path, mean)| (path, mean.thousandths())).collect();
    }

    /// A verdict mixed with those on the blocks at the same path, and in the element around it, as
    /// far as known.
    pub fn with_place(&self, block: &Block, content: f32) -> f32 {
        let Some(place) = self.places.get(&block.path).filter(|place| place.pages > 0) else {
            return content;
        };
        let region = self.regions.get(&block.outer).copied().unwrap_or(place.content);
        let [place, region] = [place.content, region].map(|content| content as f32 / 1000.0);
        (1.0 - OF_PLACE - OF_REGION) * content + OF_PLACE * place + OF_REGION * region
    }

    /// Keeps the verdict on each text that most pages have at the same place, if it is the same on
    /// all of them, and that on each kind of block in a corner, if it is the same on all.
    pub fn settle(&mut self, pages: &[Blocks], verdicts: &[Vec<f32>]) {
        let mut all: KeyedMap<u64, Agreement> = KeyedMap::default();
        for (page, (blocks, verdicts)) in pages.iter().zip(verdicts).enumerate() {
            for (block, &content) in blocks.list.iter().zip(verdicts) {
                if self.is_usual(self.count(Kind::Placed, placed(block))) {
                    all.entry(placed(block)).or_default().add(page, content);
                }
                all.entry(self.kind_at(block.corner, block)).or_default().add(page, content);
            }
        }
        let settled = |(key, verdicts): (u64, Agreement)| {
            Some((key, (verdicts.verdict(SETTLING_PAGES)? * 1000.0).round() as u32))
        };
        self.settled = all.into_iter().filter_map(settled).collect();
    }

    /// The kind of the block at one of its places.
    pub fn kind_at(&self, place: u64, block: &Block) -> u64 {
        place.rotate_left(9) ^ kind_of(block, self.count(Kind::Text, block.key) > 1)
    }

    /// The verdict on a block that needs no further thought.
    pub fn settled(&self, block: &Block) -> Option<f32> {
        if self.settled.is_empty() {
            return None;
        }
        let known = |key| self.settled.get(&key);
        let verdict = known(placed(block)).or_else(|| known(self.kind_at(block.corner, block)));
        verdict.map(|&content| content as f32 / 1000.0)
    }

    /// Pages of the sample that have it; 1 for what is on one page or none.
    pub fn count(&self, kind: Kind, key: u64) -> u32 {
        self.counts.get(&tagged(kind, key)).copied().unwrap_or(1)
    }

    /// The share of the other pages that have it too.
    pub fn on_others(&self, kind: Kind, key: u64) -> f32 {
        if self.pages < 2 {
            0.0
        } else {
            (self.count(kind, key) - 1) as f32 / (self.pages - 1) as f32
        }
    }

    pub fn path(&self, block: &Block) -> Place {
        self.places.get(&block.path).copied().unwrap_or_default()
    }

    pub fn trail(&self, block: &Block) -> Place {
        self.places.get(&place_of_trail(block)).copied().unwrap_or_default()
    }

    pub fn slot(&self, block: &Block) -> Slot {
        self.slots.get(&block.slot).copied().unwrap_or_default()
    }

    /// Number of things known.
    pub fn len(&self) -> usize {
        self.kind_counts.len()
            + self.anchors.len()
            + self.counts.len()
            + self.places.len()
            + self.slots.len()
    }

    /// The share that `blocks` has of the places that most pages have, and of the texts that they
    /// have there.
    pub fn found(&self, blocks: &Blocks) -> f32 {
        let mut places: Vec<u64> = Vec::with_capacity(blocks.list.len() * 2);
        places.extend(blocks.list.iter().map(|block| block.path));
        places.extend(blocks.list.iter().map(place_of_trail));
        // Most blocks have the path of the one before: fewer to sort.
        places.dedup();
        places.sort_unstable();
        places.dedup();
        places.retain(|key| self.places.get(key).is_some_and(|place| self.is_usual(place.pages)));
        let here = places.len() as u32
            + self.usual_texts_of(std::iter::once(blocks)).min(self.usual_texts);
        let all = self.usual_places + self.usual_texts;
        if all == 0 { 0.0 } else { here as f32 / all as f32 }
    }

    /// Different texts of the pages that most pages of the sample have at the same place.
    fn usual_texts_of<'a>(&self, pages: impl Iterator<Item = &'a Blocks>) -> u32 {
        let keys = pages.flat_map(|blocks| blocks.list.iter().map(placed));
        let usual: KeyedSet<u64> =
            keys.filter(|&key| self.is_usual(self.count(Kind::Placed, key))).collect();
        usual.len() as u32
    }

    /// Whether that many pages are most of the sample.
    fn is_usual(&self, pages: u32) -> bool {
        pages * 2 > self.pages && self.pages > 1
    }

    fn with_usual_places_counted(mut self) -> Evidence {
        self.usual_places =
            self.places.values().filter(|place| self.is_usual(place.pages)).count() as u32;
        self
    }
}
