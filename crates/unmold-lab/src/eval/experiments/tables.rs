//! Table text chunks found, against the number of pages, and an estimate from 200 pages.

use anyhow::Result;
use rayon::prelude::*;
use unmold::page::Delimiters;
use unmold::{MethodName, Page};

use super::bench::{Bench, timed};
use crate::chance::Chance;
use crate::chart::Plot;
use crate::eval::contender::{Contender, Marker};
use crate::eval::labelled::LabelledSite;
use crate::eval::means::Means;
use crate::eval::score::Draw;
use crate::outcome::{About, Cell, Outcome, Table};

pub const ABOUT: About = About {
    name: "tables",
    title: "Template tables found, against the number of pages",
    paper: "\
        Chunk frequency (2003), table 2: ttdr 1.00 on seven small sites, 0.86 on NBA.com. Figure \
        3: ttdr against the number of pages of Amazon, threshold 4; 9 of 13 pages find 86 % of the \
        template tables. 9 of 41 pages of eBay find all in 27 % of the time. Section 4.4: 92.3 % \
        of the templates on 200 random pages of 55 711, with an error of 5.8 % at 90 % confidence.",
    reading: "\
        Chunks are cut at `table` and `map` only, so only sites that are laid out with tables have \
        some: those with at least three chunks a page. Only pages with template tables count. Few \
        of our sites have such a layout, and on manuals the tables hold content more often than \
        menus. Up to four pages the paper's threshold of four can find nothing; then its curve \
        rises (the bundled gazette: .47 from six pages, .59 from nine). The estimate from 200 \
        pages is within its error of the share on all pages.",
};

/// Numbers of pages to learn from.
const SIZES: [usize; 8] = [2, 4, 6, 9, 13, 20, 41, 100];
/// A page laid out with tables has at least this many chunks.
const MIN_CHUNKS: usize = 3;
/// Pages that the paper drew for its estimate.
const DRAWN: usize = 200;
/// 90 % of a normal distribution is within this many standard deviations.
const Z: f64 = 1.645;

pub fn run(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    if !bench.has_content() || bench.is_repeated {
        return Ok(());
    }
    let sites: Vec<&LabelledSite> = bench.sites.iter().filter(|site| has_tables(site)).collect();
    for (name, contender) in bench.setup.strippers() {
        if contender.method() != Some(MethodName::ChunkFrequency) || sites.is_empty() {
            continue;
        }
        against_pages(bench, outcome, name, contender, &sites)?;
        estimate(bench, outcome, name, contender, &sites)?;
    }
    Ok(())
}

/// Whether a site of several pages is laid out with tables.
fn has_tables(site: &LabelledSite) -> bool {
    if site.pages.len() < 2 {
        return false;
    }
    let chunks: usize =
        site.pages.par_iter().map(|(_, page)| page.chunks(Delimiters::Paper).len()).sum();
    chunks >= MIN_CHUNKS * site.pages.len()
}

fn against_pages(
    bench: &Bench,
    outcome: &mut Outcome,
    name: &str,
    contender: &Contender,
    sites: &[&LabelledSite],
) -> Result<()> {
    for size in SIZES {
        let larger: Vec<&&LabelledSite> =
            sites.iter().filter(|site| site.pages.len() >= size).collect();
        let (mut means, mut seconds) = (Means::default(), 0.0);
        for site in &larger {
            let (learned, took) = timed(|| learn(bench, contender, site, size));
            seconds += took;
            for (measure, mean) in found_tables(&learned?, site).means() {
                means.add(measure, mean);
            }
        }
        if larger.is_empty() {
            continue;
        }
        let means = means.means();
        let place = || -> Vec<Cell> {
            vec![bench.set.into(), name.into(), Cell::count(size), Cell::count(larger.len())]
        };
        let mut row = place();
        row.extend(MEASURES.map(|measure| Cell::score_if_any(means.get(measure).copied())));
        let columns = [&["set", "method", "pages", "sites"][..], &MEASURES].concat();
        let title = "Table text chunks, means over the pages of each site, then over sites";
        outcome.table(Table::new(title, &columns)).row(row);
        let mut row = place();
        row.push(Cell::Number(seconds, 3));
        let columns = ["set", "method", "pages", "sites", "seconds"];
        outcome.table(Table::new("Seconds to learn, sum over sites", &columns).timed()).row(row);
        let title = format!("{}: ttdr of tables against pages learned from", bench.set);
        let plot = Plot::curves(&format!("tables-{}", bench.set), &title, "pages", "ttdr");
        let ttdr = means.get("ttdr").copied().unwrap_or(0.0);
        outcome.plot(plot).point(name, size as f64, ttdr);
    }
    Ok(())
}

