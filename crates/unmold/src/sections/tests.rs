//! Tests sections against expected values and for invariants.

use std::fmt::Write;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::methods::LearnedTemplate;
use crate::methods::{Combine, TreePattern};
use crate::page::NodeId;
use crate::{Limits, Method, Sample};

/// The expected values in `fixtures/vectors`.
fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/vectors/tree_regex.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Converts a tree written as nested lists `[name, {attributes}, child, …]`, with texts as strings,
/// to HTML.
fn html(value: &Value) -> String {
    let Some(list) = value.as_array() else { return value.as_str().unwrap().to_owned() };
    let name = list[0].as_str().unwrap();
    let mut out = format!("<{name}");
    for (attribute, value) in list[1].as_object().unwrap() {
        let _ = write!(out, " {attribute}=\"{}\"", value.as_str().unwrap());
    }
    out.push('>');
    out.extend(list[2..].iter().map(html));
    if !["hr", "img"].contains(&name) {
        let _ = write!(out, "</{name}>");
    }
    out
}

fn parse(html: &str) -> Page {
    Page::parse(html.as_bytes(), &Limits::default())
}

/// Parses a tree and maps its nodes to those of the page: a parser adds `head` and `tbody`.
fn page_of_tree(tree: &Value) -> (Page, Vec<NodeId>) {
    let page = parse(&html(tree));
    let has_head = html(tree).contains("<head>");
    let added = |id: NodeId| page.tag(id) == Tag::TBODY || page.tag(id) == Tag::HEAD && !has_head;
    let ids = page.nodes().filter(|&id| !added(id)).collect();
    (page, ids)
}

fn numbers(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap() as usize).collect()
}

#[test]
fn sections_of_explicit_areas() {
    let vectors = vectors();
    let example = &vectors["segmentation_explicit_geometry"];
    let (page, ids) = page_of_tree(&example["dom"]);
    let mut boxes = vec![None; page.len() as usize];
    for (&id, area) in ids.iter().zip(numbers(&example["areas"])) {
        boxes[id.index()] = Some((area as f64, 1.0));
    }
    let areas = Areas::of_boxes(&page, &boxes, (0.0, 0.0));
    assert_eq!(areas.page(), example["page_area"].as_f64().unwrap());
    let no_lists = vec![None; page.len() as usize];
    let found = sections(&page, &Marks::none(&page), &no_lists, &areas, &Sectioning::paper());
    let expected: Vec<(String, Vec<NodeId>)> = example["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| {
            let nodes = numbers(&section["nodes"]).into_iter().map(|id| ids[id]).collect();
            (section["kind"].as_str().unwrap().to_owned(), nodes)
        })
        .collect();
    let found: Vec<(String, Vec<NodeId>)> = found
        .into_iter()
        .map(|section| (vector_kind(section.kind).to_owned(), section.nodes))
        .collect();
    assert_eq!(found, expected);
}

fn vector_kind(kind: SectionKind) -> &'static str {
    match kind {
        SectionKind::RepeatedList => "star",
        SectionKind::Block => "block",
        SectionKind::InlineRun => "inline",
        SectionKind::BetweenSeparators => "between-separators",
    }
}

#[test]
fn areas_sections_and_importance_of_a_site() {
    let vectors = vectors();
    let site = &vectors["site_example"];
    let pages: Vec<Page> =
        site["train"].as_array().unwrap().iter().map(|tree| page_of_tree(tree).0).collect();
    let settings = TreePattern {
        max_patterns: 1,
        smooth: false,
        combine: Combine::Mean,
        ..TreePattern::default()
    };
    let template = settings.learn(&Sample::new(&pages)).unwrap();
    let (page, ids) = page_of_tree(&site["test"]);
    let areas = Areas::estimate(&page);
    for (&id, expected) in ids.iter().zip(numbers(&site["areas"])) {
        assert_eq!(areas.area(id), expected as f64, "{}", page.path(id));
    }
    let (marks, lists) = template.mark_with_lists(&page);
    assert_eq!(marks, template.mark(&page));
    let found = sections(&page, &marks, &lists, &areas, &Sectioning::paper());
    let expected = site["sections"].as_array().unwrap();
    assert_eq!(found.len(), expected.len());
    for (section, expected) in found.iter().zip(expected) {
        assert_eq!(vector_kind(section.kind), expected["kind"].as_str().unwrap());
        let nodes: Vec<NodeId> =
            numbers(&expected["nodes"]).into_iter().map(|id| ids[id]).collect();
        assert_eq!(section.nodes, nodes);
        assert_eq!(section.weight, expected["weight"].as_f64().unwrap());
        assert!(
            (section.importance - expected["importance"].as_f64().unwrap()).abs() < 1e-6,
            "{section:?}"
        );
        assert_eq!(section.importance < 0.25, expected["noisy"].as_bool().unwrap());
    }
}

/// Sections of a single page, with arbitrary marks.
fn sections_alone(page: &Page, settings: &Sectioning) -> Vec<Section> {
    let mut marks = Marks::none(page);
    for id in page.content_leaves() {
        marks.set(id, (id.index() % 5) as f32 / 4.0, None);
    }
    sections(page, &marks, &lists(page), &Areas::estimate(page), settings)
}

