//! Pages that share nothing: is anything of them lost?
//!
//! Pages as people write them by hand: headings, paragraphs, lists, tables, in another order on
//! each, with words of their own. They are made here, from the seed, so that the experiment needs
//! no set.

use anyhow::Result;
use unmold::{Limits, Page};

use super::bench::Setup;
use crate::chance::Chance;
use crate::chart::Plot;
use crate::data::Gold;
use crate::eval::labelled::LabelledSite;
use crate::eval::score::{Draw, score_site_with_texts};
use crate::outcome::{About, Cell, Outcome, Table};

pub const ABOUT: About = About {
    name: "no-template",
    title: "Hand-made pages without a template",
    paper: "No paper measures it; all assume that there is a template.",
    reading: "20 sites of 12 pages that share neither words nor links, made by chance. Kept is the share of their words; all of it is content. What removes texts because other pages have them, too, must keep everything.",
};

const SITES: usize = 20;
const PAGES: usize = 12;

pub fn run(setup: &Setup, outcome: &mut Outcome) -> Result<()> {
    let sites: Vec<LabelledSite> = (0..SITES).map(|site| made_site(setup.seed, site)).collect();
    for (name, contender) in setup.contenders {
        let (mut kept, mut whole, mut least) = (0.0, 0, 1.0f64);
        for site in &sites {
            (setup.tell)(&format!("no template: {name}"));
            let (scores, texts) = score_site_with_texts(site, contender, &Draw::default())?;
            kept += 1.0 - scores.scores.get("removed share").copied().unwrap_or(0.0);
            for (at, text) in texts {
                let recall = site.truth(at).score_text(&text).means()["content R"];
                whole += usize::from(recall == 1.0);
                least = least.min(recall);
            }
        }
        let kept = kept / SITES as f64;
        let columns = ["method", "pages", "kept", "pages kept whole", "kept, worst page"];
        outcome.table(Table::new("Share of the words that is kept", &columns)).row(vec![
            name.into(),
            Cell::count(SITES * PAGES),
            Cell::score(kept),
            Cell::count(whole),
            Cell::score(least),
        ]);
        let plot = Plot::bars("no-template", "Words kept of pages without a template", "", "share");
        outcome.plot(plot).named_bar("kept", name, kept);
    }
    Ok(())
}

fn made_site(seed: u64, number: usize) -> LabelledSite {
    let mut chance = Chance::new(seed * 1_000_003 + number as u64);
    let page = |at: usize| {
        let html = made_page(&mut Words { chance: &mut chance, page: at });
        let page = Page::parse(html.as_bytes(), &Limits::default());
        let content = Some(unmold::Stripped::untouched(&page).text());
        (Gold { file: format!("{at}.html"), content, ..Gold::default() }, page)
    };
    let pages: Vec<(Gold, Page)> = (0..PAGES).map(page).collect();
    LabelledSite::of(&format!("made {number}"), pages, 0)
}

/// Words that no other page has.
struct Words<'a> {
    chance: &'a mut Chance,
    page: usize,
}

impl Words<'_> {
    fn word(&mut self) -> String {
        const SYLLABLES: [&str; 12] =
            ["ka", "lo", "mi", "ne", "ru", "sa", "te", "vo", "wi", "zu", "ba", "do"];
        // The first syllable is the page's own: there are as many as pages.
        let mut word = SYLLABLES[self.page % SYLLABLES.len()].to_owned();
        for _ in 0..2 + self.chance.below(2) {
            word.push_str(SYLLABLES[self.chance.below(SYLLABLES.len())]);
        }
        word
    }

    fn some(&mut self, least: usize, most: usize) -> String {
        let number = least + self.chance.below(most - least + 1);
        (0..number).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

fn made_page(words: &mut Words) -> String {
    let mut html = format!("<title>{0}</title><h1>{0}</h1>", words.some(2, 5));
    for _ in 0..4 + words.chance.below(6) {
        html += &match words.chance.below(6) {
            0 => format!("<h2>{}</h2><p>{}.</p>", words.some(1, 4), words.some(20, 60)),
            1 => {
                let entries = 2 + words.chance.below(5);
                let entries: String =
                    (0..entries).map(|_| format!("<li>{}</li>", words.some(3, 12))).collect();
                format!("<ul>{entries}</ul>")
            }
            2 => {
                let rows = 2 + words.chance.below(4);
                let row = |words: &mut Words| {
                    format!("<tr><td>{}</td><td>{}</td></tr>", words.some(1, 3), words.some(1, 6))
                };
                let rows: String = (0..rows).map(|_| row(words)).collect();
                format!("<table>{rows}</table>")
            }
            3 => format!("<blockquote>{}.</blockquote>", words.some(10, 30)),
            4 => format!(
                "<p>{} <a href={}.html>{}</a> {}.</p>",
                words.some(8, 20),
                words.word(),
                words.some(1, 3),
                words.some(8, 20)
            ),
            _ => format!("<p>{}.</p>", words.some(15, 50)),
        };
    }
    html
}
