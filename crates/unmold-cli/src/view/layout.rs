//! What every page of the viewer has: head, heading, way back.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::assets;

/// How the parts of the viewer name each other. All lie side by side, in a folder as behind the
/// server.
#[derive(Clone, Copy)]
pub struct Links {
    /// Written to disk: links end in `.html`, scripts and styles are inside, nothing can be asked
    /// of a server.
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

/// A page of the viewer.
pub struct Shell {
    pub links: Links,
    pub title: String,
    /// Links from the general to the special: name, address.
    pub way: Vec<(String, String)>,
    /// Attributes of the body that the script reads.
    pub data: Vec<(&'static str, String)>,
    /// Narrow enough to be read.
    pub reading: bool,
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
                    @if self.links.exported { meta http-equiv="Content-Security-Policy" content=(policy); }
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
            a.skip href="#main" { "Skip to the content" }
            header {
                a.name href=(self.links.home()) { "unmold" }
                nav aria-label="Where you are" {
                    @for (name, address) in &self.way { a href=(address) { (name) } }
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

/// `41 %`.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// `1 page`, `2 pages`.
pub fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
