//! Noisy sections found, site by site.

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
    paper: "Tree pattern (2008), section 3: noisy sections found with 91 % precision and 82 % recall on 18 sites, 15 pages learned from and 65 scored; figure 1: 20 % of a page is noise on average.",
    reading: "The paper's sections are judged by people; here a section is noise if most of its words lie outside the gold content. 15 pages of each site are learned from (half of them where there are no more than 15) and \
              at most 65 others scored. `tree-pattern-paper` also cuts and judges sections as the paper does: precise, but what differs on each page is not seen, and on manuals little noise is. The default's thresholds were \
              chosen on sections of sites and docs, which flatters it there; big9, dragnet and cleanportaleval were not looked at. Manuals are the weak side.",
};

/// The paper's numbers of pages.
const LEARN: usize = 15;
const TEST: usize = 65;

pub fn run(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    if !bench.has_content() {
        return Ok(());
    }
    for (name, contender) in bench.setup.strippers() {
        measure(bench, outcome, name, contender, &Sectioning::default());
        let is_paper_s_own = contender.method() == Some(MethodName::TreePattern);
        if let Some(paper) =
            contender.paper().filter(|_| is_paper_s_own && !name.ends_with("-paper"))
        {
            measure(bench, outcome, &format!("{name}-paper"), &paper, &Sectioning::paper());
        }
    }
    Ok(())
}

fn measure(
    bench: &Bench,
    outcome: &mut Outcome,
    name: &str,
    contender: &Contender,
    settings: &Sectioning,
) {
    bench.tell(&format!("sections by {name}"));
    let draw = SectionDraw {
        learn: LEARN,
        test: TEST,
        seed: bench.setup.seed,
        settings: settings.clone(),
    };
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
        // Figure 1 of the paper is about its own method; all of them would be a picture of bars and
        // nothing else.
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
