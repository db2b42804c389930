//! Which words of a page are the gold content? Labels give text, not places.
//!
//! The texts of the page are cut into pieces of a few words; pieces that occur in the content are
//! chosen so that they come in the same order on both sides and as many words as possible are
//! covered. So a word of the menu is not taken for content because the article uses it too.

use std::collections::HashMap;

use unmold::page::words;
use unmold::{NodeId, Page};

use crate::data::Gold;

/// Words of a piece. Texts that differ from their label in one word are found but for the piece
/// around it.
const PIECE: usize = 8;
/// Places in the content that are tried for one piece.
const PLACES: usize = 256;

/// Words of each node, and how many of them are content.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NodeWords {
    pub all: usize,
    pub content: usize,
}

/// The words of each node that count: none for texts that may stay or go.
pub fn content_words(page: &Page, gold: &Gold, content: &str) -> Vec<NodeWords> {
    let content = Phrases::of([content]);
    let dont_care = Phrases::of(gold.dont_care.iter().map(String::as_str));
    let mut found = vec![NodeWords::default(); page.len() as usize];
    let mut pieces: Vec<(NodeId, Vec<String>)> = Vec::new();
    for id in page.visible_texts() {
        let text: Vec<String> = words(&page.text(id).to_lowercase()).map(str::to_owned).collect();
        if text.is_empty() || dont_care.places(&text).next().is_some() {
            continue;
        }
        found[id.index()].all = text.len();
        pieces.extend(text.chunks(PIECE).map(|piece| (id, piece.to_vec())));
    }
    let only_words: Vec<&[String]> = pieces.iter().map(|piece| piece.1.as_slice()).collect();
    for at in chain(&only_words, &content) {
        let (id, words) = &pieces[at];
        found[id.index()].content += words.len();
    }
    found
}

/// Words one after the other, and where each of them stands.
struct Phrases {
    words: Vec<String>,
    places: HashMap<String, Vec<usize>>,
}

impl Phrases {
    fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Phrases {
        let mut all: Vec<String> = Vec::new();
        for text in texts {
            all.extend(words(&text.to_lowercase()).map(str::to_owned));
            // No word is empty: nothing is found across the end of a text.
            all.push(String::new());
        }
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, word) in all.iter().enumerate() {
            places.entry(word.clone()).or_default().push(at);
        }
        Phrases { words: all, places }
    }

    /// Where the words stand one after the other.
    fn places<'a>(&'a self, wanted: &'a [String]) -> impl Iterator<Item = usize> + 'a {
        let starts = self.places.get(&wanted[0]).map_or(&[][..], Vec::as_slice);
        let fits =
            move |&start: &usize| self.words.get(start..start + wanted.len()) == Some(wanted);
        starts.iter().copied().filter(fits)
    }
}

/// One way to place pieces, up to a place in the content.
#[derive(Clone, Copy)]
struct Chain {
    words: usize,
    piece: usize,
    before: Option<usize>,
}

/// The pieces of the best chain: in order on both sides, covering most words.
fn chain(pieces: &[&[String]], content: &Phrases) -> Vec<usize> {
    let mut chains: Vec<Chain> = Vec::new();
    // The best chain that ends at or before each place of the content: a Fenwick tree of maxima.
    let mut best: Vec<Option<usize>> = vec![None; content.words.len() + 1];
    for (number, &piece) in pieces.iter().enumerate() {
        let added: Vec<(usize, usize)> = content
            .places(piece)
            .take(PLACES)
            .map(|start| {
                let before = longest(&best, &chains, start);
                let words = piece.len() + before.map_or(0, |before| chains[before].words);
                chains.push(Chain { words, piece: number, before });
                (start + piece.len(), chains.len() - 1)
            })
            .collect();
        // Only now: a piece stands in one place.
        for (end, added) in added {
            offer(&mut best, &chains, end, added);
        }
    }
    let mut at = longest(&best, &chains, content.words.len());
    let mut found = Vec::new();
    while let Some(chain) = at.map(|at| chains[at]) {
        found.push(chain.piece);
        at = chain.before;
    }
    found.reverse();
    found
}

fn longest(best: &[Option<usize>], chains: &[Chain], place: usize) -> Option<usize> {
    let mut found: Option<usize> = best[0];
    let mut at = place;
    while at > 0 {
        if let Some(here) = best[at]
            && found.is_none_or(|found| chains[found].words < chains[here].words)
        {
            found = Some(here);
        }
        at &= at - 1;
    }
    found
}

fn offer(best: &mut [Option<usize>], chains: &[Chain], place: usize, offered: usize) {
    let mut at = place;
    while at < best.len() {
        if best[at].is_none_or(|known| chains[known].words < chains[offered].words) {
            best[at] = Some(offered);
        }
        at += at & at.wrapping_neg();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unmold::Limits;

    fn check(html: &str, content: &str, dont_care: &[&str], expected: &[(&str, usize, usize)]) {
        let page = Page::parse(html.as_bytes(), &Limits::default());
        let gold = serde_json::json!({ "file": "x", "content": content, "dont_care": dont_care });
        let gold: Gold = serde_json::from_value(gold).expect("a label");
        let found = content_words(&page, &gold, content);
        let found: Vec<(&str, usize, usize)> = page
            .visible_texts()
            .map(|id| (page.text(id), found[id.index()].all, found[id.index()].content))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_of_the_menu_are_no_content_though_the_article_uses_them() {
        check(
            "<a>Tea</a><a>Shop</a><p>Green tea</p><p>is sold in a shop.</p><a>Shop</a>",
            "Green tea\nis sold in a shop",
            &[],
            &[
                ("Tea", 1, 0),
                ("Shop", 1, 0),
                ("Green tea", 2, 2),
                ("is sold in a shop.", 5, 5),
                ("Shop", 1, 0),
            ],
        );
    }

    #[test]
    fn what_may_stay_or_go_counts_for_nothing() {
        check(
            "<p>Green tea</p><i>4 May</i>",
            "Green tea",
            &["Written 4 May"],
            &[("Green tea", 2, 2), ("4 May", 0, 0)],
        );
        check("<p>Green tea</p>", "", &[], &[("Green tea", 2, 0)]);
    }

    #[test]
    fn a_label_that_differs_in_a_word_loses_the_words_around_it() {
        let text: Vec<String> = (0..24).map(|n| format!("w{n}")).collect();
        let label = text.join(" ").replace("w3 ", "");
        let html = format!("<p>{}</p>", text.join(" "));
        check(&html, &label, &[], &[(text.join(" ").as_str(), 24, 16)]);
    }
}
