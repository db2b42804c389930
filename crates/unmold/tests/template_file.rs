//! Template files of every version are read forever; other files get an answer that helps.

#![allow(clippy::disallowed_methods)]

mod common;

use common::{fixture, parse};
use proptest::prelude::*;
use unmold::cluster::{Clustering, PathSet, PathTemplates};
use unmold::template::{OverrideVerdict, Selector, SiteClusters};
use unmold::{
    Alignment, ChunkFrequency, Learned, Method, Sample, Template, TemplateSet, TreeMapping,
    TreePattern, strip,
};

const GOLDEN_V1: &[u8] = include_bytes!("golden/template-v1.json");
/// The same template, corrected by a person.
const GOLDEN_V1_OVERRIDES: &[u8] = include_bytes!("golden/template-v1-overrides.json");

fn learned() -> TemplateSet {
    let pages: Vec<_> = ["Alpha", "Beta", "Gamma"]
        .iter()
        .map(|word| parse(&format!("<ul><li>Home<li>Größe</ul><p>{word}<p>© 2026 \"Example\"")))
        .collect();
    let template = ChunkFrequency::default().learn(&Sample::new(&pages)).expect("enough pages");
    let learned = Learned::ChunkFrequency(template);
    TemplateSet::new([Template::new("tiny#1", "tiny", learned)])
}

#[test]
fn version_1_is_read_and_written_as_ever() {
    let golden = TemplateSet::from_json(GOLDEN_V1).expect("the golden file");
    assert_eq!(golden, learned());
    assert_eq!(golden.to_json(), String::from_utf8_lossy(GOLDEN_V1));
    let page = parse("<ul><li>Home<li>Größe</ul><p>Delta<p>© 2026 \"Example\"");
    let template = golden.for_site("tiny").expect("the site");
    assert_eq!(strip(&page, &template.mark(&page)).text(), "Delta");
}

/// [`learned`] with three corrections.
fn corrected() -> TemplateSet {
    let mut set = learned();
    let overrides = set.overrides_mut("tiny#1").expect("the template");
    let path = "/html/body/ul[1]/li[2]".parse().expect("a path");
    let place = Selector { path: Some(path), text: None };
    overrides.add(
        place.clone(),
        OverrideVerdict::Content,
        Some("the heading of the table".to_owned()),
    );
    overrides.add(
        Selector { path: None, text: Some("delta".to_owned()) },
        OverrideVerdict::Template,
        None,
    );
    overrides.add(place, OverrideVerdict::Learned, None);
    set
}

#[test]
fn corrections_are_read_and_written_as_ever() {
    let golden = TemplateSet::from_json(GOLDEN_V1_OVERRIDES).expect("the golden file");
    assert_eq!(golden, corrected());
    assert_eq!(golden.to_json(), String::from_utf8_lossy(GOLDEN_V1_OVERRIDES));
    let page = parse("<ul><li>Home<li>Größe</ul><p>Delta<p>Epsilon<p>© 2026 \"Example\"");
    let template = golden.for_site("tiny").expect("the site");
    assert_eq!(strip(&page, &template.mark(&page)).text(), "Epsilon");
}

#[test]
fn corrections_that_make_no_sense_get_an_answer_that_helps() {
    let golden = String::from_utf8_lossy(GOLDEN_V1_OVERRIDES);
    for (bytes, expected) in [
        (golden.replace("/html/body/ul[1]/li[2]", "li[2]"), "was expected"),
        (golden.replace("\"content\"", "\"perhaps\""), "damaged"),
        (golden.replace("\"serial\": 2", "\"serial\": -2"), "damaged"),
    ] {
        let error = TemplateSet::from_json(bytes.as_bytes()).expect_err(&bytes).to_string();
        assert!(error.contains(expected), "{error}");
    }
    // Edited by hand, out of order: the serial numbers count.
    let swapped = golden.replace("\"serial\": 1", "\"serial\": 9");
    let read = TemplateSet::from_json(swapped.as_bytes()).expect("readable");
    let page = parse("<ul><li>Home<li>Größe</ul><p>Delta<p>© 2026 \"Example\"");
    let template = read.for_site("tiny").expect("the site");
    assert_eq!(strip(&page, &template.mark(&page)).text(), "Größe");
}

