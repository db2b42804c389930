//! Tests the optimised alignments against a plain one, and the method against worked examples and
//! its invariants.

use proptest::prelude::*;
use serde_json::Value;

use super::align::{Scoring, align, align_within};
use super::consensus::{Counted, Profile, distill, union};
use super::*;
use crate::page::{Limits, NodeId};
use crate::template::{KindTemplate, Template, TemplateSet};
use crate::{Learned, Source};

const SCORINGS: [Scoring; 2] = [Scoring::Lcs, Scoring::Paper];

/// The definition, cell by cell.
fn matrix(first: &[u32], second: &[u32], scoring: Scoring) -> Vec<Vec<i32>> {
    let weights = scoring.weights();
    let mut scores = vec![vec![0; second.len() + 1]; first.len() + 1];
    for i in 0..=first.len() {
        for j in 0..=second.len() {
            let corner = (i > 0 && j > 0).then(|| {
                let equal = first[i - 1] == second[j - 1];
                scores[i - 1][j - 1] + if equal { weights.matching } else { weights.mismatch }
            });
            let above = (i > 0).then(|| scores[i - 1][j] + weights.gap);
            let beside = (j > 0).then(|| scores[i][j - 1] + weights.gap);
            scores[i][j] = corner.into_iter().chain(above).chain(beside).max().unwrap_or(0);
        }
    }
    scores
}

/// The definition of the trace. Ties are broken from the end: both, then the first alone, then the
/// second.
fn plain(first: &[u32], second: &[u32], scoring: Scoring) -> Vec<Step> {
    let (weights, scores) = (scoring.weights(), matrix(first, second, scoring));
    let (mut i, mut j) = (first.len(), second.len());
    let mut steps = Vec::new();
    while i > 0 || j > 0 {
        let gain = |i: usize, j: usize| {
            if first[i - 1] == second[j - 1] { weights.matching } else { weights.mismatch }
        };
        if i > 0 && j > 0 && scores[i][j] == scores[i - 1][j - 1] + gain(i, j) {
            (i, j) = (i - 1, j - 1);
            steps.push(Step::Both(i, j));
        } else if i > 0 && scores[i][j] == scores[i - 1][j] + weights.gap {
            i -= 1;
            steps.push(Step::First(i));
        } else {
            j -= 1;
            steps.push(Step::Second(j));
        }
    }
    steps.reverse();
    steps
}

/// The score of an alignment; panics if it is not valid.
fn score(first: &[u32], second: &[u32], steps: &[Step], scoring: Scoring) -> i32 {
    let weights = scoring.weights();
    let (mut i, mut j, mut sum) = (0, 0, 0);
    for &step in steps {
        sum += match step {
            Step::Both(a, b) if first[a] == second[b] => weights.matching,
            Step::Both(..) => weights.mismatch,
            Step::First(_) | Step::Second(_) => weights.gap,
        };
        match step {
            Step::Both(a, b) => assert_eq!((a, b), (i, j), "tokens are skipped or repeated"),
            Step::First(a) => assert_eq!(a, i),
            Step::Second(b) => assert_eq!(b, j),
        }
        i += usize::from(!matches!(step, Step::Second(_)));
        j += usize::from(!matches!(step, Step::First(_)));
    }
    assert_eq!((i, j), (first.len(), second.len()), "tokens are left over");
    sum
}

/// The best score over all alignments.
fn brute_force(first: &[u32], second: &[u32], scoring: Scoring) -> i32 {
    let weights = scoring.weights();
    let both = (!first.is_empty() && !second.is_empty()).then(|| {
        let gain = if first[0] == second[0] { weights.matching } else { weights.mismatch };
        gain + brute_force(&first[1..], &second[1..], scoring)
    });
    let alone =
        (!first.is_empty()).then(|| weights.gap + brute_force(&first[1..], second, scoring));
    let other =
        (!second.is_empty()).then(|| weights.gap + brute_force(first, &second[1..], scoring));
    both.into_iter().chain(alone).chain(other).max().unwrap_or(0)
}

fn best(first: &[u32], second: &[u32], scoring: Scoring) -> i32 {
    matrix(first, second, scoring)[first.len()][second.len()]
}

fn sequence(kinds: u32, length: usize) -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0..kinds, 0..length)
}

fn pair(length: usize) -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
    (1u32..12).prop_flat_map(move |kinds| (sequence(kinds, length), sequence(kinds + 1, length)))
}

