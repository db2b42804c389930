//! Scores, size of the template and time against the number of pages learned from.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use rayon::prelude::*;
use unmold_lab::chart::Plot;
use unmold_lab::outcome::{About, Cell, Outcome, Table};

use super::{Bench, timed};
use crate::eval::{Contender, Draw, SetScores, mean_of_sites, score_site};

pub const ABOUT: About = About {
    name: "curve",
    title: "Template F, size and time against the number of pages learned from",
    paper: "Tree mapping (2006), figure 7: term F against 2 to 100 pages, above 0.95 from fewer than 25 on 9 of 10 sites. \
            Alignment (2011), table 2 and figure 2: precision rises and recall falls with t; P/R at t = 16: Wikipedia .906/.931, allMusic .702/.936, zdNet .934/.910; time linear in t.",
    reading: "The papers' shape is seen where pages of a site share one template; ours mix page types, which costs recall at small samples. \
              Precision is high from few pages on, because support is counted; recall is bounded by what differs from page to page. Times include marking and scoring.",
};

/// Samples of these sizes.
const SIZES: [usize; 7] = [2, 4, 8, 16, 32, 64, 100];

pub fn run(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    let labelled = bench.sites.iter().any(|site| site.pages.iter().any(|(gold, _)| gold.content.is_some()));
    if !labelled || bench.set.ends_with("-neutral") {
        return Ok(());
    }
    let most = bench.sites.iter().map(|site| site.pages.len()).max().unwrap_or(0);
    for (name, contender) in bench.strippers() {
        for size in SIZES.into_iter().filter(|&size| size < most) {
            (bench.tell)(&format!("{}: curve of {name}, {size} pages", bench.set));
            let (scores, seconds) = timed(|| score_from(bench, contender, size));
            let scores = scores?;
            push_rows(bench, outcome, name, size, &scores);
            let columns = ["set", "method", "pages", "seconds"];
            outcome.table(Table::new("Seconds to learn, mark and score", &columns).timed()).row(vec![
                bench.set.into(),
                name.into(),
                Cell::count(size),
                Cell::Number(seconds, 2),
            ]);
            push_points(bench, outcome, name, size as f64, &scores.mean, seconds);
        }
    }
    Ok(())
}

/// Scores of templates learned from `size` pages, on the sites that have more: a smaller one would repeat a point.
fn score_from(bench: &Bench, contender: &Contender, size: usize) -> Result<SetScores> {
    let draw = Draw { sample: Some(size), seed: Some(bench.seed), by_type: false };
    let sites = bench
        .sites
        .par_iter()
        .filter(|site| site.pages.len() > size)
        .map(|site| {
            let contender = contender.for_site(bench.set, &site.name);
            score_site(site, &contender, &draw).with_context(|| format!("site {}", site.name))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(mean_of_sites(bench.set, sites))
}

const MEASURES: [&str; 5] = ["term F1", "template F1", "template P", "template R", "content F1"];

fn push_rows(bench: &Bench, outcome: &mut Outcome, method: &str, size: usize, scores: &SetScores) {
    let columns = |place: &'static str| {
        [&["set", "method", "pages", place][..], &MEASURES, &["template parts"]].concat()
    };
    let row = |place: Cell, scores: &BTreeMap<&'static str, f64>| {
        let mut row = vec![bench.set.into(), method.into(), Cell::count(size), place];
        row.extend(MEASURES.map(|measure| Cell::score_if_any(scores.get(measure).copied())));
        row.push(Cell::Number(scores.get("template parts").copied().unwrap_or(0.0), 0));
        row
    };
    let title = "Means over sites with more pages";
    outcome
        .table(Table::new(title, &columns("sites")))
        .row(row(Cell::count(scores.sites.len()), &scores.mean));
    for site in &scores.sites {
        let table = Table::new("Each site", &columns("site")).in_report_only();
        outcome.table(table).row(row((&site.site).into(), &site.scores));
    }
}

/// Figures of this set: two scores, and the time.
fn push_points(
    bench: &Bench,
    outcome: &mut Outcome,
    method: &str,
    size: f64,
    scores: &BTreeMap<&'static str, f64>,
    seconds: f64,
) {
    let set = bench.set;
    for (name, measure) in [("template", "template F1"), ("term", "term F1")] {
        let title = format!("{set}: {measure} against pages learned from");
        let value = scores.get(measure).copied().unwrap_or(0.0);
        let plot = Plot::curves(&format!("curve-{name}-{set}"), &title, "pages", "mean over sites");
        outcome.plot(plot).point(method, size, value);
    }
    let title = format!("{set}: time to learn, mark and score");
    let plot = Plot::curves(&format!("curve-time-{set}"), &title, "pages", "seconds").timed();
    outcome.plot(plot).point(method, size, seconds);
}
