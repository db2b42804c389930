//! Tests clusters of real markup, and the marks of their path templates.

use proptest::prelude::*;

use super::*;
use crate::methods::LearnedTemplate;
use crate::{Limits, Method, Page, Sample, strip};

fn page(html: &str) -> Page {
    Page::parse(html.as_bytes(), &Limits::default())
}

fn article(word: &str) -> Page {
    page(&format!(
        "<div class=top><ul><li><a>Home</a></ul></div><article><h1>{word}</h1><p>On {word}.</p>\
         </article><footer><dl><dt>Us<dd>By <em>us</em></dl></footer><section>\
         <h2>More</h2><h3>Still more</h3></section>"
    ))
}

fn listing(words: &str) -> Page {
    let rows: String = words.split(' ').map(|w| format!("<tr><td>{w}<td><b>{w}</b>")).collect();
    page(&format!(
        "<div class=top><ul><li><a>Home</a></ul></div><table class=list>{rows}</table>\
         <form><label>Find<input name=q></label><select><option>All</select></form>\
         <address><big>Us</big></address>"
    ))
}

#[test]
fn articles_and_listings_are_separated() {
    let pages: Vec<Page> = ["tea", "jam", "rye", "oat"]
        .map(article)
        .into_iter()
        .chain(["a b", "c d e", "f g", "h"].map(listing))
        .collect();
    for mode in [
        PathMode::Tags,
        PathMode::TagsText,
        PathMode::TagsClass,
        PathMode::TagsAttributes,
        PathMode::TagsWords,
    ] {
        let paths: Vec<PathSet> = pages.iter().map(|page| PathSet::of(page, mode)).collect();
        for algorithm in ALGORITHMS {
            let found =
                Clustering { algorithm, paths: mode, ..Clustering::default() }.cluster(&paths);
            let of_page = found.of_page();
            assert!(
                of_page[..4].iter().all(|c| *c == of_page[0]) && of_page[0].is_some(),
                "{mode:?} {of_page:?}"
            );
            assert!(
                of_page[4..].iter().all(|c| *c == of_page[4]) && of_page[4].is_some(),
                "{mode:?} {of_page:?}"
            );
            assert_ne!(of_page[0], of_page[4]);
            let later = PathSet::of(&article("cake"), mode);
            assert_eq!(found.assigner().assign(&later), of_page[0]);
        }
    }
}

#[test]
fn a_class_unique_to_a_page_does_not_change_its_other_paths() {
    let paths = |html: &str| PathSet::of(&page(html), PathMode::TagsClass);
    let (one, other) = (paths("<body class='a post-1'><p>x"), paths("<body class='a post-2'><p>y"));
    let common = one.hashes().iter().filter(|hash| other.hashes().contains(hash)).count();
    assert_eq!((common, one.hashes().len()), (5, 6));
}

#[test]
fn words_of_attribute_values_are_paths_of_their_own() {
    let paths = |html: &str| PathSet::of(&page(html), PathMode::TagsWords);
    let bare = paths("<body><p>x");
    let words = |html: &str| {
        let all = paths(html);
        let own: Vec<u64> =
            all.hashes().iter().copied().filter(|hash| !bare.hashes().contains(hash)).collect();
        own
    };
    let (one, other) =
        (words("<body class='single postid-42'><p>x"), words("<body class='PostId-7 single'><p>x"));
    assert_eq!((one.len(), &one), (2, &other), "single and postid; numbers are not words");
    assert_ne!(
        words("<body class=home><p>x"),
        words("<body id=home><p>x"),
        "the attribute's name counts"
    );
    assert_ne!(
        words("<body class=home><p>x"),
        words("<body><p class=home>x"),
        "the element counts"
    );
    let kinds = words("<body><p id='prop_dir:TESTS'>x");
    assert_eq!(
        kinds.iter().filter(|hash| words("<body><p id=prop_dir:NAMES>x").contains(hash)).count(),
        2
    );
    assert_eq!(words("<body title='a b' href=c><p>x").len(), 0, "these attributes name no purpose");
}

