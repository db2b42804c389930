//! Effect of templates on mining: classification, clustering and search before and after templates
//! are removed.

use std::collections::BTreeMap;
use std::rc::Rc;

use anyhow::Result;
use rayon::prelude::*;
use unmold::metrics::Contingency;

use super::bench::{Bench, SiteTexts, timed};
use crate::bm25::Bm25;
use crate::chart::Plot;
use crate::classification::{Classified, Configuration};
use crate::clustering;
use crate::data::{Gold, Group};
use crate::eval::labelled::LabelledSite;
use crate::outcome::{About, Cell, Outcome, Table};
use crate::search::{Asked, Comparison, Query, SearchScores, class_queries, compare, queries};
use crate::terms::TermCounts;

pub const ABOUT_CLASSIFICATION: About = About {
    name: "classification",
    title: "Classification before and after",
    paper: "\
        Tree mapping (2006), tables 3 to 6: F and accuracy of Naive Bayes rise in all three \
        configurations for all pairs of categories; figure 9: the same F for templates from 10 to \
        100 pages. The numbers of the tables are missing from our copy of the paper.",
    reading: "\
        Different data: classes within one vertical (camera makers, car makes, film genres, \
        cuisines) on five sites each, where the paper has product categories of five shops. The \
        configurations are our reconstruction. Sites have 60 pages, so 100 means all. The top of \
        this page counts what rises and what does not. Removing only templates (chunk frequency, \
        all-unique) serves a classifier better than the default, which also removes unique but \
        marginal texts. Pairs trained by one site (1), where a template cannot mislead, gain \
        little.",
};

pub const ABOUT_K_MEANS: About = About {
    name: "k-means",
    title: "K-means before and after",
    paper: "\
        Tree mapping (2006), figure 8 and table 2: 800 runs from random seeds; 40 % of the runs on \
        cleaned pages reach an F that no run on whole pages reaches.",
    reading: "\
        Different data, as for classification. On whole pages K-means finds the sites, not the \
        classes; both are shown. For the paper's claim, the table has the share of runs above the \
        best run before: near 1 for cars and cameras, near 0 for films and cuisines, whose classes \
        hardly differ in their words.",
};

pub const ABOUT_FPF: About = About {
    name: "fpf",
    title: "Furthest point first before and after; size and time",
    paper: "\
        Alignment (2011), table 4: F .234 to .276, purity .249 to .272, NMI .040 to .059, NCE .064 \
        to .084 on PI; F .387 to .449, purity .397 to .471, NMI .346 to .384, NCE .383 to .421 on \
        Ansa (t = 16). Figure 3: up to 50 % of the time saved, corpus a third of its size.",
    reading: "\
        Purity and NCE are in their corrected forms (the printed ones leave 0..1). Means over 50 \
        first points; the paper does not say how it chose its first point. Size is that of the \
        text; the paper's is that of the pages with their tags. Films are the exception, as for \
        K-means. Tasks called *by type* cluster the pages of one site by page type; their content \
        is labelled, so the template that the labels give is cut out as well, as in the paper's \
        column *Baseline*. As there, alignment helps a little more than that template: mean F of \
        the 15 sites .506 before, .515 after `alignment-paper`, .508 without the labels' template; \
        it rises on 9 of them.",
};

pub const ABOUT_SEARCH: About = About {
    name: "search",
    title: "Search before and after",
    paper: "\
        Chunk frequency (2003), section 4.3 and figure 2: of 280 queries with template terms, 44 \
        differ; precision at 5 and 10 rises, at 1 it does not; 1.7 % of the results get worse; an \
        engine that switches between the two loses nothing.",
    reading: "\
        Queries are attribute values that at least ten pages contain; the relevant pages are those \
        whose labels contain them. In groups such as `by maker`, queries are the names of the \
        classes of the classification experiment, and the relevant pages are those of the class. \
        The switching rule uses no labels: whole pages answer when at least a tenth of the pages \
        with all words lost them where they are not template. It was chosen on one part of the \
        queries and is reported on the other: there fewer queries fall below whole pages, but the \
        mean is a little below that of clean pages. `best` picks the engine with the better average precision for each \
        query: the bound that the paper reports. Where the values searched for (a company, \
        'public') are on so many pages of a site that they are removed with the template, \
        precision falls (universities, jobs): all-unique, which spares such values, is the better \
        choice for search. So more queries get worse than the paper's 1.7 %, and switching \
        recovers about a third of them.",
};

