//! The sites below `fixtures/`: what is stripped from them, and how well.

#![allow(clippy::disallowed_methods)]

mod common;

use std::collections::BTreeMap;
use std::fmt::Write;

use common::{fixture, parse, read_pages, repository, soup};
use proptest::prelude::*;
use unmold::metrics::{Agreement, Bag};
use unmold::page::words;
use unmold::{
    CleanOptions, Keep, Limits, MethodName, Page, Settings, Stripped, Template, TextFormat, learn,
    strip,
};

/// Minimum content F1 of the default and of chunk frequency, by site. A better method may raise
/// them; nothing may lower them silently.
const FLOORS: [(&str, f64, f64); 6] = [
    ("blog", 0.95, 0.90),
    ("forum", 0.95, 0.90),
    ("gazette", 0.95, 0.86),
    ("manual", 0.95, 0.86),
    ("shop", 0.90, 0.80),
    ("wiki", 0.95, 0.85),
];

fn learned(pages: &[(String, Page)], method: MethodName) -> Template {
    let pages = pages.iter().map(|(_, page)| page);
    learn(pages, &Settings::default().with_method(method)).expect("enough pages")
}

fn gold(site: &str) -> BTreeMap<String, (String, String)> {
    let text = std::fs::read_to_string(repository().join("fixtures").join(site).join("gold.jsonl"))
        .expect("gold");
    text.lines()
        .map(|line| {
            let record: serde_json::Value = serde_json::from_str(line).expect("a label");
            let string = |name: &str| record[name].as_str().expect("a string").to_owned();
            let dont_care: Vec<&str> = record["dont_care"]
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(|v| v.as_str())
                .collect();
            (string("file"), (string("content"), dont_care.join("\n")))
        })
        .collect()
}

fn content_f1(
    pages: &[(String, Page)],
    gold: &BTreeMap<String, (String, String)>,
    text: impl Fn(&Page) -> String,
) -> f64 {
    let sum: f64 = pages
        .iter()
        .map(|(file, page)| {
            let (content, dont_care) = &gold[file];
            let dont_care = Bag::of(dont_care);
            Agreement::of_bags(
                &Bag::of(&text(page)).minus(&dont_care),
                &Bag::of(content).minus(&dont_care),
            )
            .f1
        })
        .sum();
    sum / pages.len() as f64
}

#[test]
fn every_site_is_stripped_well_enough() {
    for (site, floor, chunk_floor) in FLOORS {
        let (pages, gold) = (fixture(site), gold(site));
        assert_eq!(pages.len(), gold.len(), "{site}: every page has a label");
        let full = content_f1(&pages, &gold, |page| Stripped::untouched(page).text());
        for (method, floor) in
            [(MethodName::Auto, floor), (MethodName::ChunkFrequency, chunk_floor)]
        {
            let template = learned(&pages, method);
            let f1 = content_f1(&pages, &gold, |page| template.clean(page).text);
            println!("{site}, {method}: content F1 {full:.3} before, {f1:.3} after");
            assert!(f1 >= floor && f1 > full, "{site}, {method}: {f1:.3}, floor {floor}");
        }
    }
}

#[test]
fn what_the_default_strips_from_each_site() {
    for (site, ..) in FLOORS {
        let pages = fixture(site);
        let template = learned(&pages, MethodName::Auto);
        let mut shown = String::new();
        for (file, page) in &pages {
            let stripped = strip(page, &template.mark(page));
            let (text, removed) = (stripped.text(), stripped.template_text());
            let _ = writeln!(shown, "==> {file}\n{text}\n--- removed\n{removed}\n");
        }
        insta::assert_snapshot!(site, shown);
    }
}

#[test]
fn all_formats_of_one_page() {
    let pages = fixture("blog");
    let template = learned(&pages, MethodName::Auto);
    for wanted in ["four-glues-compared", "logging-the-kettle", "packing-for-the-canal"] {
        let (_, page) = pages.iter().find(|(file, _)| file.contains(wanted)).expect("the page");
        let formats = [TextFormat::Text, TextFormat::Markdown, TextFormat::Html].map(|format| {
            template.clean_with(page, &CleanOptions::default().with_format(format)).text
        });
        insta::assert_snapshot!(format!("formats_{wanted}"), formats.join("\n=====\n"));
    }
}

