//! The papers' own values and rules, each with the place where it stands. A setting that a paper
//! does not give is pinned too: with another value our published figures could not be repeated.

#![allow(clippy::disallowed_methods)]

mod common;

use common::parse;
use unmold::cluster::{
    Algorithm, Clustering, Essential, PathMode, PathSet, PathTemplates, exact_cost,
};
use unmold::dedup::IMatch;
use unmold::methods::{
    Combination, Combine, Costs, Identity, PageByPage, Pruning, Scoring, Threshold,
};
use unmold::metrics::Agreement;
use unmold::page::{Delimiters, LabelProfile};
use unmold::sections::{Areas, Layout, Section, SectionRecord, Sectioning, cut, sections};
use unmold::{
    Alignment, ChunkFrequency, LearnedTemplate, Marks, Method, Page, Sample, TreeMapping,
    TreePattern, strip,
};

// ------------------------------------------------------------------------------------------------
// every field of every `paper()`: a new field does not compile until it is pinned here

#[test]
fn chunk_frequency() {
    let ChunkFrequency { delimiters, threshold, min_threshold, company, long_words, long_share } =
        ChunkFrequency::paper();
    // Section 3: "a deliminator tag or its respective end tag such as table tag or image map tag".
    assert_eq!(delimiters, Delimiters::Paper);
    // Section 4.4: "with document threshold set to 4".
    assert_eq!(threshold, Threshold::Pages(4));
    // Section 3 has no other condition than the document frequency.
    assert_eq!((min_threshold, company), (0, None));
    assert_eq!((long_words, long_share), (usize::MAX, 1.0));
    // Section 3: IMatch removes the most frequent terms; how frequent is not said.
    let IMatch { max_share, share_from, min_documents, min_words } = IMatch::default();
    assert_eq!((max_share, share_from, min_documents, min_words), (0.5, 10, 1, 5));
}

#[test]
fn alignment() {
    let Alignment {
        pages,
        scoring,
        identity,
        mask_digits,
        moved_blocks,
        pruning,
        support,
        value_support,
        min_pages,
        seed,
        max_tokens,
    } = Alignment::paper();
    // Section 3.1: "setting t = 16 seems to be a good choice in most situations".
    assert_eq!(pages, 16);
    // Section 2: match 1, mismatch 0, gap -1.
    assert_eq!(scoring, Scoring::Paper);
    // Section 2: attributes are sorted and compared, texts in lower case and otherwise as they are.
    assert_eq!((identity, mask_digits), (Identity::AllAttributes, false));
    // Section 2: tokens with a score below 2^(r-2)/t are pruned in step r: half of the pages.
    assert_eq!(pruning, Pruning::Half);
    // Section 2: at the root, "those tokens whose score is below 1/2"; the same for all tokens.
    assert_eq!((support, value_support, min_pages), (0.5, 0.0, 1));
    // Not in the paper, which does not say how a template is removed.
    assert_eq!((moved_blocks, seed, max_tokens), (false, 0, 50_000));
}

#[test]
fn tree_mapping() {
    let TreeMapping {
        costs,
        labels,
        max_pages,
        combination,
        patience,
        cell_budget,
        allow_moved,
        repeats,
        seed,
    } = TreeMapping::paper();
    // Section 3: unit costs are common.
    assert_eq!((costs, costs.get()), (Costs::UNIT, (1, 1, 1)));
    // Section 3: nodes of the DOM tree are compared by label; attributes are not mentioned.
    assert_eq!(labels, LabelProfile::Tag);
    // Section 6.1: F above 0.95 for all sites but one with fewer than 25 pages.
    assert_eq!(max_pages, 25);
    // Figure 5, FindTemplate: the intersection of all pages, begun with two random ones, without
    // a test for foreign pages and without an early end.
    assert_eq!(combination, Combination::Intersection { min_keep: 0.0, starting_pairs: 1 });
    assert_eq!(patience, 0);
    // Section 4: removal finds the template's subtree in its place.
    assert_eq!((allow_moved, repeats), (false, false));
    // Not in the paper: pairs of pages beyond 2^22 cells are mapped greedily.
    assert_eq!((cell_budget, seed), (1 << 22, 0));
}