/// The pages of a group of sites.
struct Mined<'a> {
    golds: Vec<&'a Gold>,
    places: Vec<(usize, usize)>,
}

impl<'a> Mined<'a> {
    fn of(bench: &Bench<'a>, group: &Group) -> Mined<'a> {
        let (mut golds, mut places) = (Vec::new(), Vec::new());
        for (index, site) in bench.sites.iter().enumerate() {
            if site.name.starts_with(&group.sites) {
                for (page, (gold, _)) in site.pages.iter().enumerate() {
                    golds.push(gold);
                    places.push((index, page));
                }
            }
        }
        Mined { golds, places }
    }

    fn texts<'t>(&self, texts: &'t [Vec<String>]) -> Vec<&'t str> {
        self.places.iter().map(|&(site, page)| texts[site][page].as_str()).collect()
    }
}

/// The classified pages of a group.
#[derive(Clone)]
struct Task {
    /// Name of the group and of its classes.
    name: String,
    class_names: Vec<String>,
    places: Vec<(usize, usize)>,
    classes: Vec<usize>,
    sites: Vec<usize>,
    number_of_classes: usize,
}

impl Task {
    fn all(bench: &Bench) -> Vec<Task> {
        bench.groups.iter().filter_map(|group| Task::of(bench, group)).collect()
    }

    fn of(bench: &Bench, group: &Group) -> Option<Task> {
        let rule = group.class.as_ref()?;
        let mined = Mined::of(bench, group);
        let (numbers, names) = rule.classes(mined.golds.iter().copied());
        let mut task = Task {
            name: format!("{} by {}", group.name, rule.name),
            places: Vec::new(),
            classes: Vec::new(),
            sites: Vec::new(),
            number_of_classes: names.len(),
            class_names: names,
        };
        let first_site = mined.places.first()?.0;
        for (place, class) in mined.places.iter().zip(numbers) {
            if let Some(class) = class {
                task.places.push(*place);
                task.classes.push(class);
                task.sites.push(place.0 - first_site);
            }
        }
        (task.number_of_classes >= 2).then_some(task)
    }

    /// The pages of each site that has several page types, by type: the content of such sites is
    /// labelled, so their template can be cut out by hand.
    fn by_type(bench: &Bench) -> Vec<Task> {
        let sites = bench.sites.iter().enumerate().filter(|(_, site)| site.has_content());
        sites.filter_map(|(number, site)| Task::of_types(number, site)).collect()
    }

    fn of_types(number: usize, site: &LabelledSite) -> Option<Task> {
        let mut types: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (page, (gold, _)) in site.pages.iter().enumerate() {
            types.entry(gold.kind.as_deref()?).or_default().push(page);
        }
        types.retain(|_, pages| pages.len() >= MIN_PAGES_OF_TYPE);
        let mut task = Task {
            name: format!("{} by type", site.name),
            class_names: types.keys().map(|name| (*name).to_owned()).collect(),
            places: Vec::new(),
            classes: Vec::new(),
            sites: Vec::new(),
            number_of_classes: types.len(),
        };
        for (class, pages) in types.into_values().enumerate() {
            task.places.extend(pages.iter().map(|&page| (number, page)));
            task.classes.extend(std::iter::repeat_n(class, pages.len()));
            task.sites.extend(std::iter::repeat_n(0, pages.len()));
        }
        (task.number_of_classes >= 2).then_some(task)
    }

    fn counts(&self, texts: &SiteTexts) -> TermCounts {
        let texts: Vec<&str> =
            self.places.iter().map(|&(site, page)| texts[site][page].as_str()).collect();
        TermCounts::of(&texts)
    }

    fn classified<'a>(&'a self, counts: &'a TermCounts) -> Classified<'a> {
        Classified {
            counts,
            classes: &self.classes,
            sites: &self.sites,
            number_of_classes: self.number_of_classes,
        }
    }
}

/// A page type with fewer pages is left out.
const MIN_PAGES_OF_TYPE: usize = 8;

