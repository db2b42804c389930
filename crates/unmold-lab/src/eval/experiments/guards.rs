//! Is the default at least as good as every method it is made of?
//!
//! Compared are content F1 and the retention of values, learned from few pages and from all. A
//! method that is ahead by more than [`MARGIN`] breaks the guard.

use anyhow::Result;
use unmold::{Keep, MethodName};

use super::bench::Bench;
use crate::eval::contender::Contender;
use crate::eval::score::{SetScores, mean_of_sites};
use crate::outcome::{About, Cell, Outcome, Table};

pub const ABOUT: About = About {
    name: "guards",
    title: "The default against its parts",
    paper: "No paper: the default is meant to be at least as good as each method on each set.",
    reading: "Content F1 (retention where only values are labelled) of the default and of the best other method, learned from 4, 8, 24 and all pages. A difference below -.005 is a broken guard.",
};

/// Differences within this are no differences.
const MARGIN: f64 = 0.005;
/// Pages learned from; `None` = all.
const SIZES: [Option<usize>; 4] = [Some(4), Some(8), Some(24), None];

pub fn run(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    let is_default = |contender: &Contender| {
        matches!(contender, Contender::Method(settings)
            if settings.method == MethodName::Auto && settings.keep == Keep::Main)
    };
    let Some((name, default)) = bench.setup.contenders.iter().find(|(_, c)| is_default(c)) else {
        return Ok(());
    };
    // The default with a template for each cluster would need the weights fitted without the site,
    // which templates of clusters cannot be given: with the library's it has seen the answers.
    let others: Vec<&(String, Contender)> = bench
        .setup
        .contenders
        .iter()
        .filter(|(_, contender)| contender.method() != Some(MethodName::Auto))
        .collect();
    let score = |name: &str, contender: &Contender, size: Option<usize>| -> Result<SetScores> {
        match size {
            Some(size) => {
                let contender = contender.learning_from(size);
                let sites = bench.sampled_scores(name, &contender, size)?;
                Ok(mean_of_sites(bench.set, sites.to_vec()))
            }
            None => bench.scores_of(name, contender),
        }
    };
    for size in SIZES {
        if size.is_some_and(|size| bench.max_pages() <= size) {
            continue;
        }
        let of_default = score(name, default, size)?.mean;
        let Some(measure) = ["content F1", "retention"]
            .into_iter()
            .find(|measure| of_default.contains_key(measure))
        else {
            return Ok(());
        };
        let mut best: Option<(String, f64)> = None;
        for (name, contender) in others.iter().copied() {
            let value = score(name, contender, size)?.mean.get(measure).copied().unwrap_or(0.0);
            if best.as_ref().is_none_or(|(_, known)| value > *known) {
                best = Some((name.clone(), value));
            }
        }
        let Some((best_name, best_value)) = best else { return Ok(()) };
        let is_broken = of_default[measure] < best_value - MARGIN;
        if is_broken {
            let pages = size.map_or_else(|| "all".to_owned(), |size| size.to_string());
            outcome.broken.insert(format!("{} {pages}", bench.set));
        }
        let columns = ["set", "pages", "measure", "default", "best other", "", "guard"];
        outcome.table(Table::new("The default and the best other method", &columns)).row(vec![
            bench.set.into(),
            size.map_or_else(|| "all".into(), Cell::count),
            measure.into(),
            Cell::score(of_default[measure]),
            Cell::score(best_value),
            best_name.as_str().into(),
            if is_broken { "broken".into() } else { "holds".into() },
        ]);
    }
    Ok(())
}
