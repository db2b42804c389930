//! Tests the mapping against a plain one and against brute force, and the method on pages.

use proptest::prelude::*;
use serde_json::Value;
use unmold_html::hash::KeyedSet;
use xxhash_rust::xxh3::xxh3_64;

use super::find::{Intersection, Learn, Specimen};
use super::greedy::{Greedy, Repeats};
use super::mapping::{Mapper, Mapping};
use super::tree::{Index, Run, Tree};
use super::*;
use crate::template::{KindTemplate, Template, TemplateSet};
use crate::{Learned, Source};
use crate::{Limits, strip};

const BUDGET: u64 = 1 << 26;
const COSTS: [(u8, u8, u8); 3] = [(1, 1, 1), (1, 1, 2), (1, 2, 2)];

fn costs((delete, insert, replace): (u8, u8, u8)) -> Costs {
    Costs::new(delete, insert, replace).unwrap()
}

// ------------------------------------------------------------------------------------------------
// trees from JSON and parent lists

/// A tree written as nested lists `[label, child, …]`.
#[derive(Clone, Default, Debug)]
struct Sketch {
    labels: Vec<String>,
    parents: Vec<usize>,
}

impl Sketch {
    fn of_json(value: &Value) -> Sketch {
        let mut sketch = Sketch::default();
        let mut open = vec![(value, 0)];
        while let Some((value, parent)) = open.pop() {
            let id = sketch.labels.len();
            let parts = value.as_array().unwrap();
            sketch.labels.push(parts[0].as_str().unwrap().to_owned());
            sketch.parents.push(parent);
            open.extend(parts[1..].iter().rev().map(|child| (child, id)));
        }
        sketch
    }

    /// `nodes[i]` = label and parent of node `i + 1`, which need not be in document order.
    fn of_parents(nodes: &[(usize, char)]) -> Sketch {
        let mut children = vec![Vec::new(); nodes.len() + 1];
        for (id, &(parent, _)) in nodes.iter().enumerate() {
            children[parent].push(id + 1);
        }
        let mut sketch = Sketch::default();
        let mut open = vec![(0, 0)];
        while let Some((id, parent)) = open.pop() {
            let number = sketch.labels.len();
            sketch.labels.push(if id == 0 { "r".to_owned() } else { nodes[id - 1].1.to_string() });
            sketch.parents.push(parent);
            open.extend(children[id].iter().rev().map(|&child| (child, number)));
        }
        sketch
    }

    fn len(&self) -> usize {
        self.labels.len()
    }

    fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![1; self.len()];
        for id in (1..self.len()).rev() {
            sizes[self.parents[id]] += sizes[id];
        }
        sizes
    }

    fn specimen(&self, numbers: &mut Interner) -> Specimen {
        let labels: Vec<u64> = self.labels.iter().map(|label| xxh3_64(label.as_bytes())).collect();
        let sizes = self.sizes();
        Specimen::of_labels(labels, |id| sizes[id as usize], numbers)
    }

    fn tree(&self, numbers: &mut Interner) -> Tree {
        self.specimen(numbers).tree
    }

    fn is_ancestor(&self, upper: usize, lower: usize) -> bool {
        upper < lower
            && std::iter::successors(Some(lower), |&id| (id > 0).then(|| self.parents[id]))
                .any(|id| id == upper)
    }
}

fn map_sketches(a: &Sketch, b: &Sketch, unit: (u8, u8, u8)) -> (Mapping, Tree, Tree) {
    let mut numbers = Interner::default();
    let (a, b) = (a.tree(&mut numbers), b.tree(&mut numbers));
    (Mapper::new(costs(unit), BUDGET).map(&a, &b), a, b)
}

fn pairs(mapping: &Mapping) -> Vec<(usize, usize)> {
    let of_run = |run: &Run| {
        let run = *run;
        (0..run.nodes)
            .map(move |offset| ((run.first + offset) as usize, (run.second + offset) as usize))
    };
    mapping.runs.iter().flat_map(of_run).collect()
}

// ------------------------------------------------------------------------------------------------
// vectors

/// A file of expected values in `fixtures/vectors`.
fn vectors(file: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/vectors");
    let path = std::path::Path::new(folder).join(file);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn unit_costs(value: &Value) -> (u8, u8, u8) {
    let at = |index: usize| value[index].as_u64().unwrap() as u8;
    (at(0), at(1), at(2))
}

fn numbers_of(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap() as usize).collect()
}