/// What is kept is nested: `article` in `main`, `main` in `all-unique`.
fn assert_nested(pages: &[(String, Page)]) {
    let learned = [Keep::Article, Keep::Main, Keep::AllUnique].map(|keep| {
        let pages = pages.iter().map(|(_, page)| page);
        learn(pages, &Settings::default().with_keep(keep)).expect("enough pages")
    });
    for (file, page) in pages {
        for pair in learned.windows(2) {
            let (less, more) = (pair[0].mark(page), pair[1].mark(page));
            let more = strip(page, &more);
            let added = strip(page, &less).texts().find(|&id| !more.keeps(id));
            assert_eq!(added.map(|id| page.text(id)), None, "{file}");
        }
    }
}

#[test]
fn what_is_kept_is_nested() {
    for site in SITES {
        assert_nested(&pages_of(site));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_kept_of_any_site_is_nested(
        seeds in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 1..6),
    ) {
        // A menu and a footer around each, so that something repeats.
        let page = |seed: &Vec<u8>| {
            let html = format!(
                "<ul><li>Home<li>Shop<li>{}</ul>{}<div>All rights reserved</div>",
                seed.len() % 3,
                soup(seed)
            );
            (String::new(), parse(&html))
        };
        assert_nested(&seeds.iter().map(page).collect::<Vec<_>>());
    }
}

/// Sites of the fixtures, and manuals that imitate those of well-known tools.
const SITES: [&str; 10] =
    ["apache", "blog", "forum", "gazette", "git", "manual", "mdbook", "shop", "sphinx", "wiki"];

fn pages_of(site: &str) -> Vec<(String, Page)> {
    let manual = repository().join("crates/unmold/tests/manuals").join(site);
    if manual.is_dir() { read_pages(&manual) } else { fixture(site) }
}

fn cleaned(site: &str, format: TextFormat) -> Vec<(String, String)> {
    let pages = pages_of(site);
    let template = learned(&pages, MethodName::Auto);
    let options = CleanOptions::default().with_format(format);
    pages
        .into_iter()
        .map(|(file, page)| (file, template.clean_with(&page, &options).text))
        .collect()
}

/// Twenty pages as people get them: read these like code.
/// `INSTA_UPDATE=always cargo test -p unmold --test fixtures` renews them.
#[test]
fn twenty_pages_in_three_formats() {
    for site in SITES {
        let mut shown = String::new();
        let formats = [TextFormat::Plain, TextFormat::Markdown, TextFormat::Html];
        let outputs = formats.map(|format| cleaned(site, format));
        let number = outputs[0].len();
        for at in [0, number / 2] {
            for (format, output) in formats.iter().zip(&outputs) {
                let (file, text) = &output[at];
                let _ = writeln!(shown, "==> {file}, {format:?}\n{}\n", text.trim_end());
            }
        }
        insta::assert_snapshot!(format!("outputs_{site}"), shown);
    }
}

/// Checks that all pages of a site have these lines, and none of the others.
fn check_lines(site: &str, all: &[&str], none: &[&str]) {
    for (file, text) in cleaned(site, TextFormat::Markdown) {
        for line in all {
            assert!(text.lines().any(|own| own.contains(line)), "{site}/{file}: no {line}\n{text}");
        }
        for line in none {
            assert!(!text.contains(line), "{site}/{file}: {line}\n{text}");
        }
    }
}

#[test]
fn manuals_keep_headings_and_labels_and_lose_furniture() {
    let sections = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "SEE ALSO"];
    check_lines("git", &sections, &["Last updated"]);
    let labels = ["[Description:]", "[Syntax:]", "[Default:]", "[Context:]", "# Harbour"];
    check_lines("apache", &labels, &["up.gif", "down.gif", "feather.png", "¶", "Languages"]);
    check_lines("sphinx", &["## Usage", "## Example", "```python", "[^1]: "], &["¶", "[source]"]);
    check_lines("mdbook", &["## Summary", "## Listing", "```rust"], &["Ferry Book", "Theme"]);
}

