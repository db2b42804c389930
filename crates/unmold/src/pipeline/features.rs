//! Turns what is known about a block into numbers: its text, place, neighbours, page and site.

use std::cell::OnceCell;
use std::ops::Range;

use unmold_html::hash::{KeyedMap, map_with_room};

use super::blocks::{Block, Blocks};
use super::details::{Details, masked_key};
use super::evidence::{Evidence, Kind, Place, placed, slotted};
use super::groups::Groups;
use super::lexicon::{Lexicon, Weights, address_words, is_short, name_words, text_words};
use super::model::Model;
use super::page_kind::{self, KindShares, PageKind};
use super::roles::Roles;
use crate::page::{NodeId, Page, Tag, for_each_word_hash};

/// Blocks with this many words of their own count as prose.
const LONG: f32 = 15.0;

/// How far up the ancestors are looked at.
const LEVELS: usize = 6;

/// Sums over the blocks of a page, so that any run of blocks is two look-ups.
pub(super) struct Sums {
    pub words: Vec<f32>,
    pub link_words: Vec<f32>,
    pub repeated: Vec<f32>,
    pub own: Vec<f32>,
}

impl Sums {
    fn with(list: &[Block], common: &[f32]) -> Sums {
        let own = list.iter().zip(common).map(|(block, &common)| own_words(block, common));
        Sums {
            words: running(list.iter().map(|block| block.words)),
            link_words: running(list.iter().map(|block| block.link_words)),
            repeated: running(list.iter().zip(common).map(|(block, common)| block.words * common)),
            own: running(own),
        }
    }
}

fn running(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut sum = 0.0;
    std::iter::once(0.0)
        .chain(values.map(|value| {
            sum += value;
            sum
        }))
        .collect()
}

/// How often each key comes.
fn counts(room: usize, keys: impl Iterator<Item = u64>) -> KeyedMap<u64, u32> {
    let mut counts = map_with_room(room);
    keys.for_each(|key| *counts.entry(key).or_default() += 1);
    counts
}

pub(super) fn between(sums: &[f32], range: &Range<usize>) -> f32 {
    (sums[range.end] - sums[range.start]).max(0.0)
}

/// How much of what is a page's own is prose: pages of data have short texts, articles long ones.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Prose {
    pub own: f32,
    pub long: f32,
    pub longest: f32,
}

impl Prose {
    pub fn of(blocks: &Blocks, evidence: &Evidence) -> Prose {
        let mut prose = Prose::default();
        for block in &blocks.list {
            prose.add(own_words(block, common(evidence, blocks, block)));
        }
        prose
    }

    fn add(&mut self, own: f32) {
        self.own += own;
        self.long += if own >= LONG { own } else { 0.0 };
        self.longest = self.longest.max(own);
    }

    pub fn share(&self) -> f32 {
        self.long / self.own.max(1.0)
    }
}

/// Words that are neither a link nor on other pages.
fn own_words(block: &Block, common: f32) -> f32 {
    (block.words - block.link_words).max(0.0) * (1.0 - common)
}

/// The features of all blocks of a page.
pub(super) struct Features<'a> {
    pub page: &'a Page,
    pub blocks: &'a Blocks,
    evidence: &'a Evidence,
    lexicon: &'a Lexicon,
    /// What the words of each block weigh, as far as known: a heading is over many blocks.
    weights: Vec<OnceCell<Weights>>,
    /// What the names of each element weigh, as far as known; `None` without names.
    names: Vec<OnceCell<Option<Weights>>>,
    /// Share of the other pages with the text of each block.
    pub common: Vec<f32>,
    sums: Sums,
    longs: Vec<usize>,
    prose: Prose,
    heading: Option<usize>,
    /// Hashes of the words of the title.
    title: Vec<u64>,
    main: [Range<usize>; 2],
    alike: KeyedMap<u64, u32>,
    pub groups: Groups,
    /// The nearest heading before each block, or itself.
    headings: Vec<Option<u32>>,
    /// The position of each block counted from the nearest common text.
    anchors: Vec<u64>,
    /// The kind of page it is.
    kind: Option<usize>,
    /// Blocks whose names have a role that contents have.
    inside: usize,
    /// Headings on the page.
    number_of_headings: usize,
    /// What the page says it is.
    claims: Claims,
    /// How far the page is of each kind.
    kinds: KindShares,
}