fn pairs_of(value: &Value) -> Vec<(usize, usize)> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (numbers_of(pair)[0], numbers_of(pair)[1]))
        .collect()
}

fn labels_and_parents(specimen: &Specimen) -> (Vec<u64>, Vec<u32>) {
    (specimen.labels.clone(), (0..specimen.tree.len()).map(|id| specimen.tree.size(id)).collect())
}

#[test]
fn named_pairs() {
    let vectors = vectors("rtdm_td.json");
    for pair in vectors["pairs"].as_array().unwrap() {
        let (a, b) = (Sketch::of_json(&pair["t1"]), Sketch::of_json(&pair["t2"]));
        let unit = unit_costs(&pair["costs"]);
        let (mapping, ..) = map_sketches(&a, &b, unit);
        assert_eq!(mapping.cost, pair["cost"].as_u64().unwrap(), "{}", pair["name"]);
        assert_eq!(pairs(&mapping), pairs_of(&pair["matched"]), "{}", pair["name"]);
        let mut learn = learn(unit);
        let pages = [a.specimen(&mut learn.numbers), b.specimen(&mut learn.numbers)];
        let found =
            Intersection::begin(&pages, 1, &mut learn, 0.0).map(|(state, _)| state.template);
        let expected = (!pair["template"].is_null()).then(|| Sketch::of_json(&pair["template"]));
        let expected = expected.map(|sketch| sketch.specimen(&mut learn.numbers));
        assert_eq!(
            found.as_ref().map(labels_and_parents),
            expected.as_ref().map(labels_and_parents)
        );
    }
}

#[test]
fn random_pairs() {
    let vectors = vectors("rtdm_random.json");
    let mut checked = 0;
    for pair in vectors["pairs"].as_array().unwrap() {
        let (a, b) = (Sketch::of_json(&pair["t1"]), Sketch::of_json(&pair["t2"]));
        for (name, unit) in [("111", (1, 1, 1)), ("112", (1, 1, 2))] {
            let (mapping, ..) = map_sketches(&a, &b, unit);
            let expected = numbers_of(&pair["expect"][name]);
            assert_eq!([mapping.cost as usize, mapping.matched as usize], expected[..], "{pair}");
            checked += 1;
        }
    }
    assert_eq!(checked, 400);
}

fn learn(unit: (u8, u8, u8)) -> Learn {
    Learn { mapper: Mapper::new(costs(unit), BUDGET), numbers: Interner::default(), approximate: 0 }
}

/// The template, and its size after each page (`None` for a foreign page).
fn find(pages: &[Specimen], learn: &mut Learn, min_keep: f64) -> (Vec<Option<u64>>, Specimen) {
    let (mut state, _) = Intersection::begin(&pages[..2], 1, learn, min_keep).unwrap();
    let mut trace = vec![Some(u64::from(state.len()))];
    for page in &pages[2..] {
        trace.push(state.add(page, learn).then(|| u64::from(state.len())));
    }
    (trace, state.template)
}