/// Checks that every leaf with content is in exactly one section, and that sections are well
/// formed.
fn check_sections(page: &Page, found: &[Section]) {
    let mut covered = vec![0; page.len() as usize];
    let mut last = NodeId::ROOT;
    for section in found {
        assert!((0.0..=1.0).contains(&section.importance));
        assert!(
            (0.0..=1.0).contains(&section.area_share) && (0.0..=1.0).contains(&section.text_share)
        );
        assert!(!section.nodes.is_empty() && section.nodes.is_sorted());
        assert!(section.nodes.iter().all(|&id| page.parent(id) == page.parent(section.nodes[0])));
        assert!(section.nodes[0] >= last, "sections are in document order");
        last = section.nodes[0];
        for id in section.nodes.iter().flat_map(|&node| page.subtree(node)) {
            covered[id.index()] += 1;
        }
    }
    for id in page.content_leaves() {
        assert_eq!(covered[id.index()], 1, "{} in {}", page.tag_name(id), page.path(id));
    }
    assert!(covered.iter().all(|&times| times <= 1));
}

fn soup(seed: &[u8]) -> String {
    const PIECES: [&str; 24] = [
        "<div>",
        "</div>",
        "<p>",
        "</p>",
        "<ul><li>",
        "<li>",
        "</ul>",
        "<table><tr><td>",
        "<td>",
        "<tr><td>",
        "</table>",
        "<hr>",
        "<b>",
        "</b>",
        "some words here",
        "text ",
        "<br>",
        "<img src=x width=300 height=200>",
        "<section>",
        "</section>",
        "<a href=x>link</a>",
        "<h1>Head</h1>",
        "<span>s</span>",
        "<input value=x>",
    ];
    seed.iter().map(|&byte| PIECES[usize::from(byte) % PIECES.len()]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn sections_cover_every_leaf_exactly_once(seed in prop::collection::vec(any::<u8>(), 0..120)) {
        let page = parse(&soup(&seed));
        for settings in [Sectioning::default(), Sectioning::paper()] {
            check_sections(&page, &sections_alone(&page, &settings));
        }
    }

    #[test]
    fn areas_are_finite_and_the_page_is_its_body(
        seed in prop::collection::vec(any::<u8>(), 0..120),
    ) {
        let page = parse(&soup(&seed));
        let areas = Areas::estimate(&page);
        prop_assert!(page.nodes().all(|id| areas.area(id).is_finite() && areas.area(id) >= 0.0));
        if let Some(body) = page.body().next() {
            prop_assert_eq!(areas.page(), areas.area(body));
        }
    }
}

#[test]
fn sections_outside_the_content_are_less_important_except_the_title() {
    let story = "words of a story that nobody else tells ".repeat(10);
    let page = parse(&format!(
        "<div><h1>Title</h1></div><div><p>{story}</p><p>{story}</p></div>\
         <div><p>Written in May</p><b>by us</b></div>"
    ));
    let found = |settings: &Sectioning| -> Vec<f64> {
        let no_lists = vec![None; page.len() as usize];
        let found =
            sections(&page, &Marks::none(&page), &no_lists, &Areas::estimate(&page), settings);
        found.iter().map(|section| section.importance).collect()
    };
    assert_eq!(found(&Sectioning::default()), [1.0, 1.0, 0.2]);
    assert_eq!(found(&Sectioning::paper()), [1.0, 1.0, 1.0]);
}

#[test]
fn a_list_needs_two_entries_except_with_the_papers_settings() {
    let page = parse("<div><p>one</p></div>");
    let entry = page.nodes().find(|&id| page.tag(id) == Tag::P).unwrap();
    let mut lists = vec![None; page.len() as usize];
    lists[entry.index()] = Some(ListPlace { list: 1, part: 2 });
    let kinds = |settings: &Sectioning| -> Vec<SectionKind> {
        let found = sections(&page, &Marks::none(&page), &lists, &Areas::estimate(&page), settings);
        found.iter().map(|section| section.kind).collect()
    };
    assert_eq!(kinds(&Sectioning::paper()), [SectionKind::RepeatedList]);
    assert_eq!(kinds(&Sectioning::default()), [SectionKind::Block]);
}

#[test]
fn cut_marks_whole_sections() {
    let page = parse("<div><p>kept <b>noise</b></p></div><ul><li>a<li>b<li>c</ul>");
    let mut marks = Marks::none(&page);
    for id in page.visible_texts().filter(|&id| page.text(id) != "kept") {
        marks.set(id, 1.0, None);
    }
    let settings = Sectioning { page_evidence: None, ..Sectioning::default() };
    let found = sections(&page, &marks, &lists(&page), &Areas::estimate(&page), &settings);
    assert_eq!(found.len(), 2);
    let text = |min_importance: f64| {
        crate::strip(&page, &cut(&page, &marks, &found, min_importance)).text()
    };
    assert_eq!(text(0.25), "kept noise");
    assert_eq!(text(0.99), "");
    assert_eq!(text(0.0), "kept noise\na\nb\nc");
}

#[test]
fn pages_without_body_and_deep_pages_are_handled() {
    assert!(
        sections_alone(&parse("<frameset><frame src=a></frameset>"), &Sectioning::default())
            .is_empty()
    );
    assert!(sections_alone(&parse(""), &Sectioning::default()).is_empty());
    let deep = parse(&format!("{}x", "<div>".repeat(500)));
    check_sections(&deep, &sections_alone(&deep, &Sectioning::default()));
}
