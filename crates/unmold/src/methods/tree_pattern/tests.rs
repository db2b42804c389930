//! Tests the learner against expected values, the matcher against a plain one, and the invariants
//! of both.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;

use super::items::{Item, Seq};
use super::matching::Fit;
use super::pattern::Part;
use super::*;
use crate::template::{KindTemplate, Template, TemplateSet};
use crate::{Learned, Source};
use crate::{Limits, strip};

// ------------------------------------------------------------------------------------------------
// trees from JSON and words

const UNLIMITED: Budget = Budget { max_cells: u64::MAX, max_kept: u64::MAX };

/// A tree written as nested lists `[name, {attributes}, child, …]`, texts as strings.
struct Sketch {
    tree: Tree,
    /// Attributes of elements, or the text.
    values: Vec<Value>,
    parents: Vec<Option<u32>>,
}

impl Sketch {
    fn of_json(value: &Value, names: &mut Names) -> Sketch {
        let mut values = Vec::new();
        let mut labels = Vec::new();
        let mut parents: Vec<Option<u32>> = Vec::new();
        let mut open = vec![(value, None)];
        while let Some((value, parent)) = open.pop() {
            let id = labels.len() as u32;
            parents.push(parent);
            match value.as_array() {
                None => {
                    labels.push(names.number("#text"));
                    values.push(value.clone());
                }
                Some(list) => {
                    labels.push(names.number(list[0].as_str().unwrap()));
                    values.push(list[1].clone());
                    open.extend(list[2..].iter().rev().map(|child| (child, Some(id))));
                }
            }
        }
        let mut sizes = vec![1; labels.len()];
        for id in (1..labels.len()).rev() {
            sizes[parents[id].unwrap() as usize] += sizes[id];
        }
        Sketch { tree: Tree::new(labels, sizes), values, parents }
    }

    fn features(&self, names: &Names, id: u32, take: &mut dyn FnMut(FeatureKind, &str)) {
        if self.tree.size(id) > 1 {
            return;
        }
        let name = |id: u32| names.name(self.tree.labels[id as usize]);
        let attribute =
            |id: u32, name: &str| self.values[id as usize][name].as_str().unwrap_or("").to_owned();
        if let Some(text) = self.values[id as usize].as_str() {
            take(FeatureKind::Text, &text.trim().to_lowercase());
        }
        if name(id) == "img" {
            take(FeatureKind::Image, &attribute(id, "src"));
        }
        let up = std::iter::successors(Some(id), |&id| self.parents[id as usize]);
        if let Some(link) = up.into_iter().find(|&id| name(id) == "a") {
            take(FeatureKind::Link, &attribute(link, "href"));
        }
    }
}

/// A root with a child for each letter.
fn word(word: &str, names: &mut Names) -> Tree {
    let mut labels = vec![names.number("root")];
    labels.extend(word.chars().map(|letter| names.number(&letter.to_string())));
    let mut sizes = vec![1; labels.len()];
    sizes[0] = labels.len() as u32;
    Tree::new(labels, sizes)
}

fn thresholds() -> Thresholds {
    TreePattern::default().thresholds()
}

/// The result of learning from trees in the given order.
struct Lesson {
    learner: Learner,
    pattern: Pattern,
    used: Vec<usize>,
}

fn lesson(
    settings: Thresholds,
    page_similarity: f64,
    make: impl FnOnce(&mut Names) -> Vec<Tree>,
) -> (Lesson, Vec<Tree>) {
    let mut learner = Learner::new(settings, page_similarity, UNLIMITED);
    let trees = make(&mut learner.names);
    let order: Vec<usize> = (0..trees.len()).collect();
    let (root, used) = learner.generalise(&trees, &order);
    let pattern = Pattern::of_item(&learner.generaliser.items, root);
    (Lesson { learner, pattern, used }, trees)
}

fn learn_words(words: &[&str]) -> Lesson {
    lesson(thresholds(), 0.3, |names| words.iter().map(|letters| word(letters, names)).collect()).0
}

