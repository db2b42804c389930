//! The frame around every view: head, header and breadcrumbs.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::assets;

/// Builds links between the views. All views are in one folder, on the server as in a report.
#[derive(Clone, Copy)]
pub struct Links {
    /// The views are files: links end in `.html`, scripts and styles are inline, and there is no
    /// server to fetch from.
    pub exported: bool,
}

impl Links {
    pub fn to(self, kind: &str, number: impl std::fmt::Display) -> String {
        format!("{kind}-{number}{}", self.end())
    }

    pub fn home(self) -> String {
        if self.exported { "index.html".to_owned() } else { "./".to_owned() }
    }

    fn end(self) -> &'static str {
        if self.exported { ".html" } else { "" }
    }
}

/// The frame of one view.
pub struct Shell {
    pub links: Links,
    pub title: String,
    /// Names and addresses of the levels above.
    pub breadcrumbs: Vec<(String, String)>,
    /// Attributes of the body for the script.
    pub data: Vec<(&'static str, String)>,
    /// Limits the width, for text.
    pub reading: bool,
    /// Links to the search view.
    pub search: bool,
}

impl Shell {
    pub fn page(&self, content: &Markup) -> String {
        let data: String = self
            .data
            .iter()
            .map(|(name, value)| {
                format!(
                    " data-{name}=\"{}\"",
                    html! { (value) }.into_string().replace('"', "&quot;")
                )
            })
            .collect();
        let policy = super::policy::of_exported_page();
        let head = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    @if self.links.exported {
                        meta http-equiv="Content-Security-Policy" content=(policy);
                    }
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="referrer" content="no-referrer";
                    title { (self.title) " · unmold" }
                    @if self.links.exported {
                        style { (PreEscaped(assets::VIEW_CSS)) }
                    } @else {
                        link rel="icon" href="icon.svg";
                        link rel="stylesheet" href="view.css";
                        script src="view.js" defer {}
                    }
                }
            }
        };
        let body = html! {
            a.skip href="#main" { "Skip to content" }
            header {
                a.name href=(self.links.home()) { "unmold" }
                nav aria-label="Breadcrumbs" {
                    @for (name, address) in &self.breadcrumbs { a href=(address) { (name) } }
                    @if self.search && !self.links.exported { a href="search" { "Search" } }
                }
            }
            main #main .reading[self.reading] { (content) }
            @if self.links.exported { script { (PreEscaped(assets::VIEW_JS)) } }
        };
        let head = head.into_string();
        let head = head.strip_suffix("</html>").unwrap_or(&head);
        format!("{head}<body{data}>{}</body></html>\n", body.into_string())
    }
}

/// Formats a share as `41 %`.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Formats a count as `1 page` or `2 pages`.
pub fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
