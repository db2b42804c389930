//! `unmold cluster`: which pages share a template.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::Serialize;
use unmold::Page;
use unmold::cluster::{Clusters, PathSet};
use unmold_lab::chart::Plot;

use crate::args::ClusterArgs;
use crate::exit::Exit;
use crate::input::Input;
use crate::output::Sink;
use crate::report::Report;
use crate::stream::{Telling, for_each_page, use_threads};

/// Pages named in the table for each cluster.
const EXAMPLES: usize = 3;
/// Points of a line of the plot: merges are many, pixels few.
const POINTS: usize = 400;

/// The pages of one site.
#[derive(Default)]
struct Site {
    ids: Vec<(String, Option<String>)>,
    paths: Vec<PathSet>,
}

/// A page as it is written. Fields are added, never renamed.
#[derive(Serialize)]
struct Record<'a> {
    id: &'a str,
    url: Option<&'a str>,
    site: &'a str,
    cluster: Option<String>,
    flags: Vec<&'static str>,
}

pub fn run(args: &ClusterArgs) -> Result<Exit> {
    use_threads(&args.run)?;
    let mut report = Report::new(&args.run);
    let input = Input::open(&args.input.inputs, &args.input.options())?;
    let settings = args.clustering.settings();
    let sites = read(args, &input, &mut report)?;
    let found: Vec<(&String, &Site, Clusters)> =
        sites.par_iter().map(|(name, site)| (name, site, settings.cluster(&site.paths))).collect();
    // Records on standard output are for a program: the table would be in the way.
    let records_only = args.output.as_deref() == Some(Path::new("-"));
    if !records_only {
        let table: String = found.iter().map(|(name, site, clusters)| table(name, site, clusters)).collect();
        std::io::stdout().write_all(table.as_bytes()).context("cannot write to standard output")?;
    }
    if let Some(path) = &args.output {
        let mut sink = Sink::create(Some(path.as_path()).filter(|_| !records_only))?;
        for (name, site, clusters) in &found {
            write_records(&mut sink, name, site, clusters)?;
        }
        sink.finish()?;
    }
    if let Some(path) = &args.plot {
        let mut plot = Plot::curves("cost", "MDL cost against merges", "merges + 1", "paths");
        for (name, _, clusters) in &found {
            add_costs(&mut plot, name, clusters);
        }
        let mut sink = Sink::create(Some(path))?;
        sink.write(plot.svg().as_bytes())?;
        sink.finish()?;
    }
    Ok(report.finish())
}

fn read(args: &ClusterArgs, input: &Input, report: &mut Report) -> Result<BTreeMap<String, Site>> {
    let mode = args.clustering.settings().paths;
    let mut sites: BTreeMap<String, Site> = BTreeMap::new();
    let watching = report.start("reading", input.total_bytes(), input.progress());
    for_each_page(
        input,
        Telling::Yes,
        report,
        |raw| PathSet::of(&Page::parse_with(&raw.bytes, &args.input.parse_options(raw)), mode),
        |raw, paths, report| {
            let Some(paths) = paths else {
                report.failure(&raw.id, "internal error while reading: please report this page");
                return Ok(());
            };
            let site = sites.entry(raw.site).or_default();
            site.ids.push((raw.id, raw.url));
            site.paths.push(paths);
            Ok(())
        },
    )?;
    drop(watching);
    if sites.is_empty() {
        report.note("no HTML page in the input: give a folder, WARC or JSONL that holds some, or -v to see what was skipped");
    }
    Ok(sites)
}

fn cluster_name(site: &str, cluster: u32) -> String {
    format!("{site}#{}", cluster + 1)
}

fn table(name: &str, site: &Site, found: &Clusters) -> String {
    let unclustered = found.of_page().iter().filter(|cluster| cluster.is_none()).count();
    let (before, after) = (found.costs().first().unwrap_or(&0), found.costs().last().unwrap_or(&0));
    let mut out = format!(
        "{name}: {} pages, {} different, {} clusters, {unclustered} unclustered, cost {before} -> {after}\n",
        site.ids.len(),
        found.distinct(),
        found.clusters().len(),
    );
    if !found.clusters().is_empty() {
        out.push_str("  pages  template  cluster, and some of its pages\n");
    }
    for (number, cluster) in found.clusters().iter().enumerate() {
        let names: Vec<&str> = cluster.pages.iter().take(EXAMPLES).map(|&page| place(site, page)).collect();
        out.push_str(&format!(
            "{:7}  {:8}  {}  {}\n",
            cluster.pages.len(),
            cluster.template.len(),
            cluster_name(name, number as u32),
            names.join("  ")
        ));
    }
    out
}

fn place(site: &Site, page: u32) -> &str {
    let (id, url) = &site.ids[page as usize];
    url.as_deref().unwrap_or(id)
}

fn write_records(sink: &mut Sink, name: &str, site: &Site, found: &Clusters) -> Result<()> {
    for ((id, url), cluster) in site.ids.iter().zip(found.of_page()) {
        let record = Record {
            id,
            url: url.as_deref(),
            site: name,
            cluster: cluster.map(|cluster| cluster_name(name, cluster)),
            flags: if cluster.is_none() { vec!["unclustered"] } else { Vec::new() },
        };
        let mut line = serde_json::to_vec(&record)?;
        line.push(b'\n');
        sink.write(&line)?;
    }
    Ok(())
}

/// Adds the cost before the first merge and after each, thinned out.
fn add_costs(plot: &mut Plot, name: &str, found: &Clusters) {
    let costs = found.costs();
    let step = costs.len().div_ceil(POINTS).max(1);
    let last = costs.len().saturating_sub(1);
    for at in (0..costs.len()).filter(|&at| at % step == 0 || at == last) {
        plot.point(name, at as f64 + 1.0, costs[at] as f64);
    }
}
