//! What must hold for every page.

#![allow(clippy::disallowed_methods)]

mod common;

use std::collections::BTreeSet;

use common::{corpus, html_files, outline, parse, soup};
use proptest::prelude::*;
use unmold::dedup::{IMatch, originals};
use unmold::methods::{TemplateChunk, Threshold};
use unmold::page::{Delimiters, Interner, LabelProfile};
use unmold::{ChunkFrequency, Flag, Limits, Marks, Method, NodeId, Page, Sample, Stripped, strip};

fn pages(seeds: &[Vec<u8>]) -> Vec<Page> {
    seeds.iter().map(|seed| parse(&soup(seed))).collect()
}

fn seeds() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 2..8)
}

/// All cut the same way and decided by frequency alone, so that small samples have templates.
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

/// Marks a set of nodes chosen by `seed`, subtrees and single nodes.
fn random_marks(page: &Page, seed: &[u8]) -> Marks {
    let mut marks = Marks::none(page);
    for (index, &byte) in seed.iter().enumerate() {
        let id = (u32::from(byte) * 37 + index as u32) % page.len();
        let nodes = if byte % 2 == 0 { page.subtree(id) } else { id..id + 1 };
        nodes.for_each(|id| marks.set(id, 1.0, None));
    }
    marks
}

/// Soup without misnested forms, links, buttons and headings, and without what stands loose in a
/// table: they make trees that no HTML can say.
fn writable_soup(seed: &[u8]) -> String {
    ["<form>", "<a href=x>", "<button>", "<table>", "<h1>"]
        .iter()
        .fold(soup(seed), |html, piece| html.replace(piece, ""))
}

/// What of the outline is left after stripping, texts that have become neighbours joined.
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
            lines.push(all[id as usize].clone());
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
    fn any_bytes_give_a_well_formed_page(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let page = Page::parse(&bytes, &Limits::default());
        check_arena(&page);
        let stripped = Stripped::untouched(&page);
        stripped.text();
        stripped.html();
        stripped.markdown();
    }

    #[test]
    fn soup_gives_a_well_formed_page(seed in prop::collection::vec(any::<u8>(), 0..200)) {
        check_arena(&parse(&soup(&seed)));
    }

    #[test]
    fn over_a_limit_the_words_stay(seed in prop::collection::vec(any::<u8>(), 20..200)) {
        let html: String = soup(&seed).replace("<x-card>", "").replace("&lt;b&gt;", "b");
        let page = parse(&html);
        let limited = Page::parse(html.as_bytes(), &Limits { nodes: 4, ..Limits::default() });
        prop_assume!(limited.flags().contains(&Flag::TooLarge));
        check_arena(&limited);
        // The plain reader also sees what a tree would hide, and other borders of words; it must
        // lose no character.
        let text = Stripped::untouched(&limited).text() + limited.title().unwrap_or_default();
        let mut flat: Vec<char> = text.chars().collect();
        for c in Stripped::untouched(&page).text().chars().filter(|c| !c.is_whitespace()) {
            let found = flat.iter().position(|&other| other == c);
            prop_assert!(found.is_some(), "{c:?} is lost");
            flat.swap_remove(found.unwrap_or(0));
        }
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
        prop_assert_eq!(outline(&parse(&stripped.html())), stripped_outline(&stripped), "{}", stripped.html());
    }

    #[test]
    fn a_text_goes_only_if_it_is_marked_and_nothing_is_lost(
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
        // Words that were parts of one word are counted apart when only one part goes, never fewer.
        prop_assert!(count(stripped.text()) + count(stripped.template_text()) >= count(Stripped::untouched(&page).text()));
    }

    #[test]
    fn equal_subtrees_have_equal_hashes_and_only_they(seed in prop::collection::vec(any::<u8>(), 0..80)) {
        let page = parse(&soup(&seed));
        let hashes = page.subtree_hashes(&page.labels(LabelProfile::Tag));
        let classes = Interner::default().classes(&hashes);
        let shape = |id: NodeId| -> Vec<String> {
            page.subtree(id)
                .map(|n| format!("{} {} {}", page.depth(n) - page.depth(id), page.tag_name(n), page.text(n).to_lowercase()))
                .collect()
        };
        for a in page.nodes() {
            for b in page.nodes().skip(a as usize) {
                prop_assert_eq!(classes[a as usize] == classes[b as usize], shape(a) == shape(b));
            }
        }
    }

    // The properties of methods/chunk_frequency, in the order of its specification.

    #[test]
    fn chunks_kept_and_dropped_are_the_visible_text(seed in prop::collection::vec(any::<u8>(), 0..120)) {
        let page = parse(&soup(&seed));
        for delimiters in [Delimiters::Paper, Delimiters::Extended, Delimiters::Blocks, Delimiters::Texts] {
            let chunks = page.chunks(delimiters);
            let nodes: Vec<NodeId> =
                chunks.iter().flat_map(|chunk| chunk.nodes.clone()).filter(|&id| page.is_text(id)).collect();
            prop_assert_eq!(nodes, page.visible_texts().collect::<Vec<_>>());
        }
    }

    #[test]
    fn frequencies_count_pages_not_occurrences(seeds in seeds()) {
        let pages = pages(&seeds);
        for chunk in learn(&pages, 1) {
            let on = pages.iter().filter(|page| page.chunks(Delimiters::Blocks).iter().any(|c| c.key == chunk.text));
            prop_assert_eq!(chunk.pages as usize, on.count());
        }
    }

    #[test]
    fn a_higher_threshold_never_drops_more(seeds in seeds(), low in 1u32..4, more in 0u32..4) {
        let pages = pages(&seeds);
        let few: BTreeSet<String> = learn(&pages, low + more).into_iter().map(|chunk| chunk.text).collect();
        let many: BTreeSet<String> = learn(&pages, low).into_iter().map(|chunk| chunk.text).collect();
        prop_assert!(few.is_subset(&many));
    }

    #[test]
    fn the_order_of_pages_does_not_matter(seeds in seeds(), turn in 0usize..8) {
        let mut pages = pages(&seeds);
        let default = ChunkFrequency::default();
        let before = default.learn(&Sample::new(&pages)).expect("enough pages");
        let turn = turn % pages.len();
        pages.rotate_left(turn);
        prop_assert_eq!(default.learn(&Sample::new(&pages)).expect("enough pages"), before.clone());
        pages.reverse();
        prop_assert_eq!(default.learn(&Sample::new(&pages)).expect("enough pages"), before);
    }

    #[test]
    fn a_copy_of_a_page_is_no_original(seeds in seeds(), which in 0usize..8) {
        let mut pages = pages(&seeds);
        let copy = pages[which % pages.len()].clone();
        let before = originals(&pages.iter().collect::<Vec<_>>(), &IMatch::default());
        pages.push(copy);
        let after = originals(&pages.iter().collect::<Vec<_>>(), &IMatch { share_from: usize::MAX, ..IMatch::default() });
        prop_assert!(!after.contains(&(pages.len() - 1)));
        prop_assert!(after.len() <= before.len());
    }

    #[test]
    fn imatch_sees_neither_order_nor_case_nor_punctuation(
        words in prop::collection::vec("[a-z]{1,6}", 5..20),
        turn in 0usize..20,
    ) {
        let plain = words.join(" ");
        let mut turned = words.clone();
        turned.rotate_left(turn % words.len());
        let turned = turned.join(",  ").to_uppercase() + "!";
        let page = |text: &str| parse(&format!("<p>{text}"));
        let (first, second) = (page(&plain), page(&turned));
        let settings = IMatch { least_words: 1, ..IMatch::default() };
        prop_assert_eq!(originals(&[&first, &second], &settings), vec![0]);
    }
}

