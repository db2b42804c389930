//! The same query before and after, side by side.

use anyhow::{Context, Result};
use maud::{Markup, html};

use super::layout::{Links, Shell};
use super::state::Viewer;
use crate::search::Hit;

const HITS: usize = 10;
/// Longest query that is searched for.
const LONGEST: usize = 500;

impl Viewer {
    pub fn search_page(&self, links: Links, query: &str) -> Result<String> {
        let index = self.index.as_ref().context("no index was given: start with --index DIR")?;
        let query: String = query.chars().take(LONGEST).collect();
        let shell = Shell {
            links,
            title: "Search".to_owned(),
            way: Vec::new(),
            data: Vec::new(),
            reading: true,
            search: true,
        };
        let searched = !query.trim().is_empty();
        let content = html! {
            h1 { "Search, before and after" }
            form action="search" method="get" role="search" {
                label { "Words " input type="search" name="q" value=(query); } " " button { "Search" }
            }
            @if searched {
                div.columns {
                    section aria-label="Whole pages" { h2 { "Before: whole pages" } (self.hits(links, &index.search(&query, true, HITS)?)) }
                    section aria-label="Without templates" { h2 { "After: templates apart" } (self.hits(links, &index.search(&query, false, HITS)?)) }
                }
            }
        };
        Ok(shell.page(&content))
    }

    fn hits(&self, links: Links, hits: &[Hit]) -> Markup {
        html! {
            @if hits.is_empty() { p { "Nothing found." } }
            ol { @for hit in hits {
                li.hit {
                    p { @match self.catalog.find(&hit.id) {
                        Some(page) => a href=(links.to("page", page)) { (name(hit)) },
                        None => (name(hit)),
                    } " " span.soft.small { (format!("{:.2}", hit.score)) } }
                    p.small { @for (at, piece) in hit.snippet.split("**").enumerate() { @if at % 2 == 1 { mark { (piece) } } @else { (piece) } } }
                }
            } }
        }
    }
}

fn name(hit: &Hit) -> &str {
    if hit.title.is_empty() { &hit.id } else { &hit.title }
}
