//! Tables without labels: do the columns hold the labelled values?

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rayon::prelude::*;
use unmold::records::Schema;
use unmold::{Limits, Marks, Page, Settings, learn};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::bench::{Bench, timed};
use crate::eval::labelled::LabelledSite;
use crate::eval::records::{
    Attribute, Labels, PairCounts, PathKind, Table as Values, is_name_right, is_to_choose_on,
    thinned, title_and_price, without, words_for,
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
        values are removed with their rows. *Pairs*: every label and value of a page, where a set \
        has them; a pair is right if value and label are. *Products*: the column for `title` has \
        the first line of the labelled content, that for `price` its first amount. Rules and thresholds were chosen on the sites marked \
        as such, and on nothing else; the prototype that the method started from had been looked \
        at on all of them.",
};

/// Sizes of the sample.
const SIZES: [(usize, &str); 3] =
    [(8, "learned from 8"), (16, "learned from 16"), (30, "learned from 30")];
/// Pages that are not learned from.
const HELD_BACK: usize = 30;
/// Labelled product pages that a site must have.
const MIN_PRODUCTS: usize = 4;
/// Share of the values that are removed.
const REMOVED: f64 = 0.3;
/// Measures, in the order of the table.
const MEASURES: [&str; 14] = [
    "best column",
    "raw XPath",
    "class path",
    "learned from 30",
    "learned from 16",
    "learned from 8",
    "picked from 1",
    "picked from 3",
    "by words",
    "rows removed",
    "raw XPath, rows removed",
    "class path, rows removed",
    "named right",
    "in first 30",
];

type Scores = BTreeMap<&'static str, f64>;

/// The results of one site.
struct SiteResult {
    scores: Scores,
    attributes: Sums,
    columns: usize,
    seconds: f64,
    /// Time to read its pages as a share of the time to parse them.
    apply: f64,
}

pub fn run(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    pairs(bench, outcome);
    products(bench, outcome);
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
    attributes(&sites, &results, outcome);
    Ok(())
}

/// The attributes of the sites that rules are chosen on, and of no other.
fn attributes(sites: &[&LabelledSite], results: &[SiteResult], outcome: &mut Outcome) {
    let columns: Vec<&str> = ["site", "attribute"].into_iter().chain(MEASURES).collect();
    let title = "Attributes of the sites chosen on";
    let table = outcome.table(Table::new(title, &columns).in_report_only());
    let chosen = sites.iter().zip(results).filter(|(site, _)| is_to_choose_on(&site.name));
    for (site, result) in chosen {
        let names: BTreeSet<&String> =
            result.attributes.values().flat_map(BTreeMap::keys).collect();
        for name in names {
            let score = |measure: &str| {
                let scores = result.attributes.get(measure);
                Cell::score_if_any(scores.and_then(|scores| scores.get(name)).copied())
            };
            let start = vec![(&site.name).into(), name.into()];
            table.row([start, MEASURES.map(score).into()].concat());
        }
    }
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
    let columns = [
        "set",
        "sites",
        "seconds to learn a site, mean",
        "most",
        "reading / parsing, mean",
        "most",
    ];
    let spread = |of: fn(&SiteResult) -> f64| {
        let values = results.iter().map(|result| of(result));
        let (sum, most) = values.fold((0.0, 0.0), |(sum, most), s| (sum + s, f64::max(most, s)));
        [Cell::Number(sum / results.len() as f64, 2), Cell::Number(most, 2)]
    };
    let (learn, apply) = (spread(|result| result.seconds), spread(|result| result.apply));
    let table = outcome.table(Table::new("Time to learn and to read a table", &columns).timed());
    table.row([vec![set.into(), (&name).into()], learn.into(), apply.into()].concat());
}

/// Every label and value of the pages, where the set has them: learned from half of the pages of a
/// site, scored on the others.
fn pairs(bench: &Bench, outcome: &mut Outcome) {
    let has_pairs =
        |site: &&LabelledSite| site.pages.iter().any(|(gold, _)| !gold.pairs.is_empty());
    let sites: Vec<&LabelledSite> = bench.sites.iter().filter(has_pairs).collect();
    if sites.is_empty() {
        return;
    }
    bench.tell("pairs of label and value");
    let score = |site: &&LabelledSite| {
        let half = (site.pages.len() / 2).min(60);
        let sample: Vec<&Page> = site.pages[..half].iter().map(|(_, page)| page).collect();
        let (schema, _) = schema_of(&sample);
        let mut counts = PairCounts::default();
        for (gold, page) in &site.pages[half..] {
            counts.add(&schema, page, &gold.pairs);
        }
        counts.scores()
    };
    let scores: Vec<(f64, f64, f64)> = sites.par_iter().map(score).collect();
    let columns = ["set", "site", "precision", "recall", "F1"];
    let table = outcome.table(Table::new("Pairs of label and value", &columns));
    let mut row = |name: &str, (p, r, f): (f64, f64, f64)| {
        let cells = [p, r, f].map(Cell::score);
        table.row([vec![bench.set.into(), name.into()], cells.into()].concat());
    };
    for (site, scores) in sites.iter().zip(&scores) {
        row(&site.name, *scores);
    }
    let mean =
        |of: fn(&(f64, f64, f64)) -> f64| scores.iter().map(of).sum::<f64>() / scores.len() as f64;
    row("mean", (mean(|s| s.0), mean(|s| s.1), mean(|s| s.2)));
}

