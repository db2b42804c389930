//! What was learned: the tree, pattern or list of a template, with supports, and where its parts
//! are missing.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context, Result};
use maud::{Markup, PreEscaped, html};
use rayon::prelude::*;
use unmold::page::{comparison_form, words};
use unmold::template::{Override, OverrideVerdict};
use unmold::{Learned, Template};

use super::layout::{Links, Shell, counted};
use super::state::{Analysis, Viewer, method_of, spread};

/// Parts shown; more make a browser slow and a reader none the wiser.
const SHOWN: usize = 5000;
/// Pages looked through for a missing part.
const LOOKED_THROUGH: usize = 300;
/// Deeper parts are shown at this depth.
const DEEPEST: u32 = 80;

/// One part of a template, in the order in which it stands.
struct Part {
    /// By which it is recognised on a page; `None`: only what is in it is.
    number: Option<u32>,
    depth: u32,
    label: String,
    pages: u32,
    of: u32,
}

impl Viewer {
    pub fn template_page(
        &self,
        links: Links,
        number: usize,
        missing: Option<u32>,
    ) -> Result<String> {
        let templates = self.templates();
        let template = templates
            .templates()
            .get(number)
            .with_context(|| format!("there is no template {number}"))?;
        let site = self.catalog.sites().iter().position(|site| site.name == template.site);
        let parts = parts_of(&template.learned);
        let mut shell = Shell {
            links,
            title: template.name.clone(),
            way: Vec::new(),
            data: Vec::new(),
            reading: true,
            search: self.can_search(),
        };
        shell.way.extend(site.map(|site| (template.site.clone(), links.to("site", site))));
        let content = html! {
            h1 { "Template " (template.name) }
            p {
                (method_of(&template.learned)) ", learned from " (counted(template.learned.pages() as usize, "page")) ", "
                (counted(parts.len(), "part")) "."
                @if let Some(site) = site { @if !links.exported { " " a href=(format!("pages-{site}?template={number}")) { "Its pages" } } }
            }
            @if let Some(part) = missing { (self.missing(links, number, template, &parts, part)?) }
            (overrides(template))
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
        number: usize,
        template: &Template,
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
            .find(|site| site.name == template.site)
            .context("the site is not in the input")?;
        let own: Vec<u32> = self
            .survey
            .of(&site.pages)
            .into_iter()
            .filter(|(_, seen)| seen.is_some_and(|seen| seen.template == Some(number as u32)))
            .map(|(page, _)| page)
            .collect();
        let looked = spread(&own, LOOKED_THROUGH);
        let templates = self.templates();
        let without: Vec<u32> = looked
            .par_iter()
            .filter(|&&page| {
                self.mark(page, templates.clone())
                    .is_ok_and(|found| !has(&found, &template.learned, wanted))
            })
            .copied()
            .collect();
        Ok(html! {
            section.panel aria-label="Where it is missing" {
                h2 { "Missing: " (wanted.label) }
                p { "On " (wanted.pages) " of " (wanted.of) " pages of the sample. Not found on " (without.len()) " of " (looked.len()) " pages looked through" @if own.len() > looked.len() { ", spread over " (own.len()) } "." }
                ul { @for &page in without.iter().take(100) { li { (self.page_link(links, page)) } } }
            }
        })
    }
}

/// Whether a part of the template was recognised on the page.
fn has(analysis: &Analysis, learned: &Learned, part: &Part) -> bool {
    let page = &analysis.page;
    match learned {
        Learned::Auto(_) => {
            // Its marks name numbers of pages, not parts: look for the words.
            let key = |text: &str| {
                let text = comparison_form(text).into_owned();
                format!(" {} ", words(&text).collect::<Vec<_>>().join(" "))
            };
            key(&page.joined_text(page.body())).contains(&key(&part.label))
        }
        _ => {
            let found: BTreeSet<u32> =
                page.nodes().filter_map(|id| analysis.marks.source(id)).collect();
            part.number.is_some_and(|number| found.contains(&number))
        }
    }
}

fn parts_of(learned: &Learned) -> Vec<Part> {
    let of = learned.pages();
    match learned {
        Learned::Auto(template) => (0..)
            .zip(template.parts())
            .map(|(number, part)| Part {
                number: Some(number),
                depth: 0,
                label: part.text.clone(),
                pages: part.pages,
                of,
            })
            .collect(),
        Learned::ChunkFrequency(template) => (0..)
            .zip(template.chunks())
            .map(|(number, chunk)| Part {
                number: Some(number),
                depth: 0,
                label: chunk.text.clone(),
                pages: chunk.pages,
                of,
            })
            .collect(),
        Learned::PageClusters(template) => (0..)
            .zip(template.paths())
            .filter_map(|(number, path)| {
                let label = path.text.clone()?;
                Some(Part { number: Some(number), depth: 0, label, pages: path.pages, of })
            })
            .collect(),
        Learned::Alignment(template) => {
            let mut depth = 0u32;
            let mut parts = Vec::new();
            for (number, token) in (0..).zip(template.tokens()) {
                if token.token.starts_with("</") {
                    depth = depth.saturating_sub(1);
                    continue;
                }
                parts.push(Part {
                    number: Some(number),
                    depth,
                    label: token.token.clone(),
                    pages: token.pages,
                    of,
                });
                depth += u32::from(token.token.starts_with('<'));
            }
            parts
        }
        Learned::TreeMapping(template) => {
            let nodes = template
                .trees()
                .iter()
                .flat_map(|tree| tree.nodes.iter().map(move |node| (tree.pages, node)));
            (0..)
                .zip(nodes)
                .map(|(number, (of, node))| Part {
                    number: Some(number),
                    depth: node.depth,
                    label: if node.text.is_empty() {
                        node.tag.clone()
                    } else {
                        format!("{:?}", node.text)
                    },
                    pages: node.pages,
                    of,
                })
                .collect()
        }
        Learned::TreePattern(template) => {
            let parts = template
                .patterns()
                .iter()
                .flat_map(|pattern| pattern.parts.iter().map(move |part| (pattern.pages, part)));
            (0..)
                .zip(parts)
                .map(|(number, (of, part))| {
                    let features: Vec<&str> = part
                        .features
                        .iter()
                        .map(|feature| feature.value.as_str())
                        .take(3)
                        .collect();
                    let label = if features.is_empty() {
                        part.part.clone()
                    } else {
                        format!("{}: {}", part.part, features.join(" · "))
                    };
                    let number = (!part.features.is_empty()).then_some(number);
                    Part { number, depth: part.depth, label, pages: part.pages, of }
                })
                .collect()
        }
        _ => Vec::new(),
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

fn overrides(template: &Template) -> Markup {
    html! {
        @if !template.overrides.is_empty() {
            h2 { "Corrections" }
            div.scroll { table {
                thead { tr { th.number scope="col" { "No." } th scope="col" { "It is" } th scope="col" { "Where or what" } th scope="col" { "Note" } } }
                tbody { @for one in template.overrides.iter().rev() { (row(one)) } }
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
