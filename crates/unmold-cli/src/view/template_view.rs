//! The page of a template: its parts with their supports, and where a part is missing.

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

/// Parts shown; more make a browser slow and a reader none the wiser.
const SHOWN: usize = 5000;
/// Pages looked through for a missing part.
const LOOKED_THROUGH: usize = 300;
/// Deeper parts are shown at this depth.
const DEEPEST: u32 = 80;

impl Viewer {
    pub fn template_page(
        &self,
        links: Links,
        number: usize,
        missing: Option<u32>,
    ) -> Result<String> {
        let templates = self.templates();
        let (_, template, kind) = numbered(&templates)
            .nth(number)
            .with_context(|| format!("there is no template {number}"))?;
        let site = self.catalog.sites().iter().position(|site| site.name == template.site());
        let learned = kind.learned();
        let parts = learned.parts();
        let mut shell = Shell {
            links,
            title: kind.name().to_owned(),
            way: Vec::new(),
            data: Vec::new(),
            reading: true,
            search: self.can_search(),
        };
        shell.way.extend(site.map(|site| (template.site().to_owned(), links.to("site", site))));
        let content = html! {
            h1 { "Template " (kind.name()) }
            p {
                (learned.method()) ", learned from " (counted(learned.pages() as usize, "page")) ", "
                (counted(parts.len(), "part")) "."
                @if let Some(site) = site { @if !links.exported { " " a href=(format!("pages-{site}?template={number}")) { "Its pages" } } }
            }
            @if let Some(part) = missing { (self.missing(links, (number, template, kind), &parts, part)?) }
            (overrides(kind))
            h2 { "Parts" }
            p.small.soft { "With the pages of the sample they are on. " @if !links.exported { "Choose one to see pages where it is missing." } }
            div.tree { (tree(links, number, &parts)) }
            @if parts.len() > SHOWN { p { "… and " (parts.len() - SHOWN) " more: " code { "unmold show" } " prints all." } }
        };
        Ok(shell.page(&content))
    }

    /// The pages of the template on which a part is not recognised.
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
        let looked = spread(&own, LOOKED_THROUGH);
        let template = Arc::new(template.clone());
        let lacks = |page: u32| {
            let judged = self.judge(page, Some(Arc::clone(&template)));
            judged.is_ok_and(|judged| {
                let marks = &judged.explanation.marks;
                !kind.learned().has_part(&judged.page, marks, wanted)
            })
        };
        let without: Vec<u32> = looked.par_iter().filter(|&&page| lacks(page)).copied().collect();
        Ok(html! {
            section.panel aria-label="Where it is missing" {
                h2 { "Missing: " (wanted.label) }
                p { "On " (wanted.pages) " of " (wanted.of) " pages of the sample. Not found on " (without.len()) " of " (looked.len()) " pages looked through" @if own.len() > looked.len() { ", spread over " (own.len()) } "." }
                ul { @for &page in without.iter().take(100) { li { (self.page_link(links, page)) } } }
            }
        })
    }
}

/// The parts, each foldable that has others in it.
fn tree(links: Links, template: usize, parts: &[Part]) -> Markup {
    let shown = &parts[..parts.len().min(SHOWN)];
    let mut out = String::new();
    let mut open: Vec<u32> = Vec::new();
    for (at, part) in shown.iter().enumerate() {
        let depth = part.depth.min(DEEPEST);
        while open.last().is_some_and(|&outer| outer >= depth) {
            open.pop();
            out.push_str("</details>");
        }
        let line = line(links, template, part).into_string();
        if shown.get(at + 1).is_some_and(|next| next.depth.min(DEEPEST) > depth) {
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
                thead { tr { th.number scope="col" { "No." } th scope="col" { "It is" } th scope="col" { "Where or what" } th scope="col" { "Note" } } }
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
            td { @if let Some(path) = &one.selector.path { code.path { (path) } " " } @if let Some(text) = &one.selector.text { "“" (text) "”" } }
            td { (one.note.as_deref().unwrap_or_default()) }
        }
    }
}