impl Lesson {
    /// The pattern below the root.
    fn below_root(&self) -> String {
        let whole = self.pattern.notation(&self.learner.names);
        whole.strip_prefix("root{").and_then(|rest| rest.strip_suffix('}')).unwrap_or("").to_owned()
    }
}

/// The expected values in `fixtures/vectors`.
fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/vectors/tree_regex.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

// ------------------------------------------------------------------------------------------------
// vectors

#[test]
fn the_papers_example_page_by_page() {
    let vectors = vectors();
    let example = &vectors["paper_example"];
    let (words, expected) = (strings(&example["train"]), strings(&example["after_each"]));
    for pages in 1..=words.len() {
        assert_eq!(learn_words(&words[..pages]).below_root(), expected[pages - 1]);
    }
    let mut lesson = learn_words(&words);
    for (letters, expected) in example["match_cost"].as_object().unwrap() {
        let page = word(letters, &mut lesson.learner.names);
        let found = fit(&lesson.pattern, &page, Effort::LEARNING);
        let mapped = found.parts.iter().flatten().count() as u64 - 1;
        let expected = (expected["cost"].as_u64().unwrap(), expected["mapped"].as_u64().unwrap());
        assert_eq!((u64::from(found.cost), mapped), expected, "{letters:?}");
    }
}

#[test]
fn all_orders_of_the_papers_example_give_one_language() {
    let vectors = vectors();
    let example = &vectors["paper_example"];
    let words = strings(&example["train"]);
    let mut forms: Vec<String> = permutations(words.len())
        .iter()
        .map(|order| {
            learn_words(&order.iter().map(|&at| words[at]).collect::<Vec<_>>()).below_root()
        })
        .collect();
    assert_eq!(forms.len(), 120);
    forms.sort();
    forms.dedup();
    assert_eq!(forms, strings(&example["templates_over_all_120_orders"]));
}

