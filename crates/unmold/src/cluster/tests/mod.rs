//! Tests the algorithms against expected values, against straightforward versions, and for
//! invariants.

mod pages;

use proptest::prelude::*;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::cost::{Counts, OneAgainstMany, common};
use super::greedy::{Counted, merge_greedily};
use super::nearest::{FullPositions, Neighbours, Similarity, merge_nearest};
use super::paths::mode_threshold;
use super::signature::{Ranking, Signature};
use super::*;

// ------------------------------------------------------------------------------------------------
// Helpers

/// A file of expected values in `fixtures/vectors`.
fn vectors(file: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/vectors");
    let path = std::path::Path::new(folder).join(file);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

/// Parses sets of names; a single letter or a name like `p7` becomes a number.
fn sets(value: &Value) -> Vec<Vec<u32>> {
    let number = |name: &str| match name.strip_prefix('p') {
        Some(digits) if !digits.is_empty() => digits.parse().unwrap(),
        _ => name.bytes().map(u32::from).sum::<u32>() - u32::from(b'a'),
    };
    let set = |value: &Value| {
        let mut set: Vec<u32> =
            list(value).iter().map(|name| number(name.as_str().unwrap())).collect();
        set.sort_unstable();
        set
    };
    list(value).iter().map(set).collect()
}

fn clusters_of(value: &Value) -> Vec<Vec<u32>> {
    let cluster =
        |value: &Value| list(value).iter().map(|page| page.as_u64().unwrap() as u32).collect();
    list(value).iter().map(cluster).collect()
}

fn fraction(value: &Value) -> f64 {
    let text = value.as_str().unwrap();
    match text.split_once('/') {
        Some((numerator, denominator)) => {
            numerator.parse::<f64>().unwrap() / denominator.parse::<f64>().unwrap()
        }
        None => text.parse().unwrap(),
    }
}

fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "found {found}, expected {expected}");
}

fn singles(sets: &[Vec<u32>]) -> Vec<Option<Counts>> {
    sets.iter().map(|set| Some(Counts::of_equal(set, 1))).collect()
}

fn cost_of(sets: &[Vec<u32>], cluster: &[u32]) -> u64 {
    let mut all = Counts::default();
    for &page in cluster {
        all = all.merged(&Counts::of_equal(&sets[page as usize], 1));
    }
    all.cost
}

/// The clusters that result from the merges, sorted.
fn partition(pages: usize, merges: &[Merge]) -> Vec<Vec<u32>> {
    let mut clusters: Vec<Vec<u32>> = (0..pages as u32).map(|page| vec![page]).collect();
    for merge in merges {
        let gone = std::mem::take(&mut clusters[merge.gone as usize]);
        clusters[merge.kept as usize].extend(gone);
    }
    clusters.retain(|cluster| !cluster.is_empty());
    clusters.iter_mut().for_each(|cluster| cluster.sort_unstable());
    clusters.sort();
    clusters
}

const PATHS: usize = 64;
const MODE: Essential = Essential::Mode { min_support: 1 };

fn text_mdl(sets: &[Vec<u32>]) -> Vec<Merge> {
    let mut merges = Vec::new();
    let mut counts = singles(sets);
    merge_greedily(
        &mut Counted { counts: &mut counts, scratch: OneAgainstMany::new(PATHS) },
        &mut merges,
    );
    merges
}

/// Collapses equal sets, then merges nearest clusters by exact similarity.
fn text_max(sets: &[Vec<u32>], similarity: Similarity, repair: bool) -> Vec<Merge> {
    let mut counts = singles(sets);
    let mut merges = Vec::new();
    for gone in 1..sets.len() {
        if let Some(kept) = (0..gone).find(|&kept| sets[kept] == sets[gone]) {
            let (a, b) = (counts[kept].take().unwrap(), counts[gone].take().unwrap());
            let merged = a.merged(&b);
            let gain = (a.cost + b.cost - merged.cost) as i64;
            counts[kept] = Some(merged);
            merges.push(Merge { kept: kept as u32, gone: gone as u32, gain });
        }
    }
    let mut neighbours = ExactNeighbours { similarity };
    merge_nearest(&mut counts, &mut neighbours, PATHS, repair, &mut merges);
    merges
}