#[test]
fn find_template_and_removal() {
    let vectors = vectors("rtdm_td.json");
    let vector = &vectors["find_template"];
    let mut learn = learn((1, 1, 1));
    let pages: Vec<Specimen> = vector["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| Sketch::of_json(page).specimen(&mut learn.numbers))
        .collect();
    let (trace, template) = find(&pages, &mut learn, 0.0);
    assert_eq!(trace, [Some(14), Some(14)]);
    let expected = Sketch::of_json(&vector["template"]).specimen(&mut learn.numbers);
    assert_eq!(labels_and_parents(&template), labels_and_parents(&expected));

    let unseen = Sketch::of_json(&vector["unseen"]);
    let page = unseen.tree(&mut learn.numbers);
    let exact: Vec<usize> =
        pairs(&learn.mapper.map(&template.tree, &page)).into_iter().map(|pair| pair.1).collect();
    assert_eq!(exact, numbers_of(&vector["removed_ids_R1"]));
    let mut linear: Vec<usize> =
        pairs(&greedy(&template.tree, &page)).into_iter().map(|pair| pair.1).collect();
    linear.sort_unstable();
    assert_eq!(linear, numbers_of(&vector["removed_ids_R2"]));
    let kept = |removed: &[usize]| -> Vec<String> {
        let texts = (0..unseen.len())
            .filter(|id| !removed.contains(id) && unseen.labels[*id].starts_with('"'));
        texts.map(|id| unseen.labels[id][1..].to_owned()).collect()
    };
    assert_eq!(kept(&exact), ["Site: D", "Sports", "T D", "D1", "D2"]);
    assert_eq!(kept(&linear), kept(&exact));
}

#[test]
fn outlier_guard() {
    let vectors = vectors("rtdm_td.json");
    let mut learn = learn((1, 1, 1));
    let foreign: Value = serde_json::from_str(
        r#"["html", ["head", ["title", ["\"404"]]], ["body", ["\"not found"]]]"#,
    )
    .unwrap();
    let vector = &vectors["find_template"]["pages"];
    let order = [&vector[0], &vector[1], &foreign, &vector[2]];
    let pages: Vec<Specimen> =
        order.map(|page| Sketch::of_json(page).specimen(&mut learn.numbers)).into();
    assert_eq!(find(&pages, &mut learn, 0.0).0, [Some(14), Some(4), Some(4)]);
    assert_eq!(find(&pages, &mut learn, 0.5).0, [Some(14), None, Some(14)]);
}

// ------------------------------------------------------------------------------------------------
// the optimised mapping against plain ones

/// The best cost and number of equal pairs for each of [`COSTS`], over all restricted top-down
/// mappings.
fn brute_force(a: &Sketch, b: &Sketch) -> [(u64, u32); 3] {
    let mut best = [(u64::MAX, 0u32); 3];
    // A mapping in document order of `a`, and the next node of `a` to decide on.
    let mut open: Vec<(Vec<(usize, usize)>, usize)> = vec![(Vec::new(), 0)];
    while let Some((mapping, next)) = open.pop() {
        if next == a.len() {
            let equal = mapping.iter().filter(|&&(i, j)| a.labels[i] == b.labels[j]).count();
            for (best, (delete, insert, replace)) in best.iter_mut().zip(COSTS) {
                let cost = usize::from(delete) * (a.len() - mapping.len())
                    + usize::from(insert) * (b.len() - mapping.len())
                    + usize::from(replace) * (mapping.len() - equal);
                let found = (cost as u64, equal as u32);
                if (found.0, u32::MAX - found.1) < (best.0, u32::MAX - best.1) {
                    *best = found;
                }
            }
            continue;
        }
        for j in 0..b.len() {
            if may_be_added(a, b, &mapping, (next, j)) {
                let mut longer = mapping.clone();
                longer.push((next, j));
                open.push((longer, next + 1));
            }
        }
        open.push((mapping, next + 1));
    }
    best
}

/// The literal definition of a restricted top-down mapping.
fn may_be_added(
    a: &Sketch,
    b: &Sketch,
    mapping: &[(usize, usize)],
    (i, j): (usize, usize),
) -> bool {
    let parents_mapped = match (i, j) {
        (0, 0) => true,
        (0, _) | (_, 0) => false,
        _ => mapping.contains(&(a.parents[i], b.parents[j])),
    };
    parents_mapped
        && mapping.iter().all(|&(k, l)| {
            let differ = a.labels[k] != b.labels[l];
            let same_order = (k < i) == (l < j) && k != i && l != j;
            let same_descent = a.is_ancestor(k, i) == b.is_ancestor(l, j);
            same_order && same_descent && !(differ && (a.is_ancestor(k, i) || b.is_ancestor(l, j)))
        })
}

fn check_against_brute_force(a: &Sketch, b: &Sketch) {
    for (unit, expected) in COSTS.into_iter().zip(brute_force(a, b)) {
        let (mapping, ..) = map_sketches(a, b, unit);
        assert_eq!((mapping.cost, mapping.matched), expected, "{unit:?} {a:?} {b:?}");
    }
}

/// All trees of `size` nodes below a root `r`, over the labels a and b.
fn all_trees(size: usize) -> Vec<Sketch> {
    let mut parent_lists: Vec<Vec<(usize, char)>> = vec![Vec::new()];
    for id in 1..size {
        let longer = |parents: &Vec<(usize, char)>| -> Vec<Vec<(usize, char)>> {
            // In document order, the parent of a node is the node before it or one of that node's
            // ancestors.
            let last = id - 1;
            let up = std::iter::successors(Some(last), |&at| (at > 0).then(|| parents[at - 1].0));
            up.flat_map(|parent| {
                ['a', 'b'].map(|label| [&parents[..], &[(parent, label)]].concat())
            })
            .collect()
        };
        parent_lists = parent_lists.iter().flat_map(longer).collect();
    }
    parent_lists.iter().map(|parents| Sketch::of_parents(parents)).collect()
}

#[test]
fn mapping_equals_brute_force_on_all_trees_up_to_five_nodes() {
    let sizes: Vec<Vec<Sketch>> = (1..=5).map(all_trees).collect();
    assert_eq!(sizes.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 8, 40, 224]);
    let trees: Vec<&Sketch> = sizes.iter().flatten().collect();
    for a in &trees {
        for b in &trees {
            check_against_brute_force(a, b);
        }
    }
}

