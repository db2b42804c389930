//! The sites below `fixtures/`: what is stripped from them, and how well.

#![allow(clippy::disallowed_methods)]

mod common;

use std::collections::BTreeMap;
use std::fmt::Write;

use common::{fixture, repository};
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

#[test]
fn the_article_is_a_part_of_the_main_content() {
    for (site, ..) in FLOORS {
        let pages = fixture(site);
        let learned = |keep| {
            let pages = pages.iter().map(|(_, page)| page);
            learn(pages, &Settings::default().with_keep(keep)).expect("enough pages")
        };
        let (main, article) = (learned(Keep::Main), learned(Keep::Article));
        for (file, page) in &pages {
            let (main, article) = (main.mark(page), article.mark(page));
            let added = strip(page, &article)
                .texts()
                .find(|&id| !strip(page, &main).keeps(id))
                .map(|id| page.text(id).to_owned());
            assert_eq!(added, None, "{site}/{file}");
        }
    }
}

/// Twenty pages as people get them: read these like code.
#[test]
fn twenty_pages_in_three_formats() {
    let mut number = 0;
    for (site, ..) in FLOORS {
        let pages = fixture(site);
        let template = learned(&pages, MethodName::Auto);
        let mut shown = String::new();
        let wanted = if matches!(site, "manual" | "wiki") { 4 } else { 3 };
        for (file, page) in pages.iter().step_by(pages.len() / wanted).take(wanted) {
            for format in [TextFormat::Plain, TextFormat::Markdown, TextFormat::Html] {
                let options = CleanOptions::default().with_format(format);
                let text = template.clean_with(page, &options).text;
                let _ = writeln!(shown, "==> {file}, {format:?}\n{}\n", text.trim_end());
            }
            number += 1;
        }
        insta::assert_snapshot!(format!("outputs_{site}"), shown);
    }
    assert_eq!(number, 20);
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
