//! Scores of noisy sections, site by site.

use anyhow::Result;
use rayon::prelude::*;
use unmold::MethodName;
use unmold::sections::Sectioning;

use super::bench::Bench;
use crate::chart::Plot;
use crate::eval::contender::Contender;
use crate::eval::labelled::LabelledSite;
use crate::eval::sections::{SectionDraw, SectionScores, mean_of_sections, score_sections};
use crate::outcome::{About, Cell, Outcome, Table};

pub const ABOUT: About = About {
    name: "sections",
    title: "Noisy sections, and the share of noise",
    paper: "\
        Tree pattern (2008), section 3: noisy sections found with 91 % precision and 82 % recall \
        on 18 sites, 15 pages learned from and 65 scored; figure 1: 20 % of a page is noise on \
        average.",
    reading: "\
        In the paper people judge the sections; here a section is noise if most of its words are \
        outside the gold content. Templates are learned from 15 pages of each site (half of the \
        pages where there are no more than 15) and at most 65 others are scored. \
        `tree-pattern-paper` also cuts and judges sections as the paper does: it is precise, but \
        misses what differs on each page, and finds little of the noise of manuals. The default's \
        thresholds were chosen on the sections of sites and docs, which flatters it there; big9, \
        dragnet and cleanportaleval were not looked at. Manuals have the weakest scores.",
};

/// Numbers of pages, as in the paper.
const LEARN: usize = 15;
const TEST: usize = 65;

pub fn run(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    if !bench.has_content() {
        return Ok(());
    }
    for (name, contender) in bench.setup.strippers() {
        measure(bench, outcome, name, contender);
        let is_tree_pattern = contender.method() == Some(MethodName::TreePattern);
        if let Some((name, paper)) = bench.setup.paper_of(name, contender)
            && is_tree_pattern
        {
            measure(bench, outcome, &name, &paper);
        }
    }
    Ok(())
}

fn measure(bench: &Bench, outcome: &mut Outcome, name: &str, contender: &Contender) {
    bench.tell(&format!("sections by {name}"));
    // As `unmold sections --paper`: the paper's settings are also those of the sections.
    let settings = if contender.is_paper() { Sectioning::paper() } else { Sectioning::default() };
    let draw = SectionDraw { learn: LEARN, test: TEST, seed: bench.setup.seed, settings };
    let score = |site: &LabelledSite| {
        let contender = contender.for_site(bench.set, &site.name);
        score_sections(site, &contender, &draw).map(|(scores, _)| scores)
    };
    let sites: Vec<SectionScores> = bench.sites.par_iter().filter_map(score).collect();
    if sites.is_empty() {
        return;
    }
    let title = "Sections, means over sites";
    let columns = |place| {
        let counts = ["set", "method", place, "pages", "sections", "noise", "found"];
        [&counts[..], &["precision", "recall", "word P", "word R", "noise share"]].concat()
    };
    let mut row = vec![bench.set.into(), name.into(), Cell::count(sites.len())];
    row.extend(cells(&mean_of_sections(&sites)));
    outcome.table(Table::new(title, &columns("sites"))).row(row);
    for site in &sites {
        let mut row = vec![bench.set.into(), name.into(), (&site.site).into()];
        row.extend(cells(site));
        outcome.table(Table::new("Each site", &columns("site")).in_report_only()).row(row);
        // Figure 1 of the paper shows its own method. With all methods there would be too many
        // bars.
        if name.starts_with("tree-pattern") {
            let plot = Plot::bars(
                &format!("sections-noise-{}", bench.set),
                &format!("{}: share of a page's text in noisy sections", bench.set),
                "",
                "share",
            );
            outcome.plot(plot).named_bar(name, &site.site, site.noise_share);
        }
    }
}

fn cells(scores: &SectionScores) -> Vec<Cell> {
    let counts = [scores.pages, scores.sections, scores.noise, scores.found].map(Cell::count);
    let shares = [
        scores.precision,
        scores.recall,
        scores.word_precision,
        scores.word_recall,
        scores.noise_share,
    ];
    counts.into_iter().chain(shares.map(Cell::score)).collect()
}
