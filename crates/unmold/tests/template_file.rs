//! Template files of every version stay readable, and other files get a helpful error.

#![allow(clippy::disallowed_methods)]

mod common;

use common::{fixture, parse};
use proptest::prelude::*;
use unmold::cluster::{Clustering, PathSet};
use unmold::template::{OverrideVerdict, Selector, SiteClusters};
use unmold::{
    ChunkFrequency, KindTemplate, Learned, Method, MethodName, Page, Sample, Settings, Source,
    Template, TemplateSet, learn,
};

const GOLDEN_V1: &[u8] = include_bytes!("golden/template-v1.json");
/// The same template with manual overrides.
const GOLDEN_V1_OVERRIDES: &[u8] = include_bytes!("golden/template-v1-overrides.json");

fn learned() -> TemplateSet {
    let pages: Vec<_> = ["Alpha", "Beta", "Gamma"]
        .iter()
        .map(|word| parse(&format!("<ul><li>Home<li>Größe</ul><p>{word}<p>© 2026 \"Example\"")))
        .collect();
    TemplateSet::from_iter([Template::new("tiny", by_chunks("tiny#1", &pages))])
}

fn by_chunks<'a>(name: &str, pages: impl IntoIterator<Item = &'a Page>) -> KindTemplate {
    let learned = ChunkFrequency::default().learn(&Sample::new(pages)).expect("enough pages");
    KindTemplate::new(name, Learned::ChunkFrequency(learned))
}

#[test]
fn version_1_is_read_and_written_unchanged() {
    let golden = TemplateSet::from_json(GOLDEN_V1).expect("the golden file");
    assert_eq!(golden, learned());
    assert_eq!(golden.to_json(), String::from_utf8_lossy(GOLDEN_V1));
    let page = parse("<ul><li>Home<li>Größe</ul><p>Delta<p>© 2026 \"Example\"");
    assert_eq!(golden.get("tiny").expect("the site").clean(&page).text, "Delta");
}

