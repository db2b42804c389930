//! Properties that hold for every page.

#![allow(clippy::disallowed_methods)]

mod common;

use std::collections::BTreeSet;

use common::{corpus, html_files, outline, parse, soup};
use proptest::prelude::*;
use unmold::dedup::{IMatch, originals};
use unmold::methods::{TemplateChunk, Threshold};
use unmold::page::{Delimiters, NodeRange};
use unmold::{ChunkFrequency, Limits, Marks, Method, NodeId, Page, Sample, Stripped, strip};

fn pages(seeds: &[Vec<u8>]) -> Vec<Page> {
    seeds.iter().map(|seed| parse(&soup(seed))).collect()
}

fn seeds() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 2..8)
}

/// Cuts all pages the same way and decides by frequency alone, so that small samples have
/// templates.
fn settings(threshold: u32) -> ChunkFrequency {
    ChunkFrequency {
        delimiters: Delimiters::Blocks,
        threshold: Threshold::Pages(threshold),
        ..ChunkFrequency::paper()
    }
}

fn learn(pages: &[Page], threshold: u32) -> Vec<TemplateChunk> {
    settings(threshold).learn(&Sample::new(pages)).expect("enough pages").chunks().to_vec()
}

/// Marks nodes chosen by `seed`, both subtrees and single nodes.
fn random_marks(page: &Page, seed: &[u8]) -> Marks {
    let mut marks = Marks::none(page);
    for (index, &byte) in seed.iter().enumerate() {
        let id = NodeId::new((u32::from(byte) * 37 + index as u32) % page.len());
        let nodes = if byte % 2 == 0 { page.subtree(id) } else { NodeRange::of(id) };
        nodes.for_each(|id| marks.set(id, 1.0, None));
    }
    marks
}

/// Soup without misnested forms, links, buttons and headings, and without loose content in tables:
/// these make trees that HTML cannot express.
fn writable_soup(seed: &[u8]) -> String {
    ["<form>", "<a href=x>", "<button>", "<table>", "<h1>"]
        .iter()
        .fold(soup(seed), |html, piece| html.replace(piece, ""))
}