#[test]
fn tree_pattern() {
    let TreePattern {
        max_pages,
        max_patterns,
        fold_similarity,
        align_similarity,
        page_similarity,
        alternatives,
        node_support,
        smooth,
        min_feature_pages,
        elsewhere,
        combine,
        threshold,
        max_nodes,
        cell_budget,
        seed,
    } = TreePattern::paper();
    // Section 3: "randomly selecting 15 pages for learning".
    assert_eq!(max_pages, 15);
    // Section 2: one template a site, with the operators *, ? and |.
    assert_eq!((max_patterns, alternatives), (1, true));
    // Section 2.1: node support "greater than some threshold (say, 20%)".
    assert_eq!(node_support, 0.2);
    // Section 2.1: noise confidence is the ratio of the supports of feature and node, for each
    // feature found, at the node where it is found.
    assert_eq!((smooth, min_feature_pages, elsewhere), (false, 1, false));
    // Not in the paper: several features of a leaf, the cut for single texts, and the learner.
    assert_eq!((combine, threshold), (Combine::Mean, 0.5));
    assert_eq!((fold_similarity, align_similarity, page_similarity), (0.5, 0.3, 0.3));
    assert_eq!((max_nodes, cell_budget, seed), (20_000, 1 << 26, 0));
}

#[test]
fn sectioning() {
    let Sectioning { large_area, layout, min_entries, inline_lists, page_evidence, noisy_below } =
        Sectioning::paper();
    // Section 2.2.2, Cond1: "greater than some threshold (say 15%)".
    assert_eq!(large_area, 0.15);
    // Cond2: "sectioning tag like TABLE, DIV".
    assert_eq!(layout, Layout::Tables);
    // "all HTML nodes mapping to a STAR template node are treated as a part of a section".
    assert_eq!((min_entries, inline_lists), (1, true));
    // Section 2.2.3: only the noise confidence of the template counts.
    assert_eq!(page_evidence, None);
    // Section 3: "less than some threshold (say, 25%)".
    assert_eq!(noisy_below, 0.25);
}

#[test]
fn page_clusters() {
    let Clustering {
        algorithm,
        paths,
        essential,
        signature,
        seed,
        repair,
        polish,
        dice_of_common,
        bands,
        max_distinct,
        join,
        min_pages,
        attach,
    } = Clustering::paper();
    // Section IX.B: TEXT-MAX is fast "without sacrificing accuracy"; `--algorithm` has the others.
    assert_eq!(algorithm, Algorithm::Max);
    // Section II, table 1: names from the root, and texts as last component.
    assert_eq!(paths, PathMode::TagsText);
    // Section III: the mode of the supports of all paths of a document.
    assert_eq!(essential, Essential::Mode { min_support: 1 });
    // Section VII: only the merged cluster looks for candidates; the search ends with the pairs.
    assert_eq!((repair, polish), (false, false));
    // Section VIII, with union and intersection as meant.
    assert!(!dice_of_common);
    // Section V: all documents are clustered, clusters of any size stay as the cost leaves them.
    assert_eq!((bands, max_distinct, join, min_pages), (None, usize::MAX, None, 1));
    // Not in the paper: the length of signatures; `attach` has no effect on clusters of any size.
    assert_eq!((signature, seed, attach), (128, 0, 0.5));
    // Section V, FindMDLCost: T is chosen from essential paths.
    let PathTemplates { essential } = PathTemplates::paper();
    assert_eq!(essential, Some(Essential::Mode { min_support: 1 }));
}

// ------------------------------------------------------------------------------------------------
// > against ≥

/// Pages that share a table with `text` on the first `holders` of `pages`.
fn with_chunk(pages: usize, holders: usize) -> Vec<Page> {
    let page = |number: usize| {
        let chunk = if number < holders { "<table><tr><td>buy now</table>" } else { "" };
        parse(&format!("{chunk}<p>story {number}</p>"))
    };
    (0..pages).map(page).collect()
}

