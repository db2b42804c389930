use proptest::prelude::*;

use super::evidence::ForestChoice;
use super::*;
use crate::methods::LearnedTemplate;
use crate::page::{Limits, NodeId};
use crate::strip::strip;

fn parse(html: &str) -> Page {
    Page::parse(html.as_bytes(), &Limits::default())
}

/// Pages of one mould: menu, an article of its own, a line that differs in a number, a footer.
fn site(pages: usize) -> Vec<Page> {
    let words =
        ["harbour", "lantern", "meadow", "quarry", "orchard", "ferry", "granite", "thistle"];
    (0..pages)
        .map(|page| {
            let word = |step: usize| words[(page * 3 + step * 5 + page * step) % words.len()];
            let paragraphs: String = (0..4)
                .map(|n| {
                    let (a, b, c) = (word(n), word(n + 1), word(n + 2));
                    format!("<p>On walk {page}.{n} the {a} lay behind the {b}, and nobody who came along the \
                             path, neither the {c} keeper nor the children, had seen it before that morning.</p>")
                })
                .collect();
            parse(&format!(
                "<title>Walk {page}: {}</title><body><ul class=menu><li><a href=/>Home</a><li><a href=/walks>All \
                 walks</a><li><a href=/about>About us</a></ul><div id=main><h1>Walk {page}: {}</h1>{paragraphs}</div>\
                 <div class=foot>Copyright the walkers, all rights reserved. Read {} times.</div>",
                word(0), word(0), page * 17 + 3
            ))
        })
        .collect()
}

fn clean(template: &AutoTemplate, page: &Page) -> String {
    strip(page, &template.mark(page)).text()
}

#[test]
fn the_article_stays_and_the_menu_goes() {
    let pages = site(12);
    let template = Auto::default().learn(&Sample::new(&pages)).unwrap();
    let text = clean(&template, &pages[3]);
    assert!(text.contains("On walk 3.0"), "{text}");
    assert!(text.contains("On walk 3.3"), "{text}");
    assert!(!text.contains("About us"), "{text}");
    assert!(!text.contains("Copyright"), "{text}");
}

#[test]
fn articles_are_recognised_and_a_kind_can_be_given() {
    let pages = site(12);
    let kind_of = |auto: Auto| {
        let template = auto.learn(&Sample::new(&pages)).unwrap();
        let stored = serde_json::to_string(&template).unwrap();
        let template: AutoTemplate = serde_json::from_str(&stored).unwrap();
        template.mark(&pages[3]).page_kind()
    };
    assert_eq!(kind_of(Auto::default()), Some(PageKind::Article));
    let given = Auto { kind: Some(PageKind::Forum), ..Auto::default() };
    assert_eq!(kind_of(given), Some(PageKind::Forum));
}

#[test]
fn the_kind_of_a_page_is_evidence() {
    let cards: String = (0..9)
        .map(|n| format!("<li><a href=/{n}><h3>Kettle {n}</h3></a><p>Holds {n} litres<p>{n}9.00 €"))
        .collect();
    let page = parse(&format!(
        "<title>Kettle 30</title><body><h1>Kettle 30</h1><p>A kettle of steel that holds three litres, \
         with a handle of beech.</p><p>59.00 €</p><h2>Also seen</h2><ul>{cards}</ul>"
    ));
    let cards = |kind| {
        let auto = Auto { kind: Some(kind), ..Auto::default() };
        let template = auto.learn(&Sample::new(std::slice::from_ref(&page))).unwrap();
        let marks = template.mark(&page);
        let texts = page.visible_texts().filter(|&id| page.text(id).starts_with("Holds"));
        texts.map(|id| marks.value(id)).sum::<f32>()
    };
    assert!(cards(PageKind::List) < cards(PageKind::Product));
}

