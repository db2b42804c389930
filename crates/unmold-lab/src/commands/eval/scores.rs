//! The default: prints scores, a line for each set and method.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::Serialize;
use unmold_lab::data::DataSet;
use unmold_lab::eval::contender::{Contender, ContenderName};
use unmold_lab::eval::labelled::LabelledSite;
use unmold_lab::eval::score::{Draw, SetScores, mean_of_sites, score_site};

use super::contenders::names;
use crate::args::EvalArgs;
use crate::commands::output::print_line;

/// Scores of one method on one set.
#[derive(Serialize)]
pub struct Row {
    pub method: String,
    #[serde(flatten)]
    pub scores: SetScores,
}

pub fn run(args: &EvalArgs, sets: &[DataSet]) -> Result<ExitCode> {
    let EvalArgs { sample, seed, by_chance, by_type, .. } = *args;
    let draw = Draw { sample, seed, by_chance, by_type };
    let mut rows = Vec::new();
    if !args.json {
        print_line(&heading())?;
    }
    for set in sets {
        let sites = LabelledSite::read_all(set, args.keep_hidden)?;
        for name in names(args) {
            let row = score(&name.contender(), name, &set.name, &sites, &draw, args)?;
            if !args.json {
                print_line(&line(&row))?;
            }
            rows.push(row);
        }
    }
    if args.json {
        print_line(&serde_json::to_string_pretty(&rows)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Learns and scores a contender on all sites of a set.
pub fn score(
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
    Ok(Row { method: name.name(), scores: mean_of_sites(set, scores) })
}

/// Columns: heading, score, scores in parentheses.
const COLUMNS: [(&str, &str, &[&str]); 5] = [
    ("content F1 (P/R)", "content F1", &["content P", "content R"]),
    ("template F (P/R)", "template F1", &["template P", "template R"]),
    ("retention", "retention", &[]),
    ("removed", "removed share", &[]),
    ("ttdr (P/R)", "ttdr", &["chunk P", "chunk R"]),
];

pub fn heading() -> String {
    let columns: Vec<String> = COLUMNS.iter().map(|(title, ..)| format!("{title:18}")).collect();
    format!("{:16} {:22} {} retention of the worst site", "set", "method", columns.join(" "))
}

/// The line of a set and, if its pages are judged alone, one for each of their types.
pub fn line(row: &Row) -> String {
    let SetScores { set, mean, types, .. } = &row.scores;
    let mut lines = line_of(row, set, mean);
    if types.len() > 1 {
        for (kind, mean) in types {
            lines.push('\n');
            lines.push_str(&line_of(row, &format!("{set}: {kind}"), mean));
        }
    }
    lines
}

fn line_of(row: &Row, set: &str, mean: &BTreeMap<&'static str, f64>) -> String {
    let value = |name: &str| mean.get(name).map(|value| format!("{value:.3}"));
    let columns: Vec<String> = COLUMNS
        .iter()
        .map(|(_, main, others)| {
            let Some(main) = value(main) else { return format!("{:18}", "–") };
            let others: Vec<String> = others.iter().filter_map(|name| value(name)).collect();
            let others =
                if others.is_empty() { String::new() } else { format!(" ({})", others.join("/")) };
            format!("{:18}", main + &others)
        })
        .collect();
    let worst = row
        .scores
        .worst
        .get("retention")
        .map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
    format!("{set:16} {:22} {} {worst}", row.method, columns.join(" "))
}
