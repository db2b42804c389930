//! Labels of a few pages: what they do to the others.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use rayon::prelude::*;

use super::bench::Bench;
use crate::chart::Plot;
use crate::eval::folds;
use crate::eval::means::mean_of;
use crate::eval::score::mean_of_pages;
use crate::eval::teaching::{Choice, Pupil, Scored, Teacher};
use crate::outcome::{About, Cell, Outcome, Table};

pub const ABOUT: About = About {
    name: "teach",
    title: "Labels of a few pages, carried over to the others",
    paper: "No paper: our own question.",
    reading: "Gold labels of one page of each kind halve the errors of the default on every set, and \
              three pages do more than any change of its weights. Labels of another tool carry its \
              errors over, too: the result is better than the tool on every set, and worse than \
              the default where the tool is.",
};

/// Numbers of labelled pages.
const NUMBERS: [usize; 5] = [1, 2, 3, 5, 10];

/// A way to label.
struct Way<'a> {
    labels: String,
    chosen: &'static str,
    teacher: Teacher<'a>,
    choice: Choice,
}

/// What became of one site.
struct SiteResult {
    site: String,
    fold: Option<usize>,
    labelled: usize,
    taught: Scores,
    default: Scores,
    teacher: Option<Scores>,
    /// Pages of which nothing is left, and something was without labels.
    emptied: usize,
}

type Scores = BTreeMap<&'static str, f64>;

pub fn run(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    if !bench.has_content() || bench.max_pages() < 20 {
        return Ok(());
    }
    let set = bench.set;
    let pupils: Vec<Pupil> = bench
        .sites
        .par_iter()
        .map(|site| Pupil::new(set, site).with_context(|| format!("site {}", site.name)))
        .collect::<Result<_>>()?;
    for way in ways(bench) {
        for number in NUMBERS {
            bench.tell(&format!("{} by {}, {number} pages", way.labels, way.chosen));
            let (set, seed) = (bench.set, bench.setup.seed);
            let taught = |pupil: &Pupil| site_result(set, pupil, &way, number, seed);
            let results: Vec<SiteResult> = pupils.par_iter().filter_map(taught).collect();
            push(bench, outcome, &way, number, &results);
        }
    }
    Ok(())
}

fn ways<'a>(bench: &'a Bench) -> Vec<Way<'a>> {
    let way = |labels: &str, chosen, teacher, choice| Way {
        labels: labels.to_owned(),
        chosen,
        teacher,
        choice,
    };
    let mut ways = vec![
        way("gold", "a kind, by plan", Teacher::Gold, Choice::PlanOfKind),
        way("gold", "a type, by chance", Teacher::Gold, Choice::ChanceOfType),
        way("gold", "a site, by plan", Teacher::Gold, Choice::Plan),
        way("gold", "a site, by chance", Teacher::Gold, Choice::Chance),
        way("gold, 1 in 5 pages noisy", "a kind, by plan", Teacher::Noisy, Choice::PlanOfKind),
    ];
    for peer in bench.setup.peers {
        if bench.sites.iter().all(|site| peer.has_site(bench.set, &site.name)) {
            let teacher = Teacher::Tool(peer, bench.set);
            ways.push(way(&peer.tool, "a kind, by plan", teacher, Choice::PlanOfKind));
        }
    }
    ways
}

/// Teaches a site; `None` if no page is left to score.
fn site_result(
    set: &str,
    pupil: &Pupil,
    way: &Way,
    number: usize,
    seed: u64,
) -> Option<SiteResult> {
    let labelled = pupil.choose(way.choice, number, seed);
    let others = pupil.others(&labelled);
    if others.is_empty() {
        return None;
    }
    let template = pupil.taught(&pupil.labels(way.teacher, &labelled));
    let taught = pupil.score_others(&template, &labelled);
    let is_emptied =
        |(at, scored): &&(usize, Scored)| scored.is_empty && !pupil.by_default(*at).is_empty;
    let teacher = match way.teacher {
        Teacher::Tool(tool, set) => {
            let score = |&at: &usize| {
                let file = &pupil.site.pages[at].0.file;
                let text = tool.text(set, &pupil.site.name, file);
                (at, pupil.site.truth(at).score_text(&text))
            };
            let scored: Vec<_> = others.par_iter().map(score).collect();
            Some(mean_of_pages(pupil.site, scored.into_iter()))
        }
        _ => None,
    };
    let default = others.iter().map(|&at| (at, pupil.by_default(at).means.clone()));
    Some(SiteResult {
        site: pupil.site.name.clone(),
        fold: folds::fold_of(set, &pupil.site.name),
        labelled: labelled.len(),
        emptied: taught.iter().filter(is_emptied).count(),
        default: mean_of_pages(pupil.site, default),
        teacher,
        taught: mean_of_pages(pupil.site, taught.into_iter().map(|(at, s)| (at, s.means))),
    })
}

const CONTENT: &str = "content F1";

fn push(bench: &Bench, outcome: &mut Outcome, way: &Way, number: usize, results: &[SiteResult]) {
    let mean = |of: fn(&SiteResult) -> Option<&Scores>, measure: &str| {
        let means = mean_of(results.iter().filter_map(of));
        Cell::score_if_any(means.get(measure).copied())
    };
    let reported = results.iter().filter(|result| result.fold == Some(4));
    let reported = mean_of(reported.map(|result| &result.taught)).get(CONTENT).copied();
    let differences = results.iter().map(|result| result.taught[CONTENT] - result.default[CONTENT]);
    let worst = differences.clone().fold(f64::INFINITY, f64::min);
    let below = differences.filter(|difference| *difference < -0.003).count();
    let pages = results.iter().map(|result| result.labelled).sum::<usize>();
    let columns = [
        "set",
        "labels",
        "pages, chosen",
        "n",
        "labelled pages of a site",
        "content F1",
        "template F1",
        "default",
        "teacher",
        "part 4",
        "worst site against the default",
        "sites below by .003",
        "pages emptied",
    ];
    outcome.table(Table::new("Means over sites, scored on the other pages", &columns)).row(vec![
        bench.set.into(),
        (&way.labels).into(),
        way.chosen.into(),
        Cell::count(number),
        Cell::Number(pages as f64 / results.len().max(1) as f64, 1),
        mean(|result| Some(&result.taught), CONTENT),
        mean(|result| Some(&result.taught), "template F1"),
        mean(|result| Some(&result.default), CONTENT),
        mean(|result| result.teacher.as_ref(), CONTENT),
        Cell::score_if_any(reported),
        Cell::score(worst),
        Cell::count(below),
        Cell::count(results.iter().map(|result| result.emptied).sum()),
    ]);
    for result in results {
        let columns =
            ["set", "labels", "pages, chosen", "n", "site", "labelled", "content F1", "default"];
        outcome.table(Table::new("Each site", &columns).in_report_only()).row(vec![
            bench.set.into(),
            (&way.labels).into(),
            way.chosen.into(),
            Cell::count(number),
            (&result.site).into(),
            Cell::count(result.labelled),
            Cell::score_if_any(result.taught.get(CONTENT).copied()),
            Cell::score_if_any(result.default.get(CONTENT).copied()),
        ]);
    }
    let set = bench.set;
    let title = format!("{set}: content F1 against labelled pages");
    let plot = Plot::curves(&format!("teach-{set}"), &title, "labelled pages", CONTENT);
    let line = format!("{}, {}", way.labels, way.chosen);
    let means = mean_of(results.iter().map(|result| &result.taught));
    if let Some(&value) = means.get(CONTENT) {
        outcome.plot(plot).point(&line, number as f64, value);
    }
}