/// What pages say about themselves, and what they only show: the gazette declares nothing.
#[test]
fn metadata_is_found_where_the_site_shows_it() {
    let (pages, blog) = (fixture("gazette"), fixture("blog"));
    let template = learned(&pages, MethodName::Auto);
    let of = |file: &str| {
        let (_, page) = pages.iter().find(|(name, _)| name == file).expect("a page");
        let found = template.clean(page).metadata;
        (found.title.unwrap_or_default(), found.author.unwrap_or_default())
    };
    let text = |title: &str, author: &str| (title.to_owned(), author.to_owned());
    let ferry = text("Chain ferry returns after eleven-month refit", "Ottoline Brask");
    assert_eq!(of("ferry.html"), ferry);
    assert_eq!(of("chess.html").1, "Fergal Innes");
    assert_eq!(of("bells.html").1, "Perdita Holm");
    let template = learned(&blog, MethodName::Auto);
    let (_, page) = blog.iter().find(|(file, _)| file.contains("four-glues")).expect("a page");
    let found = template.clean(page).metadata;
    assert_eq!(found.published.as_deref(), Some("2024-03-09"));
    assert_eq!(found.detected_language.as_deref(), Some("en"));
    assert!(!found.title.expect("a title").contains("Kettle & Compass"));
}

/// For each field, how many values are right, wrong (another, or one where there is none) and
/// missing.
fn metadata_counts(fields: &[&str]) -> Vec<[usize; 3]> {
    let gold = std::fs::read_to_string(repository().join("fixtures/metadata.jsonl")).expect("gold");
    let labels: Vec<serde_json::Value> =
        gold.lines().map(|line| serde_json::from_str(line).expect("a label")).collect();
    let mut counts = vec![[0; 3]; fields.len()];
    for (site, ..) in FLOORS {
        let pages = fixture(site);
        let template = learned(&pages, MethodName::Auto);
        for label in labels.iter().filter(|label| label["site"] == site) {
            let is_it = |(file, _): &&(String, Page)| label["file"].as_str() == Some(file);
            let (_, page) = pages.iter().find(is_it).expect("a page");
            let found = serde_json::to_value(template.clean(page).metadata).expect("fields");
            for (field, counts) in fields.iter().zip(&mut counts) {
                let kind = match (&found[field], &label[field]) {
                    (found, expected) if found == expected && found.is_null() => continue,
                    (found, expected) if found == expected => 0,
                    (found, _) => 1 + usize::from(found.is_null()),
                };
                counts[kind] += 1;
            }
        }
    }
    counts
}

/// Counted on all pages. The blog names its author only in a sentence about her, which is not read.
#[test]
fn metadata_of_the_sites_is_right() {
    let fields = ["author", "published", "modified", "site_name", "language"];
    let expected = [[18, 0, 8], [26, 0, 0], [11, 0, 0], [64, 0, 0], [53, 0, 0]];
    assert_eq!(metadata_counts(&fields), expected, "right, wrong, missing of {fields:?}");
}

#[test]
fn the_shop_keeps_its_brands() {
    for (site_file, text) in cleaned("shop", TextFormat::Plain) {
        let pages = pages_of("shop");
        let (_, page) = pages.iter().find(|(file, _)| *file == site_file).expect("the page");
        let brand = page.visible_texts().find(|&id| {
            let label = page.parent(id).and_then(|cell| page.parent(cell));
            label.is_some_and(|row| page.joined_text(page.subtree(row)).starts_with("Brand"))
                && page.text(id) != "Brand"
        });
        if let Some(brand) = brand {
            assert!(text.contains(page.text(brand)), "{site_file}: {}", page.text(brand));
        }
    }
}

#[test]
fn the_order_of_the_pages_does_not_matter() {
    for (site, ..) in FLOORS {
        let mut pages = fixture(site);
        let template = learned(&pages, MethodName::Auto);
        pages.reverse();
        assert_eq!(learned(&pages, MethodName::Auto), template, "{site}");
    }
}

/// Stripping what was stripped already removes little: a second pass of the same template finds
/// neither menus nor footers, and what page evidence said once it may say again of a page that has
/// lost its surroundings, but of no more than one word in five.
#[test]
fn stripping_twice_is_nearly_stripping_once() {
    for (site, ..) in FLOORS {
        let pages = fixture(site);
        let template = learned(&pages, MethodName::Auto);
        let html = CleanOptions::default().with_format(TextFormat::Html);
        let (mut once, mut twice) = (0, 0);
        for (_, page) in &pages {
            let stripped = template.clean_with(page, &html).text;
            let again = Page::parse(stripped.as_bytes(), &Limits::default());
            once += words(&template.clean(page).text).count();
            twice += words(&template.clean(&again).text).count();
        }
        assert!(twice <= once && 5 * twice >= 4 * once, "{site}: {once} words, then {twice}");
    }
}
