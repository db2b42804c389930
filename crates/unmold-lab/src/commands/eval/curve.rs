//! Scores against the number of pages learned from.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use unmold_lab::chart::Plot;
use unmold_lab::data::DataSet;
use unmold_lab::eval::labelled::LabelledSite;
use unmold_lab::eval::score::Draw;

use super::contenders::names;
use super::scores::score;
use crate::args::EvalArgs;
use crate::commands::output::{print_line, write_file};

/// Scores against the number of pages learned from, as a table and as figures.
pub fn run(args: &EvalArgs, sets: &[DataSet]) -> Result<ExitCode> {
    let x = "pages learned from";
    let mut scores = Plot::curves("curve", "Template F", x, "mean over sites");
    let mut times = Plot::curves("curve-time", "Time to learn, all sites", x, "seconds").timed();
    print_line(&format!(
        "{:24} {:22} pages  template F (P/R)     content F1  template parts  learning  seconds",
        "set", "method"
    ))?;
    for data in sets {
        let set = &data.name;
        let sites = LabelledSite::read_all(data, args.keep_hidden)?;
        for name in names(args) {
            let line = format!("{set}, {}", name.name());
            for &pages in &args.curve {
                let seed = Some(args.seed.unwrap_or(0));
                let draw =
                    Draw { sample: Some(pages), seed, by_chance: args.by_chance, by_type: false };
                let start = Instant::now();
                let contender = name.contender().learning_from(pages);
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
    write_plots(args, &scores, &times)
}

/// `NAME.svg` and `NAME-time.svg`, if plots are wanted.
fn write_plots(args: &EvalArgs, values: &Plot, times: &Plot) -> Result<ExitCode> {
    if let Some(name) = &args.plot {
        let time = name.with_file_name(format!(
            "{}-time",
            name.file_stem().unwrap_or_default().to_string_lossy()
        ));
        write_file(&name.with_extension("svg"), values.svg().as_bytes())?;
        write_file(&time.with_extension("svg"), times.svg().as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
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