/// Chunk frequency, section 3: "document frequency is over a determined threshold".
#[test]
fn a_chunk_on_four_pages_is_content_and_on_five_template() {
    for (holders, expected) in [(4, 0), (5, 1)] {
        let pages = with_chunk(13, holders);
        let template = ChunkFrequency::paper().learn(&Sample::new(&pages)).expect("pages");
        assert_eq!(template.chunks().len(), expected, "on {holders} pages");
    }
}

/// Alignment, section 2: tokens "below 1/2" are removed, so those on half of the pages stay.
#[test]
fn a_token_on_half_of_the_pages_is_template() {
    let pages = |holders: usize| -> Vec<Page> {
        (0..16)
            .map(|n| {
                parse(&format!("<p>menu</p>{}", if n < holders { "<h4>notice</h4>" } else { "" }))
            })
            .collect()
    };
    for (holders, expected) in [(7, false), (8, true)] {
        let settings = Alignment { pruning: Pruning::Off, ..Alignment::paper() };
        let template = settings.learn(&Sample::new(&pages(holders))).expect("pages");
        assert_eq!(template.text().contains("notice"), expected, "on {holders} of 16 pages");
    }
}

/// Tree pattern, section 2.1: node support "greater than" 20 %.
#[test]
fn a_part_on_a_fifth_of_the_pages_is_ignored() {
    for (holders, expected) in [(3, 0.0), (4, 1.0)] {
        let page = |number: usize| {
            let notice = if number < holders { "<blockquote>Sale today</blockquote>" } else { "" };
            parse(&format!("<h1>Shop</h1>{notice}<p>Thing {number}</p>"))
        };
        let pages: Vec<Page> = (0..15).map(page).collect();
        let template = TreePattern::paper().learn(&Sample::new(&pages)).expect("pages");
        assert_eq!(mark_of(&template, &pages[0], "Sale today"), expected, "on {holders} of 15");
    }
}

fn mark_of(template: &impl LearnedTemplate, page: &Page, text: &str) -> f32 {
    let marks = template.mark(page);
    let node = page.visible_texts().find(|&id| page.text(id) == text).expect("the text");
    marks.value(node)
}

/// Tree pattern, section 2.1: the noise confidence of a feature on one page is 1 / PS of its node,
/// and that of a feature of no page is 0.
#[test]
fn a_feature_of_one_page_has_its_share_of_the_support() {
    let page = |number: usize| parse(&format!("<h1>Shop</h1><p>Thing {number}</p>"));
    let pages: Vec<Page> = (0..10).map(page).collect();
    let template = TreePattern::paper().learn(&Sample::new(&pages)).expect("pages");
    assert_eq!(mark_of(&template, &pages[3], "Thing 3"), 0.1);
    assert_eq!(mark_of(&template, &page(10), "Thing 10"), 0.0);
    let template = TreePattern::default().learn(&Sample::new(&pages)).expect("pages");
    assert_eq!(mark_of(&template, &pages[3], "Thing 3"), 0.0, "the default has no such share");
}

/// The sections of a page of 100 × 100 whose second `div` has the given height.
fn sections_of(height: f64) -> Vec<Section> {
    let page = parse("<div><div>a</div><div>b</div></div>");
    let boxes: Vec<Option<(f64, f64)>> = page
        .nodes()
        .map(|id| match page.path(id).matches("div").count() {
            0 if page.path(id).ends_with("body") => Some((100.0, 100.0)),
            1 => Some((100.0, 100.0)),
            2 => Some((100.0, height)),
            _ => None,
        })
        .collect();
    let areas = Areas::of_boxes(&page, &boxes, (100.0, 100.0));
    let lists = vec![None; page.len() as usize];
    sections(&page, &Marks::none(&page), &lists, &areas, &Sectioning::paper())
}