#[test]
fn a_page_the_sample_has_not_seen_is_stripped_too() {
    let pages = site(13);
    let template = Auto::default().learn(&Sample::new(&pages[..12])).unwrap();
    let text = clean(&template, &pages[12]);
    assert!(text.contains("On walk 12.0") && !text.contains("About us"), "{text}");
}

#[test]
fn one_page_is_judged_by_what_it_shows() {
    let pages = site(1);
    let template = Auto::default().learn(&Sample::new(&pages)).unwrap();
    let text = clean(&template, &pages[0]);
    assert!(text.contains("On walk 0.0") && text.contains("On walk 0.3"), "{text}");
}

#[test]
fn no_page_is_an_error() {
    let none: [&Page; 0] = [];
    assert_eq!(
        Auto::default().learn(&Sample::new(none)),
        Err(LearnError::NotEnoughPages { found: 0 })
    );
}

#[test]
fn all_unique_keeps_every_text_that_is_on_one_page_only() {
    let pages = site(12);
    let template =
        Auto { keep: Keep::AllUnique, ..Auto::default() }.learn(&Sample::new(&pages)).unwrap();
    for page in &pages {
        let text = clean(&template, page);
        for id in page.visible_texts().filter(|&id| page.text(id).starts_with("On walk")) {
            assert!(text.contains(page.text(id)), "{text}");
        }
        assert!(!text.contains("All walks"), "{text}");
    }
}

#[test]
fn all_unique_keeps_a_frequent_value_whose_slot_varies() {
    let colours = ["red", "red", "blue", "green", "red", "white", "blue", "black", "red", "grey"];
    let pages: Vec<Page> = colours
        .iter()
        .map(|colour| {
            parse(&format!(
                "<table><tr><th>Colour<td>{colour}</table><p>Imprint and contact of the shop</p>"
            ))
        })
        .collect();
    let template =
        Auto { keep: Keep::AllUnique, ..Auto::default() }.learn(&Sample::new(&pages)).unwrap();
    // On 4 of 10 pages, but its slot holds 6 texts. Its label is main content with it.
    assert_eq!(clean(&template, &pages[0]), "Colour\tred");
}

/// Pages of records: a name of its own and fields, whose values repeat.
fn records(pages: usize) -> Vec<Page> {
    let (genres, ratings) = (["Comedy", "Drama", "Comedy", "Western"], ["R", "PG", "R", "PG", "G"]);
    (0..pages)
        .map(|page| {
            let (genre, rating) = (genres[page % genres.len()], ratings[page % ratings.len()]);
            parse(&format!(
                "<title>Film {page}</title><body><ul><li><a href=/>Home</a><li><a href=/films>Films</a></ul><h1>Film \
                 {page}</h1><div><a href=/genre/{genre}>{genre}</a></div><div>Rated {rating}</div><div>Ran {} \
                 minutes</div><div><a href=/imprint>Imprint</a></div>",
                90 + page
            ))
        })
        .collect()
}

fn learned(pages: &[Page]) -> (Evidence, Vec<Blocks>) {
    let sample: Vec<&Page> = pages.iter().collect();
    let names = Names::learn(&sample);
    let cut: Vec<Blocks> = pages.iter().map(|page| Blocks::of(page, &names)).collect();
    (Evidence::learn(names, &sample, &cut), cut)
}

#[test]
fn a_frequent_value_of_a_record_stays() {
    let pages = records(20);
    let (evidence, cut) = learned(&pages);
    for (page, blocks) in pages.iter().zip(&cut) {
        let values = blocks.list.iter().filter(|block| evidence.is_value_of_record(page, block));
        let texts: Vec<String> =
            values.map(|block| page.joined_text(block.nodes.clone())).collect();
        assert_eq!(
            texts.len(),
            2,
            "genre and rating, neither the menu nor what is unique anyway: {texts:?}"
        );
    }
    let template = Auto::default().learn(&Sample::new(&pages)).unwrap();
    for page in &pages {
        let text = clean(&template, page);
        assert!(["Comedy", "Drama", "Western"].iter().any(|genre| text.contains(genre)), "{text}");
        assert!(text.contains("Rated"), "{text}");
        let reasons = template
            .explain(page)
            .verdicts
            .into_iter()
            .filter(|verdict| verdict.why.contains("records"));
        assert_eq!(reasons.filter(|verdict| !verdict.is_template).count(), 2);
    }
}

