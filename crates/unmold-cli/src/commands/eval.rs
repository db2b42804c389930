//! `unmold eval`: scores of methods on labelled sites.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde::Serialize;
use unmold::sections::Sectioning;
use unmold::{Alignment, ChunkFrequency, TreeMapping, TreePattern};

use crate::args::{ContenderName, EvalArgs};
use crate::eval::{
    Contender, Draw, LabelledSite, Line, ScoredSection, SectionDraw, SectionScores, SetScores, bar_chart,
    find_sites, line_chart, mean_of_sites, score_sections, score_site,
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
    if !args.curve.is_empty() {
        return curve(args, names, &sets);
    }
    if args.sections {
        return score_sections_of(args, names, &sets);
    }
    let draw = Draw { sample: args.sample, seed: args.seed, by_type: args.by_type };
    let mut rows = Vec::new();
    if !args.json {
        print_line(&heading())?;
    }
    for (set, folders) in &sets {
        let sites = read_sites(folders, args)?;
        for &name in names {
            let row = score(name, set, &sites, &draw)?;
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

/// Scores against the number of pages learned from, as a table and as figures.
fn curve(args: &EvalArgs, names: &[ContenderName], sets: &BTreeMap<String, Vec<PathBuf>>) -> Result<Exit> {
    let (mut scores, mut times) = (Vec::new(), Vec::new());
    print_line(&format!(
        "{:24} {:22} pages  template F (P/R)     content F1  template parts  seconds",
        "set", "method"
    ))?;
    for (set, folders) in sets {
        let sites = read_sites(folders, args)?;
        for &name in names {
            let (mut score_points, mut time_points) = (Vec::new(), Vec::new());
            for &pages in &args.curve {
                let draw = Draw { sample: Some(pages), seed: Some(args.seed.unwrap_or(0)), by_type: false };
                let start = Instant::now();
                let row = score(name, set, &sites, &draw)?;
                let seconds = start.elapsed().as_secs_f64();
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
                print_line(&format!("{}  {seconds:7.2}", point(set, &row.method, pages, &row.scores.mean)))?;
                let value = |name: &str| row.scores.mean.get(name).copied().unwrap_or(0.0);
                score_points.push((pages as f64, value("template F1")));
                time_points.push((pages as f64, seconds));
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
            &line_chart("Time to learn, mark and score", x, "seconds", 0.0, &times),
        )?;
    }
    Ok(Exit::AllDone)
}

/// Noisy sections against the labels, site by site, as a table and as a figure.
fn score_sections_of(
    args: &EvalArgs,
    names: &[ContenderName],
    sets: &BTreeMap<String, Vec<PathBuf>>,
) -> Result<Exit> {
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
    for &name in names {
        let contender = contender(name);
        let mut means = Vec::new();
        for (set, folders) in sets {
            let mut of_set = Vec::new();
            for folder in folders {
                let site = LabelledSite::read(folder, args.keep_hidden)?;
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
        write_plot(path, &bar_chart("Share of noise on a page", "share of the text", &bars))?;
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
    let alignment = |settings| Contender::Method(Settings::Alignment(settings));
    let tree_mapping = |settings| Contender::Method(Settings::TreeMapping(settings));
    let tree_pattern = |settings| Contender::Method(Settings::TreePattern(settings));
    match name {
        ContenderName::Full => Contender::Full,
        ContenderName::LineFrequency => Contender::LineFrequency,
        ContenderName::ChunkFrequency => chunk_frequency(ChunkFrequency::default()),
        ContenderName::ChunkFrequencyPaper => chunk_frequency(ChunkFrequency::paper()),
        ContenderName::Alignment => alignment(Alignment::default()),
        ContenderName::AlignmentPaper => alignment(Alignment::paper()),
        ContenderName::TreeMapping => tree_mapping(TreeMapping::default()),
        ContenderName::TreeMappingPaper => tree_mapping(TreeMapping::paper()),
        ContenderName::TreePattern => tree_pattern(TreePattern::default()),
        ContenderName::TreePatternPaper => tree_pattern(TreePattern::paper()),
    }
}

fn score(name: ContenderName, set: &str, sites: &[LabelledSite], draw: &Draw) -> Result<Row> {
    let contender = contender(name);
    let scores = sites
        .iter()
        .map(|site| score_site(site, &contender, draw).with_context(|| format!("site {}", site.name)))
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