#[test]
fn mapping_equals_brute_force_on_random_trees_of_six_nodes() {
    let mut state = 6;
    for _ in 0..20_000 {
        let mut random_tree = || {
            let parents: Vec<(usize, char)> = (1..6)
                .map(|id| {
                    let random = crate::methods::split_mix(&mut state);
                    ((random % id) as usize, ['a', 'b', 'c'][(random >> 32) as usize % 3])
                })
                .collect();
            Sketch::of_parents(&parents)
        };
        let (a, b) = (random_tree(), random_tree());
        check_against_brute_force(&a, &b);
    }
}

/// The plain recursion, with no shortcuts other than the paper's two.
fn plain_pair(a: &Tree, u: u32, b: &Tree, v: u32, unit: (u8, u8, u8)) -> (i64, i64) {
    let (delete, insert, replace) = (i64::from(unit.0), i64::from(unit.1), i64::from(unit.2));
    let (first, second) = (i64::from(a.size(u)), i64::from(b.size(v)));
    if a.class(u) == b.class(v) {
        return (0, -first);
    }
    if a.label(u) != b.label(v) {
        return (replace + delete * (first - 1) + insert * (second - 1), 0);
    }
    let (x, y) = (a.children(u), b.children(v));
    let mut table = vec![vec![(0, 0); y.len() + 1]; x.len() + 1];
    for i in 0..=x.len() {
        for j in 0..=y.len() {
            let mut choices = Vec::new();
            if i > 0 && j > 0 {
                let (cost, matched) = plain_pair(a, x[i - 1], b, y[j - 1], unit);
                choices.push((table[i - 1][j - 1].0 + cost, table[i - 1][j - 1].1 + matched));
            }
            if i > 0 {
                choices.push((
                    table[i - 1][j].0 + delete * i64::from(a.size(x[i - 1])),
                    table[i - 1][j].1,
                ));
            }
            if j > 0 {
                choices.push((
                    table[i][j - 1].0 + insert * i64::from(b.size(y[j - 1])),
                    table[i][j - 1].1,
                ));
            }
            table[i][j] = choices.into_iter().min().unwrap_or((0, 0));
        }
    }
    let (cost, matched) = table[x.len()][y.len()];
    (cost, matched - 1)
}

fn any_tree(max_nodes: usize) -> impl Strategy<Value = Sketch> {
    let node = (any::<prop::sample::Index>(), prop::sample::select(vec!['a', 'b', 'c']));
    prop::collection::vec(node, 0..max_nodes).prop_map(|nodes| {
        let nodes: Vec<(usize, char)> = nodes
            .iter()
            .enumerate()
            .map(|(id, (parent, label))| (parent.index(id + 1), *label))
            .collect();
        Sketch::of_parents(&nodes)
    })
}

fn greedy(a: &Tree, b: &Tree) -> Mapping {
    let mut runs = Vec::new();
    Greedy::default().map(a, &Index::of(a, |_| 1), b, Repeats::Unmapped, |run| runs.push(run));
    runs.sort_by_key(|run| run.first);
    let matched = runs.iter().map(|run| run.nodes).sum();
    Mapping { runs, cost: 0, matched, approximate: true }
}