impl<'a> Features<'a> {
    pub fn new(
        page: &'a Page,
        blocks: &'a Blocks,
        evidence: &'a Evidence,
        lexicon: &'a Lexicon,
    ) -> Features<'a> {
        let list = &blocks.list;
        let common: Vec<f32> = list.iter().map(|block| common(evidence, blocks, block)).collect();
        let own = |at: usize| own_words(&list[at], common[at]);
        let mut prose = Prose::default();
        (0..list.len()).for_each(|at| prose.add(own(at)));
        let sums = Sums::with(list, &common);
        let longs = (0..list.len()).filter(|&at| own(at) >= LONG).collect();
        let heading = list.iter().position(|block| page.tag(block.holder) == Tag::H1);
        let mut title = Vec::new();
        for_each_word_hash(page.title().unwrap_or_default(), |word| title.push(word));
        title.truncate(u64::BITS as usize);
        let alike = counts(list.len(), list.iter().map(|block| block.path));
        let groups = Groups::of(page, blocks, &sums);
        let mut last = None;
        let heading_of = |(at, block): (usize, &Block)| {
            if heading_level(page, block) > 0.0 {
                last = Some(at as u32);
            }
            last
        };
        let headings: Vec<Option<u32>> = list.iter().enumerate().map(heading_of).collect();
        let number_of_headings =
            list.iter().filter(|block| heading_level(page, block) > 0.0).count();
        let mut features = Features {
            groups,
            headings,
            number_of_headings,
            anchors: evidence.anchors_of(blocks),
            kind: evidence.kinds.of(blocks),
            inside: list.iter().filter(|block| block.roles.is_inside()).count(),
            claims: Claims::of(page, blocks),
            kinds: KindShares::default(),
            page,
            blocks,
            evidence,
            lexicon,
            weights: vec![OnceCell::new(); list.len()],
            names: vec![OnceCell::new(); blocks.elements.len()],
            common,
            sums,
            longs,
            prose,
            heading,
            title,
            main: [0..0, 0..0],
            alike,
        };
        features.main = [features.main(0.5), features.main(0.8)];
        features
    }

    /// The features with what kind of page it is: what `kind` says, or what the page looks like.
    pub fn with_kind(mut self, model: &Model, kind: Option<PageKind>) -> Features<'a> {
        self.kinds = kind.map_or_else(|| model.kinds(&page_kind::row(&self)), KindShares::only);
        self
    }

    /// What kind of page it is.
    pub fn page_kind(&self) -> PageKind {
        self.kinds.most()
    }

    /// The blocks of the smallest element with at least `share` of the page's own words.
    fn main(&self, share: f32) -> Range<usize> {
        let mut at = self.page.body().start;
        if self.page.body().is_empty() {
            return 0..0;
        }
        let own = |id: NodeId| between(&self.sums.own, &self.blocks.within(self.page, id));
        let min = own(at) * share;
        while let Some(child) = self.page.children(at).find(|&child| own(child) >= min && min > 0.0)
        {
            at = child;
        }
        self.blocks.within(self.page, at)
    }

    /// Appends the features of a block to `row`, in the order of [`NAMES`].
    pub fn write(&self, at: usize, row: &mut Vec<f32>) {
        let start = row.len();
        let details = Details::of(self.page, &self.blocks.list[at]);
        self.text(at, &details, row);
        self.site(at, details.digits > 0, row);
        self.place(at, row);
        self.neighbours(at, row);
        self.ancestors(at, row);
        self.whole_page(row);
        self.of_kind(at, row);
        self.sections(at, &details, row);
        self.groups.write(at, &self.blocks.list[at], &self.sums, row);
        self.names(at, row);
        self.words(at, row);
        row.extend(self.claims.0);
        self.weigh_names(at, row);
        self.weigh_others(at, row);
        row.extend(self.kinds.0);
        debug_assert_eq!(row.len() - start, NAMES.len());
    }

    fn text(&self, at: usize, details: &Details, row: &mut Vec<f32>) {
        let block = &self.blocks.list[at];
        let letters = details.letters.max(1) as f32;
        let flag = f32::from;
        row.extend([
            block.words,
            block.link_density(),
            block.links as f32,
            details.letters as f32 / block.words.max(0.5),
            details.digits as f32 / letters,
            details.capitals as f32 / letters,
            details.commas as f32,
            details.stops as f32,
            details.ornaments as f32,
            flag(u8::from(details.ends_sentence)),
        ]);
        row.extend(self.tags(block));
        row.extend(self.title_overlap(block));
    }

    /// What kind of element holds the block.
    pub fn holder(&self, block: &Block) -> f32 {
        match self.page.tag(block.holder) {
            Tag::P => 1.0,
            Tag::LI => 2.0,
            Tag::TD | Tag::TH => 3.0,
            Tag::H1 => 4.0,
            Tag::H2 => 5.0,
            Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => 6.0,
            Tag::DT | Tag::DD => 7.0,
            Tag::PRE => 8.0,
            Tag::BLOCKQUOTE => 9.0,
            Tag::FIGCAPTION | Tag::CAPTION => 10.0,
            Tag::BODY => 11.0,
            _ => 0.0,
        }
    }

    /// What kinds of element are around the block.
    fn tags(&self, block: &Block) -> [f32; 9] {
        let page = self.page;
        let (mut form, mut list, mut tables, mut lists, mut paragraph, mut quote, mut control) =
            (0.0, 0.0, 0.0f32, 0.0f32, 0.0, 0.0, 0.0);
        for id in page.ancestors(block.nodes.start) {
            match page.tag(id) {
                Tag::FORM => form = 1.0,
                Tag::LI => list = 1.0,
                Tag::TABLE => tables += 1.0,
                Tag::UL | Tag::OL => lists += 1.0,
                Tag::P => paragraph = 1.0,
                Tag::BLOCKQUOTE | Tag::PRE => quote = 1.0,
                Tag::SELECT | Tag::BUTTON | Tag::LABEL | Tag::TEXTAREA | Tag::LEGEND => {
                    control = 1.0
                }
                _ => {}
            }
        }
        [
            self.holder(block),
            form,
            list,
            tables,
            lists,
            paragraph,
            quote,
            control,
            page.depth(block.holder) as f32,
        ]
    }

    /// Share of the block's words that are in the title, and of the title's words that are in the
    /// block.
    fn title_overlap(&self, block: &Block) -> [f32; 2] {
        if self.title.is_empty() || block.words > 40.0 {
            return [0.0, 0.0];
        }
        let (mut all, mut in_title, mut seen) = (0, 0, 0u64);
        for id in block.text_nodes(self.page) {
            for_each_word_hash(self.page.text(id), |word| {
                all += 1;
                if let Some(found) = self.title.iter().position(|&known| known == word) {
                    in_title += 1;
                    seen |= 1 << found;
                }
            });
        }
        [in_title as f32 / all.max(1) as f32, seen.count_ones() as f32 / self.title.len() as f32]
    }

    fn site(&self, at: usize, has_digits: bool, row: &mut Vec<f32>) {
        let block = &self.blocks.list[at];
        let evidence = self.evidence;
        let parts = self.blocks.texts_of(block).iter();
        let min = parts
            .map(|text| evidence.on_others(Kind::Text, text.key))
            .fold(f32::INFINITY, f32::min);
        let exact = evidence.on_others(Kind::Text, block.key);
        let masked = if has_digits { masked_key(self.page, block) } else { block.key };
        let target =
            if block.target == 0 { -1.0 } else { evidence.on_others(Kind::Target, block.target) };
        row.extend([
            exact,
            self.common[at],
            if min.is_finite() { min } else { exact },
            evidence.on_others(Kind::Masked, masked),
            evidence.on_others(Kind::Placed, placed(block)),
            target,
            evidence.pages.min(5) as f32,
        ]);
        self.known_slot(block, row);
        self.known_place(&evidence.path(block), row);
        self.known_place(&evidence.trail(block), row);
    }

    fn known_slot(&self, block: &Block, row: &mut Vec<f32>) {
        let slot = self.evidence.slot(block);
        let pages = self.evidence.pages.max(1) as f32;
        let here = self.evidence.on_others(Kind::Slotted, slotted(block));
        let of_slot = here * (pages - 1.0).max(0.0) / slot.pages.saturating_sub(1).max(1) as f32;
        row.extend([
            slot.pages as f32 / pages,
            slot.distinct as f32 / slot.pages.max(1) as f32,
            here,
            of_slot,
        ]);
    }

    fn known_place(&self, place: &Place, row: &mut Vec<f32>) {
        let pages = self.evidence.pages.max(1) as f32;
        let blocks = place.blocks.max(1) as f32;
        row.extend([
            place.pages as f32 / pages,
            place.blocks as f32 / place.pages.max(1) as f32,
            place.half_words as f32 * 0.5 / blocks,
            place.half_link_words as f32 / place.half_words.max(1) as f32,
            place.repeated as f32 / blocks,
        ]);
    }

    fn place(&self, at: usize, row: &mut Vec<f32>) {
        let block = &self.blocks.list[at];
        let number = self.blocks.list.len() as f32;
        let all = self.sums.words.last().copied().unwrap_or(0.0).max(1.0);
        let own = self.sums.own.last().copied().unwrap_or(0.0).max(1.0);
        let since = self.heading.map_or(-1000.0, |heading| at as f32 - heading as f32);
        row.extend([
            at as f32 / number,
            self.sums.words[at] / all,
            self.sums.own[at] / own,
            at as f32,
            number - at as f32,
            since,
            self.alike[&block.path] as f32,
            f32::from(u8::from(self.main[0].contains(&at))),
            f32::from(u8::from(self.main[1].contains(&at))),
        ]);
        row.extend(self.to_prose(at));
    }

    /// Blocks and words to the nearest prose before and after, and how much prose is on either
    /// side.
    fn to_prose(&self, at: usize) -> [f32; 6] {
        let next = self.longs.partition_point(|&long| long < at);
        let before = next.checked_sub(1).map(|index| self.longs[index]);
        let after = self.longs.get(next).copied();
        let blocks = |other: Option<usize>| other.map_or(500.0, |other| at.abs_diff(other) as f32);
        let words = |other: Option<usize>| {
            other.map_or(5000.0, |other| between(&self.sums.words, &(at.min(other)..at.max(other))))
        };
        [
            blocks(before),
            blocks(after),
            words(before),
            words(after),
            next as f32,
            (self.longs.len() - next) as f32,
        ]
    }

    fn neighbours(&self, at: usize, row: &mut Vec<f32>) {
        let list = &self.blocks.list;
        for step in [-1isize, 1, -2, 2] {
            let Some(other) = at.checked_add_signed(step).filter(|&other| other < list.len())
            else {
                row.extend([-1.0; 4]);
                continue;
            };
            let same = f32::from(u8::from(list[other].path == list[at].path));
            row.extend([list[other].words, list[other].link_density(), self.common[other], same]);
        }
        for width in [4, 12] {
            let range = at.saturating_sub(width)..(at + width + 1).min(list.len());
            let words = between(&self.sums.words, &range).max(1.0);
            row.extend([
                words / range.len() as f32,
                between(&self.sums.link_words, &range) / words,
                between(&self.sums.repeated, &range) / words,
            ]);
        }
    }

    /// What pages of the same kind have in common.
    fn of_kind(&self, at: usize, row: &mut Vec<f32>) {
        let block = &self.blocks.list[at];
        let evidence = self.evidence;
        let of_kind = |what, key| {
            evidence.on_others_of_kind(self.kind, what, key, evidence.on_others(what, key))
        };
        let pages = evidence.pages.max(1) as f32;
        let path = evidence.path(block).pages as f32 / pages;
        let slot = evidence.slot(block).pages as f32 / pages;
        let anchor = evidence.anchored(self.anchors[at]);
        let here = evidence.count(Kind::Anchored, self.anchors[at] ^ block.key);
        row.extend([
            of_kind(Kind::Text, block.key),
            of_kind(Kind::Placed, placed(block)),
            of_kind(Kind::Slotted, slotted(block)),
            evidence.on_others_of_kind(self.kind, Kind::Path, block.path, path),
            evidence.on_others_of_kind(self.kind, Kind::Slot, block.slot, slot),
            self.kind.map_or(1.0, |kind| evidence.kinds.pages(kind) as f32 / pages),
            anchor.pages as f32 / pages,
            anchor.distinct as f32 / anchor.pages.max(1) as f32,
            here as f32 / anchor.pages.max(1) as f32,
        ]);
    }

    /// The heading before a block, how the elements around it begin, labels and prices.
    fn sections(&self, at: usize, details: &Details, row: &mut Vec<f32>) {
        let list = &self.blocks.list;
        match self.headings[at].map(|heading| heading as usize) {
            Some(heading) => row.extend([
                heading_level(self.page, &list[heading]),
                (at - heading) as f32,
                self.common[heading],
                list[heading].words,
                list[heading].link_density(),
            ]),
            None => row.extend([0.0, 500.0, -1.0, -1.0, -1.0]),
        }
        let mut id = list[at].holder;
        let mut range = self.blocks.within(self.page, id);
        for _ in 0..FIRSTS {
            let inner = range.clone();
            while inner == range
                && let Some(parent) =
                    self.page.parent(id).filter(|&p| self.page.tag(p) != Tag::HTML)
            {
                id = parent;
                range = self.blocks.within(self.page, id);
            }
            row.extend([self.common[range.start], (at - range.start) as f32]);
        }
        let ends_with_colon = |other: usize| {
            let text = list[other].text_nodes(self.page).last();
            text.is_some_and(|id| self.page.text(id).ends_with([':', '：']))
        };
        row.extend([
            details.currencies as f32,
            f32::from(u8::from(details.ends_with_colon)),
            f32::from(u8::from(at > 0 && ends_with_colon(at - 1))),
            self.blocks.images as f32,
            self.number_of_headings as f32,
        ]);
    }

    /// What the names of the elements around a block say.
    fn names(&self, at: usize, row: &mut Vec<f32>) {
        let block = &self.blocks.list[at];
        row.extend(block.roles.flags());
        row.extend(block.role_levels.map(f32::from));
        row.push(self.inside as f32 / self.blocks.list.len() as f32);
    }

    /// What the words of a short text, of the heading over it and of the text before it say.
    fn words(&self, at: usize, row: &mut Vec<f32>) {
        let weigh = |at: usize| {
            if is_short(&self.blocks.list[at]) { self.weight(at) } else { Weights::default() }
        };
        let here = weigh(at);
        let heading = self.headings[at].map(|heading| weigh(heading as usize)).unwrap_or_default();
        let before = at.checked_sub(1).map(weigh).unwrap_or_default();
        row.extend([here.mean, here.min, here.max, heading.mean, heading.min, before.mean]);
    }

    /// What the first words of a block weigh.
    fn weight(&self, at: usize) -> Weights {
        let words = || text_words(self.page, &self.blocks.list[at]);
        *self.weights[at].get_or_init(|| self.lexicon.weigh(words()))
    }

    /// What the names of the elements around a block weigh.
    fn weigh_names(&self, at: usize, row: &mut Vec<f32>) {
        if !self.is_alone() {
            row.extend([0.0; 10]);
            return;
        }
        let mut levels = [Weights::default(); NAMED_LEVELS];
        let mut number = 0;
        for element in self.blocks.around(&self.blocks.list[at]) {
            let words = || name_words(self.page, self.blocks.elements[element].id);
            let weigh = || {
                let words = words();
                (!words.is_empty()).then(|| self.lexicon.weigh(words))
            };
            if let Some(weights) = *self.names[element].get_or_init(weigh) {
                levels[number] = weights;
                number += 1;
            }
            if number == NAMED_LEVELS {
                break;
            }
        }
        let means = levels[..number].iter().map(|weights| weights.mean);
        let [first, second, third, ..] = levels;
        row.extend([
            first.mean,
            first.min,
            first.max,
            second.mean,
            second.min,
            second.max,
            third.mean,
            means.clone().fold(0.0, f32::min),
            means.clone().fold(0.0, f32::max),
            means.sum::<f32>() / number.max(1) as f32,
        ]);
    }

    /// Whether the page has no site. The trees for sites do not look at names and addresses: counts
    /// say more.
    fn is_alone(&self) -> bool {
        self.evidence.pages < 2
    }

    /// What the first words of a long text and the address of a link weigh.
    fn weigh_others(&self, at: usize, row: &mut Vec<f32>) {
        if !self.is_alone() {
            row.extend([0.0; 5]);
            return;
        }
        let block = &self.blocks.list[at];
        let long = if is_short(block) { Weights::default() } else { self.weight(at) };
        let address = self.lexicon.weigh(address_words(self.page, block));
        row.extend([long.mean, long.min, long.max, address.mean, address.min]);
    }

    /// What the weights of words are fitted from: see [`super::Table`].
    pub fn exported_words(&self, at: usize) -> Vec<u32> {
        let block = &self.blocks.list[at];
        let mut words = vec![self.headings[at].map_or(0, |heading| heading + 1)];
        words.push(u32::from(is_short(block)));
        words.extend(text_words(self.page, block).list);
        words.extend(address_words(self.page, block).list);
        let named = self
            .blocks
            .around(block)
            .map(|element| name_words(self.page, self.blocks.elements[element].id))
            .filter(|words| !words.is_empty());
        words.extend(named.take(NAMED_LEVELS).flat_map(|words| words.list));
        words.resize(super::EXPORTED_WORDS, 0);
        words
    }

    fn ancestors(&self, at: usize, row: &mut Vec<f32>) {
        let all = self.sums.own.last().copied().unwrap_or(0.0).max(1.0);
        let mut id = self.blocks.list[at].holder;
        for _ in 0..LEVELS {
            let range = self.blocks.within(self.page, id);
            let words = between(&self.sums.words, &range).max(1.0);
            row.extend([
                words,
                between(&self.sums.link_words, &range) / words,
                between(&self.sums.repeated, &range) / words,
                between(&self.sums.own, &range) / all,
            ]);
            // Wrappers that add nothing tell nothing.
            while let Some(parent) = self.page.parent(id) {
                if self.page.tag(parent) == Tag::HTML {
                    break;
                }
                id = parent;
                if self.blocks.within(self.page, id) != range {
                    break;
                }
            }
        }
    }

    pub fn whole_page(&self, row: &mut Vec<f32>) {
        let last = |sums: &[f32]| sums.last().copied().unwrap_or(0.0);
        let words = last(&self.sums.words).max(1.0);
        row.extend([
            self.blocks.list.len() as f32,
            words,
            last(&self.sums.link_words) / words,
            last(&self.sums.repeated) / words,
            last(&self.sums.own),
            self.longs.len() as f32,
            self.prose.share(),
            self.prose.longest,
            self.evidence.prose_share as f32 / 1000.0,
            self.evidence.own_words as f32,
        ]);
    }

    /// What else the page shows as a whole.
    pub fn summary(&self, row: &mut Vec<f32>) {
        let pages = self.evidence.pages.max(1) as f32;
        let own = self.sums.own.last().copied().unwrap_or(0.0).max(1.0);
        let (largest, groups) = self.groups.summary();
        row.extend([
            self.evidence.pages.min(5) as f32,
            self.kind.map_or(1.0, |kind| self.evidence.kinds.pages(kind) as f32 / pages),
            self.blocks.images as f32,
            self.number_of_headings as f32,
            largest / own,
            groups as f32,
            self.inside as f32 / self.blocks.list.len().max(1) as f32,
        ]);
        row.extend(self.claims.0);
    }
}

