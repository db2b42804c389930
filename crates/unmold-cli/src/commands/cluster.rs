//! `unmold cluster`: groups the pages that share a template.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;
use serde::Serialize;
use unmold::TemplateSet;
use unmold::cluster::{Cluster, Clustering, PathSet, Stream};
use unmold::template::SiteClusters;

use crate::args::ClusterArgs;
use crate::exit::Exit;
use crate::input::Input;
use crate::output::{Content, Guard, Sink, print_text};
use crate::report::Report;
use crate::stream::{Messages, for_each_page, use_threads};
use crate::templates::read_templates;

/// Number of example pages per cluster in the table.
const EXAMPLES: usize = 3;

/// The pages of one site.
#[derive(Default)]
struct Site {
    ids: Vec<(String, Option<String>)>,
    paths: Vec<PathSet>,
}

/// The cluster of a page. Fields may be added but are never renamed.
#[derive(Serialize)]
struct Record<'a> {
    id: &'a str,
    url: Option<&'a str>,
    site: &'a str,
    cluster: Option<&'a str>,
    flags: Vec<&'static str>,
}

/// The clusters of a site.
struct ClusteredSite {
    /// Line above the table.
    heading: String,
    /// Name and template size of each cluster.
    clusters: Vec<(String, usize)>,
    /// Cluster of each page.
    of_page: Vec<Option<u32>>,
}

pub fn run(args: &ClusterArgs) -> Result<Exit> {
    use_threads(args.run.threads)?;
    let mut report = Report::new(args.run.verbosity());
    if let Some(path) = &args.output {
        let mut guard = Guard::new(&args.input.inputs, args.run.force);
        args.template.iter().for_each(|file| guard.reads(file));
        guard.file("-o", Some(path), Content::Lines(&["id", "site", "cluster"]))?;
    }
    let input = args.input.open(&report)?;
    let settings = args.clustering.settings();
    let known = args.template.as_deref().map(read_templates).transpose()?.unwrap_or_default();
    let sites = read_sites(args, &input, &known, &mut report)?;
    let found: Vec<(&String, &Site, ClusteredSite)> = sites
        .par_iter()
        .map(|(name, site)| match clusters_of(&known, name) {
            Some(known) => (name, site, assigned(site, known, &settings)),
            None => (name, site, clustered(name, site, &settings)),
        })
        .collect();
    // If the records go to standard output, a program reads them and the table would be in the way.
    let records_only = args.output.as_deref() == Some(Path::new("-"));
    if !records_only {
        let table: String = found.iter().map(|(_, site, found)| table(site, found)).collect();
        print_text(&table)?;
    }
    if let Some(path) = &args.output {
        let mut sink = Sink::create(Some(path.as_path()).filter(|_| !records_only))?;
        for (name, site, found) in &found {
            write_records(&mut sink, name, site, found)?;
        }
        sink.finish()?;
    }
    Ok(report.finish())
}

fn read_sites(
    args: &ClusterArgs,
    input: &Input,
    known: &TemplateSet,
    report: &mut Report,
) -> Result<BTreeMap<String, Site>> {
    let read = args.input.read_options();
    let chosen = args.clustering.settings().paths;
    // Stored clusters can only be compared by the features they were built from.
    let mode =
        |site: &str| clusters_of(known, site).map_or(chosen, |clusters| clusters.assigner().mode());
    let mut sites: BTreeMap<String, Site> = BTreeMap::new();
    let progress = report.start("reading", input);
    for_each_page(
        input,
        Messages::Show,
        report,
        |raw| PathSet::of(&read.parse(raw), mode(&raw.site)),
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
    drop(progress);
    if sites.is_empty() {
        report.no_pages();
    }
    Ok(sites)
}

fn clusters_of<'a>(known: &'a TemplateSet, site: &str) -> Option<&'a SiteClusters> {
    known.get(site)?.clusters()
}