/// The versions to compare: whole pages, then the output of each contender.
fn versions(bench: &Bench) -> Result<Vec<(String, Rc<SiteTexts>)>> {
    let mut versions = vec![("before".to_owned(), bench.before())];
    for (name, contender) in bench.setup.strippers() {
        versions.push((name.to_owned(), bench.after(name, contender, None)?));
    }
    Ok(versions)
}

pub fn classification(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    let tasks = Task::all(bench);
    if tasks.is_empty() {
        return Ok(());
    }
    let versions = versions(bench)?;
    for task in &tasks {
        bench.tell(&format!("classification, {}", task.name));
        for (version, texts) in &versions {
            classify(bench, outcome, task, version, &task.counts(texts));
        }
    }
    by_sample_size(bench, outcome, &tasks)
}

fn classify(bench: &Bench, outcome: &mut Outcome, task: &Task, version: &str, counts: &TermCounts) {
    let classified = task.classified(counts);
    let (folds, sites) =
        (classified.cross_validation(5, bench.setup.seed), classified.leave_one_site_out());
    let columns = [
        "task",
        "pages",
        "classes",
        "method",
        "5-fold accuracy",
        "5-fold F",
        "site left out accuracy",
        "site left out F",
    ];
    outcome.table(Table::new("All classes at once", &columns)).row(vec![
        (&task.name).into(),
        Cell::count(task.classes.len()),
        Cell::count(task.number_of_classes),
        version.into(),
        Cell::score(folds.accuracy()),
        Cell::score(folds.macro_f()),
        Cell::score(sites.accuracy()),
        Cell::score(sites.macro_f()),
    ]);
    let mut row = vec![(&task.name).into(), version.into()];
    let pairs: Vec<_> = Configuration::ALL
        .par_iter()
        .map(|&configuration| classified.pairs(configuration))
        .collect();
    for scores in &pairs {
        row.extend([Cell::score(scores.f), Cell::score(scores.accuracy)]);
    }
    row.push(Cell::count(pairs.iter().map(|scores| scores.runs).sum()));
    push_pairs(outcome, task, version, &classified);
    let columns = [
        "task",
        "method",
        "1: F",
        "1: accuracy",
        "2: F",
        "2: accuracy",
        "3: F",
        "3: accuracy",
        "runs",
    ];
    let title = "Pairs of classes: (1) trained by one site, tested on the others; \
                 (2) each class trained by a different site, tested on the rest; \
                 (3) the same, tested on all pages";
    outcome.table(Table::new(title, &columns)).row(row);
}

/// Tables 4 and 5 of the tree mapping paper: F and accuracy of each pair of classes.
fn push_pairs(outcome: &mut Outcome, task: &Task, version: &str, classified: &Classified) {
    for (number, configuration) in (1..).zip(Configuration::ALL) {
        for ((first, second), scores) in classified.each_pair(configuration) {
            let columns = ["task", "pair", "configuration", "method", "F", "accuracy", "runs"];
            outcome.table(Table::new("Each pair of classes", &columns).in_report_only()).row(vec![
                (&task.name).into(),
                (&format!("{}, {}", task.class_names[first], task.class_names[second])).into(),
                Cell::count(number),
                version.into(),
                Cell::score(scores.f),
                Cell::score(scores.accuracy),
                Cell::count(scores.runs),
            ]);
        }
    }
}

/// Figure 9 of the tree mapping paper.
fn by_sample_size(bench: &Bench, outcome: &mut Outcome, tasks: &[Task]) -> Result<()> {
    for (name, contender) in bench.setup.strippers() {
        for sample in [10, 20, 30, 40, 50, 100] {
            // A method's own limit must not be below the number that the figure shows.
            let texts = bench.after(name, &contender.learning_from(sample), Some(sample))?;
            let mut means = [0.0; 3];
            for task in tasks {
                let counts = task.counts(&texts);
                let classified = task.classified(&counts);
                let scores: Vec<f64> = Configuration::ALL
                    .par_iter()
                    .map(|&configuration| classified.pairs(configuration).f)
                    .collect();
                for (mean, score) in means.iter_mut().zip(scores) {
                    *mean += score / tasks.len() as f64;
                }
            }
            let columns = ["method", "pages", "1: F", "2: F", "3: F"];
            let mut row = vec![name.into(), Cell::count(sample)];
            row.extend(means.map(Cell::score));
            outcome
                .table(Table::new(
                    "Pairs of classes, mean over tasks, against the pages learned from",
                    &columns,
                ))
                .row(row);
            let plot = Plot::curves(
                "classification",
                "F of pairs, sites crossed (3), mean over tasks",
                "pages learned from",
                "F",
            );
            outcome.plot(plot).point(name, sample as f64, means[2]);
        }
    }
    Ok(())
}

