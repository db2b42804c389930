//! The view of a template: its parts with their page counts, and pages that lack a part.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::{Context, Result};
use maud::{Markup, PreEscaped, html};
use rayon::prelude::*;
use unmold::methods::Part;
use unmold::template::{Override, OverrideVerdict};
use unmold::{KindTemplate, Template};

use super::layout::{Links, Shell, counted};
use super::state::{Viewer, numbered, spread};

/// Maximum number of parts to show; more slow the browser down.
const MAX_PARTS: usize = 5000;
/// Maximum number of pages to check for a missing part.
const MAX_CHECKED: usize = 300;
/// Maximum depth to show; deeper parts appear at this depth.
const MAX_DEPTH: u32 = 80;

impl Viewer {
    pub fn template_page(
        &self,
        links: Links,
        number: usize,
        missing: Option<u32>,
    ) -> Result<String> {
        let templates = self.templates();
        let (_, template, kind) =
            numbered(&templates).nth(number).with_context(|| format!("no template {number}"))?;
        let site = self.catalog.sites().iter().position(|site| site.name == template.site());
        let learned = kind.learned();
        let parts = learned.parts();
        let mut shell = Shell {
            links,
            title: kind.name().to_owned(),
            breadcrumbs: Vec::new(),
            data: Vec::new(),
            reading: true,
            search: self.can_search(),
        };
        shell
            .breadcrumbs
            .extend(site.map(|site| (template.site().to_owned(), links.to("site", site))));
        let content = html! {
            h1 { "Template " (kind.name()) }
            p {
                (learned.method()) ", learned from "
                (counted(learned.pages() as usize, "page")) ", "
                (counted(parts.len(), "part")) "."
                @if let Some(site) = site {
                    @if !links.exported {
                        " " a href=(format!("pages-{site}?template={number}")) { "Pages" }
                    }
                    @if !links.exported || kind.records().is_some() {
                        " " a href=(links.to("records", number)) { "Records" }
                    }
                }
            }
            @if let Some(part) = missing {
                (self.missing(links, (number, template, kind), &parts, part)?)
            }
            (overrides(kind))
            h2 { "Parts" }
            p.small.soft {
                "Each with the number of sampled pages that have it. "
                @if !links.exported { "Click a part to list the pages without it." }
            }
            div.tree { (tree(links, number, &parts)) }
            @if parts.len() > MAX_PARTS {
                p {
                    "… and " (parts.len() - MAX_PARTS) " more. Run " code { "unmold show" }
                    " to print all."
                }
            }
        };
        Ok(shell.page(&content))
    }

    /// Lists the pages of the template that lack a part.
    fn missing(
        &self,
        links: Links,
        (number, template, kind): (usize, &Template, &KindTemplate),
        parts: &[Part],
        part: u32,
    ) -> Result<Markup> {
        let wanted = parts
            .iter()
            .find(|known| known.number == Some(part))
            .context("the template has no such part")?;
        let site = self
            .catalog
            .sites()
            .iter()
            .find(|site| site.name == template.site())
            .context("the site is not in the input")?;
        let own: Vec<u32> = self
            .survey
            .of(&site.pages)
            .into_iter()
            .filter(|(_, seen)| seen.is_some_and(|seen| seen.template == Some(number as u32)))
            .map(|(page, _)| page)
            .collect();
        let checked = spread(&own, MAX_CHECKED);
        let template = Arc::new(template.clone());
        let lacks = |page: u32| {
            let analysis = self.mark(page, Some(Arc::clone(&template)));
            analysis.is_ok_and(|analysis| {
                let marks = &analysis.explanation.marks;
                !kind.learned().has_part(&analysis.page, marks, wanted)
            })
        };
        let without: Vec<u32> = checked.par_iter().filter(|&&page| lacks(page)).copied().collect();
        Ok(html! {
            section.panel aria-label="Missing part" {
                h2 { "Missing: " (wanted.label) }
                p {
                    "On " (wanted.pages) " of " (wanted.of) " sampled pages. Not found on "
                    (without.len()) " of " (checked.len()) " pages checked"
                    @if own.len() > checked.len() { ", spread over " (own.len()) } "."
                }
                ul {
                    @for &page in without.iter().take(100) {
                        li { (self.page_link(links, page)) }
                    }
                }
            }
        })
    }
}

/// Formats the parts as a tree that folds.
fn tree(links: Links, template: usize, parts: &[Part]) -> Markup {
    let shown = &parts[..parts.len().min(MAX_PARTS)];
    let mut out = String::new();
    let mut open: Vec<u32> = Vec::new();
    for (at, part) in shown.iter().enumerate() {
        let depth = part.depth.min(MAX_DEPTH);
        while open.last().is_some_and(|&outer| outer >= depth) {
            open.pop();
            out.push_str("</details>");
        }
        let line = line(links, template, part).into_string();
        if shown.get(at + 1).is_some_and(|next| next.depth.min(MAX_DEPTH) > depth) {
            let _ = write!(out, "<details open><summary>{line}</summary>");
            open.push(depth);
        } else {
            let _ = write!(out, "<div class=\"leaf\">{line}</div>");
        }
    }
    open.iter().for_each(|_| out.push_str("</details>"));
    PreEscaped(out)
}

fn line(links: Links, template: usize, part: &Part) -> Markup {
    let label: String = part.label.chars().take(160).collect();
    html! {
        span.support { (part.pages) " of " (part.of) }
        @match part.number.filter(|_| !links.exported) {
            Some(number) => a href=(format!("template-{template}?missing={number}")) { (label) },
            None => (label),
        }
    }
}

fn overrides(kind: &KindTemplate) -> Markup {
    html! {
        @if !kind.overrides().is_empty() {
            h2 { "Corrections" }
            div.scroll { table {
                thead { tr {
                    th.number scope="col" { "No." }
                    th scope="col" { "Verdict" }
                    th scope="col" { "Place or text" }
                    th scope="col" { "Note" }
                } }
                tbody { @for one in kind.overrides().iter().rev() { (row(one)) } }
            } }
        }
    }
}

fn row(one: &Override) -> Markup {
    let verdict = match one.verdict {
        OverrideVerdict::Content => "content",
        OverrideVerdict::Template => "template",
        OverrideVerdict::Learned => "as learned",
    };
    html! {
        tr {
            td.number { (one.serial) }
            td { (verdict) }
            td {
                @if let Some(path) = &one.selector.path { code.path { (path) } " " }
                @if let Some(text) = &one.selector.text { "“" (text) "”" }
            }
            td { (one.note.as_deref().unwrap_or_default()) }
        }
    }
}
