//! Scores, size of the template and time against the number of pages learned from.

use anyhow::{Context, Result};
use rayon::prelude::*;
use unmold_lab::chart::Plot;
use unmold_lab::outcome::{About, Cell, Outcome, Table};

use super::{Bench, timed};
use crate::eval::{Draw, mean_of_sites, score_site};

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
            let draw = Draw { sample: Some(size), seed: Some(bench.seed), by_type: false };
            let (sites, seconds) = timed(|| {
                bench
                    .sites
                    .par_iter()
                    // A smaller site would repeat the same point.
                    .filter(|site| site.pages.len() > size)
                    .map(|site| {
                        score_site(site, contender, &draw).with_context(|| format!("site {}", site.name))
                    })
                    .collect::<Result<Vec<_>>>()
            });
            let scores = mean_of_sites(bench.set, sites?);
            let measures = ["term F1", "template F1", "template P", "template R", "content F1"];
            let columns = [
                "set",
                "method",
                "pages",
                "sites",
                "term F1",
                "template F1",
                "template P",
                "template R",
                "content F1",
                "template parts",
            ];
            let parts = |of: &std::collections::BTreeMap<&str, f64>| {
                Cell::Number(of.get("template parts").copied().unwrap_or(0.0), 0)
            };
            let mut row =
                vec![bench.set.into(), name.into(), Cell::count(size), Cell::count(scores.sites.len())];
            row.extend(measures.map(|measure| Cell::score_if_any(scores.mean.get(measure).copied())));
            row.push(parts(&scores.mean));
            outcome.table(Table::new("Means over sites with more pages", &columns)).row(row);
            for site in &scores.sites {
                let mut row = vec![bench.set.into(), name.into(), Cell::count(size), (&site.site).into()];
                row.extend(measures.map(|measure| Cell::score_if_any(site.scores.get(measure).copied())));
                row.push(parts(&site.scores));
                let columns = columns.map(|column| if column == "sites" { "site" } else { column });
                outcome.table(Table::new("Each site", &columns).in_report_only()).row(row);
            }
            let times =
                Table::new("Seconds to learn, mark and score", &["set", "method", "pages", "seconds"])
                    .timed();
            outcome.table(times).row(vec![
                bench.set.into(),
                name.into(),
                Cell::count(size),
                Cell::Number(seconds, 2),
            ]);
            let line = format!("{}, {name}", bench.set);
            for (plot, measure) in [("curve-template", "template F1"), ("curve-term", "term F1")] {
                let title = format!("{measure} against pages learned from");
                let value = scores.mean.get(measure).copied().unwrap_or(0.0);
                outcome.plot(Plot::curves(plot, &title, "pages", "mean over sites")).point(
                    &line,
                    size as f64,
                    value,
                );
            }
            outcome
                .plot(Plot::curves("curve-time", "Time to learn, mark and score", "pages", "seconds").timed())
                .point(&line, size as f64, seconds);
        }
    }
    Ok(())
}