proptest! {
    #[test]
    fn optimisations_do_not_change_the_best_mapping(a in any_tree(40), b in any_tree(40)) {
        for unit in COSTS {
            let (mapping, a, b) = map_sketches(&a, &b, unit);
            let (cost, matched) = plain_pair(&a, 0, &b, 0, unit);
            prop_assert_eq!((mapping.cost as i64, -i64::from(mapping.matched)), (cost, matched));
            prop_assert_eq!(mapping.runs.iter().map(|run| run.nodes).sum::<u32>(), mapping.matched);
        }
    }

    #[test]
    fn a_tree_costs_nothing_against_itself_and_unit_costs_are_symmetric(a in any_tree(40), b in any_tree(40)) {
        let (same, ..) = map_sketches(&a, &a, (1, 1, 2));
        prop_assert_eq!((same.cost, same.matched as usize), (0, a.len()));
        let (there, ..) = map_sketches(&a, &b, (1, 1, 1));
        let (back, ..) = map_sketches(&b, &a, (1, 1, 1));
        prop_assert_eq!((there.cost, there.matched), (back.cost, back.matched));
    }

    #[test]
    fn the_mapping_is_one_to_one_ordered_and_closed_under_parents(a in any_tree(40), b in any_tree(40)) {
        for unit in COSTS {
            check_is_mapping(&a, &b, &pairs(&map_sketches(&a, &b, unit).0))?;
        }
    }

    #[test]
    fn expensive_replacements_give_the_largest_common_part(a in any_tree(40), b in any_tree(40)) {
        let (common, ..) = map_sketches(&a, &b, (1, 1, 2));
        let (unit, ..) = map_sketches(&a, &b, (1, 1, 1));
        prop_assert_eq!(common.cost, (a.len() + b.len()) as u64 - 2 * u64::from(common.matched));
        prop_assert!(common.matched >= unit.matched);
    }

    #[test]
    fn all_of_a_template_is_found_on_the_page_it_came_from(a in any_tree(40), b in any_tree(40)) {
        let mut learn = learn((1, 1, 2));
        let pages = [a.specimen(&mut learn.numbers), b.specimen(&mut learn.numbers)];
        let (state, _) = Intersection::begin(&pages, 1, &mut learn, 0.0).unwrap();
        for page in &pages {
            let mapping = learn.mapper.map(&state.template.tree, &page.tree);
            prop_assert_eq!(mapping.matched, state.template.tree.len());
        }
    }

    #[test]
    fn the_linear_mapping_is_valid_and_never_better_than_the_exact_one(a in any_tree(40), b in any_tree(40)) {
        let (exact, first, second) = map_sketches(&a, &b, (1, 1, 2));
        let linear = greedy(&first, &second);
        check_is_mapping(&a, &b, &pairs(&linear))?;
        prop_assert!(linear.matched <= exact.matched);
        prop_assert!(Costs::COMMON_PART.of_matches(&first, &second, linear.matched) >= exact.cost);
    }

    #[test]
    fn repeats_only_add_nodes_with_equal_labels_below_mapped_parents(a in any_tree(40), b in any_tree(40)) {
        let (_, first, second) = map_sketches(&a, &b, (1, 1, 2));
        let mut found: Vec<(usize, usize)> = Vec::new();
        Greedy::default().map(&first, &Index::of(&first, |_| 1), &second, Repeats::Mapped, |run| {
            found.extend((0..run.nodes).map(|n| ((run.first + n) as usize, (run.second + n) as usize)));
        });
        let mapped: KeyedSet<(usize, usize)> = found.iter().copied().collect();
        let pages: KeyedSet<usize> = found.iter().map(|pair| pair.1).collect();
        prop_assert_eq!(pages.len(), found.len(), "a node of the page is mapped twice");
        for &(i, j) in &found {
            prop_assert_eq!(&a.labels[i], &b.labels[j]);
            prop_assert!(i == 0 || mapped.contains(&(a.parents[i], b.parents[j])));
        }
        for pair in pairs(&greedy(&first, &second)) {
            prop_assert!(pages.contains(&pair.1));
        }
    }

    #[test]
    fn a_small_budget_gives_a_valid_mapping(a in any_tree(40), b in any_tree(40), budget in 0u64..200) {
        let mut numbers = Interner::default();
        let (first, second) = (a.tree(&mut numbers), b.tree(&mut numbers));
        let mapping = Mapper::new(Costs::COMMON_PART, budget).map(&first, &second);
        check_is_mapping(&a, &b, &pairs(&mapping))?;
        let (exact, ..) = map_sketches(&a, &b, (1, 1, 2));
        prop_assert!(mapping.approximate || mapping == exact);
        prop_assert_eq!(mapping.cost, (a.len() + b.len()) as u64 - 2 * u64::from(mapping.matched));
    }
}

