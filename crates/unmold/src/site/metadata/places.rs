//! Where the pages of a site name their author and their date.
//!
//! Pages that declare neither still show them, in the same place on every page of the site: a
//! place whose text varies. No page alone gives that away; a sample does. A date whose value is the
//! same on all pages is that of the crawl, and a place that a page has several times is one of a
//! list or of comments.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Metadata, date, title};
use crate::page::{NodeId, Page, Tag};

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
}

impl MetadataPlaces {
    /// Learns them from pages of a site.
    #[must_use]
    pub fn learn(pages: &[&Page]) -> MetadataPlaces {
        let titles: Vec<&str> = pages.iter().filter_map(|page| page.title()).collect();
        let (mut dates, mut authors) = (Candidates::default(), Candidates::default());
        for page in pages {
            let declared = Metadata::of(page);
            let day = |date: &String| date.chars().take(10).collect::<String>();
            dates.add(page, declared.published.as_ref().map(day), |id| {
                shown_date(page, id).as_ref().map(day)
            });
            authors.add(page, declared.author, |id| shown_author(page, id));
        }
        MetadataPlaces {
            title_affixes: title::affixes(&titles),
            author: authors.best(pages.len(), |pages| pages.min(2)),
            published: dates.best(pages.len(), |pages| pages.div_ceil(2)),
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

/// The names and classes of an element and of those around it. Classes with digits are those of
/// one page.
fn place_of(page: &Page, id: NodeId) -> String {
    let step = |id: NodeId| {
        let mut step = page.tag_name(id).to_owned();
        let classes = page.attribute(id, "class").unwrap_or("").split_whitespace();
        for class in classes.filter(|class| !class.contains(|c: char| c.is_ascii_digit())).take(3) {
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
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    page.attribute(id, "datetime").and_then(date::iso).or_else(|| date::iso(&text))
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
    is_name.then(|| name.to_owned())
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
        let mut of_page: BTreeMap<String, (usize, String, usize)> = BTreeMap::new();
        for id in short_elements(page) {
            let Some(value) = value(id) else { continue };
            let rank = of_page.len();
            of_page.entry(place_of(page, id)).or_insert((rank, value, 0)).2 += 1;
        }
        for (place, (rank, value, occurrences)) in of_page {
            let place = self.0.entry(place).or_default();
            place.pages += 1;
            place.occurrences += occurrences;
            place.rank += rank;
            match &declared {
                Some(declared) if *declared == value => place.right += 1,
                Some(_) => place.wrong += 1,
                None => {}
            }
            place.values.insert(value);
        }
    }

    /// The place that most pages have once, with values that vary.
    fn best(self, pages: usize, min_values: impl Fn(usize) -> usize) -> Option<String> {
        let is_candidate = |place: &Place| {
            place.pages >= MIN_PAGES
                && 100 * place.pages >= MIN_SHARE * pages
                && place.values.len() >= min_values(place.pages)
                && 2 * place.occurrences <= 3 * place.pages
                && place.wrong <= place.right
        };
        let candidates = self.0.into_iter().filter(|(_, place)| is_candidate(place));
        let key = |place: &Place| (place.right, place.pages, std::cmp::Reverse(place.rank));
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
