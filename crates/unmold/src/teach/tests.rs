//! Labels from end to end: learned, stored, applied, explained.

use super::*;
use crate::methods::Serial;
use crate::{CleanPage, Flag, Limits, Settings, Template};

const TOPICS: [&str; 12] =
    ["Tea", "Cake", "Jam", "Bread", "Milk", "Rye", "Oats", "Plum", "Salt", "Mint", "Corn", "Fig"];

/// A page whose second paragraph looks like the first, but praises something else.
fn html(topic: &str) -> String {
    let (lower, length) = (topic.to_lowercase(), topic.len());
    format!(
        "<title>{topic}</title><ul class=menu><li><a href=/>Home</a><li><a href=/shop>Shop</a></ul>\
         <div class=post><h1>{topic}</h1><p>Everybody who keeps {lower} in the kitchen knows that \
         it wants a dry place, a closed lid and {length} days of rest.</p></div>\
         <div class=praise><p>Our {lower} of the week comes from a farm on the other side of the \
         river, where {length} people have made it by hand for many years.</p></div>\
         <p class=foot>Copyright of the shop, all rights reserved</p>"
    )
}

fn parse(html: &str) -> Page {
    Page::parse(html.as_bytes(), &Limits::default())
}

fn learned() -> Template {
    let pages: Vec<Page> = TOPICS.iter().map(|topic| parse(&html(topic))).collect();
    let pages: Vec<&Page> = pages.iter().collect();
    Settings::default().learn_site("shop", &pages, &Serial).expect("enough pages")
}

fn wanted(topic: &str) -> Label {
    let lower = topic.to_lowercase();
    let text = format!(
        "{topic}\n\nEverybody who keeps {lower} in the kitchen knows that it wants a dry place, a \
         closed lid and {} days of rest.",
        topic.len()
    );
    Label::of_text(topic, text)
}

/// A template that was taught labels, and what became of them.
fn taught(labels: &[Label]) -> (Template, TeachReport) {
    let mut template = learned();
    let pages: Vec<Page> = labels.iter().map(|label| parse(&html(&label.id))).collect();
    let labelled: Vec<(&Page, &Label)> = pages.iter().zip(labels).collect();
    let siblings: Vec<Page> = TOPICS.iter().map(|topic| parse(&html(topic))).collect();
    let report = template.teach(&labelled, &siblings.iter().collect::<Vec<_>>());
    (template, report)
}

fn clean(template: &Template, topic: &str) -> CleanPage {
    template.clean(&parse(&html(topic)))
}

#[test]
fn siblings_follow_labels() {
    assert!(clean(&learned(), "Lime").text.contains("of the week"), "the default keeps both");
    let (template, report) = taught(&[wanted("Tea"), wanted("Cake")]);
    let text = clean(&template, "Lime").text;
    assert!(text.contains("wants a dry place") && !text.contains("of the week"), "{text}");
    let kind = &report.kinds[0];
    assert_eq!((kind.pages, kind.agreement, kind.coverage), (2, Some(1.0), Some(1.0)));
    assert!(kind.default_agreement < Some(0.9), "{report:?}");
    assert_eq!(report.pages[0].blocks, [2, 4, 0]);
}