fn cluster_name(site: &str, cluster: u32) -> String {
    format!("{site}#{}", cluster + 1)
}

/// Clusters all pages of a site.
fn clustered(name: &str, site: &Site, settings: &Clustering) -> ClusteredSite {
    let found = settings.cluster(&site.paths);
    let (before, after) = (found.costs().first().unwrap_or(&0), found.costs().last().unwrap_or(&0));
    let heading = format!(
        "{name}: {} pages, {} different, {} clusters, {} unclustered, cost {before} -> {after}, \
         exact cost L(C) {:.2} bits",
        site.ids.len(),
        found.distinct(),
        found.clusters().len(),
        count_none(found.of_page()),
        found.exact_cost(&site.paths).total(),
    );
    let named =
        |(number, cluster): (u32, &Cluster)| (cluster_name(name, number), cluster.template.len());
    ClusteredSite {
        heading,
        clusters: (0..).zip(found.clusters()).map(named).collect(),
        of_page: found.of_page().to_vec(),
    }
}

/// Assigns the pages of a site to known clusters. Pages that fit none are clustered if there are
/// enough of them.
fn assigned(site: &Site, known: &SiteClusters, settings: &Clustering) -> ClusteredSite {
    let mut stream = Stream::of(known.assigner().clone());
    let mut of_page: Vec<Option<u32>> =
        site.paths.iter().map(|page| stream.assign(page.clone())).collect();
    let new = if stream.is_due() { stream.cluster_pool(settings) } else { 0 };
    for (cluster, page) in
        of_page.iter_mut().zip(&site.paths).filter(|(cluster, _)| cluster.is_none())
    {
        *cluster = stream.assigner().assign(page);
    }
    let first_new = known.names().len() as u32;
    let names = known.names().iter().cloned();
    let names =
        names.chain((first_new..).take(new).map(|number| cluster_name(known.site(), number)));
    let heading = format!(
        "{}: {} pages, {first_new} clusters known and {new} new, {} unclustered",
        known.site(),
        site.ids.len(),
        count_none(&of_page),
    );
    let sizes = stream.assigner().templates().map(Iterator::count);
    ClusteredSite { heading, clusters: names.zip(sizes).collect(), of_page }
}

fn count_none(of_page: &[Option<u32>]) -> usize {
    of_page.iter().filter(|cluster| cluster.is_none()).count()
}

fn table(site: &Site, found: &ClusteredSite) -> String {
    let mut out = format!("{}\n", found.heading);
    if !found.clusters.is_empty() {
        out.push_str("  pages  template  cluster, and some of its pages\n");
    }
    let mut pages: Vec<Vec<usize>> = vec![Vec::new(); found.clusters.len()];
    for (page, cluster) in found.of_page.iter().enumerate() {
        if let Some(cluster) = cluster {
            pages[*cluster as usize].push(page);
        }
    }
    for ((name, template), pages) in found.clusters.iter().zip(pages) {
        let examples: Vec<&str> =
            pages.iter().take(EXAMPLES).map(|&page| place(site, page)).collect();
        out.push_str(&format!(
            "{:7}  {template:8}  {name}  {}\n",
            pages.len(),
            examples.join("  ")
        ));
    }
    out
}

fn place(site: &Site, page: usize) -> &str {
    let (id, url) = &site.ids[page];
    url.as_deref().unwrap_or(id)
}

fn write_records(sink: &mut Sink, name: &str, site: &Site, found: &ClusteredSite) -> Result<()> {
    for ((id, url), cluster) in site.ids.iter().zip(&found.of_page) {
        let record = Record {
            id,
            url: url.as_deref(),
            site: name,
            cluster: cluster.map(|cluster| found.clusters[cluster as usize].0.as_str()),
            flags: if cluster.is_none() { vec!["unclustered"] } else { Vec::new() },
        };
        let mut line = serde_json::to_vec(&record)?;
        line.push(b'\n');
        sink.write(&line)?;
    }
    Ok(())
}
