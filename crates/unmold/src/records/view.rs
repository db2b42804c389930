//! A page as the site tree sees it: keys of elements, children without separators, texts.

use std::collections::BTreeSet;

use unmold_html::hash::{KeyedMap, KeyedSet};

use super::types::{is_amount, is_currency};
use crate::page::{NodeId, Page};
use unmold_html::Tag;

/// Class words that say where an element is or what the mouse does, not what it is.
const STATES: [&str; 11] =
    ["odd", "even", "alt", "first", "last", "active", "selected", "current", "hover", "on", "off"];
/// A class word or id counts that at least two pages have, and one in so many.
const ONE_IN: usize = 10;
/// Longest text that can be a label, in bytes.
pub(super) const MAX_LABEL: usize = 60;
/// Longest label beside its value in one text, in characters.
const MAX_INLINE: usize = 40;
/// Most words of such a label.
const MAX_INLINE_WORDS: usize = 5;

/// Class words and ids that belong to the layout.
#[derive(Clone, Default, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct LayoutNames {
    pub words: BTreeSet<String>,
    pub ids: BTreeSet<String>,
}

impl LayoutNames {
    /// Those that are on enough pages.
    pub fn learn(pages: &[&Page]) -> LayoutNames {
        let mut words: KeyedMap<&str, usize> = KeyedMap::default();
        let mut ids: KeyedMap<&str, usize> = KeyedMap::default();
        for page in pages {
            let mut seen: KeyedSet<(bool, &str)> = KeyedSet::default();
            for id in page.nodes().filter(|&id| !page.is_text(id)) {
                for word in page.attribute(id, "class").unwrap_or("").split_ascii_whitespace() {
                    if seen.insert((true, word)) {
                        *words.entry(word).or_default() += 1;
                    }
                }
                if let Some(name) = page.attribute(id, "id").filter(|&name| is_word_like(name))
                    && seen.insert((false, name))
                {
                    *ids.entry(name).or_default() += 1;
                }
            }
        }
        let min = pages.len().div_ceil(ONE_IN).max(2);
        let enough = |counts: KeyedMap<&str, usize>| -> BTreeSet<String> {
            let often = counts.into_iter().filter(|&(_, count)| count >= min);
            often.map(|(word, _)| word.to_owned()).collect()
        };
        let mut words = enough(words);
        words.retain(|word| !STATES.contains(&word.as_str()));
        LayoutNames { words, ids: enough(ids) }
    }

    /// Appends the key of an element: its name, for rows the cells, and marks that count.
    pub fn push_key(&self, page: &Page, id: NodeId, key: &mut String) {
        key.push_str(page.tag_name(id));
        if page.is_text(id) {
            return;
        }
        if page.tag(id) == Tag::TR {
            push_cells(page, id, key);
        }
        let (mut class, mut name) = (None, None);
        for (attribute, value) in page.attributes(id) {
            match attribute {
                "class" => class = class.or(Some(value)),
                "id" => name = name.or(Some(value)),
                _ => {}
            }
        }
        if let Some(class) = class {
            self.push_words(class, key);
        }
        if let Some(name) = name.filter(|&name| self.ids.contains(name)) {
            key.push('#');
            key.push_str(name);
        }
    }

    fn push_words(&self, class: &str, key: &mut String) {
        let mut words: Vec<&str> =
            class.split_ascii_whitespace().filter(|&word| self.words.contains(word)).collect();
        words.sort_unstable();
        words.dedup();
        for word in words {
            key.push('.');
            key.push_str(word);
        }
    }
}

fn is_word_like(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_whitespace)
}

/// How many cells of each name a row has.
fn push_cells(page: &Page, row: NodeId, key: &mut String) {
    let (mut data, mut heads) = (0u32, 0u32);
    for cell in page.children(row) {
        match page.tag(cell) {
            Tag::TD => data += 1,
            Tag::TH => heads += 1,
            _ => {}
        }
    }
    key.push('(');
    for (count, name) in [(data, "td"), (heads, "th")] {
        if count > 0 {
            key.push_str(name);
            key.push_str(&count.to_string());
        }
    }
    key.push(')');
}

/// The element name of a key.
pub(super) fn tag_of(key: &str) -> &str {
    match key.find(['.', '#', '(']) {
        Some(0) | None => key,
        Some(end) => &key[..end],
    }
}

/// The class words and the id of a key.
pub(super) fn marks_of(key: &str) -> impl Iterator<Item = &str> {
    let start = key.find(['.', '#']).filter(|&start| start > 0).unwrap_or(key.len());
    key[start..].split(['.', '#']).filter(|mark| !mark.is_empty())
}

/// Whether a key has a class word or an id.
pub(super) fn is_marked(key: &str) -> bool {
    marks_of(key).next().is_some()
}

/// Whether elements of this name only shape text.
pub(super) fn is_inline(tag: &str) -> bool {
    const INLINE: [&str; 19] = [
        "a", "b", "i", "em", "strong", "span", "font", "u", "small", "big", "nobr", "tt", "code",
        "cite", "sup", "sub", "abbr", "bdi", "mark",
    ];
    INLINE.contains(&tag)
}

/// Whether the tree leaves out the element and what is inside.
pub(super) fn is_skipped(page: &Page, id: NodeId) -> bool {
    page.is_foreign(id)
        || page.tag(id).is_never_shown()
        || matches!(page.tag(id), Tag::IFRAME | Tag::OBJECT | Tag::EMBED)
}