/// Exact similarity of clusters, without index or estimate.
struct ExactNeighbours {
    similarity: Similarity,
}

fn similarity(kind: Similarity, a: &Counts, b: &Counts) -> f64 {
    let both = a.merged(b);
    let common =
        |counts: &Counts| counts.paths.iter().filter(|path| path.1 == counts.pages).count() as f64;
    match kind {
        Similarity::Jaccard => common(&both) / both.paths.len() as f64,
        Similarity::DiceOfUnions => 2.0 * common(&both) / (a.paths.len() + b.paths.len()) as f64,
        Similarity::DiceOfCommon => 2.0 * common(&both) / (common(a) + common(b)).max(1.0),
    }
}

impl Neighbours for ExactNeighbours {
    fn nearest(&mut self, own: u32, counts: &[Option<Counts>]) -> Vec<u32> {
        let one = counts[own as usize].as_ref().unwrap();
        let similarity_to =
            |at: usize| Some(similarity(self.similarity, one, counts[at].as_ref()?));
        let all: Vec<(u32, f64)> = (0..counts.len())
            .filter(|&at| at != own as usize)
            .filter_map(|at| Some((at as u32, similarity_to(at)?)))
            .collect();
        let max = all.iter().map(|pair| pair.1).fold(0.0, f64::max);
        all.into_iter().filter(|pair| max > 0.0 && pair.1 == max).map(|pair| pair.0).collect()
    }

    fn merged(&mut self, _: u32, _: u32, _: &[Option<Counts>]) {}
}

fn majority(sets: &[Vec<u32>], cluster: &[u32]) -> Vec<u32> {
    let mut all = Counts::default();
    for &page in cluster {
        all = all.merged(&Counts::of_equal(&sets[page as usize], 1));
    }
    all.template()
}

fn described(sets: &[Vec<u32>], partition: &[Vec<u32>]) -> Vec<Described> {
    partition.iter().map(|cluster| (majority(sets, cluster), cluster.clone())).collect()
}

// ------------------------------------------------------------------------------------------------
// Expected values

fn check_exact_cost(found: &ExactCost, expected: &Value) {
    assert_eq!(found.template_paths, expected["ones_MT"].as_u64().unwrap());
    assert_eq!(found.added, expected["plus"].as_u64().unwrap());
    assert_eq!(found.missing, expected["minus"].as_u64().unwrap());
    assert_eq!(found.approximate(), expected["approx"].as_u64().unwrap());
    assert_close(found.templates, expected["L_MT"].as_f64().unwrap());
    assert_close(found.membership, expected["L_MD"].as_f64().unwrap());
    assert_close(found.differences, expected["L_Mdelta"].as_f64().unwrap());
    assert_close(found.total(), expected["L"].as_f64().unwrap());
}

#[test]
fn costs_of_the_papers_example() {
    let vector = vectors("text_mdl.json");
    let papers: Vec<Described> =
        vec![(vec![1, 2], vec![0, 1]), (vec![1, 2, 3, 4, 5, 6, 7], vec![2, 3])];
    for case in ["A_consistent_reconstruction", "B_printed_matrix"] {
        let case = &vector[case];
        let essential = sets(&case["essential"]);
        check_exact_cost(&exact_cost(&essential, 9, &papers, true), &case["paper_clustering"]);
        if case["paper_unpadded"].is_object() {
            check_exact_cost(&exact_cost(&essential, 9, &papers, false), &case["paper_unpadded"]);
        }
        let majority = described(&essential, &[vec![0, 1], vec![2, 3]]);
        check_exact_cost(&exact_cost(&essential, 9, &majority, true), &case["majority_clustering"]);
        for row in list(&case["all_partitions_exact_L_then_approx"]) {
            let partition = clusters_of(&row[2]);
            let cost = exact_cost(&essential, 9, &described(&essential, &partition), true);
            assert_close(cost.total(), row[0].as_f64().unwrap());
            assert_eq!(cost.approximate(), row[1].as_u64().unwrap());
            let sum: u64 = partition.iter().map(|cluster| cost_of(&essential, cluster)).sum();
            assert_eq!(sum, cost.approximate(), "the cost is a sum over clusters");
        }
    }
}