fn check_is_mapping(a: &Sketch, b: &Sketch, pairs: &[(usize, usize)]) -> Result<(), TestCaseError> {
    let mut pairs = pairs.to_vec();
    pairs.sort_unstable();
    for (number, &(i, j)) in pairs.iter().enumerate() {
        prop_assert_eq!(&a.labels[i], &b.labels[j]);
        prop_assert!(
            may_be_added(a, b, &pairs[..number], (i, j)),
            "{:?} after {:?}",
            (i, j),
            &pairs[..number]
        );
    }
    Ok(())
}

// ------------------------------------------------------------------------------------------------
// whole pages

fn page(html: &str) -> Page {
    Page::parse(html.as_bytes(), &Limits::default())
}

fn article(number: usize) -> Page {
    let paragraphs: String =
        (0..number % 4 + 1).map(|n| format!("<p>Unique text {number} {n}</p>")).collect();
    page(&format!(
        "<title>Page {number}</title><div><a href=/>Home</a><a href=/news>News</a></div><div><h1>Title {number}</h1>\
         {paragraphs}</div><div>Imprint of the site</div>"
    ))
}

fn recipe(number: usize) -> Page {
    page(&format!(
        "<title>Dish {number}</title><header><b>Cook book</b><ul><li>Starters<li>Mains</ul></header><table><tr><td>Time\
         <td>{number} min<tr><td>Serves<td>{number}a</table><p>Stir {number} times.</p><footer>Eat well today</footer>"
    ))
}

fn stripped(template: &TreeTemplate, page: &Page) -> String {
    strip(page, &template.mark(page)).text()
}

#[test]
fn menus_are_removed_and_articles_kept() {
    let pages: Vec<Page> = (0..12).map(article).collect();
    for settings in [TreeMapping::default(), TreeMapping::paper()] {
        let template = settings.learn(&Sample::new(&pages)).unwrap();
        let unseen = page(
            "<title>D</title><div><a href=/>Home</a><a href=/s>Sports</a><a href=/news>News</a></div><div><h1>T D</h1>\
             <p>D1</p><p>D2</p></div><div>Imprint of the site</div>",
        );
        assert_eq!(stripped(&template, &unseen), "Sports\nT D\nD1\nD2");
        let exact = strip(&unseen, &template.mark_exactly(&unseen)).text();
        assert_eq!(exact, "Sports\nT D\nD1\nD2");
        assert!(template.mark(&unseen).template_match() > 0.9);
        assert!(!template.is_structure_only());
    }
}

#[test]
fn fewer_than_two_different_pages_have_no_template() {
    let one = article(1);
    for settings in [TreeMapping::default(), TreeMapping::paper()] {
        for pages in [vec![], vec![&one], vec![&one, &one]] {
            let error = settings.learn(&Sample::new(pages.clone())).unwrap_err();
            assert_eq!(error, LearnError::NotEnoughPages { found: pages.len().min(1) });
        }
    }
}

#[test]
fn ten_percent_foreign_pages_empty_the_intersection_but_not_the_support() {
    let mut pages: Vec<Page> = (0..18).map(article).collect();
    pages.push(page("<title>404</title>not found"));
    pages.push(page("<title>Moved</title><center><h1>301 Moved Permanently</h1></center><hr>"));
    let strict = TreeMapping::paper().learn(&Sample::new(&pages)).unwrap();
    assert!(strict.is_structure_only());
    let guarded = TreeMapping {
        combination: Combination::Intersection { min_keep: 0.5, starting_pairs: 5 },
        ..TreeMapping::paper()
    };
    let guarded = guarded.learn(&Sample::new(&pages)).unwrap();
    let robust = TreeMapping::default().learn(&Sample::new(&pages)).unwrap();
    for template in [guarded, robust] {
        assert_eq!(stripped(&template, &article(99)), expected_text(99));
    }
}

