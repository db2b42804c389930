//! Clusters of pages: their scores, the cost of the algorithms, and templates learned per cluster.

use anyhow::Result;
use unmold::MethodName;
use unmold::cluster::{Algorithm, Clustering};

use super::bench::{Bench, Setup};
use crate::chart::Plot;
use crate::eval::clusters::{ALGORITHMS, ClusterPages, cost_curves, score_clusters};
use crate::eval::contender::Contender;
use crate::eval::score::mean_of_sites;
use crate::outcome::{About, Cell, Outcome, Table};

pub const ABOUT: About = About {
    name: "clusters",
    title: "Clusters of pages against families",
    paper: "Page clusters (2012) reports no score of its clusters.",
    reading: "\
        Neither host names nor links are used. A page in no cluster counts as a cluster of its \
        own. Families of manuals are chapters with the same layout (17 kinds of CMake entity), \
        which no cost based on structure can tell apart: docs has the weakest scores. How paths \
        are chosen and clusters joined was decided on these pages. In debian-docs only sites with \
        a single page type have families.",
};

pub const ABOUT_COST: About = About {
    name: "cluster-cost",
    title: "Time and MDL cost of the four algorithms against the number of pages",
    paper: "\
        Page clusters (2012), section IX, figures 3a and 3b: TEXT-MAX and TEXT-DICEMAX are faster \
        than TEXT-HASH on 1000 to 5000 pages; TEXT-DICEMAX has the highest cost. Only figures, no \
        numbers.",
    reading: "\
        Pages are drawn from all sets together by the hash of their names. The plain rows are the \
        paper's algorithms on our paths (`--paths tags-text --essential mode --join 2` has the \
        paper's); those called *repaired* are ours, with repair and a final TEXT-MDL on \
        the clusters that are left. The times have the same order as in the paper: TEXT-MAX and \
        TEXT-DICEMAX take a small part of the time of the other two, and TEXT-DICEMAX has the \
        highest cost, as the paper says. Repair and polish remove most of that difference.",
};

pub const ABOUT_CLUSTERED: About = About {
    name: "clustered",
    title: "One template per site against one per cluster",
    paper: "\
        Page clusters (2012) claims better templates from clustered pages but reports no numbers; \
        tree mapping (2006) and alignment (2011) assume pages with one template.",
    reading: "\
        Learned from 24 pages of all kinds, scored on the others; a site with fewer than 16 pages \
        is never clustered. The papers' own settings, which need pages with one template, gain \
        much. Our defaults, which count support, gain less, and most on manuals. Where all pages \
        of a site look alike (cleanportaleval) there is one cluster, and nothing changes.",
};

fn cells(sites: &[ClusterPages], settings: &Clustering) -> Vec<Cell> {
    let scored = score_clusters(sites, settings);
    let table = &scored.table;
    vec![
        Cell::count(table.items() as usize),
        Cell::count(table.classes()),
        Cell::count(scored.clusters),
        Cell::count(scored.unclustered),
        Cell::score(table.purity()),
        Cell::score(table.nmi()),
        Cell::score(table.ari()),
        Cell::score(table.nmi_by_numbers()),
    ]
}

fn push_clusters(outcome: &mut Outcome, table: Table, place: Vec<Cell>, cells: Vec<Cell>) {
    outcome.table(table).row([place, cells].concat());
}

fn table(title: &str, place: &[&str]) -> Table {
    let columns =
        ["pages", "families", "clusters", "unclustered", "purity", "NMI", "ARI", "NMI by numbers"];
    Table::new(title, &[place, &columns].concat())
}

fn push_pooled(outcome: &mut Outcome, name: &str, sites: &[ClusterPages], settings: &Clustering) {
    let cells = cells(sites, settings);
    for (line, at) in [("purity", 4), ("NMI", 5), ("ARI", 6)] {
        if let Cell::Number(value, _) = cells[at] {
            let plot = Plot::bars("clusters", "Clusters against families, sites pooled", "", "");
            outcome.plot(plot).named_bar(line, name, value);
        }
    }
    push_clusters(
        outcome,
        table("All sites of a set together", &["set"]),
        vec![name.into()],
        cells,
    );
}

pub fn run(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    bench.tell("clusters");
    let (sites, settings) = (bench.cluster_pages(), &bench.setup.clustering);
    if !sites.iter().any(ClusterPages::has_families) {
        return Ok(());
    }
    for site in sites.iter() {
        let place = vec![bench.set.into(), (&site.site).into()];
        let table = table("Each site", &["set", "site"]).in_report_only();
        push_clusters(outcome, table, place, cells(std::slice::from_ref(site), settings));
    }
    push_pooled(outcome, bench.set, &sites, settings);
    Ok(())
}

/// All sets together, except those that repeat the pages of another.
pub fn pooled(setup: &Setup, outcome: &mut Outcome) -> Result<()> {
    if setup.pooled.borrow().len() > 1 {
        (setup.tell)("clusters of all sets");
        push_pooled(outcome, "all sets", &all_pages(setup), &setup.clustering);
    }
    Ok(())
}