const MEASURES: [&str; 4] = ["ttdr", "chunk P", "chunk R", "chunk F1"];

fn learn<'a>(
    bench: &Bench,
    contender: &Contender,
    site: &'a LabelledSite,
    size: usize,
) -> Result<Marker<'a>> {
    let draw = Draw { sample: Some(size), seed: Some(bench.setup.seed), ..Draw::default() };
    let drawn = &draw.groups(site)[0];
    let pages: Vec<&Page> = drawn[..size.min(drawn.len())].iter().map(|page| &page.1).collect();
    Ok(contender.learn_or_nothing(&pages)?)
}

/// Scores of the tables of all pages of the site.
fn found_tables(learned: &Marker, site: &LabelledSite) -> Means {
    let detect = |at: usize| {
        let page = &site.pages[at].1;
        site.truth(at).detect_tables(&site.pages[at].0, page, &learned.mark(page))
    };
    let found: Vec<_> = (0..site.pages.len()).into_par_iter().filter_map(detect).collect();
    let mut means = Means::default();
    for detection in found {
        means.add("ttdr", detection.ttdr);
        means.add_agreement(["chunk F1", "chunk P", "chunk R"], detection.agreement);
    }
    means
}

/// The paper's estimate: the share of template tables found on some pages, and its error; beside it
/// the share found on all pages, which the paper could not know.
fn estimate(
    bench: &Bench,
    outcome: &mut Outcome,
    name: &str,
    contender: &Contender,
    sites: &[&LabelledSite],
) -> Result<()> {
    let mut shares: Vec<f64> = Vec::new();
    for site in sites {
        let learned = learn(bench, contender, site, site.pages.len())?;
        let share = |at: usize| {
            let page = &site.pages[at].1;
            let found =
                site.truth(at).detect_tables(&site.pages[at].0, page, &learned.mark(page))?;
            Some(found.agreement.recall)
        };
        shares.extend((0..site.pages.len()).filter_map(share));
    }
    let order = Chance::new(bench.setup.seed).permutation(shares.len());
    let drawn: Vec<f64> = order.iter().take(DRAWN).map(|&page| shares[page]).collect();
    let (mean, deviation) = mean_and_deviation(&drawn);
    let columns =
        ["set", "method", "pages drawn", "found", "± at 90 %", "of pages", "found on all"];
    outcome
        .table(Table::new("Share of template tables found, estimated from 200 pages", &columns))
        .row(vec![
            bench.set.into(),
            name.into(),
            Cell::count(drawn.len()),
            Cell::score(mean),
            Cell::score(error_of_mean(deviation, drawn.len())),
            Cell::count(shares.len()),
            Cell::score(mean_and_deviation(&shares).0),
        ]);
    Ok(())
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let number = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / number;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / number;
    (mean, variance.sqrt())
}

/// The minimum detectable difference D of the paper's formula, n = Z² S² / D².
fn error_of_mean(deviation: f64, number: usize) -> f64 {
    Z * deviation / (number.max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 4.4: 200 pages, 90 % confidence, 5.8 % error; the largest deviation of a share is ½.
    #[test]
    fn two_hundred_pages_have_the_papers_error() {
        assert!((error_of_mean(0.5, 200) - 0.058).abs() < 5e-4);
        assert_eq!(mean_and_deviation(&[0.0, 1.0]), (0.5, 0.5));
    }
}