fn expected_text(number: usize) -> String {
    let paragraphs: Vec<String> =
        (0..number % 4 + 1).map(|n| format!("Unique text {number} {n}")).collect();
    format!("Title {number}\n{}", paragraphs.join("\n"))
}

#[test]
fn both_templates_of_a_site_are_stripped() {
    let pages: Vec<Page> =
        (0..20).map(|n| if n % 5 < 3 { article(n) } else { recipe(n) }).collect();
    let template = TreeMapping::default().learn(&Sample::new(&pages)).unwrap();
    assert_eq!(stripped(&template, &article(97)), expected_text(97));
    assert_eq!(stripped(&template, &recipe(98)), "98 min\n98a\nStir 98 times.");
}

#[test]
fn a_list_may_be_longer_than_in_the_template() {
    let forum = |number: usize, posts: usize| {
        let posts: String = (0..posts)
            .map(|n| format!("<li><b>Joined:</b><i>{number}{n}</i><p>Post {number} {n}</p></li>"))
            .collect();
        page(&format!("<h1>Forum</h1><ul>{posts}</ul>"))
    };
    let pages: Vec<Page> = (0..8).map(|number| forum(number, 2)).collect();
    let once = TreeMapping { repeats: false, ..TreeMapping::default() }
        .learn(&Sample::new(&pages))
        .unwrap();
    let often = TreeMapping::default().learn(&Sample::new(&pages)).unwrap();
    assert_eq!(stripped(&once, &forum(9, 4)).matches("Joined").count(), 2);
    assert_eq!(stripped(&often, &forum(9, 4)).matches("Joined").count(), 0);
    assert_eq!(stripped(&often, &forum(9, 4)).matches("Post").count(), 4);
}

#[test]
fn a_moved_block_is_recognised_if_allowed() {
    let pages: Vec<Page> = (0..8).map(article).collect();
    let moved =
        page("<main><section><div>Imprint of the site</div><p>News of today</p></section></main>");
    for (allow_moved, expected) in
        [(false, "Imprint of the site\nNews of today"), (true, "News of today")]
    {
        for settings in [TreeMapping::default(), TreeMapping::paper()] {
            let settings = TreeMapping { allow_moved, ..settings };
            let template = settings.learn(&Sample::new(&pages)).unwrap();
            assert_eq!(stripped(&template, &moved), expected);
        }
    }
}

#[test]
fn twenty_thousand_leaves_are_mapped_within_the_budget_and_flagged() {
    let wide = |salt: usize| {
        let leaves: String = (0..20_000).map(|n| format!("<p>{}</p>", n * 7 + salt)).collect();
        page(&format!("<div>Menu</div>{leaves}"))
    };
    let pages = [wide(0), wide(1)];
    let template = TreeMapping::default().learn(&Sample::new(&pages)).unwrap();
    assert!(template.approximate_pairs() > 0);
    assert!(stripped(&template, &pages[0]).starts_with("0\n7\n14\n"));
    let small = TreeMapping::default().learn(&Sample::new(&[article(1), article(2)])).unwrap();
    assert_eq!(small.approximate_pairs(), 0);
}

#[test]
fn deep_and_empty_pages_are_supported() {
    let deep = |number: usize| page(&format!("{}<i>{number}</i>", "<div>".repeat(500)));
    let pages = [deep(1), deep(2), deep(3)];
    assert!(pages.iter().all(|page| page.flags().is_empty()));
    let template = TreeMapping::default().learn(&Sample::new(&pages)).unwrap();
    assert_eq!(stripped(&template, &deep(4)), "4");
    let empty = page("");
    assert_eq!(stripped(&template, &empty), "");
    let with_empty = TreeMapping::paper().learn(&Sample::new([&pages[0], &empty])).unwrap();
    assert!(with_empty.is_structure_only());

    let mut numbers = Interner::default();
    let (one, many) = (Sketch::of_parents(&[]), Sketch::of_parents(&[(0, 'a'), (1, 'b')]));
    let (one, many) = (one.tree(&mut numbers), many.tree(&mut numbers));
    let mapping = Mapper::new(Costs::UNIT, BUDGET).map(&one, &many);
    assert_eq!((mapping.cost, mapping.matched), (2, 1));
}