#[test]
fn records_and_few_pages_have_trees_of_their_own() {
    let fields =
        |n: usize| format!("<h1>Film {n}</h1><div>Rated {}</div><div>Ran {n} minutes</div>", n % 3);
    let prose = |n: usize| format!("A farmer, number {n}, loses his horse and finds another one. ");
    let footer = |n: usize| format!("<div>Read {n} times</div><div>Changed on day {n}</div>");
    let forest = |pages: usize, page: &dyn Fn(usize) -> String| {
        let pages: Vec<Page> = (0..pages).map(|n| parse(&format!("<body>{}", page(n)))).collect();
        learned(&pages).0.forest(PageKind::Article)
    };
    let record = |n| format!("{}<p>{}</p>", fields(n), prose(n));
    let story = |n| format!("{}<p>{}</p>", fields(n), prose(n).repeat(4));
    let article = |n| format!("<p>{}</p>{}", prose(n), footer(n));
    let all = |pages: &[usize], page: &dyn Fn(usize) -> String| -> Vec<ForestChoice> {
        pages.iter().map(|&pages| forest(pages, page)).collect()
    };
    let [usual, records, mean, alone] =
        [ForestChoice::Usual, ForestChoice::Records, ForestChoice::Mean, ForestChoice::Alone];
    assert_eq!(all(&[4, 5, 19, 20], &record), [records; 4], "fields before the text");
    assert_eq!(all(&[4, 5, 19, 20], &story), [records, mean, mean, records], "before much text");
    assert_eq!(
        all(&[1, 2, 4, 5, 20], &article),
        [alone, mean, mean, usual, usual],
        "in the footer"
    );
    let pages: Vec<Page> = (0..20).map(|n| parse(&format!("<body>{}", article(n)))).collect();
    assert_eq!(learned(&pages).0.forest(PageKind::Product), mean, "a record among articles");
}

#[test]
fn neither_articles_nor_few_pages_are_records() {
    for pages in [site(20), records(19)] {
        let (evidence, cut) = learned(&pages);
        for (page, blocks) in pages.iter().zip(&cut) {
            assert!(!blocks.list.iter().any(|block| evidence.is_value_of_record(page, block)));
        }
    }
}

#[test]
fn classes_with_the_subject_of_a_page_do_not_hide_its_places() {
    let page = |n: usize| {
        let subject = ["harbour", "lantern", "meadow", "quarry", "orchard"][n % 5];
        let own = "x".repeat(n + 1);
        parse(&format!(
            "<body><div class='post {subject} {own}'><p>On walk {n} we saw the {subject}.</p></div>"
        ))
    };
    let pages: Vec<Page> = (0..40).map(page).collect();
    let (evidence, cut) = learned(&pages);
    let shared = evidence.path(&cut[0].list[0]).pages;
    assert_eq!(
        shared, 8,
        "pages of the same subject, which a fifth of the pages have, share the path"
    );
}

#[test]
fn a_page_does_not_vanish() {
    let pages = site(12);
    let template = Auto::default().learn(&Sample::new(&pages)).unwrap();
    let other = parse("<ul class=menu><li><a href=/x>Something quite different</a></ul>");
    assert_ne!(clean(&template, &other), "");
}

#[test]
fn every_text_gets_a_reason() {
    let pages = site(6);
    let template = Auto::default().learn(&Sample::new(&pages)).unwrap();
    let verdicts = template.explain(&pages[0]).verdicts;
    for id in pages[0].visible_texts() {
        assert_eq!(verdicts.iter().filter(|verdict| verdict.nodes.contains(id)).count(), 1);
    }
    let menu = verdicts.iter().find(|verdict| verdict.is_template).unwrap();
    assert!(menu.why.contains("text on 6 of 6 pages"), "{}", menu.why);
}

