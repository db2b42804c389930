//! Scores, size of the template and time against the number of pages learned from.

use std::collections::BTreeMap;
use std::rc::Rc;

use anyhow::Result;
use unmold::MethodName;

use super::bench::Bench;
use crate::chart::Plot;
use crate::eval::contender::Contender;
use crate::eval::labelled::LabelledSite;
use crate::eval::score::{Draw, SetScores, SiteScores, mean_of_sites, score_site};
use crate::outcome::{About, Cell, Outcome, Table};

pub const ABOUT: About = About {
    name: "curve",
    title: "Template F, size and time against the number of pages learned from",
    paper: "\
        Tree mapping (2006), figure 7: term F against 2 to 100 pages, above 0.95 from fewer than \
        25 pages on 9 of 10 sites. Alignment (2011), table 2 and figure 2: precision rises and \
        recall falls with t; P/R at t = 16: Wikipedia .906/.931, allMusic .702/.936, zdNet \
        .934/.910; time is linear in t.",
    reading: "\
        The curves have the shape of the papers' where the pages of a site share one template. \
        Ours mix page types, which costs recall with small samples. Precision is high from a few \
        pages on, because support is counted; recall is limited by what differs from page to page. \
        Every method learns from as many pages as the point says: its own limit (alignment 16, \
        tree mapping 25, tree pattern 24) is set to it. *Site term F1* is the paper's measure: the \
        distinct words of the learned template against those of the template that the labels give. \
        The strict intersection of `tree-mapping-paper` falls with more pages on sites of several \
        page types, because one page of another layout empties it; the last table learns within \
        one page type, as the paper's sites have one.",
};

/// Sizes of the samples.
const SIZES: [usize; 7] = [2, 4, 8, 16, 32, 64, 100];

pub fn run(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    if !bench.has_content() || bench.is_repeated {
        return Ok(());
    }
    for (name, contender) in bench.setup.strippers() {
        for size in SIZES.into_iter().filter(|&size| size < bench.max_pages()) {
            let scores = sampled(bench, name, contender, size)?;
            let scores = larger_sites(bench, &scores, size);
            push_rows(bench, outcome, name, size, &scores);
            let seconds = scores.learning().as_secs_f64();
            let columns = ["set", "method", "pages", "seconds"];
            outcome.table(Table::new("Seconds to learn, sum over sites", &columns).timed()).row(
                vec![bench.set.into(), name.into(), Cell::count(size), Cell::Number(seconds, 2)],
            );
            push_points(bench, outcome, name, size as f64, &scores.mean, seconds);
            if contender.method() == Some(MethodName::TreeMapping) {
                within_types(bench, outcome, name, contender, size)?;
            }
        }
    }
    Ok(())
}

/// Scores of a contender that learns from as many pages as the point of the curve says, whatever
/// its own limit is.
fn sampled(
    bench: &Bench,
    name: &str,
    contender: &Contender,
    size: usize,
) -> Result<Rc<Vec<SiteScores>>> {
    let limited = contender.method().is_some_and(MethodName::limits_pages);
    if limited {
        let name = format!("{name}, limited to {size}");
        bench.sampled_scores(&name, &contender.learning_from(size), size)
    } else {
        bench.sampled_scores(name, contender, size)
    }
}

/// The same with a template for each page type, as the paper's sites have one: types with more
/// pages than the sample.
fn within_types(
    bench: &Bench,
    outcome: &mut Outcome,
    name: &str,
    contender: &Contender,
    size: usize,
) -> Result<()> {
    let draw =
        Draw { sample: Some(size), seed: Some(bench.setup.seed), by_type: true, ..Draw::default() };
    let has_types = |site: &&LabelledSite| !draw.positions(site).is_empty();
    let sites: Vec<SiteScores> = bench
        .sites
        .iter()
        .filter(has_types)
        .map(|site| Ok(score_site(site, &contender.learning_from(size), &draw)?))
        .collect::<Result<_>>()?;
    if sites.is_empty() {
        return Ok(());
    }
    let scores = mean_of_sites(bench.set, sites);
    let columns = [&["set", "method", "pages", "sites"][..], &MEASURES].concat();
    let mut row = vec![bench.set.into(), name.into(), Cell::count(size)];
    row.push(Cell::count(scores.sites.len()));
    row.extend(MEASURES.map(|measure| Cell::score_if_any(scores.mean.get(measure).copied())));
    let title = "Tree mapping within each page type, means over types, then sites";
    outcome.table(Table::new(title, &columns)).row(row);
    Ok(())
}

/// Scores of the sites with more pages than were learned from: a smaller site would repeat a point.
pub fn larger_sites(bench: &Bench, scores: &[SiteScores], size: usize) -> SetScores {
    let sites = bench.sites.iter().zip(scores).filter(|(site, _)| site.pages.len() > size);
    mean_of_sites(bench.set, sites.map(|(_, scores)| scores.clone()).collect())
}

const MEASURES: [&str; 6] =
    ["site term F1", "term F1", "template F1", "template P", "template R", "content F1"];

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

/// Adds points to the plots of this set: two scores and the time.
fn push_points(
    bench: &Bench,
    outcome: &mut Outcome,
    method: &str,
    size: f64,
    scores: &BTreeMap<&'static str, f64>,
    seconds: f64,
) {
    let set = bench.set;
    for (name, measure) in [("template", "template F1"), ("term", "site term F1")] {
        let title = format!("{set}: {measure} against pages learned from");
        let value = scores.get(measure).copied().unwrap_or(0.0);
        let plot = Plot::curves(&format!("curve-{name}-{set}"), &title, "pages", "mean over sites");
        outcome.plot(plot).point(method, size, value);
    }
    let title = format!("{set}: time to learn, sum over sites");
    let plot = Plot::curves(&format!("curve-time-{set}"), &title, "pages", "seconds").timed();
    outcome.plot(plot).point(method, size, seconds);
}
