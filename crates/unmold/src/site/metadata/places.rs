//! Where the pages of a site name their author and their date.
//!
//! Pages that declare neither still show them, in the same place on every page of the site: a
//! place whose text varies. No page alone gives that away; a sample does. A date whose value is the
//! same on all pages is that of the crawl, and a place that a page has several times is one of a
//! list or of comments, unless the pages begin with it: then they are threads, and the first post
//! says who began it and when.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Metadata, date, title};
use crate::page::{NodeId, NodeRange, Page, Tag};

/// Longer texts are no dates and no names.
const MAX_TEXT: usize = 80;
/// A place is on at least so many pages, and on this share of them in percent.
const MIN_PAGES: usize = 3;
const MIN_SHARE: usize = 20;
/// Elements that a place names: its own and those around it.
const STEPS: usize = 4;

/// What the pages of a site say about themselves in their text, and what they add to their titles.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct MetadataPlaces {
    /// What titles begin or end with on most pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub title_affixes: Vec<String>,
    /// The place of the author: names and classes of elements, such as `header>p.byline>a`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The place of the date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The place of the date of the last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
}

impl MetadataPlaces {
    /// Learns them from pages of a site.
    #[must_use]
    pub fn learn(pages: &[&Page]) -> MetadataPlaces {
        let titles: Vec<&str> = pages.iter().filter_map(|page| page.title()).collect();
        let mut authors = Candidates::default();
        let (mut dates, mut changes) = (Candidates::default(), Candidates::default());
        for page in pages {
            let declared = Metadata::of(page);
            let day = |date: &String| date.chars().take(10).collect::<String>();
            dates.add(page, declared.published.as_ref().map(day), |id| {
                shown_date(page, id).as_ref().map(day)
            });
            changes.add(page, declared.modified.as_ref().map(day), |id| {
                shown_change(page, id).as_ref().map(day)
            });
            authors.add(page, declared.author, |id| shown_author(page, id));
        }
        MetadataPlaces {
            title_affixes: title::affixes(&titles),
            author: authors.best(pages.len(), |pages| pages.min(2)),
            published: dates.best(pages.len(), |pages| pages.div_ceil(2)),
            modified: changes.best(pages.len(), |pages| pages.min(2)),
        }
    }

    /// Whether nothing was learned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == MetadataPlaces::default()
    }

    /// Adds what the page does not declare but shows.
    pub(super) fn fill(&self, page: &Page, found: &mut Metadata) {
        if found.published.is_none() {
            found.published = at_place(page, self.published.as_deref(), |id| shown_date(page, id));
        }
        if found.modified.is_none() {
            found.modified = at_place(page, self.modified.as_deref(), |id| shown_change(page, id));
        }
        if found.author.is_none() {
            found.author = at_place(page, self.author.as_deref(), |id| shown_author(page, id));
        }
    }
}

/// The first value at a place.
fn at_place(
    page: &Page,
    place: Option<&str>,
    value: impl Fn(NodeId) -> Option<String>,
) -> Option<String> {
    let place = place?;
    let last = place.rsplit('>').next().unwrap_or(place);
    let tag = last.split('.').next().unwrap_or(last);
    short_elements(page)
        .filter(|&id| page.tag_name(id) == tag && place_of(page, id) == place)
        .find_map(value)
}

/// Elements of the body with a text of their own, if all their text is short.
fn short_elements(page: &Page) -> impl Iterator<Item = NodeId> + '_ {
    let is_short = move |id: NodeId| {
        let mut length = 0;
        page.subtree(id).len() <= 16
            && page.subtree(id).all(|id| {
                length += page.text(id).len();
                length <= MAX_TEXT
            })
    };
    let has_text = move |id: NodeId| page.children(id).any(|child| page.is_text(child));
    page.body().filter(move |&id| !page.is_text(id) && has_text(id) && is_short(id))
}

/// Classes that tell an item from its neighbours.
const OF_ITEMS: [&str; 5] = ["odd", "even", "first", "last", "alt"];