#[test]
fn the_order_of_the_sample_does_not_matter() {
    let mut pages = site(9);
    let forward = Auto::default().learn(&Sample::new(&pages)).unwrap();
    pages.reverse();
    assert_eq!(Auto::default().learn(&Sample::new(&pages)).unwrap(), forward);
    pages.swap(1, 5);
    assert_eq!(Auto::default().learn(&Sample::new(&pages)).unwrap(), forward);
}

#[test]
fn a_template_survives_its_file() {
    let pages = site(9);
    let template =
        Auto { keep: Keep::Article, ..Auto::default() }.learn(&Sample::new(&pages)).unwrap();
    let json = serde_json::to_string(&template).unwrap();
    assert_eq!(serde_json::from_str::<AutoTemplate>(&json).unwrap(), template);
    let learned = crate::Learned::Auto(template.clone());
    let kind = crate::KindTemplate::new("a#1", learned);
    let whole = crate::Template::new("a", kind);
    assert_eq!(crate::Template::from_json(whole.to_json().as_bytes()).unwrap(), whole);
    for damage in [
        ("\"evidence\":{\"pages\":9", "\"evidence\":{\"pages\":1"),
        ("\"places\":[\"", "\"places\":[\"x"),
    ] {
        assert!(json.contains(damage.0));
        assert!(
            serde_json::from_str::<AutoTemplate>(&json.replace(damage.0, damage.1)).is_err(),
            "{damage:?}"
        );
    }
}

#[test]
fn a_damaged_model_is_refused() {
    let stored = include_str!("model.json");
    assert!(Model::from_json(stored.as_bytes()).is_ok());
    assert!(matches!(Model::from_json(b"{}"), Err(ModelError::Syntax(_))));
    let renamed = stored.replacen("\"words\"", "\"wörds\"", 1);
    assert!(matches!(Model::from_json(renamed.as_bytes()), Err(ModelError::OtherFeatures)));
    let mut value: serde_json::Value = serde_json::from_str(stored).unwrap();
    value["usual"]["trees"][0]["low"][0] = 0.into();
    let endless = serde_json::to_vec(&value).unwrap();
    assert!(
        matches!(Model::from_json(&endless), Err(ModelError::Damaged)),
        "a tree that leads back to its root"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_judged(inputs in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..200), 1..4)) {
        let pages: Vec<Page> = inputs.iter().map(|bytes| Page::parse(bytes, &Limits::default())).collect();
        for keep in [Keep::AllUnique, Keep::Main, Keep::Article] {
            let template = Auto { keep, ..Auto::default() }.learn(&Sample::new(&pages)).unwrap();
            for page in &pages {
                let marks = template.mark(page);
                for id in page.nodes() {
                    prop_assert!((0.0..=1.0).contains(&marks.value(id)));
                }
            }
        }
    }

    #[test]
    fn tag_soup_is_judged(soup in "(<(div|p|li|ul|a href=x|br|td|table|/div|/p|/a|h1|b)>|[a-z ]{1,12}|[0-9]){0,60}") {
        let pages = [parse(&soup), parse("<p>one"), parse(&format!("{soup}<p>two"))];
        let template = Auto::default().learn(&Sample::new(&pages)).unwrap();
        for page in &pages {
            let blocks = Blocks::of(page, &Names::default());
            let mut texts: Vec<NodeId> = blocks
                .list
                .iter()
                .flat_map(|block| block.nodes.clone().filter(|&id| page.is_text(id)).collect::<Vec<_>>())
                .collect();
            texts.dedup();
            prop_assert_eq!(texts, page.visible_texts().collect::<Vec<_>>(), "every text is in one block");
            template.mark(page);
        }
    }
}
