//! The sites below `fixtures/`: what is stripped from them, and how well.

#![allow(clippy::disallowed_methods)]

mod common;

use std::collections::BTreeMap;
use std::fmt::Write;

use common::{fixture, repository};
use unmold::metrics::{Agreement, Bag};
use unmold::{ChunkFrequency, LearnedTemplate, Method, Page, Sample, Stripped, strip};

/// Least content F1 of the default, by site. A better method may raise them; nothing may lower them
/// silently.
const FLOORS: [(&str, f64); 6] = [
    ("blog", 0.90),
    ("forum", 0.90),
    ("gazette", 0.86),
    ("manual", 0.86),
    ("shop", 0.80),
    ("wiki", 0.85),
];

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
    for (site, floor) in FLOORS {
        let (pages, gold) = (fixture(site), gold(site));
        assert_eq!(pages.len(), gold.len(), "{site}: every page has a label");
        let template = ChunkFrequency::default()
            .learn(&Sample::without_duplicates(pages.iter().map(|(_, p)| p)));
        let template = template.expect("enough pages");
        let full = content_f1(&pages, &gold, |page| Stripped::untouched(page).text());
        let f1 = content_f1(&pages, &gold, |page| strip(page, &template.mark(page)).text());
        println!("{site}: content F1 {full:.3} before, {f1:.3} after");
        assert!(f1 >= floor && f1 > full, "{site}: {f1:.3} (floor {floor}, untouched {full:.3})");
    }
}

#[test]
fn what_is_stripped_from_each_site() {
    for (site, _) in FLOORS {
        let pages = fixture(site);
        let template = ChunkFrequency::default()
            .learn(&Sample::without_duplicates(pages.iter().map(|(_, p)| p)));
        let template = template.expect("enough pages");
        let mut shown = String::new();
        for (file, page) in &pages {
            let stripped = strip(page, &template.mark(page));
            let _ = writeln!(
                shown,
                "==> {file}\n{}\n--- removed\n{}\n",
                stripped.text(),
                stripped.template_text()
            );
        }
        insta::assert_snapshot!(site, shown);
    }
}

#[test]
fn all_formats_of_one_page() {
    let pages = fixture("blog");
    let template = ChunkFrequency::default()
        .learn(&Sample::new(pages.iter().map(|(_, p)| p)))
        .expect("enough pages");
    for wanted in ["four-glues-compared", "logging-the-kettle", "packing-for-the-canal"] {
        let (_, page) = pages.iter().find(|(file, _)| file.contains(wanted)).expect("the page");
        let stripped = strip(page, &template.mark(page));
        let shown = format!(
            "{}\n=====\n{}\n=====\n{}",
            stripped.text(),
            stripped.markdown(),
            stripped.html()
        );
        insta::assert_snapshot!(format!("formats_{wanted}"), shown);
    }
}