#[test]
fn a_page_over_the_limits_is_neither_learned_from_nor_stripped() {
    let pages: Vec<Page> = (0..4).map(article).collect();
    let template = TreeMapping::default().learn(&Sample::new(&pages)).unwrap();
    let limits = Limits::default().with_nodes(5);
    let large = Page::parse(b"<div><a>Home</a><a>News</a></div><p>a<p>b<p>c", &limits);
    assert!(large.flags().contains(&Flag::TooLarge));
    assert!(stripped(&template, &large).contains("Home"));
    let error = TreeMapping::default().learn(&Sample::new([&large, &pages[0]])).unwrap_err();
    assert_eq!(error, LearnError::NotEnoughPages { found: 1 });
}

#[test]
fn the_same_pages_give_the_same_file() {
    let pages: Vec<Page> =
        (0..30).map(|n| if n % 3 == 0 { recipe(n) } else { article(n) }).collect();
    let file = |settings: &TreeMapping| {
        let learned = Learned::TreeMapping(settings.learn(&Sample::new(&pages)).unwrap());
        Template::new("site", KindTemplate::new("site#1", learned)).to_json()
    };
    for settings in [TreeMapping::default(), TreeMapping::paper()] {
        let text = file(&settings);
        assert_eq!(text, file(&settings));
        let read = TemplateSet::from_json(text.as_bytes()).unwrap();
        assert_eq!(read.to_json(), text);
        let Learned::TreeMapping(template) = read.kinds().next().unwrap().learned() else {
            panic!("not a tree template")
        };
        assert_eq!(template, &settings.learn(&Sample::new(&pages)).unwrap());
        let broken = text.replacen("\"depth\": 1", "\"depth\": 7", 1);
        let error = TemplateSet::from_json(broken.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("depth 7"), "{error}");
    }
}

#[test]
fn page_order_depends_only_on_the_seed() {
    let pages: Vec<Page> = (0..6).map(article).collect();
    let pages: Vec<&Page> = pages.iter().collect();
    let titles = |seed| {
        Sample::new(pages.iter().copied())
            .shuffled(seed)
            .iter()
            .map(|page| page.title().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(titles(0), ["Page 4", "Page 2", "Page 5", "Page 3", "Page 0", "Page 1"]);
    assert_ne!(titles(0), titles(1));
}

#[test]
fn nodes_are_described_by_path_and_pages() {
    let pages: Vec<Page> = (0..10).map(article).collect();
    let template = TreeMapping::default().learn(&Sample::new(&pages)).unwrap();
    let unseen = article(50);
    let marks = template.mark(&unseen);
    let home = unseen.visible_texts().find(|&id| unseen.text(id) == "Home").unwrap();
    let Some(Source::Part(source)) = marks.source(home) else { panic!("source is not a part") };
    assert_eq!(template.describe(source).unwrap(), "div > a > \"Home\", on 10 of 10 pages");
    assert_eq!(template.describe(1_000_000), None);
    let title = unseen.visible_texts().find(|&id| unseen.text(id) == "Title 50").unwrap();
    assert_eq!((marks.value(title), marks.source(title)), (0.0, None));
}

#[test]
fn a_template_settles_page_by_page() {
    for settings in [TreeMapping::default(), TreeMapping { patience: 8, ..TreeMapping::paper() }] {
        let mut learner = settings.learner();
        for number in 0..40 {
            learner.add(&article(number));
            learner.add(&article(number));
        }
        assert!(learner.is_done());
        assert!(learner.trace().len() < 30, "{:?}", learner.trace());
        assert_eq!(learner.trace().last(), learner.trace().iter().rev().nth(5));
        let template = learner.finish().unwrap();
        assert_eq!(stripped(&template, &article(99)), expected_text(99));
    }
}

#[test]
fn numbers_are_ignored_in_sentences_but_not_in_values() {
    let pages: Vec<Page> = (0..8)
        .map(|n| {
            page(&format!(
                "<p>Read {n} times since it was written.</p><p>{n} doors</p><h1>Car {n}</h1>"
            ))
        })
        .collect();
    let template = TreeMapping::default().learn(&Sample::new(&pages)).unwrap();
    assert_eq!(stripped(&template, &pages[3]), "3 doors\nCar 3");
}