/// What a page says it is: its Open Graph type, the names of its body, its number of articles.
#[derive(Clone, Copy)]
struct Claims([f32; 6]);

impl Claims {
    fn of(page: &Page, blocks: &Blocks) -> Claims {
        let mut elements = blocks.elements.iter();
        let articles = elements.clone().filter(|element| page.tag(element.id) == Tag::ARTICLE);
        let body = elements.next().map(|body| names_of(page, body.id)).unwrap_or_default();
        Claims([
            open_graph_type(page),
            f32::from(u8::from(body.is_product())),
            f32::from(u8::from(body.is_content())),
            f32::from(u8::from(body.is_message())),
            f32::from(u8::from(body.is_tags())),
            articles.count().min(MAX_ARTICLES) as f32,
        ])
    }
}

/// More articles than this say no more.
const MAX_ARTICLES: usize = 20;

fn names_of(page: &Page, id: NodeId) -> Roles {
    page.class_and_id(id).map(Roles::of_name).fold(Roles::default(), Roles::with)
}

/// 1 for an article, 2 for a product, 3 for a web site, 4 for another type, 0 for none.
fn open_graph_type(page: &Page) -> f32 {
    let mut head = page.nodes().take_while(|&id| page.tag(id) != Tag::BODY);
    let meta = head
        .find(|&id| page.tag(id) == Tag::META && page.attribute(id, "property") == Some("og:type"));
    match meta.and_then(|id| page.attribute(id, "content")) {
        None => 0.0,
        Some(kind) if kind.starts_with("article") => 1.0,
        Some(kind) if kind.contains("product") => 2.0,
        Some("website") => 3.0,
        Some(_) => 4.0,
    }
}