/// Path sets with the given names as hashes, for functions that take pages.
fn named(value: &Value) -> Vec<PathSet> {
    sets(value)
        .into_iter()
        .map(|set| PathSet::from_hashes(set.into_iter().map(u64::from).collect()))
        .collect()
}

#[test]
fn supports_thresholds_and_essential_paths() {
    let vector = vectors("text_mdl.json");
    let check = |pages: &[PathSet], min_support: u32, thresholds: &Value, essential: &Value| {
        let universe = Universe::of(pages);
        let found: Vec<u64> = pages
            .iter()
            .map(|page| {
                let supports = page
                    .hashes()
                    .iter()
                    .map(|&hash| universe.support(universe.number(hash).unwrap()));
                u64::from(mode_threshold(supports, min_support))
            })
            .collect();
        let expected: Vec<u64> = list(thresholds).iter().map(|t| t.as_u64().unwrap()).collect();
        assert_eq!(found, expected);
        let found: Vec<Vec<u32>> = pages
            .iter()
            .map(|page| {
                universe
                    .essential(page, Essential::Mode { min_support })
                    .into_iter()
                    .map(|path| universe.hash(path) as u32)
                    .collect()
            })
            .collect();
        assert_eq!(found, sets(essential));
    };
    let example = &vector["A_consistent_reconstruction"];
    let pages = named(&example["docs"]);
    check(&pages, 1, &example["thresholds"], &example["essential"]);
    let universe = Universe::of(&pages);
    for (name, support) in example["supports"].as_object().unwrap() {
        let path = universe.number(name[1..].parse().unwrap()).unwrap();
        assert_eq!(u64::from(universe.support(path)), support.as_u64().unwrap());
    }
    let ties = &vector["G_mode_ties"];
    check(&named(&ties["docs"]), 1, &ties["thresholds"], &ties["essential"]);
    let two = &ties["with_min_support_2"];
    check(&named(&ties["docs"]), 2, &two["thresholds"], &two["essential"]);
}

#[test]
fn text_mdl_step_by_step() {
    let vector = vectors("text_mdl.json");
    for case in ["A_consistent_reconstruction", "B_printed_matrix"] {
        let (essential, expected) = (sets(&vector[case]["essential"]), &vector[case]["text_mdl"]);
        let merges = text_mdl(&essential);
        assert_eq!(partition(4, &merges), clusters_of(&expected["clusters"]));
        let mut total: i64 = essential.iter().map(|set| set.len() as i64).sum();
        if let Some(initial) = expected["initial_approx"].as_i64() {
            assert_eq!(total, initial);
        }
        assert_eq!(merges.len(), list(&expected["trace"]).len());
        for (merge, step) in merges.iter().zip(list(&expected["trace"])) {
            total -= merge.gain;
            assert_eq!(merge.gain, step["gain"].as_i64().unwrap());
            assert_eq!(total, step["total"].as_i64().unwrap());
            let pair = clusters_of(&step["merge"]);
            assert_eq!((merge.kept, merge.gone), (pair[0][0], pair[1][0]));
        }
    }
}

