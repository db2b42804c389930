//! Tables without labels: do the columns hold the labelled values?

use std::collections::BTreeMap;

use anyhow::Result;
use rayon::prelude::*;
use unmold::records::Schema;
use unmold::{Marks, Page, Settings, learn};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::bench::{Bench, timed};
use crate::eval::labelled::LabelledSite;
use crate::eval::records::{
    Attribute, Labels, Table as Values, is_name_right, is_to_choose_on, thinned, words_for,
};
use crate::outcome::{About, Cell, Outcome, Table};

pub const ABOUT: About = About {
    name: "records",
    title: "Tables of records, learned without labels",
    paper: "\
        No paper of ours. Published page-level F1 on all of SWDE, with labels of 1 / 5 other sites \
        of the vertical: FreeDOM .823 / .926, SimpDOM .831 / .938, MarkupLM-large .857 / .974; \
        with the names of the fields given and a large language model writing the wrapper: \
        AutoScraper .887.",
    reading: "\
        A page counts if the column has a value there and all of it is labelled. *best column*: \
        the column of all pages with the best F1. *learned from N*: the schema is learned from N \
        pages, the column that fits their labels best is scored on 30 others. *picked from N*: \
        the column is chosen by N labelled pages, mean of ten draws, and scored on the others. \
        *by words*: chosen by `--want` with synonyms of the attribute. *rows removed*: 30 % of the \
        values are removed with their rows. Rules and thresholds were chosen on the sites marked \
        as such, and on nothing else; the prototype that the method started from had been looked \
        at on all of them.",
};

/// Sizes of the sample.
const SIZES: [(usize, &str); 3] =
    [(8, "learned from 8"), (16, "learned from 16"), (30, "learned from 30")];
/// Pages that are not learned from.
const HELD_BACK: usize = 30;
/// Share of the values that are removed.
const REMOVED: f64 = 0.3;
/// Measures, in the order of the table.
const MEASURES: [&str; 12] = [
    "best column",
    "raw XPath",
    "learned from 30",
    "learned from 16",
    "learned from 8",
    "picked from 1",
    "picked from 3",
    "by words",
    "rows removed",
    "raw XPath, rows removed",
    "named right",
    "in first 30",
];

type Scores = BTreeMap<&'static str, f64>;

/// The results of one site.
struct SiteResult {
    scores: Scores,
    columns: usize,
    seconds: f64,
}

pub fn run(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    let has_words = |site: &&LabelledSite| {
        let names = site.pages.iter().flat_map(|(gold, _)| gold.attributes.keys());
        names.into_iter().any(|name| words_for(&site.name, name).is_some())
    };
    let sites: Vec<&LabelledSite> = bench.sites.iter().filter(has_words).collect();
    if sites.is_empty() {
        return Ok(());
    }
    bench.tell("tables of records");
    let results: Vec<SiteResult> = sites.par_iter().map(|site| score(site)).collect();
    for (half, is_chosen) in [("chosen on", true), ("reported", false)] {
        let of_half: Vec<&SiteResult> = sites
            .iter()
            .zip(&results)
            .filter(|(site, _)| is_to_choose_on(&site.name) == is_chosen)
            .map(|(_, result)| result)
            .collect();
        add_rows(bench.set, half, &of_half, outcome);
    }
    let columns = ["site", "half", "best column", "learned from 30", "rows removed", "columns"];
    let table = outcome.table(Table::new("Tables, site by site", &columns).in_report_only());
    for (site, result) in sites.iter().zip(&results) {
        let score = |name: &str| Cell::score_if_any(result.scores.get(name).copied());
        table.row(vec![
            (&site.name).into(),
            if is_to_choose_on(&site.name) { "chosen on".into() } else { "reported".into() },
            score("best column"),
            score("learned from 30"),
            score("rows removed"),
            Cell::count(result.columns),
        ]);
    }
    Ok(())
}

fn add_rows(set: &str, half: &str, results: &[&SiteResult], outcome: &mut Outcome) {
    if results.is_empty() {
        return;
    }
    let columns = ["set", "sites", "measure", "mean", "worst site"];
    let table = outcome.table(Table::new("Columns and labelled values", &columns));
    let name = format!("{} {half}", results.len());
    for measure in MEASURES {
        let values: Vec<f64> =
            results.iter().filter_map(|result| result.scores.get(measure).copied()).collect();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let worst = values.iter().copied().fold(f64::INFINITY, f64::min);
        let cells = [Cell::score(mean), Cell::score(worst)];
        table.row([vec![set.into(), (&name).into(), measure.into()], cells.into()].concat());
    }
    let mut counts: Vec<usize> = results.iter().map(|result| result.columns).collect();
    counts.sort_unstable();
    let (median, most) = (counts[counts.len() / 2], counts[counts.len() - 1]);
    let cells = vec![Cell::count(median), Cell::count(most)];
    let start = vec![set.into(), (&name).into(), "columns (median, most)".into()];
    table.row([start, cells].concat());
    let columns = ["set", "sites", "seconds to learn a site, mean", "most"];
    let seconds = results.iter().map(|result| result.seconds);
    let (sum, most) = seconds.fold((0.0, 0.0), |(sum, most), s| (sum + s, f64::max(most, s)));
    outcome.table(Table::new("Time to learn a table", &columns).timed()).row(vec![
        set.into(),
        (&name).into(),
        Cell::Number(sum / results.len() as f64, 2),
        Cell::Number(most, 2),
    ]);
}

