//! `unmold eval`: scores of methods on labelled sites, and the papers' experiments.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde::Serialize;
use unmold::cluster::{Clustering, PathTemplates};
use unmold::sections::Sectioning;
use unmold::site::Settings;
use unmold::{Alignment, Auto, ChunkFrequency, Keep, TreeMapping, TreePattern};
use unmold_lab::chart::Plot;
use unmold_lab::data::{DataSet, Manifest};
use unmold_lab::outcome::{Outcome, Place, Report};

use crate::args::{AlgorithmName, ContenderName, EvalArgs};
use crate::eval::experiments::{Bench, EXPERIMENTS, Experiment};
use crate::eval::gate::Baseline;
use crate::eval::{
    ClusterPages, Contender, Draw, Export, LabelledSite, Outputs, ScoredSection, SectionDraw, SectionScores,
    SetScores, bar_chart, cost_curves, heading as outputs_heading, mean_of_sites, save, score_clusters,
    score_sections, score_site,
};
use crate::exit::Exit;
use crate::output::Sink;

/// Scores of one method on one set.
#[derive(Serialize)]
struct Row {
    method: String,
    #[serde(flatten)]
    scores: SetScores,
}

pub fn run(args: &EvalArgs) -> Result<Exit> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.unwrap_or(0))
        .build_global()
        .context("cannot start worker threads")?;
    let manifest = args.sets.as_deref().map_or_else(|| Ok(Manifest::built_in()), Manifest::read)?;
    if args.list {
        return list(args, &manifest);
    }
    let mut sets: Vec<DataSet> = Vec::new();
    for folder in &args.folders {
        sets.extend(manifest.find(folder)?);
    }
    sets.retain(|set| args.set.is_empty() || args.set.contains(&set.name));
    sets.sort_by(|left, right| left.name.cmp(&right.name));
    if sets.is_empty() {
        bail!("no labelled site found: give a folder with SITE/gold.jsonl and SITE/pages, or see --list");
    }
    if let Some(folder) = &args.save_outputs {
        return save_outputs(args, folder, &sets);
    }
    if let Some(path) = &args.baseline {
        return gate(args, path, sets);
    }
    if let Some(path) = &args.export {
        let mut export = Export::create(path)?;
        for set in &sets {
            for site in read_sites(set, args)? {
                export.add(&set.name, &site, &args.curve, args.by_type)?;
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
        return curve(args, &sets);
    }
    if args.sections {
        return score_sections_of(args, &sets);
    }
    if args.all || !args.experiment.is_empty() || args.report.is_some() {
        return run_experiments(args, &sets);
    }
    print_scores(args, &sets)
}

fn list(args: &EvalArgs, manifest: &Manifest) -> Result<Exit> {
    print_line("Experiments (--experiment NAME, or --all):")?;
    for experiment in EXPERIMENTS {
        print_line(&format!("  {:16} {}", experiment.about.name, experiment.about.title))?;
    }
    for folder in &args.folders {
        print_line(&format!("Sets in {}:", folder.display()))?;
        for line in manifest.describe(folder)?.lines() {
            print_line(&format!("  {line}"))?;
        }
    }
    Ok(Exit::AllDone)
}

/// What was asked for, or all of it.
fn names(args: &EvalArgs) -> &[ContenderName] {
    if args.method.is_empty() { ContenderName::value_variants() } else { &args.method }
}

fn print_scores(args: &EvalArgs, sets: &[DataSet]) -> Result<Exit> {
    let draw = Draw { sample: args.sample, seed: args.seed, by_type: args.by_type };
    let mut rows = Vec::new();
    if !args.json {
        print_line(&heading())?;
    }
    for set in sets {
        let sites = read_sites(set, args)?;
        for &name in names(args) {
            let row = score(&contender(name), name, &set.name, &sites, &draw, args)?;
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

fn read_sites(set: &DataSet, args: &EvalArgs) -> Result<Vec<LabelledSite>> {
    set.sites.iter().map(|site| LabelledSite::read(site, args.keep_hidden)).collect()
}

/// Fails if a score is below its floor; with `--pin`, takes the scores as floors.
fn gate(args: &EvalArgs, path: &Path, sets: Vec<DataSet>) -> Result<Exit> {
    let mut baseline = Baseline::read(path)?;
    let begins = baseline.sets().next().is_none();
    let mut complaints = Vec::new();
    for name in baseline.sets() {
        if sets.iter().all(|set| set.name != name) {
            eprintln!("unmold: set {name} is not here: its floors are not checked");
        }
    }
    print_line(&heading())?;
    for mut set in sets {
        // A set is taken in by name, or when there is no baseline yet: nobody wants floors under all that lies around.
        let new = args.pin && (args.set.contains(&set.name) || begins);
        if !new && !baseline.holds(&set.name) {
            continue;
        }
        baseline.restrict(&mut set)?;
        let hash = set.hash()?;
        let sites = read_sites(&set, args)?;
        for &name in names(args) {
            let row = score(&contender(name), name, &set.name, &sites, &Draw::default(), args)?;
            print_line(&line(&row))?;
            complaints.extend(if args.pin {
                baseline.pin(&set, &hash, &row.method, &row.scores, args.allow_lower)
            } else {
                baseline.complaints(&hash, &row.method, &row.scores)
            });
        }
    }
    complaints.dedup();
    for complaint in &complaints {
        eprintln!("unmold: {complaint}");
    }
    if !complaints.is_empty() {
        let what = if args.pin {
            "floors are only lowered with --allow-lower: nothing was written"
        } else {
            "not all scores reach their floors"
        };
        eprintln!("unmold: {what} ({})", path.display());
        return Ok(Exit::SomeFailed);
    }
    if args.pin {
        write_file(path, baseline.to_json()?.as_bytes())?;
    } else {
        print_line("No score is below its floor.")?;
    }
    Ok(Exit::AllDone)
}

fn save_outputs(args: &EvalArgs, folder: &Path, sets: &[DataSet]) -> Result<Exit> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for &name in names(args) {
        let method = method_name(name);
        let mut sink = Sink::create(Some(&folder.join(format!("{method}.jsonl"))))?;
        sink.write(&outputs_heading(&format!("unmold {method}"))?)?;
        for set in sets {
            save(&mut sink, &set.name, &read_sites(set, args)?, &contender(name))?;
        }
        sink.finish()?;
    }
    Ok(Exit::AllDone)
}

/// Runs experiments set by set, prints their tables, writes the report.
fn run_experiments(args: &EvalArgs, sets: &[DataSet]) -> Result<Exit> {
    let chosen = chosen_experiments(args)?;
    let names: Vec<ContenderName> = if args.method.is_empty() {
        let all = ContenderName::value_variants().iter().copied();
        all.filter(|&name| !method_name(name).ends_with("-paper")).collect()
    } else {
        args.method.clone()
    };
    let contenders: Vec<(String, Contender)> =
        names.iter().map(|&name| (method_name(name), contender(name))).collect();
    let peers = args.peers.as_deref().map_or_else(|| Ok(Vec::new()), Outputs::read_all)?;
    let command = |name: &str| {
        let peers = if name == "peers" && args.peers.is_some() { " --peers out/peers" } else { "" };
        format!("unmold eval --experiment {name} FOLDER{peers}{}", typed_methods(args))
    };
    let what = if args.all {
        "--all".to_owned()
    } else {
        chosen.iter().map(|e| format!("--experiment {} ", e.about.name)).collect()
    };
    let mut report = Report {
        command: format!("unmold eval {} FOLDER{} --report DIR", what.trim_end(), typed_methods(args)),
        sets: Vec::new(),
        outcomes: chosen.iter().map(|e| Outcome::new(e.about, command(e.about.name))).collect(),
    };
    let progress = progress(args);
    let tell = |what: &str| progress.set_message(what.to_owned());
    for set in sets {
        tell(&format!("{}: reading", set.name));
        let sites = read_sites(set, args)?;
        let (pages, bytes) =
            sites.iter().fold((0, 0), |(pages, bytes), site| (pages + site.pages.len(), bytes + site.bytes));
        let megabytes = bytes as f64 / 1e6;
        report.sets.push(format!(
            "{}: {} sites, {pages} pages, {megabytes:.1} MB of HTML, hash {}",
            set.name,
            sites.len(),
            set.hash()?
        ));
        let bench = Bench {
            set: &set.name,
            sites: &sites,
            groups: &set.groups,
            contenders: &contenders,
            peers: &peers,
            seed: args.seed.unwrap_or(0),
            runs: args.runs,
            tell: &tell,
            scores: RefCell::new(BTreeMap::new()),
            texts: RefCell::new(BTreeMap::new()),
        };
        for (experiment, outcome) in chosen.iter().zip(&mut report.outcomes) {
            (experiment.run)(&bench, outcome)
                .with_context(|| format!("experiment {}, set {}", experiment.about.name, set.name))?;
        }
    }
    progress.finish_and_clear();
    report.outcomes.retain(|outcome| !outcome.tables.is_empty());
    for outcome in &report.outcomes {
        for table in outcome.tables.iter().filter(|table| table.place == Place::Everywhere) {
            print_line(&format!("{}: {}", outcome.about.name, table.text()))?;
        }
    }
    if let Some(folder) = &args.report {
        write_report(folder, &report)?;
    }
    Ok(Exit::AllDone)
}

fn chosen_experiments(args: &EvalArgs) -> Result<Vec<&'static Experiment>> {
    if args.all {
        return Ok(EXPERIMENTS.iter().collect());
    }
    let default = ["scores".to_owned()];
    let wanted = if args.experiment.is_empty() { &default[..] } else { &args.experiment };
    wanted
        .iter()
        .map(|name| {
            EXPERIMENTS
                .iter()
                .find(|experiment| experiment.about.name == name)
                .with_context(|| format!("no experiment is called {name}: --list names them"))
        })
        .collect()
}

fn typed_methods(args: &EvalArgs) -> String {
    args.method.iter().map(|&name| format!(" --method {}", method_name(name))).collect()
}

/// A line that says what is being done, for whoever is watching.
fn progress(args: &EvalArgs) -> ProgressBar {
    if args.quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn write_report(folder: &Path, report: &Report) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    write_file(&folder.join("report.html"), report.html().as_bytes())?;
    write_file(
        &folder.join("results.json"),
        (serde_json::to_string_pretty(&report.json())? + "\n").as_bytes(),
    )?;
    write_file(
        &folder.join("times.json"),
        (serde_json::to_string_pretty(&report.times())? + "\n").as_bytes(),
    )?;
    write_file(&folder.join("results.md"), report.markdown().as_bytes())?;
    for plot in report.outcomes.iter().flat_map(|outcome| &outcome.plots) {
        write_file(&folder.join(format!("{}.svg", plot.name)), plot.svg().as_bytes())?;
        write_file(&folder.join(format!("{}.png", plot.name)), &plot.png())?;
    }
    Ok(())
}

/// The pages of all sets, as paths.
fn read_cluster_pages(args: &EvalArgs, sets: &[DataSet]) -> Result<Vec<ClusterPages>> {
    let mode = args.clustering.settings().paths;
    let files = sets.iter().flat_map(|set| set.sites.iter().map(move |site| (set, site)));
    files
        .map(|(set, site)| {
            let site = LabelledSite::read(site, args.keep_hidden)?;
            Ok(ClusterPages::of(&set.name, &site, mode))
        })
        .collect()
}

/// Clusters against families, site by site and together.
fn clusters(args: &EvalArgs, sets: &[DataSet]) -> Result<Exit> {
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
    for DataSet { name: set, .. } in sets {
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
fn cluster_cost(args: &EvalArgs, sets: &[DataSet]) -> Result<Exit> {
    let sites = read_cluster_pages(args, sets)?;
    print_line("algorithm  pages  different  clusters  cost before  cost after  seconds")?;
    let mut times = Plot::curves("cluster-cost-time", "Time to cluster", "pages", "seconds").timed();
    let mut costs = Plot::curves("cluster-cost", "MDL cost after clustering", "pages", "paths");
    for &name in AlgorithmName::value_variants() {
        let settings = Clustering { algorithm: name.algorithm(), ..args.clustering.settings() };
        let name = name.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        for point in cost_curves(&sites, &settings, &args.cluster_cost) {
            print_line(&format!(
                "{name:9}  {:5}  {:9}  {:8}  {:11}  {:10}  {:7.2}",
                point.pages, point.distinct, point.clusters, point.before, point.after, point.seconds
            ))?;
            times.point(&name, point.pages as f64, point.seconds);
            costs.point(&name, point.pages as f64, point.after as f64);
        }
    }
    write_two_plots(args, &costs, &times)
}

/// Scores against the number of pages learned from, as a table and as figures.
fn curve(args: &EvalArgs, sets: &[DataSet]) -> Result<Exit> {
    let x = "pages learned from";
    let mut scores = Plot::curves("curve", "Template F", x, "mean over sites");
    let mut times = Plot::curves("curve-time", "Time to learn, all sites", x, "seconds").timed();
    print_line(&format!(
        "{:24} {:22} pages  template F (P/R)     content F1  template parts  learning  seconds",
        "set", "method"
    ))?;
    for data in sets {
        let set = &data.name;
        let sites = read_sites(data, args)?;
        for &name in names(args) {
            let line = format!("{set}, {}", method_name(name));
            for &pages in &args.curve {
                let draw = Draw { sample: Some(pages), seed: Some(args.seed.unwrap_or(0)), by_type: false };
                let start = Instant::now();
                let contender = learning_from(contender(name), pages);
                let row = score(&contender, name, set, &sites, &draw, args)?;
                let seconds = start.elapsed().as_secs_f64();
                let learning = row.scores.learning().as_secs_f64();
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
                scores.point(&line, pages as f64, value("template F1"));
                times.point(&line, pages as f64, learning);
            }
        }
    }
    write_two_plots(args, &scores, &times)
}

/// `NAME.svg` and `NAME-time.svg`, if plots are wanted.
fn write_two_plots(args: &EvalArgs, values: &Plot, times: &Plot) -> Result<Exit> {
    if let Some(name) = &args.plot {
        let time =
            name.with_file_name(format!("{}-time", name.file_stem().unwrap_or_default().to_string_lossy()));
        write_file(&name.with_extension("svg"), values.svg().as_bytes())?;
        write_file(&time.with_extension("svg"), times.svg().as_bytes())?;
    }
    Ok(Exit::AllDone)
}

/// Noisy sections against the labels, site by site, as a table and as a figure.
fn score_sections_of(args: &EvalArgs, sets: &[DataSet]) -> Result<Exit> {
    let draw = SectionDraw {
        learn: args.sample.unwrap_or(15),
        test: args.test,
        seed: args.seed.unwrap_or(0),
        settings: if args.paper_sections { Sectioning::paper() } else { Sectioning::default() },
    };
    let mut each = args.each_section.as_deref().map(|path| Sink::create(Some(path))).transpose()?;
    let mut bars = Vec::new();
    let mut all: Vec<(String, SectionScores)> = Vec::new();
    if !args.json {
        print_line(&format!(
            "{:32} {:20} pages sections  noise  found  precision recall  by words (P/R)  noise share",
            "site", "method"
        ))?;
    }
    for &name in names(args) {
        let contender = contender(name);
        let mut means = Vec::new();
        for DataSet { name: set, sites, .. } in sets {
            let mut of_set = Vec::new();
            for site in sites {
                let site = LabelledSite::read(site, args.keep_hidden)?;
                let contender = contender.for_site(set, &site.name);
                let scores = score_sections(&site, &contender, &draw)
                    .with_context(|| format!("site {}", site.name))?;
                let Some((scores, sections)) = scores else { continue };
                if let Some(sink) = &mut each {
                    write_sections(sink, name, &sections)?;
                }
                if !args.json {
                    print_line(&section_line(&format!("{set}/{}", scores.site), name, &scores))?;
                }
                bars.push((format!("{set}/{}", scores.site), scores.noise_share));
                all.push((format!("{set}, {}", method_name(name)), scores.clone()));
                of_set.push(scores);
            }
            means.extend(of_set.iter().cloned());
            if !args.json && !of_set.is_empty() {
                print_line(&section_line(
                    &format!("{set}: mean of sites"),
                    name,
                    &mean_of_sections(&of_set),
                ))?;
            }
        }
        if !args.json && sets.len() > 1 && !means.is_empty() {
            print_line(&section_line("all: mean of sites", name, &mean_of_sections(&means)))?;
        }
    }
    if args.json {
        print_line(&serde_json::to_string_pretty(&all)?)?;
    }
    if let Some(sink) = each {
        sink.finish()?;
    }
    if let Some(path) = &args.bars {
        let chart = bar_chart("Share of noise on a page", "share of the text", &bars);
        write_file(path, chart.as_bytes())?;
    }
    Ok(Exit::AllDone)
}

fn write_sections(sink: &mut Sink, name: ContenderName, sections: &[ScoredSection]) -> Result<()> {
    #[derive(Serialize)]
    struct Line<'a> {
        method: String,
        #[serde(flatten)]
        section: &'a ScoredSection,
    }
    for section in sections {
        let mut line = serde_json::to_vec(&Line { method: method_name(name), section })?;
        line.push(b'\n');
        sink.write(&line)?;
    }
    Ok(())
}

fn section_line(place: &str, name: ContenderName, scores: &SectionScores) -> String {
    format!(
        "{place:32} {:20} {:5} {:8} {:6} {:6} {:10.3} {:6.3}   {:.3} / {:.3}   {:11.3}",
        method_name(name),
        scores.pages,
        scores.sections,
        scores.noise,
        scores.found,
        scores.precision,
        scores.recall,
        scores.word_precision,
        scores.word_recall,
        scores.noise_share
    )
}

/// Sums of the counts, means of the scores.
fn mean_of_sections(sites: &[SectionScores]) -> SectionScores {
    let mean = |value: fn(&SectionScores) -> f64| sites.iter().map(value).sum::<f64>() / sites.len() as f64;
    let sum = |value: fn(&SectionScores) -> usize| sites.iter().map(value).sum();
    SectionScores {
        site: String::new(),
        pages: sum(|s| s.pages),
        sections: sum(|s| s.sections),
        noise: sum(|s| s.noise),
        found: sum(|s| s.found),
        precision: mean(|s| s.precision),
        recall: mean(|s| s.recall),
        word_precision: mean(|s| s.word_precision),
        word_recall: mean(|s| s.word_recall),
        noise_share: mean(|s| s.noise_share),
    }
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

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut sink = Sink::create(Some(path))?;
    sink.write(bytes)?;
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
    let tree_pattern = |settings| Contender::Method(Settings::TreePattern(settings));
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
        ContenderName::TreePattern => tree_pattern(TreePattern::default()),
        ContenderName::TreePatternPaper => tree_pattern(TreePattern::paper()),
        ContenderName::PageClusters => {
            Contender::Clustered(Settings::PageClusters(PathTemplates), Clustering::default())
        }
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
        .par_iter()
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