/// A page and an edited copy, which share long runs as pages of a site do.
fn edited_pair() -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
    let edits = prop::collection::vec((0usize..200, 0usize..12, sequence(60, 12)), 0..8);
    (sequence(40, 200), edits).prop_map(|(page, edits)| {
        let mut copy = page.clone();
        for (at, removed, added) in edits {
            let start = at.min(copy.len());
            let end = (start + removed).min(copy.len());
            copy.splice(start..end, added);
        }
        (page, copy)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn matrix_has_the_best_score((first, second) in (sequence(3, 6), sequence(3, 6))) {
        for scoring in SCORINGS {
            prop_assert_eq!(best(&first, &second, scoring), brute_force(&first, &second, scoring));
        }
    }

    #[test]
    fn optimised_traces_equal_the_plain_one((first, second) in pair(150)) {
        for scoring in SCORINGS {
            let expected = plain(&first, &second, scoring);
            prop_assert_eq!(&needleman::trace(&first, &second, scoring.weights()), &expected);
            if scoring == Scoring::Lcs {
                prop_assert_eq!(&lcs::trace(&first, &second), &expected);
            }
            prop_assert_eq!(
                score(&first, &second, &expected, scoring),
                best(&first, &second, scoring),
                "score of the alignment"
            );
        }
    }

    #[test]
    fn last_row_equals_the_last_row_of_the_matrix((first, second) in pair(150)) {
        for scoring in SCORINGS {
            let rows = matrix(&first, &second, scoring);
            let expected = &rows[first.len()];
            prop_assert_eq!(&needleman::last_row(&first, &second, scoring.weights()), expected);
            if scoring == Scoring::Lcs {
                prop_assert_eq!(&lcs::last_row(&first, &second), expected);
            }
        }
    }

    #[test]
    fn small_alignments_equal_the_plain_one((first, second) in edited_pair()) {
        for scoring in SCORINGS {
            prop_assert_eq!(align(&first, &second, scoring), plain(&first, &second, scoring));
        }
    }

    #[test]
    fn trimming_keeps_the_best_score((first, second) in edited_pair(), shared in sequence(40, 30)) {
        let (first, second) = ([&shared[..], &first].concat(), [&shared[..], &second].concat());
        for scoring in SCORINGS {
            let rest = (&first[shared.len()..], &second[shared.len()..]);
            let without = best(rest.0, rest.1, scoring) + shared.len() as i32;
            prop_assert_eq!(without, best(&first, &second, scoring));
        }
    }

    #[test]
    fn halving_keeps_the_best_score((first, second) in pair(150), cells in 4usize..400) {
        // With every token twice there are no anchors, which leaves only halving.
        let doubled = |tokens: &[u32]| [tokens, tokens].concat();
        let (first, second) = (doubled(&first), doubled(&second));
        for scoring in SCORINGS {
            let steps = align_within(&first, &second, scoring, cells);
            prop_assert_eq!(score(&first, &second, &steps, scoring), best(&first, &second, scoring));
        }
    }

    #[test]
    fn anchors_give_a_valid_alignment_with_no_better_score((first, second) in edited_pair(), cells in 4usize..4000) {
        for scoring in SCORINGS {
            let steps = align_within(&first, &second, scoring, cells);
            prop_assert!(score(&first, &second, &steps, scoring) <= best(&first, &second, scoring));
        }
    }

    #[test]
    fn a_union_keeps_both_pages_and_their_counts((first, second) in pair(80)) {
        for scoring in SCORINGS {
            let merged = union(&Profile::of_page(&first), &Profile::of_page(&second), scoring);
            prop_assert!(is_subsequence(&first, &merged));
            prop_assert!(is_subsequence(&second, &merged));
            let sum: u32 = merged.tokens.iter().map(|counted| counted.pages).sum();
            prop_assert_eq!(sum as usize, first.len() + second.len());
            prop_assert!(merged.tokens.iter().all(|counted| counted.pages <= merged.pages));
        }
    }

    #[test]
    fn no_token_has_more_support_than_there_are_pages(
        pages in prop::collection::vec(sequence(6, 30), 2..9),
        pruning in prop::sample::select(vec![Pruning::Half, Pruning::Quarter, Pruning::Eighth, Pruning::Off]),
    ) {
        for scoring in SCORINGS {
            let root = root(&pages, scoring, pruning);
            prop_assert_eq!(root.pages as usize, pages.len());
            prop_assert!(root.tokens.iter().all(|counted| counted.pages <= root.pages));
        }
    }

    #[test]
    fn equal_pages_are_their_own_template(page in sequence(20, 60), number in 2usize..9) {
        for scoring in SCORINGS {
            let root = root(&vec![page.clone(); number], scoring, Pruning::Half);
            let expected: Vec<Counted> =
                page.iter().map(|&token| Counted { token, pages: number as u32 }).collect();
            prop_assert_eq!(root.tokens, expected);
        }
    }

    #[test]
    fn nothing_is_dropped_from_two_pages((first, second) in pair(60)) {
        for (scoring, pruning) in
            SCORINGS.into_iter().flat_map(|s| [Pruning::Half, Pruning::Quarter, Pruning::Eighth].map(|p| (s, p)))
        {
            let mut root = root(&[first.clone(), second.clone()], scoring, pruning);
            let before = root.clone();
            root.drop_below(pages_of_share(0.5, 2));
            prop_assert_eq!(root, before);
        }
    }

    #[test]
    fn eighth_pruning_drops_nothing_from_up_to_eight_pages(pages in prop::collection::vec(sequence(6, 30), 2..9)) {
        let pruned = root(&pages, Scoring::Lcs, Pruning::Eighth);
        prop_assert_eq!(pruned, root(&pages, Scoring::Lcs, Pruning::Off));
    }

    #[test]
    fn eighth_pruning_keeps_only_tokens_with_enough_support(pages in prop::collection::vec(sequence(6, 30), 9..24)) {
        let root = root(&pages, Scoring::Lcs, Pruning::Eighth);
        prop_assert!(root.tokens.iter().all(|counted| counted.pages * 8 >= root.pages));
    }

    #[test]
    fn merges_may_run_in_any_order(pages in prop::collection::vec(sequence(6, 30), 2..20)) {
        let profiles = || pages.iter().map(|page| Profile::of_page(page)).collect();
        let forwards = distill(profiles(), Scoring::Lcs, Pruning::Half, |m| m.iter_mut().for_each(Merge::run));
        let backwards =
            distill(profiles(), Scoring::Lcs, Pruning::Half, |m| m.iter_mut().rev().step_by(2).for_each(Merge::run));
        prop_assert_eq!(forwards, backwards);
    }

    #[test]
    fn marking_never_breaks_the_tree(numbers in prop::collection::vec(0u32..6, 1..12)) {
        let site: Vec<Page> = (0..4).map(|n| page(&format!("<nav>a</nav><p>text {n}<p>b"))).collect();
        let template = Alignment::default().learn(&Sample::new(&site)).unwrap();
        let html: String = numbers.iter().map(|n| ["<p>b", "</p>", "<nav>a", "</nav>", "<b>c", "text 1"][*n as usize]).collect();
        let page = page(&html);
        let stripped = crate::strip(&page, &template.mark(&page));
        for id in page.nodes().filter(|&id| stripped.keeps(id)) {
            prop_assert!(page.ancestors(id).all(|above| stripped.keeps(above)));
        }
    }
}

fn is_subsequence(page: &[u32], profile: &Profile) -> bool {
    let mut tokens = profile.tokens.iter();
    page.iter().all(|token| tokens.any(|counted| counted.token == *token))
}

fn root(pages: &[Vec<u32>], scoring: Scoring, pruning: Pruning) -> Profile {
    let profiles = pages.iter().map(|page| Profile::of_page(page)).collect();
    distill(profiles, scoring, pruning, |_| ())
}

fn page(html: &str) -> Page {
    Page::parse(html.as_bytes(), &Limits::default())
}

fn site(number: usize) -> Vec<Page> {
    (0..number)
        .map(|n| {
            let banner = if n % 4 == 0 { "" } else { "<div>Sale!</div>" };
            page(&format!(
                "<nav><a href=/>Home</a> <a href=/t>Tea</a></nav>{banner}<p>About tea {n}.</p><hr>Imprint"
            ))
        })
        .collect()
}

fn text_node(page: &Page, text: &str) -> NodeId {
    page.visible_texts().find(|&id| page.text(id) == text).unwrap()
}

#[test]
fn marks_have_support_source_and_template_match() {
    let site = site(16);
    let template = Alignment::default().learn(&Sample::new(&site)).unwrap();
    let marks = template.mark(&site[1]);
    let banner = text_node(&site[1], "Sale!");
    assert_eq!((marks.value(banner), marks.is_template(banner)), (0.75, true));
    let Some(Source::Part(part)) = marks.source(banner) else { panic!("source is not a part") };
    assert_eq!(template.describe(part).unwrap(), "sale!, on 12 of 16 pages");
    assert_eq!(template.describe(9999), None);
    assert_eq!(template.pages(), 16);
    assert_eq!(crate::strip(&site[1], &marks).text(), "About tea 1.");
    assert_eq!(marks.template_match(), 1.0);
    assert!(template.mark(&site[0]).template_match() < 1.0);
    assert!(template.mark(&page("")).template_match() < 0.5);
}

#[test]
fn a_text_is_template_only_in_its_place() {
    let site = site(16);
    let template = Alignment::default().learn(&Sample::new(&site)).unwrap();
    let page =
        page("<nav><a href=/>Home</a> <a href=/t>Tea</a></nav><p>Home</p><p>Tea</p><hr>Imprint");
    let stripped = crate::strip(&page, &template.mark(&page)).text();
    assert_eq!(stripped, "Home\nTea");
}

#[test]
fn a_moved_block_is_template_if_moved_blocks_is_set() {
    let site = site(16);
    let page = page(
        "<p>About cake.</p><nav><a href=/>Home</a> <a href=/t>Tea</a></nav><div>Sale!</div><hr>Imprint<nav><a href=/t>Tea</a></nav>",
    );
    for (moved_blocks, expected) in [(false, "About cake.\nTea"), (true, "About cake.")] {
        let settings = Alignment { moved_blocks, ..Alignment::default() };
        let template = settings.learn(&Sample::new(&site)).unwrap();
        assert_eq!(crate::strip(&page, &template.mark(&page)).text(), expected);
    }
}

#[test]
fn masked_digits_make_sentences_equal() {
    let site: Vec<Page> = (0..4)
        .map(|n| {
            page(&format!(
                "<p>{} comments were written here since {}</p><h1>{n:c<5}</h1>",
                n * 37,
                n + 9
            ))
        })
        .collect();
    for (mask_digits, expected) in [(false, 0), (true, 1)] {
        let settings = Alignment { mask_digits, ..Alignment::default() };
        let template = settings.learn(&Sample::new(&site)).unwrap();
        let masked = template
            .tokens()
            .iter()
            .filter(|token| token.token == "0 comments were written here since 0");
        assert_eq!(masked.filter(|token| token.pages == 4).count(), expected);
    }
}

#[test]
fn a_rare_block_is_template_and_a_rare_value_is_not() {
    // All pages have the row; a fifth have the same maker in it, and a fifth have the banner.
    let site: Vec<Page> = (0..15)
        .map(|n| {
            let maker = if n % 5 == 0 { "Acme".to_owned() } else { format!("Maker {n}") };
            let banner = if n % 5 == 1 { "<div><i>Sale this week</i></div>" } else { "" };
            page(&format!("<h1>Shop</h1>{banner}<table><tr><td>Made by<td>{maker}</table>"))
        })
        .collect();
    for (value_support, is_template) in [(0.0, true), (0.25, false)] {
        let settings = Alignment { value_support, ..Alignment::default() };
        let template = settings.learn(&Sample::new(&site)).unwrap();
        let has = |text: &str| template.tokens().iter().any(|token| token.token == text);
        assert!(has("sale this week") && has("made by"), "{:?}", template.tokens());
        assert_eq!(has("acme"), is_template);
    }
}

#[test]
fn too_few_pages_are_an_error() {
    let site = site(2);
    let learn = |pages: &[Page]| {
        Alignment::default().learn(&Sample::new(pages)).map(|template| template.pages())
    };
    assert_eq!(learn(&site[..0]), Err(LearnError::NotEnoughPages { found: 0 }));
    assert_eq!(learn(&site[..1]), Err(LearnError::NotEnoughPages { found: 1 }));
    assert_eq!(learn(&site), Ok(2));
    let settings = Alignment { max_tokens: 3, ..Alignment::default() };
    let refused = settings.learn(&Sample::new(&site));
    assert_eq!(refused, Err(LearnError::NotEnoughPages { found: 0 }), "no page is small enough");
}

#[test]
fn learning_is_deterministic_and_draws_from_a_large_sample() {
    let site = site(40);
    let learn = |seed| Alignment { seed, ..Alignment::paper() }.learn(&Sample::new(&site)).unwrap();
    assert_eq!(learn(1), learn(1));
    assert_eq!(learn(1).pages(), 16);
}

#[test]
fn shares_are_rounded_up_to_pages() {
    for (share, pages, expected) in
        [(0.5, 2, 1), (0.5, 3, 2), (0.5, 16, 8), (0.3, 10, 3), (0.3, 16, 5), (0.0, 9, 1)]
    {
        assert_eq!(pages_of_share(share, pages), expected, "{share} of {pages}");
    }
}

#[test]
fn templates_round_trip_through_the_file() {
    let site = site(4);
    let methods = [("a", Alignment::default()), ("b", Alignment::paper())];
    let templates: TemplateSet = methods
        .map(|(name, method)| {
            let learned = Learned::Alignment(method.learn(&Sample::new(&site)).unwrap());
            Template::new(name, KindTemplate::new(format!("{name}#1"), learned))
        })
        .into_iter()
        .collect();
    let json = templates.to_json();
    assert_eq!(TemplateSet::from_json(json.as_bytes()).unwrap(), templates);
    let file: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(file["templates"][0]["method"], "alignment");
    assert_eq!(file["templates"][0]["identity"]["profile"], "tag-content");
    assert_eq!(file["templates"][1]["identity"], "all-attributes");
    let tokens: Vec<&Value> = file["templates"][0]["tokens"].as_array().unwrap().iter().collect();
    assert!(tokens.iter().any(|token| token["token"] == "home" && token["pages"] == 4));
}

/// The worked examples in `fixtures/vectors`.
fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/vectors/nw_msa.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Numbers the tokens of an example by their hashes.
fn numbers(tokens: &Value) -> Vec<u32> {
    let written = tokens.as_array().unwrap().iter().map(|token| token.as_str().unwrap());
    written.map(|token| token_hash(token) as u32).collect()
}

fn profile(tokens: &Value) -> Vec<Counted> {
    let tokens = tokens.as_array().unwrap().iter();
    tokens
        .map(|entry| Counted {
            token: token_hash(entry[0].as_str().unwrap()) as u32,
            pages: entry[1].as_u64().unwrap() as u32,
        })
        .collect()
}

fn steps(alignment: &Value) -> Vec<Step> {
    let position = |value: &Value| value.as_u64().map(|position| position as usize);
    let columns = alignment.as_array().unwrap().iter();
    columns
        .map(|column| match (position(&column[0]), position(&column[1])) {
            (Some(i), Some(j)) => Step::Both(i, j),
            (Some(i), None) => Step::First(i),
            (None, Some(j)) => Step::Second(j),
            (None, None) => panic!("an empty column"),
        })
        .collect()
}

#[test]
fn pairs_are_aligned_as_in_the_worked_examples() {
    let vectors = vectors();
    for (name, scoring) in [
        ("pair_gap", Scoring::Paper),
        ("pair_mismatch", Scoring::Paper),
        ("pair_shift_not_worth", Scoring::Paper),
        ("pair_empty", Scoring::Paper),
        ("pair_shift_lcs_scoring", Scoring::Lcs),
    ] {
        let example = &vectors[name];
        let (first, second) = (numbers(&example["U"]), numbers(&example["V"]));
        assert_eq!(serde_json::json!(matrix(&first, &second, scoring)), example["S"], "{name}");
        let expected = steps(&example["alignment"]);
        assert_eq!(needleman::trace(&first, &second, scoring.weights()), expected, "{name}");
        assert_eq!(align(&first, &second, scoring), expected, "{name}");
        if !example["union"].is_null() {
            let merged = union(&Profile::of_page(&first), &Profile::of_page(&second), scoring);
            assert_eq!(merged.tokens, profile(&example["union"]), "{name}");
        }
    }
}

#[test]
fn trees_are_distilled_as_in_the_worked_examples() {
    let vectors = vectors();
    let pages = |name: &str| -> Vec<Vec<u32>> {
        vectors[name]["pages"].as_array().unwrap().iter().map(numbers).collect()
    };
    for (name, pages, scoring, pruning) in [
        ("distill_t4", pages("distill_t4"), Scoring::Paper, Pruning::Half),
        (
            "distill_t3_passthrough",
            pages("distill_t4")[..3].to_vec(),
            Scoring::Paper,
            Pruning::Half,
        ),
        ("distill_t8_input", pages("distill_t8_input"), Scoring::Paper, Pruning::Half),
        ("distill_t8_output", pages("distill_t8_output"), Scoring::Paper, Pruning::Quarter),
        ("distill_t8_lcs_scoring", pages("distill_t8_input"), Scoring::Lcs, Pruning::Half),
    ] {
        let mut root = root(&pages, scoring, pruning);
        assert_eq!(root.tokens, profile(&vectors[name]["root"]), "{name}");
        root.drop_below(pages_of_share(0.5, root.pages));
        let template: Vec<u32> = root.tokens.iter().map(|counted| counted.token).collect();
        assert_eq!(template, numbers(&vectors[name]["template"]), "{name}");
    }
}

#[test]
fn the_template_is_found_as_in_the_worked_example() {
    let vectors = vectors();
    let (template, page) =
        (numbers(&vectors["removal"]["template"]), numbers(&vectors["removal"]["page"]));
    let hits: Vec<usize> = needleman::trace(&template, &page, Scoring::Paper.weights())
        .into_iter()
        .filter_map(|step| match step {
            Step::Both(i, j) if template[i] == page[j] => Some(j),
            _ => None,
        })
        .collect();
    assert_eq!(serde_json::json!(hits), vectors["removal"]["matched_positions"]);
}

/// The tokens of neighbouring pages of the labelled sites: a few pairs of each site, of at most
/// `max_cells` cells.
fn real_pairs(set: &str, max_cells: usize) -> Vec<(Vec<u32>, Vec<u32>)> {
    let sites = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../corpus/");
    let mut pairs = Vec::new();
    for site in sorted_entries(&std::path::Path::new(sites).join(set)) {
        let mut table = TokenTable::default();
        let pages: Vec<Vec<u32>> = files_below(&site.join("pages"))
            .into_iter()
            .take(7)
            .filter_map(|path| std::fs::read(path).ok())
            .map(|bytes| {
                table
                    .read(&Page::parse(&bytes, &Limits::default()), Alignment::default().equality())
            })
            .collect();
        let fitting = pages.windows(2).filter(|pair| pair[0].len() * pair[1].len() <= max_cells);
        pairs.extend(fitting.map(|pair| (pair[0].clone(), pair[1].clone())));
    }
    pairs
}

fn sorted_entries(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    entries
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let (folders, mut files): (Vec<_>, Vec<_>) =
        sorted_entries(folder).into_iter().partition(|path| path.is_dir());
    for folder in folders {
        files.extend(sorted_entries(&folder).into_iter().filter(|path| path.is_file()));
    }
    files
}

/// Prints (with `--nocapture`) the loss due to anchors on real pages: how often the score is still
/// the best, and how many matches of the best alignment are kept.
#[test]
fn needs_corpus_anchors_keep_most_matches_of_real_pages() {
    let matches = |first: &[u32], second: &[u32], steps: &[Step]| {
        steps
            .iter()
            .filter(|step| matches!(step, Step::Both(i, j) if first[*i] == second[*j]))
            .count()
    };
    for set in ["sites", "docs"] {
        let pairs = real_pairs(set, 1 << 22);
        for scoring in SCORINGS {
            let (mut same, mut kept, mut worst) = (0, 0.0, 1.0f64);
            for (first, second) in &pairs {
                let exact = align(first, second, scoring);
                let anchored = align_within(first, second, scoring, 4000);
                let (best, found) = (
                    score(first, second, &exact, scoring),
                    score(first, second, &anchored, scoring),
                );
                assert!(found <= best);
                same += usize::from(found == best);
                let (all, some) =
                    (matches(first, second, &exact), matches(first, second, &anchored));
                let share = some as f64 / all.max(1) as f64;
                kept += share;
                worst = worst.min(share);
            }
            let number = pairs.len().max(1) as f64;
            println!(
                "{set}, {scoring:?}: {} pairs, best score in {same}, matches kept {:.3}, worst {worst:.2}",
                pairs.len(),
                kept / number
            );
            assert!(pairs.is_empty() || kept / number > 0.9, "{set}, {scoring:?}");
        }
    }
}