/// Document order, sizes, depths, parents, trimmed texts.
fn check_arena(page: &Page) {
    assert!(page.len() >= 1);
    assert_eq!(page.size(0), page.len());
    for id in page.nodes() {
        let end = id + page.size(id);
        assert!(end <= page.len());
        let mut next = id + 1;
        for child in page.children(id) {
            assert_eq!(
                (child, page.parent(child), page.depth(child)),
                (next, Some(id), page.depth(id) + 1)
            );
            next = child + page.size(child);
        }
        assert_eq!(next, end);
        if page.is_text(id) {
            let text = page.text(id);
            assert!(
                !text.is_empty() && text.split_whitespace().collect::<Vec<_>>().join(" ") == text,
                "{text:?}"
            );
        }
    }
}

#[test]
fn limits_hold_while_parsing() {
    let check = |html: String, what: &str| {
        let start = std::time::Instant::now();
        let page = Page::parse(html.as_bytes(), &Limits::default());
        assert!(page.flags().contains(&Flag::TooLarge), "{what}");
        check_arena(&page);
        assert!(Stripped::untouched(&page).text().contains("needle"), "{what}: the text is lost");
        // Not a benchmark: without the limits each of these runs for seconds to minutes.
        assert!(start.elapsed().as_secs() < 5, "{what}: {:?}", start.elapsed());
    };
    let attributes: String = (0..200_000).map(|n| format!(" a{n}=1")).collect();
    check("<div>".repeat(200_000) + "needle", "a million bytes of nested div");
    check("<font><div>".repeat(100_000) + "needle", "formatting around blocks");
    check(format!("<p{attributes}>needle"), "many attributes");
    check(
        format!("<svg><style><p{attributes}>needle</p></style></svg>needle"),
        "many attributes in svg style",
    );
    check(format!("<!-- <x y=\" --><p{attributes}>needle"), "many attributes behind a comment");
    check("<p>x".repeat(150_000) + "needle", "many nodes");
    check("x".repeat(20 << 20) + " needle", "many bytes");
    let formatting: String = (0..500).map(|n| format!("<b id={n}>")).collect();
    check(
        format!("<p>{formatting}{}needle", "</p><p>x".repeat(1000)),
        "formatting reopened in every paragraph",
    );
}

#[test]
fn long_values_comments_and_scripts_are_no_reason_for_a_flag() {
    let words = "word and 'other' things, ".repeat(40_000);
    for html in [
        format!("<p data-json='{}'>x", words.replace('\'', "")),
        format!("<!-- {words} --><p>x"),
        format!("<script>{words}</script><p>x"),
        format!("<img src=\"data:image/png;base64,{}\"><p>x", "iVBOR/w0KGgo".repeat(80_000)),
    ] {
        let page = parse(&html);
        assert_eq!(page.flags(), [], "{}…", &html[..40]);
        assert_eq!(Stripped::untouched(&page).text(), "x");
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
    println!("{same} of {all} pages are written so that they parse to the same tree");
    // The rest hold trees that only scripts or misnested forms, links and buttons can make.
    assert!(same * 100 >= all * 99, "{same} of {all}");
}
