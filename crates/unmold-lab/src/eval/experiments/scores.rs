//! Scores of the outputs themselves: content, template, values; over sets, over sites, beside other
//! tools.

use std::collections::BTreeMap;

use anyhow::Result;

use super::bench::Bench;
use crate::eval::score::{SetScores, mean_of_sites, score_outputs};
use crate::outcome::{About, Cell, Outcome, Table};

pub const ABOUT: About = About {
    name: "scores",
    title: "Content, template and values",
    paper: "Tree mapping (2006), section 6.1: term F of the template above 0.95 on 9 of 10 sites, above 0.85 on the tenth, from fewer than 25 pages. \
            Its truth is one set of template terms a site, made by hand; ours is every word of the page outside the gold content.",
    reading: "Template F counts every word that is not content, so also what no other page has (related teasers, \
                  dates, tables of contents): a template detector alone cannot reach 1, and the four methods stay below \
                  the paper's 0.95 on every set. The default also looks at the page itself. Learned from all pages of \
                  each site, scored on the same pages; below, on pages that were not learned from. debian-docs is the \
                  set that anybody can fetch; it has manuals of docs, other pages of them, labelled by selectors of ours.",
};

pub const ABOUT_PEERS: About = About {
    name: "peers",
    title: "Beside tools that look at one page at a time",
    paper: "No paper compares with these tools. Versions stand beside the names; default settings.",
    reading: "On news the best of these tools (trafilatura; on big9 and cleanportaleval also dom_smoothie and \
                  readability-lxml) beat every method that only removes templates: what is left there is unique but \
                  not content. Where they beat the default, too, is counted at the top of this page. On sites, docs \
                  and data-rich pages all of them lose content: of the labelled values of swde jusText keeps a \
                  seventh, readability-lxml and dom_smoothie about half, trafilatura three quarters, and resiliparse \
                  nine tenths, with menus. Without outputs (`make peers`) only ours are listed.",
};

pub const ABOUT_SITES: About = About {
    name: "sites",
    title: "Template chunks found, site by site",
    paper: "Chunk frequency (2003), table 2: ttdr 1.00 on seven small sites, 0.86 on NBA.com; 92.3 % of the templates on 200 pages of cnnfn.com. \
            Misses and false alarms cancel in ttdr, so precision and recall stand beside it.",
    reading: "The paper counts tables by eye; we count chunks of text, template if most of their words are outside the gold content. ttdr is far above 1 where a page has few template chunks \
              and its content repeats headings from page to page (manuals): every such heading counts as much as a menu. Precision and recall say what happened.",
};

const MEASURES: [&str; 11] = [
    "content F1",
    "content P",
    "content R",
    "template F1",
    "template P",
    "template R",
    "term F1",
    "term P",
    "term R",
    "retention",
    "removed share",
];

fn cells(scores: &BTreeMap<&'static str, f64>, measures: &[&str]) -> Vec<Cell> {
    measures.iter().map(|measure| Cell::score_if_any(scores.get(measure).copied())).collect()
}

fn table(title: &str, first: &[&str], last: &[&str]) -> Table {
    Table::new(title, &[first, &MEASURES, last].concat())
}

pub fn run(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    for (name, contender) in bench.setup.contenders {
        let scores = bench.scores_of(name, contender)?;
        let worst = Cell::score_if_any(scores.worst.get("retention").copied());
        let mut row = vec![bench.set.into(), name.into()];
        row.extend(cells(&scores.mean, &MEASURES));
        row.push(worst);
        let title = "Means over sites, learned from all pages";
        outcome.table(table(title, &["set", "method"], &["retention, worst site"])).row(row);
        for site in &scores.sites {
            let mut row = vec![bench.set.into(), (&site.site).into(), name.into()];
            row.extend(cells(&site.scores, &MEASURES));
            outcome
                .table(table("Each site", &["set", "site", "method"], &[]).in_report_only())
                .row(row);
        }
    }
    if bench.is_repeated {
        return Ok(());
    }
    for sample in [8, 16, 24] {
        for (name, contender) in bench.setup.strippers() {
            let sites = bench.sampled_scores(name, contender, sample)?;
            let scores = mean_of_sites(bench.set, sites.to_vec());
            let mut row = vec![bench.set.into(), name.into(), Cell::count(sample)];
            row.extend(cells(
                &scores.mean,
                &["content F1", "template F1", "retention", "removed share"],
            ));
            let columns = [
                "set",
                "method",
                "pages",
                "content F1",
                "template F1",
                "retention",
                "removed share",
            ];
            let title = "Learned from 8, 16 and 24 pages, scored on the rest";
            outcome.table(Table::new(title, &columns)).row(row);
        }
    }
    Ok(())
}

pub fn peers(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    let measures =
        ["content F1", "content P", "content R", "template F1", "retention", "removed share"];
    let columns = [&["set", "tool"][..], &measures[..], &["retention, worst site"]].concat();
    let mut add = |tool: &str, scores: &SetScores| {
        let mut row = vec![bench.set.into(), tool.into()];
        row.extend(cells(&scores.mean, &measures));
        row.push(Cell::score_if_any(scores.worst.get("retention").copied()));
        outcome.table(Table::new("Means over sites", &columns)).row(row);
    };
    for peer in bench.setup.peers {
        if !bench.sites.iter().all(|site| peer.has_site(bench.set, &site.name)) {
            continue;
        }
        let score = |site| score_outputs(site, |gold| peer.text(bench.set, &site.name, &gold.file));
        add(&peer.tool, &mean_of_sites(bench.set, bench.sites.iter().map(score).collect()));
    }
    for (name, contender) in bench.setup.contenders {
        add(&format!("unmold {name}"), &bench.scores_of(name, contender)?);
    }
    Ok(())
}

pub fn sites(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    if !bench.has_content() {
        return Ok(());
    }
    for (name, contender) in bench.setup.strippers() {
        let scores = bench.scores_of(name, contender)?;
        let measures =
            ["ttdr", "chunk P", "chunk R", "chunk F1", "template share", "removed share"];
        let mut row = vec![bench.set.into(), name.into()];
        row.extend(cells(&scores.mean, &measures));
        let columns = |first: &[&'static str]| [first, &measures[..]].concat();
        outcome.table(Table::new("Means over sites", &columns(&["set", "method"]))).row(row);
        for site in &scores.sites {
            let mut row = vec![bench.set.into(), (&site.site).into(), name.into()];
            row.extend(cells(&site.scores, &measures));
            outcome
                .table(
                    Table::new("Each site", &columns(&["set", "site", "method"])).in_report_only(),
                )
                .row(row);
        }
    }
    Ok(())
}