/// Sections, Cond1: "greater than" 15 % of the page.
#[test]
fn a_block_of_fifteen_percent_is_not_large() {
    assert_eq!(sections_of(15.0).len(), 1, "its parent stays whole");
    assert_eq!(sections_of(15.5).len(), 2);
}

/// Sections, section 3: "less than" 25 %.
#[test]
fn a_section_of_importance_a_quarter_is_informative() {
    let page = parse("<p>text</p>");
    for (mark, noisy) in [(0.75, false), (0.751, true)] {
        let mut marks = Marks::none(&page);
        page.visible_texts().for_each(|id| marks.set(id, mark, None));
        let lists = vec![None; page.len() as usize];
        let settings = Sectioning::paper();
        let found = sections(&page, &marks, &lists, &Areas::estimate(&page), &settings);
        assert_eq!(
            SectionRecord::new(&page, &page.xpaths(), &found[0], &settings).noisy,
            noisy,
            "{mark}"
        );
        // What `clean --min-importance 0.25` removes.
        let kept = strip(&page, &cut(&page, &marks, &found, 0.25)).text();
        assert_eq!(kept.is_empty(), noisy, "{mark}");
    }
}

/// Page clusters, section III: paths whose support is at least the mode are essential, and of
/// several modes the smallest counts. Section V: of |D| pages, (|D| + 1) / 2 are enough.
#[test]
fn essential_paths_and_templates_at_their_thresholds() {
    // Supports: a 4, b 4, c 2, d 2. The modes of the first page are 2 and 4: 2 counts, so all four
    // paths are essential; the others have a and b alone.
    let pages =
        [vec![1, 2, 3, 4], vec![1, 2, 3, 4], vec![1, 2], vec![1, 2]].map(PathSet::from_hashes);
    let settings = Clustering { algorithm: Algorithm::Mdl, ..Clustering::paper() };
    let found = settings.cluster(&pages);
    let templates: Vec<&[u64]> =
        found.clusters().iter().map(|cluster| cluster.template.as_slice()).collect();
    // Together c and d cost 2 each, apart a and b cost 1 each once more: equal, so no merge.
    assert_eq!(templates, [&[1, 2][..], &[1, 2, 3, 4]]);
    // Three pages with a and b, two with c, one with d: two of three are (3 + 1) / 2.
    let pages = [vec![1, 2, 3, 4], vec![1, 2, 3], vec![1, 2]].map(PathSet::from_hashes);
    let settings = Clustering { essential: Essential::Support { pages: 1 }, ..settings };
    let found = settings.cluster(&pages);
    assert_eq!(found.clusters().len(), 1);
    assert_eq!(found.clusters()[0].template, [1, 2, 3]);
}

// ------------------------------------------------------------------------------------------------
// the four algorithms

fn partition(sets: &[&[u64]], algorithm: Algorithm) -> (Vec<Vec<u32>>, u64) {
    let hash = |&path: &u64| path.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let pages: Vec<PathSet> =
        sets.iter().map(|set| PathSet::from_hashes(set.iter().map(hash).collect())).collect();
    let essential = Essential::Support { pages: 1 };
    let found = Clustering { algorithm, essential, ..Clustering::paper() }.cluster(&pages);
    let mut clusters: Vec<Vec<u32>> =
        found.clusters().iter().map(|cluster| cluster.pages.clone()).collect();
    clusters.sort();
    (clusters, *found.costs().last().expect("a cost"))
}