#[test]
fn similarities_and_text_max() {
    let vector = vectors("text_mdl.json");
    let essential = sets(&vector["A_consistent_reconstruction"]["essential"]);
    let expected = &vector["E_similarity"];
    let counts = |cluster: &[usize]| {
        let all = cluster.iter().map(|&page| Counts::of_equal(&essential[page], 1));
        all.reduce(|a, b| a.merged(&b)).unwrap()
    };
    let check = |kind, a: &[usize], b: &[usize], name: &str| {
        assert_close(similarity(kind, &counts(a), &counts(b)), fraction(&expected[name]));
    };
    check(Similarity::Jaccard, &[0], &[1], "jaccard_d1_d2");
    check(Similarity::Jaccard, &[2], &[3], "jaccard_d3_d4");
    check(Similarity::Jaccard, &[0, 1], &[2, 3], "jaccard_all");
    check(Similarity::DiceOfUnions, &[2], &[3], "dice_d3_d4");
    check(Similarity::DiceOfUnions, &[0, 1], &[2, 3], "dice_union_c12_c34");
    check(Similarity::DiceOfCommon, &[0, 1], &[2, 3], "dice_inter_c12_c34");
    for (kind, name) in [
        (Similarity::Jaccard, "text_max_jaccard"),
        (Similarity::DiceOfUnions, "text_max_dice_union"),
        (Similarity::DiceOfCommon, "text_max_dice_inter"),
    ] {
        for repair in [false, true] {
            let merges = text_max(&essential, kind, repair);
            assert_eq!(partition(4, &merges), clusters_of(&expected[name]["clusters"]));
            // The first merge only collapses equal pages.
            let step = &expected[name]["trace"][0];
            assert_eq!(merges[1].gain, step["gain"].as_i64().unwrap());
            assert_eq!((merges[1].kept, merges[1].gone), (2, 3));
        }
    }
}

#[test]
fn repair() {
    let vector = vectors("text_max_repair.json");
    let example = &vector["example"];
    let essential = sets(&example["E"]);
    for (repair, name) in [(false, "without_repair"), (true, "with_repair")] {
        let found = partition(4, &text_max(&essential, Similarity::Jaccard, repair));
        assert_eq!(found, clusters_of(&example[name]["clusters"]), "{name}");
        let cost: u64 = found.iter().map(|cluster| cost_of(&essential, cluster)).sum();
        assert_eq!(cost, example[name]["cost"].as_u64().unwrap());
    }
}

#[test]
fn signatures_of_six_permutations() {
    let vector = vectors("text_mdl.json");
    let case = &vector["D_minhash_six_permutations"];
    let essential = sets(&vector["A_consistent_reconstruction"]["essential"]);
    let ranks: Vec<Vec<u64>> = list(&case["ranks"])
        .iter()
        .map(|r| list(r).iter().map(|v| v.as_u64().unwrap()).collect())
        .collect();
    let of_page = |set: &Vec<u32>| {
        let min_rank =
            |ranks: &Vec<u64>| set.iter().map(|&path| ranks[path as usize - 1]).min().unwrap();
        Signature::from_ranks(&ranks.iter().map(|ranks| (min_rank(ranks), 1)).collect::<Vec<_>>())
    };
    let read = |value: &Value| {
        let entry = |pair: &Value| (pair[0].as_u64().unwrap(), pair[1].as_u64().unwrap() as u32);
        Signature::from_ranks(&list(value).iter().map(entry).collect::<Vec<_>>())
    };
    let pages: Vec<Signature> = essential.iter().map(of_page).collect();
    for (page, expected) in pages.iter().zip(list(&case["doc_signatures"])) {
        assert_eq!(*page, read(expected));
    }
    let last = pages[2].merged(&pages[3]);
    let all = pages[0].merged(&pages[1]).merged(&last);
    for (name, signature, number) in [("c34", &last, 2), ("c1234", &all, 4)] {
        let expected = &case[name];
        assert_eq!(*signature, read(&expected["signature"]));
        for (found, expected) in signature.shares(number).iter().zip(list(&expected["xi"])) {
            assert_close(*found, fraction(expected));
        }
        let paths = expected["sum_essential"].as_u64().unwrap();
        assert_close(signature.cost(number, paths), expected["cost_est_float"].as_f64().unwrap());
    }
    assert_close(pages[2].merged_cost(&pages[3], 2, 12), 8.0);
}