/// So many elements with names are weighed.
pub(super) const NAMED_LEVELS: usize = 5;

/// How many containers around a block are asked for their first text.
const FIRSTS: usize = 3;

/// The level of the heading that a block is; 0 if it is none.
fn heading_level(page: &Page, block: &Block) -> f32 {
    match page.tag(block.holder) {
        Tag::H1 => 1.0,
        Tag::H2 => 2.0,
        Tag::H3 => 3.0,
        Tag::H4 => 4.0,
        Tag::H5 => 5.0,
        Tag::H6 => 6.0,
        _ => 0.0,
    }
}

/// The share of the other pages with the block's text: of the whole or, by words, of its parts.
fn common(evidence: &Evidence, blocks: &Blocks, block: &Block) -> f32 {
    let whole = evidence.on_others(Kind::Text, block.key);
    let parts: f32 = blocks
        .texts_of(block)
        .iter()
        .map(|text| evidence.on_others(Kind::Text, text.key) * text.words)
        .sum();
    whole.max(parts / block.words.max(0.5)).min(1.0)
}

/// Name of each feature.
#[rustfmt::skip]
pub(super) const NAMES: &[&str] = &[
    "words", "link density", "links", "letters per word", "digits", "capitals", "commas",
    "stops", "ornaments", "ends sentence", "kind", "in form", "in list", "tables around",
    "lists around", "in paragraph", "in quote", "in control", "depth", "words in title",
    "title in words", "text on others", "parts on others", "least part on others",
    "masked on others", "placed on others", "target on others", "sample pages", "slot pages",
    "slot texts", "slotted on others", "slotted of slot", "path pages", "path blocks",
    "path words", "path links", "path repeated", "trail pages", "trail blocks", "trail words",
    "trail links", "trail repeated", "at", "at word", "at own word", "blocks before",
    "blocks after", "since heading", "alike", "in main half", "in main most",
    "blocks since prose", "blocks to prose", "words since prose", "words to prose",
    "prose before", "prose after", "words -1", "links -1", "common -1", "same -1", "words +1",
    "links +1", "common +1", "same +1", "words -2", "links -2", "common -2", "same -2",
    "words +2", "links +2", "common +2", "same +2", "words near", "links near", "common near",
    "words around", "links around", "common around", "words 0", "links 0", "common 0", "own 0",
    "words 1", "links 1", "common 1", "own 1", "words 2", "links 2", "common 2", "own 2",
    "words 3", "links 3", "common 3", "own 3", "words 4", "links 4", "common 4", "own 4",
    "words 5", "links 5", "common 5", "own 5", "page blocks", "page words", "page links",
    "page common", "page own", "page prose", "page prose share", "longest prose",
    "site prose share", "site own", "text on kind", "placed on kind", "slotted on kind",
    "path on kind", "slot on kind", "kind pages", "anchor pages", "anchor texts",
    "anchored of anchor", "heading level", "since section", "heading common", "heading words",
    "heading links", "first common 1", "since first 1", "first common 2", "since first 2",
    "first common 3", "since first 3", "currencies", "colon", "after colon", "page images",
    "page headings", "group members", "group words", "group links", "group common", "group own",
    "group blocks", "item words", "at in item", "group linked", "item at", "group images",
    "outer members", "outer words", "outer links", "outer own", "in largest group",
    "largest group", "page groups", "role navigation", "role footer", "role header",
    "role sidebar", "role related", "role comments", "role share", "role breadcrumb",
    "role dialog", "role content", "role product", "role details", "role paging", "role tags",
    "role advert", "role filter", "role hidden", "role message", "role main", "role item",
    "inside level", "outside level", "page inside", "words weigh", "lightest word",
    "heaviest word", "heading weighs", "lightest of heading", "text before weighs", "page type",
    "body product", "body content", "body message", "body tags", "page articles",
    "name weighs 1", "lightest name 1", "heaviest name 1", "name weighs 2", "lightest name 2",
    "heaviest name 2", "name weighs 3", "lightest name", "heaviest name", "names weigh",
    "opening weighs", "lightest of opening", "heaviest of opening", "address weighs",
    "lightest of address", "is article", "is list", "is product", "is forum", "is manual",
    "is landing",
];
