//! `unmold eval`: scores of methods on labelled sites.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde::Serialize;
use unmold::cluster::Clustering;
use unmold::{Alignment, Auto, ChunkFrequency, Keep, TreeMapping};

use crate::args::{AlgorithmName, ContenderName, EvalArgs};
use crate::eval::{
    ClusterPages, Contender, CostPoint, Draw, Export, LabelledSite, Line, SetScores, cost_curves, find_sites,
    line_chart, mean_of_sites, score_clusters, score_site,
};
use crate::exit::Exit;
use crate::output::Sink;
use crate::settings::Settings;

/// Scores of one method on one set.
#[derive(Serialize)]
struct Row {
    method: String,
    #[serde(flatten)]
    scores: SetScores,
}

pub fn run(args: &EvalArgs) -> Result<Exit> {
    let all = ContenderName::value_variants();
    let names = if args.method.is_empty() { all } else { &args.method };
    let mut sets = BTreeMap::new();
    for folder in &args.folders {
        sets.extend(find_sites(folder)?);
    }
    sets.retain(|set, _| args.set.is_empty() || args.set.contains(set));
    if sets.is_empty() {
        bail!("no labelled site found: give a folder with SITE/gold.jsonl and SITE/pages");
    }
    if let Some(path) = &args.export {
        let mut export = Export::create(path)?;
        for (set, folders) in &sets {
            for site in read_sites(folders, args)? {
                export.add(set, &site, &args.curve, args.by_type)?;
            }
        }
        export.finish()?;
        return Ok(Exit::AllDone);
    }
    if args.plot.is_some() && args.curve.is_empty() && args.cluster_cost.is_empty() {
        bail!("--plot draws curves: give --curve or --cluster-cost too");
    }
    if args.clusters {
        return clusters(args, &sets);
    }
    if !args.cluster_cost.is_empty() {
        return cluster_cost(args, &sets);
    }
    if !args.curve.is_empty() {
        return curve(args, names, &sets);
    }
    let draw = Draw { sample: args.sample, seed: args.seed, by_type: args.by_type };
    let mut rows = Vec::new();
    if !args.json {
        print_line(&heading())?;
    }
    for (set, folders) in &sets {
        let sites = read_sites(folders, args)?;
        for &name in names {
            let row = score(&contender(name), name, set, &sites, &draw, args)?;
            if !args.json {
                print_line(&line(&row))?;
            }
            rows.push(row);
        }
    }
    if args.json {
        print_line(&serde_json::to_string_pretty(&rows)?)?;
    }
    Ok(Exit::AllDone)
}

fn print_line(line: &str) -> Result<()> {
    writeln!(std::io::stdout(), "{line}").context("cannot write to standard output")
}

fn read_sites(folders: &[PathBuf], args: &EvalArgs) -> Result<Vec<LabelledSite>> {
    folders.iter().map(|folder| LabelledSite::read(folder, args.keep_hidden)).collect()
}

/// The pages of all sets, as paths.
fn read_cluster_pages(args: &EvalArgs, sets: &BTreeMap<String, Vec<PathBuf>>) -> Result<Vec<ClusterPages>> {
    let mode = args.clustering.settings().paths;
    let folders = sets.iter().flat_map(|(set, folders)| folders.iter().map(move |folder| (set, folder)));
    folders
        .map(|(set, folder)| {
            let site = LabelledSite::read(folder, args.keep_hidden)?;
            Ok(ClusterPages::of(set, &site, mode))
        })
        .collect()
}

/// Clusters against families, site by site and together.
fn clusters(args: &EvalArgs, sets: &BTreeMap<String, Vec<PathBuf>>) -> Result<Exit> {
    let sites = read_cluster_pages(args, sets)?;
    let settings = args.clustering.settings();
    print_line(&format!(
        "{:40} pages families clusters unclustered  purity    NMI    ARI  NMI by numbers",
        "site"
    ))?;
    let line = |name: &str, sites: &[ClusterPages]| -> Result<()> {
        let scored = score_clusters(sites, &settings);
        let table = &scored.table;
        print_line(&format!(
            "{name:40} {:5} {:8} {:8} {:11}  {:.3}  {:.3}  {:.3}           {:.3}",
            table.items(),
            table.classes(),
            scored.clusters,
            scored.unclustered,
            table.purity(),
            table.nmi(),
            table.ari(),
            table.nmi_by_numbers()
        ))
    };
    for site in &sites {
        line(&format!("{}/{}", site.set, site.site), std::slice::from_ref(site))?;
    }
    for set in sets.keys() {
        let (from, to) =
            (sites.partition_point(|site| site.set < *set), sites.partition_point(|site| site.set <= *set));
        line(&format!("{set}, pooled"), &sites[from..to])?;
    }
    if sets.len() > 1 {
        line("all sets, pooled", &sites)?;
    }
    Ok(Exit::AllDone)
}