/// The names and classes of an element and of those around it. Classes with digits are those of
/// one page.
pub(super) fn place_of(page: &Page, id: NodeId) -> String {
    let step = |id: NodeId| {
        let mut step = page.tag_name(id).to_owned();
        let classes = page.attribute(id, "class").unwrap_or("").split_whitespace();
        let is_own = |class: &&str| {
            !class.contains(|c: char| c.is_ascii_digit()) && !OF_ITEMS.contains(class)
        };
        for class in classes.filter(is_own).take(3) {
            step.push('.');
            step.push_str(class);
        }
        step
    };
    let around = page.ancestors(id).take_while(|&id| page.tag(id) != Tag::BODY);
    let mut steps: Vec<String> = std::iter::once(id).chain(around).take(STEPS).map(step).collect();
    steps.reverse();
    steps.join(">")
}

fn shown_date(page: &Page, id: NodeId) -> Option<String> {
    let text = page.joined_text(page.subtree(id));
    if !text.contains(|c: char| c.is_ascii_digit()) || follows_change(page, id) {
        return None;
    }
    let before = change_in(&text).map_or(&text[..], |(start, _)| &text[..start]);
    page.attribute(id, "datetime").and_then(date::iso).or_else(|| date::iso(before))
}

/// The date of the last change, beside a word that says so.
fn shown_change(page: &Page, id: NodeId) -> Option<String> {
    let text = page.joined_text(page.subtree(id));
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    match change_in(&text) {
        Some((_, end)) => date::iso(&text[end..]),
        None if follows_change(page, id) => {
            page.attribute(id, "datetime").and_then(date::iso).or_else(|| date::iso(&text))
        }
        None => None,
    }
}

/// Words for a change.
const CHANGES: [&str; 5] = ["updated", "modified", "edited", "changed", "revised"];
/// Characters between such a word and a date in another element, at most.
const MAX_BETWEEN: usize = 8;

/// Where a text first speaks of a change.
fn change_in(text: &str) -> Option<(usize, usize)> {
    let lower = text.to_ascii_lowercase();
    let found = CHANGES.iter().filter_map(|word| Some((lower.find(word)?, word.len())));
    found.min().map(|(start, length)| (start, start + length))
}

/// Whether the text right before an element speaks of a change.
pub(super) fn follows_change(page: &Page, id: NodeId) -> bool {
    let before = NodeRange::new(NodeId::ROOT, id).rev().take(6);
    let text = before.map(|id| page.text(id)).find(|text| !text.is_empty()).unwrap_or("");
    let lower = text.to_ascii_lowercase();
    let last = CHANGES.iter().filter_map(|word| Some(lower.rfind(word)? + word.len())).max();
    last.is_some_and(|end| lower.len() - end <= MAX_BETWEEN)
}

/// Words before a name.
const BY: [&str; 8] = ["by", "posted by", "written by", "author:", "author", "von", "par", "por"];
/// Parts of classes that name an author.
const AUTHOR_CLASSES: [&str; 4] = ["author", "byline", "writer", "creator"];

/// A name in an element that says it is one, or after "by".
fn shown_author(page: &Page, id: NodeId) -> Option<String> {
    let text = page.joined_text(page.subtree(id));
    let lower = text.to_lowercase();
    let by = BY.iter().filter(|&&by| {
        lower.strip_prefix(by).is_some_and(|rest| rest.starts_with([' ', '\u{a0}']))
    });
    let after = by.map(|by| by.len()).max();
    let says_so = || {
        let names = page.attribute(id, "class").into_iter().chain(page.attribute(id, "rel"));
        let names = names.chain(page.attribute(id, "itemprop")).map(str::to_lowercase);
        names.into_iter().any(|name| AUTHOR_CLASSES.iter().any(|class| name.contains(class)))
    };
    let name = match after {
        // Lower case may be longer or shorter than the text in a few languages.
        Some(length) if text.is_char_boundary(length) => text[length..].trim(),
        _ if says_so() => text.trim(),
        _ => return None,
    };
    // `By Ann Lee on 5 March` and `Ann Lee | Editor`.
    let end = [" on ", " | ", " · ", ", ", " – ", " - ", "\u{2022}"]
        .iter()
        .filter_map(|end| name.find(end))
        .min()
        .unwrap_or(name.len());
    let name = name[..end].trim_end_matches([':', ',', '.', '|']).trim();
    let words = name.split_whitespace().count();
    let is_name = (1..=5).contains(&words)
        && name.chars().count() >= 3
        && name.chars().next().is_some_and(char::is_uppercase)
        && !name.contains(|c: char| c.is_ascii_digit());
    // Members of forums: `ridge9`, `tarn_walker`.
    let is_nickname = || {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        name.chars().count() >= 3
            && name.chars().all(is_part)
            && name.contains(char::is_alphabetic)
            && page.tag(id) == Tag::A
            && after.is_none()
    };
    (is_name || is_nickname()).then(|| name.to_owned())
}