/// Whether a text has a letter or a digit.
pub(super) fn has_word(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphanumeric())
        || (!text.is_ascii() && text.chars().any(char::is_alphanumeric))
}

/// Whether a text ends as labels do.
pub(super) fn ends_as_label(text: &str) -> bool {
    text.ends_with([':', '：'])
}

/// The children that count: no separators between values, but a dash that stands for no value.
pub(super) fn kids(page: &Page, id: NodeId, kids: &mut Vec<NodeId>) {
    kids.clear();
    kids.extend(page.children(id).filter(|&child| !is_skipped(page, child)));
    let Some(&last) = kids.last() else { return };
    if kids.len() < 2 {
        return;
    }
    let is_dash = |text: &str| matches!(text, "-" | "--" | "–" | "—" | "?" | "…");
    kids.retain(|&child| {
        !page.is_text(child)
            || has_word(page.text(child))
            || child == last && is_dash(page.text(child))
    });
}

/// The currency sign that stands in an element of its own before or after an amount, and whether it
/// stands before: `<b>$</b>12`.
pub(super) fn sign_beside(page: &Page, text: NodeId) -> Option<(&str, bool)> {
    if !is_amount(page.text(text)) {
        return None;
    }
    // The amount may be alone in an element: that is what the sign is beside.
    let parent = page.parent(text)?;
    let amount = if page.size(parent) == 2 { parent } else { text };
    let around = page.parent(amount)?;
    // A sibling, or the only child of one.
    let is_near = |id: NodeId| {
        let above = page.parent(id);
        let is_alone = |above: NodeId| page.size(above) == 2 && page.parent(above) == Some(around);
        above == Some(around) || above.is_some_and(is_alone)
    };
    let sign = |position: u32| {
        let id = NodeId::new(position);
        let fits = position < page.len() && page.is_text(id) && is_currency(page.text(id));
        (fits && is_near(id)).then(|| page.text(id).trim())
    };
    let before = amount.position().checked_sub(1).and_then(sign).map(|sign| (sign, true));
    let end = text.position() + 1;
    let after = || sign(end).or_else(|| sign(end + 1)).map(|sign| (sign, false));
    before.or_else(after)
}

/// An amount with its currency sign.
pub(super) fn with_sign(amount: &str, (sign, is_before): (&str, bool)) -> String {
    if is_before { format!("{sign}{amount}") } else { format!("{amount} {sign}") }
}

/// A text such as `Height: 7-0`: the label with its colon, and where the value starts.
pub(super) fn inline_label(text: &str) -> Option<(&str, &str)> {
    let (at, mark) = text.char_indices().find(|&(_, c)| matches!(c, ':' | '：' | '='))?;
    let label = text[..at].trim_end();
    let value = text[at + mark.len_utf8()..].trim_start();
    let is_time = label.ends_with(|c: char| c.is_ascii_digit())
        && value.starts_with(|c: char| c.is_ascii_digit());
    let fits = has_word(label)
        && has_word(value)
        && label.chars().count() <= MAX_INLINE
        && label.split_whitespace().count() <= MAX_INLINE_WORDS
        && !is_time
        && !value.starts_with("//");
    fits.then_some((label, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Limits;

    #[test]
    fn labels_beside_values_are_found() {
        let check = |text, expected| assert_eq!(inline_label(text), expected, "{text}");
        check("Height: 7-0", Some(("Height", "7-0")));
        check("Weight : 250 lb", Some(("Weight", "250 lb")));
        check("at 12:30", None);
        check("http://example.com", None);
        check("Height:", None);
        check(": x", None);
        check("one two three four five six: x", None);
    }

    #[test]
    fn currency_signs_in_elements_of_their_own_belong_to_amounts() {
        let check = |html: &str, expected: Option<&str>| {
            let page = Page::parse(html.as_bytes(), &Limits::default());
            let amount = page.nodes().find(|&id| page.text(id).starts_with("12")).expect("a text");
            let found = sign_beside(&page, amount).map(|sign| with_sign(page.text(amount), sign));
            assert_eq!(found.as_deref(), expected, "{html}");
        };
        check("<p><b>$</b>12.50</p>", Some("$12.50"));
        check("<p>12,50 <i>€</i></p>", Some("12,50 €"));
        check("<p>$<b>12</b></p>", Some("$12"));
        check("<table><tr><td>€<td>12</table>", Some("€12"));
        check("<div>$</div><p><i>off</i><b>12</b></p>", None);
        check("<p><b>$</b>12 pieces</p>", None);
        check("<p><b>$ off</b>12</p>", None);
        check("<p><b><i>$</i> x</b>12</p>", None);
    }

    #[test]
    fn keys_hold_the_words_of_the_layout() {
        let html = b"<table><tr class='odd row x1' id=a><td>1<td>2</table>";
        let page = Page::parse(html, &Limits::default());
        let names = LayoutNames { words: ["row".to_owned()].into(), ids: ["a".to_owned()].into() };
        let row = page.nodes().find(|&id| page.tag(id) == Tag::TR).expect("a row");
        let mut key = String::new();
        names.push_key(&page, row, &mut key);
        assert_eq!(key, "tr(td2).row#a");
        assert_eq!(tag_of(&key), "tr");
        assert_eq!(marks_of(&key).collect::<Vec<_>>(), ["row", "a"]);
    }
}