fn permutations(length: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            let free = (0..length).filter(|at| !order.contains(at));
            free.map(|at| [&order[..], &[at]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[test]
fn folding_generalisation_and_similarity() {
    let vectors = vectors();
    for (letters, expected) in vectors["folding"].as_object().unwrap() {
        assert_eq!(learn_words(&[letters]).below_root(), expected.as_str().unwrap());
    }
    for (words, expected) in vectors["generalisation"].as_object().unwrap() {
        let words: Vec<&str> = words.split(' ').collect();
        assert_eq!(learn_words(&words).below_root(), expected.as_str().unwrap());
    }
    let mut learner = Learner::new(thresholds(), 0.3, UNLIMITED);
    let mut pattern = |json: &str| {
        let sketch = Sketch::of_json(&serde_json::from_str(json).unwrap(), &mut learner.names);
        learner.generaliser.pattern_of(&sketch.tree)
    };
    let (a, b) = (pattern(r#"["p", {}, "x"]"#), pattern(r#"["p", {}, "x", ["b", {}, "y"], "z"]"#));
    let items = &mut learner.generaliser.items;
    let expected = &vectors["similarity"];
    assert_eq!(u64::from(items.common(a, b)), expected["match"].as_u64().unwrap());
    assert_eq!((items.size(a), items.size(b)), (2, 5));
    assert!((items.similarity(a, b) - expected["sim"].as_f64().unwrap()).abs() < 1e-9);
}

#[test]
fn pattern_and_supports_of_a_site() {
    let vectors = vectors();
    let site = &vectors["site_example"];
    let mut sketches = Vec::new();
    let (mut lesson, trees) = lesson(thresholds(), 0.3, |names| {
        sketches.extend(
            site["train"].as_array().unwrap().iter().map(|page| Sketch::of_json(page, names)),
        );
        sketches.iter().map(|sketch| sketch.tree.clone()).collect()
    });
    assert_eq!(lesson.pattern.notation(&lesson.learner.names), site["template"].as_str().unwrap());
    assert_eq!(lesson.used.len(), site["used"].as_array().unwrap().len());
    let mut supports = Supports::new(lesson.pattern.len());
    for (sketch, tree) in sketches.iter().zip(&trees) {
        let found = fit(&lesson.pattern, tree, Effort::LEARNING);
        supports.add_leaves(&found, |id, take| {
            sketch.features(&lesson.learner.names, id.position(), take)
        });
    }
    assert_eq!(leaf_supports(&lesson, &supports), expected_supports(&site["leaf_stats"]));
    let test = Sketch::of_json(&site["test"], &mut lesson.learner.names);
    assert_eq!(
        u64::from(fit(&lesson.pattern, &test.tree, Effort::LEARNING).cost),
        site["match_cost"].as_u64().unwrap()
    );
}

/// For each leaf its path, its pages, and its features as `kind:beginning` with their pages.
type LeafSupports = Vec<(String, u64, BTreeMap<String, u64>)>;

fn leaf_supports(lesson: &Lesson, supports: &Supports) -> LeafSupports {
    let mut found = Vec::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    for (id, part) in lesson.pattern.parts.iter().enumerate() {
        while open.last().is_some_and(|open| open.0 <= id) {
            open.pop();
        }
        let symbol = match part {
            Part::Element(label) => lesson.learner.names.name(*label),
            Part::Star => "*",
            Part::Optional => "?",
            Part::Or => "|",
            Part::Alternative => "-",
        };
        let path = format!("{}/{symbol}", open.last().map_or("", |open| &open.1));
        if lesson.pattern.sizes[id] == 1 {
            let features = supports.features.iter().filter(|((part, _), _)| *part as usize == id);
            let features = features.map(|((_, feature), (pages, value))| {
                let kind = match feature.kind {
                    FeatureKind::Text => "text",
                    FeatureKind::Image => "img",
                    FeatureKind::Link => "link",
                };
                (
                    format!("{kind}:{}", value.chars().take(40).collect::<String>()),
                    u64::from(*pages),
                )
            });
            found.push((path.clone(), u64::from(supports.parts[id]), features.collect()));
        }
        open.push((id + lesson.pattern.sizes[id] as usize, path));
    }
    found
}

fn expected_supports(value: &Value) -> LeafSupports {
    let leaf = |leaf: &Value| {
        let features = leaf["feats"].as_object().unwrap();
        let features = features.iter().map(|(name, pages)| (name.clone(), pages.as_u64().unwrap()));
        (
            leaf["path"].as_str().unwrap().to_owned(),
            leaf["ps"].as_u64().unwrap(),
            features.collect(),
        )
    };
    value.as_array().unwrap().iter().map(leaf).collect()
}

// ------------------------------------------------------------------------------------------------
// the optimised matcher against a plain one

/// The definition of the matcher: tries every way to read the children.
struct Plain<'a> {
    learner: &'a Learner,
    tree: &'a Tree,
}

/// What to read next.
#[derive(Clone, Copy)]
enum Next {
    Item(ItemId),
    /// Either repeat the list or stop; repeat only if something was read since.
    Again(ItemId, usize),
}

impl Plain<'_> {
    fn min_size(&self, id: ItemId) -> u32 {
        let sum = |seq: &Seq| seq.iter().map(|&id| self.min_size(id)).sum::<u32>();
        match self.learner.generaliser.items.get(id) {
            Item::Element { seq, .. } => 1 + sum(seq),
            Item::Star(seq) => sum(seq),
            Item::Optional(_) => 0,
            Item::Or(alternatives) => alternatives.iter().map(sum).min().unwrap(),
        }
    }

    fn tree(&self, id: ItemId, node: u32) -> u32 {
        let Item::Element { seq, .. } = self.learner.generaliser.items.get(id) else {
            panic!("not an element")
        };
        self.seq(
            &seq.iter().map(|&id| Next::Item(id)).collect::<Vec<_>>(),
            self.tree.children(node),
        )
    }

    fn seq(&self, next: &[Next], children: &[u32]) -> u32 {
        let Some((&first, rest)) = next.split_first() else {
            return children.iter().map(|&child| self.tree.size(child)).sum();
        };
        let then = |seq: &Seq, again: Option<Next>| {
            let next: Vec<Next> = seq
                .iter()
                .map(|&id| Next::Item(id))
                .chain(again)
                .chain(rest.iter().copied())
                .collect();
            self.seq(&next, children)
        };
        let id = match first {
            Next::Again(_, before) if before == children.len() => return self.seq(rest, children),
            Next::Again(list, _) => {
                return self
                    .seq(rest, children)
                    .min(self.seq(&[&[Next::Item(list)], rest].concat(), children));
            }
            Next::Item(id) => id,
        };
        match self.learner.generaliser.items.get(id) {
            Item::Star(seq) => then(seq, Some(Next::Again(id, children.len()))),
            Item::Optional(seq) => self.seq(rest, children).min(then(seq, None)),
            Item::Or(alternatives) => alternatives.iter().map(|seq| then(seq, None)).min().unwrap(),
            Item::Element { label, .. } => {
                let mut best = self.min_size(id) + self.seq(rest, children);
                if let Some((&child, others)) = children.split_first() {
                    best = best.min(self.tree.size(child) + self.seq(next, others));
                    if self.tree.labels[child as usize] == *label {
                        best = best.min(self.tree(id, child) + self.seq(rest, others));
                    }
                }
                best
            }
        }
    }
}

/// A tree from parents and names: the parent of node `i + 1` is an earlier node. Names are the
/// first few `letters`.
fn tree_of_parents(parents: &[(usize, u8)], letters: u8, names: &mut Names) -> Tree {
    let mut children = vec![Vec::new(); parents.len() + 1];
    for (id, &(parent, _)) in parents.iter().enumerate() {
        children[parent % (id + 1)].push(id + 1);
    }
    let (mut labels, mut order, mut sizes) =
        (Vec::new(), Vec::new(), vec![1u32; parents.len() + 1]);
    let mut open = vec![0];
    while let Some(id) = open.pop() {
        order.push(id);
        let name = if id == 0 {
            "root".to_owned()
        } else {
            ((b'A' + parents[id - 1].1 % letters) as char).to_string()
        };
        labels.push(names.number(&name));
        open.extend(children[id].iter().rev());
    }
    for &id in order.iter().rev() {
        sizes[id] += children[id].iter().map(|&child| sizes[child]).sum::<u32>();
    }
    Tree::new(labels, order.iter().map(|&id| sizes[id]).collect())
}

fn parents(max_nodes: usize) -> impl Strategy<Value = Vec<(usize, u8)>> {
    prop::collection::vec((0usize..64, any::<u8>()), 0..max_nodes)
}

fn parent_lists(
    max_pages: usize,
    max_nodes: usize,
) -> impl Strategy<Value = Vec<Vec<(usize, u8)>>> {
    prop::collection::vec(parents(max_nodes), 1..max_pages)
}

/// Checks that the mapping preserves order, ancestry and labels.
fn check_mapping(pattern: &Pattern, tree: &Tree, found: &Fit) {
    let mut parents = vec![None; tree.len() as usize];
    for id in 0..tree.len() {
        for &child in tree.children(id) {
            parents[child as usize] = Some(id);
        }
    }
    let element_above = |part: u32| {
        (0..part).rev().find(|&up| {
            matches!(pattern.parts[up as usize], Part::Element(_))
                && up + pattern.sizes[up as usize] > part
        })
    };
    let lists = pattern.lists();
    for id in 0..tree.len() {
        let Some(part) = found.parts[id as usize] else { continue };
        assert_eq!(pattern.parts[part as usize], Part::Element(tree.labels[id as usize]));
        let parent_part = parents[id as usize].and_then(|parent: u32| found.parts[parent as usize]);
        assert_eq!(element_above(part), parent_part);
        let earlier = tree
            .children(parents[id as usize].unwrap_or(0))
            .iter()
            .take_while(|&&sibling| sibling < id);
        for before in earlier.filter_map(|&sibling| found.parts[sibling as usize]) {
            assert!(before < part || lists[part as usize].is_some(), "order changed outside lists");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_page_learned_from_fits_exactly(
        pages in parent_lists(6, 24), letters in 1u8..5, alternatives: bool, similarity in 0.0f64..0.7,
    ) {
        let settings = Thresholds { alternatives, align_similarity: similarity, ..thresholds() };
        let (lesson, trees) = lesson(settings, 0.0, |names| {
            pages.iter().map(|parents| tree_of_parents(parents, letters, names)).collect()
        });
        prop_assert_eq!(lesson.used.len(), trees.len());
        prop_assert!(alternatives || !lesson.pattern.parts.contains(&Part::Or));
        let mut supports = Supports::new(lesson.pattern.len());
        for tree in &trees {
            let found = fit(&lesson.pattern, tree, Effort::LEARNING);
            prop_assert_eq!(found.cost, 0, "{}", lesson.pattern.notation(&lesson.learner.names));
            prop_assert!(found.parts.iter().all(Option::is_some));
            check_mapping(&lesson.pattern, tree, &found);
            supports.add_leaves(&found, |id, take| take(FeatureKind::Text, &(id.position() % 3).to_string()));
        }
        for ((part, _), (pages, _)) in supports.features.iter().collect::<BTreeMap<_, _>>() {
            prop_assert!(*pages <= supports.parts[*part as usize]);
        }
        prop_assert!(supports.parts.iter().all(|&pages| pages <= trees.len() as u32));
    }

    #[test]
    fn every_word_learned_from_fits_exactly(words in prop::collection::vec("[A-E]{1,12}", 1..7)) {
        let make = |names: &mut Names| words.iter().map(|letters| word(letters, names)).collect();
        let (lesson, trees) = lesson(thresholds(), 0.0, make);
        for tree in &trees {
            prop_assert_eq!(fit(&lesson.pattern, tree, Effort::LEARNING).cost, 0, "{}", lesson.below_root());
        }
    }

    #[test]
    fn cost_equals_that_of_the_plain_matcher(pages in parent_lists(4, 8), other in parents(8), letters in 1u8..4) {
        let mut learner = Learner::new(thresholds(), 0.0, UNLIMITED);
        let trees: Vec<Tree> =
            pages.iter().map(|parents| tree_of_parents(parents, letters, &mut learner.names)).collect();
        let (root, _) = learner.generalise(&trees, &(0..trees.len()).collect::<Vec<_>>());
        let tree = tree_of_parents(&other, letters, &mut learner.names);
        let pattern = Pattern::of_item(&learner.generaliser.items, root);
        let found = fit(&pattern, &tree, Effort::LEARNING);
        check_mapping(&pattern, &tree, &found);
        let plain = Plain { learner: &learner, tree: &tree };
        prop_assert_eq!(found.cost, plain.tree(root, 0), "{}", pattern.notation(&learner.names));
    }

    #[test]
    fn an_item_has_all_nodes_in_common_with_itself_and_no_more_with_others(
        pages in parent_lists(5, 16), letters in 1u8..4,
    ) {
        let mut learner = Learner::new(thresholds(), 0.0, UNLIMITED);
        let trees: Vec<Tree> =
            pages.iter().map(|parents| tree_of_parents(parents, letters, &mut learner.names)).collect();
        let (root, _) = learner.generalise(&trees, &(0..trees.len()).collect::<Vec<_>>());
        let items = &mut learner.generaliser.items;
        let below = items.body(root);
        prop_assert_eq!(items.common_of_seqs(&below, &below), items.size(root));
        for id in 0..root {
            let common = items.common(id, root);
            prop_assert!(common <= items.size(id).min(items.size(root)));
        }
    }
}

// ------------------------------------------------------------------------------------------------
// pages

fn page(html: &str) -> Page {
    Page::parse(html.as_bytes(), &Limits::default())
}

fn article(number: usize) -> Page {
    let menu =
        "<ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/shop>Shop</a></ul>";
    let paragraphs: String =
        (0..number % 4 + 1).map(|n| format!("<p>Unique text {number} {n}</p>")).collect();
    let advert = if number.is_multiple_of(3) {
        "<table><tr><td><img src=/ad.gif alt=Ad></table>"
    } else {
        ""
    };
    page(&format!(
        "<title>Page {number}</title><div>{menu}</div><div><h1>Title {number}</h1>{paragraphs}</div>{advert}\
         <div><hr>Imprint of the site</div>"
    ))
}

fn recipe(number: usize) -> Page {
    page(&format!(
        "<title>Recipe {number}</title><main><section><h2>Kitchen corner</h2><dl><dt>Time</dt><dd>{number} min</dd>\
         <dt>For</dt><dd>{number}a</dd></dl><ol><li><b>Stir {number} times.</b></li></ol></section></main>"
    ))
}

fn stripped(template: &PatternTemplate, page: &Page) -> String {
    strip(page, &template.mark(page)).text()
}

fn expected_text(number: usize) -> String {
    let paragraphs: Vec<String> =
        (0..number % 4 + 1).map(|n| format!("Unique text {number} {n}")).collect();
    format!("Title {number}\n{}", paragraphs.join("\n"))
}

#[test]
fn content_that_repeats_in_its_place_is_removed() {
    let pages: Vec<Page> = (0..12).map(article).collect();
    for settings in [TreePattern::default(), TreePattern::paper()] {
        let template = settings.learn(&Sample::new(&pages)).unwrap();
        for number in [3, 50, 51] {
            assert_eq!(stripped(&template, &article(number)), expected_text(number));
        }
        assert!(template.mark(&article(50)).template_match() > 0.9);
        // Elsewhere the same text is content, unless it has too many words for a coincidence.
        let elsewhere =
            page("<title>x</title><div></div><div><h1>Home</h1><p>Imprint of the site</p></div>");
        let left = if settings.elsewhere { "Home" } else { "Home\nImprint of the site" };
        assert_eq!(stripped(&template, &elsewhere), left);
    }
}

#[test]
fn patterns_are_written_readably() {
    let pages: Vec<Page> = (0..6).map(article).collect();
    let template = TreePattern::default().learn(&Sample::new(&pages)).unwrap();
    let expected = "html{head{title{#text}} body{div{ul{(li{a{#text}})*}} div{h1{#text} (p{#text})*} \
                    (table{tbody{tr{td{img}}}})? div{hr #text}}}";
    assert_eq!(template.notation(0), expected);
    let outline = template.outline(0, 60);
    assert!(outline.contains("\n    div{ul{(li{a{#text}})*}}\n"), "{outline}");
    assert_eq!(outline.split_whitespace().collect::<String>(), expected.replace(' ', ""));
}

#[test]
fn foreign_pages_are_left_out_and_other_kinds_get_their_own_pattern() {
    let mut pages: Vec<Page> = (0..12).map(article).collect();
    pages.extend((0..6).map(recipe));
    pages.push(page("<title>404</title>not found"));
    let one = TreePattern::paper().learn(&Sample::new(&pages)).unwrap();
    assert_eq!(one.patterns().len(), 1);
    let all = TreePattern::default().learn(&Sample::new(&pages)).unwrap();
    assert_eq!(all.patterns().len(), 2);
    assert_eq!(all.pages() + all.stored().foreign_pages, 19);
    assert!(one.stored().foreign_pages > 0);
    assert_eq!(stripped(&all, &article(97)), expected_text(97));
    assert_eq!(stripped(&all, &recipe(98)), "98 min\n98a\nStir 98 times.");
}

#[test]
fn fewer_than_two_different_pages_have_no_template() {
    let one = article(1);
    for settings in [TreePattern::default(), TreePattern::paper()] {
        for pages in [vec![], vec![&one], vec![&one, &one]] {
            let error = settings.learn(&Sample::new(pages.clone())).unwrap_err();
            assert_eq!(error, LearnError::NotEnoughPages { found: pages.len().min(1) });
        }
        assert!(settings.learn(&Sample::new([&one, &recipe(1)])).is_ok());
    }
}

#[test]
fn parts_on_few_pages_are_ignored() {
    let rare = |number: usize| {
        let notice =
            if number < 2 { "<blockquote><i>Sale today only</i></blockquote>" } else { "" };
        page(&format!("<h1>Shop</h1>{notice}<p>Thing {number}</p>"))
    };
    let pages: Vec<Page> = (0..12).map(rare).collect();
    let strict = TreePattern::default().learn(&Sample::new(&pages)).unwrap();
    assert_eq!(stripped(&strict, &rare(0)), "Sale today only\nThing 0");
    let settings = TreePattern { node_support: 0.1, ..TreePattern::default() };
    let lax = settings.learn(&Sample::new(&pages)).unwrap();
    assert_eq!(stripped(&lax, &rare(0)), "Thing 0");
}

#[test]
fn features_of_a_leaf_are_combined() {
    // The text is always the same, the link target never.
    let more = |number: usize| {
        page(&format!("<h1>Shop</h1><p><a href=/{number}>Read more</a></p><p>Thing {number}</p>"))
    };
    let pages: Vec<Page> = (0..8).map(more).collect();
    for (combine, is_removed) in
        [(Combine::Mean, true), (Combine::Min, false), (Combine::Max, true)]
    {
        let settings = TreePattern { combine, elsewhere: false, ..TreePattern::default() };
        let template = settings.learn(&Sample::new(&pages)).unwrap();
        assert_eq!(
            !stripped(&template, &more(50)).contains("Read more"),
            is_removed,
            "{combine:?}"
        );
    }
}

#[test]
fn deep_wide_and_empty_pages_are_supported() {
    let deep = |number: usize| page(&format!("{}<i>{number}</i>", "<div>".repeat(500)));
    let pages = [deep(1), deep(2), deep(3)];
    let template = TreePattern::default().learn(&Sample::new(&pages)).unwrap();
    assert_eq!(stripped(&template, &deep(4)), "4");
    assert_eq!(stripped(&template, &page("")), "");
    let wide = |salt: usize| {
        let kinds = ["p", "h2", "blockquote", "pre", "address"];
        let leaves: String = (0..6_000)
            .map(|n| {
                let kind = kinds[(n * n + salt * n / 7) % 5];
                format!("<{kind}>{n} {salt}</{kind}>")
            })
            .collect();
        page(&format!("<div>Menu</div>{leaves}"))
    };
    let pages = [wide(1), wide(2), wide(3)];
    let template = TreePattern::default().learn(&Sample::new(&pages)).unwrap();
    let text = stripped(&template, &wide(4));
    assert!(text.ends_with("5999 4") && text.contains("0 4"), "{}", text.len());
}

#[test]
fn a_page_over_the_limits_is_neither_learned_from_nor_stripped() {
    let pages: Vec<Page> = (0..4).map(article).collect();
    let template = TreePattern::default().learn(&Sample::new(&pages)).unwrap();
    let limits = Limits::default().with_nodes(5);
    let large = Page::parse(b"<div><ul><li><a href=/>Home</a></ul></div><p>a<p>b<p>c", &limits);
    assert!(large.flags().contains(&Flag::TooLarge));
    assert!(stripped(&template, &large).contains("Home"));
    let error = TreePattern::default().learn(&Sample::new([&large, &pages[0]])).unwrap_err();
    assert_eq!(error, LearnError::NotEnoughPages { found: 1 });
}

#[test]
fn the_same_pages_give_the_same_file() {
    let pages: Vec<Page> =
        (0..24).map(|n| if n % 3 == 0 { recipe(n) } else { article(n) }).collect();
    let file = |settings: &TreePattern| {
        let learned = Learned::TreePattern(settings.learn(&Sample::new(&pages)).unwrap());
        Template::new("site", KindTemplate::new("site#1", learned)).to_json()
    };
    for settings in [TreePattern::default(), TreePattern::paper()] {
        let text = file(&settings);
        assert_eq!(text, file(&settings));
        let read = TemplateSet::from_json(text.as_bytes()).unwrap();
        assert_eq!(read.to_json(), text);
        let Learned::TreePattern(template) = read.kinds().next().unwrap().learned() else {
            panic!("not a pattern template")
        };
        assert_eq!(template, &settings.learn(&Sample::new(&pages)).unwrap());
        for (good, bad) in [
            ("\"depth\": 1", "\"depth\": 7"),
            ("\"part\": \"html\"", "\"part\": \"*\""),
            ("\"part\": \"head\"", "\"part\": \"-\""),
        ] {
            assert!(
                TemplateSet::from_json(text.replacen(good, bad, 1).as_bytes()).is_err(),
                "{bad}"
            );
        }
    }
}

#[test]
fn parts_are_described_by_path_and_pages() {
    let pages: Vec<Page> = (0..10).map(article).collect();
    let template = TreePattern::default().learn(&Sample::new(&pages)).unwrap();
    let unseen = article(50);
    let marks = template.mark(&unseen);
    let home = unseen.visible_texts().find(|&id| unseen.text(id) == "Home").unwrap();
    let Some(Source::Part(source)) = marks.source(home) else { panic!("source is not a part") };
    assert_eq!(
        template.describe(source).unwrap(),
        "div > ul > (li)* > a > #text, on 10 of 10 pages"
    );
    assert_eq!(template.describe(1_000_000), None);
    assert!(template.text().contains("home") && !template.text().contains("unique"));
}

// ------------------------------------------------------------------------------------------------
// corpus

fn html_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() { html_files(&entry, files) } else { files.push(entry) }
    }
}

#[test]
fn needs_corpus_pages_of_every_site_fit_the_pattern_they_made() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus");
    if !corpus.join("sites").exists() {
        println!("skipped: {} does not exist", corpus.display());
        return;
    }
    let (mut sites, mut checked) = (0, 0);
    for set in ["sites", "docs", "swde", "big9", "dragnet", "cleanportaleval"] {
        let mut folders: Vec<PathBuf> = std::fs::read_dir(corpus.join(set))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        folders.sort();
        for site in folders.iter().filter(|site| site.join("pages").is_dir()) {
            let mut files = Vec::new();
            html_files(&site.join("pages"), &mut files);
            let step = (files.len() / 4).max(1);
            let pages: Vec<Page> = files
                .iter()
                .step_by(step)
                .take(4)
                .map(|file| Page::parse(&std::fs::read(file).unwrap(), &Limits::default()))
                .filter(|page| page.len() < 1000)
                .collect();
            let (lesson, trees) = lesson(thresholds(), 0.0, |names| {
                let mut trees: Vec<Tree> =
                    pages.iter().map(|page| Tree::numbered(page, names)).collect();
                trees.retain(|tree| tree.len() > 1);
                if trees.is_empty() { vec![word("", names)] } else { trees }
            });
            for &used in &lesson.used {
                assert_eq!(
                    fit(&lesson.pattern, &trees[used], Effort::LEARNING).cost,
                    0,
                    "{}",
                    site.display()
                );
                checked += 1;
            }
            sites += 1;
        }
    }
    println!("{checked} pages of {sites} sites");
    assert!(sites > 100 && checked > 300, "{checked} pages of {sites} sites");
}