/// Pages and the clusters that each algorithm makes of them: at least one tells each algorithm
/// from all others. Page clusters, sections V to VIII.
#[test]
fn each_algorithm_is_told_from_the_others() {
    use Algorithm::{DiceMax, Hash, Max, Mdl};
    // TEXT-MDL and TEXT-HASH try all pairs, by exact and by estimated cost. TEXT-MAX and
    // TEXT-DICEMAX try the most similar, and leave a page alone whose only candidate is gone.
    let sets: [&[u64]; 4] = [&[3, 6, 8], &[2, 3, 6, 8], &[2, 3, 5, 6], &[2, 3]];
    assert_eq!(partition(&sets, Mdl), (vec![vec![0, 1, 2, 3]], 8));
    assert_eq!(partition(&sets, Hash), (vec![vec![0, 1], vec![2, 3]], 8));
    assert_eq!(partition(&sets, Max), (vec![vec![0, 1, 2], vec![3]], 9));
    assert_eq!(partition(&sets, DiceMax), (vec![vec![0], vec![1, 2, 3]], 9));
    let sets: [&[u64]; 4] = [&[1, 4], &[1, 2, 4], &[2, 3], &[1, 2, 3]];
    assert_eq!(partition(&sets, Mdl), (vec![vec![0], vec![1, 3], vec![2]], 8));
    for algorithm in [Hash, Max, DiceMax] {
        assert_eq!(partition(&sets, algorithm), (vec![vec![0, 1], vec![2, 3]], 6));
    }
    let sets: [&[u64]; 4] = [&[1, 3, 4], &[1, 5], &[4, 5], &[4, 5]];
    assert_eq!(partition(&sets, Max), (vec![vec![0], vec![1], vec![2, 3]], 7));
    for algorithm in [Mdl, Hash, DiceMax] {
        assert_eq!(partition(&sets, algorithm), (vec![vec![0, 1], vec![2, 3]], 6));
    }
    let sets: [&[u64]; 4] = [&[1, 3, 4], &[1, 2], &[2, 3], &[1, 2]];
    assert_eq!(partition(&sets, DiceMax), (vec![vec![0], vec![1, 3], vec![2]], 7));
    for algorithm in [Mdl, Hash, Max] {
        assert_eq!(partition(&sets, algorithm), (vec![vec![0, 2], vec![1, 3]], 6));
    }
}

// ------------------------------------------------------------------------------------------------
// whole sites

/// A site of `pages` pages. `rare` is on every 1200th page, `banner` on four of five.
fn add_site(learner: &mut dyn PageByPage<unmold::methods::ChunkTemplate>, pages: usize) {
    for number in 0..pages {
        let rare = if number % 1200 == 0 { "<table><tr><td>rare offer</table>" } else { "" };
        let banner = if number % 5 == 0 { "" } else { "<table><tr><td>banner</table>" };
        learner.add(&parse(&format!(
            "{rare}{banner}<p>story {number} has words w{number}a w{number}b w{number}c w{number}d</p>"
        )));
    }
}

fn chunks_of_whole_site(settings: &ChunkFrequency, pages: usize) -> Vec<(String, u32)> {
    let mut learner = settings.page_by_page().expect("a learner");
    add_site(learner.as_mut(), pages);
    let template = learner.finish().expect("pages");
    template.chunks().iter().map(|chunk| (chunk.text.clone(), chunk.pages)).collect()
}

/// Where the threshold is a number of pages, a chunk far apart from its repetitions counts.
#[test]
fn counts_of_whole_sites_are_exact_where_the_threshold_is_a_number() {
    let found = chunks_of_whole_site(&ChunkFrequency::paper(), 6000);
    assert_eq!(found, [("banner".to_owned(), 4800), ("rare offer".to_owned(), 5)]);
}

/// Where it is a share, no count is too small by more than one page in a thousand.
#[test]
fn lossy_counts_are_within_their_bound() {
    let settings =
        ChunkFrequency { threshold: Threshold::Share(0.0001), ..ChunkFrequency::paper() };
    let pages = 6000;
    for (text, count) in chunks_of_whole_site(&settings, pages) {
        let true_count = if text == "banner" { 4800 } else { 5 };
        assert!(count <= true_count && count + 6 >= true_count, "{text}: {count}");
    }
    let common = ChunkFrequency { threshold: Threshold::Share(0.5), ..ChunkFrequency::paper() };
    assert_eq!(chunks_of_whole_site(&common, pages), [("banner".to_owned(), 4800)]);
}

