//! The search view: results with and without templates, side by side.

use anyhow::{Context, Result};
use maud::{Markup, html};

use super::layout::{Links, Shell};
use super::state::Viewer;
use crate::search::{Hit, Texts};

const HITS: usize = 10;
/// Maximum length of a query in characters.
const MAX_QUERY_LEN: usize = 500;

impl Viewer {
    pub fn search_page(&self, links: Links, query: &str) -> Result<String> {
        let index =
            self.index.as_ref().context("no index: start `unmold view` with --index DIR")?;
        let query: String = query.chars().take(MAX_QUERY_LEN).collect();
        let shell = Shell {
            links,
            title: "Search".to_owned(),
            breadcrumbs: Vec::new(),
            data: Vec::new(),
            reading: true,
            search: true,
        };
        let searched = !query.trim().is_empty();
        let content = html! {
            h1 { "Search with and without templates" }
            form action="search" method="get" role="search" {
                label { "Query " input type="search" name="q" value=(query); } " "
                button { "Search" }
            }
            @if searched {
                div.columns {
                    section aria-label="Whole pages" {
                        h2 { "Before: whole pages" }
                        (self.hits(links, &index.search(&query, Texts::Whole, HITS)?))
                    }
                    section aria-label="Without templates" {
                        h2 { "After: without templates" }
                        (self.hits(links, &index.search(&query, Texts::Clean, HITS)?))
                    }
                }
            }
        };
        Ok(shell.page(&content))
    }

    fn hits(&self, links: Links, hits: &[Hit]) -> Markup {
        html! {
            @if hits.is_empty() { p { "No results." } }
            ol { @for hit in hits {
                li.hit {
                    p { @match self.catalog.find(&hit.id) {
                        Some(page) => a href=(links.to("page", page)) { (name(hit)) },
                        None => (name(hit)),
                    } " " span.soft.small { (format!("{:.2}", hit.score)) } }
                    p.small {
                        @for (at, piece) in hit.snippet.split("**").enumerate() {
                            @if at % 2 == 1 { mark { (piece) } } @else { (piece) }
                        }
                    }
                }
            } }
        }
    }
}

fn name(hit: &Hit) -> &str {
    if hit.title.is_empty() { &hit.id } else { &hit.title }
}