/// [`learned`] with three overrides.
fn overridden() -> TemplateSet {
    let mut set = learned();
    let template = set.get_mut("tiny").expect("the site");
    let overrides = template.kind_mut("tiny#1").expect("the kind").overrides_mut();
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
fn overrides_are_read_and_written_unchanged() {
    let golden = TemplateSet::from_json(GOLDEN_V1_OVERRIDES).expect("the golden file");
    assert_eq!(golden, overridden());
    assert_eq!(golden.to_json(), String::from_utf8_lossy(GOLDEN_V1_OVERRIDES));
    let page = parse("<ul><li>Home<li>Größe</ul><p>Delta<p>Epsilon<p>© 2026 \"Example\"");
    assert_eq!(golden.get("tiny").expect("the site").clean(&page).text, "Epsilon");
}

#[test]
fn invalid_overrides_get_a_helpful_error() {
    let golden = String::from_utf8_lossy(GOLDEN_V1_OVERRIDES);
    for (bytes, expected) in [
        (golden.replace("/html/body/ul[1]/li[2]", "li[2]"), "is not a path"),
        (golden.replace("\"content\"", "\"perhaps\""), "damaged"),
        (golden.replace("\"serial\": 2", "\"serial\": -2"), "damaged"),
    ] {
        let error = TemplateSet::from_json(bytes.as_bytes()).expect_err(&bytes).to_string();
        assert!(error.contains(expected), "{error}");
    }
    // Edited by hand and out of order: the serial numbers decide.
    let swapped = golden.replace("\"serial\": 1", "\"serial\": 9");
    let read = TemplateSet::from_json(swapped.as_bytes()).expect("readable");
    let page = parse("<ul><li>Home<li>Größe</ul><p>Delta<p>© 2026 \"Example\"");
    assert_eq!(read.get("tiny").expect("the site").clean(&page).text, "Größe");
}

#[test]
fn other_files_get_a_helpful_error() {
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
fn a_template_read_back_sets_the_same_marks() {
    for site in ["blog", "shop"] {
        let pages: Vec<_> = fixture(site).into_iter().map(|(_, page)| page).collect();
        for &method in MethodName::ALL {
            let settings = Settings::default().with_method(method);
            let template = learn(&pages, &settings).expect("enough pages");
            let read =
                Template::from_json(template.to_json().as_bytes()).expect("a file written by us");
            for page in &pages {
                assert_eq!(read.mark(page), template.mark(page), "{method}");
            }
        }
    }
}

/// A template file for each method.
fn files() -> Vec<Vec<u8>> {
    let pages: Vec<_> = ["Alpha", "Beta", "Gamma", "Delta"]
        .iter()
        .map(|word| {
            parse(&format!("<ul><li>Home<li>Size</ul><div><p>{word}<p><a href=x>More</a></div>"))
        })
        .collect();
    let template = |&method: &MethodName| {
        learn(&pages, &Settings::default().with_method(method)).expect("enough pages")
    };
    MethodName::ALL.iter().map(|method| template(method).to_json().into_bytes()).collect()
}

/// Calls everything on a template that may have been damaged.
fn exercise(set: &TemplateSet, page: &Page) {
    for template in set.iter() {
        template.clean(page);
        template.explain(page);
        for kind in template.kinds() {
            let (marks, learned) = (kind.mark(page), kind.learned());
            for part in page.nodes().filter_map(|id| match marks.source(id) {
                Some(Source::Part(part)) => Some(part),
                _ => None,
            }) {
                learned.describe(part);
            }
            learned.parts();
            learned.show();
            learned.text();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn wrong_numbers_in_a_file_never_panic(
        which in 0..MethodName::ALL.len(),
        at in any::<prop::sample::Index>(),
        digit in b'0'..=b'9',
    ) {
        let mut bytes = files().swap_remove(which);
        let digits: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
        bytes[digits[at.index(digits.len())]] = digit;
        if let Ok(set) = TemplateSet::from_json(&bytes) {
            let page =
                parse("<ul><li>Home<li>Size</ul><div><p>Epsilon<p><a href=x>More</a><p>More</div>");
            exercise(&set, &page);
        }
    }

    #[test]
    fn damaged_files_never_panic(at in 0usize..2000, byte: u8) {
        let mut bytes = GOLDEN_V1_OVERRIDES.to_vec();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(set) = TemplateSet::from_json(&bytes) {
            let page = parse("<ul><li>Home<li>Größe</ul><p>Delta");
            exercise(&set, &page);
        }
    }
}

/// Two kinds of pages with a template each, and how a page finds its own.
fn clustered() -> (Template, [Vec<Page>; 2]) {
    let articles: Vec<_> = (0..4)
        .map(|n| {
            parse(&format!(
                "<ul><li>Home</ul><article><h1>A{n}</h1><p>B{n}</article>\
                 <section><h2>More</section>"
            ))
        })
        .collect();
    let listings: Vec<_> = (0..4)
        .map(|n| {
            parse(&format!(
                "<ul><li>Home</ul><table><caption>All</caption><tr><td>C{n}</table>\
                 <form><label>Find</label></form><dl><dt>D"
            ))
        })
        .collect();
    let pages: Vec<_> = articles.iter().chain(&listings).collect();
    let settings = Clustering::default();
    let paths: Vec<PathSet> = pages.iter().map(|page| PathSet::of(page, settings.paths)).collect();
    let found = settings.cluster(&paths);
    assert_eq!(found.clusters().len(), 2);
    let name = |cluster: usize| format!("two#{}", cluster + 1);
    let kinds = found.clusters().iter().enumerate().map(|(number, cluster)| {
        by_chunks(&name(number), cluster.pages.iter().map(|&page| pages[page as usize]))
    });
    let clusters = SiteClusters::new("two", &found, &[Some(name(0)), Some(name(1))]);
    let template = Template::of_kinds("two", kinds.collect(), Some(clusters)).expect("two kinds");
    (template, [articles, listings])
}

#[test]
fn clusters_are_stored_in_the_file() {
    let (template, kinds) = clustered();
    let json = template.to_json();
    let read = Template::from_json(json.as_bytes()).expect("a file written by us");
    assert_eq!(read, template);
    assert_eq!(read.to_json(), json);
    for template in [&template, &read] {
        let names = kinds.each_ref().map(|pages| {
            let found: Vec<_> = pages.iter().map(|page| template.kind_of(page)).collect();
            assert!(found.iter().all(|(kind, fits)| *fits && kind.name() == found[0].0.name()));
            found[0].0.name().to_owned()
        });
        assert_ne!(names[0], names[1]);
        let unlike = parse("<h5>Nothing</h5><h6>like</h6><pre>the others</pre>");
        assert!(!template.kind_of(&unlike).1);
    }
}

#[test]
fn damaged_clusters_get_a_helpful_error() {
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
fn a_cluster_without_its_template_uses_the_first() {
    let (template, kinds) = clustered();
    let json = template.to_json().replace("\"template\": \"two#1\"", "\"template\": \"gone#1\"");
    let read = Template::from_json(json.as_bytes()).expect("readable");
    assert!(kinds.iter().all(|pages| read.kind(read.kind_of(&pages[0]).0.name()).is_some()));
}

#[test]
fn overrides_survive_learning_again() {
    let old = overridden().into_iter().next().expect("one site");
    let overrides = old.kinds()[0].overrides().clone();
    let again = learned().into_iter().next().expect("one site").with_overrides_of(&old);
    assert_eq!(again.kinds()[0].overrides(), &overrides);
    assert_eq!(again.clone().with_overrides_of(&old), again, "overrides are copied only once");
    // The overridden kind is gone, so its overrides go to all present ones.
    let (clustered, _) = clustered();
    let clustered = clustered.with_overrides_of(&old);
    assert!(clustered.kinds().iter().all(|kind| kind.overrides() == &overrides));
}

#[test]
fn a_template_of_another_model_is_rejected_but_can_be_learned_again() {
    let pages: Vec<Page> =
        ["Tea", "Jam", "Rye"].map(|word| parse(&format!("<p>Home<p>All about {word}."))).into();
    let json = learn(&pages, &Settings::default()).expect("three pages").to_json();
    let model = json.split("\"model\": \"").nth(1).and_then(|rest| rest.get(..16)).expect("an id");
    for other in [json.replace(model, "0123456789abcdef"), json.replace("\"model\":", "\"x\":")] {
        let error =
            TemplateSet::from_json(other.as_bytes()).expect_err("another model").to_string();
        assert!(error.contains("the template of site") && error.contains("--update"), "{error}");
        let set = TemplateSet::from_json_of_any_model(other.as_bytes()).expect("readable");
        assert!(set.get("site").expect("the site").check_model().is_err());
        assert!(set.kinds().all(|kind| kind.learned().show().starts_with("learned from 3 pages")));
    }
}

/// A template of the default, and one written before templates named their model.
const GOLDEN_V1_AUTO: [&[u8]; 2] = [
    include_bytes!("golden/template-v1-auto.json"),
    include_bytes!("golden/template-v1-auto-without-model.json"),
];

#[test]
fn templates_of_older_models_can_be_shown_corrected_and_learned_again() {
    for golden in GOLDEN_V1_AUTO {
        let set = TemplateSet::from_json_of_any_model(golden).expect("the golden file");
        let old = set.get("tiny").expect("the site");
        let learned = old.kinds()[0].learned();
        assert_eq!((learned.method(), learned.pages()), (MethodName::Auto, 3));
        assert!(learned.show().contains("3 of 3  Imprint"), "{}", learned.show());
        let written = set.to_json();
        assert_eq!(TemplateSet::from_json_of_any_model(written.as_bytes()).expect("ours"), set);
        match TemplateSet::from_json(golden) {
            Ok(_) => assert!(old.check_model().is_ok(), "the weights of the golden file are ours"),
            Err(error) => assert!(error.to_string().contains("learn --update"), "{error}"),
        }
    }
    let without_model = TemplateSet::from_json(GOLDEN_V1_AUTO[1]).expect_err("no model is named");
    assert!(without_model.to_string().contains("model unknown"), "{without_model}");
}