/// Products whose content is labelled: are the columns for title and price in it?
fn products(bench: &Bench, outcome: &mut Outcome) {
    let mut rows = Vec::new();
    for site in bench.sites {
        let is_product = |(gold, _): &&(crate::data::Gold, Page)| {
            gold.kind.as_deref() == Some("product") && gold.content.is_some()
        };
        let pages: Vec<_> = site.pages.iter().filter(is_product).collect();
        if pages.len() < MIN_PRODUCTS {
            continue;
        }
        let (schema, _) = schema_of(&pages.iter().map(|(_, page)| page).collect::<Vec<_>>());
        let found: Vec<(Option<bool>, Option<bool>)> = pages
            .iter()
            .map(|(gold, page)| {
                title_and_price(&schema, page, gold.content.as_deref().unwrap_or_default())
            })
            .collect();
        let share = |right: Vec<bool>| {
            let hits = right.iter().filter(|right| **right).count();
            (!right.is_empty()).then(|| hits as f64 / right.len() as f64)
        };
        let titles = share(found.iter().filter_map(|(title, _)| *title).collect());
        let prices = share(found.iter().filter_map(|(_, price)| *price).collect());
        rows.push((&site.name, pages.len(), titles, prices));
    }
    if rows.is_empty() {
        return;
    }
    let columns = ["set", "site", "pages", "title right", "price right"];
    let table = outcome.table(Table::new("Products: title and price by words", &columns));
    for (name, pages, title, price) in rows {
        let scores = [Cell::score_if_any(title), Cell::score_if_any(price)];
        let start = vec![bench.set.into(), name.into(), Cell::count(pages)];
        table.row([start, scores.into()].concat());
    }
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
    let mut sums = Sums::new();
    whole(site, &schema, &values, &pages, &labels, &mut sums);
    applied(site, &pages, &labels, &mut sums);
    removed(site, &pages, &labels, &mut sums);
    let mean = |values: &BTreeMap<String, f64>| values.values().sum::<f64>() / values.len() as f64;
    let scores = sums.iter().map(|(measure, values)| (*measure, mean(values))).collect();
    SiteResult {
        scores,
        attributes: sums,
        columns: values.len(),
        seconds,
        apply: cost_to_apply(&schema, &pages),
    }
}

/// Time to read the pages as a share of the time to parse them.
fn cost_to_apply(schema: &Schema, pages: &[&Page]) -> f64 {
    let html: Vec<String> = pages.iter().map(|page| without(page, &BTreeSet::new())).collect();
    let limits = Limits::default();
    let parse = || html.iter().map(|html| Page::parse(html.as_bytes(), &limits).len()).sum::<u32>();
    let reader = schema.reader();
    let read = || pages.iter().map(|page| reader.read(page).filled()).sum::<usize>();
    let least = |times: [f64; 3]| times.into_iter().fold(f64::INFINITY, f64::min);
    let parsing = least([(); 3].map(|()| timed(parse).1));
    let reading = least([(); 3].map(|()| timed(read).1));
    reading / parsing
}

/// The scores of each attribute, by measure.
type Sums = BTreeMap<&'static str, BTreeMap<String, f64>>;

/// Learned from all pages.
fn whole(
    site: &LabelledSite,
    schema: &Schema,
    values: &Values,
    pages: &[&Page],
    labels: &[Labels],
    sums: &mut Sums,
) {
    let floor = Values::of_paths(pages, PathKind::Positions);
    let classes = Values::of_paths(pages, PathKind::Classes);
    let all: Vec<usize> = (0..pages.len()).collect();
    for attribute in Attribute::of(labels) {
        let Some(words) = words_for(&site.name, &attribute.name) else { continue };
        let mut add = |measure, value| {
            sums.entry(measure).or_default().insert(attribute.name.clone(), value);
        };
        let best = values.best(&attribute, &all);
        let f1 = |best: Option<(usize, f64)>| best.map_or(0.0, |(_, f1)| f1);
        add("best column", f1(best));
        add("raw XPath", f1(floor.best(&attribute, &all)));
        add("class path", f1(classes.best(&attribute, &all)));
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
            sums.entry(measure).or_default().insert(attribute.name.clone(), score);
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
    let floor = Values::of_paths(&pages, PathKind::Positions);
    let classes = Values::of_paths(&pages, PathKind::Classes);
    let all: Vec<usize> = (0..pages.len()).collect();
    for attribute in Attribute::of(&labels) {
        let best = |values: &Values| values.best(&attribute, &all).map_or(0.0, |(_, f1)| f1);
        for (measure, values) in [
            ("rows removed", &values),
            ("raw XPath, rows removed", &floor),
            ("class path, rows removed", &classes),
        ] {
            sums.entry(measure).or_default().insert(attribute.name.clone(), best(values));
        }
    }
}
