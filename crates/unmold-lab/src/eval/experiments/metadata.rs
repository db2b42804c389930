//! Titles, against those of labelled pages and of another tool.

use std::collections::BTreeMap;

use anyhow::Result;
use unmold::metrics::{Agreement, Bag};
use unmold::site::MetadataPlaces;
use unmold::{Metadata, Page};

use super::bench::Bench;
use crate::data::Gold;
use crate::eval::labelled::LabelledSite;
use crate::outcome::{About, Cell, Outcome, Table};

pub const ABOUT: About = About {
    name: "metadata",
    title: "Titles of pages",
    paper: "No paper measures this.",
    reading: "\
        A title is right if it has the letters and digits of the labelled one. Pages that are \
        judged alone show nothing of their site: what the titles of a site share is cut off only \
        where there are several pages of it. Other tools are listed if their outputs have titles \
        (`make peers`).",
};

pub fn run(bench: &Bench, outcome: &mut Outcome) -> Result<()> {
    let has_title = |site: &LabelledSite| site.pages.iter().any(|(gold, _)| gold.title.is_some());
    if !bench.sites.iter().any(has_title) {
        return Ok(());
    }
    let mut add = |tool: &str, title: &dyn Fn(&LabelledSite, usize) -> Option<String>| {
        let (mut pages, mut right, mut f1) = (0, 0, 0.0);
        for site in bench.sites {
            for (at, (gold, _)) in site.pages.iter().enumerate() {
                let Some(labelled) = &gold.title else { continue };
                let found = title(site, at).unwrap_or_default();
                pages += 1;
                right += usize::from(letters(&found) == letters(labelled));
                f1 += Agreement::of_bags(&Bag::of(&found), &Bag::of(labelled)).f1;
            }
        }
        let columns = ["set", "tool", "pages", "right", "words F1"];
        outcome.table(Table::new("Titles", &columns)).row(vec![
            bench.set.into(),
            tool.into(),
            Cell::count(pages),
            Cell::score(right as f64 / pages.max(1) as f64),
            Cell::score(f1 / pages.max(1) as f64),
        ]);
    };
    let places: BTreeMap<&str, MetadataPlaces> =
        bench.sites.iter().map(|site| (site.name.as_str(), learned(site))).collect();
    add("unmold", &|site, at| {
        let (gold, page) = &site.pages[at];
        let places = places.get(site.name.as_str()).filter(|_| !gold.single);
        Metadata::with_places(page, places).title
    });
    add("the title element", &|site, at| site.pages[at].1.title().map(str::to_owned));
    for peer in bench.setup.peers.iter().filter(|peer| peer.has_titles()) {
        add(&peer.tool, &|site, at| peer.title(bench.set, &site.name, &site.pages[at].0.file));
    }
    Ok(())
}

/// What the pages of a site show that are not judged alone.
fn learned(site: &LabelledSite) -> MetadataPlaces {
    let several = site.pages.iter().filter(|(gold, _): &&(Gold, Page)| !gold.single);
    MetadataPlaces::learn(&several.map(|(_, page)| page).collect::<Vec<_>>())
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