/// Learns as the command does: what the default calls template is no column.
fn schema_of(pages: &[&Page]) -> (Schema, f64) {
    let marks: Option<Vec<Marks>> = learn(pages.iter().copied(), &Settings::default())
        .ok()
        .map(|template| pages.iter().map(|page| template.kinds()[0].mark(page)).collect());
    timed(|| Schema::learn(pages, marks.as_deref()))
}

fn score(site: &LabelledSite) -> SiteResult {
    let pages: Vec<&Page> = site.pages.iter().map(|(_, page)| page).collect();
    let labels: Vec<Labels> = site.pages.iter().map(|(gold, _)| gold.attributes.clone()).collect();
    let (schema, seconds) = schema_of(&pages);
    let values = Values::read(&schema, pages.iter().copied());
    let mut sums: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    whole(site, &schema, &values, &pages, &labels, &mut sums);
    applied(site, &pages, &labels, &mut sums);
    removed(site, &pages, &labels, &mut sums);
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let scores = sums.into_iter().map(|(name, values)| (name, mean(values))).collect();
    SiteResult { scores, columns: values.len(), seconds }
}

type Sums = BTreeMap<&'static str, Vec<f64>>;

/// Learned from all pages.
fn whole(
    site: &LabelledSite,
    schema: &Schema,
    values: &Values,
    pages: &[&Page],
    labels: &[Labels],
    sums: &mut Sums,
) {
    let floor = Values::of_paths(pages);
    let all: Vec<usize> = (0..pages.len()).collect();
    for attribute in Attribute::of(labels) {
        let Some(words) = words_for(&site.name, &attribute.name) else { continue };
        let mut add = |name, value| sums.entry(name).or_default().push(value);
        let best = values.best(&attribute, &all);
        let f1 = |best: Option<(usize, f64)>| best.map_or(0.0, |(_, f1)| f1);
        add("best column", f1(best));
        add("raw XPath", f1(floor.best(&attribute, &all)));
        add("picked from 1", values.picked(&attribute, 1, &site.name));
        add("picked from 3", values.picked(&attribute, 3, &site.name));
        let wanted = schema.wanted(words);
        add("by words", wanted.map_or(0.0, |column| values.f1(column, &attribute, &all)));
        let Some(best) = best.filter(|&(_, f1)| f1 >= 0.5) else {
            add("in first 30", 0.0);
            continue;
        };
        let first = values.rank(&attribute, best);
        let is_right = |column: usize| is_name_right(&schema.columns()[column], words);
        let share = |is: bool| if is { 1.0 } else { 0.0 };
        add("named right", share(is_right(best.0) || is_right(first)));
        add("in first 30", share(values.output(first) < 30));
    }
}

/// Learned from some pages, applied to others.
fn applied(site: &LabelledSite, pages: &[&Page], labels: &[Labels], sums: &mut Sums) {
    let mut order: Vec<usize> = (0..pages.len()).collect();
    let key = |page: &usize| format!("{} {page}", site.name);
    order.sort_by_cached_key(|page| xxh3_64_with_seed(key(page).as_bytes(), 1));
    let test = &order[order.len().saturating_sub(HELD_BACK)..];
    for (size, measure) in SIZES {
        if size + test.len() > order.len() {
            continue;
        }
        let sample: Vec<&Page> = order[..size].iter().map(|&page| pages[page]).collect();
        let (schema, _) = schema_of(&sample);
        let values = Values::read(&schema, pages.iter().copied());
        for attribute in Attribute::of(labels) {
            let best = values.best(&attribute, &order[..size]);
            let score = best.map_or(0.0, |(column, _)| values.f1(column, &attribute, test));
            sums.entry(measure).or_default().push(score);
        }
    }
}

/// With values and their rows removed.
fn removed(site: &LabelledSite, pages: &[&Page], labels: &[Labels], sums: &mut Sums) {
    let seed = xxh3_64(site.name.as_bytes());
    let thinned: Vec<(Page, Labels)> = pages
        .iter()
        .zip(labels)
        .zip(0u64..)
        .map(|((page, labels), at)| thinned(page, labels, seed ^ at, REMOVED))
        .collect();
    let pages: Vec<&Page> = thinned.iter().map(|(page, _)| page).collect();
    let labels: Vec<Labels> = thinned.iter().map(|(_, labels)| labels.clone()).collect();
    let (schema, _) = schema_of(&pages);
    let values = Values::read(&schema, pages.iter().copied());
    let floor = Values::of_paths(&pages);
    let all: Vec<usize> = (0..pages.len()).collect();
    for attribute in Attribute::of(&labels) {
        let best = |values: &Values| values.best(&attribute, &all).map_or(0.0, |(_, f1)| f1);
        sums.entry("rows removed").or_default().push(best(&values));
        sums.entry("raw XPath, rows removed").or_default().push(best(&floor));
    }
}
