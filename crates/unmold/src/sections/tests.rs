//! Cuts against expected values, and what must hold for every page.

use std::fmt::Write;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::methods::LearnedTemplate;
use crate::methods::{Combine, TreePattern};
use crate::page::NodeId;
use crate::{Limits, Method, Sample};

fn shared() -> Option<Value> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors/tree_regex.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: there is no {}", path.display());
        return None;
    };
    Some(serde_json::from_str(&text).unwrap())
}

/// HTML of a tree written as nested lists `[name, {attributes}, child, …]`, texts as strings.
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

/// The page of a note, and the node of the page for each of the note's: a parser adds `head` and
/// `tbody`.
fn page_of_note(note: &Value) -> (Page, Vec<NodeId>) {
    let page = parse(&html(note));
    let has_head = html(note).contains("<head>");
    let added = |id: NodeId| page.tag(id) == Tag::TBODY || page.tag(id) == Tag::HEAD && !has_head;
    let ids = page.nodes().filter(|&id| !added(id)).collect();
    (page, ids)
}

fn numbers(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap() as usize).collect()
}

#[test]
fn needs_shared_sections_of_explicit_areas() {
    let Some(vectors) = shared() else { return };
    let example = &vectors["segmentation_explicit_geometry"];
    let (page, ids) = page_of_note(&example["dom"]);
    let mut boxes = vec![None; page.len() as usize];
    for (&id, area) in ids.iter().zip(numbers(&example["areas"])) {
        boxes[id.index()] = Some((area as f64, 1.0));
    }
    let areas = Areas::of_boxes(&page, &boxes, (0.0, 0.0));
    assert_eq!(areas.page(), example["page_area"].as_f64().unwrap());
    let nothing = vec![None; page.len() as usize];
    let found = sections(&page, &Marks::none(&page), &nothing, &areas, &Sectioning::paper());
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
fn needs_shared_areas_sections_and_importance_of_a_site() {
    let Some(vectors) = shared() else { return };
    let site = &vectors["site_example"];
    let pages: Vec<Page> =
        site["train"].as_array().unwrap().iter().map(|note| page_of_note(note).0).collect();
    let settings = TreePattern {
        max_patterns: 1,
        smooth: false,
        combine: Combine::Mean,
        ..TreePattern::default()
    };
    let template = settings.learn(&Sample::new(&pages)).unwrap();
    let (page, ids) = page_of_note(&site["test"]);
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

/// Marks, areas and lists of a page that knows no others.
fn sections_alone(page: &Page, settings: &Sectioning) -> Vec<Section> {
    let mut marks = Marks::none(page);
    for id in page.content_leaves() {
        marks.set(id, (id.index() % 5) as f32 / 4.0, None);
    }
    sections(page, &marks, &lists(page), &Areas::estimate(page), settings)
}

/// Every leaf that says something is in one section, and sections are what they say.
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
        assert!(section.nodes[0] >= last, "document order");
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
    fn sections_cover_every_leaf_once(seed in prop::collection::vec(any::<u8>(), 0..120)) {
        let page = parse(&soup(&seed));
        for settings in [Sectioning::default(), Sectioning::paper()] {
            check_sections(&page, &sections_alone(&page, &settings));
        }
    }

    #[test]
    fn areas_of_parts_are_no_larger_than_the_page(seed in prop::collection::vec(any::<u8>(), 0..120)) {
        let page = parse(&soup(&seed));
        let areas = Areas::estimate(&page);
        prop_assert!(page.nodes().all(|id| areas.area(id).is_finite() && areas.area(id) >= 0.0));
        if let Some(body) = page.body().next() {
            prop_assert_eq!(areas.page(), areas.area(body));
        }
    }
}

#[test]
fn what_stands_outside_the_content_is_less_important_unless_it_is_the_title() {
    let story = "words of a story that nobody else tells ".repeat(10);
    let page = parse(&format!(
        "<div><h1>Title</h1></div><div><p>{story}</p><p>{story}</p></div><div><p>Written in May</p><b>by us</b></div>"
    ));
    let found = |settings: &Sectioning| -> Vec<f64> {
        let nothing = vec![None; page.len() as usize];
        let found =
            sections(&page, &Marks::none(&page), &nothing, &Areas::estimate(&page), settings);
        found.iter().map(|section| section.importance).collect()
    };
    assert_eq!(found(&Sectioning::default()), [1.0, 1.0, 0.2]);
    assert_eq!(found(&Sectioning::paper()), [1.0, 1.0, 1.0]);
}

#[test]
fn a_list_with_one_entry_is_none_unless_the_paper_is_followed() {
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
fn cutting_takes_whole_sections() {
    let page = parse("<div><p>kept <b>noise</b></p></div><ul><li>a<li>b<li>c</ul>");
    let mut marks = Marks::none(&page);
    for id in page.visible_texts().filter(|&id| page.text(id) != "kept") {
        marks.set(id, 1.0, None);
    }
    let settings = Sectioning { page_evidence: None, ..Sectioning::default() };
    let found = sections(&page, &marks, &lists(&page), &Areas::estimate(&page), &settings);
    assert_eq!(found.len(), 2);
    let text = |least: f64| crate::strip(&page, &cut(&page, &marks, &found, least)).text();
    assert_eq!(text(0.25), "kept noise");
    assert_eq!(text(0.99), "");
    assert_eq!(text(0.0), "kept noise\na\nb\nc");
}

#[test]
fn pages_without_body_and_deep_pages_have_sections_too() {
    assert!(
        sections_alone(&parse("<frameset><frame src=a></frameset>"), &Sectioning::default())
            .is_empty()
    );
    assert!(sections_alone(&parse(""), &Sectioning::default()).is_empty());
    let deep = parse(&format!("{}x", "<div>".repeat(500)));
    check_sections(&deep, &sections_alone(&deep, &Sectioning::default()));
}