/// Time and cost of the four algorithms, as a table and as figures.
fn cluster_cost(args: &EvalArgs, sets: &BTreeMap<String, Vec<PathBuf>>) -> Result<Exit> {
    let sites = read_cluster_pages(args, sets)?;
    print_line("algorithm  pages  different  clusters  cost before  cost after  seconds")?;
    let (mut times, mut costs) = (Vec::new(), Vec::new());
    for &name in AlgorithmName::value_variants() {
        let settings = Clustering { algorithm: name.algorithm(), ..args.clustering.settings() };
        let points = cost_curves(&sites, &settings, &args.cluster_cost);
        let name = name.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        for point in &points {
            print_line(&format!(
                "{name:9}  {:5}  {:9}  {:8}  {:11}  {:10}  {:7.2}",
                point.pages, point.distinct, point.clusters, point.before, point.after, point.seconds
            ))?;
        }
        let line = |value: fn(&CostPoint) -> f64| Line {
            name: name.clone(),
            points: points.iter().map(|point| (point.pages as f64, value(point))).collect(),
        };
        times.push(line(|point| point.seconds));
        costs.push(line(|point| point.after as f64));
    }
    if let Some(name) = &args.plot {
        let stem = name.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let time = name.with_file_name(format!("{stem}-time")).with_extension("svg");
        write_plot(&time, &line_chart("Time to cluster", "pages", "seconds", 0.0, &times))?;
        let cost = line_chart("MDL cost after clustering", "pages", "paths", 0.0, &costs);
        write_plot(&name.with_extension("svg"), &cost)?;
    }
    Ok(Exit::AllDone)
}

/// Scores against the number of pages learned from, as a table and as figures.
fn curve(args: &EvalArgs, names: &[ContenderName], sets: &BTreeMap<String, Vec<PathBuf>>) -> Result<Exit> {
    let (mut scores, mut times) = (Vec::new(), Vec::new());
    print_line(&format!(
        "{:24} {:22} pages  template F (P/R)     content F1  template parts  learning  seconds",
        "set", "method"
    ))?;
    for (set, folders) in sets {
        let sites = read_sites(folders, args)?;
        for &name in names {
            let (mut score_points, mut time_points) = (Vec::new(), Vec::new());
            for &pages in &args.curve {
                let draw = Draw { sample: Some(pages), seed: Some(args.seed.unwrap_or(0)), by_type: false };
                let start = Instant::now();
                let row = score(&learning_from(contender(name), pages), name, set, &sites, &draw, args)?;
                let (seconds, learning) =
                    (start.elapsed().as_secs_f64(), row.scores.learning().as_secs_f64());
                if args.each_site {
                    for site in &row.scores.sites {
                        print_line(&point(
                            &format!("{set}/{}", site.site),
                            &row.method,
                            pages,
                            &site.scores,
                        ))?;
                    }
                }
                let point = point(set, &row.method, pages, &row.scores.mean);
                print_line(&format!("{point}  {learning:8.2}  {seconds:7.2}"))?;
                let value = |name: &str| row.scores.mean.get(name).copied().unwrap_or(0.0);
                score_points.push((pages as f64, value("template F1")));
                time_points.push((pages as f64, learning));
            }
            let name = format!("{set}, {}", method_name(name));
            scores.push(Line { name: name.clone(), points: score_points });
            times.push(Line { name, points: time_points });
        }
    }
    if let Some(name) = &args.plot {
        let x = "pages learned from";
        write_plot(
            &name.with_extension("svg"),
            &line_chart("Template F", x, "mean over sites", 1.0, &scores),
        )?;
        let time =
            name.with_file_name(format!("{}-time", name.file_stem().unwrap_or_default().to_string_lossy()));
        write_plot(
            &time.with_extension("svg"),
            &line_chart("Time to learn, all sites", x, "seconds", 0.0, &times),
        )?;
    }
    Ok(Exit::AllDone)
}