/// Builds two clusters of six pages and checks whether they are joined.
#[test]
fn pages_with_and_without_a_block_are_joined_and_alternatives_are_not() {
    let joined = |a: std::ops::Range<u64>, b: std::ops::Range<u64>, join: Option<f64>| {
        let set = |range: &std::ops::Range<u64>| PathSet::from_hashes(range.clone().collect());
        let pages: Vec<PathSet> =
            (0..12).map(|number| set(if number < 6 { &a } else { &b })).collect();
        let found = Clustering { join, ..Clustering::default() }.cluster(&pages);
        found.of_page().iter().all(|cluster| *cluster == found.of_page()[0])
    };
    let join = Clustering::default().join;
    assert!(!joined(0..100, 0..160, None), "they cost less apart");
    assert!(joined(0..100, 0..160, join), "with and without a block of 60 paths");
    assert!(!joined(0..100, 50..150, join), "each has what the other lacks");
    assert!(joined(0..100, 1..160, join), "all but one path in a hundred");
    assert!(!joined(0..100, 2..160, join));
    assert!(!joined(0..70, 0..160, join), "a bare page is part of every other page");
}

#[test]
fn a_stream_pools_unknown_pages_and_clusters_them() {
    let mode = Clustering::default().paths;
    let paths = |page: &Page| PathSet::of(page, mode);
    let start: Vec<PathSet> = (0..8).map(|n| paths(&article(&n.to_string()))).collect();
    let clusters = Clustering::default().cluster(&start);
    let mut stream = Stream::new(&clusters);
    assert_eq!(stream.assign(paths(&article("known"))), Some(0));
    for number in 0..51 {
        assert!(!stream.is_due());
        let unknown = format!(
            "<table class=new><tr><td>{number}</table><dl><dt>a<dd>b</dl><h5>c</h5><h6>d</h6>"
        );
        assert_eq!(stream.assign(paths(&page(&unknown))), None, "{number}");
    }
    assert!(stream.is_due());
    assert_eq!(stream.cluster_pool(&Clustering::default()), 1);
    assert!(stream.pool().is_empty());
    let unknown = "<table class=new><tr><td>z</table><dl><dt>a<dd>b</dl><h5>c</h5><h6>d</h6>";
    assert_eq!(stream.assign(paths(&page(unknown))), Some(1));
    assert_eq!(stream.assign(paths(&article("known"))), Some(0));
}

#[test]
fn a_path_template_marks_texts() {
    let pages = ["tea", "jam", "rye"].map(article);
    let template = PathTemplates::default().learn(&Sample::new(&pages)).unwrap();
    let marks = template.mark(&pages[1]);
    assert_eq!(strip(&pages[1], &marks).text(), "jam\nOn jam.");
    assert!(marks.template_match() > 0.99);
    assert!(PathTemplates::default().learn(&Sample::new(&pages[..1])).is_err());
    let home = pages[1].visible_texts().find(|&id| pages[1].text(id) == "Home").unwrap();
    let Some(crate::Source::Part(part)) = marks.source(home) else { panic!("no part") };
    let description = template.describe(part).unwrap();
    assert_eq!(description, "text at html/body/div/ul/li/a/#text on 3 of 3 pages: home");
    assert_eq!(template.text().lines().next(), Some("home"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A text is template exactly if its path and words are on more than half of the pages, also
    /// after the template was written and read back.
    #[test]
    fn path_templates_match_a_direct_count(
        sites in prop::collection::vec(
            prop::collection::vec(("[pdb]", "[A-Cİΰe\u{301}]{1,2}"), 1..6),
            2..7,
        )
    ) {
        let html = |parts: &Vec<(String, String)>| -> String {
            parts.iter().map(|(tag, text)| format!("<{tag}>{text}</{tag}>")).collect()
        };
        let pages: Vec<Page> = sites.iter().map(|parts| page(&html(parts))).collect();
        let key = |page: &Page, id| {
            (page.path(id), crate::page::comparison_form(page.text(id)).into_owned())
        };
        let texts = |page: &Page| -> std::collections::BTreeSet<(String, String)> {
            page.nodes().filter(|&id| page.is_text(id)).map(|id| key(page, id)).collect()
        };
        let learned = PathTemplates::default().learn(&Sample::new(&pages)).unwrap();
        let read: PathTemplate =
            serde_json::from_str(&serde_json::to_string(&learned).unwrap()).unwrap();
        prop_assert_eq!(&read, &learned);
        for page in &pages {
            let marks = read.mark(page);
            for id in page.nodes().filter(|&id| page.is_text(id)) {
                let count =
                    pages.iter().filter(|other| texts(other).contains(&key(page, id))).count();
                prop_assert_eq!(marks.is_template(id), 2 * count > pages.len());
            }
        }
    }
}
