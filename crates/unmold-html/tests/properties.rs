//! Properties of every page.

#![allow(clippy::disallowed_methods)]

mod common;

use common::{parse, soup};
use html5ever::LocalName;
use proptest::prelude::*;
use unmold_html::{
    Delimiters, Flag, Interner, LabelProfile, Limits, NodeId, OverLimit, Page, ParseOptions, Parser,
};

fn visible_text(page: &Page) -> String {
    page.joined_text(page.body())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_give_a_well_formed_page(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let page = Page::parse(&bytes, &Limits::default());
        check_arena(&page);
    }

    #[test]
    fn soup_gives_a_well_formed_page(seed in prop::collection::vec(any::<u8>(), 0..200)) {
        check_arena(&parse(&soup(&seed)));
    }

    #[test]
    fn over_a_limit_no_text_is_lost(seed in prop::collection::vec(any::<u8>(), 20..200)) {
        let html: String = soup(&seed).replace("<x-card>", "").replace("&lt;b&gt;", "b");
        let page = parse(&html);
        let limited = Page::parse(html.as_bytes(), &Limits::default().with_nodes(4));
        prop_assume!(limited.flags().contains(&Flag::TooLarge));
        check_arena(&limited);
        // The reader without a tree also sees hidden text and separates words differently, but it
        // must not lose a character.
        let text = visible_text(&limited) + limited.title().unwrap_or_default();
        let mut flat: Vec<char> = text.chars().collect();
        for c in visible_text(&page).chars().filter(|c| !c.is_whitespace()) {
            let found = flat.iter().position(|&other| other == c);
            prop_assert!(found.is_some(), "{c:?} is lost");
            flat.swap_remove(found.unwrap_or(0));
        }
    }

    #[test]
    fn only_equal_subtrees_have_equal_hashes(seed in prop::collection::vec(any::<u8>(), 0..80)) {
        let page = parse(&soup(&seed));
        let hashes = page.subtree_hashes(&page.labels(LabelProfile::Tag));
        let classes = Interner::default().classes(&hashes);
        let shape = |id: NodeId| -> Vec<String> {
            let line = |node| {
                let depth = page.depth(node) - page.depth(id);
                format!("{depth} {} {}", page.tag_name(node), page.text(node).to_lowercase())
            };
            page.subtree(id).map(line).collect()
        };
        for a in page.nodes() {
            for b in page.nodes().skip(a.index()) {
                prop_assert_eq!(classes[a.index()] == classes[b.index()], shape(a) == shape(b));
            }
        }
    }

    #[test]
    fn chunks_hold_all_visible_texts_in_order(seed in prop::collection::vec(any::<u8>(), 0..120)) {
        let page = parse(&soup(&seed));
        let all = [
            Delimiters::Paper,
            Delimiters::Extended,
            Delimiters::Blocks,
            Delimiters::Texts,
        ];
        for delimiters in all {
            let chunks = page.chunks(delimiters).into_iter();
            let texts = chunks.flat_map(|chunk| chunk.nodes).filter(|&id| page.is_text(id));
            prop_assert_eq!(texts.collect::<Vec<_>>(), page.visible_texts().collect::<Vec<_>>());
        }
    }
}

/// Document order, sizes, depths, parents, trimmed texts.
fn check_arena(page: &Page) {
    assert!(page.len() >= 1);
    assert_eq!(page.size(NodeId::ROOT), page.len());
    for id in page.nodes() {
        let end = page.subtree(id).end;
        assert!(end <= page.nodes().end);
        let mut next = id.next();
        for child in page.children(id) {
            assert_eq!(
                (child, page.parent(child), page.depth(child)),
                (next, Some(id), page.depth(id) + 1)
            );
            next = page.subtree(child).end;
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
        assert!(visible_text(&page).contains("needle"), "{what}: the text is lost");
        // Not a benchmark: without the limits, each of these takes seconds to minutes.
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

/// html5ever keeps long names in lists that a page can make as long as it likes.
#[test]
fn names_made_to_collide_in_html5ever_are_over_a_limit() {
    let parse = |names: &mut dyn Iterator<Item = String>| {
        let tags: String = names.map(|name| format!("<p {name}>x</p>")).collect();
        let options = ParseOptions::default().with_parser(Parser::Html5ever);
        Page::parse_with(format!("{tags}<p>needle").as_bytes(), &options)
    };
    let list = |name: &str| LocalName::from(name).get_hash() % 4096;
    let names = || (0..).map(|n| format!("name-{n:06}"));
    let colliding = || names().filter(|name| list(name) == list("any-name"));
    let page = parse(&mut colliding().take(200));
    assert_eq!(page.over_limit(), Some(OverLimit::Names));
    assert!(visible_text(&page).contains("needle"), "the text is lost");
    assert_eq!(parse(&mut colliding().take(60)).over_limit(), None);
    assert_eq!(parse(&mut names().take(20_000)).over_limit(), None);
}

/// The lists belong to the process, but names leave them when their page has been read.
#[test]
fn names_of_other_pages_take_no_time() {
    const PAGES: usize = 200;
    const NAMES: usize = 10_000;
    let options = ParseOptions::default().with_parser(Parser::Html5ever);
    let parse = |number: usize| {
        let tag = |n: usize| format!("<p name-{number:03}-{n:05}>x</p>");
        let html: String = (0..NAMES).map(tag).collect();
        let start = std::time::Instant::now();
        let page = Page::parse_with(html.as_bytes(), &options);
        assert_eq!(page.over_limit(), None);
        (start.elapsed(), page)
    };
    let (times, _pages): (Vec<_>, Vec<_>) = (0..PAGES).map(parse).unzip();
    // The fastest of each end: other programs may take the processor for a while.
    let fastest = |times: &[std::time::Duration]| times.iter().min().copied().expect("a time");
    let (first, last) = (fastest(&times[..20]), fastest(&times[PAGES - 20..]));
    assert!(last < first * 3, "{first:?} for the first pages, {last:?} for the last ones");
}

#[test]
fn long_values_comments_and_scripts_are_not_flagged() {
    let words = "word and 'other' things, ".repeat(40_000);
    for html in [
        format!("<p data-json='{}'>x", words.replace('\'', "")),
        format!("<!-- {words} --><p>x"),
        format!("<script>{words}</script><p>x"),
        format!("<img src=\"data:image/png;base64,{}\"><p>x", "iVBOR/w0KGgo".repeat(80_000)),
    ] {
        let page = parse(&html);
        assert_eq!(page.flags(), [], "{}…", &html[..40]);
        assert_eq!(visible_text(&page), "x");
    }
}