pub fn k_means(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    let tasks = Task::all(bench);
    if tasks.is_empty() {
        return Ok(());
    }
    let versions = versions(bench)?;
    for task in &tasks {
        let mut best_before = f64::INFINITY;
        for (version, texts) in &versions {
            bench.tell(&format!("{} runs of K-means, {}, {version}", bench.setup.runs, task.name));
            let runs = k_means_runs(bench, task, &task.counts(texts));
            let fs: Vec<f64> = runs.iter().map(|run| run[0]).collect();
            if version == "before" {
                best_before = fs.iter().copied().fold(0.0, f64::max);
            }
            let mean = |measure: usize| {
                Cell::score(runs.iter().map(|run| run[measure]).sum::<f64>() / runs.len() as f64)
            };
            let above = fs.iter().filter(|&&f| f > best_before).count();
            let columns = [
                "task",
                "method",
                "F",
                "purity",
                "NMI",
                "NCE",
                "NMI with site",
                "F, best run",
                "runs above the best before",
            ];
            outcome.table(Table::new("Means over runs, k = number of classes", &columns)).row(
                vec![
                    (&task.name).into(),
                    version.into(),
                    mean(0),
                    mean(1),
                    mean(2),
                    mean(3),
                    mean(4),
                    Cell::score(fs.iter().copied().fold(0.0, f64::max)),
                    Cell::score(above as f64 / runs.len() as f64),
                ],
            );
            histogram(outcome, task, version, &fs);
        }
    }
    Ok(())
}

/// F, purity, NMI and NCE with the classes, and NMI with the sites, of each run.
fn k_means_runs(bench: &Bench, task: &Task, counts: &TermCounts) -> Vec<[f64; 5]> {
    let vectors = counts.tf_idf();
    let run = |seed: u64| {
        let centres = clustering::draw_centres(vectors.len(), task.number_of_classes, seed);
        let clusters = clustering::k_means(&vectors, counts.terms, &centres);
        let of_classes = table(&clusters, &task.classes);
        [
            of_classes.best_f(),
            of_classes.purity(),
            of_classes.nmi_by_numbers(),
            of_classes.nce(),
            table(&clusters, &task.sites).nmi_by_numbers(),
        ]
    };
    let first = bench.setup.seed * 1_000_003;
    (first..first + bench.setup.runs as u64).into_par_iter().map(run).collect()
}

fn table(clusters: &[usize], classes: &[usize]) -> Contingency {
    Contingency::of(clusters.iter().copied().zip(classes.iter().copied()))
}