#[test]
fn other_files_get_an_answer_that_helps() {
    let golden = String::from_utf8_lossy(GOLDEN_V1);
    for (bytes, expected) in [
        ("<html><body>a page".to_owned(), "not a template file"),
        ("{\"a\": 1}".to_owned(), "not a template file"),
        (String::new(), "not a template file"),
        (golden.replace("\"version\": 1", "\"version\": 2"), "update unmold"),
        (golden.replace("\"version\": 1", "\"version\": \"x\""), "damaged"),
        (golden.replace("\"version\": 1,", ""), "damaged"),
        (golden[..golden.len() / 2].to_owned(), "damaged"),
        (golden.replace("chunk-frequency", "tea-leaves"), "damaged"),
        (golden.replace("\"threshold\": 1", "\"threshold\": -1"), "damaged"),
    ] {
        let error = TemplateSet::from_json(bytes.as_bytes()).expect_err(&bytes).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_template_read_back_marks_the_same() {
    for site in ["blog", "shop"] {
        let pages: Vec<_> = fixture(site).into_iter().map(|(_, page)| page).collect();
        let template = ChunkFrequency::default().learn(&Sample::new(&pages)).expect("enough pages");
        let set = TemplateSet::new([Template::new(
            "x#1",
            "x",
            Learned::ChunkFrequency(template.clone()),
        )]);
        let read = TemplateSet::from_json(set.to_json().as_bytes()).expect("our own file");
        for page in &pages {
            assert_eq!(
                read.for_site("x").expect("x").mark(page),
                ChunkFrequency::mark(&template, page)
            );
        }
    }
}

/// A file of each method.
fn files() -> Vec<Vec<u8>> {
    let pages: Vec<_> = ["Alpha", "Beta", "Gamma", "Delta"]
        .iter()
        .map(|word| {
            parse(&format!("<ul><li>Home<li>Size</ul><div><p>{word}<p><a href=x>More</a></div>"))
        })
        .collect();
    let sample = Sample::new(&pages);
    [
        Learned::ChunkFrequency(ChunkFrequency::default().learn(&sample).expect("enough pages")),
        Learned::Alignment(Alignment::default().learn(&sample).expect("enough pages")),
        Learned::TreeMapping(TreeMapping::default().learn(&sample).expect("enough pages")),
        Learned::TreePattern(TreePattern::default().learn(&sample).expect("enough pages")),
        Learned::PageClusters(PathTemplates.learn(&sample).expect("enough pages")),
    ]
    .into_iter()
    .map(|learned| Template::new("x#1", "x", learned))
    .map(|template| TemplateSet::new([template]).to_json().into_bytes())
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn wrong_numbers_in_a_file_are_never_fatal(which in 0usize..5, at in any::<prop::sample::Index>(), digit in b'0'..=b'9') {
        let mut bytes = files().swap_remove(which);
        let digits: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
        bytes[digits[at.index(digits.len())]] = digit;
        if let Ok(set) = TemplateSet::from_json(&bytes) {
            let page = parse("<ul><li>Home<li>Size</ul><div><p>Epsilon<p><a href=x>More</a><p>More</div>");
            for template in set.templates() {
                let marks = template.mark(&page);
                page.nodes().for_each(|id| drop(marks.source(id).map(|source| template.describe(source))));
                template.learned.text();
            }
        }
    }

    #[test]
    fn damaged_files_are_refused_or_read_but_never_fatal(at in 0usize..2000, byte: u8) {
        let mut bytes = GOLDEN_V1_OVERRIDES.to_vec();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(set) = TemplateSet::from_json(&bytes) {
            let page = parse("<ul><li>Home<li>Größe</ul><p>Delta");
            for template in set.templates() {
                let marks = template.mark(&page);
                page.nodes().for_each(|id| drop(marks.source(id).map(|source| template.describe(source))));
            }
        }
    }
}

/// Two kinds of pages, a template for each, and how a page finds its own.
fn clustered() -> (TemplateSet, [Vec<unmold::Page>; 2]) {
    let articles: Vec<_> = (0..4)
        .map(|n| {
            parse(&format!(
                "<ul><li>Home</ul><article><h1>A{n}</h1><p>B{n}</article><section><h2>More</section>"
            ))
        })
        .collect();
    let listings: Vec<_> = (0..4)
        .map(|n| parse(&format!("<ul><li>Home</ul><table><caption>All</caption><tr><td>C{n}</table><form><label>Find</label></form><dl><dt>D")))
        .collect();
    let pages: Vec<_> = articles.iter().chain(&listings).collect();
    let settings = Clustering::default();
    let paths: Vec<PathSet> = pages.iter().map(|page| PathSet::of(page, settings.paths)).collect();
    let found = settings.cluster(&paths);
    assert_eq!(found.clusters().len(), 2);
    let name = |cluster: usize| format!("two#{}", cluster + 1);
    let templates = found.clusters().iter().enumerate().map(|(number, cluster)| {
        let members = cluster.pages.iter().map(|&page| pages[page as usize]);
        let template =
            ChunkFrequency::default().learn(&Sample::new(members)).expect("enough pages");
        Template::new(name(number), "two", Learned::ChunkFrequency(template))
    });
    let clusters = SiteClusters::new("two", &found, &[Some(name(0)), Some(name(1))]);
    (TemplateSet::new(templates).with_clusters([clusters]), [articles, listings])
}

#[test]
fn clusters_are_kept_in_the_file() {
    let (templates, kinds) = clustered();
    let json = templates.to_json();
    let read = TemplateSet::from_json(json.as_bytes()).expect("our own file");
    assert_eq!(read, templates);
    assert_eq!(read.to_json(), json);
    for set in [&templates, &read] {
        let names = kinds.each_ref().map(|pages| {
            let names: Vec<_> =
                pages.iter().map(|page| set.for_page("two", page).expect("a template")).collect();
            assert!(names.iter().all(|(template, fits)| *fits && template.name == names[0].0.name));
            names[0].0.name.clone()
        });
        assert_ne!(names[0], names[1]);
        let odd = parse("<h5>Nothing</h5><h6>like</h6><pre>the others</pre>");
        assert!(!set.for_page("two", &odd).expect("the nearest").1);
        assert!(set.for_page("another", &odd).is_none());
    }
}

#[test]
fn damaged_clusters_get_an_answer_that_helps() {
    let json = clustered().0.to_json();
    let path = json
        .split("\"supports\"")
        .nth(1)
        .and_then(|rest| rest.split('"').nth(1))
        .expect("a path")
        .to_owned();
    let without_support = json.replacen(&format!("\"{path}\":"), "\"0000000000000000\":", 1);
    for (damaged, expected) in [
        (json.replace(&path, "xyz"), "16 hexadecimal digits"),
        (without_support, "has no support"),
        (json.replace("tags-words", "tea-leaves"), "damaged"),
    ] {
        let error = TemplateSet::from_json(damaged.as_bytes()).expect_err("damaged").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_cluster_whose_template_is_missing_passes_its_pages_through() {
    let (templates, kinds) = clustered();
    let json = templates.to_json().replace("\"template\": \"two#1\"", "\"template\": \"gone#1\"");
    let read = TemplateSet::from_json(json.as_bytes()).expect("readable");
    let found = kinds.iter().map(|pages| read.for_page("two", &pages[0]).is_some());
    assert_eq!(found.filter(|found| *found).count(), 1);
}