/// What was found at a place.
#[derive(Default)]
struct Place {
    pages: usize,
    occurrences: usize,
    values: BTreeSet<String>,
    /// Pages that declare the value, and those that declare another.
    right: usize,
    wrong: usize,
    /// Sum of the positions of the first occurrence among the places of its page.
    rank: usize,
    /// Pages on which it follows the title, with next to no text between.
    below_title: usize,
}

impl Place {
    /// Whether most pages have it once.
    fn is_single(&self) -> bool {
        2 * self.occurrences <= 3 * self.pages
    }

    /// Whether nearly all pages begin with it, as threads do with their first post.
    fn is_start(&self, pages: usize) -> bool {
        5 * self.below_title >= 4 * self.pages && 5 * self.pages >= 4 * pages
    }
}

/// Text between the title and the first post of a thread, at most.
const MAX_BELOW_TITLE: usize = 200;

/// Whether an element follows the title of the page.
fn is_below(page: &Page, title: Option<NodeId>, id: NodeId) -> bool {
    let Some(title) = title.filter(|&title| title < id) else { return false };
    let mut between = NodeRange::new(page.subtree(title).end, id);
    let mut length = 0;
    between.all(|id| {
        length += page.text(id).len();
        length <= MAX_BELOW_TITLE
    })
}

/// What a page has at a place.
struct Found {
    value: String,
    occurrences: usize,
    rank: usize,
    is_below_title: bool,
}

#[derive(Default)]
struct Candidates(BTreeMap<String, Place>);

impl Candidates {
    fn add(
        &mut self,
        page: &Page,
        declared: Option<String>,
        value: impl Fn(NodeId) -> Option<String>,
    ) {
        let title = title::heading_of_title(page);
        let mut of_page: BTreeMap<String, Found> = BTreeMap::new();
        for id in short_elements(page) {
            let Some(value) = value(id) else { continue };
            let rank = of_page.len();
            let found = of_page.entry(place_of(page, id)).or_insert_with(|| {
                let is_below_title = is_below(page, title, id);
                Found { value, occurrences: 0, rank, is_below_title }
            });
            found.occurrences += 1;
        }
        for (place, Found { value, occurrences, rank, is_below_title }) in of_page {
            let place = self.0.entry(place).or_default();
            place.pages += 1;
            place.occurrences += occurrences;
            place.rank += rank;
            place.below_title += usize::from(is_below_title);
            match &declared {
                Some(declared) if *declared == value => place.right += 1,
                Some(_) => place.wrong += 1,
                None => {}
            }
            place.values.insert(value);
        }
    }