#[test]
fn numbers_and_selectors_say_the_same_as_texts() {
    let expected = clean(&taught(&[wanted("Tea"), wanted("Cake")]).0, "Lime");
    for keep in ["[3, 4]", "[\".post\"]", "[\"/html/body/div[1]\"]"] {
        let label = |topic: &str| {
            serde_json::from_str(&format!(r#"{{"id": "{topic}", "keep": {keep}}}"#))
                .expect("a label")
        };
        assert_eq!(clean(&taught(&[label("Tea"), label("Cake")]).0, "Lime"), expected, "{keep}");
    }
}

#[test]
fn labels_are_stored_shown_and_explained() {
    let (template, _) = taught(&[wanted("Tea"), wanted("Cake"), wanted("Jam")]);
    let read = Template::from_json(template.to_json().as_bytes()).expect("our own file");
    assert_eq!(read, template);
    let shown = read.kinds()[0].learned().show();
    assert!(shown.contains("labelled on 3 pages: Tea, Cake, Jam"), "{shown}");
    let page = parse(&html("Lime"));
    let explanation = read.explain(&page);
    let why: Vec<&str> = explanation.verdicts.iter().map(|verdict| verdict.why.as_str()).collect();
    assert!(why[3].starts_with("its place is labelled on 3 pages: content; "), "{why:?}");
    assert!(why[4].starts_with("its place is labelled on 3 pages: template; "), "{why:?}");
    assert_eq!(explanation.marks, read.mark(&page));
}

#[test]
fn one_wrong_label_among_five_changes_nothing() {
    let topics = ["Tea", "Cake", "Jam", "Bread", "Milk"];
    let mut labels: Vec<Label> = topics.iter().map(|topic| wanted(topic)).collect();
    let right = clean(&taught(&labels).0, "Lime").text;
    let wrong = r#"{"id": "Jam", "keep": [1, 2, 5]}"#;
    labels[2] = serde_json::from_str(wrong).expect("a label");
    let (template, report) = taught(&labels);
    assert_eq!(clean(&template, "Lime").text, right);
    let contradictions = &report.kinds[0].contradictions;
    let home = contradictions.iter().find(|one| one.text == "Home").expect("a contradiction");
    assert_eq!((home.content.as_slice(), home.template.len()), (&["Jam".to_owned()][..], 4));
    assert!(report.pages[2].agreement < Some(0.5), "{report:?}");
}

#[test]
fn pages_laid_out_otherwise_are_left_to_the_default_and_flagged() {
    let (template, _) = taught(&[wanted("Tea"), wanted("Cake")]);
    let other = parse(
        "<table><tr><td>Open on Monday from nine to five, and on Friday until the last guest \
         leaves the house.</td></tr></table>",
    );
    let expected = learned().clean(&other);
    let found = template.clean(&other);
    assert_eq!(found.text, expected.text);
    assert!(found.flags.contains(&Flag::Unlabelled), "{found:?}");
    assert!(!clean(&template, "Lime").flags.contains(&Flag::Unlabelled));
}

#[test]
fn labels_never_empty_a_page() {
    let nothing = |topic: &&str| {
        serde_json::from_str(&format!(r#"{{"id": "{topic}", "keep": []}}"#)).expect("a label")
    };
    let labels: Vec<Label> = TOPICS[..5].iter().map(nothing).collect();
    let page = clean(&taught(&labels).0, "Lime");
    assert_eq!(page.text, clean(&learned(), "Lime").text);
    assert!(!page.text.is_empty());
}

#[test]
fn labels_survive_learning_again_and_are_replaced_by_new_ones() {
    let (template, _) = taught(&[wanted("Tea"), wanted("Cake")]);
    let again = learned().with_overrides_of(&template);
    assert_eq!(again, template);
    let newer = taught(&[wanted("Cake"), wanted("Jam")]).0.with_overrides_of(&template);
    let shown = newer.kinds()[0].learned().show();
    assert!(shown.contains("labelled on 3 pages: Cake, Jam, Tea"), "{shown}");
    assert_eq!(clean(&newer, "Lime"), clean(&template, "Lime"));
}

#[test]
fn later_labels_of_a_page_correct_earlier_ones() {
    let correction = r#"{"id": "Tea", "keep": [".praise"], "partial": true}"#;
    let correction: Label = serde_json::from_str(correction).expect("a label");
    let (_, report) = taught(&[wanted("Tea"), correction]);
    assert_eq!(report.kinds[0].pages, 1);
    let page = parse(&html("Tea"));
    let earlier = wanted("Tea").on(&page).expect("a label");
    let partial = r#"{"id": "Tea", "keep": [".praise"], "partial": true}"#;
    let later: Label = serde_json::from_str(partial).expect("a label");
    let both = later.on(&page).expect("a label").over(&earlier);
    assert_eq!(both.blocks, [0.0, 0.0, 1.0, 1.0, 1.0, 0.0].map(Some));
}

#[test]
fn pages_that_tell_most_are_asked_for_once() {
    let list = |n: usize| {
        let rows: String =
            (0..n % 3 + 3).map(|row| format!("<tr><td>Row {row} of {n}</td></tr>")).collect();
        parse(&format!("<ul class=menu><li><a href=/>Home</a></ul><table>{rows}</table>"))
    };
    let posts: Vec<Page> = TOPICS.iter().map(|topic| parse(&html(topic))).collect();
    let lists: Vec<Page> = (0..8).map(list).collect();
    let all: Vec<&Page> = posts.iter().chain(&lists).collect();
    let mut template = Settings::default().learn_site("shop", &all, &Serial).expect("pages");
    let ids: Vec<String> = (0..all.len()).map(|n| n.to_string()).collect();
    let pages: Vec<(&str, &Page)> = ids.iter().map(String::as_str).zip(all.clone()).collect();
    let questions = template.questions(&pages, Budget { of_kind: 1 });
    let asked: Vec<bool> =
        questions.iter().map(|q| q.id.parse::<usize>().expect("ours") < 12).collect();
    assert_eq!(asked, [true, false], "one of each kind, the larger kind first");
    assert_eq!((questions[0].kind_pages, questions[1].kind_pages), (12, 8));
    assert!(questions[1].covered > 0.95, "{questions:?}");
    assert!(questions[0].page.contains("\n4 div.post>p: Everybody who keeps"), "{questions:?}");
    // What is labelled is not asked for again.
    let post = wanted(TOPICS[questions[0].id.parse::<usize>().expect("ours")]);
    template.teach(&[(&parse(&html(&post.id)), &post)], &[]);
    let left = template.questions(&pages, Budget::default());
    assert!(!left.is_empty() && left.iter().all(|q| q.kind == questions[1].kind), "{left:?}");
}

#[test]
fn what_cannot_be_aligned_is_reported() {
    let mut label = wanted("Tea");
    label.text = label.text.map(|text| text + " Some more words that nobody wrote on this page.");
    let (_, report) = taught(&[label, Label::of_text("Cake", "Nothing of this is there at all.")]);
    assert!((report.pages[0].missing - 0.25).abs() < 0.05, "{report:?}");
    assert!(report.pages[1].error.as_deref().is_some_and(|error| error.contains("another page")));
}