/// The outline after stripping, with texts that have become adjacent joined.
fn stripped_outline(stripped: &Stripped) -> Vec<String> {
    let page = stripped.page();
    let all = outline(page);
    let mut lines: Vec<String> = Vec::new();
    let mut last_text: Option<(NodeId, String)> = None;
    let flush = |lines: &mut Vec<String>, text: Option<(NodeId, String)>| {
        if let Some((id, text)) = text {
            lines.push(format!("{} {text:?}", page.depth(id)));
        }
    };
    for id in page.nodes().filter(|&id| stripped.keeps(id)) {
        if !page.is_text(id) {
            flush(&mut lines, last_text.take());
            lines.push(all[id.index()].clone());
            continue;
        }
        match &mut last_text {
            Some((first, text)) if page.parent(*first) == page.parent(id) => {
                text.push(' ');
                text.push_str(page.text(id));
            }
            _ => {
                flush(&mut lines, last_text.take());
                last_text = Some((id, page.text(id).to_owned()));
            }
        }
    }
    flush(&mut lines, last_text);
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_can_be_written_in_every_format(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let page = Page::parse(&bytes, &Limits::default());
        let stripped = Stripped::untouched(&page);
        let _ = stripped.text();
        let _ = stripped.html();
        let _ = stripped.markdown();
    }

    #[test]
    fn html_parses_to_the_same_tree(seed in prop::collection::vec(any::<u8>(), 0..80)) {
        let page = parse(&writable_soup(&seed));
        let written = Stripped::untouched(&page).html();
        prop_assert_eq!(outline(&parse(&written)), outline(&page), "{}", written);
    }

    #[test]
    fn stripped_html_parses_to_the_stripped_tree(
        seed in prop::collection::vec(any::<u8>(), 0..60),
        marks in prop::collection::vec(any::<u8>(), 0..12),
    ) {
        let page = parse(&writable_soup(&seed));
        let stripped = strip(&page, &random_marks(&page, &marks));
        prop_assert_eq!(
            outline(&parse(&stripped.html())),
            stripped_outline(&stripped),
            "{}",
            stripped.html()
        );
    }

    #[test]
    fn texts_are_removed_only_if_marked_and_no_word_is_lost(
        seed in prop::collection::vec(any::<u8>(), 0..120),
        marks in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let page = parse(&soup(&seed));
        let marks = random_marks(&page, &marks);
        let stripped = strip(&page, &marks);
        for id in page.visible_texts() {
            prop_assert_eq!(stripped.keeps(id), !marks.is_template(id));
        }
        let count = |text: String| unmold::metrics::Bag::of(&text).len();
        // A word split into parts is counted more than once if only one part is removed, so the sum
        // may be larger but never smaller.
        prop_assert!(
            count(stripped.text()) + count(stripped.template_text())
                >= count(Stripped::untouched(&page).text())
        );
    }

    // Properties of methods/chunk_frequency, in the order of its specification.

    #[test]
    fn frequencies_count_pages_not_occurrences(seeds in seeds()) {
        let pages = pages(&seeds);
        for chunk in learn(&pages, 1) {
            let having = pages
                .iter()
                .filter(|page| page.chunks(Delimiters::Blocks).iter().any(|c| c.key == chunk.text));
            prop_assert_eq!(chunk.pages as usize, having.count());
        }
    }

    #[test]
    fn a_higher_threshold_never_finds_more_template(
        seeds in seeds(),
        low in 1u32..4,
        more in 0u32..4,
    ) {
        let pages = pages(&seeds);
        let high: BTreeSet<String> =
            learn(&pages, low + more).into_iter().map(|chunk| chunk.text).collect();
        let all: BTreeSet<String> =
            learn(&pages, low).into_iter().map(|chunk| chunk.text).collect();
        prop_assert!(high.is_subset(&all));
    }

    #[test]
    fn the_order_of_pages_does_not_matter(seeds in seeds(), shift in 0usize..8) {
        let mut pages = pages(&seeds);
        let default = ChunkFrequency::default();
        let before = default.learn(&Sample::new(&pages)).expect("enough pages");
        let shift = shift % pages.len();
        pages.rotate_left(shift);
        prop_assert_eq!(default.learn(&Sample::new(&pages)).expect("enough pages"), before.clone());
        pages.reverse();
        prop_assert_eq!(default.learn(&Sample::new(&pages)).expect("enough pages"), before);
    }

    #[test]
    fn a_copy_of_a_page_is_not_an_original(seeds in seeds(), which in 0usize..8) {
        let mut pages = pages(&seeds);
        let copy = pages[which % pages.len()].clone();
        let before = originals(&pages.iter().collect::<Vec<_>>(), &IMatch::default());
        pages.push(copy);
        let after = originals(
            &pages.iter().collect::<Vec<_>>(),
            &IMatch { share_from: usize::MAX, ..IMatch::default() },
        );
        prop_assert!(!after.contains(&(pages.len() - 1)));
        prop_assert!(after.len() <= before.len());
    }

    #[test]
    fn imatch_ignores_order_case_and_punctuation(
        words in prop::collection::vec("[a-z]{1,6}", 5..20),
        shift in 0usize..20,
    ) {
        let plain = words.join(" ");
        let mut rotated = words.clone();
        rotated.rotate_left(shift % words.len());
        let rotated = rotated.join(",  ").to_uppercase() + "!";
        let page = |text: &str| parse(&format!("<p>{text}"));
        let (first, second) = (page(&plain), page(&rotated));
        let settings = IMatch { min_words: 1, ..IMatch::default() };
        prop_assert_eq!(originals(&[&first, &second], &settings), vec![0]);
    }
}

#[test]
fn needs_corpus_html_parses_to_the_same_tree() {
    let Some(corpus) = corpus() else { return };
    let (mut same, mut all) = (0, 0);
    for set in ["sites", "docs", "big9", "dragnet"] {
        for path in html_files(&corpus.join(set)).into_iter().step_by(3) {
            let page = Page::parse(&std::fs::read(path).expect("readable"), &Limits::default());
            if page.flags().is_empty() {
                all += 1;
                same += usize::from(
                    outline(&parse(&Stripped::untouched(&page).html())) == outline(&page),
                );
            }
        }
    }
    println!("{same} of {all} pages parse to the same tree after writing");
    // The rest are trees that only scripts or misnested forms, links and buttons can produce.
    assert!(same * 100 >= all * 99, "{same} of {all}");
}