/// Chunk frequency, section 3: duplicates are removed by IMatch before anything is counted. Six
/// copies of one story, each with another counter, are one page.
#[test]
fn copies_are_counted_once_in_whole_sites_too() {
    let mut learner = ChunkFrequency::paper().page_by_page().expect("a learner");
    for number in 0..20 {
        let story: String = (0..8).map(|word| format!("s{number}w{word} ")).collect();
        learner.add(&parse(&format!("<table><tr><td>{story}</table><p>end</p>")));
    }
    for copy in 0..6 {
        // The same words in another order: a duplicate for IMatch, but not the same text.
        let mut words: Vec<String> = (0..8).map(|word| format!("copied{word}")).collect();
        words.rotate_left(copy);
        learner.add(&parse(&format!(
            "<table><tr><td>agency report</table><p>{}</p><p>end</p>",
            words.join(" ")
        )));
    }
    let template = learner.finish().expect("pages");
    assert!(template.chunks().iter().all(|chunk| chunk.text != "agency report"));
    assert_eq!(template.pages(), 21);
}

/// I-Match at each of its thresholds: a word on half of ten documents is distinctive, fewer than ten
/// documents have no frequent words, and a document needs five distinctive words.
#[test]
fn imatch_at_its_thresholds() {
    let document = |number: usize| -> Vec<&str> {
        let words = [("five", number < 5), ("six", number < 6)];
        words.into_iter().filter_map(|(word, is_there)| is_there.then_some(word)).collect()
    };
    let documents: Vec<Vec<&str>> = (0..10).map(document).collect();
    let settings = IMatch::default();
    assert_eq!(settings.distinctive_words(&documents)[0], ["five"]);
    assert_eq!(settings.distinctive_words(&documents[..9])[0], ["five", "six"]);
    let twice = IMatch { min_documents: 2, ..IMatch::default() };
    assert_eq!(twice.distinctive_words(&[vec!["a", "b"], vec!["a"]]), [["a"], ["a"]]);
    let signatures =
        settings.signatures(&[vec!["a", "b", "c", "d", "e"], vec!["a", "b", "c", "d"]]);
    assert!(signatures[0].is_some() && signatures[1].is_none());
}

// ------------------------------------------------------------------------------------------------
// the papers' arithmetic, by our code

#[test]
fn the_papers_own_arithmetic() {
    // Page clusters, section IV: E(d1) = E(d2) = {p1, p2}, E(d3) = E(d4) = {p1, p2, p4 … p7},
    // templates {p1, p2} and {p1 … p7}, nine paths.
    let pages = [vec![0, 1], vec![0, 1], vec![0, 1, 3, 4, 5, 6], vec![0, 1, 3, 4, 5, 6]];
    let clusters = [(vec![0, 1], vec![0, 1]), ((0..7).collect(), vec![2, 3])];
    let cost = exact_cost(&pages, 9, &clusters, true);
    for (found, printed) in [
        (cost.templates, 29.21),
        (cost.membership, 8.0),
        (cost.differences, 11.145),
        (cost.total(), 48.35),
    ] {
        assert!((found - printed).abs() < 0.006, "{found}, not {printed}");
    }
    // Alignment, table 2, PI with t = 16: precision .855 and recall .868 of 686 tokens (table 1),
    // 697 extracted.
    let agreement = Agreement::of(596, 697, 686);
    assert!((agreement.precision - 0.855).abs() < 5e-4 && (agreement.recall - 0.868).abs() < 1e-3);
    // Chunk frequency, section 4.4: θ = 4 for the 13 pages of a collection is our share of 0.3.
    let share = ChunkFrequency { threshold: Threshold::Share(0.3), ..ChunkFrequency::paper() };
    for holders in [4, 5] {
        let pages = with_chunk(13, holders);
        let learn =
            |settings: &ChunkFrequency| settings.learn(&Sample::new(&pages)).expect("pages");
        assert_eq!(learn(&share).chunks(), learn(&ChunkFrequency::paper()).chunks());
    }
}