/// One line of the table of a curve.
fn point(place: &str, method: &str, pages: usize, scores: &BTreeMap<&'static str, f64>) -> String {
    let value = |name: &str| scores.get(name).copied().unwrap_or(0.0);
    format!(
        "{place:24} {method:22} {pages:5}  {:.3} ({:.3}/{:.3})  {:10.3}  {:14.0}",
        value("template F1"),
        value("template P"),
        value("template R"),
        value("content F1"),
        value("template parts")
    )
}

fn write_plot(path: &Path, svg: &str) -> Result<()> {
    let mut sink = Sink::create(Some(path))?;
    sink.write(svg.as_bytes())?;
    sink.finish()
}

fn method_name(name: ContenderName) -> String {
    name.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn contender(name: ContenderName) -> Contender {
    let chunk_frequency = |settings| Contender::Method(Settings::ChunkFrequency(settings));
    let auto = |keep| Contender::Method(Settings::Auto(Auto { keep }));
    let alignment = |settings| Contender::Method(Settings::Alignment(settings));
    let tree_mapping = |settings| Contender::Method(Settings::TreeMapping(settings));
    match name {
        ContenderName::Full => Contender::Full,
        ContenderName::LineFrequency => Contender::LineFrequency,
        ContenderName::Auto => auto(Keep::Main),
        ContenderName::AutoAllUnique => auto(Keep::AllUnique),
        ContenderName::ChunkFrequency => chunk_frequency(ChunkFrequency::default()),
        ContenderName::ChunkFrequencyPaper => chunk_frequency(ChunkFrequency::paper()),
        ContenderName::Alignment => alignment(Alignment::default()),
        ContenderName::AlignmentPaper => alignment(Alignment::paper()),
        ContenderName::TreeMapping => tree_mapping(TreeMapping::default()),
        ContenderName::TreeMappingPaper => tree_mapping(TreeMapping::paper()),
    }
}

/// The contender with its limit on pages raised or lowered to the point of a curve.
fn learning_from(contender: Contender, pages: usize) -> Contender {
    match contender {
        Contender::Method(Settings::Alignment(settings)) => {
            Contender::Method(Settings::Alignment(Alignment { pages, ..settings }))
        }
        Contender::Method(Settings::TreeMapping(settings)) => {
            Contender::Method(Settings::TreeMapping(TreeMapping { max_pages: pages, ..settings }))
        }
        other => other,
    }
}

fn score(
    contender: &Contender,
    name: ContenderName,
    set: &str,
    sites: &[LabelledSite],
    draw: &Draw,
    args: &EvalArgs,
) -> Result<Row> {
    let contender = match contender {
        Contender::Method(settings) if args.clustered => {
            Contender::Clustered(settings.clone(), args.clustering.settings())
        }
        other => other.clone(),
    };
    let scores = sites
        .iter()
        .map(|site| {
            let contender = contender.for_site(set, &site.name);
            score_site(site, &contender, draw).with_context(|| format!("site {}", site.name))
        })
        .collect::<Result<_>>()?;
    Ok(Row { method: method_name(name), scores: mean_of_sites(set, scores) })
}

/// Columns: heading, score, scores in brackets.
const COLUMNS: [(&str, &str, &[&str]); 5] = [
    ("content F1 (P/R)", "content F1", &["content P", "content R"]),
    ("template F (P/R)", "template F1", &["template P", "template R"]),
    ("retention", "retention", &[]),
    ("removed", "removed share", &[]),
    ("ttdr (P/R)", "ttdr", &["chunk P", "chunk R"]),
];

fn heading() -> String {
    let columns: Vec<String> = COLUMNS.iter().map(|(title, ..)| format!("{title:18}")).collect();
    format!("{:16} {:22} {} retention of the worst site", "set", "method", columns.join(" "))
}

fn line(row: &Row) -> String {
    let value = |name: &str| row.scores.mean.get(name).map(|value| format!("{value:.3}"));
    let columns: Vec<String> = COLUMNS
        .iter()
        .map(|(_, main, others)| {
            let Some(main) = value(main) else { return format!("{:18}", "–") };
            let others: Vec<String> = others.iter().filter_map(|name| value(name)).collect();
            let others = if others.is_empty() { String::new() } else { format!(" ({})", others.join("/")) };
            format!("{:18}", main + &others)
        })
        .collect();
    let worst =
        row.scores.worst.get("retention").map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
    format!("{:16} {:22} {} {worst}", row.scores.set, row.method, columns.join(" "))
}