#[test]
fn all_permutations_give_the_exact_cost() {
    let vector = vectors("text_mdl.json");
    let case = &vector["C_minhash_all_permutations"];
    let given = sets(&case["sets"]);
    let signature = signature_by_all_permutations(&given, 5);
    for (found, expected) in signature.shares(3).iter().zip(list(&case["xi"])) {
        assert_close(*found, fraction(expected));
    }
    assert_close(signature.cost(3, 8), fraction(&case["eq4"]));
    let majority = majority(&given, &[0, 1, 2]);
    assert_eq!(majority, sets(&Value::Array(vec![case["majority_template"].clone()]))[0]);
}

#[test]
fn assignment_of_later_pages() {
    let vector = vectors("text_mdl.json");
    let universe = Universe::from_supports((0..10).map(|path| (path, 1)).collect());
    let templates = vec![vec![1, 2], vec![1, 2, 5, 6, 7]];
    let assigner = Assigner::new(PathMode::Tags, MODE, universe, templates);
    for (name, case) in vector["I_assign_only"].as_object().unwrap() {
        let essential = sets(&Value::Array(vec![case["E"].clone()])).remove(0);
        let decision = match assigner.best_for(&essential) {
            Some((cluster, apart)) => {
                let cluster = ["c12", "c34"][cluster as usize];
                assert_eq!(apart as u64, case["join_cost"][cluster].as_u64().unwrap());
                cluster
            }
            None => "new cluster",
        };
        assert_eq!(decision, case["decision"].as_str().unwrap(), "{name}");
    }
}

#[test]
fn probability_of_candidates() {
    let vector = vectors("text_mdl.json");
    for (name, row) in vector["J_lsh_collision_probability"].as_object().unwrap() {
        let numbers: Vec<usize> =
            name.split(',').map(|part| part.split('=').nth(1).unwrap().parse().unwrap()).collect();
        let bands = Bands { bands: numbers[0], rows: numbers[1] };
        for (jaccard, expected) in row.as_object().unwrap() {
            let found = bands.probability(jaccard.parse().unwrap());
            assert!(
                (found - expected.as_f64().unwrap()).abs() <= 0.5001e-4,
                "{name} {jaccard} {found}"
            );
        }
    }
}

// ------------------------------------------------------------------------------------------------
// Invariants