fn all_pages(setup: &Setup) -> Vec<ClusterPages> {
    setup.pooled.borrow().values().flat_map(|pages| pages.iter().cloned()).collect()
}

/// Collects the pages of the set for [`cost`].
pub fn collect(bench: &Bench, _: &mut Outcome) -> Result<()> {
    bench.cluster_pages();
    Ok(())
}

/// Maximum number of pages, as in the paper.
const MAX_PAGES: usize = 5000;

pub fn cost(setup: &Setup, outcome: &mut Outcome) -> Result<()> {
    let sites = all_pages(setup);
    let pages = sites.iter().map(ClusterPages::count).sum::<usize>().min(MAX_PAGES);
    let numbers: Vec<usize> =
        (1..=5).map(|fifth| pages * fifth / 5).filter(|&number| number > 0).collect();
    for (name, settings) in variants(&setup.clustering) {
        let name = name.as_str();
        (setup.tell)(&format!("cost of clusters by {name}"));
        for point in cost_curves(&sites, &settings, &numbers) {
            let columns =
                ["algorithm", "pages", "distinct", "clusters", "cost before", "cost after"];
            outcome.table(Table::new("MDL cost", &columns)).row(vec![
                name.into(),
                Cell::count(point.pages),
                Cell::count(point.distinct),
                Cell::count(point.clusters),
                Cell::Number(point.before as f64, 0),
                Cell::Number(point.after as f64, 0),
            ]);
            let columns = ["algorithm", "pages", "seconds"];
            outcome.table(Table::new("Seconds to cluster", &columns).timed()).row(vec![
                name.into(),
                Cell::count(point.pages),
                Cell::Number(point.seconds, 2),
            ]);
            let x = point.pages as f64;
            let plot = Plot::curves("cluster-cost", "MDL cost after clustering", "pages", "paths");
            outcome.plot(plot).point(name, x, point.after as f64);
            let plot =
                Plot::curves("cluster-cost-time", "Time to cluster", "pages", "seconds").timed();
            outcome.plot(plot).point(name, x, point.seconds);
        }
    }
    Ok(())
}

/// Each algorithm as the paper has it, and as we run it: with repair and polish. TEXT-MDL needs
/// neither.
fn variants(ours: &Clustering) -> Vec<(String, Clustering)> {
    let of_algorithm = |(name, algorithm): (&str, Algorithm)| {
        let paper = Clustering { algorithm, repair: false, polish: false, ..ours.clone() };
        let repaired = Clustering { repair: true, polish: true, ..paper.clone() };
        let ours = (algorithm != Algorithm::Mdl).then(|| (format!("{name}, repaired"), repaired));
        std::iter::once((name.to_owned(), paper)).chain(ours)
    };
    ALGORITHMS.into_iter().flat_map(of_algorithm).collect()
}

/// Number of pages to learn from. Fewer than 16 are never clustered.
const SAMPLE: usize = 24;

pub fn clustered(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    if !bench.has_content() || bench.is_repeated || bench.max_pages() <= SAMPLE {
        return Ok(());
    }
    for (name, contender) in bench.setup.strippers() {
        measure_clustered(bench, outcome, name, contender)?;
        if let Some((name, paper)) = bench.setup.paper_of(name, contender) {
            measure_clustered(bench, outcome, &name, &paper)?;
        }
    }
    Ok(())
}

fn measure_clustered(
    bench: &Bench,
    outcome: &mut Outcome,
    name: &str,
    contender: &Contender,
) -> Result<()> {
    // The default distinguishes kinds of pages itself.
    let Contender::Method(settings) = contender else { return Ok(()) };
    if settings.method == MethodName::Auto {
        return Ok(());
    }
    let clustered = Contender::Clustered(settings.clone(), bench.setup.clustering.clone());
    let whole = bench.sampled_scores(name, contender, SAMPLE)?;
    let apart = bench.sampled_scores(&format!("{name}, clustered"), &clustered, SAMPLE)?;
    for (templates, scores) in [("one", whole), ("one per cluster", apart)] {
        let mean = mean_of_sites(bench.set, scores.to_vec()).mean;
        let value = |measure: &str| mean.get(measure).copied().unwrap_or(0.0);
        let columns =
            ["set", "method", "templates", "template F1", "template P", "template R", "content F1"];
        let mut row = vec![bench.set.into(), name.into(), templates.into()];
        row.extend(columns[3..].iter().map(|measure| Cell::score(value(measure))));
        outcome.table(Table::new("Learned from 24 pages, scored on the rest", &columns)).row(row);
        let title = format!("{}: template F with one template per site or per cluster", bench.set);
        let plot = Plot::bars(&format!("clustered-{}", bench.set), &title, "", "mean over sites");
        outcome.plot(plot).named_bar(templates, name, value("template F1"));
    }
    Ok(())
}