    /// The place that most pages have once, or start with, with values that vary.
    fn best(self, pages: usize, min_values: impl Fn(usize) -> usize) -> Option<String> {
        let is_candidate = |place: &Place| {
            place.pages >= MIN_PAGES
                && 100 * place.pages >= MIN_SHARE * pages
                && place.values.len() >= min_values(place.pages)
                && (place.is_single() || place.is_start(pages))
                && place.wrong <= place.right
        };
        let candidates = self.0.into_iter().filter(|(_, place)| is_candidate(place));
        let key = |place: &Place| {
            (place.right, place.is_single(), place.pages, std::cmp::Reverse(place.rank))
        };
        candidates.max_by_key(|(name, place)| (key(place), name.clone())).map(|(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Limits;

    const NAMES: [&str; 4] = ["Ann Lee", "Bo Ek", "Cy Dee", "Ann Lee"];

    fn story(n: usize, head: &str) -> Page {
        let html = format!(
            "<title>Story {n} - Tea Times</title>{head}<div class=today>1 May 2024</div>\
             <div class=post><h1>Story {n}</h1><p class=meta>By {} on \
             <span class=when>{} March 2024</span></p><p>A story about tea, number {n}.</p></div>\
             <ul><li><b>2 May 2020</b></li><li><b>{} May 2020</b></li></ul>",
            NAMES[n % 4],
            n + 1,
            n + 3,
        );
        Page::parse(html.as_bytes(), &Limits::default())
    }

    #[test]
    fn author_and_date_are_found_where_pages_show_them() {
        let pages: Vec<Page> = (0..6).map(|n| story(n, "")).collect();
        let places = MetadataPlaces::learn(&pages.iter().collect::<Vec<_>>());
        assert_eq!(places.published.as_deref(), Some("div.post>p.meta"));
        assert_eq!(places.author.as_deref(), Some("div.post>p.meta"));
        assert_eq!(places.title_affixes, [" - Tea Times"]);
        let new = story(17, "");
        let found = Metadata::with_places(&new, Some(&places));
        assert_eq!(found.author.as_deref(), Some("Bo Ek"));
        assert_eq!(found.published.as_deref(), Some("2024-03-18"));
        assert_eq!(found.title.as_deref(), Some("Story 17"));
        assert_eq!(Metadata::of(&new).author, None);
    }

    #[test]
    fn threads_are_begun_by_their_first_post() {
        let post = |name: &str, day: usize, parity: &str| {
            format!(
                "<dl class='post {parity}'><dt><a class=author href=/u>{name}</a>\
                 <dd><i class=date>{day} May 2023</i><p>Words of {name} about day {day}</dl>"
            )
        };
        let thread = |n: usize| {
            let first = post(["ridge9", "Ann_Lee", "tarn"][n % 3], n + 1, "even");
            let html = format!(
                "<title>Thread {n} - Moor</title><h2>Thread {n}</h2>{first}{}{}",
                post("driftwood", n + 3, "odd"),
                post("Bo Ek", n + 5, "even"),
            );
            Page::parse(html.as_bytes(), &Limits::default())
        };
        let pages: Vec<Page> = (0..6).map(thread).collect();
        let places = MetadataPlaces::learn(&pages.iter().collect::<Vec<_>>());
        let found = Metadata::with_places(&pages[3], Some(&places));
        assert_eq!(found.author.as_deref(), Some("ridge9"));
        assert_eq!(found.published.as_deref(), Some("2023-05-04"));
        assert_eq!(found.site_name.as_deref(), Some("Moor"));
    }

    #[test]
    fn dates_of_changes_are_told_from_those_of_publication() {
        let html = |n: usize| {
            format!(
                "<h1>Page {n}</h1><p>Text {n}</p>\
                 <div id=f><p>This page was last edited on {} March 2022.</p></div>",
                n + 1
            )
        };
        let pages: Vec<Page> =
            (0..4).map(|n| Page::parse(html(n).as_bytes(), &Limits::default())).collect();
        let places = MetadataPlaces::learn(&pages.iter().collect::<Vec<_>>());
        let found = Metadata::with_places(&pages[2], Some(&places));
        assert_eq!(found.modified.as_deref(), Some("2022-03-03"));
        assert_eq!(found.published, None);
    }

    #[test]
    fn places_that_contradict_the_declared_date_are_not_used() {
        let head = "<meta property=article:published_time content=2001-01-01>";
        let pages: Vec<Page> = (0..6).map(|n| story(n, head)).collect();
        assert_eq!(MetadataPlaces::learn(&pages.iter().collect::<Vec<_>>()).published, None);
    }

    #[test]
    fn few_pages_show_nothing() {
        let pages = [story(0, ""), story(1, "")];
        assert!(MetadataPlaces::learn(&pages.iter().collect::<Vec<_>>()).is_empty());
    }
}