fn permutations(number: u64) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for value in 0..number {
        let longer = |p: Vec<u64>| {
            (0..=p.len()).map(move |at| {
                let mut p = p.clone();
                p.insert(at, value);
                p
            })
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

fn signature_by_all_permutations(sets: &[Vec<u32>], paths: u64) -> Signature {
    let ranks = permutations(paths);
    let of_page = |set: &Vec<u32>| {
        let min_rank =
            |ranks: &Vec<u64>| set.iter().map(|&path| ranks[path as usize]).min().unwrap();
        Signature::from_ranks(&ranks.iter().map(|ranks| (min_rank(ranks), 1)).collect::<Vec<_>>())
    };
    sets.iter().map(of_page).reduce(|a, b| a.merged(&b)).unwrap()
}

/// Between two and `pages` non-empty sets out of `paths` paths.
fn some_sets(pages: usize, paths: u32) -> impl Strategy<Value = Vec<Vec<u32>>> {
    let set = proptest::collection::btree_set(0..paths, 1..=paths as usize);
    proptest::collection::vec(set.prop_map(|set| set.into_iter().collect()), 2..=pages)
}

fn hashed(sets: &[Vec<u32>]) -> Vec<PathSet> {
    let hash = |&path: &u32| xxh3_64(&path.to_le_bytes());
    sets.iter().map(|set| PathSet::from_hashes(set.iter().map(hash).collect())).collect()
}

/// The greedy search without any optimisation.
fn unoptimised_text_mdl(sets: &[Vec<u32>]) -> Vec<Merge> {
    let mut counts = singles(sets);
    let mut merges = Vec::new();
    loop {
        let mut best: Option<Merge> = None;
        for kept in 0..counts.len() {
            for gone in kept + 1..counts.len() {
                let (Some(a), Some(b)) = (&counts[kept], &counts[gone]) else { continue };
                let gain = a.gain(b);
                if gain > 0 && best.is_none_or(|known| gain > known.gain) {
                    best = Some(Merge { kept: kept as u32, gone: gone as u32, gain });
                }
            }
        }
        let Some(merge) = best else { return merges };
        let gone = counts[merge.gone as usize].take().unwrap();
        let kept = counts[merge.kept as usize].take().unwrap();
        counts[merge.kept as usize] = Some(kept.merged(&gone));
        merges.push(merge);
    }
}

const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::Mdl, Algorithm::Hash, Algorithm::Max, Algorithm::DiceMax];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// (a) No template describes the pages of a cluster more cheaply than the paths that most of
    /// them have.
    #[test]
    fn the_majority_template_is_cheapest(sets in some_sets(6, 6)) {
        let all: Vec<u32> = (0..sets.len() as u32).collect();
        let min_cost = (0..64u32)
            .map(|bits| {
                let template: Vec<u32> = (0..6).filter(|path| bits >> path & 1 == 1).collect();
                let apart =
                    |set: &Vec<u32>| template.len() + set.len() - 2 * common(&template, set);
                template.len() + sets.iter().map(apart).sum::<usize>()
            })
            .min()
            .unwrap();
        prop_assert_eq!(min_cost as u64, cost_of(&sets, &all));
    }

    /// (b), (c) The cost is the number of ones in the templates and the differences, and the three
    /// matrices reproduce the pages.
    #[test]
    fn the_description_reproduces_the_pages(sets in some_sets(8, 12)) {
        let clusters = partition(sets.len(), &text_mdl(&sets));
        let mut cost = 0;
        for (template, members) in described(&sets, &clusters) {
            cost += template.len();
            for &member in &members {
                for path in 0..12 {
                    let (in_page, in_template) =
                        (sets[member as usize].contains(&path), template.contains(&path));
                    let difference = i32::from(in_page) - i32::from(in_template);
                    cost += difference.unsigned_abs() as usize;
                    prop_assert_eq!(i32::from(in_template) + difference, i32::from(in_page));
                }
            }
        }
        let sum: u64 = clusters.iter().map(|cluster| cost_of(&sets, cluster)).sum();
        prop_assert_eq!(sum, cost as u64);
        prop_assert_eq!(
            exact_cost(&sets, 12, &described(&sets, &clusters), true).approximate(),
            sum
        );
    }

    /// (d) The signature of a union does not depend on the order of the merges.
    #[test]
    fn signatures_merge_in_any_order(
        sets in some_sets(6, 10),
        order in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let ranking = Ranking::new(16, 7);
        let pages: Vec<Signature> =
            hashed(&sets).iter().map(|page| ranking.signature(page.hashes(), 1).unwrap()).collect();
        let forward = pages.iter().cloned().reduce(|a, b| a.merged(&b)).unwrap();
        let shuffled: Vec<Signature> =
            order.iter().filter_map(|&at| pages.get(at).cloned()).collect();
        let backward = shuffled.into_iter().rev().reduce(|a, b| b.merged(&a)).unwrap();
        prop_assert_eq!(&forward, &backward);
        let (first, rest) = pages.split_first().unwrap();
        let rest = rest.iter().cloned().reduce(|a, b| a.merged(&b)).unwrap();
        let (number, paths) = (pages.len() as u32, sets.iter().map(Vec::len).sum::<usize>() as u64);
        prop_assert_eq!(first.merged_cost(&rest, number, paths), forward.cost(number, paths));
        prop_assert_eq!(first.merged_total_pages(&rest), forward.total_pages());
    }

    /// (f) A position of a union is full with some rank exactly if it is full with that rank in
    /// both parts.
    #[test]
    fn full_positions_of_a_union_are_those_of_both_parts(
        sets in some_sets(6, 12),
        cut in 1usize..6,
    ) {
        let ranking = Ranking::new(32, 3);
        let pages: Vec<Signature> =
            hashed(&sets).iter().map(|page| ranking.signature(page.hashes(), 1).unwrap()).collect();
        let cut = cut.min(pages.len() - 1);
        let merge = |part: &[Signature]| part.iter().cloned().reduce(|a, b| a.merged(&b)).unwrap();
        let keys = |signature: &Signature, number: usize| -> Vec<(usize, u64)> {
            signature.full(number as u32).map(|at| (at, signature.ranks[at])).collect()
        };
        let (one, other) =
            (keys(&merge(&pages[..cut]), cut), keys(&merge(&pages[cut..]), pages.len() - cut));
        let both: Vec<(usize, u64)> = one.into_iter().filter(|key| other.contains(key)).collect();
        prop_assert_eq!(both, keys(&merge(&pages), pages.len()));
    }

    /// The index finds the same clusters as comparing all signatures, also after merges.
    #[test]
    fn the_index_finds_the_nearest_clusters(sets in some_sets(9, 14)) {
        let ranking = Ranking::new(32, 5);
        let signatures: Vec<Option<Signature>> =
            hashed(&sets).iter().map(|page| ranking.signature(page.hashes(), 1)).collect();
        let mut counts = singles(&sets);
        let mut plain: Vec<Option<Signature>> = signatures.clone();
        let mut index = FullPositions::new(Similarity::Jaccard, signatures, &counts);
        loop {
            let live: Vec<u32> =
                (0..sets.len() as u32).filter(|&at| counts[at as usize].is_some()).collect();
            for &own in &live {
                let shared = |at: u32| {
                    let pages = counts[own as usize].as_ref().unwrap().pages
                        + counts[at as usize].as_ref().unwrap().pages;
                    plain[own as usize]
                        .as_ref()
                        .unwrap()
                        .merged(plain[at as usize].as_ref().unwrap())
                        .full(pages)
                        .count()
                };
                let max =
                    live.iter().filter(|&&at| at != own).map(|&at| shared(at)).max().unwrap_or(0);
                let expected: Vec<u32> = live
                    .iter()
                    .copied()
                    .filter(|&at| at != own && max > 0 && shared(at) == max)
                    .collect();
                prop_assert_eq!(index.nearest(own, &counts), expected);
            }
            if live.len() < 2 {
                break;
            }
            let (kept, gone) = (live[0], live[live.len() / 2]);
            let merged = counts[kept as usize]
                .take()
                .unwrap()
                .merged(&counts[gone as usize].take().unwrap());
            counts[kept as usize] = Some(merged);
            let union =
                plain[kept as usize].take().unwrap().merged(&plain[gone as usize].take().unwrap());
            plain[kept as usize] = Some(union);
            index.merged(kept, gone, &counts);
        }
    }

    /// The search with short lists of partners does the same as the unoptimised one.
    #[test]
    fn text_mdl_matches_the_unoptimised_search(sets in some_sets(40, 10)) {
        prop_assert_eq!(text_mdl(&sets), unoptimised_text_mdl(&sets));
    }

    /// [`OneAgainstMany`] computes the same gains as comparing pairs.
    #[test]
    fn one_against_many_matches_pairwise_gains(sets in some_sets(8, 10)) {
        let counts: Vec<Counts> = partition(sets.len(), &text_mdl(&sets)[..])
            .iter()
            .map(|cluster| {
                cluster
                    .iter()
                    .map(|&page| Counts::of_equal(&sets[page as usize], 1))
                    .reduce(|a, b| a.merged(&b))
                    .unwrap()
            })
            .chain(sets.iter().map(|set| Counts::of_equal(set, 2)))
            .collect();
        let mut scratch = OneAgainstMany::new(PATHS);
        for one in &counts {
            let mut gains = Vec::new();
            scratch.gains(one, counts.iter(), |gain| gains.push(gain));
            prop_assert_eq!(gains, counts.iter().map(|other| one.gain(other)).collect::<Vec<_>>());
        }
    }

    /// (g), (h), (i) Equal pages stay together, the order of the pages does not matter, and every
    /// merge lowers the cost.
    #[test]
    fn clusters_do_not_depend_on_page_order(
        sets in some_sets(12, 12),
        order in Just((0..12usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let order: Vec<usize> = order.into_iter().filter(|&at| at < sets.len()).collect();
        let pages = hashed(&sets);
        let shuffled: Vec<PathSet> = order.iter().map(|&at| pages[at].clone()).collect();
        for algorithm in ALGORITHMS {
            for bands in [None, Some(Bands::default())] {
                let settings = Clustering {
                    algorithm,
                    bands,
                    essential: MODE,
                    join: None,
                    min_pages: 1,
                    ..Clustering::default()
                };
                let (found, again) = (settings.cluster(&pages), settings.cluster(&shuffled));
                prop_assert_eq!(found.costs(), again.costs());
                for (at, &from) in order.iter().enumerate() {
                    prop_assert_eq!(found.of_page()[from], again.of_page()[at]);
                }
                for a in 0..sets.len() {
                    for b in 0..a {
                        prop_assert!(
                            sets[a] != sets[b] || found.of_page()[a] == found.of_page()[b]
                        );
                    }
                }
                prop_assert!(found.costs().windows(2).all(|pair| pair[1] < pair[0]));
            }
        }
    }

    /// The last recorded cost is the cost of the clusters, also when pages were assigned.
    #[test]
    fn the_last_cost_is_the_cost_of_the_clusters(
        sets in some_sets(14, 12),
        max_distinct in 1usize..6,
    ) {
        let pages = hashed(&sets);
        let universe = Universe::of(&pages);
        let essential: Vec<Vec<u32>> =
            pages.iter().map(|page| universe.essential(page, MODE)).collect();
        let settings = Clustering {
            essential: MODE,
            join: None,
            min_pages: 1,
            max_distinct,
            ..Clustering::default()
        };
        let found = settings.cluster(&pages);
        let cost: u64 =
            found.clusters().iter().map(|cluster| cost_of(&essential, &cluster.pages)).sum();
        prop_assert_eq!(found.costs().last().copied(), Some(cost));
        prop_assert!(found.of_page().iter().all(Option::is_some));
    }

    /// Looking up the rarest paths finds every cluster that fits.
    #[test]
    fn assignment_matches_an_exhaustive_search(
        templates in some_sets(8, 12),
        page in some_sets(2, 12),
    ) {
        let universe = Universe::from_supports((0..12).map(|path| (path, 1)).collect());
        let assigner = Assigner::new(PathMode::Tags, MODE, universe, templates.clone());
        let apart =
            |template: &Vec<u32>| template.len() + page[0].len() - 2 * common(template, &page[0]);
        let expected =
            templates.iter().map(apart).zip(0u32..).min().filter(|best| best.0 < page[0].len());
        prop_assert_eq!(
            assigner.best_for(&page[0]),
            expected.map(|(apart, cluster)| (cluster, apart))
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// (e) With all permutations of the paths, the estimated cost is exact.
    #[test]
    fn estimates_from_all_permutations_are_exact(sets in some_sets(4, 5)) {
        let signature = signature_by_all_permutations(&sets, 5);
        let all: Vec<u32> = (0..sets.len() as u32).collect();
        let paths = sets.iter().map(Vec::len).sum::<usize>() as u64;
        prop_assert!(
            (signature.cost(sets.len() as u32, paths) - cost_of(&sets, &all) as f64).abs() < 1e-9
        );
    }
}

#[test]
fn edge_cases() {
    let cluster = |sets: &[&[u32]]| {
        let sets: Vec<Vec<u32>> = sets.iter().map(|set| set.to_vec()).collect();
        let settings =
            Clustering { essential: MODE, join: None, min_pages: 1, ..Clustering::default() };
        settings.cluster(&hashed(&sets)).of_page().to_vec()
    };
    assert_eq!(cluster(&[]), []);
    assert_eq!(cluster(&[&[]]), [None], "a page without paths belongs to no cluster");
    assert_eq!(cluster(&[&[1, 2]]), [Some(0)]);
    assert_eq!(cluster(&[&[1, 2], &[1, 2], &[1, 2]]), [Some(0); 3]);
    let disjoint = cluster(&[&[1, 2], &[3, 4], &[5, 6]]);
    assert!(disjoint[0] != disjoint[1] && disjoint[1] != disjoint[2] && disjoint[0] != disjoint[2]);
}