/// Figure 8 of the tree mapping paper: number of runs by F.
fn histogram(outcome: &mut Outcome, task: &Task, version: &str, fs: &[f64]) {
    const BINS: usize = 20;
    let mut counts = [0usize; BINS];
    for f in fs {
        counts[((f * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    let name = format!("k-means-{}", task.name.replace(' ', "-"));
    let title = format!("Runs of K-means by F: {}", task.name);
    for (bin, &count) in counts.iter().enumerate() {
        let from = bin as f64 / BINS as f64;
        outcome.plot(Plot::bars(&name, &title, "F, from", "runs")).point(
            version,
            from,
            count as f64,
        );
        if count > 0 {
            let columns = ["task", "method", "F from", "F to", "runs"];
            outcome.table(Table::new("Runs by F", &columns).in_report_only()).row(vec![
                (&task.name).into(),
                version.into(),
                Cell::Number(from, 2),
                Cell::Number(from + 1.0 / BINS as f64, 2),
                Cell::count(count),
            ]);
        }
    }
}

pub fn furthest_point_first(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    let by_type = if bench.is_repeated { Vec::new() } else { Task::by_type(bench) };
    let tasks = [Task::all(bench), by_type].concat();
    if tasks.is_empty() {
        return Ok(());
    }
    let mut versions = versions(bench)?;
    if bench.has_content() {
        versions.push(("template cut out by the labels".to_owned(), Rc::new(without_gold(bench))));
    }
    for task in &tasks {
        let mut before = (0.0, 0.0);
        for (version, texts) in &versions {
            bench.tell(&format!("furthest point first, {}, {version}", task.name));
            let vectors = task.counts(texts).tf_idf();
            let firsts = clustering::draw_centres(vectors.len(), FIRST_POINTS, bench.setup.seed);
            let (runs, seconds) = timed(|| -> Vec<Vec<usize>> {
                let run = |&first: &usize| {
                    clustering::furthest_point_first(&vectors, task.number_of_classes, first)
                };
                firsts.iter().map(run).collect()
            });
            let tables: Vec<Contingency> =
                runs.iter().map(|run| table(run, &task.classes)).collect();
            let mean = |score: fn(&Contingency) -> f64| {
                Cell::score(tables.iter().map(score).sum::<f64>() / tables.len() as f64)
            };
            let bytes: usize =
                task.places.iter().map(|&(site, page)| texts[site][page].len()).sum();
            let (kilobytes, milliseconds) =
                (bytes as f64 / 1000.0, seconds * 1000.0 / runs.len() as f64);
            if version == "before" {
                before = (kilobytes, milliseconds);
            }
            let columns = ["task", "method", "F", "purity", "NMI", "NCE", "text, kB", "of before"];
            outcome
                .table(Table::new("Means over 50 first points, k = number of classes", &columns))
                .row(vec![
                    (&task.name).into(),
                    version.into(),
                    mean(Contingency::best_f),
                    mean(Contingency::purity),
                    mean(Contingency::nmi_by_numbers),
                    mean(Contingency::nce),
                    Cell::Number(kilobytes, 0),
                    Cell::Number(kilobytes / before.0, 2),
                ]);
            let columns = ["task", "method", "ms per run", "of before"];
            outcome.table(Table::new("Time", &columns).timed()).row(vec![
                (&task.name).into(),
                version.into(),
                Cell::Number(milliseconds, 2),
                Cell::Number(milliseconds / before.1, 2),
            ]);
        }
    }
    Ok(())
}

/// First points of furthest point first.
const FIRST_POINTS: usize = 50;

/// The baseline of the alignment paper: pages without the template that the labels give.
fn without_gold(bench: &Bench) -> SiteTexts {
    let text = |site: &LabelledSite| -> Vec<String> {
        let template = site.template();
        site.pages.par_iter().map(|(gold, page)| template.stripped(gold, page)).collect()
    };
    bench.sites.par_iter().map(text).collect()
}

pub fn search(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    for group in bench.groups {
        let mined = Mined::of(bench, group);
        let attributes: Vec<_> = mined.golds.iter().map(|gold| &gold.attributes).collect();
        let mut asked = vec![(group.name.clone(), queries(&attributes))];
        if let Some(rule) = &group.class {
            let (classes, names) = rule.classes(mined.golds.iter().copied());
            asked.push((
                format!("{} by {}", group.name, rule.name),
                class_queries(&classes, &names),
            ));
        }
        asked.retain(|(_, queries)| !queries.is_empty());
        if asked.is_empty() {
            continue;
        }
        let number: usize = asked.iter().map(|(_, queries)| queries.len()).sum();
        bench.tell(&format!("search, {}, {number} queries", group.name));
        let index = |texts: &[Vec<String>]| Bm25::of(&mined.texts(texts));
        let whole = index(&bench.before());
        let stripped: Vec<(&str, Bm25)> = bench
            .setup
            .strippers()
            .map(|(name, contender)| Ok((name, index(&bench.after(name, contender, None)?))))
            .collect::<Result<_>>()?;
        let sites: Vec<usize> = mined.places.iter().map(|place| place.0).collect();
        for (what, queries) in &asked {
            search_for(outcome, what, queries, &whole, &stripped, &sites);
        }
    }
    Ok(())
}

/// Runs queries on the pages of a group.
fn search_for(
    outcome: &mut Outcome,
    what: &str,
    queries: &[Query],
    whole: &Bm25,
    stripped: &[(&str, Bm25)],
    sites: &[usize],
) {
    for (index, (name, stripped)) in stripped.iter().enumerate() {
        let name = *name;
        let compared = compare(queries, whole, stripped, sites);
        if index == 0 {
            search_row(outcome, what, queries.len(), "before", &compared.before);
        }
        search_row(outcome, what, queries.len(), name, &compared.after);
        search_row(
            outcome,
            what,
            queries.len(),
            &format!("{name}, switching"),
            &compared.switching,
        );
        search_row(outcome, what, queries.len(), &format!("{name}, best"), &compared.best);
        for (query, asked) in queries.iter().zip(&compared.each) {
            let columns = [
                "group",
                "method",
                "query",
                "of rule",
                "pages",
                "whole pages with all words",
                "clean pages with all words",
                "AP before",
                "AP after",
            ];
            let table = Table::new("Each query", &columns).in_report_only();
            outcome.table(table).row(vec![
                what.into(),
                name.into(),
                (&query.words.join(" ")).into(),
                (if query.chose_the_rule() { "chosen on" } else { "reported on" }).into(),
                Cell::count(asked.matches.pages),
                Cell::count(asked.matches.whole),
                Cell::count(asked.matches.clean),
                Cell::score(asked.before),
                Cell::score(asked.after),
            ]);
        }
        push_switching(outcome, what, name, queries, &compared);
        let [improved, unchanged, worse] = compared.improved_unchanged_worse;
        let columns =
            ["group", "method", "queries", "improved", "unchanged", "worse", "switched back"];
        outcome.table(Table::new("Queries by average precision", &columns)).row(vec![
            what.into(),
            name.into(),
            Cell::count(queries.len()),
            Cell::count(improved),
            Cell::count(unchanged),
            Cell::count(worse),
            Cell::count(compared.switched_back),
        ]);
    }
}

/// What the rule of the switching engine does to the queries that it was chosen on, and to the
/// others.
fn push_switching(
    outcome: &mut Outcome,
    what: &str,
    name: &str,
    queries: &[Query],
    compared: &Comparison,
) {
    for (part, chosen) in [("chosen on", true), ("reported on", false)] {
        let asked = queries.iter().zip(&compared.each);
        let asked: Vec<&Asked> = asked
            .filter(|(query, _)| query.chose_the_rule() == chosen)
            .map(|(_, asked)| asked)
            .collect();
        if asked.is_empty() {
            continue;
        }
        let mean = |value: &dyn Fn(&Asked) -> f64| {
            Cell::score(asked.iter().map(|asked| value(asked)).sum::<f64>() / asked.len() as f64)
        };
        let switching = |asked: &Asked| if asked.back { asked.before } else { asked.after };
        let count = |holds: &dyn Fn(&Asked) -> bool| {
            Cell::count(asked.iter().filter(|asked| holds(asked)).count())
        };
        let columns = [
            "group",
            "method",
            "queries",
            "number",
            "whole",
            "clean",
            "switching",
            "best",
            "switched back",
            "clean below whole",
            "switching below whole",
        ];
        let title = "The switching engine, MAP over the queries its rule was chosen on, and others";
        outcome.table(Table::new(title, &columns)).row(vec![
            what.into(),
            name.into(),
            part.into(),
            Cell::count(asked.len()),
            mean(&|asked| asked.before),
            mean(&|asked| asked.after),
            mean(&switching),
            mean(&|asked| asked.before.max(asked.after)),
            count(&|asked| asked.back),
            count(&|asked| asked.after < asked.before - 1e-9),
            count(&|asked| switching(asked) < asked.before - 1e-9),
        ]);
    }
}

fn search_row(
    outcome: &mut Outcome,
    group: &str,
    queries: usize,
    engine: &str,
    scores: &SearchScores,
) {
    let columns = ["group", "queries", "engine", "P@1", "P@5", "P@10", "MAP"];
    let mut row = vec![group.into(), Cell::count(queries), engine.into()];
    row.extend(scores.precision_at.map(Cell::score));
    row.push(Cell::score(scores.map));
    outcome.table(Table::new("BM25, means over queries", &columns)).row(row);
}
