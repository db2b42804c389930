//! `unmold eval`: scores of methods on labelled sites.

use std::io::Write;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde::Serialize;
use unmold::methods::{Alignment, ChunkFrequency};

use crate::args::{ContenderName, EvalArgs};
use crate::eval::{Contender, Draw, LabelledSite, SetScores, find_sites, mean_of_sites, score_site};
use crate::exit::Exit;

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
    let draw = Draw { sample: args.sample, seed: args.seed, by_type: args.by_type };
    let mut rows = Vec::new();
    let mut out = std::io::stdout().lock();
    if !args.json {
        writeln!(out, "{}", heading()).context("cannot write to standard output")?;
    }
    for folder in &args.folders {
        for (set, folders) in find_sites(folder)? {
            if !args.set.is_empty() && !args.set.contains(&set) {
                continue;
            }
            let sites: Vec<LabelledSite> = folders
                .iter()
                .map(|folder| LabelledSite::read(folder, args.keep_hidden))
                .collect::<Result<_>>()?;
            for &name in names {
                let row = score(name, &set, &sites, &draw)?;
                if !args.json {
                    writeln!(out, "{}", line(&row)).context("cannot write to standard output")?;
                }
                rows.push(row);
            }
        }
    }
    if rows.is_empty() {
        bail!("no labelled site found: give a folder with SITE/gold.jsonl and SITE/pages");
    }
    if args.json {
        serde_json::to_writer_pretty(&mut out, &rows)?;
        writeln!(out)?;
    }
    Ok(Exit::AllDone)
}

fn contender(name: ContenderName) -> Contender {
    match name {
        ContenderName::Full => Contender::Full,
        ContenderName::LineFrequency => Contender::LineFrequency,
        ContenderName::ChunkFrequency => Contender::ChunkFrequency(ChunkFrequency::default()),
        ContenderName::ChunkFrequencyPaper => Contender::ChunkFrequency(ChunkFrequency::paper()),
        ContenderName::Alignment => Contender::Alignment(Alignment::default()),
        ContenderName::AlignmentPaper => Contender::Alignment(Alignment::paper()),
    }
}

fn score(name: ContenderName, set: &str, sites: &[LabelledSite], draw: &Draw) -> Result<Row> {
    let contender = contender(name);
    let scores = sites
        .iter()
        .map(|site| score_site(site, &contender, draw).with_context(|| format!("site {}", site.name)))
        .collect::<Result<_>>()?;
    let method = name.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    Ok(Row { method, scores: mean_of_sites(set, scores) })
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
